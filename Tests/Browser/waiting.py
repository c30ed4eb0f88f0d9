"""Calls wait for what stands in the fields, and are not made for a page that was left meanwhile."""
import json

from calls import attempt, hold
from until import until, until_equal

CARD = """
window.form = Cloakroom.form('kinds', { session: 'dev-secret' })
form.card({ layout: 'stacked' }).mount('#a')
"""
NOTE = """
window.form = Cloakroom.form('kinds', { session: 'dev-secret' })
form.field('note', { label: 'Note' }).mount('#a')
"""
PAPERS = """
window.form = Cloakroom.form('papers')
form.field('passport', { label: 'Passport' }).mount('#a')
"""
START = """() => {
  window.outcome = undefined
  form.%s.then((value) => { outcome = value }, ({ name, type }) => { outcome = { name, type } })
}"""


def field_frame(page):
    """The frame with the inputs."""
    found = []
    until_equal(lambda: page.wait_for_timeout(10) or bool(
        found or found.extend(f for f in page.frames if "frame.html" in f.url and "controller" not in f.url)), True)
    found[0].locator("input").first.wait_for()
    return found[0]


def file_frame(page):
    """The same, once its input takes files."""
    until(page, "form.state.fields.passport")
    frame = field_frame(page)
    frame.locator("input[type=file]").wait_for()
    return frame


def hold_reading(frame):
    """Has files read when `go` is called."""
    frame.evaluate("""() => {
      const read = FileReader.prototype.readAsDataURL
      FileReader.prototype.readAsDataURL = function (file) { window.go = () => read.call(this, file) }
    }""")


def leave_and_come_back(page):
    """As the back button does with a page that was kept."""
    for event in ("pagehide", "pageshow"):
        for frame in page.frames:
            frame.evaluate("dispatchEvent(new PageTransitionEvent('%s', { persisted: true }))" % event)


def calls_of(test, name):
    return [request for request in test.requests if request.url.endswith("/kinds/" + name)]


def test_a_call_before_the_rules(test):
    for number, (script, what, text, name) in enumerate((
            (CARD, "**/engine.wasm", "4111111111111111", "number"), (NOTE, "**/engine.wasm", "secret", "note"),
            (NOTE, "**/frame.html?form=kinds&controller", "secret", "note"))):
        held = []
        page = test.open("/before-%d" % number, "")
        page.context.route(what, lambda route: held.append(route))
        page.goto(test.shop.page("/before-rules-%d" % number, script, "<div id=a></div>", test.gateway.origin), wait_until="commit")
        field_frame(page).locator("input").first.focus()
        page.keyboard.type(text)
        page.evaluate(START % "tokens()")
        page.wait_for_timeout(300)
        assert held and not calls_of(test, "tokens"), number
        for route in held:
            route.continue_()
        until(page, "window.outcome")
        outcome = page.evaluate("outcome")
        assert list(outcome["data"]) == [name] and outcome["data"][name] != text, outcome
        test.requests.clear()


def test_a_call_as_the_controller_goes(test):
    page = test.open("/as-it-goes", NOTE)
    field_frame(page).locator("input").focus()
    page.keyboard.type("secret")
    until(page, "form.state.fields.note?.inputLength === 6")
    outcome = page.evaluate("""async () => {
      document.querySelector('iframe[aria-hidden]').remove()
      return form.tokens()
    }""")
    assert list(outcome["data"]) == ["note"], outcome


def test_a_session_that_does_not_come(test):
    page = test.open("/no-session", """
window.form = Cloakroom.form('kinds', { session: () => new Promise(() => {}) })
form.field('note', { label: 'Note' }).mount('#a')
""")
    field_frame(page)
    page.evaluate(START % "tokens()")
    page.wait_for_timeout(100)
    assert page.evaluate("outcome") is None
    page.evaluate("form.destroy()")
    until(page, "window.outcome")
    assert not calls_of(test, "tokens")


