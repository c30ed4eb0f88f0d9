#!/usr/bin/env python3
"""Kills the gateway again and again while 32 connections write, and holds what it has acknowledged against what is there
after the next start: every acknowledged alias reveals to its value, no request is there in part, and the audit log is whole.

Requests that fail before the kill, and too few that are acknowledged, are failures: nothing can be lost of nothing.
"""
import argparse, base64, contextlib, http.client, itertools, json, os, random, re, signal, sqlite3, subprocess, sys, tempfile, threading, time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HEADERS = {"Authorization": "Basic " + base64.b64encode(b"dev:dev-secret").decode(), "Content-Type": "application/json"}
ITEMS = 3


class Gateway:
    def __init__(self, binary, folder):
        command = [binary, "serve", "--config", f"{folder}/cloakroom.yaml"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=open(f"{folder}/errors", "ab"))
        line = self.process.stdout.readline().decode()
        if "listening" not in line:
            sys.exit(f"it does not start: {open(f'{folder}/errors').read()[-2000:]}")
        self.port = int(re.search(r":(\d+)", line).group(1))

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(30)


class Writers:
    """Connections that create aliases, each until the gateway is gone."""

    def __init__(self, gateway, round_, connections):
        self.gateway, self.is_killed = gateway, threading.Event()
        # By alias, what was told; the names of the requests that were sent; what went wrong before the kill.
        self.acknowledged, self.sent, self.failures = {}, [], []
        self.threads = [threading.Thread(target=self.run, args=(f"r{round_}c{number}",)) for number in range(connections)]
        for thread in self.threads:
            thread.start()

    def run(self, name):
        connection = self.gateway.connect()
        try:
            for number in itertools.count():
                self.request(connection, f"{name}n{number}")
        except (OSError, http.client.HTTPException) as error:
            if not self.is_killed.is_set():
                self.failures.append(repr(error))
        # A thread that ends by an error would only say so.
        except Exception as error:
            self.failures.append(repr(error))

    def request(self, connection, name):
        """Creates the values of a request, which bear its name as their classifier."""
        values = [f"{name}-{item}" for item in range(ITEMS)]
        body = {"data": [{"value": value, "format": "RAW_UUID", "classifiers": [name]} for value in values]}
        self.sent.append(name)
        connection.request("POST", "/aliases", json.dumps(body), HEADERS)
        answer = connection.getresponse()
        text = answer.read()
        if answer.status != 201:
            raise ValueError(f"status {answer.status}: {text[:200]}")
        for value, item in zip(values, json.loads(text)["data"], strict=True):
            self.acknowledged[item["aliases"][0]["alias"]] = value

    def kill(self):
        self.is_killed.set()
        self.gateway.kill()
        for thread in self.threads:
            thread.join()


def missing(gateway, expected):
    """How many of the expected aliases do not reveal to their values."""
    connection = gateway.connect()
    aliases, wrong = list(expected), 0
    for start in range(0, len(aliases), 20):
        some = aliases[start:start + 20]
        connection.request("GET", "/aliases?q=" + ",".join(some), headers=HEADERS)
        data = json.loads(connection.getresponse().read()).get("data", {})
        wrong += sum(1 for alias in some if data.get(alias, {}).get("value") != expected[alias])
    return wrong


def parts(database):
    """The requests of which some values are there and some are not."""
    with contextlib.closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        return connection.execute(
            "SELECT classifiers, count(*) FROM value GROUP BY classifiers HAVING count(*) <> ? LIMIT 5", (ITEMS,)).fetchall()


def unsound(database):
    """What is wrong with the rows themselves, and how many values there are."""
    with contextlib.closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        one = lambda sql: connection.execute(sql).fetchone()[0]
        values = one("SELECT count(*) FROM value")
        aliases = one("SELECT (SELECT count(alias) FROM value) + (SELECT count(*) FROM alias)")
        orphans = one("SELECT count(*) FROM alias WHERE value NOT IN (SELECT id FROM value)")
        check = one("PRAGMA integrity_check")
    wrong = []
    if values != aliases or orphans:
        wrong.append(f"{values} values, {aliases} aliases, {orphans} without a value")
    if check != "ok":
        wrong.append(check)
    return wrong, values


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--binary", default=os.path.join(ROOT, ".build/release/cloakroom"))
    arguments.add_argument("--rounds", type=int, default=100)
    arguments.add_argument("--connections", type=int, default=32)
    arguments.add_argument("--least", type=int, default=100, help="aliases that must have been acknowledged, a round on average")
    options = arguments.parse_args()
    folder = tempfile.mkdtemp(prefix="crash-")
    with open(f"{folder}/cloakroom.yaml", "w") as configuration:
        configuration.write(f'server: {{listen: ["127.0.0.1:0"]}}\nadmin: {{listen: "127.0.0.1:0"}}\nlog: {{level: error}}\n'
                            f"vault: {{sqlite: {{path: vault.db}}, masterKey: {{file: master.key, generate: true}}}}\n")
    everything, sent, lost, wrong, failures = {}, 0, 0, [], []
    for round_ in range(options.rounds):
        writers = Writers(Gateway(options.binary, folder), round_, options.connections)
        time.sleep(random.uniform(0.01, 0.4))
        writers.kill()
        sent += len(writers.sent)
        failures += writers.failures
        everything.update(writers.acknowledged)
        restarted = Gateway(options.binary, folder)
        lost += missing(restarted, writers.acknowledged)
        # Half of the restarts end in good order, half are killed as well.
        restarted.stop() if round_ % 2 else restarted.kill()
        wrong += [f"{count} values of request {name} after round {round_}" for name, count in parts(f"{folder}/vault.db")]
    gateway = Gateway(options.binary, folder)
    lost += missing(gateway, everything)
    gateway.stop()
    unsound_rows, values = unsound(f"{folder}/vault.db")
    wrong += unsound_rows
    audit = subprocess.run([options.binary, "audit", "verify", "--config", f"{folder}/cloakroom.yaml"],
                           capture_output=True, text=True)
    print(f"{options.rounds} kills, {options.connections} connections: {sent} requests sent, {len(everything)} aliases "
          f"acknowledged, {values} values stored, {lost} lost, rows {'whole' if not wrong else wrong[:5]}; "
          f"audit log: {audit.stdout.strip().splitlines()[-1] if audit.stdout else audit.stderr}, exit {audit.returncode}")
    if failures:
        print(f"{len(failures)} connections failed before the kill: {failures[:3]}")
    least = options.least * options.rounds
    if len(everything) < least:
        print(f"fewer than {least} aliases were acknowledged: that shows nothing")
    sys.exit(1 if lost or wrong or failures or len(everything) < least or audit.returncode else 0)


main()
