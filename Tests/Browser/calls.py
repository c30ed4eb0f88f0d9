"""Calls of a page: aliases, tokens, sends, failures, sessions."""

import json
import re

from shop import Gateway
from until import until, until_equal

FIELDS = """
window.isReady = false
const form = (window.form = Cloakroom.form('%s', %s))
form.on('ready', () => { window.isReady = true })
window.errors = []
form.on('error', (error) => errors.push({ ...error, name: error.name }))
form.field('card_number', { label: 'Card number' }).mount('#a')
form.field('exp_date', { label: 'Expiry' }).mount('#b')
form.field('cvc', { label: 'Code' }).mount('#c')
"""


TWICE = """
form: twice
route: echo
fields:
  - {name: doubled, isValidIfPresent: true, validationRules: [{rule: pattern, pattern: "(ab)\\\\1"}], tokenization: {}}
  - {name: free, validationRules: [{rule: pattern, pattern: "(ab)\\\\1"}]}
"""


DAY = """
form: day
route: echo
fields:
  - {name: birth, type: date, inputDateFormat: mmddyyyy, isRequiredValidOnly: true, serializers: [{date: {day: day, month: month, year: year}}]}
  - {name: note, isValidIfPresent: true, validationRules: [{rule: length, max: 8}]}
"""


def fill(page):
    until(page, "window.isReady")
    for place, text in (("#a", "4111111111111111"), ("#b", "1231"), ("#c", "123")):
        page.frame_locator(place + " iframe").locator("input").focus()
        page.keyboard.type(text)
    until(page, "form.state.isValid")


def attempt(page, call):
    return page.evaluate("async () => { try { return { value: await %s } } catch (e) { return { error: { ...e, name: e.name, "
                         "isError: e instanceof Cloakroom.CloakroomError } } } }" % call)


def test_aliases_and_sends(test):
    page = test.open("/calls", FIELDS % ("checkout", "{}"))
    fill(page)
    result = attempt(page, "form.aliases()")["value"]
    assert re.fullmatch(r"411111\d{6}1111", result["data"]["card_number"]), result
    assert result["data"]["card_number"] != "4111111111111111" and "cvc" in result["data"]
    assert attempt(page, "form.tokens()")["value"]["data"]["exp_date"]
    assert attempt(page, "form.validate()")["value"]["isValid"] is True
    sent = attempt(page, "form.send('/orders', {extraData: {amount: 5}, idempotencyKey: 'order-0001-abcdef'})")["value"]
    assert sent["status"] == 200 and sent["body"]["amount"] == 5 and sent["body"]["card_number"] == result["data"]["card_number"], sent
    away = attempt(page, "form.send('../../elsewhere/validate')")["error"]
    assert away["type"] == "malformedRequest", away
    page.evaluate("form.clear('cvc')")
    until(page, "form.state.fields.cvc.isEmpty")
    error = attempt(page, "form.aliases()")["error"]
    assert error["status"] == 422 and error["code"] == 1001 and error["type"] == "inputDataIsNotValid", error
    assert error["isError"] and error["requestId"] and error["fields"]["cvc"]["isEmpty"] is True
    frame = page.frame_locator("#c iframe")
    assert frame.locator(".error").inner_text() == "Please fill in this field"


def test_the_state_is_what_validate_returns(test):
    page = test.open("/same", FIELDS % ("checkout", "{}"))
    fill(page)
    same, other = page.evaluate("""async () => {
      const state = form.state
      for (const field of Object.values(state.fields)) delete field.isFocused
      return [JSON.stringify(state), JSON.stringify(await form.validate())]
    }""")
    assert same == other, (same, other)


def test_what_the_gateway_accepts_later(test):
    """What it alone found wrong with a text is so until it finds nothing wrong with the same text."""
    other = Gateway(test.binary, test.shop, forms={"twice.yaml": TWICE})
    try:
        for call in ("validate()", "tokens()"):
            page = test.open("/later-" + call[:-2], '''
window.form = Cloakroom.form('twice')
form.on('ready', () => { window.isReady = true })
form.field('doubled', { label: 'Doubled' }).mount('#a')
form.field('free', { label: 'Free' }).mount('#b')''', gateway=other)
            until(page, "window.isReady")
            for place in ("#a", "#b"):
                page.frame_locator(place + " iframe").locator("input").focus()
                page.keyboard.type("cdcd")
            until(page, "form.state.fields.free.inputLength === 4")
            found = attempt(page, "form.validate()")["value"]["fields"]
            assert found["doubled"]["validationErrors"] == found["free"]["validationErrors"] == ["PATTERN_VALIDATION_ERROR"], found
            until(page, "!form.state.fields.doubled.isValid && !form.state.isValid")
            error = page.frame_locator("#a iframe").locator(".error")
            until_equal(error.inner_text, "Please check this")
            other.change("twice", "(ab)", "(cd)")
            assert attempt(page, "form." + call)["value"]
            until(page, "form.state.fields.doubled.isValid")
            until_equal(error.inner_text, "")
            # Of a field that need not be valid, only its state says that it is.
            assert page.evaluate("form.state.fields.free.isValid") == (call == "validate()")
            other.change("twice", "(cd)", "(ab)")
    finally:
        other.stop()


