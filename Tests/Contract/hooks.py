"""Every call comes from another address, as behind a proxy: wrong secrets, of which some checks try many, make an address wait.

A made-up `Cloakroom-Form-Version` is that of another description, and refused before the body is looked at: calls that try what does not fit
have none.

White space around the value of a header is no part of it (RFC 9110 section 5.5), so that it makes no valid value invalid.

schemathesis takes a per cent sign with two digits in the value of a path for an escape that was made already, and calls with another value
than the one that it held against the schema: one with control characters, where that has none.

A session is ended by its own token: each call gets one of a new session. A call that reveals gets an alias that is there.

What each operation was answered is written to CONTRACT_RECORD, a line a call, for reached.py."""
import itertools
import json
import os
import re
import urllib.error
import urllib.parse
import urllib.request

import schemathesis

numbers = itertools.count()
EXAMPLE = b"tok_sandbox_FyUq2QGMG7ByxxCbrqQoMN"
QUERY = re.compile("(/aliases[?](?:.*&)?(?:q|aliases)=)[^&]+")
UNSENDABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\\]")


def is_negative(case):
    """Whether it tries what does not fit."""
    return case.meta is not None and case.meta.generation.mode.is_negative


@schemathesis.hook
def before_call(context, case, kwargs):
    number = next(numbers)
    headers = dict(case.headers or {})
    if is_negative(case):
        headers = {name: value for name, value in headers.items() if name.lower() != "cloakroom-form-version"}
    elif case.operation.label == "DELETE /v1/sessions/current":
        kwargs["auth"] = NewSession()
    elif case.operation.label == "GET /aliases" or case.operation.path.startswith("/v1/routes/"):
        kwargs["auth"] = KnownAlias()
    case.headers = {**headers, "X-Forwarded-For": "10.%d.%d.%d" % (number >> 16 & 255, number >> 8 & 255, number & 255)}


class NewSession:
    """Puts the token of a new session in place of the credential."""

    def __call__(self, request):
        made = post(request, "/v1/sessions", {"form": "checkout"})
        if made:
            request.headers["Authorization"] = "Bearer " + made["session"]
        return request


class KnownAlias:
    """Makes an alias and puts it in place of the body's example and of the query's: otherwise no value would leave the gateway."""

    def __call__(self, request):
        body = request.body.encode() if isinstance(request.body, str) else request.body or b""
        if EXAMPLE in body or QUERY.search(request.url):
            made = post(request, "/aliases", {"data": [{"value": "4111111111111111", "format": "UUID"}]})
            if made:
                # Of the same length as the example: no header changes.
                alias = made["data"][0]["aliases"][0]["alias"]
                request.url = QUERY.sub(lambda match: match[1] + alias, request.url)
                request.body = body.replace(EXAMPLE, alias.encode()) or None
        return request


def post(request, target, body):
    """A call of the same client beside its request; none if it is refused, which is for reached.py to say."""
    scheme, place = urllib.parse.urlsplit(request.url)[:2]
    headers = {name: request.headers[name] for name in ("Authorization", "X-Forwarded-For")}
    call = urllib.request.Request(f"{scheme}://{place}{target}", json.dumps(body).encode(), {**headers, "Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(call) as response:
            return json.load(response)
    except urllib.error.HTTPError:
        return None


@schemathesis.hook
def after_call(context, case, response):
    # A check also calls with methods that the operation does not have.
    is_its_own = response.request.method == case.operation.method.upper()
    if is_its_own and "CONTRACT_RECORD" in os.environ:
        with open(os.environ["CONTRACT_RECORD"], "a") as record:
            record.write(f"{response.status_code} {case.operation.label}\n")


@schemathesis.hook
def filter_headers(context, headers):
    return all(value == value.strip() for value in (headers or {}).values() if isinstance(value, str))


@schemathesis.hook
def filter_case(context, case):
    if case.meta is None or is_negative(case):
        return True
    texts = [urllib.parse.unquote(value) for value in (case.path_parameters or {}).values() if isinstance(value, str)]
    return not any(UNSENDABLE.search(text) for text in texts)
