#!/usr/bin/env python3
"""Instructions in user mode that a reveal takes, by the size of the upstream's response, of release binaries beside each other.

Usage: reveal.py BINARY[@ROUTE KEYS] ...   for example: reveal.py ../.build/release/cloakroom ../.build/release/cloakroom@'guard: {pan: "off"}'
The first is what the others are compared with. Needs perf and its counters. Instructions hardly depend on what else runs."""
import http.client, json, os, random, re, shutil, socket, subprocess, sys, tempfile, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SIZES = [100, 2000, 16000, 128000, 900000]
NO_DELAY = (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
random.seed(7)


def order(number):
    digits = lambda count: f"{random.randrange(16 ** count):0{count}x}"
    return {
        "id": random.randrange(10**9), "created": "2026-11-23T04:%02d:%02d.123Z" % (number % 60, number * 7 % 60),
        "amount": round(random.random() * 500, 2), "currency": "EUR",
        "reference": f"{digits(8)}-{digits(4)}-4{digits(3)}-a{digits(3)}-{digits(12)}", "status": "authorized",
        "customer": {"name": "Ann Li", "email": f"ann{number}@shop.example", "city": "Zürich"},
        "description": "Leave the parcel at the door, please; ring twice.", "paid": True,
        "items": [{"sku": f"A-{random.randrange(10**6)}", "quantity": random.randrange(1, 5)}]}


def text(size):
    if size < 400:
        return b'{"id":"ch_3NqJ2eKZ","status":"authorized","amount":12990,"currency":"EUR","created":1764000000}'
    orders, count = [], 0
    while count < size - 500:
        orders.append(json.dumps(order(len(orders)), separators=(",", ":"), ensure_ascii=False))
        count += len(orders[-1].encode()) + 1
    return ('{"data":[' + ",".join(orders) + "]}").encode()


BODIES = {f"/{size}": text(size) for size in SIZES}


class Upstream(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def setup(self):
        super().setup()
        self.connection.setsockopt(*NO_DELAY)

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        body = BODIES[self.path]
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body)

    def log_message(self, *_):
        pass


def serve(binary, folder, port, keys):
    os.mkdir(folder + "/forms")
    with open(folder + "/c.yaml", "w") as file:
        file.write(f"""
server: {{listen: ["127.0.0.1:0"], workers: 1}}
admin: {{listen: "127.0.0.1:0"}}
forms: forms/
vault: {{sqlite: {{path: vault.db}}, masterKey: {{file: master.key, generate: true}}}}
routes: [{{name: acquirer, kind: reveal, url: "http://127.0.0.1:{port}", allowPlaintext: true{keys}}}]
log: {{level: error}}
""")
    process = subprocess.Popen([binary, "serve", "--config", folder + "/c.yaml"], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True,
                               env={**os.environ, "GLIBC_TUNABLES": "glibc.malloc.tcache_count=128"})
    match = re.search(r":(\d+)", process.stdout.readline())
    return process, int(match.group(1))


def measure(name, port):
    binary, _, keys = name.partition("@")
    folder = tempfile.mkdtemp(prefix="reveal-")
    process, own = serve(binary, folder, port, ", " + keys if keys else "")
    client = http.client.HTTPConnection("127.0.0.1", own)
    client.connect()
    client.sock.setsockopt(*NO_DELAY)
    headers = {"Authorization": "Basic ZGV2OmRldi1zZWNyZXQ=", "Content-Type": "application/json"}

    def call(path, body):
        client.request("POST", path, body, headers)
        response = client.getresponse()
        return response.status, response.read()

    values = [{"value": value, "format": "UUID"} for value in ("4111111111111111", "321", "Joe Business")]
    made = json.loads(call("/aliases", json.dumps({"data": values}))[1])
    card, code, holder = (item["aliases"][0]["alias"] for item in made["data"])
    request = json.dumps({"card": {"number": card, "cvc": code, "holder": holder}, "amount": 12990, "currency": "EUR"})
    costs = []
    for size in SIZES:
        path, count = f"/v1/routes/acquirer/{size}", 2000 if size < 10000 else 500 if size < 200000 else 60
        for _ in range(20):
            assert call(path, request) == (200, BODIES[f"/{size}"])
        rounds = []
        for _ in range(3):
            perf = subprocess.Popen(["perf", "stat", "-e", "instructions:u", "-x", ",", "-p", str(process.pid)],
                                    stderr=subprocess.PIPE, text=True)
            time.sleep(0.3)
            for _ in range(count):
                call(path, request)
            perf.send_signal(2)
            rounds.append(int(perf.communicate()[1].split(",")[0]) / count)
        costs.append(sorted(rounds)[1])
    client.close()
    process.terminate()
    process.wait()
    shutil.rmtree(folder)
    return costs


upstream = ThreadingHTTPServer(("127.0.0.1", 0), Upstream)
upstream.daemon_threads = True
threading.Thread(target=upstream.serve_forever, daemon=True).start()
results = [(name, measure(name, upstream.server_port)) for name in sys.argv[1:]]
print("bytes of the response".ljust(50), *(f"{len(BODIES[f'/{size}']):9}" for size in SIZES))
for name, costs in results:
    ratios = (cost / first for cost, first in zip(costs, results[0][1]))
    print(name[-50:].ljust(50), *(f"{cost:9.0f}" for cost in costs), "|", *(f"{ratio:6.2f}" for ratio in ratios))