def test_a_form_that_changes_while_its_page_is_open(test):
    """Nothing is sent of what was typed by other rules: what it meant may be something else by now."""
    other = Gateway(test.binary, test.shop, forms={"day.yaml": DAY})
    try:
        page = test.open("/changes", '''
window.form = Cloakroom.form('day')
form.on('ready', () => { window.isReady = true })
form.field('birth', { label: 'Birth' }).mount('#a')
form.field('note', { label: 'Note' }).mount('#b')''', gateway=other)
        until(page, "window.isReady")
        birth, note = (page.frame_locator(place + " iframe") for place in ("#a", "#b"))
        for frame, text in ((birth, "03041988"), (note, "abcd")):
            frame.locator("input").focus()
            page.keyboard.type(text)
        until(page, "form.state.isValid && form.state.fields.note.inputLength === 4")
        assert attempt(page, "form.send('/x')")["value"]["body"] == {"month": "03", "day": "04", "year": "1988", "note": "abcd"}
        # A date that is read in another way goes; what is asked for as before stays.
        other.change("day", "mmddyyyy", "ddmmyyyy")
        error = attempt(page, "form.send('/x')")["error"]
        assert error["status"] == 409 and error["type"] == "formChanged" and error["isError"], error
        until(page, "form.state.fields.birth.isEmpty && form.state.fields.note.inputLength === 4")
        until_equal(birth.locator(".error").inner_text, "Please fill in this field")
        assert birth.locator("input").input_value() == "" and note.locator("input").input_value() == "abcd"
        birth.locator("input").focus()
        page.keyboard.type("04031988")
        until(page, "form.state.isValid")
        assert attempt(page, "form.send('/x')")["value"]["body"] == {"month": "03", "day": "04", "year": "1988", "note": "abcd"}
        # A stricter rule shows in the field that it is for.
        other.change("day", "max: 8", "max: 3")
        assert attempt(page, "form.tokens()")["error"]["type"] == "formChanged"
        until(page, "!form.state.fields.note.isValid")
        until_equal(note.locator(".error").inner_text, "Please check this")
        assert note.locator("input").input_value() == "abcd" and birth.locator("input").input_value() == "04-03-1988"
    finally:
        other.stop()


def test_a_session_is_sent(test):
    script = FIELDS.replace("card_number", "number").replace("exp_date", "ssn").replace("cvc", "birth") % (
        "kinds", "{ session: async () => { window.asked = (window.asked ?? 0) + 1; return window.token } }")
    page = test.open("/session", script)
    until(page, "window.isReady")
    page.frame_locator("#b iframe").locator("input").focus()
    page.keyboard.type("219099999")
    until(page, "form.state.fields.ssn.isValid")
    page.evaluate("window.token = 'no-session'")
    refused = attempt(page, "form.aliases()")["error"]
    assert refused["status"] == 401 and refused["requestId"], refused
    # The development credential's secret, as text.
    page.evaluate("window.token = 'dev-secret'")
    result = attempt(page, "form.aliases()")["value"]
    assert result["data"]["ssn"].startswith("tok_sandbox_") and page.evaluate("asked") == 2, result
    sent = [r for r in test.requests if r.url.endswith("/v1/forms/kinds/aliases")]
    assert sent and all(r.headers.get("cloakroom-page-origin") == test.shop.origin for r in sent), sent[0].headers


def test_a_gateway_that_is_gone(test):
    page = test.open("/gone", FIELDS % ("checkout", "{}"))
    fill(page)
    page.context.route("**/v1/forms/checkout/aliases", lambda route: route.abort())
    error = attempt(page, "form.aliases()")["error"]
    assert error["type"] == "network" and "status" not in error or error.get("status") is None, error
    page.context.unroute("**/v1/forms/checkout/aliases")
    assert attempt(page, "form.aliases()")["value"]["data"]["cvc"]


def test_a_gateway_that_ends_and_comes_back(test):
    other = Gateway(test.binary, test.shop)
    try:
        page = test.open("/ends", FIELDS % ("checkout", "{}"), gateway=other)
        fill(page)
    finally:
        other.stop()
    error = attempt(page, "form.aliases()")["error"]
    assert error["type"] == "network" and error["isError"], error
    # What was typed is still there, and still judged.
    page.frame_locator("#c iframe").locator("input").focus()
    page.keyboard.press("Backspace")
    until(page, "!form.state.isValid && form.state.fields.card_number.isValid")
    # A page that finds no gateway says so.
    page.evaluate("""() => { window.late = []
      const form = Cloakroom.form('checkout')
      form.on('error', (error) => late.push(error.type))
      form.field('cvc', { label: 'Code' }).mount('#d') }""")
    until(page, "late.includes('blocked')")


def test_a_form_that_cannot_be_loaded_at_first(test):
    page = test.open("/late", "", head='<link rel="icon" href="data:,">')
    page.context.route("**/v1/forms/checkout", lambda route: route.abort())
    page.evaluate("""() => { window.isReady = false; window.errors = []
      const form = (window.form = Cloakroom.form('checkout'))
      form.on('error', (error) => errors.push(error.type))
      form.on('ready', () => { window.isReady = true })
      form.field('cvc', { label: 'Code' }).mount('#a') }""")
    until(page, "errors.join() === 'network'")
    page.context.unroute("**/v1/forms/checkout")
    until(page, "window.isReady")


def test_a_form_that_cannot_be_used(test):
    """A response that describes no form, and a browser without WebAssembly."""
    script = """window.isReady = false; window.errors = []
      const form = (window.form = Cloakroom.form('checkout'))
      form.on('error', (error) => errors.push(error.type))
      form.on('ready', () => { window.isReady = true })
      form.field('cvc', { label: 'Code' }).mount('#a')"""
    page = test.open("/odd", "", head='<link rel="icon" href="data:,">')
    page.context.route("**/v1/forms/checkout", lambda route: route.fulfill(json={}))
    page.evaluate("() => { %s }" % script)
    until(page, "errors.join() === 'network'")
    page.context.unroute("**/v1/forms/checkout")
    until(page, "window.isReady")
    page = test.open("/old", "", head='<link rel="icon" href="data:,">')
    page.context.add_init_script("delete globalThis.WebAssembly")
    page.evaluate("() => { %s }" % script)
    until(page, "errors.join() === 'network'")


def hold(page, pattern):
    """Holds requests back, so that a call is under way for as long as a test needs."""
    held = []
    page.context.route(pattern, lambda route: held.append(route))
    return held


