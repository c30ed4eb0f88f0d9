#!/usr/bin/env python3
"""Looks for what values leave behind: starts the release binary, plants unique values through every endpoint, error paths
and malformed requests included, waits for the answers, and searches all writable memory of the process, every file that it
wrote and its logs. Zero hits is the mark: a value may exist only sealed. A value that is refused where it should be accepted ends the run.

Connections stay open while memory is read: an idle connection must hold nothing either. Reading another process's memory
needs root, since the gateway makes itself undumpable.
"""
import argparse, base64, json, os, random, re, socket, ssl, subprocess, sys, tempfile, threading, time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
AUTHORIZATION = "Basic " + base64.b64encode(b"dev:dev-secret").decode()
FORMS = {
    "order.yaml": """
form: order
route: merchant
access: {send: public}
fields:
  - {name: card_number, type: cardNumber, isRequired: true, isRequiredValidOnly: true, tokenization: {}}
  - {name: card_holder, type: cardHolderName, tokenization: {}}
  - {name: exp_date, type: expDate, tokenization: {}}
  - {name: note}
""",
    "short.yaml": """
form: short
route: echo
access: {send: public}
fields:
  - {name: code, tokenization: {}}
  - {name: word}
""",
}

# More than is worked on on the loop.
PADDING = {"padding": ["x" * 90] * 800}


