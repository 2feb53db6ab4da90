# SPDX-License-Identifier: BSD-3-Clause
# usage: crossvalidated.py DIRECTORY CASES STATE
# Checks the tables that spmv-reproduce made of paper lehnert2016 against each other and against the cases of its archive of forecasts, read by
# spmv-query (CASES: matrix, config, model, measured time, forecast time in the fast state; STATE: what is added for the more
# frequent one).
import csv
import sys
from statistics import median


def table(name):
    with open(name) as f:
        return list(csv.DictReader((line for line in f if not line.startswith("#")), delimiter="\t"))


def near(a, b, digits=3):
    return abs(a - b) <= 10.0 ** (1 - digits) * max(abs(a), abs(b))


directory, cases, state = sys.argv[1], table(sys.argv[2]), float(sys.argv[3])
errors = table(f"{directory}/fig1-errors.tsv")
FIVE = {"COO", "CSR", "ELL", "SELL-C-sigma", "ELL-BRO"}
assert {r["format"] for r in errors} == FIVE
by = {(r["matrix"], r["config"], r["model"]): r for r in errors}
archived = {(r["matrix"], r["config"], r["model"]): r for r in cases}

# errors are those of the archive; refused cases have none
for key, r in by.items():
    if key[2] in ("knn", "linear-log", "gbrt", "linear+gbrt"):
        a = archived[key]
        assert (r["refused"] == "yes") == (a["forecast_us"] == "-")
        if r["refused"] == "no":
            error = 100 * abs((float(a["forecast_us"]) + state) / float(a["measured_us"]) - 1)
            assert abs(float(r["error_percent"]) - error) <= 0.01 + error / 1000, (key, error)

# a model of two parts
for (matrix, config, model), r in by.items():
    if model == "linear-log+gbrt":
        part = "gbrt" if r["format"] in ("SELL-C-sigma", "ELL-BRO") else "linear-log"
        assert r["error_percent"] == by[matrix, config, part]["error_percent"]
        assert r["fitted_by"] == ("trees" if part == "gbrt" else "lines")

# the errors of a matrix
of_matrix = {}
for (matrix, config, model), r in by.items():
    if r["refused"] == "no":
        of_matrix.setdefault((matrix, model), []).append(float(r["error_percent"]))
for r in table(f"{directory}/fig1-matrices.tsv"):
    v = of_matrix.get((r["matrix"], r["model"]))
    if v:
        assert int(r["cases"]) == len(v) and near(float(r["mean_percent"]), sum(v) / len(v)), r
        assert near(float(r["median_percent"]), median(v)) and near(float(r["worst_percent"]), max(v)), r

# the best and the pick are those of the five formats
best, pick = {}, {}
for (matrix, config, model), r in archived.items():
    if (matrix, config, "knn") not in by or model != "knn":
        continue
    us = float(r["measured_us"])
    best[matrix] = min(best.get(matrix, us), us)
    if r["forecast_us"] != "-" and (matrix not in pick or float(r["forecast_us"]) < pick[matrix][0]):
        pick[matrix] = float(r["forecast_us"]), us
ranking = [r for r in table(f"{directory}/fig2.tsv") if r["model"] == "knn"]
assert len(ranking) == len(best) > 50
for r in ranking:
    assert near(float(r["best_us"]), best[r["matrix"]]) and near(float(r["pick_us"]), pick[r["matrix"]][1]), r

# both devices: a filter leaves one; without a filter the best is the better of both
groups = {}
for r in table(f"{directory}/devices.tsv"):
    groups.setdefault((r["matrix"], r["model"]), {})[r["filter"]] = r
for rows in groups.values():
    assert set(rows) == {"none", "own", "other"}
    assert rows["own"]["pick_device"] != rows["other"]["pick_device"] == "cpu"
    assert float(rows["none"]["best_us"]) == min(float(rows["own"]["best_us"]), float(rows["other"]["best_us"]))
    assert rows["none"]["pick_us"] in (rows["own"]["pick_us"], rows["other"]["pick_us"])
print(len(errors), "errors,", len(ranking), "picks,", len(groups), "rankings of two devices")