def test_a_field_that_does_not_load_stops_no_call(test):
    page = test.open("/one-blocked", FIELDS % ("checkout", "{}"))
    fill(page)
    held = hold(page, "**/send/**")
    page.context.route("**/frame.html?form=checkout", lambda route: route.abort())
    page.evaluate("""() => { window.outcome = ''
      form.send('/orders').then(({ status }) => { outcome = status }, ({ type }) => { outcome = type })
      form.field('card_holder', { label: 'Name' }).mount('#d') }""")
    until(page, "errors.length === 1")
    assert page.evaluate("[errors[0].type, errors[0].title]") == ["blocked", "The frame of Name did not load"], page.evaluate("errors")
    assert page.evaluate("outcome") == "" and attempt(page, "form.validate()")["value"]["isValid"]
    held[0].continue_()
    until(page, "outcome === 200")


def test_a_field_that_is_removed_before_it_loads(test):
    page = test.open("/removed-early", FIELDS % ("checkout", "{}"))
    until(page, "isReady")
    hold(page, "**/frame.html?form=checkout")
    page.evaluate("""() => {
      // The limit of a frame's load, sooner.
      const real = setTimeout
      window.setTimeout = (act, time) => real(act, time === 15000 ? 100 : time)
      const unmounted = form.field('card_holder', { label: 'Name' }).mount('#d')
      unmounted.unmount()
      form.field('card_holder', { label: 'Name' }).mount('#d')
      document.querySelector('#d').replaceChildren() }""")
    page.wait_for_timeout(400)
    assert page.evaluate("errors.length") == 0, page.evaluate("errors")
    page.evaluate("form.field('card_holder', { label: 'Name' }).mount('#d')")
    until(page, "errors.length === 1 && errors[0].type === 'blocked'")


def test_a_controller_that_the_page_takes_away(test):
    for number, change in enumerate(("document.querySelector('body > iframe').remove()",
                                     "document.querySelector('main').append(document.querySelector('body > iframe'))")):
        page = test.open("/taken-%d" % number, FIELDS % ("checkout", "{}"))
        fill(page)
        held = hold(page, "**/checkout/aliases")
        page.evaluate("() => { window.outcome = ''; form.aliases().then(() => { outcome = 'done' }, ({ type }) => { outcome = type }) }")
        until_equal(lambda: page.wait_for_timeout(10) or len(held), 1)
        # As by a page that replaces what is in its body.
        page.evaluate("() => { %s }" % change)
        # The gateway may have carried it out.
        until(page, "outcome")
        assert page.evaluate("outcome") == "timeout", (number, page.evaluate("outcome"))
        page.context.unroute("**/checkout/aliases")
        # The fields and what is typed in them stay.
        page.frame_locator("#c iframe").locator("input").focus()
        page.keyboard.press("Backspace")
        until(page, "form.state.fields.cvc.inputLength === 2 && form.state.fields.card_number.isValid")
        page.keyboard.type("4")
        until(page, "form.state.isValid")
        assert attempt(page, "form.aliases()")["value"]["data"]["cvc"]
        assert page.evaluate("errors.length") == 0 and page.locator("iframe").count() == 4
    # A page without a field keeps no frame.
    page.evaluate("document.body.replaceChildren()")
    page.wait_for_timeout(300)
    assert page.locator("iframe").count() == 0
    assert attempt(page, "form.validate()")["value"]["isValid"] is False


def test_a_form_that_is_destroyed(test):
    page = test.open("/destroyed", FIELDS % ("checkout", "{}"))
    fill(page)
    hold(page, "**/checkout/aliases")
    page.evaluate("() => { window.field = form.field('card_holder', { label: 'Name' })\n"
                  "form.aliases().catch(({ type }) => { window.outcome = type }) }")
    page.wait_for_timeout(100)
    page.evaluate("form.destroy()")
    until(page, "window.outcome === 'timeout'")
    destroyed = "TypeError: Cloakroom: the form was destroyed"
    for call in ("validate()", "aliases()", "tokens()", "send('/x')"):
        assert page.evaluate("form.%s.catch(String)" % call) == destroyed, call
    assert page.evaluate("() => { try { field.mount('#d') } catch (error) { return String(error) } }") == destroyed
    # Of a call that waits for the form the gateway knows nothing.
    page = test.open("/destroyed-early", "window.form = Cloakroom.form('checkout')\nwindow.outcome = form.aliases().catch(String)\n"
                     "setTimeout(() => form.destroy())")
    assert page.evaluate("outcome") == destroyed


def test_a_call_waits_longer_than_a_route(test):
    """A send may take the 60 s of its route (docs/reference/configuration.md): the frame gives up after 65 s."""
    page = test.open("/patient", "", head='<link rel="icon" href="data:,">')
    # The clock of the test is none of this function's.
    page.context.add_init_script("""AbortSignal.timeout = (time) => {
      const controller = new AbortController()
      setTimeout(() => controller.abort(), time)
      return controller.signal }""")
    page.evaluate("() => { %s }" % FIELDS % ("checkout", "{}"))
    fill(page)
    page.context.clock.install()
    hold(page, "**/checkout/aliases")
    page.evaluate("() => { form.aliases().catch(({ type }) => { window.outcome = type }) }")
    page.wait_for_timeout(200)
    page.context.clock.fast_forward(61_000)
    page.wait_for_timeout(200)
    assert page.evaluate("window.outcome") is None
    page.context.clock.fast_forward(5_000)
    until(page, "window.outcome === 'timeout'")


def test_a_device_with_another_date(test):
    """The gateway's clock says what has expired, in the frame too."""
    page = test.open("/year", "", head='<link rel="icon" href="data:,">')
    for years in (40, -40):
        page.context.add_init_script("""{ const Real = Date, ahead = %d * 31_557_600_000
          globalThis.Date = class extends Real {
            constructor(...given) { given.length ? super(...given) : super(Real.now() + ahead) }
            static now() { return Real.now() + ahead } } }""" % years)
        page.evaluate("() => { window.form?.destroy(); %s }" % FIELDS % ("checkout", "{}"))
        fill(page)
        assert page.evaluate("form.validate()")["isValid"]


