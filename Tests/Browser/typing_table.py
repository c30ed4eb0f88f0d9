"""Typing: keystrokes, pastes, deletions, undo, composition; after each the text, the caret and the state."""
import base64
import json

from shop import Gateway
from until import until, until_equal

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
    ("number", "378282246310005<Control+a>{4111111111111111}<Control+z>", "3782 822463 10005", {"cardBrand": "amex"}),
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
    # Literals are no input, digits neither.
    ("mobile", "312345678", "+33 3 12 34 56 78|", {"isMaskSatisfied": True}),
    ("mobile", "+33 312", "+33 3 12|", {"isMaskSatisfied": False}),
    ("mobile", "+33<Backspace>", "+3|", {"isEmpty": True}),
    ("mobile", "{+33312345678}", "+33 3 12 34 56 78|", {"isMaskSatisfied": True}),
    ("mobile", "12{33312345678}", "+33 1 2|", {"isMaskSatisfied": False}),
    ("mobile", "12345678<Home>3", "+33 3| 12 34 56 78", {"isMaskSatisfied": True}),
    ("mobile", "12345678<Home>3<Control+z>", "|+33 1 23 45 67 8", {"isMaskSatisfied": False}),
    ("mobile", "312<Home><Delete>", "|+33 1 2", {"isMaskSatisfied": False}),
    ("batch", "1234<Home><Delete>", "|230-4", {"isMaskSatisfied": False}),
    ("batch", "1203", "120-03|", {"isMaskSatisfied": True}),
    ("batch", "{120-34}", "120-34|", {"isMaskSatisfied": True}),
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


# A paste arrives as `beforeinput` and `input` of the type insertFromPaste. Without a clipboard: the browser's command for typed text, which sends
# the second alone.
PASTE = """(input, data) => {
  const inputType = 'insertFromPaste'
  const relabel = (event) => Object.defineProperty(event, 'inputType', { value: inputType })
  input.dispatchEvent(new InputEvent('beforeinput', { inputType, data, bubbles: true, cancelable: true }))
  addEventListener('input', relabel, true)
  document.execCommand('insertText', false, data)
  removeEventListener('input', relabel, true)
}"""
COMMAND = "(input, text) => document.execCommand('insertText', false, text)"


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


def focus(test, path, field):
    """A page with one field, which has the focus; the page, and the field's input."""
    page = test.open(path, SETUP % ("kinds", field))
    until(page, "window.isReady")
    box = page.frame_locator("#a iframe").locator("input")
    box.focus()
    return page, box


def composing(page):
    """A session in which an input method can be played in the page's field."""
    return page.context.new_cdp_session(next(f for f in page.frames if "frame.html" in f.url and f.locator("input").count()))


def test_composition(test):
    page, box = focus(test, "/composition", "email")
    session = page.context.new_cdp_session(page)
    page.keyboard.type("a")
    until(page, "form.state.fields.email.inputLength === 1")
    session.send("Input.imeSetComposition", {"text": "にほ", "selectionStart": 2, "selectionEnd": 2})
    # What is being composed counts as it stands there: a call may be made before it ends.
    until(page, "form.state.fields.email.inputLength === 3")
    assert box.input_value() == "aにほ"
    session.send("Input.imeSetComposition", {"text": "", "selectionStart": 0, "selectionEnd": 0})
    until(page, "form.state.fields.email.inputLength === 1")
    session.send("Input.imeSetComposition", {"text": "に", "selectionStart": 1, "selectionEnd": 1})
    session.send("Input.insertText", {"text": "日本"})
    until(page, "form.state.fields.email.inputLength === 3")
    assert box.input_value() == "a日本", box.input_value()


