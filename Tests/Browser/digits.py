"""What a page learns of a card number while it is typed (docs/reference/browser.md section 2): no more than of the number that it becomes."""
from until import until, until_equal

SETUP = """
window.seen = []
window.tokens = []
const form = (window.form = Cloakroom.form('checkout'))
const keep = ({ fields }) => { if (fields?.card_number) seen.push(fields.card_number) }
form.on('change', keep)
form.on('ready', () => { window.isReady = true })
window.look = () => form.validate().then(keep)
window.tokenize = () => form.tokens().then(({ data }) => tokens.push(data.card_number), (error) => { tokens.push(''); keep(error) })
form.field('card_number', { label: 'Card number' }).mount('#a')
form.field('cvc', { label: 'Code' }).mount('#b')
"""


def luhn(digits):
    doubled = [int(c) * (1 + i % 2) for i, c in enumerate(reversed(digits))]
    return sum(d - 9 if d > 9 else d for d in doubled) % 10 == 0


def number(start, *lengths):
    """One that is valid at each of these lengths, as far as checksums go."""
    digits = start
    while len(digits) < lengths[-1]:
        digits += "7308215"[len(digits) % 7]
        if len(digits) in lengths:
            digits = next(digits[:-1] + d for d in "0123456789" if luhn(digits[:-1] + d))
    return digits


# All brands that have several lengths (docs/reference/fields.md section 5), and one that has one.
NUMBERS = [
    number("4539", 13, 16), number("4539", 13, 16, 19), number("6304", 12, 13, 14, 15, 16, 17, 18, 19), number("6304", 12, 14),
    number("6011", 16, 17, 18, 19), number("36", 14, 16), number("3528", 16, 17, 18), number("6205", 16, 17, 18, 19),
    number("60628", 14, 15, 16), number("5105", 16),
]


def known(states):
    """The places of digits that states show, from the front."""
    places = set()
    for state in states:
        length, shown = state["inputLength"], sum(c.isdigit() for c in state["redacted"])
        assert shown in (0, len(state["last4"])), state
        places |= set(range(len(state["bin"]))) | {length - 1 - i for i in range(len(state["last4"]))}
    return places


def start(test, path):
    page = test.open(path, SETUP, body="<div id=a></div><div id=b></div><button>Pay</button>")
    until(page, "window.isReady")
    box = page.frame_locator("#a iframe").locator("input")
    box.focus()
    return page, box


def usually_ends_before(text):
    """Whether it is valid with 16 digits, and goes on."""
    return len(text) > 16 and luhn(text[:16])


def states(page, text, each):
    """All that the page is told while a number is typed key by key, and then left."""
    page.evaluate("seen.length = 0")
    for digit in text:
        page.keyboard.type(digit)
        each()
    page.frame_locator("#b iframe").locator("input").focus()
    until(page, "form.state.fields.card_number.last4 || form.state.fields.cvc.isFocused")
    page.evaluate("look()")
    return page.evaluate("[...seen, form.state.fields.card_number]")


def test_a_number_that_is_typed_key_by_key(test):
    for index, text in enumerate(NUMBERS):
        page, box = start(test, "/digits-%d" % index)
        seen = states(page, text, lambda: page.evaluate("look()"))
        last = seen[-1]
        assert last["isValid"], last
        if usually_ends_before(text):
            # Those of the first sixteen are told, and no others.
            assert last["last4"] == "" and known(seen) == set(range(len(last["bin"]))) | set(range(12, 16)), (text, sorted(known(seen)))
        else:
            assert last["last4"] == text[-4:] and last["redacted"].endswith(text[-1]), last
            assert known(seen) == known([last]), (text, sorted(known(seen)), last)


def test_a_number_of_sixteen_digits_shows_its_last_while_it_is_typed(test):
    for index, text in enumerate(["4111111111111111", "5454545454545454", number("6304", 12, 14, 16)]):
        page, box = start(test, "/sixteen-%d" % index)
        page.keyboard.type(text[:-1])
        until(page, "form.state.fields.card_number.inputLength === 15")
        assert page.evaluate("form.state.fields.card_number.last4") == ""
        page.keyboard.type(text[-1])
        until(page, "form.state.fields.card_number.last4 === '%s'" % text[-4:])


def test_a_number_whose_field_loses_the_focus_at_each_key(test):
    """A page can take it away: it learns the last digits of one length, once."""
    for index, text in enumerate(NUMBERS[1:3]):
        page, box = start(test, "/taken-%d" % index)

        def take():
            page.evaluate("document.querySelector('button').focus()")
            page.evaluate("look()")
            box.focus()
            page.keyboard.press("End")

        seen = states(page, text, take)
        # And again, after the page has emptied the field.
        page.evaluate("form.clear()")
        until(page, "form.state.fields.card_number.isEmpty")
        box.focus()
        seen += states(page, text, take)
        assert len(known(seen) - set(range(8))) <= 4, (text, sorted(known(seen)))
        # Another card's are its own.
        page.evaluate("form.clear()")
        box.focus()
        assert states(page, "5454545454545454", lambda: None)[-1]["last4"] == "5454"