def test_ready_although_a_field_went(test):
    page = test.open("/went", "", head='<link rel="icon" href="data:,">')
    held = hold(page, "**/frame.html?form=checkout")
    page.evaluate("""() => { window.isReady = false
      const form = (window.form = Cloakroom.form('checkout'))
      form.on('ready', () => { window.isReady = true })
      window.field = form.field('cvc', { label: 'Code' }).mount('#a') }""")
    until(page, "Object.keys(form.state.fields).length > 0")
    assert held and not page.evaluate("isReady")
    page.evaluate("field.unmount()")
    until(page, "isReady")


def test_ready_although_the_page_took_a_field_away(test):
    for number, when in enumerate(("", "await new Promise((resolve) => setTimeout(resolve, 15))")):
        page = test.open("/taken-%d" % number, """
window.form = Cloakroom.form('kinds')
form.on('ready', () => { window.isReady = true });
(async () => {
  form.card().mount('#a')
  %s
  document.querySelector('#a').remove()
  form.field('note', { label: 'Note' }).mount('#b')
})()
""" % when)
        until(page, "window.isReady")
        # Nor is a field that is nowhere looked for.
        warnings = []
        page.on("console", lambda message: warnings.append(message.text))
        page.evaluate("form.focus('typo')")
        until_equal(lambda: page.wait_for_timeout(10) or warnings, ["Cloakroom: no field typo is mounted"])


def test_a_page_without_fields_has_no_state(test):
    page = test.open("/emptied", """
window.form = Cloakroom.form('kinds')
form.field('note', { label: 'Note' }).mount('#a')
""")
    page.frame_locator("#a iframe").locator("input").focus()
    page.keyboard.type("secret")
    until(page, "form.state.fields.note?.inputLength === 6")
    page.evaluate("() => { form.on('change', (state) => { window.last = state }); document.body.replaceChildren('Thanks') }")
    until(page, "JSON.stringify(window.last?.fields) === '{}'")
    assert page.evaluate("form.state") == {"form": "kinds", "isValid": False, "isComplete": False, "nextField": None, "fields": {}}


def test_the_focus_goes_with_its_field(test):
    for number, removal in enumerate(("field.unmount()", "document.querySelector('#d').replaceChildren()")):
        page = test.open("/focus-%d" % number, FIELDS % ("checkout", "{}") + """
window.blurred = []
form.on('blur', ({ name }) => blurred.push(name))
window.field = form.field('card_holder', { label: 'Name' }).mount('#d')""")
        until(page, "isReady")
        page.evaluate("form.focus('card_holder')")
        until(page, "form.state.fields.card_holder.isFocused")
        page.evaluate(removal)
        until(page, "!form.state.fields.card_holder.isFocused && blurred.join() === 'card_holder'")


def test_what_the_page_does_wrong(test):
    page = test.open("/wrong", FIELDS % ("checkout", "{ session: async () => { if (window.isDown) throw new Error('no'); return '' } }"))
    fill(page)
    for call in ("send()", "send('/x', {method: 'TRACE'})", "send('/x', {method: 'GET'})", "aliases({idempotencyKey: 'ключ'})", "tokens({idempotencyKey: ''})",
                 "send('/x', {headers: {'a b': 'c'}})", "send('/x', {extraData: []})",
                 "send('/x', {extraData: {a: 'x'.repeat(2000000)}})", "aliases({idempotencyKey: 7})"):
        outcome = page.evaluate("form.%s.then(() => 'done', (error) => error.name)" % call)
        assert outcome == "TypeError", (call, outcome)
    for wrong in ("Cloakroom.form('')", "Cloakroom.form('a b')", "form.field('cvc', {})", "form.on('nothing', () => {})",
                  "form.card().mount('#nowhere')"):
        outcome = page.evaluate("() => { try { %s; return 'done' } catch (error) { return error.name } }" % wrong)
        assert outcome == "TypeError", (wrong, outcome)
    page.evaluate("window.isDown = true")
    error = attempt(page, "form.aliases()")["error"]
    assert error["isError"] and error["type"] == "network", error
    page.evaluate("window.isDown = false")
    assert attempt(page, "form.aliases()")["value"]["data"]["cvc"]
    # What its server gives may be no session.
    page = test.open("/wrong-session", FIELDS % ("checkout", "{ session: () => '<!doctype html>\\n<p>Log in' }"))
    until(page, "isReady")
    error = page.evaluate("form.validate().catch(({ name, message }) => name + message)")
    assert error == "TypeErrorCloakroom: validate cannot be made with this session", error


def test_responses_of_something_between(test):
    """Such as a network that wants its user to log in."""
    page = test.open("/between", FIELDS % ("checkout", "{}"))
    fill(page)
    for call, kind, body in (("aliases()", "text/html", "<html>Log in"), ("aliases()", "application/json", '{"data":{'), ("tokens()", "application/json", "null"),
                             ("validate()", "application/json", "[]"), ("send('/x')", "text/html", "<html>Log in")):
        page.context.route("**/v1/forms/checkout/*", lambda route: route.fulfill(status=200, content_type=kind, body=body))
        page.context.route("**/v1/forms/checkout/send/*", lambda route: route.fulfill(status=200, content_type=kind, body=body))
        error = attempt(page, "form." + call).get("error")
        assert error and error["type"] == "unexpectedResponse" and error["status"] == 200 and error["isError"], (call, body, error)
        page.context.unroute("**/v1/forms/checkout/*")
        page.context.unroute("**/v1/forms/checkout/send/*")
    # An upstream sends what it wants.
    page.context.route("**/send/*", lambda route: route.fulfill(
        status=200, content_type="text/html", body="<p>Paid", headers={"Content-Type": "text/html", "Cloakroom-Upstream-Status": "200"}))
    assert attempt(page, "form.send('/x')")["value"]["body"] == "<p>Paid"


