# SPDX-License-Identifier: BSD-3-Clause
"""library.py DIRECTORY MATRIX PRODUCTS: compares the rankings that build/tests/library_ranks wrote for a matrix with the JSON of
spmv-predict on stdin (--all, both precisions and cache states). Exits 1 with the first difference."""
import json
import math
import sys

FIELDS = ("place", "config", "kernel", "status", "reason", "model", "time", "low", "high", "convert", "prepare", "total", "total_low",
          "total_high", "breakeven", "breakeven_free", "speedup", "least", "storage", "best_of_kernel", "in_training")


def number(text, scale=1.0):
    """A number of the library in the unit of spmv-predict; None if it is unknown."""
    return None if math.isnan(float(text)) else float(text) * scale


def told(row):
    """What the library says of a row, under the names of spmv-predict."""
    r = dict(zip(FIELDS, row))
    ranked = r["place"] != "0"
    time = number(r["time"])
    return {
        "place": int(r["place"]) if ranked else None,
        "config": r["config"],
        "status": r["status"],
        "reason": r["reason"],
        "model": r["model"],
        **{name + "_us": number(r[name], 1e6) for name in ("time", "low", "high", "convert", "prepare", "total")},
        "breakeven_spmv": number(r["breakeven"]),
        "breakeven_free_spmv": number(r["breakeven_free"]),
        "speedup_vs_csr": number(r["speedup"]),
        "storage_mb": int(r["storage"]) * 1e-6 or None,
        "bandwidth_gbs": int(r["least"]) / time * 1e-9 if time and int(r["least"]) else None,
    }


def same(a, b):
    if isinstance(a, float) and isinstance(b, (int, float)):
        return math.isclose(a, b, rel_tol=1e-14)
    return a == b


directory, matrix, products = sys.argv[1:]
predicted = json.load(sys.stdin)
for precision in "f32", "f64":
    for cache in "warm", "cold":
        with open(f"{directory}/{matrix}.{precision}.{cache}.{products}.tsv") as f:
            lines = [line.rstrip("\n").split("\t") for line in f]
        _, status, pick, library, free, alike, text = lines[0]
        rows = [told(line[1:]) for line in lines[1:]]
        theirs = [r for r in predicted["rows"] if (r["precision"], r["cache"]) == (precision, cache)]
        advice = [a for a in predicted["recommendations"] if (a["precision"], a["cache"]) == (precision, cache)]
        where = f"{matrix} {precision} {cache} {products}"
        if len(rows) != len(theirs) or len(rows) < 20 or len(advice) != 1:
            sys.exit(f"{where}: {len(rows)} rows, spmv-predict has {len(theirs)}")
        for i, (ours, its) in enumerate(zip(rows, theirs)):
            for name, value in ours.items():
                if not same(value, its[name] or None if name == "storage_mb" else its[name]):
                    sys.exit(f"{where}: row {i}, {ours['config']}: {name} is {value}, spmv-predict has {its[name]}")
            if (its["recommended"] == "yes") != (i == int(pick)):
                sys.exit(f"{where}: row {i} is recommended by one alone")
        a = advice[0]
        config = {"config": int(pick), "library": int(library), "free": int(free)}
        for name, row in config.items():
            if a[name] != (rows[row]["config"] if row >= 0 else None):
                sys.exit(f"{where}: the {name} is row {row}, spmv-predict has {a[name]}")
        if a["text"] != text or a["alike"] != int(alike) or (status == "ok") != (a["config"] is not None):
            sys.exit(f"{where}: {status}: {text}\nspmv-predict: {a['text']}")
        print(where, len(rows), status)
