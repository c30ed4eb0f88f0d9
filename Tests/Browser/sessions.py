"""Sessions that a page is given (docs/reference/access.md section 2): refused ones are reported, so that the page can renew."""
import json

from repeats import Link
from until import until, until_equal
from waiting import leave_and_come_back

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


def start(test, gateway=None):
    page = test.open("/sessions", SETUP, gateway=gateway)
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


OUTCOME = """async ([session, key]) => { window.session = session
  try { await form.aliases({ idempotencyKey: key }); return 'done' } catch (error) {
    return error.reason ?? error.type ?? error.message } }"""
ODD = "<html>\n<h1>502 Bad Gateway</h1>\n</html>"
HANG = "() => { asked++; return window.session ?? new Promise((resolve, reject) => { window.reject = reject }) }"
SOONER = "const real = setTimeout\nwindow.setTimeout = (act, time) => real(act, time === 70000 ? 500 : time)\n"


def start_with(test, path, function, before=""):
    page = test.open(path, before + SETUP.replace("async () => { asked++; return window.session }", function))
    until(page, "window.isReady")
    type_number(page)
    return page


def type_number(page):
    until(page, "form.state.fields.ssn?.isEmpty")
    page.frame_locator("#a iframe").locator("input").focus()
    page.keyboard.type("219099999")
    until(page, "form.state.fields.ssn.isValid")


def test_a_key_whose_call_got_no_session(test):
    """It has none: nothing was given to the gateway, and the next call under it asks for one."""
    usual = "async () => { asked++; if (session === 'undefined') throw undefined; return session }"
    for number, (function, given, wanted) in enumerate((
            (usual, ODD, "Cloakroom: aliases cannot be made with this session"), (usual, "undefined", "network"), (usual, "", "invalidAccessToken"),
            (HANG, None, "timeout"))):
        page = start_with(test, "/got-none-%d" % number, function, SOONER if given is None else "")
        outcome = page.evaluate(OUTCOME, [given, "payment"])
        assert outcome == wanted, (given, outcome)
        assert page.evaluate(OUTCOME, [give(test), "payment"]) == "done" and page.evaluate("asked") == 2, given
        if given is None:
            page.evaluate("reject(new Error('connection timed out'))")
        # The key has its session by now.
        assert page.evaluate(OUTCOME, [give(test), "payment"]) == "done" and page.evaluate("asked") == 2, given


def test_a_page_that_is_left_while_a_key_gets_its_session(test):
    page = start_with(test, "/left-with-key", HANG)
    page.evaluate("() => { form.aliases({ idempotencyKey: 'payment' }).catch(({ type }) => { window.outcome = type }) }")
    until(page, "window.reject")
    leave_and_come_back(page)
    until(page, "window.outcome === 'timeout'")
    page.evaluate("reject(new TypeError('Failed to fetch'))")
    type_number(page)
    assert page.evaluate(OUTCOME, [give(test), "payment"]) == "done" and page.evaluate("asked") == 2


def test_a_mistaken_key_is_no_key(test):
    """Nothing comes of it for the calls that have none, or for the key of the same text."""
    page = start(test)
    session = give(test)
    assert page.evaluate("session => { window.session = session; return form.aliases({ idempotencyKey: 5 }).catch(({ name }) => name) }", session) == "TypeError"
    page.evaluate("session => { window.session = session }", give(test, operations=["validate"]))
    for call in range(5):
        assert page.evaluate(ATTEMPT) == [True, 401, "wrongOperation"], call
    assert page.evaluate(OUTCOME, [give(test), "5"]) == "done"


def posts_of(page, calls="aliases"):
    """The sessions of calls, and which of these got a kept response."""
    sent = []

    def note(route):
        call = [route.request.headers["authorization"].removeprefix("Bearer "), None]
        sent.append(call)
        response = route.fetch()
        call[1] = response.headers.get("idempotency-replayed") == "true"
        route.fulfill(response=response)

    page.context.route("**/" + calls, note)
    return sent


