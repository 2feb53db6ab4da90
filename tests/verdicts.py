# SPDX-License-Identifier: BSD-3-Clause
"""Made-up papers whose truth is known, for the rule of verdicts; shares no code with it.

A paper has 14 families with one to three matrices, and a claim "X times faster". log(speedup) of a matrix = log(truth) + an effect of its
family + an effect of the matrix + noise of two measured times (2.3 % in the mean, so a deviation of 0.029). Deviations between families are
those of the speedups of the papers' own matrices on an H200 (results/h200): 0.22 to 1.06.

  verdicts.py write SEED N FACTOR SPREAD...   N papers; truth = printed x FACTOR; a SPREAD is drawn for each
  verdicts.py count [MOST|LEAST VERDICT PERCENT]...   reads "claim<TAB>direction<TAB>size" lines, prints counts, checks them
"""
import collections
import random
import sys

PRINTED = (1.19, 1.27, 1.3, 1.45, 1.5, 1.67, 1.71, 1.8, 1.96, 2.3, 2.68, 3.54, 4.91)


def write(seed, n, factor, spreads):
    draw = random.Random(seed)
    print("claim\tmatrix\tfamily\tratio\tprinted\tmargin")
    for paper in range(n):
        printed, spread = draw.choice(PRINTED), draw.choice(spreads)
        for family in range(14):
            of_family = draw.gauss(0, spread)
            for matrix in range(draw.choice((1, 1, 1, 1, 2, 3))):
                log_ratio = of_family + draw.gauss(0, 0.1) + draw.gauss(0, 0.029)
                ratio = printed * factor * 2.718281828459045 ** log_ratio
                print(f"p{paper}\tf{family}m{matrix}\tf{family}\t{ratio:.6g}\t{printed}\t1.25")


def count(checks):
    found = collections.Counter()
    n = 0
    for line in sys.stdin:
        if "\t" in line:
            _, direction, size = line.rstrip("\n").split("\t")
            found["direction " + direction] += 1
            found["size " + size] += 1
            n += 1
    print(n, dict(found))
    good = n > 0
    for kind, verdict, percent in zip(*[iter(checks)] * 3):
        share = 100 * sum(found[v] for v in verdict.split("|")) / n
        if share > float(percent) if kind == "most" else share < float(percent):
            print(f"{verdict}: {share:.1f} %, expected at {kind} {percent} %")
            good = False
    return good


if sys.argv[1] == "write":
    write(int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]), [float(s) for s in sys.argv[5:]])
else:
    sys.exit(0 if count(sys.argv[2:]) else 1)