def test_a_call_without_rules(test):
    """Nothing is given to the gateway without them: the fields do not know how their text is to be sent."""
    page = test.open("/no-rules", "")
    page.context.route("**/engine.wasm", lambda route: route.abort())
    page.goto(test.shop.page("/without-rules", NOTE, "<div id=a></div>", test.gateway.origin))
    field_frame(page).locator("input").focus()
    page.keyboard.type("secret")
    error = attempt(page, "form.tokens()")["error"]
    assert error["type"] == "network" and error["isError"] and not calls_of(test, "tokens"), error
    # It is tried again.
    page.context.unroute("**/engine.wasm")
    until(page, "form.state.fields.note?.inputLength === 6")
    assert list(attempt(page, "form.tokens()")["value"]["data"]) == ["note"]


def test_an_engine_that_cannot_be_made(test):
    """As where a browser has no addresses left for one. All frames of a form have one together, so that there are few."""
    page = test.open("/full", "")
    page.add_init_script("""
const { Instance } = WebAssembly
window.made = 0
WebAssembly.Instance = function (...given) {
  if (window.isFull ?? true) throw new RangeError('WebAssembly.Instance(): Out of memory')
  made++
  return new Instance(...given)
}""")
    page.goto(test.shop.page("/full-page", """
window.pauses = 0
const real = setTimeout
window.setTimeout = (act, time) => real(act, time, time === 20 && pauses++)
%s
form.field('phone', { label: 'Phone' }).mount('#b')
form.field('birth', { label: 'Birth' }).mount('#c')
window.errors = []
form.on('error', ({ type, title }) => errors.push(type + ' ' + title))
form.on('ready', () => { window.isReady = true })
window.early = form.validate().catch(({ type }) => type)""" % CARD, "<div id=a></div><div id=b></div><div id=c></div>", test.gateway.origin))
    until(page, "errors.length")
    assert page.evaluate("errors") == ["network The form could not be loaded"] and page.evaluate("early") == "network"
    error = attempt(page, "form.tokens()")["error"]
    assert error["type"] == "network" and error["title"] == "The form could not be loaded" and not calls_of(test, "tokens"), error
    # Nobody waits for what has ended.
    pauses = page.evaluate("pauses")
    page.wait_for_timeout(100)
    assert page.evaluate("pauses") == pauses
    # As once other pages have gone.
    for frame in page.frames:
        frame.evaluate("window.isFull = false")
    until(page, "window.isReady")
    for place, text in (("#a", "4111111111111111"), ("#b", "2125550123"), ("#c", "2x")):
        page.frame_locator(place + " iframe").locator("input").first.focus()
        page.keyboard.type(text)
    shown = [page.frame_locator(place + " iframe").locator("input").first.input_value() for place in ("#a", "#b", "#c")]
    assert shown[:2] == ["4111 1111 1111 1111", "(212) 555 - 0123"] and "x" not in shown[2], shown
    until(page, "form.state.fields.phone.isComplete")
    assert sum(frame.evaluate("window.made") for frame in page.frames) == 1


def test_a_page_that_comes_back_without_memory(test):
    """As where other tabs have taken it meanwhile: its fields are empty, the page is told, and they get their rules when there is some."""
    page = test.open("/back", "")
    page.add_init_script("""
const { Instance } = WebAssembly
WebAssembly.Instance = function (...given) {
  if (window.isFull) throw new RangeError('WebAssembly.Instance(): Out of memory')
  return new Instance(...given)
}""")
    page.goto(test.shop.page("/back-without-memory", """
window.errors = []
%s
window.focused = []
form.on('focus', ({ name }) => focused.push(name))
form.on('error', ({ type, title }) => errors.push(type + ' ' + title))""" % CARD, "<div id=a></div>", test.gateway.origin))
    until(page, "form.state.fields.number")
    frame = field_frame(page)
    frame.locator("input").first.focus()
    page.keyboard.type("4111111111111111" + "1231" + "123")
    until(page, "form.state.fields.number.isValid && form.state.fields.code3.isComplete")
    for event in ("pagehide", "pageshow"):
        for each in page.frames:
            each.evaluate("window.isFull = true; dispatchEvent(new PageTransitionEvent('%s', { persisted: true }))" % event)
    assert frame.evaluate("[...document.querySelectorAll('input, .last4, .brand')].map((part) => part.value || part.textContent).join('')") == ""
    until(page, "errors.length")
    assert page.evaluate("errors") == ["network The form could not be loaded"], page.evaluate("errors")
    assert page.evaluate("JSON.stringify(form.state.fields)") == "{}"
    error = attempt(page, "form.tokens()")["error"]
    assert error["type"] == "network" and error["title"] == "The form could not be loaded" and not calls_of(test, "tokens"), error
    frame.locator("input").first.focus()
    page.keyboard.type("4111111111111111")
    assert frame.locator("input").first.input_value() == "4111111111111111"
    for each in page.frames:
        each.evaluate("window.isFull = false")
    until(page, "form.state.fields.number?.isValid")
    assert frame.locator("input").first.input_value() == "4111 1111 1111 1111"
    assert list(attempt(page, "form.tokens()")["value"]["data"]) == ["number"]
    assert page.evaluate("focused") == ["number", "expiry", "code3", "number"], page.evaluate("focused")
    assert not test.console, test.console