def test_a_key_in_a_form_that_is_made_again(test):
    """As of a page whose parts come and go: what was done is not done once more."""
    page = start(test)
    sent = posts_of(page)
    first = give(test)
    assert page.evaluate(OUTCOME, [first, "payment"]) == "done"
    for _ in range(2):
        page.evaluate("form.destroy(); isReady = false; document.querySelector('#a').replaceChildren()")
        page.evaluate("""() => { window.form = Cloakroom.form('kinds', { session: async () => { asked++; return window.session } })
          window.form.on('ready', () => { window.isReady = true })
          window.form.field('ssn', { label: 'SSN' }).mount('#a') }""")
        until(page, "window.isReady")
        page.frame_locator("#a iframe").locator("input").focus()
        page.keyboard.type("219099999")
        until(page, "window.form.state.fields.ssn.isValid")
        assert page.evaluate(OUTCOME.replace("form.", "window.form."), [give(test), "payment"]) == "done"
    assert sent == [[first, False], [first, True], [first, True]] and page.evaluate("asked") == 1, sent
    # Another form has keys of its own.
    outcome = page.evaluate("""async (session) => {
      const other = Cloakroom.form('checkout', { session: () => { window.other = true; return session } })
      return other.tokens({ idempotencyKey: 'payment' }).then(() => 'done', ({ type }) => type) }""", give(test, form="checkout"))
    assert page.evaluate("other") and outcome != "idempotencyKeyReused", outcome


def test_a_key_among_the_headers(test):
    """It is the key of a send as the option is, without the blanks around it."""
    page = start(test)
    sent = posts_of(page, "send/**")
    first = give(test)
    for session, options in ((first, "{ headers: { 'idempotency-key': 'payment' } }"), (give(test), "{ headers: { 'Idempotency-Key': 'payment' } }"),
                             (give(test), "{ idempotencyKey: 'payment', headers: { 'Idempotency-Key': 'other' } }"),
                             (give(test), "{ idempotencyKey: ' payment\\t' }"), (give(test), "{ headers: { 'Idempotency-Key': 'payment ' } }")):
        page.evaluate("session => { window.session = session }", session)
        assert page.evaluate("form.send('/x', %s).then(({ status }) => status)" % options) == 200, options
    assert sent == [[first, False]] + [[first, True]] * 4, sent


def test_a_key_in_a_page_that_loads_the_script_again(test):
    """As a part of a page does that is replaced, or one with a module beside the script."""
    page = start(test)
    test.shop.policies["/sessions"] = "default-src * 'unsafe-inline'"
    page.reload()
    until(page, "window.isReady")
    type_number(page)
    sent = posts_of(page)
    first = give(test)
    assert page.evaluate(OUTCOME, [first, "payment"]) == "done"
    page.evaluate("window.used = Cloakroom")
    for file, kind in (("cloakroom.js", ""), ("cloakroom.mjs", "module")):
        page.evaluate("form.destroy(); isReady = false; document.querySelector('#a').replaceChildren()")
        if kind:
            page.add_script_tag(type=kind, content="import value from '%s/elements/v1/%s'\nObject.defineProperty(window, 'Cloakroom', { value })" % (
                test.gateway.origin, file))
        else:
            page.add_script_tag(url=test.gateway.origin + "/elements/v1/" + file)
        until(page, "Cloakroom !== window.used")
        page.evaluate("""() => {
          window.used = Cloakroom
          window.form = Cloakroom.form('kinds', { gateway: '%s', session: async () => { asked++; return window.session } })
          window.form.on('ready', () => { window.isReady = true })
          window.form.field('ssn', { label: 'SSN' }).mount('#a') }""" % test.gateway.origin)
        until(page, "window.isReady")
        page.frame_locator("#a iframe").locator("input").focus()
        page.keyboard.type("219099999")
        until(page, "window.form.state.fields.ssn.isValid")
        assert page.evaluate(OUTCOME.replace("form.", "window.form."), [give(test), "payment"]) == "done", file
    assert sent == [[first, False], [first, True], [first, True]] and page.evaluate("asked") == 1, sent


def test_a_call_that_the_browser_repeats_when_its_session_has_ended(test):
    """It was done, and the repetition is refused: the key keeps its session, as it would be done once more in another."""
    link = Link(test.gateway)
    page = start(test, link)
    send = "(session) => { window.session = session; return form.send('/x', { idempotencyKey: 'payment' }).then(({ status }) => status, ({ reason }) => reason) }"
    # The connection is one that was used before.
    assert page.evaluate("(session) => { window.session = session; return form.send('/x').then(({ status }) => status) }", give(test)) == 200
    link.cuts, link.pause = 1, 3
    link.keys.clear()
    assert page.evaluate(send, give(test, ttl="2s")) == "expired" and link.keys == ["payment"] * 2, link.keys
    assert page.evaluate(send, give(test)) == "expired" and page.evaluate("asked") == 2


