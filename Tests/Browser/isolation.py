"""What a page cannot do and cannot see."""

import contextlib
import json
import os
import tempfile
import time

from until import until

SETUP = """
window.isReady = false
const form = (window.form = Cloakroom.form('checkout', {}))
form.on('ready', () => { window.isReady = true })
form.on('change', (state) => seen.push(state))
form.on('error', (error) => seen.push({ ...error }))
form.field('card_number', { label: 'Card number' }).mount('#a')
form.field('cvc', { label: 'Code' }).mount('#b')
form.field('card_holder', { label: 'Name' }).mount('#c')
form.field('exp_date', { label: 'Expiry' }).mount('#d')
"""
TYPED = {"#a": "4716098765432100", "#b": "739", "#c": "Qzwxlph Vkbrg", "#d": "1139"}


def type_all(page):
    until(page, "window.isReady")
    for place, text in TYPED.items():
        page.frame_locator(place + " iframe").locator("input").focus()
        page.keyboard.type(text)
    until(page, "form.state.fields.exp_date.isComplete && form.state.fields.card_holder.isComplete")


def test_the_page_sees_nothing_typed(test):
    page = test.open("/blind", SETUP, collect=True)
    type_all(page)
    page.evaluate("form.aliases().catch(() => {}).then(() => { window.isDone = true })")
    until(page, "window.isDone")
    seen = page.evaluate("""async () => JSON.stringify({ seen, html: document.documentElement.outerHTML, local: { ...localStorage },
      session: { ...sessionStorage }, cookie: document.cookie, bases: await indexedDB.databases(), caches: await caches.keys(),
      entries: performance.getEntries().map((entry) => entry.name), url: location.href, state: form.state,
      globals: Object.getOwnPropertyNames(window).filter((name) => name.toLowerCase().includes('cloak')) })""")
    everything = json.loads(seen)
    assert len(everything["seen"]) > 20 and everything["globals"] == ["Cloakroom"], everything["globals"]
    # The answers' own data apart, which hold what is not tokenized.
    everything["seen"] = [m for m in everything["seen"] if m.get("type") != "result"]
    urls = " ".join(request.url for request in test.requests)
    shop = " ".join(str(r.post_data) for r in test.requests if r.url.startswith(test.shop.origin))
    haystack = json.dumps(everything, ensure_ascii=False) + urls + shop + " ".join(test.console)
    for text in ("4716098765432100", "4716 0987 6543 2100", "716098765", "0987 6543", "Qzwxlph", "Vkbrg", "11/39", "1139"):
        assert text not in haystack, (text, haystack[max(0, haystack.find(text) - 200):][:400])
    assert not any('"739"' in json.dumps(m) for m in everything["seen"])
    assert not test.context().cookies()
    reached = page.evaluate("""[...document.querySelectorAll('iframe')].map((frame) => {
      try { return String(frame.contentWindow.document.body) } catch { return 'refused' } })""")
    assert len(reached) == 5 and set(reached) == {"refused"}, reached


def test_a_foreign_page_gets_no_field(test):
    page = test.open("/foreign", """
window.errors = []
const form = (window.form = Cloakroom.form('elsewhere'))
form.on('error', (error) => errors.push(error.type))
form.field('note', { label: 'Note' }).mount('#a')
""")
    until(page, "errors.includes('blocked')")
    outcome = page.evaluate("form.aliases().then(() => 'done', (error) => error.type)")
    assert outcome == "blocked", outcome
    assert all("input" not in frame.content() for frame in page.frames if frame != page.main_frame and "chrome-error" not in frame.url)


def test_odd_messages_do_nothing(test):
    page = test.open("/odd", """
window.replies = []
window.isReady = false
const frame = document.createElement('iframe')
const gateway = document.querySelector('script').src.split('/elements')[0]
frame.src = gateway + '/elements/v1/frame.html?form=checkout'
frame.onload = () => {
  const init = { cloakroom: 'init', instance: 'x', kind: 'field', locale: 'en', direction: 'ltr', colorScheme: 'normal', messages: {},
    variables: {}, inputs: [{ name: 'card_number', label: 'Card' }] }
  const odd = [null, 7, 'init', [], {}, { cloakroom: 'init' }, { ...init, kind: 'admin' }, { ...init, inputs: [] }, { ...init, inputs: 'x' },
    { ...init, locale: '<b>' }, { ...init, messages: { a: 1 } }, { ...init, instance: 'x'.repeat(65) }, { ...init, direction: 'up' },
    { ...init, inputs: [{ name: 'x'.repeat(256) }] }, { ...init, junk: 'x'.repeat(20000) }, { cloakroom: 'join', form: 'checkout', instance: 'x' },
    new Map(), new Date(), { ...init, variables: { a: {} } }, { ...init, style: 'x' }, { ...init, disabled: 'yes' }]
  const send = (message, ports = 1) => {
    const channels = Array.from({ length: ports }, () => new MessageChannel())
    for (const { port1 } of channels) port1.onmessage = ({ data }) => replies.push(data)
    frame.contentWindow.postMessage(message, gateway, channels.map(({ port2 }) => port2))
  }
  for (const message of odd) send(message)
  send(init, 0)
  send(init, 2)
  setTimeout(() => { window.isReady = true; window.good = () => send(init) }, 200)
}
document.body.append(frame)
""")
    until(page, "window.isReady")
    assert page.evaluate("replies") == []
    frame = next(f for f in page.frames if "frame.html" in f.url)
    assert frame.locator("input").count() == 0
    page.evaluate("good()")
    until(page, "replies.some(({ type }) => type === 'ready')")
    # The first page is pinned: the same message again makes no second field.
    page.evaluate("good()")
    page.wait_for_timeout(100)
    assert frame.locator("input").count() == 1