def test_unknown_form_and_field(test):
    page = test.open("/unknown", FIELDS.replace("window.isReady = false", "") % ("nothing", "{}"))
    until(page, "errors.some(error => error.status === 404)")
    page = test.open("/unknown-field", "window.errors = []; const form = Cloakroom.form('checkout'); "
                     "form.on('error', (error) => errors.push(error.type)); form.field('nope', { label: 'x' }).mount('#a')")
    until(page, "errors.length > 0")
    page.wait_for_timeout(200)
    assert page.evaluate("errors") == ["unknownField"], page.evaluate("errors")
    box = page.frame_locator("#a iframe").locator("input")
    box.focus()
    page.keyboard.type("1")
    until(page, "errors.includes('unknownField')")


def test_custom_elements(test):
    body = ('<cloakroom-form form="checkout" action="aliases"><form method="post" action="/paid">'
            '<cloakroom-card layout="inline"></cloakroom-card><cloakroom-field name="card_holder" label="Name"></cloakroom-field>'
            '<input type="hidden" name="order" value="17"><button id="pay" name="how" value="card">Pay</button></form></cloakroom-form>')
    script = """
const element = document.querySelector('cloakroom-form')
window.errors = []
element.addEventListener('cloakroom-error', ({ detail }) => errors.push([detail instanceof Cloakroom.CloakroomError, detail.status]))
element.session = () => { window.asked = (window.asked ?? 0) + 1; return '' }
"""
    # The elements may be ready before the script has come that follows them.
    test.shop.pages["/early.js"] = ("addEventListener('cloakroom-ready', () => { window.isReady = true }, true)", "text/javascript")
    page = test.open("/elements", script, body, head='<script src="/early.js"></script>')
    until(page, "window.isReady")
    # What is not complete does not go.
    page.click("#pay")
    until(page, "errors.length === 1")
    assert page.evaluate("errors[0]") == [True, 422] and page.evaluate("asked") == 1 and "/elements" in page.url
    page.frame_locator("cloakroom-card iframe").locator(".number input").focus()
    page.keyboard.type("4111111111111111" + "1231" + "123")
    until(page, "document.querySelector('cloakroom-form').form.state.fields.cvc?.isComplete")
    test.shop.posted.clear()
    with page.expect_navigation():
        page.click("#pay")
    assert len(test.shop.posted) == 1 and "order=17" in test.shop.posted[0] and "how=card" in test.shop.posted[0], test.shop.posted
    assert re.search(r"card_number=411111\d{6}1111", test.shop.posted[0]) and "4111111111111111" not in test.shop.posted[0]


def test_buttons_of_custom_elements(test):
    """Each says where its form goes; a page that stays, as here under a new tab, has more than one pressed."""
    body = ('<cloakroom-form form="checkout" action="aliases"><form method="post" action="/paid" target="new">'
            '<cloakroom-card layout="stacked"></cloakroom-card><button id="one" name="how" value="slow">Pay</button>'
            '<button id="two" name="when" value="now" formaction="/express" formtarget="_self">Express</button></form></cloakroom-form>')
    page = test.open("/buttons", """
window.element = document.querySelector('cloakroom-form')
window.submits = window.errors = 0
element.addEventListener('cloakroom-error', ({ detail }) => { window.error = [detail instanceof Cloakroom.CloakroomError, detail.message] })
document.querySelector('form').addEventListener('submit', () => { submits++ })
document.addEventListener('submit', (event) => { if (window.isStopped) event.preventDefault() })
""", body)
    until(page, "element.form.state.fields.cvc")
    page.frame_locator("cloakroom-card iframe").locator(".number input").focus()
    page.keyboard.type("4111111111111111" + "1231" + "123")
    until(page, "element.form.state.isValid")
    test.shop.posted.clear()
    # Whatever goes wrong is of one type.
    page.evaluate("element.session = () => 'a\\nb'")
    page.click("#one")
    until(page, "window.error")
    assert page.evaluate("error") == [True, "Cloakroom: aliases cannot be made with this session"]
    # A listener around the element lets the form stay.
    page.evaluate("element.session = undefined; window.isStopped = true")
    page.click("#one")
    page.wait_for_timeout(200)
    assert test.shop.posted == []
    page.evaluate("window.isStopped = false; window.submits = 0")
    page.click("#one")
    until_equal(lambda: page.wait_for_timeout(10) or len(test.shop.posted), 1)
    assert page.evaluate("submits") == 1 and "how=slow" in test.shop.posted[0], test.shop.posted
    with page.expect_navigation():
        page.click("#two")
    assert page.url.endswith("/express") and "when=now" in test.shop.posted[1] and "how=" not in test.shop.posted[1], (page.url, test.shop.posted)
    assert re.search(r"card_number=411111\d{6}1111", test.shop.posted[1])


def test_the_enter_key_in_custom_elements(test):
    """It does what it does in an input of the page: it presses the first button, wherever that stands, unless it is disabled."""
    body = ('<cloakroom-form form="checkout" action="aliases"><form id="order" method="post" action="/paid">'
            '<cloakroom-card></cloakroom-card></form></cloakroom-form>'
            '<button>Else</button><button form="order" name="how" value="card" formaction="/express" disabled>Pay</button>')
    # Controls may be named as what scripts use of a form.
    body = body.replace("<cloakroom-card>", '<input name="elements"><input name="querySelector"><input name="requestSubmit"><cloakroom-card>')
    page = test.open("/enter", """
window.element = document.querySelector('cloakroom-form')
window.submits = 0
document.querySelector('form').addEventListener('submit', () => { submits++ })
""", body)
    until(page, "element.form.state.fields.cvc")
    page.frame_locator("cloakroom-card iframe").locator(".number input").focus()
    page.keyboard.type("4111111111111111" + "1231" + "123")
    until(page, "element.form.state.isValid")
    test.shop.posted.clear()
    page.keyboard.press("Enter")
    page.wait_for_timeout(200)
    assert page.evaluate("submits") == 0
    page.evaluate("document.querySelector('button[form]').disabled = false")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert page.url.endswith("/express") and "how=card" in test.shop.posted[0] and "cvc=" in test.shop.posted[0], (page.url, test.shop.posted)


