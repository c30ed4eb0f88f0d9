"""Typing: keystrokes, pastes, deletions, undo, composition; after each the text, the caret and the state."""
import base64

from until import until

SETUP = """
const form = (window.form = Cloakroom.form('%s', {}))
form.on('ready', () => { window.isReady = true })
window.isReady = false
const field = form.field('%s', { label: 'Field' })
field.mount('#a')
"""

# Field, keys, text with the caret as |, state. Keys are typed one by one; <…> is a key by its name, {…} is pasted.
KINDS = [
    ("number", "4111111111111111", "4111 1111 1111 1111|", {"isValid": True, "cardBrand": "visa"}),
    ("number", "4111 1111-1111 1111", "4111 1111 1111 1111|", {"isValid": True}),
    ("number", "378282246310005", "3782 822463 10005|", {"isValid": True, "cardBrand": "amex"}),
    ("number", "3782822463100059", "3782 822463 10005|", {"isValid": True, "inputLength": 15}),
    ("number", "41x11", "4111|", {"isValid": False, "inputLength": 4}),
    ("number", "41112<Backspace>", "4111|", {"inputLength": 4}),
    ("number", "411122223333<Home><Delete>", "|1112 2223 333", {"inputLength": 11}),
    # Across a literal: Backspace behind the space takes the digit before it.
    ("number", "411122223333<Home>" + "<ArrowRight>" * 5 + "<Backspace>", "411|2 2223 333", {"inputLength": 11}),
    ("number", "411122223333<Home>" + "<ArrowRight>" * 4 + "<Delete>", "4111| 2223 333", {"inputLength": 11}),
    # The caret stays behind the character that was typed.
    ("number", "41112222<Home>" + "<ArrowRight>" * 4 + "9", "4111 9|222 2", {"inputLength": 9}),
    ("number", "41112222<Home><ArrowRight>5", "45|11 1222 2", {"inputLength": 9}),
    ("number", "{4111-1111-1111-1111}", "4111 1111 1111 1111|", {"isValid": True}),
    ("number", "{ 4111  1111 1111 1111 }", "4111 1111 1111 1111|", {"isValid": True}),
    # Refused whole: nothing is cut.
    ("number", "41{4111111111111111111111}", "41|", {"inputLength": 2}),
    ("number", "41{card 4111}", "41|", {"inputLength": 2}),
    ("number", "4111<Control+a>{5555555555554444}", "5555 5555 5555 4444|", {"isValid": True, "cardBrand": "mastercard"}),
    ("number", "41111<Control+z>", "4111|", {"inputLength": 4}),
    ("number", "41111<Control+z><Control+Shift+z>", "4111 1|", {"inputLength": 5}),
    ("number", "4111{1111}<Control+z>", "4111|", {"inputLength": 4}),
    ("number", "4111<Control+a><Delete><Control+z>", "4111", {"inputLength": 4}),
    ("number", "4111<Control+a><Control+x>", "|", {"isEmpty": True, "isDirty": True}),
    # Undone and redone where the brand, and with it the groups, change.
    ("number", "411111<Home>37", "37|41 1111", {"cardBrand": "amex"}),
    ("number", "411111<Home>37<Control+z><Control+z>", "|4111 11", {"cardBrand": "visa"}),
    ("number", "411111<Home>37<Control+z><Control+z><Control+Shift+z>", "3|411 111", {"cardBrand": "amex"}),
    ("number", "378282246310005<Control+a>{4111111111111111}<Control+z>", "3782 822463 10005|", {"cardBrand": "amex"}),
    ("number", "411122223333<Control+Backspace>", "4111 2222|", {"inputLength": 8}),
    ("ssn", "219099999", "219-09-9999|", {"isValid": True, "last4": "9999"}),
    ("ssn", "219-09-9999", "219-09-9999|", {"isValid": True}),
    ("ssn", "2190<Backspace>", "219|", {"inputLength": 3}),
    ("ssn", "{219 09 9999}", "219-09-9999|", {"isValid": True}),
    ("birth", "04211988", "04-21-1988|", {"isValid": True, "isComplete": True}),
    ("phone", "4155550199", "(415) 555 - 0199|", {"isComplete": True}),
    ("phone", "415x", "(415|", {"isMaskSatisfied": False}),
    ("phone", "41555501991", "(415) 555 - 0199|", {"isComplete": True}),
    ("phone", "4155" + "<Backspace>" * 4, "|", {"isEmpty": True}),
    ("phone", "{(415) 555-0199}", "(415) 555 - 0199|", {"isComplete": True}),
    ("code", "kl42", "KL-42|", {"isMaskSatisfied": True}),
    ("code", "k7", "K|", {"isMaskSatisfied": False}),
    ("plate", "PL7042", "PL-7042|", {"isMaskSatisfied": True}),
    ("plate", "pL", "L|", {"isMaskSatisfied": False}),
    ("email", "ana.li+1@mail.shop.example", "ana.li+1@mail.shop.example|", {"isValid": True}),
    ("email", "ana<Backspace>", "an|", {"isValid": False}),
    ("expiry", "1231", "12/31|", {"isValid": True, "isComplete": True}),
    ("expiry", "12/31", "12/31|", {"isValid": True}),
    ("expiry", "123<Backspace>", "12|", {"inputLength": 2}),
    ("expiry", "123<Backspace><Backspace>", "1|", {"inputLength": 1}),
    ("expiry", "1231<Home><Delete>", "|23/1", {"inputLength": 3}),
    ("expiry", "{12 / 31}", "12/31|", {"isValid": True}),
    ("expiry", "{12/2031}", "|", {"isEmpty": True}),
    ("expiry", "1331", "13/31|", {"isValid": False}),
    ("expiry", "1231<Control+z><Control+z>", "12|", {"inputLength": 2}),
    ("longExpiry", "122031", "12/2031|", {"isValid": True}),
    ("longExpiry", "{12/2031}", "12/2031|", {"isValid": True}),
    ("code3", "123", "123|", {"isValid": True}),
    ("code3", "12345", "1234|", {"inputLength": 4}),
    ("code3", "1a2", "12|", {"inputLength": 2}),
    ("holder", "Ann Li", "Ann Li|", {"isValid": True}),
    ("holder", "Ann<ArrowLeft>x", "Anx|n", {"inputLength": 4}),
    ("holder", "{אבג דה}<Backspace>", "אבג ד|", {"inputLength": 5}),
    ("holder", "Ann Li<Control+Backspace>", "Ann |", {"inputLength": 4}),
    ("note", "a b", "a b|", {"isValid": True}),
    ("note", "{👍🏽é}", "👍🏽é|", {"inputLength": 2}),
    ("note", "a{👍🏽}<Backspace>", "a|", {"inputLength": 1}),
    ("note", "123456789", "123456789|", {"isValid": False, "inputLength": 9}),
    ("doubled", "abab", "abab|", {"isValid": True, "isComplete": True}),
    ("doubled", "x", "x|", {"isValid": True}),
]