class Plants:
    """Unique values, each with the place where it was planted."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.values = {}

    def text(self, place, length=24):
        # The first letter marks a plant, the rest is random: nothing else in the process looks like it.
        letters = "".join(self.random.choice("bcdfghjkmnpqrstvwxz2456789") for _ in range(length - 2))
        value = "Qz" + letters
        self.values[value] = place
        return value

    def card(self, place):
        while True:
            digits = "4716" + "".join(self.random.choice("0123456789") for _ in range(11))
            total = sum((d if i % 2 else (d * 2 - 9 if d > 4 else d * 2)) for i, d in enumerate(map(int, digits)))
            value = digits + str(-total % 10)
            if value not in self.values:
                self.values[value] = place
                spaced = " ".join(value[i:i + 4] for i in range(0, 16, 4))
                self.values[spaced] = place
                return spaced


class Client:
    """One connection, kept open."""

    # Called after every answer, with the call and the older values that it was about.
    after_answer = None

    # For TLS.
    context = None

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=10)
        if Client.context:
            self.socket = Client.context.wrap_socket(self.socket, server_hostname="localhost")
        self.buffer = b""

    def send(self, data):
        self.socket.sendall(data if isinstance(data, bytes) else data.encode())

    def receive(self):
        while b"\r\n\r\n" not in self.buffer:
            more = self.socket.recv(65536)
            if not more:
                return None, self.buffer
            self.buffer += more
        head, _, rest = self.buffer.partition(b"\r\n\r\n")
        match = re.search(rb"(?i)content-length: (\d+)", head)
        length = int(match.group(1)) if match else 0
        while len(rest) < length:
            more = self.socket.recv(65536)
            if not more:
                break
            rest += more
        self.buffer = rest[length:]
        return int(head.split(b" ")[1]), rest[:length]

    def call(self, method, target, body=None, headers=(), authorized=True, about=(), content="application/json"):
        text = f"{method} {target} HTTP/1.1\r\nHost: localhost\r\n"
        if authorized:
            text += f"Authorization: {AUTHORIZATION}\r\n"
        for header in headers:
            text += header + "\r\n"
        if body is not None:
            body = body if isinstance(body, str) else json.dumps(body)
            text += f"Content-Type: {content}\r\nContent-Length: {len(body.encode())}\r\n"
        self.send(text + "\r\n" + (body or ""))
        answer = self.receive()
        if Client.after_answer:
            Client.after_answer(re.sub(r"(/aliases.).*", r"\1…", f"{method} {target}"), about)
        return answer

    def expect(self, status, method, target, body=None, **more):
        """The same, with a status that must come: a value that is refused where it should be accepted has not been where it should be
        looked for. Returns what the JSON of the response says."""
        answer = self.call(method, target, body, **more)
        assert answer[0] == status, f"{method} {target}: {answer[0]} where {status} should be: {answer[1]}"
        return json.loads(answer[1]) if answer[1] else None


class Merchant(threading.Thread):
    """An upstream that answers with what it gets, or with a fixed body."""

    def __init__(self):
        super().__init__(daemon=True)
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]

    def run(self):
        while True:
            connection, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    @staticmethod
    def serve(connection):
        buffer = b""
        while True:
            more = connection.recv(65536)
            if not more:
                return
            buffer += more
            while b"\r\n\r\n" in buffer:
                head, _, rest = buffer.partition(b"\r\n\r\n")
                length = int(re.search(rb"(?i)content-length: (\d+)", head).group(1))
                if len(rest) < length:
                    break
                buffer = rest[length:]
                body = rest[:length] if b"/mirror" in head.split(b"\r\n")[0] else b"{}"
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                                   b"Content-Length: %d\r\n\r\n%s" % (len(body), body))


# The calls of a form, and what each answers to what it accepts.
FORM_CALLS = {"validate": 200, "aliases": 201, "tokens": 201, "send/x": 200}
STORAGES = ("PERSISTENT", "VOLATILE")


def card(plants, place, form="order"):
    """Fields that both forms of cards accept."""
    return {"card_number": plants.card(place), "card_holder": plants.text(place), "exp_date": "12/31",
            **({"cvc": "907"} if form == "checkout" else {})}


def well_formed(client, plants, lengths):
    """Every endpoint with values that it accepts. Text lengths on both sides of what Swift keeps inside a string."""
    forms(client, plants, lengths)
    large_bodies(client, plants, lengths)
    vault(client, plants, lengths)
    repeated(client, plants)
    sessions(client, plants)


def forms(client, plants, lengths):
    for call, status in FORM_CALLS.items():
        for form in ("checkout", "order"):
            place = f"{form} {call}"
            state = client.expect(status, "POST", f"/v1/forms/{form}/{call}",
                                  {"fields": card(plants, place, form), "extraData": {"k": plants.text(place)}})
            # It answers 200 to what it does not accept, too.
            assert call != "validate" or state["isValid"], state
        for length in lengths:
            place = f"short {call} of {length}"
            fields = {"code": plants.text(place, length), "word": plants.text(place, length)}
            client.expect(status, "POST", f"/v1/forms/short/{call}", {"fields": fields})
    identity = {"name": plants.text("identity"), "ssn": "219-09-7366", "birth_date": "04/21/1988"}
    client.expect(201, "POST", "/v1/forms/identity/aliases", {"fields": identity})


def vault(client, plants, lengths):
    """The vault plane and the reveal route."""
    aliases, value_of = [], {}
    for storage in STORAGES:
        for length in lengths:
            place = f"vault {storage} of {length}"
            items = [{"value": plants.text(place, length), "format": "UUID", "storage": storage} for _ in range(3)]
            items.append({"value": plants.card(place), "format": "UUID", "storage": storage})
            for item in client.expect(201, "POST", "/aliases", {"data": items})["data"]:
                aliases.append(item["aliases"][0]["alias"])
                value_of[aliases[-1]] = item["value"]
            token = plants.text("tokens " + place, length)
            client.expect(201, "POST", "/tokens", {"data": [{"value": token, "format": "UUID", "storage": storage}]}, about=[token])
            deletions(client, plants, length, storage)
    for alias in aliases:
        about = [value_of[alias]]
        client.expect(200, "GET", f"/aliases/{alias}", about=about)
        for path, more in (("in", {}), ("mirror", {}), ("in", PADDING), ("mirror", PADDING)):
            client.expect(200, "POST", f"/v1/routes/acquirer/{path}", {"pan": alias, "deep": [{"pan": alias}], **more}, about=about)
    alias = aliases[0]
    about = [value_of[alias]]
    client.expect(200, "POST", "/v1/routes/acquirer/in", f"pan={alias}&k=v", content="application/x-www-form-urlencoded", about=about)
    client.expect(200, "POST", f"/v1/routes/acquirer/in?card={alias}", {}, headers=[f"X-Card: {alias}"], about=about)
    for start in range(0, len(aliases), 10):
        some = aliases[start:start + 10]
        client.expect(200, "GET", "/aliases?q=" + ",".join(some), about=[value_of[alias] for alias in some])
    reference = {"data": [{"alias": aliases[0], "format": "RAW_UUID"}]}
    client.expect(201, "POST", "/aliases", reference, about=about)
    client.expect(204, "DELETE", f"/aliases/{aliases[1]}", about=[value_of[aliases[1]]])


def deletions(client, plants, length, storage):
    """Values that get other classifiers and are deleted, by alias and by classifier."""
    place = f"deleted {storage} of {length}"
    values = [plants.text(place, length) for _ in range(2)]
    # None was there before: what is erased by classifier is looked for on its own.
    classifier = f"c{plants.random.randrange(1 << 40)}"
    items = [{"value": value, "format": "UUID", "storage": storage, "classifiers": ["before"]} for value in values]
    aliases = [item["aliases"][0]["alias"] for item in client.expect(201, "POST", "/aliases", {"data": items})["data"]]
    for alias in aliases:
        client.expect(204, "PUT", f"/aliases/{alias}?storage={storage}", {"data": {"classifiers": [classifier]}}, about=values)
    client.expect(204, "POST", "/aliases/delete", {"data": aliases[:1], "storage": storage}, about=values[:1])
    erasure = client.expect(202, "POST", "/aliases/delete", {"classifier": classifier, "storage": storage}, about=values[1:])["erasure"]
    client.expect(200, "GET", f"/erasures/{erasure}", about=values[1:])


def repeated(client, plants):
    """Requests with an Idempotency-Key: the response to the first is stored, and the second gets it; another body is refused."""
    for form in ("checkout", "order"):
        for call in ("aliases", "tokens", "send/x"):
            place = f"repeated {form} {call}"
            key = [f"Idempotency-Key: k{plants.random.randrange(1 << 40)}"]
            body = {"fields": card(plants, place, form), "extraData": {"k": plants.text(place)}}
            about = [body["fields"]["card_number"], body["fields"]["card_holder"], body["extraData"]["k"]]
            for _ in range(2):
                client.expect(FORM_CALLS[call], "POST", f"/v1/forms/{form}/{call}", body, headers=key, about=about)
            other = {"fields": card(plants, place, form)}
            client.expect(422, "POST", f"/v1/forms/{form}/{call}", other, headers=key)
    values = [plants.text("repeated vault") for _ in range(2)]
    key = [f"Idempotency-Key: k{plants.random.randrange(1 << 40)}"]
    for _ in range(2):
        client.expect(201, "POST", "/aliases", {"data": [{"value": value, "format": "UUID"} for value in values]}, headers=key, about=values)


def sessions(client, plants):
    """What a browser does with a session."""
    token = client.expect(201, "POST", "/v1/sessions", {"form": "checkout"})["session"]
    bearer = [f"Authorization: Bearer {token}"]
    for call, status in FORM_CALLS.items():
        body = {"fields": card(plants, f"session {call}", "checkout")}
        client.expect(status, "POST", f"/v1/forms/checkout/{call}", body, headers=bearer, authorized=False)
    client.expect(204, "DELETE", "/v1/sessions/current", headers=bearer, authorized=False)


def large_bodies(client, plants, lengths):
    """Bodies that are worked on beside the loop: their values lie on another thread's stack."""
    for call, status in FORM_CALLS.items():
        for length in lengths:
            place = f"large {call} of {length}"
            fields = {"code": plants.text(place, length), "word": plants.text(place, length)}
            body = {"fields": fields, "extraData": {"k": plants.text(place), **PADDING}}
            client.expect(status, "POST", f"/v1/forms/short/{call}", body)
            client.expect(400, "POST", f"/v1/forms/short/{call}", {"fields": {plants.text(place, length): ""}, "extraData": PADDING})
            broken = {"extraData": PADDING, "fields": {"code": plants.text(place, length)}}
            client.expect(400, "POST", f"/v1/forms/short/{call}", json.dumps(broken)[:-1])


