"""Prints aliases of an embedded vault, spread over all of it. Usage: known.py FILE COUNT"""
import random, sqlite3, sys

connection = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
count, (last,) = int(sys.argv[2]), connection.execute("SELECT max(id) FROM value").fetchone()
for _ in range(count):
    row = connection.execute("SELECT alias FROM value WHERE id >= ? AND alias IS NOT NULL LIMIT 1", (random.randint(1, last),)).fetchone()
    if row: print(row[0])