def test_aliases_of_a_submission_before(test):
    """None is submitted again in place of a field that is empty by then, nor by a page that comes back from the history."""
    body = ('<cloakroom-form form="checkout" action="aliases"><form method="post" action="/paid" target="new">'
            '<cloakroom-card></cloakroom-card><cloakroom-field name="card_holder" label="Name"></cloakroom-field>'
            '<input type="hidden" name="order" value="17"><button>Pay</button></form></cloakroom-form>')
    page = test.open("/stale", "window.element = document.querySelector('cloakroom-form')", body)
    until(page, "element.form.state.fields.cvc")
    names = "[...document.querySelectorAll('input')].map(({ name }) => name)"
    page.frame_locator("cloakroom-card iframe").locator(".number input").focus()
    page.keyboard.type("4111111111111111" + "1231" + "123")
    page.frame_locator("cloakroom-field iframe").locator("input").focus()
    page.keyboard.type("Ann Li")
    until(page, "element.form.state.isValid && element.form.state.fields.card_holder.inputLength === 6")
    test.shop.posted.clear()
    page.click("button")
    until_equal(lambda: page.wait_for_timeout(10) or len(test.shop.posted), 1)
    assert "card_holder=" in test.shop.posted[0] and "cvc=" in test.shop.posted[0], test.shop.posted
    page.evaluate("element.form.clear('card_holder')")
    until(page, "element.form.state.fields.card_holder.isEmpty")
    page.click("button")
    until_equal(lambda: page.wait_for_timeout(10) or len(test.shop.posted), 2)
    assert "card_holder=" not in test.shop.posted[1] and "cvc=" in test.shop.posted[1] and "order=17" in test.shop.posted[1], test.shop.posted
    # What is refused leaves none either.
    page.evaluate("element.form.clear('cvc')")
    until(page, "element.form.state.fields.cvc.isEmpty")
    page.evaluate("element.addEventListener('cloakroom-error', () => { window.isRefused = true })")
    page.click("button")
    until(page, "window.isRefused")
    assert page.evaluate(names) == ["order"], page.evaluate(names)
    page.frame_locator("cloakroom-card iframe").locator(".cvc input").focus()
    page.keyboard.type("123")
    until(page, "element.form.state.isValid")
    page.click("button")
    until_equal(lambda: page.wait_for_timeout(10) or len(test.shop.posted), 3)
    assert "cvc" in page.evaluate(names)
    page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))")
    assert page.evaluate(names) == ["order"], page.evaluate(names)


def test_languages_of_the_page(test):
    """Texts for the keys that docs/browser.md names: nothing is said in English."""
    codes = ["REQUIRED", "INCOMPLETE", "INVALID", "REFUSED", "CARD", "NUMBER", "EXPIRY", "CVC",
             *(kind + "_VALIDATION_ERROR" for kind in ("CARD_NUMBER", "EXPIRATION_DATE", "DATE", "CVC", "EMAIL", "PHONE", "MAX_INPUT_LENGTH"))]
    messages = {code: "sv " + code for code in codes}
    page = test.open("/swedish", """
window.isReady = false
const form = (window.form = Cloakroom.form('checkout', { locale: 'sv', messages: %s }))
form.on('ready', () => { window.isReady = true })
form.card({ layout: 'stacked' }).mount('#a')
const other = Cloakroom.form('kinds', { locale: 'sv', messages: %s })
other.field('code', { label: 'Code' }).mount('#b')
other.field('ssn', { label: 'SSN' }).mount('#c')
""" % ((json.dumps(messages),) * 2))
    until(page, "isReady")
    # Of a mask, and of a code without a text of its own.
    for place, text, error in (("#b", "ab", "sv INCOMPLETE"), ("#c", "000-00-0000", "sv INVALID")):
        frame = page.frame_locator(place + " iframe")
        frame.locator("input[autocomplete]").focus()
        page.keyboard.type(text)
        page.keyboard.press("Enter")
        until_equal(lambda: frame.locator(".error").inner_text(), error)
    frame = page.frame_locator("#a iframe")
    assert frame.locator("html").get_attribute("lang") == "sv" and page.evaluate("document.querySelector('#a iframe').title") == "sv CARD"
    assert frame.locator("label").all_inner_texts() == ["sv NUMBER", "sv EXPIRY", "sv CVC"]
    for part, text in ((".number", "4112"), (".expiry", "13"), (".cvc", "1")):
        frame.locator(part + " input").focus()
        page.keyboard.type(text)
    page.keyboard.press("x")
    frame.locator("[aria-live]", has_text="sv REFUSED").wait_for(state="attached")
    page.keyboard.press("Tab")
    until_equal(lambda: frame.locator(".error").all_inner_texts(), ["sv %s_VALIDATION_ERROR" % kind for kind in ("CARD_NUMBER", "EXPIRATION_DATE", "CVC")])
    page.evaluate("form.clear()")
    page.evaluate("form.validate()")
    until_equal(lambda: frame.locator(".error").all_inner_texts(), ["sv REQUIRED"] * 3)


