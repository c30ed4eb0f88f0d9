"""The card frame in both layouts (docs/reference/elements.md section 9, docs/reference/browser.md section 2)."""
from until import until, until_equal

SETUP = """
window.isReady = false
const form = (window.form = Cloakroom.form('checkout', { locale: 'de' }))
form.on('ready', () => { window.isReady = true })
window.events = []
for (const name of ['focus', 'blur', 'submit', 'error']) form.on(name, (detail) => events.push([name, detail.name]))
form.card({ layout: '%s' }).mount('#a')
"""


def start(test, layout):
    page = test.open("/card-" + layout, SETUP % layout)
    until(page, "window.isReady")
    frame = page.frame_locator("#a iframe")
    frame.locator(".number input").wait_for()
    return page, frame


def focused(page):
    return page.evaluate("Object.values(form.state.fields).find(field => field.isFocused)?.fieldName")


def fill_by_typing(test, layout):
    page, frame = start(test, layout)
    frame.locator(".number input").focus()
    # In one go: each field moves on to the next by itself.
    page.keyboard.type("4111111111111111" + "1231" + "123")
    until(page, "form.state.isValid === true")
    assert focused(page) == "cvc", focused(page)
    assert frame.locator(".expiry input").input_value() == "12/31"
    assert frame.locator(".cvc input").input_value() == "123"
    # Backwards: each emptied field moves back to the one before.
    for _ in range(3):
        page.keyboard.press("Backspace")
    page.keyboard.press("Backspace")
    until(page, "form.state.fields.exp_date.isFocused")
    assert frame.locator(".expiry input").input_value() == "12/31"
    for _ in range(5):
        page.keyboard.press("Backspace")
    until(page, "form.state.fields.card_number.isFocused")
    assert frame.locator(".number input").input_value() == "4111 1111 1111 1111"
    return page, frame


def test_stacked_card(test):
    fill_by_typing(test, "stacked")


def test_inline_card(test):
    page, frame = fill_by_typing(test, "inline")
    number = frame.locator(".number")
    wide = number.bounding_box()["width"]
    page.keyboard.press("Tab")
    page.wait_for_timeout(250)
    assert number.bounding_box()["width"] < wide / 2
    assert frame.locator(".number .last4").inner_text() == "1111" and frame.locator(".number .last4").is_visible()


# Whether the text of an input can be read whole, with another character behind it.
FITS = """(input, more) => { const context = document.createElement('canvas').getContext('2d')
  const style = getComputedStyle(input)
  context.font = style.font
  return context.measureText(input.value + more).width <= input.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) }"""


def test_inline_number_on_a_phone(test):
    """It can be read whole while it is typed; the other fields open as they get the focus (docs/reference/browser.md section 2)."""
    short, long, other = "5105105105105100", "6200000000000000003", "378282246310005"
    for width, number in ((320, short), (320, long), (320, other), (375, short), (412, long), (600, short)):
        page = test.open("/phone", SETUP % "inline", viewport={"width": width, "height": 400}, reduced_motion="reduce")
        until(page, "window.isReady")
        frame = page.frame_locator("#a iframe")
        box = frame.locator(".number input")
        box.focus()
        page.keyboard.type(number[:16] if len(number) > 16 else number[:-1])
        if len(number) > 16:
            # Who has a longer number than most goes back to it.
            until(page, "form.state.fields.exp_date.isFocused")
            page.keyboard.press("Shift+Tab")
            page.keyboard.press("End")
            page.keyboard.type(number[16:-1])
        assert box.evaluate(FITS, "0"), (width, box.input_value())
        page.keyboard.type(number[-1])
        for name, part, text in (("exp_date", ".expiry", "1231"), ("cvc", ".cvc", "1234" if number[0] == "3" else "123")):
            until(page, "form.state.fields.%s.isFocused" % name)
            page.keyboard.type(text)
            field = frame.locator(part)
            assert field.locator("input").evaluate(FITS, ""), (width, part)
            # Nothing is scrolled out of its box on the way there.
            assert field.evaluate("(field) => field.closest('.card').scrollLeft + field.querySelector('.box').scrollLeft") == 0
        assert frame.locator(".last4").first.is_visible()


