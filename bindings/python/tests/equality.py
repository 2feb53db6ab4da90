# SPDX-License-Identifier: BSD-3-Clause
"""Compares spmvcast.rank with spmv-predict --json: every row, every column that both have, and the recommendation.

As a program: equality.py SPMV_PREDICT MATRIX.mtx.xz... prints the numbers of matrices, targets and rows that are equal, and each difference.
"""
from __future__ import annotations

import json
import lzma
import math
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Callable, Dict, List, Tuple

import scipy.io
import scipy.sparse
import spmvcast

TARGETS = [(p, c) for p in ("f32", "f64") for c in ("warm", "cold")]


def name_of(path: Path) -> str:
    """Returns the name in the first comment of a Matrix Market file, "HB/1138_bus", as spmv-predict finds it."""
    with lzma.open(path, "rt", encoding="utf-8", errors="replace") as file:
        for line in file:
            words = line.lstrip("%").split()
            if line[0] != "%":
                break
            if not line.startswith("%%") and len(words) == 1 and words[0].endswith("/" + path.name[: -len(".mtx.xz")]):
                return words[0]
    return path.name[: -len(".mtx.xz")]


def read_matrix(path: Path) -> Tuple[Any, str]:
    """Returns the matrix of a .mtx.xz file in CSR, and its field."""
    with lzma.open(path, "rt", encoding="utf-8", errors="replace") as file:
        field = file.readline().split()[3].lower()
    with lzma.open(path, "rb") as file:
        return scipy.io.mmread(file).tocsr(), field


def predict(program: str, path: str, *options: str) -> Dict[str, Any]:
    """Returns what spmv-predict --json prints, with all configurations."""
    rows = [] if "-c" in options else ["--all"]
    command = [program, "-q", "--profile", "h200", *rows, "--json", *options, path]
    out: Dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return out


def same(ours: Any, theirs: Any) -> bool:
    """JSON has null for unknown numbers."""
    if theirs is None or (isinstance(ours, float) and math.isnan(ours)):
        return theirs is None and (ours is None or ours == "" or (isinstance(ours, float) and math.isnan(ours)))
    return bool(ours == theirs)


def compare_rows(ranking: spmvcast.Ranking, rows: List[Dict[str, Any]]) -> List[str]:
    """Returns the differences between a ranking and the rows of spmv-predict for the same target."""
    if len(ranking) != len(rows):
        return [f"{len(ranking)} rows, spmv-predict has {len(rows)}"]
    table, wrong = ranking.table(), []
    table["recommended"] = ["yes" if r else "no" for r in table["recommended"]]
    for i, row in enumerate(rows):
        missing = set(row) - set(table)
        wrong += [f"columns {sorted(missing)} are missing"] if missing else []
        wrong += [f"row {i}, {n}: {table[n][i]!r}, spmv-predict has {v!r}" for n, v in row.items() if n in table and not same(table[n][i], v)]
    return wrong


_ELSEWHERE: Dict[str, Callable[[spmvcast.Ranking], Any]] = {
    "matrix": lambda r: r.matrix.name,
    "iterations": lambda r: r.products,
    "matrix_on": lambda r: r.place,
    "library_time_us": lambda r: r.advice.library_row.time_us if r.advice.library_row else None,
    "library_total_us": lambda r: r.advice.library_row.total_us if r.advice.library_row else None,
    "place": lambda r: r.advice.place,
    "alike": lambda r: r.advice.alike if r.advice.place else None,
}


def compare_advice(ranking: spmvcast.Ranking, theirs: Dict[str, Any]) -> List[str]:
    """Returns the differences between the advice and a recommendation of spmv-predict."""
    wrong = []
    for name, value in theirs.items():
        if name == "risk":
            continue
        read = _ELSEWHERE.get(name)
        value = re.sub("; --tune [^;]*", "", value) if name == "text" else value  # an option of spmv-predict
        ours = read(ranking) if read else getattr(ranking if hasattr(ranking, name) else ranking.advice, name)
        wrong += [] if same(ours, value) else [f"advice, {name}: {ours!r}, spmv-predict has {value!r}"]
    return wrong


def compare(program: str, path: Path, *options: str, **arguments: Any) -> Tuple[int, List[str]]:
    """Compares for all targets; returns the number of rows and the differences."""
    (A, field), name = read_matrix(path), name_of(path)
    with tempfile.TemporaryDirectory() as folder:
        if field == "pattern":  # scipy gives it ones, which spmv-predict does not
            name = path.name[: -len(".mtx.xz")]
            path = Path(folder, name + ".npz")
            scipy.sparse.save_npz(path, A, compressed=False)
        out = predict(program, str(path), "-p", "f32,f64", "--cache", "warm,cold", *options)
    count, wrong = 0, []
    for precision, cache in TARGETS:
        ranking = spmvcast.rank(A, precision=precision, cache=cache, name=name, **arguments)
        rows = [r for r in out["rows"] if (r["precision"], r["cache"]) == (precision, cache)]
        theirs = [r for r in out["recommendations"] if (r["precision"], r["cache"]) == (precision, cache)]
        assert rows and len(theirs) == 1
        found = compare_rows(ranking, rows) + compare_advice(ranking, theirs[0])
        wrong += [f"{name}, {precision}, {cache}: {text}" for text in found]
        count += len(rows)
    return count, wrong


def main(program: str, *paths: str) -> int:
    equal = rows = 0
    for path in paths:
        n, wrong = compare(program, Path(path), "--iterations", "200", products=200)
        print(os.path.basename(path), n, "rows,", len(wrong), "differences", flush=True)
        print("".join("  " + text + "\n" for text in wrong[:20]), end="", flush=True)
        equal += not wrong
        rows += n if not wrong else 0
    print(f"{equal} of {len(paths)} matrices equal, {rows} rows")
    return int(equal != len(paths))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
