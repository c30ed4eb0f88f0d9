"""The rules alone, in a page and in a worker of another origin (docs/reference/browser.md section 5)."""
import json

from until import until

WORK = """
import { load } from '%(gateway)s/elements/v1/engine.mjs'
const description = await (await fetch('%(gateway)s/v1/forms/kinds')).json()
const submission = { fields: { number: '4111 1111 1111 1111', code3: '12', expiry: '' } }
const engine = await load()
const bytes = await (await fetch('%(gateway)s/elements/v1/engine.wasm')).arrayBuffer()
const other = await load(bytes)
const options = { today: '2026-11-22' }
const texts = [engine, other].map((each) => JSON.stringify(each.evaluate(description, submission, options)))
const shape = engine.shape(description, 'number', '41111', 5)
%(end)s
"""


def test_the_engine_in_a_page_and_a_worker(test):
    origin = test.gateway.origin
    pages = test.shop.pages
    pages["/engine-worker.js"] = (WORK % {"gateway": origin, "end": "postMessage({ texts, shape })"}, "text/javascript")
    pages["/engine-page.js"] = (WORK % {"gateway": origin, "end": "window.inPage = { texts, shape }"} + """
const worker = new Worker('/engine-worker.js', { type: 'module' })
worker.onmessage = ({ data }) => { window.inWorker = data }
""", "text/javascript")
    pages["/engine"] = ('<!doctype html><html lang="en"><title>Engine</title><script type="module" src="/engine-page.js"></script>', "text/html")
    policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval' %s; connect-src %s" % (origin, origin)
    for path in ("/engine", "/engine-page.js", "/engine-worker.js"):
        test.shop.policies[path] = policy
    page = test.context().new_page()
    page.on("console", lambda message: test.console.append(message.text))
    page.on("pageerror", lambda error: test.console.append("pageerror: %s" % error))
    page.goto(test.shop.origin + "/engine")
    until(page, "window.inPage && window.inWorker")
    answer = page.context.request.post(
        origin + "/v1/forms/kinds/validate", headers={"Content-Type": "application/json"},
        data=json.dumps({"fields": {"number": "4111 1111 1111 1111", "code3": "12", "expiry": ""}})).text()
    for place in ("inPage", "inWorker"):
        found = page.evaluate(place)
        # Members and their order; the form has a field, not submitted, that only the gateway can judge.
        for text in found["texts"]:
            for name in ("number", "code3", "expiry"):
                assert json.dumps(json.loads(text)["fields"][name]) == json.dumps(json.loads(answer)["fields"][name]), (place, name, text, answer)
        assert found["shape"]["text"] == "4111 1" and found["shape"]["caret"] == 6, found["shape"]
