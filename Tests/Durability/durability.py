#!/usr/bin/env python3
"""Cuts a vault's power again and again and holds what was acknowledged against what is there after the next start.

A process is run under a shim (shim.c) that records what it writes and syncs, lets some of these calls fail, and kills it at one of them. From
the record the files are made as a power cut leaves them: what was synced is there, of all else some sectors, in no order. After a restart
every acknowledged alias reveals its value, no deleted one is there, no request is there in part, and all rows are sound.

--every cuts at each call in turn, from an empty vault through merges and checkpoints: --rounds calls, every --stride-th.

--lie SUFFIX leaves out the syncs of files whose names end so, as a broken build would: the kit must find that. So it must if next to nothing
was acknowledged (--least).
"""
import argparse, contextlib, os, random, shutil, sqlite3, struct, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SECTOR = 512


def build_shim(folder):
    shim = os.path.join(folder, "shim.so")
    subprocess.run(["cc", "-O2", "-Wall", "-Wextra", "-shared", "-fPIC", "-o", shim, os.path.join(HERE, "shim.c"), "-ldl", "-lpthread"],
                   check=True)
    return shim


def read_record(path):
    """The calls, in their order: kind, name, offset or size, bytes."""
    data = open(path, "rb").read() if os.path.exists(path) else b""
    position, calls = 0, []
    while position + 25 <= len(data):
        kind = chr(data[position])
        length, offset, count = struct.unpack_from("=QQQ", data, position + 1)
        start = position + 25
        calls.append((kind, data[start:start + length].decode(), offset, data[start + length:start + length + count]))
        position = start + length + count
    return calls


def cut_power(folder, before, calls, chance):
    """Puts the tracked files into a state that a power cut may leave. `before` has their contents when the process was started."""
    files = {name: bytearray(content) for name, content in before.items()}
    # A write is safe if its file was synced after it, unless a sync failed in between.
    safe, waiting = set(), {}
    for number, (kind, name, _, _) in enumerate(calls):
        if kind in "WT":
            waiting.setdefault(name, []).append(number)
        elif kind == "S":
            safe.update(waiting.pop(name, []))
        elif kind in "FU":
            waiting.pop(name, None)
    for number, (kind, name, offset, content) in enumerate(calls):
        if kind == "U":
            files.pop(name, None)
        elif kind == "T":
            if number in safe or chance.random() < 0.5:
                file = files.setdefault(name, bytearray())
                del file[offset:]
                file.extend(bytes(offset - len(file)))
        elif kind == "W":
            file = files.setdefault(name, bytearray())
            pieces = [(0, len(content))]
            if number not in safe:
                # All, nothing, or some sectors of it.
                fate = chance.random()
                if fate < 0.3:
                    continue
                if fate > 0.6:
                    first = -offset % SECTOR
                    edges = [0] + list(range(first, len(content), SECTOR)) + [len(content)]
                    pieces = [(a, b) for a, b in zip(edges, edges[1:]) if chance.random() < 0.5]
            for a, b in pieces:
                if len(file) < offset + b:
                    file.extend(bytes(offset + b - len(file)))
                file[offset + a:offset + b] = content[a:b]
    for name in before.keys() - files.keys():
        os.unlink(os.path.join(folder, name))
    for name, content in files.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)


def contents(folder):
    names = [name for name in os.listdir(folder) if not name.endswith(("-shm", ".lock"))]
    return {name: open(os.path.join(folder, name), "rb").read() for name in names}


class Expectation:
    """What was acknowledged so far, and what is open."""

    def __init__(self):
        self.kept, self.gone, self.unsure, self.asked = {}, set(), set(), set()
        self.failures = 0

    def take(self, output):
        for line in output.splitlines():
            words = line.split()
            if not words:
                continue
            if words[0] == "asked":
                self.asked.add(words[1])
            elif words[0] == "kept" and len(words) == 3:
                self.kept[words[1]] = words[2]
            elif words[0] == "unsure":
                self.unsure.add(words[1])
            elif words[0] == "gone":
                self.gone.add(words[1])
            elif words[0] == "failed":
                self.failures += 1

    def lines(self):
        kept = [f"kept {alias} {value}" for alias, value in self.kept.items() if alias not in self.unsure]
        return "\n".join(kept + [f"gone {alias}" for alias in self.gone]) + "\n"


def unsound(database):
    """What is wrong with the rows and the indexes themselves."""
    try:
        return unsound_rows(database)
    except sqlite3.DatabaseError as error:
        return [f"{error}"]


