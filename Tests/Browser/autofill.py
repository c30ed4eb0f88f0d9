"""The browser's own autofill, asked for over the debugging protocol (docs/reference/browser.md section 4)."""
from until import until

SETUP = """
window.isReady = false
const form = (window.form = Cloakroom.form('checkout', { locale: 'en' }))
form.on('ready', () => { window.isReady = true })
%s
"""
FIELDS = """
form.field('card_number', { label: 'Card number' }).mount('#a')
form.field('exp_date', { label: 'Expiry' }).mount('#b')
form.field('cvc', { label: 'Code' }).mount('#c')
form.field('card_holder', { label: 'Name' }).mount('#d')
"""
CARD = {"number": "4111111111111111", "name": "Joe Business", "expiryMonth": "12", "expiryYear": "2031", "cvc": "123"}


def inputs_of(node, frame=None):
    frame = node.get("frameId", frame)
    if node["nodeName"] == "INPUT":
        yield node["backendNodeId"], frame
    for child in node.get("children", []):
        yield from inputs_of(child, frame)


def fill_in(test, path, mount):
    page = test.open(path, SETUP % mount)
    until(page, "window.isReady")
    frame = next(f for f in page.frames if "frame.html" in f.url and f.locator("input").count())
    frame.locator("input").first.click()
    session = page.context.new_cdp_session(frame)
    session.send("Autofill.enable")
    session.send("DOM.enable")
    root = session.send("DOM.getDocument", {"depth": -1, "pierce": True})["root"]
    field, frame_id = next(inputs_of(root))
    session.send("Autofill.trigger", {"fieldId": field, "frameId": frame_id, "card": CARD})
    until(page, "form.state.fields.cvc.isComplete && form.state.fields.exp_date.isComplete && form.state.fields.card_number.isComplete")
    assert not test.console, test.console
    return page


def test_the_browser_fills_in_a_card(test):
    page = fill_in(test, "/native-card", "form.card({ layout: 'inline' }).mount('#a')")
    frame = page.frame_locator("#a iframe")
    texts = [frame.locator(part + " input").input_value() for part in (".number", ".expiry", ".cvc")]
    assert texts == ["4111 1111 1111 1111", "12/31", "123"], texts


def test_the_browser_fills_in_all_frames(test):
    page = fill_in(test, "/native-fields", FIELDS)
    until(page, "form.state.isValid && form.state.fields.card_holder.isComplete")


def test_a_long_year_is_filled_in_short(test):
    page = test.open("/long-year", SETUP % "form.field('exp_date', { label: 'Expiry' }).mount('#a')")
    until(page, "window.isReady")
    box = page.frame_locator("#a iframe").locator("input")
    assert box.get_attribute("placeholder") == "MM/YY"
    # Browsers also announce it by a keydown without a key.
    box.evaluate("""input => { input.dispatchEvent(new Event('keydown', { bubbles: true })); input.value = '12/2031'
      input.dispatchEvent(new Event('input', { bubbles: true })) }""")
    until(page, "form.state.fields.exp_date.isComplete")
    assert box.input_value() == "12/31", box.input_value()
    assert not test.console, test.console


def test_a_date_is_filled_in_in_every_format(test):
    fields = ("shortYear", "longYear", "shortYearThenMonth", "longYearThenMonth")
    setup = (SETUP % "").replace("'checkout'", "'dates'")
    mounts = "".join("form.field('%s', { label: 'Expiry' }).mount('#%s')\n" % pair for pair in zip(fields, "abcd"))
    page = test.open("/dates", setup + mounts)
    until(page, "window.isReady")
    filled = (("12/2031", ("12/31", "12/2031", "31/12", "2031/12")), ("7/2031", ("07/31", "07/2031", "31/07", "2031/07")))
    for text, shown in filled:
        for field, place, expected in zip(fields, "abcd", shown):
            box = page.frame_locator("#%s iframe" % place).locator("input")
            box.evaluate("(input, text) => { input.value = text; input.dispatchEvent(new Event('input', { bubbles: true })) }", text)
            until(page, "form.state.fields.%s.isComplete" % field)
            assert box.input_value() == expected, (field, text, box.input_value())
    assert not test.console, test.console
