#!/usr/bin/env python3
"""The hosted fields in real Chromium, on a page of another origin with a strict policy (docs/reference/browser.md).

usage: browser.py [--binary FILE] [--scripts FOLDER] [--share N/COUNT] [NAME…]

`--share 1/2` runs every second test from the first on, `2/2` the others.
`--scripts` takes the files of /elements/v1/ from a folder that Sources/Elements/Scripts/bundle has made, so that scripts can be
tried without building the gateway. Prints one line a test that fails, and exits with 1 if there is one.
"""
import argparse
import contextlib
import os
import sys
import threading
import time
import traceback

from playwright.sync_api import Error, sync_playwright

import access
import autofill
import calls
import card
import demo
import digits
import docs
import engine
import examples
import isolation
import reloads
import repeats
import sessions
import typing_table
import typings
import waiting
from shop import ROOT, Gateway, Shop

COLLECT = """
// Everything that the page can see of its frames.
window.seen = []
addEventListener('message', (event) => seen.push(event.data))
const post = MessagePort.prototype.postMessage
const handler = Object.getOwnPropertyDescriptor(MessagePort.prototype, 'onmessage')
Object.defineProperty(MessagePort.prototype, 'onmessage', { ...handler, set(listener) {
  handler.set.call(this, (event) => { window.seen.push(event.data); return listener(event) })
} })
"""

CHROMIUM = "/usr/bin/chromium"
# Chromium without windows, which takes two thirds of the time for the same pages; it can't fill in cards. Frames of other origins have
# processes of their own in it only if it is told so.
SHELL = "/usr/bin/chromium-headless-shell"
if not os.path.exists(SHELL):
    SHELL = CHROMIUM


class Test:
    """What a test has: a browser, a gateway, a shop."""

    def __init__(self, browser, gateway, shop, scripts, binary=None):
        self.browser, self.gateway, self.shop, self.scripts, self.binary = browser, gateway, shop, scripts, binary
        self.contexts = []
        self.console = []
        self.requests = []

    def context(self, **options):
        context = self.browser.new_context(**options)
        # A machine that does other things too is slow, and no failure.
        context.set_default_timeout(10_000)
        self.contexts.append(context)
        if self.scripts:
            context.route("**/elements/v1/*", self.replace)
        return context

    def replace(self, route, *, change=lambda body: body):
        """Responds with the file of the folder of scripts, or else the gateway's, after a change of the test's own."""
        path = os.path.join(self.scripts or "", route.request.url.split("?")[0].rsplit("/", 1)[1])
        try:
            response = route.fetch()
            if self.scripts and os.path.exists(path):
                with open(path, "rb") as file:
                    body = file.read()
            else:
                body = response.body()
        except Error:
            return route.abort("connectionrefused")
        route.fulfill(response=response, body=change(body))

    def open(self, path, script, body="<div id=a></div><div id=b></div><div id=c></div><div id=d></div>", head="", collect=False,
             gateway=None, **options):
        page = self.context(**options).new_page()
        page.on("console", lambda message: self.console.append(message.text))
        page.on("pageerror", lambda error: self.console.append("pageerror: %s" % error))
        page.on("request", lambda request: self.requests.append(request))
        url = self.shop.page(path, script, body, (gateway or self.gateway).origin, head)
        if collect:
            page.add_init_script("if (parent === window) {%s}" % COLLECT)
        page.goto(url)
        return page

    def frame(self, page, selector):
        """The frame that is mounted in an element, once it can be typed in."""
        frame = page.frame_locator(selector + " iframe")
        return frame

    def close(self):
        for context in self.contexts:
            context.close()


@contextlib.contextmanager
def signs_of_life(name):
    """Prints a line every ten seconds, for two minutes: what runs this takes half a minute of silence for a hang, and axe needs longer
    for the largest page when a machine is busy."""
    ended = threading.Event()

    def say():
        for _ in range(12):
            if ended.wait(10):
                return
            print("  %s is still running" % name, flush=True)

    threading.Thread(target=say, daemon=True).start()
    try:
        yield
    finally:
        ended.set()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", default=ROOT + "/.build/debug/cloakroom")
    parser.add_argument("--scripts")
    parser.add_argument("--share", default="1/1")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    shop = Shop()
    gateway = Gateway(options.binary, shop)
    shop.open(gateway.origin)
    tests = [(name, function, CHROMIUM if module is autofill else SHELL)
             for module in (typing_table, autofill, card, digits, calls, repeats, reloads, waiting, sessions, isolation, engine, typings, access, examples, demo, docs)
             for name, function in vars(module).items() if name.startswith("test_")]
    number, count = map(int, options.share.split("/"))
    tests = tests[number - 1::count]
    failures = 0
    try:
        with sync_playwright() as playwright:
            browsers = {}
            for name, function, path in tests:
                if options.names and not any(part in name for part in options.names):
                    continue
                if path not in browsers:
                    browsers[path] = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--site-per-process"])
                test = Test(browsers[path], gateway, shop, options.scripts, options.binary)
                start = time.monotonic()
                try:
                    with signs_of_life(name):
                        function(test)
                    print("passed %s (%.1f s)" % (name, time.monotonic() - start), flush=True)
                except Exception as error:  # One test's failure must not hide the others'.
                    failures += 1
                    print("FAILED %s: %s" % (name, "".join(traceback.format_exception(error)[-3:]).strip()[:1500]))
                    for line in test.console[:8]:
                        print("  console: " + line[:300])
                finally:
                    test.close()
            for browser in browsers.values():
                browser.close()
    finally:
        gateway.stop()
    print("%d of the tests failed" % failures if failures else "all passed")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
