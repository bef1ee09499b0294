"""Measures DuckDB itself: `peer_duckdb.py WORK FILE ROUNDS QUERY`.

Prints the milliseconds of each round and, at the end, the most memory the process held in KiB. `cold` asks the csv file
where it lies, in a new database each round; `convert` first makes a table of it in a database file, as Jig does; `warm`
asks such a table, made before and not timed.
"""

import os
import sys
import tempfile
import time

import duckdb


def made(folder, path):
    database = duckdb.connect(os.path.join(folder, "table.duckdb"))
    # Amounts as exact as Jig has them; left alone, they would be doubles.
    database.execute("CREATE TABLE data AS SELECT * FROM read_csv(?, types={'amount': 'DECIMAL(18,2)'})", [path])
    return database


def cold(path, query):
    duckdb.connect().execute(query.replace("FROM data", "FROM read_csv($path)"), {"path": path}).fetchall()


def convert(path, query):
    with tempfile.TemporaryDirectory() as folder:
        database = made(folder, path)
        database.execute("CHECKPOINT")
        database.execute(query).fetchall()
        database.close()


def main():
    work, path, rounds, query = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
    with tempfile.TemporaryDirectory() as folder:
        if work == "warm":
            database = made(folder, path)
            database.execute("CHECKPOINT")
            database.execute(query).fetchall()
        for _ in range(rounds):
            begin = time.perf_counter()
            if work == "warm":
                database.execute(query).fetchall()
            else:
                {"cold": cold, "convert": convert}[work](path, query)
            print(f"{(time.perf_counter() - begin) * 1000:.3f}", flush=True)
    # What `getrusage` says may be of the process that started this one.
    with open("/proc/self/status") as status:
        print(status.read().split("VmHWM:")[1].split()[0])


main()
