"""A gateway and a shop: the real binary, and pages of another origin that embed its fields, under a strict policy."""
import http.server
import json
import os
import re
import signal
import subprocess
import tempfile
import threading
import urllib.parse

from until import until_equal

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

FORMS = {
    "checkout.yaml": """
form: checkout
route: echo
access: {aliases: public}
fields:
  - {name: card_number, type: cardNumber, isRequired: true, isRequiredValidOnly: true, tokenization: {}}
  - {name: card_holder, type: cardHolderName, isValidIfPresent: true, tokenization: {}}
  - {name: exp_date, type: expDate, isRequired: true, isRequiredValidOnly: true, tokenization: {}}
  - {name: cvc, type: cvc, isRequired: true, isRequiredValidOnly: true, tokenization: {format: UUID, storage: VOLATILE}}
""",
    "kinds.yaml": """
form: kinds
route: echo
access: {aliases: session}
allowedOrigins: ["http://localhost:SHOP"]
fields:
  - {name: number, type: cardNumber, tokenization: {}}
  - {name: ssn, type: ssn, tokenization: {format: UUID}}
  - {name: birth, type: date, tokenization: {}}
  - {name: phone, mask: "(###) ### - ####", transform: {matcher: "\\\\D"}, tokenization: {}}
  - {name: code, mask: "CC-##", tokenization: {}}
  - {name: mobile, mask: "+33 # ## ## ## ##", tokenization: {}}
  - {name: batch, mask: "##0-##", tokenization: {}}
  - {name: plate, formatPattern: "AA-####", tokenization: {}}
  - {name: email, isValidIfPresent: true, validationRules: [{rule: email}], tokenization: {}}
  - {name: expiry, type: expDate, tokenization: {}}
  - {name: longExpiry, type: expDate, inputDateFormat: longYear, formatPattern: "##/####", tokenization: {}}
  - {name: code3, type: cvc, tokenization: {format: UUID, storage: VOLATILE}}
  - {name: holder, type: cardHolderName, tokenization: {}}
  - {name: note, maxInputLength: 8, tokenization: {}}
  - {name: doubled, isValidIfPresent: true, validationRules: [{rule: pattern, pattern: "(ab)\\\\1"}], tokenization: {}}
""",
    "quiet.yaml": """
form: quiet
route: echo
clientRules: false
access: {aliases: public}
fields:
  - {name: member, formatPattern: "AA-####", isRequiredValidOnly: true, validationRules: [{rule: pattern, pattern: "PL[0-9]+"}], tokenization: {}}
""",
    "pair.yaml": """
form: pair
fields:
  - {name: first, type: cardNumber}
  - {name: firstCode, type: cvc}
  - {name: second, type: cardNumber}
  - {name: secondCode, type: cvc}
""",
    "dates.yaml": """
form: dates
fields:
  - {name: shortYear, type: expDate, inputDateFormat: shortYear}
  - {name: longYear, type: expDate, inputDateFormat: longYear}
  - {name: shortYearThenMonth, type: expDate, inputDateFormat: shortYearThenMonth}
  - {name: longYearThenMonth, type: expDate, inputDateFormat: longYearThenMonth}
""",
    "store.yaml": """
form: store
cardBrands:
  custom: [{name: StoreCard, prefixes: ["9100-9149"], lengths: [9], checksum: none}]
fields:
  - {name: number, type: cardNumber}
  - {name: expiry, type: expDate}
  - {name: code, type: cvc}
""",
    "papers.yaml": """
form: papers
route: echo
fields:
  - {name: passport, type: file, isRequired: true, file: {maxBytes: 10000, contentTypes: [image/png]}}
""",
    "orders.yaml": """
form: orders
route: echo
fields: [{name: note}]
""",
    "elsewhere.yaml": """
form: elsewhere
route: echo
allowedOrigins: ["https://shop.example"]
fields: [{name: note}]
""",
}


class Shop:
    """Serves pages by path, on localhost; the gateway is on 127.0.0.1, so it is of another site."""

    def __init__(self):
        self.pages = {}
        self.posted = []
        # Of pages that embed something else than the gateway.
        self.policies = {}
        # By path; beside the policy.
        self.headers = {}
        shop = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                path = urllib.parse.urlsplit(self.path).path
                body, kind = shop.pages.get(path, ("", "text/html"))
                self.send_response(200)
                self.send_header("Content-Type", kind + "; charset=utf-8")
                self.send_header("Content-Security-Policy", shop.policies.get(path, shop.policy))
                for name, value in shop.headers.get(path, {}).items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body.encode())

            def do_POST(self):
                shop.posted.append(self.rfile.read(int(self.headers["Content-Length"])).decode())
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        self.origin = "http://localhost:%d" % self.port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def open(self, gateway):
        # What docs/reference/browser.md section 1 says a page with a strict policy needs, and nothing else.
        self.policy = self.policy_for(gateway)

    def policy_for(self, gateway):
        return ("default-src 'none'; script-src 'self' %s; frame-src %s; form-action 'self'; "
                "require-trusted-types-for 'script'; trusted-types 'none'" % (gateway, gateway))

    def page(self, path, script, body, gateway, head=""):
        """A page with a script file of its own."""
        self.policies[path] = self.policy_for(gateway)
        self.pages[path + ".js"] = (script, "text/javascript")
        loader = '<script src="%s/elements/v1/cloakroom.js" crossorigin></script>' % gateway
        self.pages[path] = (
            '<!doctype html><html lang="en"><head><title>Shop</title>%s%s</head><body><main><h1>Shop</h1>%s</main>'
            '<script src="%s.js"></script></body></html>' % (head, loader, body, path), "text/html")
        return self.origin + path


class Gateway:
    def __init__(self, binary, shop, settings=(), forms=FORMS):
        self.folder = tempfile.TemporaryDirectory()
        path = self.folder.name
        os.mkdir(path + "/forms")
        for name, form in forms.items():
            with open(path + "/forms/" + name, "w") as file:
                file.write(form.replace("SHOP", str(shop.port)))
        with open(path + "/cloakroom.yaml", "w") as file:
            # A machine that is busy with other tests is no overload.
            file.write('server: {listen: ["127.0.0.1:0"], maxWait: 1m}\n'
                       'admin: {listen: "127.0.0.1:0"}\nforms: forms/\n'
                       "vault: {sqlite: {path: vault.db}, masterKey: {file: master.key, generate: true}}\n")
        arguments = [a for s in settings for a in ("--set", s)]
        self.errors = open(path + "/errors", "w+")
        self.process = subprocess.Popen(
            [binary, "serve", "--config", path + "/cloakroom.yaml", *arguments], stdout=subprocess.PIPE, stderr=self.errors, text=True)
        line = self.process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+", line)
        if not found:
            raise SystemExit("the gateway does not listen: " + open(path + "/errors").read())
        self.origin = found.group()
        # The log goes to the same pipe, which must not fill up.
        self.log = []
        threading.Thread(target=lambda: self.log.extend(self.process.stdout), daemon=True).start()

    def change(self, form, old, new):
        """Changes a form's file, and lets the gateway read it again."""
        path = "%s/forms/%s.yaml" % (self.folder.name, form)
        with open(path) as file:
            text = file.read()
        assert old in text, (form, old)
        with open(path, "w") as file:
            file.write(text.replace(old, new))
        count = self.reloads()
        self.process.send_signal(signal.SIGHUP)
        until_equal(self.reloads, count + 1)

    def reloads(self):
        with open(self.folder.name + "/errors") as file:
            return file.read().count("configuration read again")

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()
