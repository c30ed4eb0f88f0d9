"""Waiting for a page: its policy forbids the evaluation of text, which is how the driver itself would wait within it."""
import time


def until(page, expression, arg=None, timeout=10.0):
    """Evaluates an expression from outside, over the debugging protocol, until it is true."""
    end = time.monotonic() + timeout
    while True:
        if page.evaluate(expression, arg) if arg is not None else page.evaluate("() => Boolean(%s)" % expression):
            return
        if time.monotonic() > end:
            raise AssertionError("never: %s" % expression)
        time.sleep(0.005)


def until_equal(read, wanted, timeout=10.0):
    """Reads from outside until the value is the one that is wanted."""
    end = time.monotonic() + timeout
    while (found := read()) != wanted:
        if time.monotonic() > end:
            raise AssertionError("never %r, but %r" % (wanted, found))
        time.sleep(0.005)
