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


def test_what_the_page_does_wrong(test):
    page = test.open("/wrong", FIELDS % ("checkout", "{ session: async () => { if (window.isDown) throw new Error('no'); return '' } }"))
    fill(page)
    for call in ("send()", "send('/x', {method: 'TRACE'})", "send('/x', {headers: {'a b': 'c'}})", "send('/x', {extraData: []})",
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


def test_unknown_form_and_field(test):
    page = test.open("/unknown", FIELDS.replace("window.isReady = false", "") % ("nothing", "{}"))
    until(page, "errors.some(error => error.status === 404)")
    page = test.open("/unknown-field", "window.errors = []; const form = Cloakroom.form('checkout'); "
                     "form.on('error', (error) => errors.push(error.type)); form.field('nope', { label: 'x' }).mount('#a')")
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
  focus: { color: 'rgb(4, 5, 6)' }, hover: {}, invalid: { color: 'red; background: url(x)' } } }).mount('#a')
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
    for place in ("base.backgroundImage", "base.position", "hover", "invalid.color"):
        assert place in warned, (place, warned)
    page.evaluate("form.update('card_number', { label: 'Number of the card', disabled: true })")
    frame = page.frame_locator("#a iframe")
    frame.get_by_label("Number of the card").wait_for()
    frame.locator("input:disabled").wait_for()
    page.evaluate("form.destroy()")
    assert page.locator("iframe").count() == 0


def test_options_of_a_field(test):
    page = test.open("/options", """
window.isReady = false
const form = (window.form = Cloakroom.form('checkout', { messages: { CARD_NUMBER_VALIDATION_ERROR: 'Nope' } }))
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
    for call in ("form.field('cvc', { label: 'x'.repeat(201) }).mount('#b')", "form.field('cvc', { label: 'x', placeholder: 1 }).mount('#b')",
                 "form.card({ number: { value: 4111 } }).mount('#b')", "form.update('card_number', { label: {} })",
                 "Cloakroom.form('checkout', { messages: { DATE: 1 } })"):
        wrong = page.evaluate("() => { try { %s; return 'taken' } catch (error) { return error.name + ' ' + error.message } }" % call)
        assert wrong.startswith("TypeError Cloakroom") and "200 characters" in wrong, (call, wrong)
