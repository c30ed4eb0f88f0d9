"""Every call comes from another address, as behind a proxy: wrong secrets, of which some checks try many, make an address wait.

White space around the value of a header is no part of it (RFC 9110 section 5.5), so that it makes no valid value invalid."""
import itertools

import schemathesis

numbers = itertools.count()


@schemathesis.hook
def before_call(context, case, kwargs):
    number = next(numbers)
    case.headers = {**(case.headers or {}), "X-Forwarded-For": "10.%d.%d.%d" % (number >> 16 & 255, number >> 8 & 255, number & 255)}


@schemathesis.hook
def filter_headers(context, headers):
    return all(value == value.strip() for value in (headers or {}).values() if isinstance(value, str))
