#!/usr/bin/env python3
"""Cuts the power of the whole gateway, as durability.py does that of a vault: after the next start every acknowledged alias reveals its value,
and the audit log is whole and has a record of every reveal that was answered.

--lie SUFFIX leaves out the syncs of files whose names end so (`-wal`, `audit.log`): the kit must find that. So it must if next to nothing was
answered (--least).
"""
import argparse, base64, http.client, json, os, random, re, shutil, subprocess, sys, tempfile, threading, time

from durability import ROOT, build_shim, contents, cut_power, read_record, unsound

HEADERS = {"Authorization": "Basic " + base64.b64encode(b"dev:dev-secret").decode(), "Content-Type": "application/json"}
CONFIGURATION = """server: {listen: ["127.0.0.1:0"], workers: 1}
admin: {listen: "127.0.0.1:0"}
log: {level: error}
vault: {sqlite: {path: vault.db}, masterKey: {file: master.key, generate: true}}
"""


def start(options, folder, environment):
    """The process, and its port; none if it did not get that far."""
    process = subprocess.Popen([options.binary, "serve", "--config", f"{folder}/cloakroom.yaml"], stdout=subprocess.PIPE,
                               stderr=open(folder + ".errors", "ab"), env=dict(os.environ, **environment))
    port = re.search(r":(\d+)", process.stdout.readline().decode())
    return process, int(port.group(1)) if port else None


def work(port, name, kept, ids, errors):
    """Creates and reveals until the gateway is gone. `kept` gets aliases with their values, `ids` the reveals that were answered; `errors`
    what a thread would otherwise end of without a word."""
    try:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        for number in range(200):
            values = [f"{name}-{number}-{item}" for item in range(3)]
            items = [{"value": value, "format": "UUID", "classifiers": [f"{name}-{number}"]} for value in values]
            connection.request("POST", "/aliases", json.dumps({"data": items}), HEADERS)
            response = connection.getresponse()
            body = response.read()
            if response.status != 201:
                continue
            aliases = [item["aliases"][0]["alias"] for item in json.loads(body)["data"]]
            kept.update(zip(aliases, values))
            connection.request("GET", f"/aliases/{aliases[0]}", headers=HEADERS)
            response = connection.getresponse()
            response.read()
            if response.status == 200:
                ids.append(response.getheader("X-Request-Id"))
    except (OSError, http.client.HTTPException):
        return
    except Exception as error:
        errors.append(f"a client failed: {error!r}")


def lost(port, kept):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    aliases, wrong = list(kept), []
    for first in range(0, len(aliases), 20):
        some = aliases[first:first + 20]
        connection.request("GET", "/aliases?q=" + ",".join(some), headers=HEADERS)
        data = json.loads(connection.getresponse().read()).get("data", {})
        wrong += [f"{alias} is lost" for alias in some if data.get(alias, {}).get("value") != kept[alias]]
    return wrong


def run_round(options, shim, folder, seed, kept, ids):
    chance = random.Random(seed)
    before, record = contents(folder), folder + ".record"
    process, port = start(options, folder, {
        "LD_PRELOAD": shim, "DURABILITY_FOLDER": folder, "DURABILITY_RECORD": record, "DURABILITY_SEED": str(seed),
        "DURABILITY_CUT": str(chance.randrange(1, options.calls)), "DURABILITY_LIE": options.lie,
        "DURABILITY_FAULTS": str(chance.choice(options.faults))})
    errors = []
    if port:
        threads = [threading.Thread(target=work, args=(port, f"{seed}-{number}", kept, ids, errors)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    process.kill()
    process.wait()
    calls = read_record(record)
    for leftover in (record, folder + "/vault.db-shm"):
        if os.path.exists(leftover):
            os.unlink(leftover)
    cut_power(folder, before, calls, chance)
    process, port = start(options, folder, {})
    if not port:
        process.wait()
        return ["it does not start: " + open(folder + ".errors").read()[-600:]]
    wrong = lost(port, kept)
    process.terminate()
    process.wait()
    logged = open(folder + "/vault.audit.log", errors="replace").read()
    wrong += [f"reveal {name} is not in the audit log" for name in ids if name not in logged]
    verified = subprocess.run([options.binary, "audit", "verify", "--config", f"{folder}/cloakroom.yaml"], capture_output=True, text=True)
    if verified.returncode:
        wrong.append(f"audit verify: {verified.stdout[-300:]} {verified.stderr[-300:]}")
    return errors + wrong + unsound(folder + "/vault.db")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--binary", default=os.path.join(ROOT, ".build/release/cloakroom"))
    arguments.add_argument("--rounds", type=int, default=200)
    arguments.add_argument("--vaults", type=int, default=20, help="rounds that share a vault")
    arguments.add_argument("--calls", type=int, default=700, help="the gateway is killed at one of so many calls")
    arguments.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    arguments.add_argument("--faults", type=int, nargs="+", default=[0, 0, 0, 20], help="of 10,000 calls so many fail; one of these")
    arguments.add_argument("--least", type=int, nargs=2, default=[10, 3], help="aliases and reveals that must have been answered, a cut on average")
    arguments.add_argument("--lie", default="")
    options = arguments.parse_args()
    place = tempfile.mkdtemp(prefix="durability-")
    shim = build_shim(place)
    aliases = answered = cuts = 0
    try:
        for first in range(0, options.rounds, options.vaults):
            folder, kept, ids = f"{place}/vault{first}", {}, []
            os.mkdir(folder, 0o700)
            with open(folder + "/cloakroom.yaml", "w") as file:
                file.write(CONFIGURATION)
            # The master key is made, and the vault with it, before anything is cut.
            process, port = start(options, folder, {})
            process.terminate()
            process.wait()
            for number in range(first, min(first + options.vaults, options.rounds)):
                wrong = run_round(options, shim, folder, options.seed + number, kept, ids)
                cuts += 1
                if wrong:
                    print(f"round {number} of seed {options.seed}: {len(wrong)} wrong: {wrong[:4]}")
                    sys.exit(1)
            aliases, answered = aliases + len(kept), answered + len(ids)
        print(f"{cuts} cuts, seed {options.seed}: {aliases} aliases, {answered} reveals, nothing lost, all in the audit log")
        if aliases < options.least[0] * cuts or answered < options.least[1] * cuts:
            sys.exit(f"fewer than {options.least[0] * cuts} aliases or {options.least[1] * cuts} reveals: that shows nothing")
    finally:
        shutil.rmtree(place, ignore_errors=True)


if __name__ == "__main__":
    main()
