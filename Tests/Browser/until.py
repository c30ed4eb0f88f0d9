"""Waiting for a page: its policy forbids the evaluation of text, which is how the driver itself would wait within it."""
import time


def pauses():
    """Seconds between two looks: short at first, then longer, because each look is work for the browser that is waited for."""
    pause = 0.005
    while True:
        yield
        time.sleep(pause)
        pause = min(pause * 1.5, 0.1)


def until(page, expression, arg=None, timeout=10.0):
    """Evaluates an expression from outside, over the debugging protocol, until it is true."""
    end = time.monotonic() + timeout
    for _ in pauses():
        if page.evaluate(expression, arg) if arg is not None else page.evaluate("() => Boolean(%s)" % expression):
            return
        if time.monotonic() > end:
            raise AssertionError("never: %s" % expression)


def until_equal(read, wanted, timeout=10.0):
    """Reads from outside until the value is the one that is wanted."""
    end = time.monotonic() + timeout
    for _ in pauses():
        if (found := read()) == wanted:
            return
        if time.monotonic() > end:
            raise AssertionError("never %r, but %r" % (wanted, found))