def test_styles_and_updates(test):
    script = """
window.isReady = false
const warn = console.warn
window.warnings = []
console.warn = (text) => warnings.push(text)
const form = (window.form = Cloakroom.form('checkout'))
form.on('ready', () => { window.isReady = true })
form.field('card_number', { label: 'Card number', placeholder: '1234', style: {
  base: { color: 'rgb(1, 2, 3)', fontSize: '20px', backgroundImage: 'url(https://evil.example/x)', position: 'fixed' },
  focus: { color: 'rgb(4, 5, 6)', fontWeight: 'fat' }, hover: {}, invalid: { color: 'red; background: url(x)', fontSize: '12' } } }).mount('#a')
// A value for each variable, and for one what is none.
for (const [name, value] of Object.entries({
  'background': 'linear-gradient(#fff, #eee)', 'border': '1px solid #bbb', 'border-radius': '10px', 'box-shadow': '0 0 2px #000', 'color': 'notacolor',
  'error-color': 'crimson', 'error-font-size': '12px', 'focus-border-color': '#06c', 'focus-shadow': 'none', 'font-family': 'Ubuntu, sans-serif',
  'font-size': '1.1em', 'font-weight': '600', 'gap': '4px 2px', 'invalid-border-color': 'light-dark(red, pink)', 'label-color': 'inherit',
  'label-display': 'none', 'label-font-size': 'small', 'label-font-weight': 'bold', 'letter-spacing': 'normal', 'line-height': '1.5',
  'padding': '.5em 1em', 'placeholder-color': 'gray' })) document.querySelector('#a').style.setProperty('--cloakroom-' + name, value)
"""
    page = test.open("/styles", script, head='<link rel="icon" href="data:,">')
    until(page, "window.isReady")
    box = page.frame_locator("#a iframe").locator("input")
    color = "input => getComputedStyle(input).color"
    assert box.evaluate(color) == "rgb(1, 2, 3)"
    box.focus()
    assert box.evaluate(color) == "rgb(4, 5, 6)"
    assert box.evaluate("input => getComputedStyle(input).position") == "static"
    warned = page.evaluate("warnings.join(' ')")
    places = ("base.backgroundImage", "base.position", "hover", "invalid.color", "focus.fontWeight", "invalid.fontSize", "--cloakroom-color")
    for place in places:
        assert place in warned, (place, warned)
    assert len(page.evaluate("warnings")) == len(places), warned
    page.evaluate("form.update('card_number', { label: 'Number of the card', disabled: true })")
    frame = page.frame_locator("#a iframe")
    frame.get_by_label("Number of the card").wait_for()
    frame.locator("input:disabled").wait_for()
    page.evaluate("form.destroy()")
    assert page.locator("iframe").count() == 0


def test_options_of_a_field(test):
    page = test.open("/options", """
window.isReady = false
const form = (window.form = Cloakroom.form('checkout', { messages: { CARD_NUMBER_VALIDATION_ERROR: 'Nope', REQUIRED: undefined } }))
form.on('ready', () => { window.isReady = true })
form.field('card_number', { label: 'Card number', autofocus: true, showBrand: false }).mount(document.querySelector('#a'))
form.field('cvc', { label: 'Code', disabled: true }).mount('#b')
window.stop = form.on('change', () => { window.changes = (window.changes ?? 0) + 1 })
""")
    until(page, "isReady && form.state.fields.card_number.isFocused")
    page.keyboard.type("4111")
    until(page, "form.state.fields.card_number.cardBrand === 'visa'")
    frame = page.frame_locator("#a iframe")
    assert frame.locator(".brand").inner_text() == "" and page.frame_locator("#b iframe").locator("input").is_disabled()
    page.evaluate("form.update('card_number', { showBrand: true, placeholder: 'Number' }); form.update('cvc', { disabled: false })")
    frame.locator(".brand", has_text="Visa").wait_for()
    page.keyboard.type("1")
    color = "input => getComputedStyle(input).color"
    before = frame.locator("input").evaluate(color)
    page.evaluate("form.update('card_number', { style: { base: { color: 'rgb(1, 2, 3)' } } })")
    until_equal(lambda: frame.locator("input").evaluate(color), "rgb(1, 2, 3)")
    # An empty style takes the last one away.
    page.evaluate("form.update('card_number', { style: {} })")
    until_equal(lambda: frame.locator("input").evaluate(color), before)
    assert frame.locator("input").get_attribute("placeholder") == "Number"
    page.evaluate("form.focus('cvc')")
    until(page, "form.state.fields.cvc.isFocused && !form.state.fields.card_number.isFocused")
    assert frame.locator(".error").inner_text() == "Nope"
    page.evaluate("stop(); window.changes = 0; form.clear('card_number')")
    until(page, "form.state.fields.card_number.isEmpty")
    assert page.evaluate("changes") == 0 and frame.locator("input").input_value() == "" and frame.locator(".error").inner_text() == ""


