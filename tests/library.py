# SPDX-License-Identifier: BSD-3-Clause
"""library.py MATRIX.PRODUCTS.json...: compares the rankings that build/tests/library_ranks wrote for each matrix with the JSON of
spmv-predict (--all, both precisions and cache states). Exits 1 with the first difference."""
import json
import math
import re
import sys

# Members of spmvcast_row whose column has another name; times, member_s, are columns member_us.
RENAMED = {"breakeven_library": "breakeven_spmv", "breakeven_stay": "breakeven_stay_spmv", "speedup": "speedup_vs_csr",
           "breakeven_library_low": "breakeven_low_spmv", "breakeven_library_high": "breakeven_high_spmv",
           "breakeven_stay_low": "breakeven_stay_low_spmv", "breakeven_stay_high": "breakeven_stay_high_spmv"}


def value(text):
    """A number, None if it is unknown, or a text."""
    try:
        return None if math.isnan(float(text)) else float(text)
    except ValueError:
        return text


def told(row):
    """What the library says of a row, under the names of spmv-predict."""
    r = dict(cell.split("=", 1) for cell in row)
    known = {RENAMED.get(m, m): value(text) for m, text in r.items() if not m.endswith("_s")}
    times = {m[:-1] + "us": value(text) for m, text in r.items() if m.endswith("_s")}
    known.update({column: time_s and time_s * 1e6 for column, time_s in times.items()})
    time_s, least = value(r["time_s"]), int(r["least_bytes"])
    known["place"] = known["place"] or None
    known["storage_mb"] = int(r["storage_bytes"]) * 1e-6 or None
    known["bandwidth_gbs"] = least / time_s * 1e-9 if time_s and least else None
    return known


def same(a, b):
    if isinstance(a, float) and isinstance(b, (int, float)):
        return math.isclose(a, b, rel_tol=1e-14)
    return a == b


for path in sys.argv[1:]:
    matrix, products, _ = path.split(".")
    with open(path) as f:
        predicted = json.load(f)
    for precision in "f32", "f64":
        for cache in "warm", "cold":
            with open(f"{matrix}.{precision}.{cache}.{products}.tsv") as f:
                lines = [line.rstrip("\n").split("\t") for line in f]
            _, status, pick, library, free, alike, text = lines[0]
            rows = [told(line[1:]) for line in lines[1:]]
            theirs = [r for r in predicted["rows"] if (r["precision"], r["cache"]) == (precision, cache)]
            advice = [a for a in predicted["recommendations"] if (a["precision"], a["cache"]) == (precision, cache)]
            where = f"{matrix} {precision} {cache} {products}"
            if len(rows) != len(theirs) or len(rows) < 20 or len(advice) != 1:
                sys.exit(f"{where}: {len(rows)} rows, spmv-predict has {len(theirs)}")
            for i, (ours, its) in enumerate(zip(rows, theirs)):
                if set(its) - set(ours) != {"precision", "cache", "launch", "profile", "matrix", "recommended"}:
                    sys.exit(f"{where}: columns that the library does not have: {sorted(set(its) - set(ours))}")
                for name in set(ours) & set(its):
                    if not same(ours[name], its[name] or None if name == "storage_mb" else its[name]):
                        sys.exit(f"{where}: row {i}, {ours['config']}: {name} is {ours[name]}, spmv-predict has {its[name]}")
                if (its["recommended"] == "yes") != (i == int(pick)):
                    sys.exit(f"{where}: row {i} is recommended by one alone")
            a = advice[0]
            config = {"config": int(pick), "library": int(library), "stay": int(free)}
            for name, row in config.items():
                if a[name] != (rows[row]["config"] if row >= 0 else None):
                    sys.exit(f"{where}: the {name} is row {row}, spmv-predict has {a[name]}")
            if re.sub("; --tune [^;]*", "", a["text"]) != text or a["alike"] != int(alike) or (status == "ok") != (a["config"] is not None):
                sys.exit(f"{where}: {status}: {text}\nspmv-predict: {a['text']}")
            print(where, len(rows), status)
