"""Plain SQLite, as fast as it goes: the row of a value with its alias, as format 3 has it, with unique indexes of SQLite's. Prints rows a second.

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
    CREATE TABLE value (id INTEGER PRIMARY KEY, binding BLOB NOT NULL, fingerprint BLOB UNIQUE, key INTEGER NOT NULL, sealed BLOB NOT NULL,
        classifiers BLOB, created_at INTEGER NOT NULL, expires_at INTEGER, alias TEXT UNIQUE, format INTEGER, tag BLOB, further INTEGER NOT NULL);
""")
row, inserting = 0, 0.0
while inserting < seconds:
    # Made beforehand: only SQLite's own time counts.
    rows = [(row + n, random.randbytes(16), random.randbytes(32), 2, random.randbytes(63), None, 1795285025, None,
             "tok_sandbox_" + random.randbytes(11).hex(), 1, random.randbytes(16), 0) for n in range(batch)]
    row += batch
    begin = time.perf_counter()
    connection.execute("BEGIN IMMEDIATE")
    connection.executemany("INSERT INTO value VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
    connection.execute("COMMIT")
    inserting += time.perf_counter() - begin
print(int(row / inserting))
