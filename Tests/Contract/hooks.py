"""Every call comes from another address, as behind a proxy: wrong secrets, of which some checks try many, make an address wait.

White space around the value of a header is no part of it (RFC 9110 section 5.5), so that it makes no valid value invalid.

schemathesis takes a per cent sign with two digits in the value of a path for an escape that was made already, and calls with another value
than the one that it held against the schema."""
import itertools
import urllib.parse

import schemathesis

numbers = itertools.count()


@schemathesis.hook
def before_call(context, case, kwargs):
    number = next(numbers)
    case.headers = {**(case.headers or {}), "X-Forwarded-For": "10.%d.%d.%d" % (number >> 16 & 255, number >> 8 & 255, number & 255)}


@schemathesis.hook
def filter_headers(context, headers):
    return all(value == value.strip() for value in (headers or {}).values() if isinstance(value, str))


@schemathesis.hook
def filter_path_parameters(context, path_parameters):
    return all(value == urllib.parse.unquote(value) for value in (path_parameters or {}).values() if isinstance(value, str))