def press(page, box, keys):
    index = 0
    while index < len(keys):
        if keys[index] == "<":
            end = keys.index(">", index)
            page.keyboard.press(keys[index + 1:end])
            index = end + 1
        elif keys[index] == "{":
            end = keys.index("}", index)
            box.evaluate(PASTE, keys[index + 1:end])
            index = end + 1
        else:
            page.keyboard.press("Space" if keys[index] == " " else keys[index])
            index += 1


# A paste arrives as `beforeinput` and `input` of the type insertFromPaste. Without a clipboard: the browser's command for typed text,
# with events of that type.
PASTE = """(input, text) => {
  const relabel = (event) => Object.defineProperty(event, 'inputType', { value: 'insertFromPaste' })
  const types = ['beforeinput', 'input']
  for (const type of types) addEventListener(type, relabel, true)
  document.execCommand('insertText', false, text)
  for (const type of types) removeEventListener(type, relabel, true)
}"""


def look(box, expected):
    text, start, end = box.evaluate("input => [input.value, input.selectionStart, input.selectionEnd]")
    return text[:start] + "|" + text[start:] if "|" in expected and start == end else text


def type_table(test, field):
    page = test.open("/typing-" + field, SETUP % ("kinds", field))
    until(page, "window.isReady")
    box = page.frame_locator("#a iframe").locator("input")
    mistakes = []
    for name, keys, expected, state in KINDS:
        if name != field:
            continue
        box.focus()
        page.evaluate("form.clear()")
        until(page, "form.state.fields['%s'].isEmpty" % field)
        # A clear that is under way must not take what is typed next.
        box.evaluate("input => new Promise(done => setTimeout(done, 5))")
        press(page, box, keys)
        found = look(box, expected)
        if found != expected:
            mistakes.append("%s: %s, not %s" % (keys, found, expected))
            continue
        try:
            until(page, "wanted => Object.entries(wanted).every(([key, value]) => form.state.fields['%s'][key] === value)" % field,
                  arg=state, timeout=3)
        except AssertionError:
            got = page.evaluate("name => form.state.fields[name]", field)
            mistakes.append("%s: %s, not %s" % (keys, {name: got.get(name) for name in state}, state))
    assert not mistakes, "\n".join(mistakes)
    assert not test.console, test.console


# One test a field: who runs them hears of each as it ends.
for _field in dict.fromkeys(row[0] for row in KINDS):
    globals()["test_typing_" + _field] = lambda test, field=_field: type_table(test, field)


def test_composition(test):
    page = test.open("/composition", SETUP % ("kinds", "email"))
    until(page, "window.isReady")
    box = page.frame_locator("#a iframe").locator("input")
    box.focus()
    session = page.context.new_cdp_session(page)
    page.keyboard.type("a")
    until(page, "form.state.fields.email.inputLength === 1")
    session.send("Input.imeSetComposition", {"text": "にほ", "selectionStart": 2, "selectionEnd": 2})
    assert page.evaluate("form.state.fields.email.inputLength") == 1
    session.send("Input.insertText", {"text": "日本"})
    until(page, "form.state.fields.email.inputLength === 3")
    assert box.input_value() == "a日本", box.input_value()


