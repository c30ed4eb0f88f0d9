#!/usr/bin/env python3
"""The marks of docs/reference/browser.md section 6 in real Chromium, on a page of another origin: sizes, time to the first field and
verdict, keystroke to `change`.

usage: browser.py [--binary FILE] [--loads N] [--visited]

`--visited`: the customer has seen another page of the shop before. Nothing of the gateway is in the cache either way, but the browser
has then started a process that it can use for the frames.
"""
import argparse
import gzip
import os
import statistics
import sys
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, ROOT + "/Tests/Browser")

from playwright.sync_api import sync_playwright  # noqa: E402

from browser import Test  # noqa: E402
from shop import Gateway, Shop  # noqa: E402
from until import until  # noqa: E402

SCRIPTS = ["cloakroom.js", "cloakroom.mjs", "frame.html", "frame.js", "frame.css"]

# When each kind of message first comes from a frame: a field is `ready` when it can be focused.
WATCH = """
window.first = {}
window.isWatching = false
const handler = Object.getOwnPropertyDescriptor(MessagePort.prototype, 'onmessage')
Object.defineProperty(MessagePort.prototype, 'onmessage', { ...handler, set(listener) {
  handler.set.call(this, (event) => { window.first[event.data.type + this.isField] ??= performance.now(); return listener(event) })
} })
"""
PAGE = """
const form = (window.form = Cloakroom.form('checkout'))
window.changes = []
form.on('change', () => changes.push(performance.timeOrigin + performance.now()))
form.on('ready', () => { window.isReady = performance.now() })
form.field('card_number', { label: 'Card number' }).mount('#a')
"""


def size(origin, name):
    request = urllib.request.Request("%s/elements/v1/%s" % (origin, name), headers={"Accept-Encoding": "gzip"})
    with urllib.request.urlopen(request) as response:
        body = response.read()
        assert response.headers["Content-Encoding"] == "gzip" and gzip.decompress(body)
    return len(body)


def at(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def line(name, values, mark, unit="ms"):
    print("%-34s least %6.1f  median %6.1f  p95 %6.1f %s  (mark %s)"
          % (name, min(values), statistics.median(values), at(values, 0.95), unit, mark), flush=True)


def load(test, number, visited):
    """Opens a page with an empty cache: times in milliseconds from the moment the script is asked for."""
    page = test.context().new_page()
    page.add_init_script("if (parent === window) {%s}" % WATCH.replace("event.data.type + this.isField", "event.data.type"))
    if visited:
        page.goto(test.shop.page("/before%d" % number, "", "<p>Goods</p>", test.gateway.origin))
        page.wait_for_timeout(500)
    page.goto(test.shop.page("/load%d" % number, PAGE, "<div id=a></div>", test.gateway.origin))
    until(page, "window.isReady")
    start = page.evaluate("performance.getEntriesByType('resource').find((entry) => entry.name.endsWith('cloakroom.js')).startTime")
    times = page.evaluate("({ size: first.size, state: first.state, isReady })")
    return page, times["size"] - start, times["state"] - start, times["isReady"] - start


def type_in(page):
    """Milliseconds from each keystroke, as the field sees it, to the page's next `change`."""
    frame = next(f for f in page.frames if "frame.html" in f.url and f.locator("input").count())
    frame.evaluate("""() => { window.keys = []
      document.querySelector('input').addEventListener('beforeinput', () => keys.push(performance.timeOrigin + performance.now())) }""")
    frame.locator("input").focus()
    page.evaluate("changes.length = 0")
    for _ in range(4):
        for digit in "4111111111111111":
            page.keyboard.press(digit, delay=5)
        for _ in range(16):
            page.keyboard.press("Backspace", delay=5)
    page.wait_for_timeout(100)
    changes, keys = page.evaluate("changes"), frame.evaluate("keys")
    return [min(change - key for change in changes if change >= key) for key in keys if changes[-1] >= key]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", default=ROOT + "/.build/release/cloakroom")
    parser.add_argument("--loads", type=int, default=20)
    parser.add_argument("--visited", action="store_true")
    options = parser.parse_args()
    shop = Shop()
    gateway = Gateway(options.binary, shop)
    try:
        shop.open(gateway.origin)
        sizes = {name: size(gateway.origin, name) for name in SCRIPTS + ["engine.mjs", "engine.wasm"]}
        print("compressed: " + ", ".join("%s %d" % item for item in sizes.items()))
        print("scripts, frame and style: %d bytes of 24,000; engine.wasm: %d of 160,000" % (sum(sizes[n] for n in SCRIPTS), sizes["engine.wasm"]))
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
            test = Test(browser, gateway, shop, None)
            loads, keys = [], []
            for number in range(options.loads):
                page, *times = load(test, number, options.visited)
                loads.append(times)
                keys += type_in(page)
                page.context.close()
            browser.close()
        line("script to focusable field", [l[0] for l in loads], "100")
        line("script to first verdict", [l[1] for l in loads], "200")
        line("script to form ready", [l[2] for l in loads], "–")
        line("keystroke to change (%d)" % len(keys), keys, "4 at p95")
    finally:
        gateway.stop()


if __name__ == "__main__":
    main()
