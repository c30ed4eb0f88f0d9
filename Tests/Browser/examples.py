"""examples/session.ts in a browser: `fetch` in a page of the gateway, and in a page of a shop, which is of another origin. And the pages
that the documents show."""
import contextlib
import functools
import os
import re
import subprocess
import tempfile

from sessions import give
from shop import ROOT, Gateway
from until import until_equal


@functools.cache
def example():
    """The example as a script that returns what it exports."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["tsc", "--strict", "--target", "es2022", "--module", "commonjs", "--lib", "es2022,dom", "--outDir", folder,
                        ROOT + "/examples/session.ts"], check=True)
        with open(os.path.join(folder, "session.js"), encoding="utf-8") as file:
            return "(() => { const exports = {};\n%s\nreturn exports })()" % file.read()


def test_the_example_in_a_page_of_the_gateway(test):
    page = test.context().new_page()
    page.goto(test.gateway.origin + "/docs")
    assert page.evaluate("%s.session(location.origin)" % example()) == "done"


def open_shop(test, session):
    """A page whose policy allows it to fetch from the gateway, with the example's client and a session."""
    origin = test.gateway.origin
    script = "window.client = new (%s).Cloakroom('%s', 'Bearer %s')" % (example(), origin, session)
    url = test.shop.page("/fetch", script, "", origin)
    test.shop.policies["/fetch"] += "; connect-src " + origin
    page = test.context().new_page()
    page.goto(url)
    return page


def test_the_example_in_a_page_of_a_shop(test):
    page = open_shop(test, give(test))
    assert page.evaluate("client.validate('kinds', { ssn: '219-09-9999' }).then((state) => state.fields.ssn.last4)") == "9999"
    # A repetition with the same key gets the first response again.
    alias = "client.aliases('kinds', { ssn: '219-09-9999' }, 'one key').then(({ data }) => data.ssn)"
    made = [page.evaluate(alias), page.evaluate(alias)]
    assert made[0].startswith("tok_sandbox_") and made[0] == made[1], made
    sent = page.evaluate("client.send('kinds', 'orders', { ssn: '219-09-9999' }, { order: 17 })")
    assert sent["ssn"] == made[0] and sent["order"] == 17, sent
    refused = page.evaluate("client.aliases('kinds', { ssn: '219-09-99999' }).catch(({ problem }) => [problem.status, problem.error.type, problem.detail])")
    assert refused[:2] == [422, "inputDataIsNotValid"] and refused[2] == "1 field is not valid: ssn", refused
    # Vault calls are for servers: no page of another origin may read their responses.
    assert page.evaluate("client.reveal(%r).catch((error) => error.name)" % made[0]) == "TypeError"


def test_the_example_in_a_page_that_the_form_does_not_allow(test):
    page = open_shop(test, give(test, form="elsewhere"))
    assert page.evaluate("client.validate('elsewhere', { note: 'x' }).catch((error) => error.name)") == "TypeError"


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


@contextlib.contextmanager
def documented(test, document, number):
    """A page as a document shows it, with the form `checkout` as it is delivered."""
    gateway = Gateway(test.binary, test.shop, forms={"checkout.yaml": read("config/forms/checkout.yaml")})
    test.gateway, before = gateway, test.gateway
    try:
        example = re.findall(r"```html\n(.*?)```", read(document), re.S)[number]
        # Hashes change with each build.
        example = re.sub(' integrity="[^"]*"', "", re.sub("https://cards.shop.example|http://127.0.0.1:8080", gateway.origin, example))
        path = "/documented"
        test.shop.policies[path] = "default-src 'self' 'unsafe-inline' " + gateway.origin
        test.shop.pages[path] = ('<!doctype html><html lang="en"><title>Shop</title>' + example, "text/html")
        test.shop.pages["/session"] = (give(test, form="checkout", origin=test.shop.origin), "text/plain")
        test.shop.posted.clear()
        page = test.context().new_page()
        page.on("pageerror", lambda error: test.console.append("pageerror: %s" % error))
        page.goto(test.shop.origin + path)
        yield page
    finally:
        test.gateway = before
        gateway.stop()


def test_the_elements_of_the_documents(test):
    for document in ("docs/browser.md", "README.md"):
        with documented(test, document, 0) as page:
            card = page.frame_locator("cloakroom-card iframe").locator(".number input")
            card.focus()
            page.keyboard.type("4111111111111111" + "1231" + "123")
            page.frame_locator("cloakroom-field iframe").locator("input").focus()
            page.keyboard.type("Joe Business")
            page.click("button")
            until_equal(lambda: page.wait_for_timeout(10) or len(test.shop.posted), 1)
            assert re.search(r"card_number=411111\d{6}1111&.*cvc=tok_", test.shop.posted[0]), (document, test.shop.posted)


def test_the_scripts_of_the_documents(test):
    for document, number in (("docs/browser.md", 1), ("docs/reference/browser.md", 0)):
        with documented(test, document, number) as page:
            for place, text in (("#number", "4111111111111111"), ("#expiry", "1231"), ("#code", "123"), ("#holder", "Joe Business")):
                page.frame_locator(place + " iframe").locator("input").focus()
                page.keyboard.type(text)
            # It is disabled until the form is valid.
            with page.expect_response("**/v1/forms/checkout/aliases") as response:
                page.click("button")
            assert response.value.ok, (document, response.value.text())
        assert not test.console, test.console


def test_an_impatient_customer_pays_once(test):
    with documented(test, "docs/browser.md", 1) as page:
        for place, text in (("#number", "4111111111111111"), ("#expiry", "1231"), ("#code", "123"), ("#holder", "Joe Business")):
            page.frame_locator(place + " iframe").locator("input").focus()
            page.keyboard.type(text)
        page.dblclick("button")
        until_equal(lambda: page.wait_for_timeout(10) or page.url, test.shop.origin + "/thanks")
        assert len(test.shop.posted) == 1 and "4111111111111111" not in test.shop.posted[0], test.shop.posted
