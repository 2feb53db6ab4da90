# SPDX-License-Identifier: BSD-3-Clause
"""query.py (SQL ARCHIVE... --)...: the answers of Python's sqlite3 over all columns of all tables, read by h5py, as JSON: [SQL, rows] of each."""
import functools
import json
import math
import sqlite3
import sys

import h5py
import numpy


class Geomean:
    def __init__(self):
        self.values = []

    def step(self, x):
        if x is not None:
            self.values.append(x)

    def finalize(self):
        return math.exp(math.fsum(map(math.log, self.values)) / len(self.values)) if self.values else None


class Quantile(Geomean):
    def step(self, x, q):
        self.q = q
        super().step(x)

    def finalize(self):
        return float(numpy.quantile(self.values, self.q)) if self.values else None


def values(data):
    if data.dtype.kind == "S" or data.dtype.kind == "O":
        return [v.decode() or None for v in data]
    return [None if v == -2**63 or v != v else v for v in data.tolist()]


def columns_of(name, data):
    return {name: data} if data.ndim == 1 else {f"{name}_{k}": data[:, k] for k in range(data.shape[1])}


@functools.lru_cache(maxsize=None)
def database(*paths):
    db = sqlite3.connect(":memory:")
    db.create_aggregate("geomean", 1, Geomean)
    db.create_aggregate("quantile", 2, Quantile)
    made = {}
    for path in paths:
        with h5py.File(path) as archive:
            for table, group in archive.items():
                if not isinstance(group, h5py.Group):
                    continue
                columns = {}
                for name in group.attrs["columns"].decode().split(",") if isinstance(group.attrs["columns"], bytes) else group.attrs["columns"].split(","):
                    columns.update(columns_of(name, group[name][()]))
                n = int(group.attrs["rows"])
                names = ["archive", "archive_row", *columns]
                if table not in made:
                    made[table] = names
                    db.execute('CREATE TABLE "%s" (%s)' % (table, ",".join('"%s"' % c for c in names)))
                db.executemany('INSERT INTO "%s" (%s) VALUES (%s)' % (table, ",".join('"%s"' % c for c in names), ",".join("?" * len(names))),
                               ([path, i, *row] for i, row in enumerate(zip(*map(values, columns.values())))) if n else [])
    return db


answers, words = [], sys.argv[1:]
while words:
    end = words.index("--")
    sql, *paths = words[:end]
    answers.append([sql, [list(row) for row in database(*paths).execute(sql)]])
    words = words[end + 1:]
print(json.dumps(answers))
