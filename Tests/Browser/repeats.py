"""Requests whose connection breaks: browsers send them again by themselves, and nobody knows whether the first was carried out."""
import select
import socket
import struct
import threading
import time

from calls import attempt
from until import until

ORDERS = """
const form = (window.form = Cloakroom.form('orders'))
form.on('ready', () => { window.isReady = true })
form.field('note', { label: 'Note' }).mount('#a')
"""
# A connection that is closed with this is reset.
AT_ONCE = struct.pack("ii", 1, 0)


class Link:
    """Between browser and gateway. As often as it is told it resets a connection in place of the response to a send."""

    def __init__(self, gateway):
        host, port = gateway.origin.removeprefix("http://").split(":")
        self.target = (host, int(port))
        self.server = socket.create_server(("127.0.0.1", 0))
        self.origin = "http://127.0.0.1:%d" % self.server.getsockname()[1]
        self.cuts = 0
        # Seconds before one.
        self.pause = 0
        # What has gone to the gateway: the keys of sends, as far as they had any.
        self.keys = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            browser, _ = self.server.accept()
            threading.Thread(target=self.pass_on, args=(browser,), daemon=True).start()

    def pass_on(self, browser):
        is_send = False
        try:
            with browser, socket.create_connection(self.target) as gateway:
                while True:
                    for end in select.select([browser, gateway], [], [])[0]:
                        data = end.recv(65_536)
                        if not data:
                            return
                        if end is browser:
                            is_send = self.note(data) or is_send
                            gateway.sendall(data)
                        elif is_send and self.cuts > 0:
                            self.cuts -= 1
                            time.sleep(self.pause)
                            browser.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, AT_ONCE)
                            return
                        else:
                            is_send = False
                            browser.sendall(data)
        except OSError:
            return

    def note(self, data):
        """Whether a request is a send."""
        line, *headers = data.decode("latin-1").split("\r\n")
        if "/send/" not in line:
            return False
        self.keys.append(next((h.split(": ")[1] for h in headers if h.lower().startswith("idempotency-key: ")), None))
        return True


def open_orders(test, link, path):
    page = test.open(path, ORDERS, gateway=link)
    until(page, "window.isReady")
    page.frame_locator("#a iframe").locator("input").focus()
    page.keyboard.type("order 7")
    until(page, "form.state.fields.note.inputLength === 7")
    return page


def test_a_send_that_the_browser_repeats(test):
    """Once is carried out, also where the page has given no key."""
    link = Link(test.gateway)
    page = open_orders(test, link, "/repeats")
    for options, key in (("{}", None), ("{ idempotencyKey: 'order-7' }", "order-7"),
                         ("{ headers: { 'Idempotency-Key': 'order-8' } }", "order-8")):
        link.cuts = 1
        link.keys.clear()
        outcome = attempt(page, "form.send('/x', %s)" % options)
        # As the browser has sent it again, of which the page knows nothing.
        assert link.cuts == 0 and len(link.keys) == 2, link.keys
        assert link.keys[0] == link.keys[1] and link.keys[0] and key in (None, link.keys[0]), link.keys
        assert outcome["value"]["body"] == {"note": "order 7"} and outcome["value"]["headers"]["idempotency-replayed"] == "true", outcome


def test_each_send_has_a_key_of_its_own(test):
    link = Link(test.gateway)
    page = open_orders(test, link, "/own-keys")
    for _ in range(3):
        assert attempt(page, "form.send('/x')")["value"]["body"] == {"note": "order 7"}
    assert len(set(link.keys)) == 3 and None not in link.keys, link.keys


def test_a_send_without_a_response(test):
    """It may have been carried out, and its error says so."""
    link = Link(test.gateway)
    page = open_orders(test, link, "/unanswered")
    link.cuts = 1_000
    error = attempt(page, "form.send('/x')")["error"]
    assert error["type"] == "network" and "may have been done" in error["title"] and link.keys, (error, link.keys)