def test_inline_cards_in_narrow_boxes(test):
    """The field with the focus can be read whole there, too, and at twice the size of text."""
    sizes = ((150, 16), (180, 16), (200, 16), (240, 20), (320, 24), (320, 32))
    page = test.open("/narrow", """
window.forms = %s.map(([width, size]) => {
  const place = document.querySelector('main').appendChild(document.createElement('div'))
  place.style.width = width + 'px'
  place.style.setProperty('--cloakroom-font-size', size + 'px')
  const form = Cloakroom.form('checkout')
  form.card().mount(place)
  return form
})""" % list(map(list, sizes)), "", reduced_motion="reduce")
    for index, size in enumerate(sizes):
        until(page, "forms[%d].state.fields.cvc" % index)
        frame = page.frame_locator("main > div:nth-of-type(%d) iframe" % (index + 1))
        frame.locator(".number input").focus()
        page.keyboard.type("4111111111111111")
        # The last digit of a date moves on to the code.
        for name, part, text, last in (("exp_date", ".expiry", "123", "1"), ("cvc", ".cvc", "123", "")):
            until(page, "forms[%d].state.fields.%s.isFocused" % (index, name))
            page.keyboard.type(text)
            assert frame.locator(part + " input").evaluate(FITS, last), (size, part)
            page.keyboard.type(last)


def test_what_stays_of_a_number_in_an_inline_card(test):
    """Its last four look as the page has styled the number; one without stays as it is."""
    page = test.open("/what-stays", SETUP.replace("{ layout: '%s' }", """{ style: {
  base: { color: 'rgb(1, 2, 3)', fontSize: '32px', paddingLeft: '3px' }, complete: { letterSpacing: '2px' }, focus: { color: 'red' } } }""")
                     + "window.store = Cloakroom.form('store')\nstore.card({ number: { value: '910012345' } }).mount('#b')",
                     reduced_motion="reduce")
    until(page, "isReady && store.state.fields.number?.isComplete")
    frame = page.frame_locator("#a iframe")
    frame.locator(".number input").focus()
    page.keyboard.type("4111111111111111")
    until(page, "form.state.fields.exp_date.isFocused")
    looks = "element => (({ color, fontSize, letterSpacing, paddingLeft }) => [color, fontSize, letterSpacing, paddingLeft])(getComputedStyle(element))"
    wanted = ["rgb(1, 2, 3)", "32px", "2px", "3px"]
    assert frame.locator(".number .last4").evaluate(looks) == wanted == frame.locator(".number input").evaluate(looks)
    # They can be read whole, in the place of the number.
    assert frame.locator(".number .last4").evaluate("element => element.scrollWidth <= element.closest('.box').clientWidth")
    assert frame.locator(".number .last4").bounding_box() == frame.locator(".number input").bounding_box()
    other = page.frame_locator("#b iframe")
    other.locator(".expiry input").focus()
    number = other.locator(".number input")
    assert number.input_value().replace(" ", "") == "910012345" and not other.locator(".number .last4").is_visible()
    assert number.evaluate("input => getComputedStyle(input).opacity") == "1" and number.evaluate(FITS, "")


def test_placeholders(test):
    page = test.open("/placeholders", SETUP % "inline" + "\nform.field('exp_date', { label: 'Expiry', placeholder: 'Expiry' }).mount('#b')")
    until(page, "window.isReady")
    frame, own = page.frame_locator("#a iframe"), page.frame_locator("#b iframe").locator("input")
    assert own.get_attribute("placeholder") == "Expiry"
    # The last one that was mounted is changed.
    page.evaluate("form.update('exp_date', { placeholder: '' }); form.update('cvc', { label: 'CID' })")
    until_equal(lambda: own.get_attribute("placeholder"), "MM/JJ")
    code = frame.locator(".cvc input")
    until_equal(lambda: (code.get_attribute("aria-label"), code.get_attribute("placeholder")), ("CID", "CID"))
    page.evaluate("form.update('cvc', { placeholder: '3 digits', label: 'Code' })")
    until_equal(lambda: (code.get_attribute("aria-label"), code.get_attribute("placeholder")), ("Code", "3 digits"))