def test_composition_of_digits(test):
    page, box = focus(test, "/composed", "number")
    session = page.context.new_cdp_session(page)
    for text, expected in (("41112", "4111 2"), ("にほ", "4111 2"), ("3", "4111 23")):
        session.send("Input.imeSetComposition", {"text": text, "selectionStart": len(text), "selectionEnd": len(text)})
        session.send("Input.insertText", {"text": text})
        assert box.input_value() == expected, (text, box.input_value())
    until(page, "form.state.fields.number.inputLength === 6")
    # What is refused at its end counts no longer.
    session.send("Input.imeSetComposition", {"text": "x", "selectionStart": 1, "selectionEnd": 1})
    until(page, "form.state.fields.number.validationErrors.includes('DROPPED_INPUT_VALIDATION_ERROR')")
    session.send("Input.insertText", {"text": "x"})
    until(page, "!form.state.fields.number.validationErrors.includes('DROPPED_INPUT_VALIDATION_ERROR')")
    assert box.input_value() == "4111 23"


def test_composition_of_too_many(test):
    """What finds a place is taken, and what finds none is left out, with a word about it."""
    page, box = focus(test, "/composed-letters", "code")
    session = composing(page)
    for text in ("k", "kl", "klm"):
        session.send("Input.imeSetComposition", {"text": text, "selectionStart": len(text), "selectionEnd": len(text)})
    session.send("Input.insertText", {"text": "klm"})
    assert box.input_value() == "KL", box.input_value()
    until(page, "form.state.fields.code.inputLength === 2 && form.state.fields.code.isValid")
    until_equal(page.frame_locator("#a iframe").locator(".unseen").inner_text, "That does not fit here")
    page.keyboard.type("4")
    page.keyboard.press("ArrowLeft")
    session.send("Input.imeSetComposition", {"text": "78", "selectionStart": 2, "selectionEnd": 2})
    session.send("Input.insertText", {"text": "78"})
    assert look(box, "|") == "KL-7|4", look(box, "|")


def test_composition_that_begins_with_a_mark(test):
    """It joins the character before it where that is a letter, and takes no digit with it."""
    for field, typed, composed, expected in (
            ("batch", "1", "\u03012", "12"), ("number", "4111", "\u03011", "4111 1"), ("number", "4111", "\u0301", "4111"),
            ("code", "e", "\u0301k", "E\u0301K"), ("holder", "Jose", "\u0301 Li", "Jose\u0301 Li")):
        page, box = focus(test, "/mark-" + field, field)
        page.keyboard.type(typed)
        session = composing(page)
        for length in range(1, len(composed) + 1):
            session.send("Input.imeSetComposition", {"text": composed[:length], "selectionStart": length, "selectionEnd": length})
        session.send("Input.insertText", {"text": composed})
        assert box.input_value() == expected, (field, composed, box.input_value())
        # What shows is what counts.
        until(page, "([field, length]) => form.state.fields[field].inputLength === length",
              arg=[field, len(expected.replace("\u0301", "").replace("4111 ", "4111"))])
        page.close()


def test_a_call_during_a_composition_among_literals(test):
    page, box = focus(test, "/composing-batch", "batch")
    page.keyboard.type("12")
    session = composing(page)
    session.send("Input.imeSetComposition", {"text": "34", "selectionStart": 2, "selectionEnd": 2})
    until(page, "form.state.fields.batch.isMaskSatisfied")
    page.evaluate("form.send('/x')")
    sent = [request.post_data_json for request in test.requests if "/kinds/send/" in request.url][-1]
    assert sent["fields"]["batch"] == "1234", sent


def test_a_call_during_a_composition(test):
    page, box = focus(test, "/composing-call", "holder")
    page.context.new_cdp_session(page).send("Input.imeSetComposition", {"text": "Ann Li", "selectionStart": 6, "selectionEnd": 6})
    state = page.evaluate("form.validate()")["fields"]["holder"]
    assert state["inputLength"] == 6, state


