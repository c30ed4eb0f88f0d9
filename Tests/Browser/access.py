"""Accessibility: axe on fields and both layouts, in light, dark and forced colours."""

from axe_playwright_python.sync_playwright import Axe

from until import until, until_equal

SETUP = """
window.isReady = 0
for (const [place, make] of [['#a', (form) => form.field('card_number', { label: 'Card number', placeholder: '1234 5678 9012 3456' })],
  ['#b', (form) => form.card({ layout: 'inline' })], ['#c', (form) => form.card({ layout: 'stacked' })]]) {
  const form = (window.form = Cloakroom.form('checkout'))
  form.on('ready', () => { window.isReady++ })
  make(form).mount(place)
}
"""


def check(test, path, **options):
    page = test.open(path, SETUP, head='<meta name="color-scheme" content="light dark">', bypass_csp=True, **options)
    until(page, "isReady === 3")
    page.frame_locator("#b iframe").locator(".number input").focus()
    page.keyboard.type("41")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.frame_locator("#b iframe").locator(".error", has_text="Please").first.wait_for()
    results = Axe().run(page)
    found = [(v["id"], [n["html"][:120] for n in v["nodes"]][:3], [n.get("failureSummary", "")[:200] for n in v["nodes"]][:1])
             for v in results.response["violations"]]
    assert not found, found


def test_axe_light(test):
    check(test, "/axe-light")


def test_axe_dark(test):
    check(test, "/axe-dark", color_scheme="dark")


def test_axe_forced_colors(test):
    check(test, "/axe-forced", forced_colors="active")


def focused(page):
    """The frame that has the focus, by its number, and the label of its input; None while none has it."""
    for number, frame in enumerate(page.frames[1:]):
        label = frame.evaluate("document.hasFocus() ? document.activeElement?.labels?.[0]?.textContent ?? null : null")
        if label:
            return number, label
    return None


def test_keyboard_alone(test):
    page = test.open("/keys", SETUP)
    until(page, "isReady === 3")
    page.evaluate("document.body.focus()")
    last = None
    for expected in ["Card number"] + ["Card number", "Expiry date", "Security code"] * 2:
        page.keyboard.press("Tab")
        # The focus goes from one frame to the next by messages between processes.
        until_equal(lambda: focused(page) not in (None, last), True)
        last = focused(page)
        assert last[1] == expected, (last, expected)


def test_right_to_left_and_zoom(test):
    page = test.open("/rtl", SETUP.replace("('checkout')", "('checkout', { locale: 'ja' })"), viewport={"width": 320, "height": 600})
    page.evaluate("document.documentElement.dir = 'rtl'")
    until(page, "isReady === 3")
    frame = page.frame_locator("#c iframe")
    frame.get_by_label("カード番号").wait_for()
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 320, wide


def test_groups_of_digits_from_left_to_right(test):
    page = test.open("/groups-rtl", "document.documentElement.dir = 'rtl'\n" + SETUP)
    until(page, "isReady === 3")
    box = page.frame_locator("#a iframe").locator("input")
    style = box.evaluate("(input) => [getComputedStyle(input).direction, getComputedStyle(input).textAlign, document.documentElement.dir]")
    assert style == ["ltr", "right", "rtl"], style


def test_zoom_400_percent(test):
    """1280 pixels at 400% are 320 (WCAG 2.2 success criterion 1.4.10): nothing is cut off, nothing needs scrolling sideways."""
    page = test.open("/zoom", SETUP, viewport={"width": 320, "height": 256}, device_scale_factor=4)
    until(page, "isReady === 3")
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    for place in ("#a", "#b", "#c"):
        frame = next(f for f in page.frames if f != page.main_frame and f.frame_element().evaluate("(e, place) => e.closest(place) !== null", place))
        sizes = frame.evaluate("""() => [document.documentElement.scrollWidth <= innerWidth, document.body.scrollHeight <= innerHeight + 1,
          ...[...document.querySelectorAll('input')].map((input) => input.getBoundingClientRect().width >= 40)]""")
        assert all(sizes), (place, sizes)


def test_names_for_screen_readers(test):
    """The browser's own accessibility tree: names, required, invalid with its description, and brand and errors as they are said."""
    page = test.open("/names", SETUP.replace("{ label: 'Card number',", "{ label: 'Number on the card',"),
                     head="<style>#a { --cloakroom-label-display: none }</style>", bypass_csp=True)
    until(page, "isReady === 3")
    frame = next(f for f in page.frames if f != page.main_frame and f.frame_element().evaluate("(e) => e.closest('#a') !== null"))
    assert not frame.locator("label").is_visible()
    frame.locator("input").focus()
    page.keyboard.type("41")
    frame.locator("[aria-live]", has_text="Visa").wait_for(state="attached")
    page.keyboard.press("Tab")
    frame.locator(".error", has_text="Please").wait_for()
    session = page.context.new_cdp_session(frame)
    session.send("Accessibility.enable")
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    box = next(node for node in nodes if node.get("role", {}).get("value") == "textbox")
    properties = {p["name"]: p["value"].get("value") for p in box["properties"]}
    assert box["name"]["value"] == "Number on the card", box["name"]
    assert box["description"]["value"] == "Please check the card number", box.get("description")
    assert properties["invalid"] == "true" and properties["required"] is True, properties
    assert page.locator("#a iframe").get_attribute("title") == "Number on the card"


def test_reduced_motion(test):
    page = test.open("/motion", SETUP, reduced_motion="reduce")
    until(page, "isReady === 3")
    frame = page.frame_locator("#a iframe")
    frame.locator("input").focus()
    page.keyboard.type("4x")
    assert frame.locator(".box").evaluate("(box) => box.classList.contains('shake') && getComputedStyle(box).animationName") == "none"