def unsound_rows(database):
    wrong = []
    with contextlib.closing(sqlite3.connect(database)) as connection:
        one = lambda sql: connection.execute(sql).fetchone()[0]
        check = one("PRAGMA integrity_check")
        if check != "ok":
            return [check]
        for (classifiers, count) in connection.execute("SELECT classifiers, count(*) FROM value GROUP BY classifiers"):
            if count % 3:
                wrong.append(f"{count} values of request {classifiers}")
        if one("SELECT count(*) FROM value WHERE alias IS NULL AND further = 0"):
            wrong.append("values without an alias")
        if one("SELECT count(*) FROM value") != one("SELECT count(DISTINCT fingerprint) FROM value"):
            wrong.append("two values have one fingerprint")
        if one("SELECT count(*) FROM value") != one("SELECT count(DISTINCT alias) FROM value"):
            wrong.append("an alias is there twice")
    return wrong


def run_round(options, shim, folder, seed, expected, cut=None):
    """One process, one cut, at this call if one is named, one restart. Returns what is wrong."""
    chance = random.Random(seed)
    record = folder + ".record"
    before = contents(folder)
    environment = dict(
        os.environ, LD_PRELOAD=shim, DURABILITY_FOLDER=folder, DURABILITY_RECORD=record, DURABILITY_SEED=str(seed),
        DURABILITY_CUT=str(cut or chance.randrange(1, options.calls)), DURABILITY_LIE=options.lie,
        DURABILITY_FAULTS=str(chance.choice(options.faults)))
    process = subprocess.run([options.binary, "run", folder, str(seed)], env=environment, capture_output=True, text=True, timeout=120)
    expected.take(process.stdout)
    calls = read_record(record)
    if os.path.exists(record):
        os.unlink(record)
    if os.path.exists(folder + "/vault.db-shm"):
        os.unlink(folder + "/vault.db-shm")
    # A third of the kills is only that: the system goes on and writes everything.
    if chance.random() < 0.67:
        cut_power(folder, before, calls, chance)
    verified = subprocess.run([options.binary, "verify", folder], input=expected.lines(), capture_output=True, text=True, timeout=120)
    wrong = [line for line in verified.stdout.splitlines() if line.startswith("wrong ")]
    if verified.returncode or "wrong: 0" not in verified.stdout:
        wrong.append(f"exit {verified.returncode}: {verified.stdout[-200:]} {verified.stderr[-500:]}")
    return wrong or unsound(folder + "/vault.db")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--binary", default=os.path.join(ROOT, ".build/release/durability-driver"))
    arguments.add_argument("--rounds", type=int, default=2000)
    arguments.add_argument("--vaults", type=int, default=40, help="rounds that share a vault")
    arguments.add_argument("--every", action="store_true", help="the first cut at the first call of an empty vault, the second at the second")
    arguments.add_argument("--stride", type=int, default=1, help="of the calls of --every only each so many-th")
    arguments.add_argument("--calls", type=int, default=900, help="a process is killed at one of so many calls")
    arguments.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    arguments.add_argument("--faults", type=int, nargs="+", default=[0, 0, 20, 200, 1000], help="of 10,000 calls so many fail; one of these")
    arguments.add_argument("--least", type=int, default=10, help="aliases that must have been acknowledged, a cut on average")
    arguments.add_argument("--lie", default="")
    arguments.add_argument("--keep", help="where to put a vault that is not as it should be")
    options = arguments.parse_args()
    if options.every:
        options.vaults, options.faults = 1, [0]
    place = tempfile.mkdtemp(prefix="durability-")
    shim = build_shim(place)
    acknowledged = failures = cuts = 0
    try:
        for first in range(0, options.rounds, options.vaults):
            folder = f"{place}/vault{first}"
            os.mkdir(folder, 0o700)
            expected = Expectation()
            for number in range(first, min(first + options.vaults, options.rounds)):
                wrong = run_round(
                    options, shim, folder, options.seed + number, expected, number * options.stride + 1 if options.every else None)
                cuts += 1
                if wrong:
                    print(f"round {number} of seed {options.seed}: {len(wrong)} wrong: {wrong[:5]}")
                    print(f"{cuts} cuts, then a vault that is not as it was acknowledged")
                    if options.keep:
                        shutil.copytree(folder, options.keep)
                    sys.exit(1)
            acknowledged += len(expected.kept)
            failures += expected.failures
            shutil.rmtree(folder)
        print(f"{cuts} cuts, seed {options.seed}: {acknowledged} aliases acknowledged, {failures} requests failed, nothing lost, nothing in part")
        if acknowledged < options.least * cuts:
            sys.exit(f"fewer than {options.least * cuts} aliases were acknowledged: that shows nothing")
    finally:
        shutil.rmtree(place, ignore_errors=True)


if __name__ == "__main__":
    main()
