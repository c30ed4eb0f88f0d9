#!/usr/bin/env python3
"""Takes the pictures of docs/pictures in a real browser.

usage: pictures.py --binary FILE
"""
import argparse

from playwright.sync_api import sync_playwright

import demo
import docs
from browser import Test
from shop import ROOT, Gateway, Shop

parser = argparse.ArgumentParser()
parser.add_argument("--binary", default=ROOT + "/.build/release/cloakroom")
options = parser.parse_args()
shop = Shop()
gateway = Gateway(options.binary, shop)
try:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        test = Test(browser, gateway, shop, None)
        page = demo.open_demo(test, viewport={"width": 1180, "height": 760})
        demo.pay(page)
        page.screenshot(path=ROOT + "/docs/pictures/demo.png")
        page = docs.open_docs(test, "#call-post-v1-forms-checkout-aliases", viewport={"width": 1180, "height": 760})
        page.screenshot(path=ROOT + "/docs/pictures/docs.png")
        browser.close()
finally:
    gateway.stop()