def test_a_key_whose_calls_have_no_session(test):
    """The refusal of one shows that none of them was done."""
    page = start(test)
    page.context.route("**/aliases", lambda route: route.abort("connectionreset"))
    assert page.evaluate(OUTCOME, [None, "payment"]) == "network"
    page.context.unroute("**/aliases")
    assert page.evaluate(OUTCOME, [give(test), "payment"]) == "invalidAccessToken" and page.evaluate("asked") == 1
    assert page.evaluate(OUTCOME, [give(test), "payment"]) == "done" and page.evaluate("asked") == 2


def test_a_key_of_a_public_form(test):
    """It needs no session, and asks for none when it is repeated."""
    page = test.open("/public-key", "")
    outcomes = page.evaluate("""async () => {
      let asked = 0
      const form = Cloakroom.form('checkout', { session: () => { if (asked++) throw new Error('signed out') } })
      const outcome = () => form.aliases({ idempotencyKey: 'payment' }).then(() => 'done', ({ type, status }) => type + status)
      return [await outcome(), await outcome(), asked] }""")
    assert outcomes[0] == outcomes[1] and outcomes[2] == 1 and "network" not in outcomes[0], outcomes


def test_two_first_calls_of_a_key(test):
    """They have one session, whichever gets it first."""
    page = start_with(test, "/two-first", "() => new Promise((resolve) => { (window.gives ??= []).push(resolve) })")
    sent = posts_of(page)
    page.evaluate("""() => { window.outcomes = []
      for (const call of [0, 1]) form.aliases({ idempotencyKey: 'payment' }).then(() => outcomes.push('done'), ({ type }) => outcomes.push(type)) }""")
    until(page, "window.gives?.length === 2")
    late, soon = give(test), give(test)
    page.evaluate("session => gives[1](session)", soon)
    until_equal(lambda: page.wait_for_timeout(10) or len(sent), 1)
    page.evaluate("session => gives[0](session)", late)
    until(page, "outcomes.length === 2")
    assert [session for session, _ in sent] == [soon, soon] and "done" in page.evaluate("outcomes"), (sent, page.evaluate("outcomes"))


def test_a_key_of_which_one_call_is_refused_and_another_may_have_been_done(test):
    """The session has ended between them, so the first is refused; but the key keeps it."""
    page = start(test)
    held = []
    page.context.route("**/aliases", lambda route: held.append(route))
    first = give(test, ttl="2s")
    page.evaluate("session => { window.session = session }", first)
    page.evaluate("""() => { window.outcomes = []
      for (const call of [0, 1]) form.aliases({ idempotencyKey: 'payment' }).then(() => outcomes.push('done'), ({ reason, type }) => outcomes.push(reason ?? type)) }""")
    until_equal(lambda: page.wait_for_timeout(10) or len(held), 2)
    # One is carried out, and its response is lost.
    assert held[1].fetch().status == 201
    held[1].abort("connectionreset")
    until(page, "outcomes.join() === 'network'")
    page.wait_for_timeout(2_500)
    held[0].continue_()
    until(page, "outcomes.join() === 'network,expired'")
    page.context.unroute("**/aliases")
    sent = posts_of(page)
    assert page.evaluate(OUTCOME, [give(test), "payment"]) == "expired" and sent == [[first, False]], sent


def test_a_refusal_of_something_between(test):
    """As of a network that wants its user to log in: it is not the gateway that says that nothing was done."""
    page = start(test)
    first = give(test)
    page.context.route("**/aliases", lambda route: route.fulfill(status=401, body="Log in", headers={"access-control-allow-origin": "*"}))
    assert page.evaluate(OUTCOME, [first, "payment"]) == "unexpectedResponse"
    page.context.unroute("**/aliases")
    sent = posts_of(page)
    assert page.evaluate(OUTCOME, [give(test), "payment"]) == "done" and sent == [[first, False]], sent