def test_options_that_no_frame_takes(test):
    """Its page is told at once what is wrong, not after seconds that the frame is blocked."""
    page = test.open("/odd-options", """
window.isReady = false
document.documentElement.lang = 'de_AT'
const form = (window.form = Cloakroom.form('checkout', { locale: 'not a locale' }))
form.on('ready', () => { window.isReady = true })
form.field('card_number', { label: 'Kartennummer', showBrand: 1, disabled: null }).mount('#a')
""")
    until(page, "isReady")
    frame = page.frame_locator("#a iframe")
    frame.locator("input").focus()
    page.keyboard.type("4112")
    page.keyboard.press("Tab")
    frame.locator(".error", has_text="Bitte die Kartennummer prüfen").wait_for()
    for call in ("form.field('cvc', { label: 'x'.repeat(256) }).mount('#b')", "form.field('cvc', { label: 'x', placeholder: 1 }).mount('#b')",
                 "form.card({ number: { value: 4111 } }).mount('#b')", "form.update('card_number', { label: {} })",
                 "Cloakroom.form('checkout', { messages: { DATE: 1 } })", "Cloakroom.form('checkout', { messages: { DATE: () => '' } })",
                 "Cloakroom.form('checkout', { messages: 'text' })"):
        wrong = page.evaluate("() => { try { %s; return 'taken' } catch (error) { return error.name + ' ' + error.message } }" % call)
        assert wrong.startswith("TypeError Cloakroom") and "255 characters" in wrong, (call, wrong)
    # Together they are more than the frame takes.
    for call in ("Cloakroom.form('checkout', { messages }).field('cvc', { label: 'x' }).mount('#b')",
                 "form.update('card_number', { style: { base: messages } })"):
        wrong = page.evaluate("""() => { const messages = {}
          for (let index = 0; index < 90; index++) messages['CODE_' + index] = 'x'.repeat(200)
          try { %s; return 'taken' } catch (error) { return error.name + ' ' + error.message } }""" % call)
        assert wrong.startswith("TypeError Cloakroom") and "too long together" in wrong, (call, wrong)
    # The language is that of what stands there.
    page.evaluate("Cloakroom.form('checkout', { locale: 'sv' }).field('cvc', { label: 'Code' }).mount('#b')")
    other = page.frame_locator("#b iframe")
    other.locator("input").wait_for()
    assert other.locator("html").get_attribute("lang") == "en"
    assert frame.locator("html").get_attribute("lang") == "de_AT"


def test_options_that_the_page_keeps(test):
    """Its own objects may be proxies, as frameworks make them, which no frame can be handed; and it may change them."""
    page = test.open("/kept", """
const messages = { CARD_NUMBER_VALIDATION_ERROR: 'Nope' }
window.form = Cloakroom.form('checkout', { messages: new Proxy(messages, {}) })
messages.later = () => {}
form.field('card_number', { label: 'Card number' }).mount('#a')""")
    frame = page.frame_locator("#a iframe")
    frame.locator("input").focus()
    page.keyboard.type("4112")
    page.keyboard.press("Enter")
    frame.locator(".error", has_text="Nope").wait_for()
    assert not [line for line in test.console if "cloned" in line], test.console


def test_the_origin_of_a_gateway(test):
    """One without a scheme would be a file beside the page."""
    page = test.open("/origins", "")
    for gateway in ("cards.shop", "cards.shop:8443", "/cards", "//"):
        wrong = page.evaluate("(gateway) => { try { Cloakroom.form('checkout', { gateway }) } catch (error) { return String(error) } }", gateway)
        assert wrong and wrong.startswith("TypeError"), (gateway, wrong)
    for gateway in (test.gateway.origin, test.gateway.origin + "/", None, ""):
        page.evaluate("""(gateway) => { window.form?.destroy()
          window.form = Cloakroom.form('checkout', { gateway })
          form.field('cvc', { label: 'Code' }).mount('#a') }""", gateway)
        until(page, "form.state.fields.cvc")


def test_a_page_that_looks_at_each_change(test):
    """Its `validate` shows nothing in the field that is typed in."""
    page = test.open("/each-change", FIELDS % ("checkout", "{}") + "form.on('change', () => form.validate())")
    until(page, "isReady")
    number, code = page.frame_locator("#a iframe"), page.frame_locator("#c iframe")
    number.locator("input").focus()
    page.keyboard.type("4")
    code.locator(".error", has_text="Please").wait_for()
    assert number.locator(".error").inner_text() == "" and number.locator("input").get_attribute("aria-invalid") == "false"
    attempt(page, "form.aliases()")
    number.locator(".error", has_text="Please").wait_for()


def test_options_that_are_none(test):
    page = test.open("/odd-options", FIELDS % ("checkout", "{}") + "form.field('card_holder', { label: 'Name', style: null }).mount('#d')")
    until(page, "isReady")
    for id in ("", "undefined", "null", "'a form'"):
        wrong = page.evaluate("() => { try { Cloakroom.form(%s) } catch (error) { return String(error) } }" % id)
        assert wrong == "TypeError: Cloakroom: a form needs an id", (id, wrong)
    for options, mistake in (("'cvc', { label: 5 }", "a field needs name and label"), ("undefined, { label: 'x' }", "a field needs name and label"),
                             ("'cvc', { label: 'x'.repeat(256) }", "label must be a text of at most 255 characters"),
                             ("'cvc', { label: 'x', placeholder: 5 }", "placeholder must be a text of at most 255 characters")):
        wrong = page.evaluate("() => { try { form.field(%s).mount('#d') } catch (error) { return String(error) } }" % options)
        assert wrong == "TypeError: Cloakroom: " + mistake, wrong


def test_custom_elements_that_are_copied(test):
    """As by what keeps a page's markup and puts it back."""
    page = test.open("/copied", "", '<cloakroom-form form="checkout"><cloakroom-field name="cvc" label="Code"></cloakroom-field></cloakroom-form>')
    until(page, "document.querySelector('cloakroom-form').form.state.fields.cvc")
    for way in ("main.replaceWith(main.cloneNode(true))", "main.replaceWith(main.cloneNode(true))"):
        page.evaluate("() => { const main = document.querySelector('main'); %s }" % way)
        until(page, "document.querySelector('cloakroom-form').form.state.fields.cvc")
        assert page.locator("cloakroom-field iframe").count() == 1


def test_a_session_before_the_script(test):
    """An element is what its page has made of it before the script has come."""
    test.shop.pages["/first.js"] = ("""
const element = document.createElement('cloakroom-form')
element.setAttribute('form', 'checkout')
element.session = () => { window.isAsked = true; return 'dev-secret' }
window.early = element
""", "text/javascript")
    page = test.open("/early-session", "")
    url = test.shop.page("/early-session", "document.querySelector('main').append(early)\nearly.form.validate()", "", test.gateway.origin)
    html, kind = test.shop.pages["/early-session"]
    test.shop.pages["/early-session"] = (html.replace("<head>", '<head><script src="/first.js"></script>'), kind)
    page.goto(url)
    until(page, "window.isAsked")
