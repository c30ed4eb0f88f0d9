#!/usr/bin/env python3
"""Makes a Python client of the gateway's OpenAPI document, compiles it, and holds the README's session with it.

usage: generated.py GATEWAY [ROUTE]     with the name of a reveal route, it makes an alias and sends it there instead
"""
import compileall
import json
import os
import subprocess
import sys
import tempfile
import urllib.request

gateway, route = sys.argv[1], (sys.argv[2:] + [None])[0]
CARD = {"card_number": "4111 1111 1111 1111", "card_holder": "Joe Business", "exp_date": "12/30", "cvc": "123"}

with tempfile.TemporaryDirectory() as folder:
    with urllib.request.urlopen(gateway + "/openapi.json") as response, open(folder + "/openapi.json", "wb") as file:
        file.write(response.read())
    tool = os.path.join(os.path.dirname(sys.executable), "openapi-python-client")
    run = subprocess.run([tool, "generate", "--path", "openapi.json", "--output-path", "made", "--meta", "none"]
                         # A reveal route takes bodies of any type, of which the tool makes those that it knows, with a warning.
                         + ([] if route else ["--fail-on-warning"]),
                         cwd=folder, capture_output=True, text=True, check=False,
                         # It formats what it has made with a tool beside it.
                         env=dict(os.environ, PATH=os.path.dirname(sys.executable) + ":" + os.environ.get("PATH", "/usr/bin:/bin")))
    assert run.returncode == 0, run.stdout + run.stderr
    assert compileall.compile_dir(folder + "/made", quiet=1), "the client does not compile"
    sys.path.insert(0, folder)
    if route:
        import importlib
        from made.api.vault import create_aliases
        from made.client import AuthenticatedClient
        from made.models.new_items import NewItems
        # What the upstream responds is described: the client takes none of it for an error.
        dev = AuthenticatedClient(base_url=gateway, token="dev-secret", raise_on_unexpected_status=True)
        made = create_aliases.sync(client=dev, body=NewItems.from_dict({"data": [{"value": "4111111111111111", "format": "UUID"}]}))
        post = importlib.import_module("made.api.reveal." + route + "_post")
        sent = post.sync_detailed("charges", client=dev, body={"card": {"number": made.to_dict()["data"][0]["aliases"][0]["alias"]}})
        assert sent.status_code == 200, sent
        assert post.sync_detailed("charges", client=dev).status_code == 200
        sys.exit(print("done"))
    from made.api.forms import checkout_aliases, checkout_send_post, checkout_validate, list_forms
    from made.api.vault import reveal_alias
    from made.client import AuthenticatedClient, Client
    from made.models.checkout_draft import CheckoutDraft
    from made.models.checkout_submission import CheckoutSubmission

    stranger = Client(base_url=gateway)
    dev = AuthenticatedClient(base_url=gateway, token="dev-secret")
    submission = CheckoutSubmission.from_dict({"fields": CARD, "extraData": {"order": 17}})
    forms = list_forms.sync(client=stranger)
    assert "checkout" in [form.form for form in forms.forms], forms
    state = checkout_validate.sync(client=stranger, body=CheckoutDraft.from_dict({"fields": CARD}))
    assert state.is_valid and state.fields.card_number.card_brand == "visa", state
    alias = checkout_aliases.sync(client=dev, body=submission, idempotency_key="k").data["card_number"]
    sent = checkout_send_post.sync("orders", client=stranger, body=submission)
    assert sent["order"] == 17 and sent["card_number"] == alias, sent
    assert reveal_alias.sync(alias, client=dev).data[0].value == "4111111111111111"
    refused = checkout_aliases.sync(client=dev, body=CheckoutSubmission.from_dict({"fields": dict(CARD, card_number="4111")}))
    assert refused.status == 422 and refused.error.type_ == "inputDataIsNotValid", refused
print("done")
