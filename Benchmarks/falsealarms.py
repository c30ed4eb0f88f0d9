#!/usr/bin/env python3
"""False alarms of the guard: how many card numbers it finds in texts that have none (`docs/reference/proxy.md` section 10).

Usage: falsealarms.py BINARY [--seed N] [FILE OR FOLDER ...]
    for example: falsealarms.py ../.build/release/cloakroom /var/lib/dpkg/status /usr/include /usr/share/doc
The made texts depend on nothing but the seed. Files are read as they are, and unpacked if their names end in .gz; what is not UTF-8 is
left out. Each text goes through a form whose guard reports, a MiB at most at a time, and the gateway's own counts are shown."""
import argparse, datetime, gzip, http.client, json, os, random, re, shutil, subprocess, sys, tempfile, uuid

PIECE = 240_000


def uuids(random):
    return [str(uuid.UUID(int=random.getrandbits(128), version=4)) for _ in range(300_000)]


def digests(random):
    return [f"{random.getrandbits(256):064x}" for _ in range(150_000)]


def telephones(random):
    """As people write them: national and international, grouped in all the ways of ITU-T E.123."""
    def digits(count):
        return "".join(random.choice("0123456789") for _ in range(count))
    shapes = [
        lambda: f"+{random.randrange(1, 999)} {digits(2)} {digits(3)} {digits(4)}",
        lambda: f"+{random.randrange(1, 999)}{digits(random.randrange(8, 12))}",
        lambda: f"+1-{digits(3)}-{digits(3)}-{digits(4)}", lambda: f"({digits(3)}) {digits(3)}-{digits(4)}",
        lambda: f"0{digits(3)} {digits(7)}", lambda: f"0{digits(2)}-{digits(4)}-{digits(4)}",
        lambda: f"+{random.randrange(1, 999)} (0) {digits(4)} {digits(6)}", lambda: f"0{digits(9)} ext. {digits(4)}",
        lambda: f"+{random.randrange(1, 99)} {digits(4)} {digits(4)} {digits(4)}",
        lambda: f"00{random.randrange(1, 99)} {digits(3)} {digits(4)} {digits(3)}"]
    return [random.choice(shapes)() for _ in range(200_000)]


def ibans(random):
    """With their check digits (ISO 13616), half of them in groups of four."""
    lengths = {"DE": 22, "GB": 22, "FR": 27, "NL": 18, "ES": 24, "PL": 28, "NO": 15, "MT": 31, "CH": 21, "AT": 20}
    made = []
    for index in range(100_000):
        country = random.choice(list(lengths))
        account = "".join(random.choice("0123456789") for _ in range(lengths[country] - 4))
        number = int(account + "".join(str(int(letter, 36)) for letter in country) + "00")
        text = f"{country}{98 - number % 97:02}{account}"
        made.append(" ".join(text[i:i + 4] for i in range(0, len(text), 4)) if index % 2 else text)
    return made


def timestamps(random):
    shapes = ["%Y-%m-%dT%H:%M:%S.%fZ", "%Y-%m-%d %H:%M:%S", "%Y%m%dT%H%M%S", "%d/%b/%Y:%H:%M:%S +0000", "%Y%m%d%H%M%S", "%s", "%s000"]
    made = []
    for index in range(240_000):
        time = datetime.datetime(2015, 1, 1) + datetime.timedelta(seconds=random.randrange(15 * 365 * 86_400), microseconds=random.randrange(10**6))
        made.append(time.strftime(shapes[index % len(shapes)]))
    return made


def prices(random):
    return [f"{random.randrange(1, 10**6)}.{random.randrange(100):02} EUR, {random.randrange(1, 99)} pieces, item {random.randrange(10**8)}"
            for _ in range(200_000)]


def numbers(random):
    return [f"{random.randrange(10**15, 10**16)}" for _ in range(100_000)]


def nanoseconds(random):
    return [f"{random.randrange(1_500_000_000, 1_900_000_000)}{random.randrange(10**9):09}" for _ in range(100_000)]


MADE = {"UUIDs": uuids, "SHA-256 sums": digests, "telephone numbers": telephones, "IBANs": ibans, "timestamps": timestamps,
        "prices and quantities": prices, "random numbers of 16 digits": numbers, "nanoseconds since 1970": nanoseconds}


def lines(path):
    """The lines of a file, or of all files in a folder in the order of their names."""
    if os.path.isdir(path):
        for folder, folders, names in os.walk(path):
            folders.sort()
            for name in sorted(names):
                yield from lines(os.path.join(folder, name))
        return
    if os.path.islink(path) or not os.path.isfile(path):
        return
    try:
        with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
            text = file.read().decode()
    except (OSError, EOFError, UnicodeDecodeError):
        return
    yield from text.splitlines()


class Gateway:
    def __init__(self, binary):
        self.folder = tempfile.mkdtemp(prefix="falsealarms-")
        os.mkdir(self.folder + "/forms")
        with open(self.folder + "/forms/text.yaml", "w") as file:
            file.write("form: text\nroute: echo\naccess: {send: public}\nguard: {pan: report}\nfields: [{name: note}]\n")
        with open(self.folder + "/c.yaml", "w") as file:
            file.write("""
server: {listen: ["127.0.0.1:0"], workers: 1}
admin: {listen: "127.0.0.1:0"}
forms: forms/
vault: {sqlite: {path: vault.db}, masterKey: {file: master.key, generate: true}}
log: {level: error}
""")
        self.process = subprocess.Popen([binary, "serve", "--config", self.folder + "/c.yaml"], stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        public, admin = re.findall(r":(\d+)", self.process.stdout.readline())[:2]
        self.public = http.client.HTTPConnection("127.0.0.1", int(public))
        self.admin = http.client.HTTPConnection("127.0.0.1", int(admin))

    def look(self, some):
        body = json.dumps({"extraData": {"text": some}}, ensure_ascii=False).encode()
        self.public.request("POST", "/v1/forms/text/send/x", body, {"Content-Type": "application/json"})
        response = self.public.getresponse()
        response.read()
        assert response.status == 200, response.status

    @property
    def findings(self):
        self.admin.request("GET", "/metrics")
        text = self.admin.getresponse().read().decode()
        return sum(int(float(count)) for count in re.findall(r"cloakroom_guard_findings_total\{[^}]*\} (\S+)", text))

    def stop(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.folder)


def count(gateway, texts):
    """Texts, their bytes, and what the guard finds in them. Each is an element of an array: what stands beside it is JSON."""
    before, some, size, bytes, number = gateway.findings, [], 0, 0, 0
    for text in texts:
        some.append(text)
        size += len(text.encode()) + 8
        bytes += len(text.encode()) + 1
        number += 1
        if size > PIECE:
            gateway.look(some)
            some, size = [], 0
    if some:
        gateway.look(some)
    return number, bytes / (1 << 20), gateway.findings - before


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("texts", nargs="*")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    gateway = Gateway(arguments.binary)
    print(f"{'':40} {'texts':>9} {'MiB':>8} {'finds':>7} {'a MiB':>8}")
    made = [(name, make(random.Random(f"{arguments.seed} {name}"))) for name, make in MADE.items()]
    for name, texts in made + [(path, lines(path)) for path in arguments.texts]:
        number, size, finds = count(gateway, texts)
        print(f"{name[-40:]:40} {number:9} {size:8.1f} {finds:7} {finds / max(size, 1e-9):8.2f}", flush=True)
    gateway.stop()


main()