def test_a_call_while_a_file_is_read(test):
    page = test.open("/reading", PAPERS)
    frame = file_frame(page)
    hold_reading(frame)
    png = b"\x89PNG\r\n\x1a\n" + bytes(100)
    choose = lambda content: frame.locator("input").set_input_files({"name": "a.png", "mimeType": "image/png", "buffer": content})
    choose(png)
    page.evaluate(START % "send('/x')")
    page.wait_for_timeout(200)
    assert not page.evaluate("outcome")
    frame.evaluate("go()")
    until(page, "window.outcome")
    assert page.evaluate("outcome.body.passport.length") == 144, page.evaluate("outcome")
    # One that is given up is not waited for.
    choose(png)
    page.evaluate("form.clear()")
    until(page, "form.state.fields.passport.isEmpty")
    page.evaluate(START % "validate()")
    until(page, "window.outcome")
    assert page.evaluate("outcome.fields.passport.isEmpty") is True


def test_a_file_that_is_empty(test):
    page = test.open("/empty-file", PAPERS)
    frame = file_frame(page)
    until(page, "form.state.fields.passport")
    for code, said in ((1101, "Please fill in this field"), (1102, "Please check this")):
        error = attempt(page, "form.send('/x')")["error"]
        assert error["code"] == code, error
        until_equal(frame.locator(".error").inner_text, said)
        frame.locator("input").set_input_files({"name": "a.png", "mimeType": "image/png", "buffer": b""})
    until(page, "form.state.fields.passport.validationErrors.join() === 'FILE_TYPE_VALIDATION_ERROR'")
    # One that is taken away again is none.
    frame.locator("input").set_input_files([])
    until_equal(frame.locator(".error").inner_text, "Please fill in this field")
    assert attempt(page, "form.send('/x')")["error"]["code"] == 1101


def test_a_file_that_is_much_too_large(test):
    page = test.open("/too-large", PAPERS)
    frame = file_frame(page)
    frame.evaluate("""() => {
      const chosen = new DataTransfer()
      chosen.items.add(new File([new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), new Uint8Array(100e6)], 'a.png', { type: 'image/png' }))
      const input = document.querySelector('input')
      input.files = chosen.files
      input.dispatchEvent(new Event('change'))
    }""")
    until(page, "form.state.fields.passport.validationErrors[0] === 'FILE_SIZE_VALIDATION_ERROR'")
    error = attempt(page, "form.send('/x')")["error"]
    assert error["code"] == 1103, error


def test_a_page_that_is_left_during_a_call(test):
    page = test.open("/left-during", """
window.element = document.querySelector('cloakroom-form')
element.addEventListener('cloakroom-error', ({ detail }) => { window.error = detail.type })
""", '<cloakroom-form form="checkout" action="tokens"><form method="post" action="/pay"><cloakroom-card></cloakroom-card>'
         "<button>Pay</button></form></cloakroom-form>")
    until(page, "element.form.state.fields.cvc")
    page.frame_locator("cloakroom-card iframe").locator(".number input").focus()
    page.keyboard.type("4111111111111111" + "1231" + "123")
    until(page, "element.form.state.isValid")
    held = hold(page, "**/checkout/tokens")
    test.shop.posted.clear()
    page.click("button")
    until_equal(lambda: page.wait_for_timeout(10) or len(held), 1)
    leave_and_come_back(page)
    until(page, "window.error")
    held[0].continue_()
    page.wait_for_timeout(300)
    assert page.evaluate("error") == "timeout" and not test.shop.posted and "/left-during" in page.url
    # What is pressed again is a call of its own.
    page.context.unroute("**/checkout/tokens")
    page.frame_locator("cloakroom-card iframe").locator(".number input").focus()
    page.keyboard.type("4111111111111111" + "1231" + "123")
    until(page, "element.form.state.isValid")
    with page.expect_navigation():
        page.click("button")
    assert len(test.shop.posted) == 1, test.shop.posted


