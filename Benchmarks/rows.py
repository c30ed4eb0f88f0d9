"""Plain SQLite, as fast as it goes: the rows of one alias each, so many a commit. Prints rows a second.

Usage: rows.py FILE BATCH SECONDS
"""
import os, random, sqlite3, sys, time

path, batch, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
for end in ("", "-wal", "-shm"):
    if os.path.exists(path + end):
        os.remove(path + end)
connection = sqlite3.connect(path, isolation_level=None)
connection.executescript("""
    PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -262144; PRAGMA wal_autocheckpoint = 16384;
    CREATE TABLE value (id INTEGER PRIMARY KEY, fingerprint BLOB UNIQUE, key INTEGER NOT NULL, sealed BLOB NOT NULL,
        classifiers BLOB, created_at INTEGER NOT NULL);
    CREATE TABLE alias (id INTEGER PRIMARY KEY, alias TEXT NOT NULL UNIQUE, format INTEGER NOT NULL, value INTEGER NOT NULL);
    CREATE INDEX alias_value ON alias (value);
""")
row, inserting = 0, 0.0
while inserting < seconds:
    # Made beforehand: only SQLite's own time counts.
    values = [(row + n, random.randbytes(32), 2, random.randbytes(50), None, 1795285025) for n in range(batch)]
    aliases = [("tok_sandbox_" + random.randbytes(11).hex(), 1, row + n) for n in range(batch)]
    row += batch
    begin = time.perf_counter()
    connection.execute("BEGIN IMMEDIATE")
    connection.executemany("INSERT INTO value VALUES (?, ?, ?, ?, ?, ?)", values)
    connection.executemany("INSERT INTO alias (alias, format, value) VALUES (?, ?, ?)", aliases)
    connection.execute("COMMIT")
    inserting += time.perf_counter() - begin
print(int(row / inserting))