def test_two_forms_do_not_mix(test):
    page = test.open("/two", """
window.ready = 0
const open = (place, layout) => {
  const form = Cloakroom.form('checkout')
  form.on('ready', () => { window.ready++ })
  form.field('card_number', { label: 'Card number' }).mount(place)
  return form
}
window.first = open('#a')
window.second = open('#b')
""")
    until(page, "ready === 2")
    page.frame_locator("#a iframe").locator("input").focus()
    page.keyboard.type("4111111111111111")
    until(page, "first.state.fields.card_number.isValid")
    page.frame_locator("#b iframe").locator("input").focus()
    page.keyboard.type("37")
    until(page, "second.state.fields.card_number.cardBrand === 'amex'")
    assert page.evaluate("[first, second].map(form => form.state.fields.card_number.inputLength)") == [16, 2]


def test_a_moved_field_starts_again(test):
    page = test.open("/moved", SETUP.replace("seen.push(state)", "0").replace("seen.push({ ...error })", "0"))
    until(page, "window.isReady")
    page.evaluate("form.update('card_number', { label: 'Number of the card' })")
    page.evaluate("document.querySelector('#c').append(document.querySelector('#a iframe'))")
    box = page.frame_locator("#c iframe >> nth=1").locator("input")
    # With what it was changed to since.
    page.frame_locator("#c iframe >> nth=1").get_by_label("Number of the card").wait_for()
    box.focus()
    page.keyboard.type("4111111111111111")
    until(page, "form.state.fields.card_number.isValid")


def test_a_controller_that_is_loaded_again(test):
    """In its place: the fields tell it what they hold."""
    page = test.open("/reloaded", SETUP.replace("seen.push", "void "))
    type_all(page)
    # A call that the controller has not answered when it is loaded again fails: the page waits for the new one.
    page.evaluate("""() => {
      const frame = [...document.querySelectorAll('iframe')].find(({ src }) => src.includes('controller'))
      return new Promise((resolve) => {
        frame.addEventListener('load', resolve, { once: true })
        frame.src = frame.src
      })
    }""")
    page.frame_locator("#c iframe").locator("input").focus()
    page.keyboard.type("x")
    length = len(TYPED["#c"]) + 1
    until(page, "length => form.state.fields.card_holder.inputLength === length && form.state.isValid", arg=length)
    assert page.evaluate("form.validate().then(({ isValid }) => isValid)")


def test_in_an_isolated_page(test):
    """Such a page embeds nothing that does not ask the same of what it embeds (`Cross-Origin-Embedder-Policy`)."""
    test.shop.headers["/isolated"] = {
        "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp"}
    page = test.open("/isolated", SETUP.replace("seen.push", "void "))
    assert page.evaluate("crossOriginIsolated")
    type_all(page)
    assert page.evaluate("form.validate().then((answer) => answer.isValid)")
    assert not test.console, test.console


def test_inside_a_frame_of_another_origin(test):
    """The shop's page is itself embedded: by a page on 127.0.0.1, which is another site than localhost."""
    inner = test.shop.page("/inner", SETUP.replace("seen.push", "void "), "<div id=a></div><div id=b></div><div id=c></div><div id=d></div>",
                           test.gateway.origin)
    outer = "http://127.0.0.1:%d" % test.shop.port
    test.shop.pages["/outer"] = ('<!doctype html><html lang="en"><title>Outer</title><iframe id=shop title=Shop width=600 height=500 src="%s">'
                                 "</iframe></html>" % inner, "text/html")
    test.shop.policies["/outer"] = "default-src 'none'; frame-src " + test.shop.origin
    page = test.context().new_page()
    page.goto(outer + "/outer")
    shop = next(frame for frame in page.frames if frame.url == inner)
    until(shop, "window.isReady")
    for place, text in TYPED.items():
        shop.frame_locator(place + " iframe").locator("input").focus()
        page.keyboard.type(text)
    until(shop, "form.state.fields.exp_date.isComplete && form.state.fields.card_holder.isComplete")
    # A form that names the shop alone allows nobody to put the shop into a frame.
    shop.evaluate("""() => { window.errors = []
      const form = Cloakroom.form('kinds')
      form.on('error', (error) => errors.push(error.type))
      form.field('ssn', { label: 'SSN' }).mount('#a') }""")
    until(shop, "errors.includes('blocked')")