def test_a_controller_that_did_not_load_is_loaded_again(test):
    page = test.open("/not-loaded", "")
    page.context.route("**/frame.html?form=kinds&controller", lambda route: route.abort())
    page.goto(test.shop.page("/loaded-again", NOTE + "form.on('error', ({ type }) => { window.error = type })", "<div id=a></div>", test.gateway.origin))
    field_frame(page).locator("input").focus()
    page.keyboard.type("secret")
    until(page, "window.error === 'blocked'")
    page.context.unroute("**/frame.html?form=kinds&controller")
    assert attempt(page, "form.tokens()")["error"]["type"] == "blocked"
    until(page, "form.state.fields.note?.inputLength === 6")
    assert list(attempt(page, "form.tokens()")["value"]["data"]) == ["note"]
    assert page.locator("iframe").count() == 2


def test_a_controller_that_is_late(test):
    """It is used when it has come, and not loaded again."""
    page = test.open("/late", "")
    held = []
    page.context.route("**/frame.html?form=kinds&controller", lambda route: held.append(route))
    sooner = "const real = setTimeout\nwindow.setTimeout = (act, time) => real(act, time === 15000 ? 100 : time)\n"
    page.goto(test.shop.page("/late-controller", sooner + NOTE + "form.on('error', ({ type }) => { window.error = type })", "<div id=a></div>",
                             test.gateway.origin), wait_until="commit")
    field_frame(page).locator("input").focus()
    page.keyboard.type("secret")
    until(page, "window.error === 'blocked'")
    held[0].continue_()
    until(page, "form.state.fields.note?.inputLength === 6")
    for _ in range(2):
        assert list(attempt(page, "form.tokens()")["value"]["data"]) == ["note"]
    assert len(held) == 1


def test_a_page_that_is_prerendered(test):
    """Browsers load its frames once it is shown: the limit counts from then."""
    page = test.open("/prerendered", "")
    held = hold(page, "**/frame.html?form=kinds*")
    page.goto(test.shop.page("/prerendered-page", """
window.isHidden = true
Object.defineProperty(document, 'prerendering', { get: () => isHidden })
const real = setTimeout
window.setTimeout = (act, time) => real(act, time === 15000 ? 300 : time)
window.errors = []
%s
form.on('error', ({ type }) => errors.push(type))""" % NOTE, "<div id=a></div>", test.gateway.origin), wait_until="commit")
    until_equal(lambda: page.wait_for_timeout(10) or len(held), 2)
    page.wait_for_timeout(1_000)
    assert page.evaluate("errors") == []
    page.evaluate("isHidden = false")
    until(page, "errors.join() === 'blocked,blocked'")
    for route in held:
        route.continue_()
    until(page, "form.state.fields.note")


def test_a_page_that_is_busy_as_its_frames_start(test):
    """What they have said meanwhile is heard before they count as blocked."""
    for number in (1, 2):
        page = test.open("/busy-%d" % number, """
window.errors = []
let count = 0
addEventListener('message', () => {
  if (++count === %d) setTimeout(() => { for (const end = Date.now() + 2300; Date.now() < end;); })
})
%s
form.on('error', ({ type }) => errors.push(type))""" % (number, NOTE))
        until(page, "form.state.fields.note")
        assert page.evaluate("errors") == [], number
        assert list(attempt(page, "form.tokens()")["value"]["data"]) == []