def test_what_is_dragged_out_of_a_field_stays(test):
    page, box = focus(test, "/dragged", "holder")
    page.keyboard.type("Ann Li")
    is_dragged = box.evaluate("(input) => input.dispatchEvent(new DragEvent('dragstart', { bubbles: true, cancelable: true }))")
    assert not is_dragged and box.input_value() == "Ann Li"


def test_an_update_keeps_what_is_selected(test):
    page, box = focus(test, "/selected", "number")
    page.keyboard.type("4111")
    box.evaluate("(input) => input.setSelectionRange(0, 4)")
    page.evaluate("form.update('number', { showBrand: false })")
    until_equal(page.frame_locator("#a iframe").locator(".brand").inner_text, "")
    page.keyboard.type("5")
    assert box.input_value() == "5", box.input_value()


def test_undo_during_a_composition(test):
    """What shows is what is submitted: nothing is undone before the composition ends."""
    page, box = focus(test, "/composing-undo", "holder")
    page.keyboard.type("Ann Li")
    session = composing(page)
    session.send("Input.imeSetComposition", {"text": "xyz", "selectionStart": 3, "selectionEnd": 3})
    until(page, "form.state.fields.holder.inputLength === 9")
    for key in ("Control+Z", "Control+Y"):
        page.keyboard.press(key)
        page.wait_for_timeout(100)
        assert len(box.input_value()) == page.evaluate("form.state.fields.holder.inputLength"), (key, box.input_value())
    session.send("Input.insertText", {"text": "xyz"})
    until_equal(box.input_value, "Ann Lixyz")
    page.keyboard.press("Control+Z")
    until_equal(box.input_value, "Ann Li")
    until(page, "form.state.fields.holder.inputLength === 6")


def test_leaving_a_field_ends_a_composition(test):
    """Chromium says nothing of its end then."""
    page = test.open("/left-composition", SETUP % ("kinds", "holder"), body="<div id=a></div><input id=own>")
    until(page, "window.isReady")
    box = page.frame_locator("#a iframe").locator("input")
    box.click()
    page.keyboard.type("Ann")
    page.context.new_cdp_session(page).send("Input.imeSetComposition", {"text": " Li", "selectionStart": 3, "selectionEnd": 3})
    page.click("#own")
    until(page, "form.state.fields.holder.inputLength === 6")
    box.click()
    page.keyboard.press("End")
    page.keyboard.type(" Smith")
    until(page, "form.state.fields.holder.inputLength === 12")
    assert box.input_value() == "Ann Li Smith"


def test_a_field_keeps_its_name(test):
    page = test.open("/named", SETUP % ("kinds", "holder"))
    until(page, "window.isReady")
    for label in ("", "  "):
        page.evaluate("(label) => form.update('holder', { label })", label)
    page.evaluate("form.update('holder', { placeholder: 'Ann Li' })")
    box = page.frame_locator("#a iframe").locator("input")
    until_equal(lambda: box.get_attribute("placeholder"), "Ann Li")
    assert box.get_attribute("aria-label") == "Field", box.get_attribute("aria-label")


def test_a_clear_ends_a_composition(test):
    page, box = focus(test, "/cleared-composition", "holder")
    session = page.context.new_cdp_session(page)
    session.send("Input.imeSetComposition", {"text": "Ann", "selectionStart": 3, "selectionEnd": 3})
    page.evaluate("form.clear()")
    until_equal(box.input_value, "")
    # What the method commits all the same, and what is typed after it.
    session.send("Input.insertText", {"text": "Ann"})
    page.keyboard.type(" Li")
    until(page, "length => form.state.fields.holder.inputLength === length", arg=len(box.input_value()))
    assert box.input_value().endswith(" Li")