def test_where_frames_are_not_told_the_origin_around_them(test):
    """`ancestorOrigins` has "null" for a page whose policy on referrers hides it (https://github.com/whatwg/html/pull/11560)."""
    page = test.open("/untold", "")
    page.context.route("**/frame.js", lambda route: test.replace(
        route, change=lambda body: body.replace(b"location.ancestorOrigins", b"['null']")))
    page.evaluate("() => { %s }" % SETUP.replace("seen.push", "void "))
    type_all(page)
    # The pages of frames send no referrer by their own header; an attribute would hide the origin from all of them.
    assert page.evaluate("document.querySelector('#a iframe').referrerPolicy") == ""


def test_what_was_typed_goes_with_its_field(test):
    page = test.open("/removed", SETUP.replace("seen.push", "void ") + """
window.card = form.card({ layout: 'stacked' })
window.number = form.field('card_number', { label: 'Card number' })
""")
    type_all(page)
    # Removed by the page without a word.
    page.evaluate("document.querySelector('#c').replaceChildren()")
    until(page, "form.state.fields.card_holder.isEmpty && !form.state.fields.card_holder.isDirty")
    page.evaluate("document.querySelector('#a').replaceChildren(); number.mount('#a')")
    until(page, "form.state.fields.card_number.isEmpty")
    page.frame_locator("#a iframe").locator("input").focus()
    page.keyboard.type("4111111111111111")
    until(page, "form.state.fields.card_number.isComplete")
    page.evaluate("number.unmount()")
    until(page, "form.state.fields.card_number.isEmpty && form.state.fields.exp_date.isComplete")


def test_a_call_has_nothing_of_a_field_that_has_just_gone(test):
    """The frame itself says so later than a call that follows at once."""
    page = test.open("/just-gone", SETUP.replace("seen.push", "void ") + "window.other = form.field('card_holder', { label: 'Name' })")
    until(page, "window.isReady")
    page.evaluate("document.querySelector('#c').replaceChildren()")
    for way in 3 * ["document.querySelector('#c iframe').remove()", "document.querySelector('#d').append(document.querySelector('#c iframe'))",
                    "other.unmount()", "other.mount('#d')"]:
        page.evaluate("other.mount('#c')")
        page.frame_locator("#c iframe").locator("input").focus()
        page.keyboard.type("Ann Li")
        until(page, "form.state.fields.card_holder.inputLength === 6")
        state = page.evaluate("async () => { %s; return (await form.validate()).fields.card_holder }" % way)
        assert state["isEmpty"], way
        page.evaluate("other.unmount()")
        until(page, "form.state.fields.card_holder.isEmpty")


def test_a_page_that_is_left_forgets(test):
    page = test.open("/left", SETUP.replace("seen.push", "void "))
    type_all(page)
    # As before a page is kept for the back button.
    for frame in page.frames:
        if "frame.html" in frame.url:
            frame.evaluate("dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))")
    assert [frame.locator("input").input_value() for frame in page.frames if "frame.html" in frame.url and frame.locator("input").count()] == [""] * 4
    for frame in page.frames:
        if "frame.html" in frame.url:
            frame.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    until(page, "Object.values(form.state.fields).every((field) => field.isEmpty)")
    type_all(page)


def files_with(folder, texts):
    """Which of the texts stand in the files of a folder, as Chromium writes them."""
    found = set()
    for parent, _, names in os.walk(folder):
        for name in names:
            # The browser removes some of them meanwhile.
            with contextlib.suppress(OSError):
                with open(os.path.join(parent, name), "rb") as file:
                    content = file.read()
                found |= {text for text in texts if text.encode() in content or text.encode("utf-16-le") in content}
    return found