def refused(client, plants, lengths):
    """Every way to be refused by the gateway on a connection that stays open."""
    for call in ("validate", "aliases", "tokens", "send/x"):
        for length in lengths:
            for make in (
                lambda v: {"fields": {"card_number": v, "card_holder": v + "$", "exp_date": v, "cvc": v}},
                lambda v: {"fields": {v: v}},
                lambda v: {"fields": {"card_number": [v]}},
                lambda v: {"fields": v},
                lambda v: {v: v, "fields": {}},
                lambda v: {"fields": {}, "extraData": v},
                lambda v: '{"fields":{"card_number":"%s","card_number":"%s"}}' % (v, v),
                lambda v: '{"fields":{"card_number":"%s' % v,
                lambda v: '{"fields":{"card_number":"\\u00%s"}}' % v,
                lambda v: v,
            ):
                place = f"refused {call}"
                client.call("POST", f"/v1/forms/checkout/{call}", make(plants.text(place, length)))
    for length in lengths:
        v = plants.text("refused by the vault", length)
        for data in ([{"value": v, "format": "FPE_SIX_T_FOUR"}], [{"value": v}], [{"value": v, "format": "X"}],
                     [{"value": [v], "format": "UUID"}], v, [v], [{"value": v, "format": "UUID", "x": v}],
                     [{"value": v, "format": "UUID"}] * 30):
            client.call("POST", "/aliases", {"data": data})
        client.call("POST", "/aliases", {"data": [{"value": plants.text("unauthorized", length), "format": "UUID"}]},
                    authorized=False)
        client.call("POST", "/aliases", plants.text("secret", length), authorized=False,
                    headers=[f"Authorization: Bearer {plants.text('bearer', length)}"])
        client.call("POST", "/nowhere", plants.text("nowhere", length))
        client.call("PUT", "/v1/forms/checkout/aliases", plants.text("method", length))
        client.call("POST", "/v1/forms/none/aliases", plants.text("no form", length))
    client.call("POST", "/v1/routes/acquirer/mirror", '{"pan":"%s' % plants.text("cut reveal"))
    client.call("POST", "/v1/routes/acquirer/mirror", {"pan": plants.text("no alias"), "k": plants.text("beside no alias")})
    client.call("POST", "/v1/routes/none/mirror", {"pan": plants.text("no route")})
    client.call("GET", "/aliases/" + plants.text("unknown alias"))
    client.call("PUT", "/aliases/" + plants.text("unknown alias"), {"data": {"classifiers": [plants.text("classifier")]}})
    client.call("POST", "/aliases/delete", {"data": [plants.text("deleted and unknown")]})
    client.call("POST", "/v1/sessions", {"form": plants.text("form of a session")})
    client.call("POST", "/v1/sessions", {"form": "checkout", "origin": plants.text("origin")})
    client.call("POST", "/oauth/token", f"grant_type=client_credentials&client_id=dev&client_secret={plants.text('client secret')}",
                authorized=False, content="application/x-www-form-urlencoded")


