"""Fields of a form that another description is loaded for while its page is open."""
from calls import attempt
from shop import Gateway
from until import until, until_equal

PAIR = """
form: pair
route: echo
fields:
  - {name: note}
  - {name: city}
"""
CARD = """
form: card
route: echo
fields:
  - {name: number, type: cardNumber}
  - {name: expiry, type: expDate}
  - {name: code, type: cvc}
  - {name: note}
"""
CODE = "  - {name: code, type: cvc}\n"


def other_gateway(test, name, form):
    return Gateway(test.binary, test.shop, forms={name + ".yaml": form})


def test_a_field_that_joins_a_form_empties_no_other(test):
    """Not the one before it either, whose keyboard has another key from then on."""
    other = other_gateway(test, "pair", PAIR)
    try:
        page = test.open("/joins", """
window.form = Cloakroom.form('pair')
form.on('ready', () => { window.isReady = true })
form.field('city', { label: 'City' }).mount('#a')""", gateway=other)
        until(page, "window.isReady")
        box = page.frame_locator("#a iframe").locator("input")
        box.focus()
        page.keyboard.type("Bern")
        until(page, "form.state.fields.city.inputLength === 4")
        assert box.get_attribute("enterkeyhint") == "done"
        other.change("pair", "{name: city}", "{name: city}\n  - {name: voucher}")
        assert attempt(page, "form.send('/x')")["error"]["type"] == "formChanged"
        until(page, "form.state.fields.voucher")
        until_equal(lambda: box.get_attribute("enterkeyhint"), "next")
        assert box.input_value() == "Bern"
        assert attempt(page, "form.send('/x')")["value"]["body"]["city"] == "Bern"
        # What it means is another thing.
        other.change("pair", "{name: city}", "{name: city, maxInputLength: 9}")
        assert attempt(page, "form.send('/x')")["error"]["type"] == "formChanged"
        until_equal(box.input_value, "")
    finally:
        other.stop()


def test_a_field_that_a_form_no_longer_has(test):
    """It is not shown, and back with the field."""
    other = other_gateway(test, "card", CARD)
    try:
        for index, (mount, place) in enumerate((
                ("card({ layout: 'inline' })", ".cvc"), ("card({ layout: 'stacked', cvc: 'code' })", ".cvc"),
                ("field('code', { label: 'Code' })", ".field"))):
            page = test.open("/leaves-%d" % index, """
window.errors = []
window.form = Cloakroom.form('card')
form.on('error', ({ type }) => errors.push(type))
form.on('ready', () => { window.isReady = true })
form.%s.mount('#a')
form.field('note', { label: 'Note' }).mount('#b')""" % mount, gateway=other)
            until(page, "window.isReady")
            part = page.frame_locator("#a iframe").locator(place)
            part.locator("input").focus()
            page.keyboard.type("123")
            until(page, "form.state.fields.code.inputLength === 3")
            other.change("card", CODE, "")
            assert attempt(page, "form.send('/x')")["error"]["type"] == "formChanged"
            until(page, "!form.state.fields.code")
            part.wait_for(state="hidden")
            assert page.frame_locator("#a iframe").locator(".error:visible", has_text="Please").count() == 0
            # The page is told once.
            page.evaluate("form.clear()")
            page.evaluate("form.validate()")
            assert page.evaluate("errors") == ["unknownField"], page.evaluate("errors")
            assert "code" not in attempt(page, "form.send('/x')")["value"]["body"]
            # Nor after another reload.
            for old, new in (("note}", "note, maxInputLength: 8}"), ("note, maxInputLength: 8}", "note}")):
                other.change("card", old, new)
                assert attempt(page, "form.send('/x')")["error"]["type"] == "formChanged"
                page.wait_for_timeout(100)
                assert not part.is_visible()
            other.change("card", "  - {name: note", CODE + "  - {name: note")
            assert attempt(page, "form.send('/x')")["error"]["type"] == "formChanged"
            part.wait_for(state="visible")
            part.locator("input").focus()
            page.keyboard.type("456")
            until(page, "form.state.fields.code?.inputLength === 3")
            assert part.locator("input").input_value() == "456"
    finally:
        other.stop()
