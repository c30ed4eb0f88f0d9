"""Every call comes from another address, as behind a proxy: wrong secrets, of which some checks try many, make an address wait.

A made-up `Cloakroom-Form-Version` is that of another description, and refused before the body is looked at: calls that try what does not fit
have none.

White space around the value of a header is no part of it (RFC 9110 section 5.5), so that it makes no valid value invalid.

schemathesis takes a per cent sign with two digits in the value of a path for an escape that was made already, and calls with another value
than the one that it held against the schema: one with control characters, where that has none."""
import itertools
import re
import urllib.parse

import schemathesis

numbers = itertools.count()
UNSENDABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\\]")


@schemathesis.hook
def before_call(context, case, kwargs):
    number = next(numbers)
    headers = dict(case.headers or {})
    if case.meta and case.meta.generation.mode.is_negative:
        headers = {name: value for name, value in headers.items() if name.lower() != "cloakroom-form-version"}
    case.headers = {**headers, "X-Forwarded-For": "10.%d.%d.%d" % (number >> 16 & 255, number >> 8 & 255, number & 255)}


@schemathesis.hook
def filter_headers(context, headers):
    return all(value == value.strip() for value in (headers or {}).values() if isinstance(value, str))


@schemathesis.hook
def filter_case(context, case):
    if case.meta is None or case.meta.generation.mode.is_negative:
        return True
    texts = [urllib.parse.unquote(value) for value in (case.path_parameters or {}).values() if isinstance(value, str)]
    return not any(UNSENDABLE.search(text) for text in texts)