def broken(port, plants, lengths):
    """Requests that the wire layer refuses, or that never end; their connections are closed."""
    for length in lengths:
        value = lambda place: plants.text(place, length)
        post = "POST /v1/forms/checkout/validate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
        for data in (
            post + "Content-Length: 5\r\nContent-Length: 6\r\n\r\n" + value("two lengths"),
            post + "Content-Length: +5\r\n\r\n" + value("bad length"),
            post + "Transfer-Encoding: chunked\r\n\r\nzz\r\n" + value("bad chunk"),
            post + "Transfer-Encoding: chunked\r\n\r\n18\r\n" + value("cut chunk"),
            post + "Content-Length: 99\r\n\r\n" + value("cut body"),
            post + "Content-Length: 99999999\r\n\r\n" + value("too large"),
            post + "X-A : " + value("space before colon") + "\r\n\r\n",
            post + "X-A: " + value("cut head"),
            value("no request") + "\r\n\r\n",
            "GET /" + value("path") + "\x00 HTTP/1.1\r\n\r\n",
        ):
            client = Client(port)
            client.send(data)
            try:
                client.socket.settimeout(0.05)
                client.receive()
            except OSError:
                pass
            client.socket.close()


def plant(port, plants, lengths):
    kept = []
    for _ in range(2):
        client = Client(port)
        kept.append(client)
        well_formed(client, plants, lengths)
        refused(client, plants, lengths)
        chunked = plants.text("chunked")
        body = json.dumps({"fields": {"note": chunked}})
        client.send("POST /v1/forms/order/validate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                    f"Transfer-Encoding: chunked\r\n\r\n{5:x}\r\n{body[:5]}\r\n")
        time.sleep(0.05)
        client.send(f"{len(body) - 5:x}\r\n{body[5:]}\r\n0\r\n\r\n")
        client.receive()
        pieces = json.dumps({"fields": {"note": plants.text("piecemeal")}})
        client.send(f"POST /v1/forms/order/validate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                    f"Content-Length: {len(pieces)}\r\n\r\n{pieces[:20]}")
        time.sleep(0.05)
        client.send(pieces[20:])
        client.receive()
    broken(port, plants, lengths)
    return kept


class Load(threading.Thread):
    """Keeps the loops busy with texts that are not looked for."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.client, self.on = Client(port), True

    def run(self):
        number = 0
        try:
            while self.on:
                number += 1
                item = {"value": f"load {number} {id(self)}", "format": "UUID"}
                self.client.call("POST", "/aliases", {"data": [item]})
                self.client.call("POST", "/v1/forms/short/validate", {"fields": {"code": f"load {number}"}})
        except OSError:
            pass  # the end of the process


def regions(pid):
    with open(f"/proc/{pid}/maps") as maps:
        for line in maps:
            parts = line.split(None, 5)
            if "w" in parts[1] and not parts[-1].strip().startswith("[vv"):
                start, end = (int(x, 16) for x in parts[0].split("-"))
                yield start, end, parts[5].strip() if len(parts) > 5 else "anonymous"


def stacks(pid):
    """Stack pointers of the threads, to tell stacks from heaps."""
    pointers = {}
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/syscall") as f:
            fields = f.read().split()
        with open(f"/proc/{pid}/task/{task}/comm") as f:
            name = f.read().strip()
        if len(fields) > 2:
            pointers[int(fields[-2], 16)] = name
    return pointers


def scan_memory(pid, plants, verbose):
    needles = {v.encode(): v for v in plants.values}
    # Half of a value is as bad: the first and the last twelve characters of long ones.
    for value in plants.values:
        if len(value) >= 16:
            needles[value[:12].encode()] = value
            needles[value[-12:].encode()] = value
    longest = sorted(needles, key=len, reverse=True)
    pattern = re.compile(b"|".join(map(re.escape, longest)))

    def matches(data):
        if len(longest) > 40:
            yield from ((match.start(), match.group()) for match in pattern.finditer(data))
            return
        for needle in longest:
            at = data.find(needle)
            while at >= 0:
                yield at, needle
                at = data.find(needle, at + 1)

    hits = []
    pointers = stacks(pid)
    with open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for start, end, name in regions(pid):
            try:
                memory.seek(start)
                data = memory.read(end - start)
            except OSError:
                continue
            thread = next((t for p, t in pointers.items() if start <= p < end), None)
            where = f"stack of {thread}" if thread else name
            seen = set()
            for at, text in matches(data):
                if any(start_ <= at < end_ for start_, end_ in seen):
                    continue
                seen.add((at, at + len(text)))
                hits.append((where, plants.values[needles[text]]))
                if verbose:
                    around = data[max(0, at - 48):at + 72]
                    print(f"  {where} {start + at:x} [{plants.values[needles[text]]}] {around!r}")
    return hits


class EachAnswer:
    """Searches after every single answer, when nothing has yet been written over what it left."""

    def __init__(self, pid, plants, verbose):
        self.pid, self.plants, self.verbose, self.known, self.hits, self.scans = pid, plants, verbose, 0, [], 0

    def __call__(self, call, about):
        new = Plants(0)
        new.values = dict(list(self.plants.values.items())[self.known:])
        new.values.update({value: f"{self.plants.values[value]}, {call}" for value in about})
        self.known = len(self.plants.values)
        if not new.values:
            return
        # The answer is read before the process is done with it: the connection's turn ends a moment later.
        time.sleep(0.03)
        self.scans += 1
        self.hits += scan_memory(self.pid, new, self.verbose)


def scan_files(folder, plants):
    needles = [v.encode() for v in plants.values]
    hits = []
    for path, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(path, name), "rb") as f:
                data = f.read()
            hits += [(os.path.relpath(os.path.join(path, name), folder), plants.values[n.decode()])
                     for n in needles if n in data]
    return hits


def report(title, hits):
    print(f"{title}: {len(hits)} {'hit' if len(hits) == 1 else 'hits'}")
    counts = {}
    for hit in hits:
        counts[hit] = counts.get(hit, 0) + 1
    for (where, place), count in sorted(counts.items(), key=lambda item: -item[1])[:60]:
        print(f"  {count:5} in {where}: {place}")


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--binary", default=os.path.join(ROOT, ".build/release/cloakroom"))
    arguments.add_argument("--verbose", action="store_true", help="shows what stands around a hit")
    arguments.add_argument("--tls", action="store_true", help="speaks TLS with the gateway")
    arguments.add_argument("--postgres", metavar="URL", help="keeps the vault in this database, which must be empty")
    arguments.add_argument("--each", action="store_true", help="searches after every single answer as well")
    arguments.add_argument("--seed", type=int, default=time.time_ns())
    arguments.add_argument("--lengths", default="10,15,16,24,90", help="lengths of the planted texts")
    options = arguments.parse_args()
    lengths = [int(x) for x in options.lengths.split(",")]
    if os.geteuid() != 0:
        sys.exit("residue: reading the memory of an undumpable process needs root")
    folder = tempfile.mkdtemp(prefix="residue-")
    os.makedirs(f"{folder}/config/forms")
    for name in ("checkout.yaml", "identity.yaml"):
        with open(f"{ROOT}/config/forms/{name}") as source, open(f"{folder}/config/forms/{name}", "w") as target:
            target.write(source.read())
    for name, text in FORMS.items():
        with open(f"{folder}/config/forms/{name}", "w") as target:
            target.write(text)
    tls = ""
    if options.tls:
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
             "-subj", "/CN=localhost", "-keyout", f"{folder}/config/key.pem", "-out", f"{folder}/config/server.pem"],
            check=True, capture_output=True)
        os.chmod(f"{folder}/config/key.pem", 0o600)
        tls = ", tls: {certificate: server.pem, key: key.pem}"
        Client.context = ssl.create_default_context()
        Client.context.check_hostname, Client.context.verify_mode = False, ssl.CERT_NONE
    vault = "sqlite: {path: ../data/vault.db}, masterKey: {file: ../data/master.key, generate: true}"
    if options.postgres:
        os.makedirs(f"{folder}/data")
        with open(os.open(f"{folder}/data/master.key", os.O_WRONLY | os.O_CREAT, 0o600), "wb") as target:
            target.write(os.urandom(32))
        vault = f'store: postgres, postgres: {{url: "{options.postgres}"}}, masterKey: {{file: ../data/master.key}}'
    merchant = Merchant()
    merchant.start()
    with open(f"{folder}/config/cloakroom.yaml", "w") as target:
        target.write(f"""
server: {{listen: ["127.0.0.1:0"], workers: 2, timeouts: {{header: 2s, body: 2s, idle: 600s}}{tls}}}
admin: {{listen: "127.0.0.1:0"}}
forms: forms/
vault: {{{vault}}}
routes:
  - {{name: echo, kind: echo}}
  - {{name: merchant, kind: upstream, url: "http://127.0.0.1:{merchant.port}/", allowPlaintext: true}}
  - name: acquirer
    kind: reveal
    url: "http://127.0.0.1:{merchant.port}/"
    allowPlaintext: true
    reveal: {{body: [/pan, "/deep/*/pan"], headers: [X-Card], query: [card]}}
    redact: [{{pointer: /pan, format: UUID}}, {{pointer: /deep/*/pan, format: UUID, storage: VOLATILE}}]
""")
    log = open(f"{folder}/errors", "wb")
    process = subprocess.Popen(
        [options.binary, "serve", "--config", f"{folder}/config/cloakroom.yaml"], stdout=subprocess.PIPE, stderr=log)
    try:
        line = process.stdout.readline().decode()
        if "listening" not in line:
            sys.exit(open(f"{folder}/errors").read())
        port = int(re.search(r":(\d+)", line).group(1))
        plants = Plants(options.seed)
        kept = plant(port, plants, lengths)
        time.sleep(1)
        # What a connection is still waiting for must be found, or this search is blind.
        control = Plants(options.seed + 1)
        waiting = Client(port)
        waiting.send("POST /v1/forms/order/validate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                     "Content-Length: 99\r\n\r\n" + control.text("control"))
        time.sleep(0.2)
        if not scan_memory(process.pid, control, False):
            sys.exit("residue: the search does not find what must be there")
        waiting.socket.close()
        print(f"{len(plants.values)} values planted on {len(kept)} connections, which are still open")
        hits = scan_memory(process.pid, plants, options.verbose)
        report("memory at rest", hits)
        if options.each:
            each = EachAnswer(process.pid, plants, options.verbose)
            each.known = len(plants.values)
            Client.after_answer = each
            kept += plant(port, plants, lengths)
            Client.after_answer = None
            report(f"memory after each of {each.scans} answers", each.hits)
            hits += each.hits
        loads = [Load(port) for _ in range(16)]
        for load in loads:
            load.start()
        kept += plant(port, plants, lengths)
        time.sleep(3)
        under_load = scan_memory(process.pid, plants, options.verbose)
        report("memory under load", under_load)
        for load in loads:
            load.on = False
        time.sleep(0.5)
        process.terminate()
        process.wait(30)
        files = scan_files(folder, plants)
        report("files and logs", files)
        sys.exit(1 if hits or under_load or files else 0)
    finally:
        if process.poll() is None:
            process.kill()


main()
