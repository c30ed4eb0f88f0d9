"""Sessions that a page is given (docs/reference/access.md section 2): refused ones are reported, so that the page can renew."""
import json

from until import until

SETUP = """
window.isReady = false
window.asked = 0
const form = (window.form = Cloakroom.form('kinds', { session: async () => { asked++; return window.session } }))
form.on('ready', () => { window.isReady = true })
form.field('ssn', { label: 'SSN' }).mount('#a')
"""
ATTEMPT = """async () => { try { return (await form.aliases()).data.ssn.slice(0, 12) } catch (error) {
  return [error instanceof Cloakroom.CloakroomError, error.status, error.reason] } }"""


def api(test):
    return test.context().request


def give(test, **wishes):
    """A session, as a shop's backend makes it."""
    answer = api(test).post(
        test.gateway.origin + "/v1/sessions", headers={"Authorization": "Bearer dev-secret", "Content-Type": "application/json"},
        data=json.dumps({"form": "kinds", **wishes}))
    assert answer.status == 201, answer.text()
    return answer.json()["session"]


def start(test):
    page = test.open("/sessions", SETUP)
    until(page, "window.isReady")
    page.frame_locator("#a iframe").locator("input").focus()
    page.keyboard.type("219099999")
    until(page, "form.state.fields.ssn.isValid")
    return page


def attempt(page, session):
    page.evaluate("session => { window.session = session }", session)
    return page.evaluate(ATTEMPT)


def test_a_session_that_expires_while_one_types(test):
    page = start(test)
    session = give(test, ttl="1s")
    page.wait_for_timeout(2_100)
    assert attempt(page, session) == [True, 401, "expired"]
    # What was typed is still there, and the page has renewed its session.
    assert attempt(page, give(test)) == "tok_sandbox_"
    assert page.evaluate("asked") == 2


def test_sessions_that_are_refused(test):
    page = start(test)
    once = give(test, maxRequests=1)
    assert attempt(page, once) == "tok_sandbox_"
    assert attempt(page, once) == [True, 401, "usedUp"]
    assert attempt(page, give(test, operations=["validate"])) == [True, 401, "wrongOperation"]
    assert attempt(page, give(test, form="checkout")) == [True, 401, "wrongForm"]
    assert attempt(page, give(test, origin="https://elsewhere.example")) == [True, 401, "wrongOrigin"]
    assert attempt(page, once[:-6] + "AAAAAA")[:2] == [True, 401]
    # The page's origin, which the frame names, counts; not the frame's own.
    assert attempt(page, give(test, origin=test.shop.origin)) == "tok_sandbox_"
    assert attempt(page, give(test, origin=test.gateway.origin)) == [True, 401, "wrongOrigin"]


def test_a_session_that_is_ended(test):
    page = start(test)
    session = give(test)
    assert attempt(page, session) == "tok_sandbox_"
    ended = api(test).delete(test.gateway.origin + "/v1/sessions/current", headers={"Authorization": "Bearer " + session})
    assert ended.status == 204, ended.text()
    page.wait_for_timeout(1_000)
    assert attempt(page, session)[:2] == [True, 401]
    assert attempt(page, give(test)) == "tok_sandbox_"


KEYED = """async (key) => { try { await form.aliases({ idempotencyKey: key }); return 'done' } catch (error) {
  return error.reason ?? error.type } }"""


def test_a_key_keeps_its_session(test):
    """The gateway takes a key in another session for another request: what may have been done would be done once more."""
    page = start(test)
    sent = []

    def lose(route):
        sent.append(route.request.headers["authorization"])
        response = route.fetch()
        if len(sent) == 1:
            route.abort("connectionreset")
        else:
            replayed.append(response.headers.get("idempotency-replayed"))
            route.fulfill(response=response)

    def keyed(key, session):
        page.evaluate("session => { window.session = session }", session)
        return page.evaluate(KEYED, key)

    replayed = []
    page.context.route("**/aliases", lose)
    first = give(test, ttl="3s")
    assert keyed("payment-1", first) == "network"
    assert keyed("payment-1", give(test)) == "done"
    assert sent == ["Bearer " + first] * 2 and replayed == ["true"], (sent, replayed)
    # Another key has the session that the function gives now.
    second = give(test)
    assert keyed("payment-2", second) == "done" and sent[-1] == "Bearer " + second
    # Where nothing was done, the next call asks again.
    assert keyed("payment-3", give(test, operations=["validate"])) == "wrongOperation"
    assert keyed("payment-3", second) == "done" and sent[-1] == "Bearer " + second
    # A session that has ended stays refused under a key that may have been carried out.
    page.wait_for_timeout(3_100)
    assert keyed("payment-1", second) == "expired" and keyed("payment-1", second) == "expired"
    assert sent[-1] == "Bearer " + first
