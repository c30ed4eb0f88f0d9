"""Accessibility: axe on fields and both layouts, in light, dark and forced colours."""

from axe_playwright_python.sync_playwright import Axe

from until import until

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


def test_keyboard_alone(test):
    page = test.open("/keys", SETUP)
    until(page, "isReady === 3")
    page.evaluate("document.body.focus()")
    seen = []
    for _ in range(7):
        page.keyboard.press("Tab")
        for frame in page.frames:
            if frame != page.main_frame:
                label = frame.evaluate("document.hasFocus() ? document.activeElement?.labels?.[0]?.textContent ?? null : null")
                if label:
                    seen.append(label)
    assert seen == ["Card number"] + ["Card number", "Expiry date", "Security code"] * 2, seen


def test_right_to_left_and_zoom(test):
    page = test.open("/rtl", SETUP.replace("('checkout')", "('checkout', { locale: 'ja' })"), viewport={"width": 320, "height": 600})
    page.evaluate("document.documentElement.dir = 'rtl'")
    until(page, "isReady === 3")
    frame = page.frame_locator("#c iframe")
    frame.get_by_label("カード番号").wait_for()
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 320, wide
