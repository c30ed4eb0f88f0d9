#!/usr/bin/env python3
"""Kills the gateway again and again while it converts a vault of format 2, and then holds the vault against what was put into it: every
alias that is asked for reveals its value, and an equal value gets the alias that it had. A conversion that no kill met is a failure.
"""
import argparse, http.client, json, os, random, re, select, sqlite3, subprocess, sys, tempfile, time

from cryptography.hazmat.primitives import hashes, hmac
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.keywrap import aes_key_wrap_with_padding

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HEADERS = {"Authorization": "Basic ZGV2OmRldi1zZWNyZXQ=", "Content-Type": "application/json"}
FIXTURE = os.path.join(ROOT, "Tests/VaultSQLiteTests/Fixtures/format2.db")
CONFIGURATION = """
server: {listen: ["127.0.0.1:0"], workers: 1}
admin: {listen: "127.0.0.1:0"}
forms: forms/
vault: {sqlite: {path: vault.db}, masterKey: {file: master.key}}
"""


def number(value):
    return value.to_bytes(8, "big")


def alias(index):
    return "tok_sandbox_%022d" % index


def value(index):
    return "value number %d" % index


def make(folder, rows):
    """A vault as the version before wrote it (Tests/VaultTesting/FormatTwo.swift)."""
    master, data, fingerprints, vault = (os.urandom(size) for size in (32, 32, 32, 16))
    with open(f"{folder}/master.key", "w") as file:
        os.fchmod(file.fileno(), 0o600)
        file.write(master.hex() + "\n")
    schema = [sql for (sql,) in sqlite3.connect(f"file:{FIXTURE}?mode=ro", uri=True).execute(
        "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid")]
    database = sqlite3.connect(f"{folder}/vault.db", isolation_level=None)
    os.chmod(f"{folder}/vault.db", 0o600)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = OFF")
    database.execute("BEGIN")
    for sql in schema:
        database.execute(sql)
    database.execute("PRAGMA application_id = %d" % 0x636C6B72)
    database.execute("PRAGMA user_version = 2")
    database.execute("INSERT INTO vault VALUES (?)", (vault,))
    for key_id, purpose, key in ((1, 2, fingerprints), (2, 1, data)):
        wrapped = aes_key_wrap_with_padding(master, bytes([purpose]) + number(key_id) + key)
        database.execute("INSERT INTO key VALUES (?, ?, ?, 1700000000, 0)", (key_id, purpose, wrapped))
    cipher, start = AESGCM(data), hmac.HMAC(fingerprints, hashes.SHA256())
    start.update(vault)

    def values():
        for index in range(1, rows + 1):
            text, nonce, code = value(index).encode(), os.urandom(12), start.copy()
            code.update(text)
            sealed = nonce + cipher.encrypt(nonce, text, bytes([1, 1]) + vault + number(index) + number(2))
            yield index, code.finalize(), 2, sealed, None, 1700000000

    database.executemany("INSERT INTO value VALUES (?, ?, ?, ?, ?, ?)", values())
    database.executemany("INSERT INTO alias VALUES (?, ?, 1, ?)", ((index, alias(index), index) for index in range(1, rows + 1)))
    database.execute("COMMIT")
    database.close()


def start(binary, folder):
    return subprocess.Popen([binary, "serve", "--config", f"{folder}/cloakroom.yaml"], stdout=subprocess.PIPE,
                            stderr=open(f"{folder}/errors", "ab"))


def call(port, method, target, body=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request(method, target, body and json.dumps(body), HEADERS)
    answer = connection.getresponse()
    return answer.status, json.loads(answer.read())


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--binary", default=os.path.join(ROOT, ".build/release/cloakroom"))
    arguments.add_argument("--rows", type=int, default=1_000_000)
    arguments.add_argument("--sample", type=int, default=20_000)
    arguments.add_argument("--longest", type=float, default=4, help="seconds that it runs at most before it is killed")
    arguments.add_argument("--kills", type=int, default=200, help="after so many kills it may end")
    arguments.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    options = arguments.parse_args()
    chance = random.Random(options.seed)
    with tempfile.TemporaryDirectory(prefix="migrate-") as folder:
        os.mkdir(f"{folder}/forms")
        with open(f"{folder}/cloakroom.yaml", "w") as file:
            file.write(CONFIGURATION)
        begun = time.time()
        make(folder, options.rows)
        print(f"{options.rows} rows made in {time.time() - begun:.0f} s", flush=True)
        kills, line, begun = 0, "", time.time()
        while True:
            process = start(options.binary, folder)
            seconds = chance.uniform(0.05, options.longest) if kills < options.kills else 900
            if select.select([process.stdout], [], [], seconds)[0]:
                line = process.stdout.readline().decode()
                break
            process.kill()
            process.wait()
            kills += 1
        if "listening" not in line:
            sys.exit(f"it does not start: {open(f'{folder}/errors').read()[-2000:]}")
        print(f"converted after {kills} kills, {time.time() - begun:.0f} s", flush=True)
        if kills == 0:
            process.kill()
            sys.exit("it was converted before the first kill, which shows nothing: more --rows, or a shorter --longest")
        port = int(re.search(r":(\d+)", line).group(1))
        wrong = 0
        indexes = chance.sample(range(1, options.rows + 1), min(options.sample, options.rows))
        for first in range(0, len(indexes), 20):
            some = indexes[first:first + 20]
            status, body = call(port, "GET", "/aliases?q=" + ",".join(map(alias, some)))
            found = body.get("data", {}) if status == 200 else {}
            wrong += sum(found.get(alias(index), {}).get("value") != value(index) for index in some)
        for index in indexes[:200]:
            status, body = call(port, "POST", "/aliases", {"data": [{"value": value(index), "format": "UUID"}]})
            wrong += status != 201 or body["data"][0]["aliases"][0]["alias"] != alias(index)
        process.terminate()
        process.wait()
        database = sqlite3.connect(f"{folder}/vault.db")
        count = database.execute("SELECT count(*) FROM value").fetchone()[0]
        if wrong or count != options.rows or database.execute("PRAGMA user_version").fetchone()[0] != 3:
            sys.exit(f"{wrong} of {len(indexes)} wrong, {count} rows, seed {options.seed}")
        print(f"{len(indexes)} aliases reveal their values, 200 values have the aliases that they had, {count} rows, seed {options.seed}")


if __name__ == "__main__":
    main()
