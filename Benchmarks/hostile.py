#!/usr/bin/env python3
"""CPU time that the gateway takes for hostile bodies, and how long each of them holds the loop.

Usage: hostile.py BINARY [--only WORD]     for example: hostile.py ../.build/release/cloakroom

Every body is sent as a whole and an eighth as large: the work must grow with the size and not with its square. Meanwhile another
connection asks for something small all the time; the longest that it waits while the loop works is what the body holds it. Each figure is the best
of three, since other work on the machine only adds. The exit status is 1 if a body is beyond a mark or was refused unread."""
import argparse, http.client, json, os, re, shutil, socket, subprocess, sys, tempfile, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

REQUEST = (1 << 20) - 4096
RESPONSE = 4 << 20
# Marks: the ratio of the times for eight times the body, CPU time a MiB, and the time that the loop is held.
RATIO, MILLISECONDS, HOLD = 14, 200, 10
ROUNDS = 3
CARD = "4111111111111111"
NO_DELAY = (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def fill(unit, size):
    return unit * max(1, size // len(unit.encode()))


def text(unit, size):
    return json.dumps(fill(unit, size), ensure_ascii=False)


# What a JSON value of about this size may hold.
VALUES = {
    "a string of letters": lambda n: text("Lorem ipsum ", n),
    "a string of digits": lambda n: text("7", n),
    "cards": lambda n: text(CARD + " ", n),
    "part of a card, again and again": lambda n: text("411111111111111", n),
    "groups of one digit": lambda n: text("4 ", n),
    "groups of four digits": lambda n: text("4111 ", n),
    "a card, a point and zeros": lambda n: text(CARD + ".", 17)[:-1] + "0" * n + '"',
    "points and digits": lambda n: text("4.", n),
    "exponents": lambda n: text("4e", n),
    "hyphens": lambda n: text("4-", n),
    "percent-encoded digits": lambda n: text("%34", n),
    "percent signs, encoded": lambda n: text("%25", n),
    "references of HTML": lambda n: text("&#52;", n),
    "names of HTML": lambda n: text("&eacute;", n),
    "beginnings of references": lambda n: text("&#5", n),
    "percent signs, referred to": lambda n: text("&#37;", n),
    "beginnings of percent escapes": lambda n: text("4%3%3%3%33%3%3%3", n),
    "escapes in escapes": lambda n: text("%5C%75%64%38%33%34%5c%75%64%64%31", n),
    "wide spaces": lambda n: text("3\u2009", n),
    "letters beyond ASCII": lambda n: text("é", n),
    "combining marks": lambda n: text("e\u0301\u0302", n),
    "joined emoji": lambda n: text("👩\u200d", n),
    "one letter with many marks": lambda n: '"e' + fill("\u0301", n) + '"',
    "backslashes": lambda n: '"' + fill(r"\\", n) + '"',
    "escaped digits": lambda n: '"' + fill(r"\u0034", n) + '"',
    "escaped controls": lambda n: '"' + fill(r"\u0001", n) + '"',
    "quotes": lambda n: '"' + fill(r"\"", n) + '"',
    "numbers": lambda n: "[" + fill("4e1,", n) + "1]",
    "digits": lambda n: "[" + fill("4111,", n) + "1]",
    "one long number": lambda n: fill("7", n),
    "numbers of 900 digits": lambda n: "[" + fill("7" * 900 + ",", n) + "1]",
    "nested arrays": lambda n: "[" + fill("[" * 50 + "]" * 50 + ",", n) + "1]",
    "nested objects": lambda n: "[" + fill('{"a":' * 40 + "1" + "}" * 40 + ",", n) + "1]",
    "many members": lambda n: "{" + ",".join(f'"m{i}":1' for i in range(n // 11)) + "}",
    "escaped members": lambda n: "{" + ",".join(rf'"\u006d{i}":1' for i in range(n // 16)) + "}",
    "one member, many times": lambda n: "{" + fill('"m":1,', n) + '"m":1}',
    "sixteen long members": lambda n: "{" + ",".join(f'"{"k" * (n // 16)}{i:02}":1' for i in range(16)) + "}",
    "a long member over a card in an array": lambda n: '{"' + "k" * (n // 2) + '":[' + "1," * (n // 4 - 16) + CARD + "]}",
    "members over members, cards in all": lambda n: "[" + fill('{"4111111111111111":' * 30 + '"' + CARD + '"' + "}" * 30 + ",", n) + "1]",
    "spaces": lambda n: "[" + fill(" ", n) + "1]",
    "identifiers": lambda n: "[" + fill('"3f2504e0-4f89-41d3-9a0c-0305e82c3301",', n) + "1]",
    "different identifiers": lambda n: "[" + ",".join(f'"{i:08x}-4f89-41d3-9a0c-0305e82c3301"' for i in range(n // 39)) + "]",
}
# What a form-encoded body may hold.
FORMS = {
    "pairs": lambda n: "&".join(f"m{i}=1" for i in range(n // 9)),
    "ampersands": lambda n: fill("&", n),
    "percent-encoded pairs": lambda n: fill("%61=%62&", n),
    "pluses": lambda n: "a=" + fill("+", n),
    "identifiers in pairs": lambda n: fill("a=3f2504e0-4f89-41d3-9a0c-0305e82c3301&", n),
}
FIELD_TYPES = {
    "plain": "{name: plain}",
    "stored": "{name: stored, tokenization: {}}",
    "fleeting": "{name: fleeting, tokenization: {format: UUID, storage: VOLATILE}}",
    "card": "{name: card, type: cardNumber, tokenization: {}}",
    "holder": "{name: holder, type: cardHolderName}",
    "code": "{name: code, type: cvc}",
    "expiry": "{name: expiry, type: expDate}",
    "ssn": "{name: ssn, type: ssn}",
    "day": "{name: day, type: date}",
    "iban": "{name: iban, validationRules: [{rule: iban, error: no}]}",
    "masked": '{name: masked, mask: "####-####"}',
    "shaped": '{name: shaped, formatPattern: "##-@@-**", divider: "-"}',
    "pattern": '{name: pattern, validationRules: [{rule: pattern, pattern: "^(a+)+$", error: no}]}',
}

bodies, received = {}, {}


class Upstream(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def setup(self):
        super().setup()
        self.connection.setsockopt(*NO_DELAY)

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body, kind = bodies.get(self.path.rsplit("/", 1)[1], (b"{}", "application/json"))
        head = b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n" % (kind.encode(), len(body))
        try:
            self.wfile.write(head + body)
        except OSError:
            self.close_connection = True

    def handle(self):
        try:
            super().handle()
        except OSError:
            pass

    def log_message(self, *_):
        pass


def serve(binary, folder, port):
    os.mkdir(folder + "/forms")
    fields = "\n".join(f"  - {field}" for field in FIELD_TYPES.values())
    for name, action in (("open", "report"), ("strict", "mask")):
        with open(f"{folder}/forms/{name}.yaml", "w") as file:
            file.write(f"form: {name}\nroute: upstream\naccess: {{send: public, aliases: public, validate: public}}\n"
                       f"guard: {{pan: {action}}}\nfields:\n{fields}\n")
    base = f'url: "http://127.0.0.1:{port}", allowPlaintext: true'
    with open(folder + "/c.yaml", "w") as file:
        file.write(f"""
server: {{listen: ["127.0.0.1:0"], workers: 1}}
admin: {{listen: "127.0.0.1:0"}}
forms: forms/
vault: {{sqlite: {{path: vault.db}}, masterKey: {{file: master.key, generate: true}}}}
routes:
  - {{name: upstream, kind: upstream, {base}, methods: [POST]}}
  - {{name: acquirer, kind: reveal, {base}, unknownAliases: pass}}
  - {{name: pointers, kind: reveal, {base}, unknownAliases: pass, reveal: {{body: ["/card", "/*", "/*/*"]}}, guard: {{pan: mask}}}}
  - {{name: redacting, kind: reveal, {base}, redact: [{{pointer: /card, format: UUID}}]}}
log: {{level: error}}
""")
    process = subprocess.Popen([binary, "serve", "--config", folder + "/c.yaml"], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True,
                               env={**os.environ, "GLIBC_TUNABLES": "glibc.malloc.tcache_count=128"})
    return process, int(re.search(r":(\d+)", process.stdout.readline()).group(1))


def cpu(pid):
    total = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{thread}/schedstat") as file:
                total += int(file.read().split()[0])
        except OSError:
            pass
    return total


# A process of its own, so that the work of this one delays nothing. What it waits counts as far as the loop has worked meanwhile: on a busy
# machine a loop also waits for its turn.
PINGER = """
import os, select, socket, sys, time
port, process = int(sys.argv[1]), "/proc/" + sys.argv[2] + "/task/"
loop = next(process + task for task in os.listdir(process) if open(process + task + "/comm").read().strip() == "worker 0")
times = open(loop + "/schedstat")
def worked():
    times.seek(0)
    return int(times.read().split()[0])
def connect():
    peer = socket.create_connection(("127.0.0.1", port))
    peer.setsockopt(6, 1, 1)
    return peer
peer, worst = connect(), 0
poll = select.poll()
poll.register(0, select.POLLIN)
while True:
    if poll.poll(0):
        if not sys.stdin.readline():
            break
        print(worst, flush=True)
        worst = 0
    start, before = time.perf_counter_ns(), worked()
    peer.sendall(b"GET /v1/forms HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n")
    if not peer.recv(65536):
        peer = connect()
    worst = max(worst, min(time.perf_counter_ns() - start, worked() - before))
    time.sleep(0.0003)
"""


class Gateway:
    def __init__(self, binary, upstream):
        self.folder = tempfile.mkdtemp(prefix="hostile-")
        self.process, self.port = serve(binary, self.folder, upstream)
        self.client = None
        self.pinger = subprocess.Popen([sys.executable, "-c", PINGER, str(self.port), str(self.process.pid)], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, text=True)

    def worst(self):
        self.pinger.stdin.write("x\n")
        self.pinger.stdin.flush()
        return int(self.pinger.stdout.readline())

    def call(self, path, body, kind="application/json", headers={}):
        if self.client is None:
            self.client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
            self.client.connect()
            self.client.sock.setsockopt(*NO_DELAY)
        try:
            self.client.request("POST", path, body, {"Authorization": "Basic ZGV2OmRldi1zZWNyZXQ=", "Content-Type": kind, **headers})
            response = self.client.getresponse()
            content = response.read()
            if response.will_close:
                self.client = None
            return response.status, content
        except (OSError, http.client.HTTPException) as error:
            self.client = None
            return type(error).__name__, b""

    def time(self, make, size):
        """The least CPU time and the shortest hold in milliseconds, and the status."""
        rounds = []
        while len(rounds) < ROUNDS:
            time.sleep(0.01)
            call = make(size)
            self.worst()
            before = cpu(self.process.pid)
            status, _ = self.call(*call)
            # The time of a thread is not counted before it waits.
            time.sleep(0.01)
            if self.process.poll() is not None:
                sys.exit(f"the gateway has ended with {self.process.returncode}")
            rounds.append((status, cpu(self.process.pid) - before, self.worst()))
            if rounds[-1][1] > 3e9:
                break
        # A call that met an error of the connection has done nothing.
        status = min((status for status, _, _ in rounds), key=str)
        good = [round for round in rounds if round[0] == status]
        return min(spent for _, spent, _ in good) / 1e6, min(held for _, _, held in good) / 1e6, status

    def stop(self):
        self.pinger.kill()
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.folder)


def cases(gateway):
    """Name, size in bytes, and how to make the call for a size."""
    for name, value in VALUES.items():
        extra = lambda n, value=value: ('{"fields":{},"extraData":{"a":' + value(n) + "}}").encode()
        yield f"validate, extraData: {name}", REQUEST, lambda n, e=extra: ("/v1/forms/open/validate", e(n))
        yield f"send, report: {name}", REQUEST, lambda n, e=extra: ("/v1/forms/open/send/x", e(n))
        yield f"send, mask: {name}", REQUEST, lambda n, e=extra: ("/v1/forms/strict/send/x", e(n))
        if value(64).startswith('"'):
            for field in FIELD_TYPES:
                body = lambda n, value=value, field=field: (f'{{"fields":{{"{field}":' + value(n) + "}}").encode()
                yield f"validate, field {field}: {name}", REQUEST, lambda n, b=body: ("/v1/forms/open/validate", b(n))
            # A text that must not be stored, in a response that nearly holds it at every place.
            def keyed(n, value=value, name=name):
                bodies["kept"] = (value(n).encode(), "application/json")
                body = '{"fields":{"fleeting":' + value(n // 8)[:-1] + 'b"}}'
                return ("/v1/forms/open/send/kept", body.encode(), "application/json", {"Idempotency-Key": f"{time.time_ns()}"})
            yield f"response under a key, a field alike: {name}", RESPONSE, keyed
        request = lambda n, value=value: ('{"card":' + value(n) + "}").encode()
        for route in ("acquirer", "pointers"):
            yield f"reveal, {route}: {name}", REQUEST, lambda n, r=request, route=route: (f"/v1/routes/{route}/x", r(n))
        known = json.dumps({"card": gateway.alias, "code": gateway.code}).encode()
        for route in ("acquirer", "pointers", "redacting"):
            def response(n, value=value, route=route, name=name):
                key = f"{abs(hash((name, route, n)))}"
                bodies.clear()
                bodies[key] = (('{"card":' + value(n) + "}").encode(), "application/json")
                return (f"/v1/routes/{route}/{key}", known)
            yield f"response, {route}: {name}", RESPONSE, response
    for name, value in FORMS.items():
        yield f"reveal, form: {name}", REQUEST, lambda n, value=value: (
            "/v1/routes/acquirer/x", value(n).encode(), "application/x-www-form-urlencoded")
    unknown = lambda n: ('{"fields":{' + ",".join(f'"m{i}":"1"' for i in range(n // 13)) + "}}").encode()
    yield "validate, unknown fields", REQUEST, lambda n: ("/v1/forms/open/validate", unknown(n))
    cards = lambda n: json.dumps({"card": [gateway.cards[i % len(gateway.cards)] for i in range(n // 20)]}).encode()
    yield "reveal, pointers: aliases of cards", REQUEST, lambda n: ("/v1/routes/pointers/x", cards(n).replace(b"card", b"a"))
    aliases = lambda n: json.dumps({"a": [gateway.uuids[i % len(gateway.uuids)] for i in range(n // 40)]}).encode()
    yield "reveal, acquirer: aliases", REQUEST, lambda n: ("/v1/routes/acquirer/x", aliases(n))


def luhn(prefix):
    total = sum(d if i % 2 else (d * 2 - 9 if d > 4 else d * 2) for i, d in enumerate(map(int, prefix)))
    return prefix + str(-total % 10)


def prepare(gateway):
    def create(values, format):
        aliases = []
        for start in range(0, len(values), 20):
            some = [{"value": value, "format": format} for value in values[start:start + 20]]
            status, content = gateway.call("/aliases", json.dumps({"data": some}))
            assert status in (200, 201), (status, content)
            aliases += [item["aliases"][0]["alias"] for item in json.loads(content)["data"]]
        return aliases
    numbers = [luhn(f"411111{i:09}") for i in range(4000)]
    gateway.cards = create(numbers, "FPE_SIX_T_FOUR")
    gateway.uuids = create(numbers, "UUID")
    gateway.alias, gateway.code = create([CARD, "321"], "UUID")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    upstream = ThreadingHTTPServer(("127.0.0.1", 0), Upstream)
    upstream.daemon_threads = True
    threading.Thread(target=upstream.serve_forever, daemon=True).start()
    gateway = Gateway(arguments.binary, upstream.server_port)
    prepare(gateway)
    failed = 0
    print(f"{'':70} {'status':>6} {'ms a MiB':>9} {'hold ms':>8} {'8 times':>8}", flush=True)
    for name, size, make in cases(gateway):
        if arguments.only not in name:
            continue
        small, _, _ = gateway.time(make, size // 8)
        large, hold, status = gateway.time(make, size)
        rate, ratio = large / (size / (1 << 20)), large / max(small, 0.5)
        # What was refused before the body was read says nothing.
        is_read = status in (200, 400, 413, 422, 502)
        mark = "" if is_read and ratio < RATIO and rate < MILLISECONDS and hold < HOLD else "  <--"
        failed += mark != ""
        print(f"{name:70} {status!s:>6} {rate:9.1f} {hold:8.1f} {ratio:8.1f}{mark}", flush=True)
    gateway.stop()
    sys.exit(1 if failed else 0)


main()