def test_frames_that_are_busy_as_they_start(test):
    """As among a hundred others in their process. A frame whose script runs is not blocked."""
    page = test.open("/slow", "")
    page.add_init_script("""if (parent !== window) addEventListener('message', () => {
  for (const end = Date.now() + 1200; Date.now() < end;);
}, { once: true })""")
    page.goto(test.shop.page("/slow-page", NOTE + "window.errors = []\nform.on('error', ({ type }) => errors.push(type))", "<div id=a></div>",
                             test.gateway.origin))
    until(page, "form.state.fields.note")
    assert page.evaluate("errors") == []


def held_frames(test, name, times, places, listening):
    """A page with a field in each place, whose frames are held: the page and their routes. Its timers have other times."""
    page = test.open("/" + name, "")
    held = hold(page, "**/frame.html?form=kinds")
    page.goto(test.shop.page("/%s-page" % name, """
const real = setTimeout, times = %s
window.setTimeout = (act, time) => real(act, times[time] ?? time)
window.errors = []
window.form = Cloakroom.form('kinds')
%s
for (const place of '%s') form.field('note', { label: 'Note ' + place }).mount('#' + place)
""" % (json.dumps(times), listening, places), "".join("<div id=%s></div>" % place for place in places), test.gateway.origin), wait_until="commit")
    until_equal(lambda: page.wait_for_timeout(10) or len(held), len(places))
    return page, held


def test_frames_that_start_one_after_the_other(test):
    """As a hundred do on a busy machine: the time of one that has not begins again with each that does."""
    page, held = held_frames(test, "one-by-one", {15_000: 1_000}, "abcd", "form.on('error', ({ type }) => errors.push(type))")
    for route in held[:3]:
        page.wait_for_timeout(600)
        route.continue_()
    page.wait_for_timeout(600)
    assert page.evaluate("errors") == []
    # The last one never comes.
    until(page, "errors.join() === 'blocked'")
    held[3].continue_()


def test_frames_that_start_at_once_but_for_one(test):
    """Its time begins again as the last of them starts, and not as it is over."""
    page, held = held_frames(test, "but-one", {15_000: 2_000}, "abcd", """
addEventListener('message', ({ data }) => { if (data.cloakroom) window.started = performance.now() })
form.on('error', ({ type, title }) => errors.push([type, title, performance.now() - started]))""")
    for route in held[:3]:
        route.continue_()
    until(page, "errors.length")
    (kind, title, after), = page.evaluate("errors")
    assert (kind, title) == ("blocked", "The frame of Note d did not load") and 1_900 < after < 3_000, (kind, title, after)
    # A frame that starts later blocks none of them once more.
    page.evaluate("form.field('note', { label: 'Note' }).mount('#a')")
    until_equal(lambda: page.wait_for_timeout(10) or len(held), 5)
    held[4].continue_()
    page.wait_for_timeout(2_500)
    assert page.evaluate("errors.length") == 1, page.evaluate("errors")
    held[3].continue_()


def test_a_frame_that_starts_as_the_time_of_another_is_over(test):
    """While the page has its last turn to hear of it: the other's begins again, once."""
    page, held = held_frames(test, "last-turn", {15_000: 1_000, 100: 1_000}, "ab", "form.on('error', ({ title }) => errors.push(title))")
    page.wait_for_timeout(1_300)
    held[0].continue_()
    page.wait_for_timeout(1_200)
    assert page.evaluate("errors") == []
    until(page, "errors.length")
    # A frame that starts later blocks none of them once more.
    page.evaluate("form.field('note', { label: 'Note' }).mount('#a')")
    until_equal(lambda: page.wait_for_timeout(10) or len(held), 3)
    held[2].continue_()
    page.wait_for_timeout(2_500)
    assert page.evaluate("errors") == ["The frame of Note b did not load"]
    held[1].continue_()


def test_rules_that_are_gone_as_a_field_hears_of_them(test):
    """As when the page is left just then: the field gets them once the page is back."""
    page = test.open("/gone-rules", "")
    page.add_init_script("""
const post = MessagePort.prototype.postMessage
MessagePort.prototype.postMessage = function (message, ...rest) {
  post.call(this, message, ...rest)
  if (message.type !== 'rules' || window.hasLeft) return
  window.hasLeft = true
  const tell = (event) => dispatchEvent(new PageTransitionEvent(event, { persisted: true }))
  tell('pagehide')
  setTimeout(tell, 300, 'pageshow')
}""")
    page.goto(test.shop.page("/gone-rules-page", NOTE, "<div id=a></div>", test.gateway.origin))
    field_frame(page).locator("input").focus()
    page.keyboard.type("secret")
    until(page, "form.state.fields.note?.inputLength === 6")
    assert any(frame.evaluate("window.hasLeft") for frame in page.frames)
    assert list(attempt(page, "form.tokens()")["value"]["data"]) == ["note"]
    assert not test.console, test.console