def test_the_browser_writes_nothing_typed_to_its_files(test):
    """It keeps what stands in inputs, to open the tab again after a crash."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        context = test.browser.browser_type.launch_persistent_context(
            profile, executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        try:
            page = context.new_page()
            body = "<div id=a></div><div id=b></div><div id=c></div><div id=d></div><input id=plain autocomplete=cc-number>"
            page.goto(test.shop.page("/session-file", SETUP.replace("seen.push", "void "), body, test.gateway.origin))
            type_all(page)
            page.locator("#plain").fill("5200 8282 8282 8210")
            page.evaluate("history.pushState({}, '', '?x=1')")
            typed = {"4716 0987 6543 2100", "4716098765432100", "Qzwxlph Vkbrg"}
            end = time.monotonic() + 60
            while not (found := files_with(profile, typed | {"5200 8282 8282 8210"})) and time.monotonic() < end:
                page.wait_for_timeout(500)
            # Of the page's own input, so that this is the place where they would stand.
            assert found == {"5200 8282 8282 8210"}, found
            page.goto(test.shop.origin + "/none")
        finally:
            context.close()
        assert not files_with(profile, typed), files_with(profile, typed)


def test_odd_messages_to_a_controller(test):
    """Oversized, malformed and replayed messages on the port that the page has."""
    page = test.open("/port", """
window.replies = []
window.isReady = false
const frame = document.createElement('iframe')
const gateway = document.querySelector('script').src.split('/elements')[0]
frame.src = gateway + '/elements/v1/frame.html?form=checkout'
frame.onload = () => {
  const { port1, port2 } = new MessageChannel()
  port1.onmessage = ({ data }) => { replies.push(data); if (data.type === 'loaded') window.isReady = true }
  frame.contentWindow.postMessage({ cloakroom: 'init', instance: 'x', kind: 'controller', locale: 'en', direction: 'ltr',
    colorScheme: 'normal', messages: {}, variables: {} }, gateway, [port2])
  window.port = port1
}
document.body.append(frame)
""")
    until(page, "window.isReady")
    count = page.evaluate("replies.length")
    page.evaluate("""() => {
      const call = { type: 'call', id: 1, call: 'validate' }
      for (const odd of [null, 7, 'x', [], {}, { type: 'call' }, { ...call, id: 'x' }, { ...call, id: 1.5 }, { ...call, call: 'reveal' },
        { ...call, call: '__proto__' }, { ...call, session: 7 }, { ...call, session: 'x'.repeat(16385) }, { ...call, idempotencyKey: {} },
        { ...call, call: 'send', path: 7, method: 'POST' }, { ...call, call: 'send', path: '/', method: 'CONNECT' },
        { ...call, call: 'send', path: '/', method: 'POST', extraData: { a: 'x'.repeat(2000000) } },
        { ...call, call: 'send', path: '/', method: 'POST', headers: { 'a\\nb': 'c' } }, { type: 'typed', texts: { cvc: '123' } },
        { type: 'join' }, { type: 'welcome' }, { type: 'rules' }, { type: 'clear', name: {} }, { type: 'x'.repeat(100000) }, new Map()]) port.postMessage(odd)
    }""")
    page.wait_for_timeout(300)
    # What can be read of a call is named where it is odd; the rest gets no reply.
    replies = page.evaluate("replies.slice(%d)" % count)
    assert [reply["mistake"].split(" with this ")[-1] for reply in replies] == [
        *["call"] * 5, "session", "session", "idempotencyKey", "path", "method", "extraData", "headers"], replies
    page.evaluate("port.postMessage({ type: 'call', id: 9, call: 'validate' })")
    until(page, "replies.some(({ type, id }) => type === 'result' && id === 9)")
    assert page.evaluate("replies.at(-1).value.fields.cvc.isEmpty")


def test_speed(test):
    page = test.open("/speed", """
window.isReady = false
const start = performance.now()
const form = (window.form = Cloakroom.form('checkout'))
form.on('ready', () => { window.isReady = performance.now() - start })
form.field('card_number', { label: 'Card number' }).mount('#a')
window.changes = []
form.on('change', () => changes.push(performance.timeOrigin + performance.now()))
""")
    until(page, "window.isReady")
    frame = next(f for f in page.frames if "frame.html" in f.url and f.locator("input").count())
    frame.evaluate("""() => { window.keys = []
      document.querySelector('input').addEventListener('beforeinput', () => keys.push(performance.timeOrigin + performance.now())) }""")
    frame.locator("input").focus()
    for _ in range(4):
        page.keyboard.type("4111111111111111")
        for _ in range(16):
            page.keyboard.press("Backspace")
    page.wait_for_timeout(50)
    changes, keys = page.evaluate("changes"), frame.evaluate("keys")
    times = sorted(min(c - k for c in changes if c >= k) for k in keys if changes and changes[-1] >= k)
    print("  ready after %d ms; keystroke to change: median %.2f ms, p95 %.2f ms"
          % (page.evaluate("isReady"), times[len(times) // 2], times[len(times) * 95 // 100]))
