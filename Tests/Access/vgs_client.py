"""VGS's own client library, unchanged, against the gateway: only the hosts that it calls are set.

Arguments: the gateway's URL. Ends with 0 if all is as docs/reference/vault-api.md says.
"""

import logging
import sys

import vgs
from simple_rest_client.exceptions import AuthError
from vgs.sdk import auth_api

base = sys.argv[1]
# The library logs every refusal with its stack.
logging.disable(logging.CRITICAL)
auth_api.env_url["prod"] = base


def client(username, password):
    return vgs.Aliases(vgs.config(username=username, password=password, host=base))


def expect_refusal(kind, call):
    try:
        returned = call()
    except kind:
        return
    raise AssertionError(f"{kind.__name__} expected, returned: {returned}")


def token_endpoint():
    """The client credentials grant, at the path that the library has for it."""
    api = auth_api.create_api("prod")
    response = auth_api.get_auto_token(api, client_id="dev", client_secret="dev-secret")
    assert response.status_code == 200, response
    assert response.body["token_type"] == "Bearer" and response.body["expires_in"] == 1200, response.body
    # The library reads `exp` of the token to see whether it needs another.
    assert auth_api.validate_access_token(response.body["access_token"])
    expect_refusal(AuthError, lambda: auth_api.get_auto_token(api, client_id="dev", client_secret="wrong"))


def aliases():
    """Every call of the library's own interface."""
    dev = client("dev", "dev-secret")
    items = [
        {"value": "5555555555554444", "format": "FPE_SIX_T_FOUR", "classifiers": ["card"]},
        {"value": "Ann Li"},
        {"value": "737", "format": "UUID", "storage": "VOLATILE"},
    ]
    made = dev.redact(items)
    assert [stored["value"] for stored in made] == [item["value"] for item in items], made
    names = [stored["aliases"][0]["alias"] for stored in made]
    assert names[0].startswith("555555") and names[0].endswith("4444") and names[0] != "5555555555554444", names
    assert [stored["storage"] for stored in made] == ["PERSISTENT", "PERSISTENT", "VOLATILE"], made

    found = dev.reveal(names)
    assert {name: found[name]["value"] for name in names} == dict(zip(names, ["5555555555554444", "Ann Li", "737"]))
    assert found[names[0]]["classifiers"] == ["card"], found
    assert dev.reveal(names[1])[names[1]]["created_at"] == made[1]["created_at"]

    dev.update(names[0], {"classifiers": ["vip", "2026"]})
    assert sorted(dev.reveal(names[0])[names[0]]["classifiers"]) == ["2026", "vip"]

    dev.delete(names[1])
    for gone in [
        lambda: dev.reveal(names[1]),
        lambda: dev.reveal(names),
        lambda: dev.delete(names[1]),
        lambda: dev.update(names[1], {"classifiers": ["x"]}),
    ]:
        expect_refusal(vgs.NotFoundException, gone)
    expect_refusal(vgs.UnauthorizedException, lambda: client("dev", "wrong").reveal(names[0]))
    expect_refusal(vgs.ForbiddenException, lambda: client("writer", "writer-secret").reveal(names[0]))
    expect_refusal(vgs.VgsApiException, lambda: dev.redact([{"value": "12", "format": "FPE_SIX_T_FOUR"}]))
    assert dev.reveal(names[0])[names[0]]["value"] == "5555555555554444"


token_endpoint()
aliases()