def test_a_number_that_was_typed_before_the_rules(test):
    """It delays no call that is made later than a second after it."""
    page = test.open("/early-number", "")
    held = hold(page, "**/engine.wasm")
    page.goto(test.shop.page("/early-number-page", CARD, "<div id=a></div>", test.gateway.origin), wait_until="commit")
    frame = field_frame(page)
    frame.locator("input").first.focus()
    page.keyboard.type("4111111111111111")
    until_equal(lambda: page.wait_for_timeout(10) or len(held), 1)
    page.wait_for_timeout(200)
    held[0].continue_()
    until(page, "form.state.fields.number?.isValid")
    page.wait_for_timeout(1_200)
    page.evaluate("""() => {
      window.times = []
      form.on('change', async () => {
        const start = performance.now()
        await form.tokens()
        times.push(performance.now() - start)
      })
    }""")
    frame.locator(".expiry input").focus()
    # A machine that does other things too may be slow once.
    for count, digit in enumerate("123", 1):
        page.keyboard.type(digit)
        until(page, "times.length >= %d" % count)
    assert min(page.evaluate("times")) < 700, page.evaluate("times")


def test_a_call_that_was_given_up_is_not_made(test):
    page = test.open("/given-up", """
// The limit of a call, sooner.
const real = setTimeout
window.setTimeout = (act, time) => real(act, time === 70000 ? 300 : time)
const now = Date.now
Date.now = () => now() - 69700
""" + PAPERS)
    frame = file_frame(page)
    hold_reading(frame)
    frame.locator("input").set_input_files({"name": "a.png", "mimeType": "image/png", "buffer": b"\x89PNG\r\n\x1a\n"})
    assert attempt(page, "form.send('/x')")["error"]["type"] == "timeout"
    page.wait_for_timeout(200)
    frame.evaluate("go()")
    until(page, "form.state.fields.passport.isComplete")
    page.wait_for_timeout(200)
    assert not [request for request in test.requests if "/send/" in request.url]


def test_a_page_that_is_left_while_it_asks_for_a_session(test):
    page = test.open("/left-asking", NOTE.replace("'dev-secret'", "() => new Promise((resolve) => { window.give = resolve })"))
    field_frame(page).locator("input").focus()
    page.keyboard.type("secret")
    until(page, "form.state.fields.note?.inputLength === 6")
    page.evaluate(START % "tokens()")
    until(page, "window.give")
    leave_and_come_back(page)
    until(page, "form.state.fields.note.isEmpty")
    page.evaluate("give('dev-secret')")
    until(page, "window.outcome")
    assert page.evaluate("outcome") == {"name": "CloakroomError", "type": "timeout"} and not calls_of(test, "tokens")


def test_a_field_that_goes_while_a_call_waits_for_it(test):
    page = test.open("/goes", "")
    held = hold(page, "**/frame.html?form=kinds")
    page.goto(test.shop.page("/goes-early", NOTE, "<div id=a></div>", test.gateway.origin), wait_until="commit")
    until_equal(lambda: page.wait_for_timeout(10) or len(held), 1)
    until(page, "window.form")
    page.evaluate(START % "validate()")
    page.wait_for_timeout(300)
    assert not page.evaluate("outcome")
    page.evaluate("document.querySelector('#a').replaceChildren()")
    until(page, "window.outcome")
    assert page.evaluate("outcome.form") == "kinds", page.evaluate("outcome")


def test_what_no_frame_can_be_handed(test):
    page = test.open("/handed", NOTE)
    field_frame(page)
    for options in ("{ headers: { a: () => 1 } }", "{ idempotencyKey: Symbol() }"):
        error = page.evaluate("form.send('/x', %s).catch(String)" % options)
        assert error == "TypeError: Cloakroom: send cannot be made with this", error