def test_a_clear_amid_typing(test):
    """The page clears over one way, and what is typed goes over another: both ends agree on what is left."""
    page = test.open("/clear-amid", SETUP % ("kinds", "holder"))
    until(page, "window.isReady")
    frame = next(f for f in page.frames if "frame.html" in f.url and f.locator("input").count())
    frame.locator("input").focus()
    # Between the clear at the controller and that in the frame.
    frame.evaluate("""() => {
      const controller = [...Array(parent.length).keys()].map((index) => parent[index]).find((other) => {
        try { return other.cloakroomController } catch { return false } })
      const post = controller.MessagePort.prototype.postMessage
      controller.MessagePort.prototype.postMessage = function (message, ...rest) {
        post.call(this, message, ...rest)
        if (message.type === 'clear') document.execCommand('insertText', false, 'x')
      } }""")
    page.keyboard.type("Ann")
    until(page, "form.state.fields.holder.inputLength === 3")
    page.evaluate("form.clear()")
    until_equal(lambda: (frame.locator("input").input_value(), page.evaluate("form.state.fields.holder.inputLength")), ("", 0))
    assert page.evaluate("form.validate().then(({ fields }) => fields.holder.isEmpty)")


def test_text_that_does_not_fit_takes_no_other(test):
    page = test.open("/unfit", SETUP % ("checkout", "cvc") + "form.field('card_number', { label: 'Number' }).mount('#b')")
    until(page, "window.isReady")
    code, number = (page.frame_locator(place + " iframe").locator("input") for place in ("#a", "#b"))
    code.focus()
    page.keyboard.type("1234")
    number.focus()
    page.keyboard.type("4111111111111111")
    until(page, "form.state.fields.card_number.isValid && form.state.fields.cvc.validationErrors.length > 0")
    code.focus()
    for keys, expected in (("<End>abc", "1234|"), ("56", "1234|"), ("<Home>9!", "|1234"), ("<End><Backspace>", "123|"), ("4", "123|"),
                           ("<Backspace>5", "125|"), ("<Control+a>78", "78|")):
        press(page, code, keys)
        assert look(code, expected) == expected, (keys, look(code, expected))


def test_what_is_replaced_by_the_same(test):
    """A digit that has no place, by one that is the literal which stands there."""
    other = Gateway(test.binary, test.shop, forms={"mixed.yaml": "form: mixed\nfields: [{name: mixed, mask: '1c#'}]\n"})
    try:
        page = test.open("/replaced", SETUP % ("mixed", "mixed"), gateway=other)
        until(page, "window.isReady")
        box = page.frame_locator("#a iframe").locator("input")
        box.focus()
        press(page, box, "x1<Home><ArrowRight><Delete>")
        until(page, "form.state.fields.mixed.validationErrors.join() === 'DROPPED_INPUT_VALIDATION_ERROR'")
        assert look(box, "|1") == "|1", look(box, "|1")
        press(page, box, "<Control+a>1")
        until(page, "form.state.fields.mixed.isEmpty")
        assert look(box, "1|") == "1|", look(box, "1|")
        press(page, box, "x2<Control+z>")
        until(page, "form.state.fields.mixed.isValid")
        assert look(box, "1x|") == "1x|", look(box, "1x|")
        # What changes nothing is no edit.
        press(page, box, "<Control+a>{1x}<Control+z>")
        assert look(box, "1|") == "1|", look(box, "1|")
    finally:
        other.stop()


def test_a_command_over_what_is_selected(test):
    """As of programs that expand what is typed. Chromium does not announce it, and so not what was selected."""
    for field, typed, selected, text, expected in (
            ("batch", "123", (1, 4), "20", "120-0|3"), ("batch", "123", (1, 4), "4", "14|0-3"), ("batch", "1234", (0, 6), "56", "56|"),
            ("number", "41112222", (0, 4), "37", "37|22 22"), ("number", "4111", (4, 4), "22", "4111 22|"), ("number", "4111", (1, 3), "x", "4111"),
            ("holder", "Ann Li", (0, 3), "Eve", "Eve| Li"), ("holder", "Ann Li", (6, 6), "Ann\nLi", "Ann LiAnn Li|")):
        page, box = focus(test, "/command-" + field, field)
        page.keyboard.type(typed)
        box.evaluate("(input, [from, to]) => input.setSelectionRange(from, to)", selected)
        shown = box.input_value()
        box.evaluate(COMMAND, text)
        assert look(box, expected) == expected, (field, selected, text, look(box, "|"))
        if expected != shown:
            page.keyboard.press("Control+z")
            undone = box.evaluate("(input) => [input.value, input.selectionStart, input.selectionEnd]")
            assert undone == [shown, *selected], (field, text, undone)
        page.close()