def test_a_number_whose_controller_is_loaded_again_at_each_key(test):
    """A page can remove the frame that the others report to: they know what has been shown."""
    text = NUMBERS[0]
    page, box = start(test, "/again")

    def take():
        page.evaluate("document.querySelector('button').focus()")
        page.evaluate("look()")
        page.evaluate("document.querySelector('iframe[aria-hidden]').remove()")
        page.evaluate("look()")
        box.focus()
        page.keyboard.press("End")

    seen = states(page, text, take)
    assert len(known(seen) - set(range(8))) <= 4, sorted(known(seen))


def test_a_page_cannot_shorten_the_pause(test):
    """By a deadline that has passed, or a change of another field."""
    for index, way in enumerate(["Date.now = () => 0", "form.clear('cvc')"]):
        page, box = start(test, "/hasty-%d" % index)
        for digit in NUMBERS[0]:
            page.keyboard.type(digit)
            page.evaluate("document.querySelector('button').focus()")
            page.evaluate("() => { %s; void tokenize() }" % way)
            box.focus()
            page.keyboard.press("End")
        page.wait_for_timeout(1_500)
        sent = [r.post_data_json["fields"].get("card_number") for r in test.requests if r.url.endswith("/tokens")]
        assert set(sent) <= {NUMBERS[0]}, sent
        test.requests.clear()


def test_aliases_of_a_number_that_is_being_typed(test):
    """They wait for a pause: else those of the lengths that it has on the way would show it."""
    page, box = start(test, "/typed-aliases")
    text = NUMBERS[0]
    states(page, text, lambda: page.evaluate("() => void tokenize()"))
    until(page, "tokens.length === %d" % len(text))
    given = page.evaluate("tokens")
    # What else the form asks for is missing, so that the states come with an error.
    assert set(given) == {""}, given
    seen = page.evaluate("seen")
    assert known(seen) <= set(range(8)) | set(range(12, 16)), sorted(known(seen))
    sent = [r.post_data_json["fields"].get("card_number") for r in test.requests if r.url.endswith("/tokens")]
    assert set(sent) == {text}, sent


def test_the_key_that_submits_ends_a_number(test):
    page, box = start(test, "/digits-enter")
    text = NUMBERS[0][:13]
    page.keyboard.type(text)
    until(page, "form.state.fields.card_number.isValid")
    assert page.evaluate("form.state.fields.card_number.last4") == ""
    page.keyboard.press("Enter")
    until(page, "form.state.fields.card_number.last4 === '%s'" % text[-4:])
    page.keyboard.press("Backspace")
    until(page, "form.state.fields.card_number.last4 === ''")


def test_a_card_that_moves_on_before_its_number_is_finished(test):
    page = test.open("/digits-card", SETUP.replace("form.field('card_number', { label: 'Card number' })", "form.card()"))
    until(page, "window.isReady")
    frame = page.frame_locator("#a iframe")
    text = NUMBERS[7]
    frame.locator(".number input").focus()
    page.keyboard.type(text[:16])
    until(page, "form.state.fields.exp_date.isFocused")
    until(page, "form.state.fields.card_number.last4 === '%s'" % text[12:16])
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("End")
    page.keyboard.type(text[16:])
    until(page, "form.state.fields.card_number.inputLength === 19 && form.state.fields.card_number.last4 === ''")
    assert known(page.evaluate("seen")) == set(range(6)) | set(range(12, 16))
    # One of fewer digits is finished when the next field is typed in, or the card is left.
    text = number("6304", 12)
    for leave in (lambda: page.keyboard.type("1"), lambda: page.frame_locator("#b iframe").locator("input").focus()):
        page.evaluate("form.clear()")
        until(page, "form.state.fields.card_number.isEmpty")
        frame.locator(".number input").focus()
        page.keyboard.type(text)
        until(page, "form.state.fields.card_number.isValid")
        page.keyboard.press("Tab")
        until(page, "form.state.fields.exp_date.isFocused")
        assert page.evaluate("form.state.fields.card_number.last4") == ""
        leave()
        until_equal(lambda: page.evaluate("form.state.fields.card_number.last4"), text[-4:])


def test_a_number_that_the_browser_fills_in(test):
    page, box = start(test, "/digits-filled")
    page.frame_locator("#b iframe").locator("input").focus()
    box.evaluate("(input, text) => { input.value = text; input.dispatchEvent(new Event('input', { bubbles: true })) }", NUMBERS[0])
    until(page, "form.state.fields.card_number.last4 === '%s'" % NUMBERS[0][-4:])
