"""Every call comes from another address, as behind a proxy: wrong secrets, of which some checks try many, make an address wait."""
import itertools

import schemathesis

numbers = itertools.count()


@schemathesis.hook
def before_call(context, case, kwargs):
    number = next(numbers)
    case.headers = {**(case.headers or {}), "X-Forwarded-For": "10.%d.%d.%d" % (number >> 16 & 255, number >> 8 & 255, number & 255)}