def test_a_paste_over_what_is_selected(test):
    """From a clipboard: as `PASTE` does it."""
    page, box = focus(test, "/pasted", "batch")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    for how in ("clipboard", "script"):
        page.keyboard.type("123")
        if how == "clipboard":
            page.evaluate("""() => {
              const area = Object.assign(document.createElement('textarea'), { value: '20' })
              document.body.append(area)
              area.select()
              document.execCommand('copy')
              area.remove()
            }""")
            box.focus()
        box.evaluate("(input) => input.setSelectionRange(1, 4)")
        if how == "clipboard":
            page.keyboard.press("Control+v")
        else:
            box.evaluate(PASTE, "20")
        until_equal(lambda: look(box, "|"), "120-0|3")
        page.keyboard.press("Control+z")
        assert box.evaluate("(input) => [input.value, input.selectionStart, input.selectionEnd]") == ["120-3", 1, 4], how
        page.evaluate("form.clear()")
        until_equal(box.input_value, "")


def test_an_event_without_a_change(test):
    """As programs that keep passwords send to any field: what is sent stays as it was typed, and one undo takes back the last key."""
    page, box = focus(test, "/no-change", "code")
    page.keyboard.type("kl12")
    until(page, "form.state.fields.code.isComplete")
    shown = box.input_value()
    for kind in ("Event", "InputEvent"):
        box.evaluate("(input, kind) => input.dispatchEvent(new window[kind]('input', { bubbles: true }))", kind)
    page.evaluate("form.tokens()")
    assert json.loads(test.requests[-1].post_data)["fields"] == {"code": "kl12"}, test.requests[-1].post_data
    page.keyboard.press("Control+z")
    assert box.input_value() == shown[:-1], box.input_value()


def test_half_a_character(test):
    page, box = focus(test, "/half", "note")
    box.evaluate("() => document.execCommand('insertText', false, 'a' + String.fromCharCode(0xd83d) + 'b')")
    until(page, "form.state.fields.note.inputLength === 3")
    assert box.input_value() == "a\ufffdb" and not test.console, test.console


def test_a_field_in_two_frames(test):
    page = test.open("/twice", SETUP % ("kinds", "note") + "window.other = form.field('note', { label: 'Other' }).mount('#b')")
    until(page, "window.isReady")
    first, second = (page.frame_locator(place + " iframe").locator("input") for place in ("#a", "#b"))
    first.focus()
    page.keyboard.type("ab")
    second.focus()
    page.keyboard.type("abcd")
    until(page, "form.state.fields.note.inputLength === 4")
    # What was typed last is in the one that stays.
    page.evaluate("field.unmount()")
    page.wait_for_timeout(100)
    assert page.evaluate("form.state.fields.note.inputLength") == 4
    page.evaluate("field.mount('#a')")
    first.focus()
    page.keyboard.type("x")
    until(page, "form.state.fields.note.inputLength === 1")
    # What was typed last goes, and what is still shown counts.
    page.evaluate("field.unmount()")
    until(page, "form.state.fields.note.inputLength === 4")


