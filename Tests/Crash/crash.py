#!/usr/bin/env python3
"""Kills the gateway again and again while 32 connections write, and holds what it has acknowledged against what is there
after the next start: every acknowledged alias reveals to its value, no request is there in part, and the audit log is whole.
"""
import argparse, base64, http.client, json, os, random, re, signal, sqlite3, subprocess, sys, tempfile, threading, time

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


def write(gateway, name, acknowledged, sent):
    """Creates aliases until the gateway is gone. `acknowledged` gets what it was told, by alias."""
    try:
        connection = gateway.connect()
        number = 0
        while True:
            values = [f"{name}-{number}-{item}" for item in range(ITEMS)]
            number += 1
            sent[0] += 1
            body = json.dumps({"data": [{"value": value, "format": "RAW_UUID"} for value in values]})
            connection.request("POST", "/aliases", body, HEADERS)
            answer = connection.getresponse()
            stored = json.loads(answer.read())["data"]
            if answer.status != 201:
                sys.exit(f"status {answer.status}")
            for value, item in zip(values, stored):
                acknowledged[item["aliases"][0]["alias"]] = value
    except (OSError, http.client.HTTPException, ValueError):
        return


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


def halves(database):
    """What is wrong with the rows themselves."""
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        one = lambda sql: connection.execute(sql).fetchone()[0]
        values = one("SELECT count(*) FROM value")
        aliases = one("SELECT (SELECT count(alias) FROM value) + (SELECT count(*) FROM alias)")
        orphans = one("SELECT count(*) FROM alias WHERE value NOT IN (SELECT id FROM value)")
        check = one("PRAGMA integrity_check")
    wrong = []
    if values % ITEMS or values != aliases or orphans:
        wrong.append(f"{values} values, {aliases} aliases, {orphans} without a value")
    if check != "ok":
        wrong.append(check)
    return wrong, values


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--binary", default=os.path.join(ROOT, ".build/release/cloakroom"))
    arguments.add_argument("--rounds", type=int, default=100)
    arguments.add_argument("--connections", type=int, default=32)
    options = arguments.parse_args()
    folder = tempfile.mkdtemp(prefix="crash-")
    with open(f"{folder}/cloakroom.yaml", "w") as configuration:
        configuration.write(f'server: {{listen: ["127.0.0.1:0"]}}\nadmin: {{listen: "127.0.0.1:0"}}\nlog: {{level: error}}\n'
                            f"vault: {{sqlite: {{path: vault.db}}, masterKey: {{file: master.key, generate: true}}}}\n")
    everything, sent, lost = {}, [0], 0
    for round_ in range(options.rounds):
        gateway = Gateway(options.binary, folder)
        acknowledged = [{} for _ in range(options.connections)]
        threads = [threading.Thread(target=write, args=(gateway, f"r{round_}c{number}", acknowledged[number], sent))
                   for number in range(options.connections)]
        for thread in threads:
            thread.start()
        time.sleep(random.uniform(0.01, 0.4))
        gateway.kill()
        for thread in threads:
            thread.join()
        new = {alias: value for one in acknowledged for alias, value in one.items()}
        everything.update(new)
        restarted = Gateway(options.binary, folder)
        lost += missing(restarted, new)
        # Half of the restarts end in good order, half are killed as well.
        restarted.stop() if round_ % 2 else restarted.kill()
    gateway = Gateway(options.binary, folder)
    lost += missing(gateway, everything)
    gateway.stop()
    wrong, values = halves(f"{folder}/vault.db")
    audit = subprocess.run([options.binary, "audit", "verify", "--config", f"{folder}/cloakroom.yaml"],
                           capture_output=True, text=True)
    print(f"{options.rounds} kills, {options.connections} connections: {sent[0]} requests sent, {len(everything)} aliases "
          f"acknowledged, {values} values stored, {lost} lost, rows {'whole' if not wrong else wrong}; "
          f"audit log: {audit.stdout.strip().splitlines()[-1] if audit.stdout else audit.stderr}, exit {audit.returncode}")
    sys.exit(1 if lost or wrong or audit.returncode else 0)


main()