def test_last_digits_show_in_the_short_number_alone(test):
    page = test.open("/digits", SETUP % "stacked" + "\nform.field('card_number', { label: 'Number' }).mount('#b')")
    until(page, "window.isReady")
    for place in ("#b", "#a"):
        frame = page.frame_locator(place + " iframe")
        frame.locator("input").first.focus()
        page.keyboard.type("4111111111111111")
        until(page, "form.state.fields.card_number.isComplete")
        assert not frame.locator(".last4").first.is_visible(), place


def test_code_follows_the_brand(test):
    page, frame = start(test, "stacked")
    frame.locator(".cvc input").focus()
    page.keyboard.type("1234")
    until(page, "form.state.fields.cvc.inputLength >= 3")
    frame.locator(".number input").focus()
    page.keyboard.type("4111111111111111")
    until(page, "form.state.fields.card_number.isValid")
    # A Visa's code has three digits: the fourth is not cut, it is a mistake that shows.
    until(page, "form.state.fields.cvc.isValid === false || form.state.fields.cvc.inputLength === 3")


def test_an_error_goes_with_its_cause(test):
    for layout in ("stacked", "inline"):
        page, frame = start(test, layout)
        frame.locator(".number input").focus()
        page.keyboard.type("378282246310005" + "1231" + "123")
        page.keyboard.press("Tab")
        code = frame.locator(".cvc input")
        until_equal(lambda: code.get_attribute("aria-invalid"), "true")
        if layout == "inline":
            border = "(card) => getComputedStyle(card).borderTopColor"
            until_equal(lambda: frame.locator(".card").evaluate(border), "rgb(179, 38, 30)")
        frame.locator(".number input").focus()
        page.keyboard.press("Control+A")
        page.keyboard.type("4111111111111111")
        until(page, "form.state.isValid")
        assert code.get_attribute("aria-invalid") == "false" and frame.locator(".error", has_text="Bitte").count() == 0, layout


def test_a_number_that_makes_a_code_wrong(test):
    """The code was left as right: what it has become shows, wherever its field is."""
    fields = ("form.field('card_number', { label: 'Number' }).mount('#a')\nform.field('cvc', { label: 'Code' }).mount('#b')")
    for place, script in (("#a", SETUP % "stacked"), ("#b", SETUP.replace("form.card({ layout: '%s' }).mount('#a')", fields))):
        page = test.open("/code-" + place[1:], script)
        until(page, "window.isReady")
        number = page.frame_locator("#a iframe").locator("input").first
        code = page.frame_locator(place + " iframe").locator("input").last
        number.focus()
        page.keyboard.type("378282246310005")
        code.focus()
        page.keyboard.type("1234")
        number.focus()
        until(page, "form.state.fields.cvc.isValid")
        assert code.get_attribute("aria-invalid") == "false"
        page.keyboard.press("Control+A")
        page.keyboard.type("4111111111111111")
        until_equal(lambda: code.get_attribute("aria-invalid"), "true")
        said = page.frame_locator(place + " iframe").locator(".error").last.inner_text()
        assert said == "Einige Zeichen gehören nicht hierher", said
        # One that nobody has left says nothing.
        page.evaluate("form.clear()")
        until_equal(lambda: code.get_attribute("aria-invalid"), "false")
        number.focus()
        page.keyboard.type("4111")
        assert code.get_attribute("aria-invalid") == "false"


def test_a_cleared_number_has_its_width(test):
    page, frame = start(test, "inline")
    frame.locator(".number input").focus()
    page.keyboard.type("4111111111111111" + "1231")
    number = frame.locator(".number")
    until_equal(lambda: "short" in number.get_attribute("class"), True)
    page.evaluate("form.clear()")
    until_equal(lambda: "short" in number.get_attribute("class"), False)
    assert frame.locator(".number input").evaluate("(input) => getComputedStyle(input).opacity") == "1"


def test_fields_that_cannot_be_used_are_passed_over(test):
    page, frame = start(test, "stacked")
    page.evaluate("form.update('exp_date', { disabled: true })")
    until_equal(frame.locator(".expiry input").is_disabled, True)
    frame.locator(".number input").focus()
    page.keyboard.type("4111111111111111")
    until(page, "form.state.fields.cvc.isFocused")
    page.keyboard.press("Backspace")
    until(page, "form.state.fields.card_number.isFocused")