def test_composition_of_digits(test):
    page = test.open("/composed", SETUP % ("kinds", "number"))
    until(page, "window.isReady")
    box = page.frame_locator("#a iframe").locator("input")
    box.focus()
    session = page.context.new_cdp_session(page)
    for text, expected in (("41112", "4111 2"), ("にほ", "4111 2"), ("3", "4111 23")):
        session.send("Input.imeSetComposition", {"text": text, "selectionStart": len(text), "selectionEnd": len(text)})
        session.send("Input.insertText", {"text": text})
        assert box.input_value() == expected, (text, box.input_value())
    until(page, "form.state.fields.number.inputLength === 6")


def test_autofill_of_one_field(test):
    page = test.open("/autofill", SETUP % ("kinds", "number"))
    until(page, "window.isReady")
    box = page.frame_locator("#a iframe").locator("input")
    box.wait_for()
    # As browsers and password managers do it: the text is set, and an input event without a type follows.
    box.evaluate("input => { input.value = '4111111111111111'; input.dispatchEvent(new Event('input', { bubbles: true })) }")
    until(page, "form.state.fields.number.isValid && form.state.fields.number.inputLength === 16")
    assert box.input_value() == "4111 1111 1111 1111", box.input_value()
    assert box.get_attribute("autocomplete") == "cc-number" and box.get_attribute("inputmode") == "numeric"


def test_drop(test):
    page = test.open("/drop", SETUP % ("kinds", "number"))
    until(page, "window.isReady")
    box = page.frame_locator("#a iframe").locator("input")
    box.focus()
    for text, expected in (("4111-1111-1111-1111", "4111 1111 1111 1111"), ("77", "4111 1111 1111 1111 77"), ("12345", "4111 1111 1111 1111 77")):
        box.evaluate(PASTE.replace("insertFromPaste", "insertFromDrop"), text)
        assert box.input_value() == expected, (text, box.input_value())
    assert page.frame_locator("#a iframe").locator(".unseen").inner_text() == "That does not fit here"


def test_what_only_the_gateway_can_decide(test):
    page = test.open("/undecided", SETUP % ("kinds", "doubled"))
    until(page, "window.isReady")
    page.frame_locator("#a iframe").locator("input").focus()
    page.keyboard.type("ab")
    until(page, "form.state.fields.doubled.inputLength === 2")
    state = page.evaluate("form.state.fields.doubled")
    assert state["undecided"] == ["PATTERN_VALIDATION_ERROR"] and state["isValid"], state
    judged = page.evaluate("form.validate()")["fields"]["doubled"]
    assert judged["validationErrors"] == ["PATTERN_VALIDATION_ERROR"] and "undecided" not in judged, judged


def test_rules_that_are_not_told(test):
    page = test.open("/quiet", SETUP % ("quiet", "member"))
    until(page, "window.isReady")
    box = page.frame_locator("#a iframe").locator("input")
    box.focus()
    page.keyboard.type("DE7042")
    until(page, "form.state.fields.member.inputLength === 6")
    assert box.input_value() == "DE-7042" and page.evaluate("form.state.isValid")
    outcome = page.evaluate("form.aliases().then(() => null, (error) => [error.status, error.fields.member.validationErrors])")
    assert outcome == [422, ["PATTERN_VALIDATION_ERROR"]], outcome
    told = page.context.request.get(test.gateway.origin + "/v1/forms/quiet").text()
    assert "PL[0-9]" not in told, told


def test_a_file(test):
    page = test.open("/file", SETUP % ("papers", "passport"))
    until(page, "window.isReady")
    frame = page.frame_locator("#a iframe")
    box = frame.locator("input")
    assert box.get_attribute("accept") == "image/png"
    png = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4
    box.set_input_files({"name": "secret-name.png", "mimeType": "image/png", "buffer": png})
    until(page, "form.state.fields.passport.isComplete && form.state.fields.passport.inputLength === %d" % len(png))
    sent = page.evaluate("form.send('/papers')")
    assert sent["body"] == {"passport": base64.b64encode(png).decode()}, sent
    assert "secret-name" not in page.evaluate("JSON.stringify(form.state)")
    for content, error in ((b"plain text", "FILE_TYPE_VALIDATION_ERROR"), (png * 10, "FILE_SIZE_VALIDATION_ERROR")):
        box.set_input_files({"name": "x.png", "mimeType": "image/png", "buffer": content})
        until(page, "error => form.state.fields.passport.validationErrors[0] === error", arg=error)
        frame.locator(".error", has_text="Please check this").wait_for()
    page.evaluate("form.clear()")
    until(page, "form.state.fields.passport.isEmpty")
    assert box.evaluate("input => input.files.length") == 0