def test_autofill_of_one_field(test):
    page = test.open("/autofill", SETUP % ("kinds", "number"))
    until(page, "window.isReady")
    box = page.frame_locator("#a iframe").locator("input")
    box.wait_for()
    assert box.get_attribute("autocomplete") == "cc-number" and box.get_attribute("inputmode") == "numeric"
    # As browsers and password managers do it: the text is set, and an input event without a type follows.
    box.evaluate("input => { input.value = '4111111111111111'; input.dispatchEvent(new Event('input', { bubbles: true })) }")
    until(page, "form.state.fields.number.isValid && form.state.fields.number.inputLength === 16")
    assert box.input_value() == "4111 1111 1111 1111", box.input_value()
    # Browsers don't write it to their files then; an empty field can be filled in again.
    assert box.get_attribute("autocomplete") == "off"
    page.evaluate("form.clear()")
    until_equal(lambda: box.get_attribute("autocomplete"), "cc-number")
    # What is refused leaves nothing.
    box.focus()
    page.keyboard.type("x")
    assert box.input_value() == "" and box.get_attribute("autocomplete") == "cc-number"


def test_drop(test):
    page, box = focus(test, "/drop", "number")
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
    # It shows, and counts, until it is changed.
    error = page.frame_locator("#a iframe").locator(".error")
    error.filter(has_text="Please check this").wait_for()
    assert box.get_attribute("aria-invalid") == "true"
    state = page.evaluate("form.state")
    assert not state["isValid"] and not state["isComplete"] and state["nextField"] == "member", state
    assert state["fields"]["member"]["validationErrors"] == ["PATTERN_VALIDATION_ERROR"] and not state["fields"]["member"]["isValid"], state
    page.keyboard.press("Tab")
    assert error.inner_text() == "Please check this"
    box.focus()
    page.keyboard.press("Backspace")
    page.keyboard.type("1")
    until(page, "form.state.isValid && form.state.fields.member.isValid")
    assert error.inner_text() == "" and box.get_attribute("aria-invalid") == "false"
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


def test_files_that_follow_each_other(test):
    page = test.open("/files", SETUP % ("papers", "passport"))
    until(page, "window.isReady")
    frame = next(f for f in page.frames if "frame.html" in f.url and f.locator("input").count())
    frame.locator("input[type=file]").wait_for()
    frame.evaluate("""() => {
      window.readers = []
      const read = FileReader.prototype.readAsDataURL
      FileReader.prototype.readAsDataURL = function (file) { readers.push(() => read.call(this, file)); window.last = this }
      window.choose = (size) => {
        const input = document.querySelector('input')
        const chosen = new DataTransfer()
        chosen.items.add(new File([new Uint8Array(size).fill(65)], size + '.txt', { type: 'text/plain' }))
        input.files = chosen.files
        input.dispatchEvent(new Event('change', { bubbles: true }))
      }
      choose(50)
      choose(7)
      // The second is read before the first.
      readers[1]()
    }""")
    until(page, "form.state.fields.passport.inputLength === 7")
    frame.evaluate("readers[0]()")
    page.wait_for_timeout(100)
    assert page.evaluate("form.state.fields.passport.inputLength") == 7
    # While one is read, the one before it does not go under its name.
    frame.evaluate("choose(9)")
    until(page, "form.state.fields.passport.isEmpty")
    page.evaluate("form.clear()")
    until_equal(lambda: frame.evaluate("document.querySelector('input').files.length"), 0)
    frame.evaluate("readers[2]()")
    page.wait_for_timeout(100)
    assert page.evaluate("form.state.fields.passport.isEmpty")
    # One that cannot be read is not taken.
    frame.evaluate("() => { choose(5); last.onerror(new Event('error')) }")
    until_equal(lambda: frame.evaluate("document.querySelector('input').files.length"), 0)
    frame.locator(".error", has_text="Please fill in this field").wait_for()
    assert page.evaluate("form.state.fields.passport.isEmpty") and not test.console, test.console
    assert frame.evaluate("""() => document.querySelector('input').dispatchEvent(
      new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }))"""), "Enter opens the chooser"