def test_nothing_of_a_frame_is_scrolled_away(test):
    page, frame = start(test, "stacked")
    frame.locator(".number input").focus()
    page.keyboard.type("4111111111111112")
    page.keyboard.press("Tab")
    until_equal(lambda: frame.locator(".number .error").inner_text() != "", True)
    page.wait_for_timeout(200)
    assert frame.locator("html").evaluate("(root) => root.scrollTop") == 0
    heights = frame.locator("html").evaluate("(root) => [root.scrollHeight, innerHeight]")
    assert heights[0] <= heights[1], heights


def test_the_focus_before_the_rules(test):
    held = []
    page = test.open("/early-focus", "")
    page.context.route("**/engine.wasm", lambda route: held.append(route))
    script = SETUP.replace("{ layout: '%s' }", "{ autofocus: true }")
    page.goto(test.shop.page("/early-focus-card", script, "<div id=a></div>", test.gateway.origin), wait_until="commit")
    frame = page.frame_locator("#a iframe")
    until_equal(lambda: frame.locator(".number input").evaluate("(input) => input === document.activeElement"), True)
    page.wait_for_timeout(100)
    assert page.evaluate("events") == []
    for route in held:
        route.continue_()
    until(page, "form.state.fields.card_number?.isFocused")
    assert page.evaluate("events") == [["focus", "card_number"]]


def test_errors_show_on_leaving(test):
    page, frame = start(test, "stacked")
    error = frame.locator(".number .error")
    frame.locator(".number input").focus()
    page.keyboard.type("41")
    assert error.inner_text() == ""
    frame.locator(".expiry input").focus()
    assert error.inner_text() == "Bitte die Kartennummer prüfen", error.inner_text()
    box = frame.locator(".number input")
    assert box.get_attribute("aria-invalid") == "true"
    assert frame.locator("#" + box.get_attribute("aria-describedby")).inner_text() == error.inner_text()
    box.focus()
    page.keyboard.type("1")
    assert error.inner_text() == ""
    page.keyboard.press("Enter")
    until(page, "events.some(([name, field]) => name === 'submit' && field === 'card_number')")
    names = page.evaluate("events.map(([name, field]) => name + ' ' + field)")
    assert names[:3] == ["focus card_number", "blur card_number", "focus exp_date"], names


def test_autofill_of_the_card(test):
    page, frame = start(test, "inline")
    kinds = [frame.locator(part + " input").get_attribute("autocomplete") for part in (".number", ".expiry", ".cvc")]
    assert kinds == ["cc-number", "cc-exp", "cc-csc"], kinds
    for part, text in ((".number", "5555 5555 5555 4444"), (".expiry", "12/31"), (".cvc", "321")):
        frame.locator(part + " input").evaluate(
            "(input, text) => { input.value = text; input.dispatchEvent(new Event('input', { bubbles: true })) }", text)
    until(page, "form.state.isValid")


def test_a_card_that_the_page_knows(test):
    for number, expiry, is_valid in (("4539526018159083", "12/31", True), ("4539526018159084", "12/31", False), ("4539526018159083", "10/20", False)):
        page = test.open("/known", SETUP.replace("{ layout: '%s' }", "{ number: { value: '" + number + "' }, expiry: { value: '" + expiry + "' } }"))
        until(page, "window.isReady")
        until(page, "form.state.fields.exp_date.isDirty && form.state.fields.card_number.inputLength === 16")
        frame = page.frame_locator("#a iframe")
        assert frame.locator(".number input").input_value().startswith("4539 5260 1815 908")
        # Judged, not trusted; and no error shows before the customer was there.
        state = page.evaluate("form.state")
        assert state["fields"]["card_number"]["isValid"] and state["fields"]["exp_date"]["isValid"] if is_valid else state["nextField"] != "cvc", state
        assert frame.locator(".error", has_text="Bitte").count() == 0


def test_what_keyboards_and_browsers_are_told(test):
    page, frame = start(test, "inline")
    told = [[frame.locator(part + " input").get_attribute(name) for name in ("inputmode", "autocomplete", "enterkeyhint", "aria-label", "placeholder")]
            for part in (".number", ".expiry", ".cvc")]
    assert told == [["numeric", "cc-number", "next", "Kartennummer", "Kartennummer"], ["numeric", "cc-exp", "next", "Gültig bis", "MM/JJ"],
                    ["numeric", "cc-csc", "done", "Prüfziffer", "CVC"]], told
    page.evaluate("form.focus('exp_date')")
    until(page, "form.state.fields.exp_date.isFocused")


