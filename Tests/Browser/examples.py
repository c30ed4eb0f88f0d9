"""examples/session.ts in a browser: `fetch` in a page of the gateway, and in a page of a shop, which is of another origin."""
import functools
import os
import subprocess
import tempfile

from sessions import give
from shop import ROOT


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
