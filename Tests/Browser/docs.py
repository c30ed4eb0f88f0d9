"""The page that describes the calls: readable, searchable, a form to try each call, and nothing from elsewhere."""

import os

from axe_playwright_python.sync_playwright import Axe

from shop import FORMS, ROOT, Gateway
from until import until


def open_docs(test, place="", gateway=None, **options):
    page = test.context(**options).new_page()
    page.on("console", lambda message: test.console.append(message.text))
    page.on("pageerror", lambda error: test.console.append("pageerror: %s" % error))
    page.on("request", lambda request: test.requests.append(request))
    page.goto((gateway or test.gateway).origin + "/docs" + place)
    until(page, "document.querySelectorAll('main section').length > 20")
    return page


def visible(page):
    return page.eval_on_selector_all("main section", "all => all.filter(one => !one.hidden).map(one => one.id)")


def test_docs_show_every_call_and_page(test):
    page = open_docs(test)
    api = page.evaluate("fetch('/openapi.json').then((response) => response.json())")
    calls = [(method.upper(), path) for path, item in api["paths"].items()
             for method in ("get", "post", "put", "patch", "delete") if method in item]
    shown = page.eval_on_selector_all("main section[id^=call-] h2", "all => all.map(one => one.textContent)")
    assert sorted(shown) == sorted("%s %s" % call for call in calls), set(shown) ^ {"%s %s" % call for call in calls}
    guides = {name[:-3] for name in os.listdir(ROOT + "/docs") if name.endswith(".md")}
    # The calls are made from the OpenAPI document of this gateway, the list of pages is the page's own.
    references = {name[:-3] for name in os.listdir(ROOT + "/docs/reference")} - {"README", "calls"}
    for id in guides | {"reference-" + name for name in references}:
        assert page.locator("[id='%s']" % id).count() == 1, id
    ids = page.eval_on_selector_all("[id]", "all => all.map(one => one.id)")
    assert len(ids) == len(set(ids)), [id for id in ids if ids.count(id) > 1]
    targets = page.eval_on_selector_all("nav a", "all => all.map(one => one.getAttribute('href').slice(1))")
    assert set(targets) <= set(ids), set(targets) - set(ids)
    links = page.eval_on_selector_all("main a", "all => all.map(one => one.getAttribute('href'))")
    broken = [link for link in links if not link.startswith("https://") and link[1:] not in ids]
    assert links and not broken, broken
    assert all(request.url.startswith(test.gateway.origin) for request in test.requests), [r.url for r in test.requests]
    assert not test.console, test.console


def test_docs_search(test):
    page = open_docs(test)
    everything = len(visible(page))
    page.fill("#search", "answerWithheld")
    until(page, "document.querySelector('#found').textContent !== ''")
    found = visible(page)
    assert 0 < len(found) < everything and any(id.startswith("reference-proxy") for id in found), found
    page.fill("#search", "xyzzy")
    assert visible(page) == []
    page.fill("#search", "")
    assert len(visible(page)) == everything


def test_docs_try_a_call(test):
    page = open_docs(test, "#call-post-v1-forms-checkout-validate")
    section = page.locator("#call-post-v1-forms-checkout-validate")
    section.locator(".trial summary").click()
    section.locator("textarea").fill('{"fields":{"card_number":"4111 1111 1111 1111"}}')
    section.locator("button").click()
    until(page, "document.querySelector('#call-post-v1-forms-checkout-validate .trial pre').textContent.includes('\"cardBrand\"')")
    shown = section.locator(".trial pre").inner_text()
    assert shown.startswith("curl -X POST '%s/v1/forms/checkout/validate'" % test.gateway.origin) and "\n200 " in shown, shown
    section = page.locator("#call-get-aliases-alias")
    section.locator(".trial summary").click()
    section.locator("label", has_text="alias (path)").locator("input").fill("tok/../x")
    section.locator("input[type=password]").fill("dev-secret-of-nobody")
    section.locator("button").click()
    until(page, "document.querySelector('#call-get-aliases-alias .trial pre').textContent.includes('\\n401 ')")
    shown = section.locator(".trial pre").inner_text()
    assert "dev-secret-of-nobody" not in shown and "$SECRET" in shown, shown


def test_docs_try_a_call_that_browsers_cannot_make(test):
    """GET with a body, which `fetch` refuses."""
    page = open_docs(test, "#call-get-v1-forms-checkout-send-path")
    section = page.locator("#call-get-v1-forms-checkout-send-path")
    section.locator(".trial summary").click()
    section.locator("label", has_text="path (path)").locator("input").fill("orders")
    section.locator("textarea").fill('{"fields":{}}')
    section.locator("button").click()
    shown = section.locator(".trial pre")
    shown.get_by_text("Browsers send no body with GET").wait_for()
    line = "curl -X GET '%s/v1/forms/checkout/send/orders' -H 'Content-Type: application/json' -d '{\"fields\":{}}'\n" % test.gateway.origin
    assert shown.inner_text().startswith(line), shown.inner_text()
    # Without one it is a call like any other.
    section.locator("textarea").fill("")
    section.locator("button").click()
    until(page, "/^HTTP|\\n[245]\\d\\d /.test(document.querySelector('#call-get-v1-forms-checkout-send-path .trial pre').textContent)")
    assert shown.inner_text().startswith("curl '%s/v1/forms/checkout/send/orders'\n" % test.gateway.origin), shown.inner_text()


def test_docs_show_bodies_as_they_are_sent(test):
    page = open_docs(test, "#call-post-oauth-token")
    section = page.locator("#call-post-oauth-token")
    section.locator(".trial summary").click()
    body = section.locator("textarea").input_value()
    assert body.startswith("grant_type=client_credentials&client_id="), body
    assert section.locator("summary", has_text="Example").count() == 1


# Axe takes as long for the contrasts of a long page as for all other rules: in every tenth section is what the others have.
TENTH = "document.querySelectorAll('main section').forEach((one, index) => { one.hidden = index % 10 > 0 })"


# Of what passes only the number of rules is looked at: a selector for each of its elements takes longer than the rules.
VIOLATIONS = {"resultTypes": ["violations"]}


def check(test, part=None, options=VIOLATIONS, **context):
    # A call is described alike for every form.
    gateway = Gateway(test.binary, test.shop, forms={name: FORMS[name] for name in ("checkout.yaml", "papers.yaml")})
    try:
        page = open_docs(test, gateway=gateway, bypass_csp=True, **context)
        page.locator(".trial summary").first.click()
        if part:
            page.evaluate(part)
        response = Axe().run(page, options=options).response
    finally:
        gateway.stop()
    assert response["passes"], "no rule was tried"
    found = [(v["id"], [n["html"][:120] for n in v["nodes"]][:3]) for v in response["violations"]]
    assert not found, found


def test_docs_axe(test):
    check(test, options=VIOLATIONS | {"rules": {"color-contrast": {"enabled": False}}})


def test_docs_axe_light(test):
    check(test, TENTH)


def test_docs_axe_dark(test):
    check(test, TENTH, color_scheme="dark")


def test_docs_on_a_small_screen(test):
    page = open_docs(test, viewport={"width": 320, "height": 640})
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 320, wide