def test_each_code_follows_its_own_card(test):
    page = test.open("/pair", SETUP.replace("'checkout'", "'pair'").replace("form.card({ layout: '%s' }).mount('#a')", """
form.card({ layout: 'stacked', number: 'first', expiry: 'none', cvc: 'firstCode' }).mount('#a')
form.field('second', { label: 'Second' }).mount('#b')
form.field('secondCode', { label: 'Code' }).mount('#c')"""))
    until(page, "window.isReady")
    for box, text in ((page.frame_locator("#a iframe").locator(".number input"), "378282246310005"),
                      (page.frame_locator("#b iframe").locator("input"), "4111111111111111"),
                      (page.frame_locator("#a iframe").locator(".cvc input"), "12345"), (page.frame_locator("#c iframe").locator("input"), "12345")):
        box.focus()
        page.keyboard.type(text)
    until(page, "form.state.fields.firstCode.isComplete && form.state.fields.secondCode.isComplete")
    # American Express has four digits, Visa three (docs/reference/fields.md section 6).
    assert page.evaluate("[form.state.fields.firstCode.inputLength, form.state.fields.secondCode.inputLength]") == [4, 3]


def test_a_card_that_is_changed_before_it_is_there(test):
    page = test.open("/card-early", SETUP % "stacked" + """
window.warnings = []
console.warn = (text) => warnings.push(text)
form.update('cvc', { label: 'Code' })
form.focus('exp_date')
form.update('nothing', { label: 'Nothing' })
""")
    until(page, "isReady && form.state.fields.exp_date.isFocused")
    frame = page.frame_locator("#a iframe")
    frame.get_by_label("Code").wait_for()
    until(page, "warnings.join() === 'Cloakroom: no field nothing is mounted'")
    # The frame is the card's, not the code's; in the language of the form, as the page names none.
    assert page.evaluate("document.querySelector('#a iframe').title") == "Karte"


def test_a_card_without_a_label_is_seen(test):
    page = test.open("/card-label", SETUP.replace("{ layout: '%s' }", "{ label: '' }"))
    until(page, "window.isReady")
    page.frame_locator("#a iframe").locator(".number input").wait_for()
    assert page.evaluate("document.querySelector('#a iframe').title") == "Karte"


def test_a_card_has_what_its_form_has(test):
    page = test.open("/card-dates", SETUP.replace("'checkout'", "'dates'") % "stacked")
    until(page, "window.isReady")
    frame = page.frame_locator("#a iframe")
    assert [frame.locator(part + " input").is_visible() for part in (".number", ".expiry", ".cvc")] == [False, True, False]
    frame.locator(".expiry input").focus()
    page.keyboard.type("1231")
    until(page, "form.state.fields.shortYear.isComplete")
    assert page.evaluate("events.filter(([name]) => name === 'error').length") == 0


def test_one_field_of_a_card_is_changed(test):
    page = test.open("/card-style", SETUP.replace("{ layout: '%s' }", "{ layout: 'stacked', style: { base: { color: 'rgb(1, 2, 3)' } } }"))
    until(page, "window.isReady")
    frame = page.frame_locator("#a iframe")
    page.evaluate("form.update('cvc', { style: { base: { color: 'rgb(4, 5, 6)' } } })")
    colors = lambda: [frame.locator(part + " input").evaluate("input => getComputedStyle(input).color") for part in (".number", ".expiry", ".cvc")]
    until_equal(colors, ["rgb(1, 2, 3)", "rgb(1, 2, 3)", "rgb(4, 5, 6)"])


def test_the_name_of_a_card(test):
    page = test.open("/card-name", """
window.form = Cloakroom.form('checkout')
form.card({ label: 'Your card' }).mount('#a')
form.card().mount('#b')
""")
    until(page, "form.state.fields.cvc")
    for place, name in (("#a", "Your card"), ("#b", "Card")):
        group = page.frame_locator(place + " iframe").locator("[role=group]")
        assert group.get_attribute("aria-label") == name and page.locator(place + " iframe").get_attribute("title") == name, name
