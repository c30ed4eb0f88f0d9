"""The demo: a shop's page of another origin, beside all that the shop sees."""

from axe_playwright_python.sync_playwright import Axe

from until import until


def open_demo(test, **options):
    page = test.context(**options).new_page()
    page.on("console", lambda message: test.console.append(message.text))
    page.on("pageerror", lambda error: test.console.append("pageerror: %s" % error))
    page.goto(test.gateway.origin.replace("127.0.0.1", "localhost") + "/demo")
    page.frame_locator("#fields iframe").first.locator(".number input").wait_for()
    return page


def pay(page):
    until(page, "document.querySelectorAll('#state tr').length === 4")
    page.frame_locator("#fields iframe").first.locator(".number input").focus()
    page.keyboard.type("4716098765432100" + "1139" + "739", delay=5)
    name = page.frame_locator("#fields iframe >> nth=1").locator("input")
    name.focus()
    page.keyboard.type("Joe Business")
    page.click("text=Pay")
    until(page, "document.querySelector('#body').textContent.includes('order')")


def demand_axe(page):
    found = [(v["id"], [n["html"][:120] for n in v["nodes"]][:3]) for v in Axe().run(page).response["violations"]]
    assert not found, found


def test_demo_in_the_dark(test):
    demand_axe(open_demo(test, bypass_csp=True, color_scheme="dark"))


def test_demo_in_forced_colors(test):
    demand_axe(open_demo(test, bypass_csp=True, forced_colors="active"))


def test_demo(test):
    page = open_demo(test, bypass_csp=True)
    pay(page)
    shown = page.inner_text("main")
    assert "471609" in page.inner_text("#aliases") and "4716098765432100" not in shown and '"739"' not in shown, shown
    demand_axe(page)
    # A form for other origins than the demo's is not shown.
    page.select_option("#form", "elsewhere")
    until(page, "document.querySelector('#aliases').textContent.startsWith('blocked')")
