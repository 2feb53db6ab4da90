# SPDX-License-Identifier: BSD-3-Clause
"""Makes random archived forecasts with costs, and computes the table "advice" independently.
advice.py make SEED > TEXT; advice.py compare TEXT RISK PLACE < TABLE.json"""
import json, math, random, sys

CONFIGS = [("csr-vector:lanes=8,rows=1,block=128", "csr-vector"), ("csr-split:lanes=8,cut=128,deal=warp,block=128", "csr-split"),
           ("cusparse-csr:alg=1,pre=0", "cusparse-csr"), ("cusparse-csr:alg=1,pre=1", "cusparse-csr"), ("cusparse-op:alg=2", "cusparse-op"),
           ("ell:lanes=1,block=256", "ell"),
           ("bro:h=256,bits=64,lanes=1,block=256", "bro"),
           ("sell:c=32,sigma=1,index=32,lanes=1,block=128", "sell"),
           ("hyb:k=auto,head=ell,head.lanes=1,head.block=256,tail=csr-split,tail.lanes=8,tail.cut=128,tail.deal=warp,tail.block=128", "hyb")]
COUNTS = (0, 1, 10, 100, 200, 1000, 100000)
FIXED = {"physics-gp, chosen for 200": 200, "physics-gp, chosen for unlimited": 0}
nan = math.nan


def make(seed):
    r = random.Random(seed)
    lines, case = ["state 0.25"], 0
    near = lambda v: v * math.exp(r.gauss(0, 0.2))
    for m in range(12):
        family, sealed = m // 2, int(m // 2 % 3 == 0)
        scale = 10 ** r.uniform(0.3, 2)
        for precision in ("f32", "f64"):
            costs, csr = {}, (30 * near(scale), 20 * near(scale))  # CSR is one layout: one build, one copy
            for config, kernel in CONFIGS:
                build = csr if is_csr(kernel) else (30 * near(scale), 20 * near(scale))
                device = nan if kernel == "bro" else 5 * near(scale)
                prepare = near(30 if kernel in ("csr-split", "cusparse-op") or "pre=1" in config else 2)
                measured = (*build, device, prepare)
                costs[config] = measured, (build[0], build[1], *(near(v) for v in measured[2:]))
            if m == 3:
                costs["ell:lanes=1,block=256"] = ((nan,) * 4, (nan,) * 4)
            told = set()
            for cache in ("warm", "cold"):
                for config, kernel in CONFIGS:
                    if kernel == "ell" and m % 4 == 1:
                        continue
                    one_part = int(kernel == "hyb" and m % 3 > 0)
                    us = near(scale) * (1.5 if kernel == "cusparse-csr" else 0.5 if one_part else 1) + 0.5
                    lines.append(f"case id{m} G/m{m} F{family} {config} {kernel} {precision} {cache} graph resident {sealed} {1000 * (m + 1)} {us:.9g} 0.125 {one_part}")
                    for model, seeds in (("physics-gp", (1, 2)), ("plain", (1,))):
                        for s in seeds:
                            if model == "plain" and kernel == "sell":
                                lines.append(f"of {case} plain all 1 0 2 nan nan nan 0")
                                continue
                            t = near(us)
                            ends = f"{t * 0.9:.9g} {t * r.uniform(1.05, 2):.9g}" if model == "physics-gp" else "nan nan"
                            lines.append(f"of {case} {model} all {s} {-1 if sealed else 0} 0 {t:.9g} {ends} 0")
                    if config not in told:
                        told.add(config)
                        lines.append("cost " + " ".join(f"{v:.9g}" for v in (case, *costs[config][0], *costs[config][1])))
                    case += 1
    print("\n".join(lines))


def rounded(v):
    """Returns v rounded to 12 bits of mantissa, as archived."""
    if math.isnan(v):
        return v
    m, e = math.frexp(v)
    return math.ldexp(round(m * 8192), e - 13)


def read(path):
    cases, series, costs = [], {}, {}
    for line in open(path):
        w = line.split()
        if w[0] == "case":
            cases.append(dict(source=w[1], matrix=w[2], config=w[4], kernel=w[5], precision=w[6], cache=w[7], sealed=int(w[10]), us=float(w[12]) - float(w[13]), one_part=w[14] == "1"))
        elif w[0] == "of":
            if int(w[6]) != 2:
                series.setdefault((w[2], w[4]), {})[int(w[1])] = tuple(rounded(float(v)) for v in w[7:10])
        elif w[0] == "cost":
            c, v = cases[int(w[1])], [rounded(float(x)) for x in w[2:]]
            costs[c["source"], c["precision"], c["config"]] = v[:4], v[4:]
    return cases, series, costs


def setup(v, csr, place, copy):
    build, upload, device, prepare = v
    if csr:
        return (copy if place == "host" else 0) + prepare
    by_host, by_device = build + upload, device + (copy if place == "host" else 0)
    if math.isnan(by_device):
        return by_host + prepare
    return (min(by_host, by_device) if place == "host" else by_device) + prepare


def is_csr(kernel):
    return kernel.startswith(("csr-", "cusparse-csr", "cusparse-op"))


def stays(case):
    """The second algorithm of SpMVOp copies the matrix."""
    return is_csr(case["kernel"]) and case["config"] != "cusparse-op:alg=2"


def value(r, n):
    return r["t"] if n == 0 else r["setup"] + n * r["t"]


def weighed_value(r, n, risk):
    t = r["t"] * (1 if math.isnan(r["high"]) else (r["high"] / r["t"]) ** risk)
    return t if n == 0 else r["setup"] + n * t


def lowest(rows, n, risk):
    """The lowest weighed value, of those within 1 % without limit the one with the cheapest set-up."""
    rows = [r for r in rows if n == 0 or not math.isnan(r["setup"])]
    best = min(rows, key=lambda r: weighed_value(r, n, risk))
    if n == 0:
        alike = [r for r in rows if weighed_value(r, 0, risk) <= 1.01 * weighed_value(best, 0, risk)]
        cheapest = min(math.inf if math.isnan(r["setup"]) else r["setup"] for r in alike)
        best = best if best["setup"] == cheapest or math.isinf(cheapest) else next(r for r in alike if r["setup"] == cheapest)
    return best


def deviations(r):
    """Of the time and of the set-up (docs/method.md)."""
    return r["t"] * math.log(r["high"] / r["low"]) / 2 / 1.6449, r["setup"] * (0.5 if r["converts"] else 0.11)


TOGETHER = 0.8  # deviation of the difference of two times / that of independent ones


def gain(a, b, n):
    """The log of how many times as fast a is, and its deviation."""
    width = 0
    for r in (a, b):
        t, s = deviations(r)
        width = math.hypot(width, TOGETHER * t / r["t"] if n == 0 else math.hypot(TOGETHER * n * t, s) / value(r, n))
    return math.log(value(b, n) / value(a, n)), width


def recommended(rows, n, risk):
    best = lowest(rows, n, risk)
    if not best["stays"]:
        stay = lowest([r for r in rows if r["stays"]], n, risk)
        by, width = gain(best, stay, n)
        if by <= (0 if math.isnan(width) else 1.2816 * width):
            return stay
    return best


def total_held(r, n, cases):
    """Does the interval of the total of a forecast hold the measured total? None: unknown."""
    c, by = cases[r["i"]], math.exp(1.6449 * (0.5 if r["converts"] else 0.11))
    if n == 0:
        return None if math.isnan(c["us"] + r["low"]) else r["low"] <= c["us"] <= r["high"]
    measured, mid = c["setup"] + n * c["us"], value(r, n)
    low = mid - math.hypot(n * (r["t"] - r["low"]), r["setup"] - r["setup"] / by)
    high = mid + math.hypot(n * (r["high"] - r["t"]), r["setup"] * by - r["setup"])
    return None if math.isnan(measured + low) else low <= measured <= high


def held(a, b, n, cases):
    """Do the intervals of gain, break-even and total of forecasts hold what was measured? None: unknown."""
    return (*gain_held(a, b, n, cases), total_held(a, n, cases))


def gain_held(a, b, n, cases):
    by, width = gain(a, b, n)
    ca, cb = cases[a["i"]], cases[b["i"]]
    total = lambda c: c["us"] if n == 0 else c["setup"] + n * c["us"]
    ratio = math.log(total(cb) / total(ca))
    of_gain = None if math.isnan(width) or math.isnan(ratio) else abs(ratio - by) <= 1.6449 * width
    more, faster = ca["setup"] - cb["setup"], cb["us"] - ca["us"]
    if math.isnan(width) or math.isnan(a["setup"] + b["setup"] + more) or more < 0:
        return of_gain, None
    n_measured = (0 if more <= 0 else more / faster) if faster > 0 else math.inf
    ta, sa = deviations(a)
    tb, sb = deviations(b)
    faster, deviation, of_setup = b["t"] - a["t"], TOGETHER * math.hypot(ta, tb), math.hypot(sa, sb)
    never = faster <= 1.6449 * deviation  # is an end of the interval
    if math.isinf(n_measured):
        return of_gain, never
    # by the difference at the measured number of products: is 0 within its interval?
    n_measured = math.ceil(n_measured)
    lead = n_measured * faster - (a["setup"] - b["setup"])
    width, rounding = math.hypot(n_measured * deviation, of_setup), 1.01 * abs(faster)
    if never:
        return of_gain, lead >= -0.8416 * width - rounding or a["setup"] - b["setup"] <= 0.8416 * of_setup
    return of_gain, abs(lead) <= 1.6449 * width + rounding


def compare(path, risk, place):
    cases, series, costs = read(path)
    contests = {}
    for i, c in enumerate(cases):
        contests.setdefault((c["sealed"], c["matrix"], c["precision"], c["cache"]), []).append(i)
    for i, c in enumerate(cases):
        csr = is_csr(c["kernel"])
        copies = costs[c["source"], c["precision"], CONFIGS[0][0]]
        of = costs[c["source"], c["precision"], c["config"]]
        c["setup"], c["expected"] = (setup(of[k], csr, place, copies[k][1]) for k in (0, 1))
    total = lambda us, s, n: us if n == 0 else s + n * us
    want, want_more, unknown = {}, {}, {}
    for (sealed, matrix, precision, cache), members in contests.items():
        for n in COUNTS:
            measured = {i: total(cases[i]["us"], cases[i]["setup"], n) for i in members}
            known = {i: v for i, v in measured.items() if not math.isnan(v)}
            best = min(known.values())
            vendor = {i: v for i, v in known.items() if cases[i]["kernel"].startswith("cusparse-")}
            library = {i: v for i, v in vendor.items() if cases[i]["kernel"] == "cusparse-csr"}
            least = lambda rows: min((v for i, v in known.items() if i in rows), default=nan)
            more = {}
            chosen = {"always cuSPARSE, best": [least(vendor)],
                      "always cusparse-csr, best": [least(library)],
                      "always cusparse-csr, pre=1": [least([i for i in library if "pre=1" in cases[i]["config"]])],
                      "always cusparse-csr, pre=0": [least([i for i in library if "pre=0" in cases[i]["config"]])],
                      "always csr-split": [least([i for i in members if cases[i]["config"].startswith("csr-split")])]}
            for (model, _), of in sorted(series.items()):
                rows = [dict(i=i, t=of[i][0], low=of[i][1], high=of[i][2], setup=cases[i]["expected"], converts=not is_csr(cases[i]["kernel"]), stays=stays(cases[i]))
                        for i in members if i in of and not cases[i]["one_part"]]
                chosen.setdefault(model, []).append(measured[recommended(rows, n, risk)["i"]])
                staying, converting = (lowest([r for r in rows if r[kind]], n, risk) for kind in ("stays", "converts"))
                more.setdefault(model, []).append((measured[recommended(rows, n, risk)["i"]] > 1.02 * measured[staying["i"]], held(converting, staying, n, cases)))
                if model == "physics-gp":
                    order = sorted((r for r in rows if n == 0 or not math.isnan(r["setup"])), key=lambda r: weighed_value(r, n, risk))
                    chosen.setdefault("physics-gp, best of 3 timed", []).append(min(measured[r["i"]] for r in order[:3]))
                    for who, k in FIXED.items():
                        chosen.setdefault(who, []).append(measured[recommended(rows, k, risk)["i"]])
            for model, pairs in more.items():
                for lost, kept in pairs:
                    want_more.setdefault((model, sealed, n), {}).setdefault(matrix, []).append((lost, kept))
            for who, totals in chosen.items():
                for t in totals:
                    if math.isnan(t):
                        unknown[who, sealed, n] = unknown.get((who, sealed, n), 0) + 1
                        continue
                    want.setdefault((who, sealed, n), {}).setdefault(matrix, []).append((t / best, t > 1.05 * least(vendor), least(vendor) / t))
    d = json.load(sys.stdin)
    rows = {(r["advice"], int(r["set"] == "sealed"), r["iterations"]): r for r in d["rows"]}
    assert rows.keys() == want.keys(), rows.keys() ^ want.keys()
    close = lambda a, b: math.isclose(a, b, rel_tol=1e-6)
    for key, by_matrix in want_more.items():
        r = rows[key]
        share = lambda f: (lambda known: None if not known else 100 * sum(sum(v) / len(v) for v in known) / len(known))(
            [v for v in ([f(x) for x in l if f(x) is not None] for l in by_matrix.values()) if v])
        assert close(r["lost_percent"] + 1, share(lambda x: x[0]) + 1), (key, r)
        for name, at in (("gain_held", 0), ("breakeven_held", 1), ("total_held", 2)):
            expected = share(lambda x: x[1][at])
            assert (r[name + "_percent"] is None) == (expected is None), (key, name, r, expected)
            # at a whole number of products the interval may or may not hold
            assert expected is None or abs(r[name + "_percent"] - expected) < (6 if at == 1 else 1e-4), (key, name, r, expected)
            assert expected is None or r[name + "_low"] <= r[name + "_percent"] + 1e-9 and r[name + "_percent"] <= r[name + "_high"] + 1e-9
    for key, by_matrix in want.items():
        r = rows[key]
        weighed = lambda f: sum(sum(map(f, v)) / len(v) for v in by_matrix.values()) / len(by_matrix)
        assert r["matrices"] == len(by_matrix) and r["unknown"] == unknown.get(key, 0)
        assert close(r["ratio"], math.exp(weighed(lambda v: math.log(v[0])))), (key, r)
        assert r["ratio_low"] <= r["ratio"] * (1 + 1e-9) and r["ratio"] <= r["ratio_high"] * (1 + 1e-9)
        assert close(r["within5_percent"], 100 * weighed(lambda v: v[0] <= 1.05)), (key, r)
        assert close(r["slower_percent"] + 1, 1 + 100 * weighed(lambda v: v[1])), (key, r)
        assert close(r["times_library"], math.exp(weighed(lambda v: math.log(v[2])))), (key, r)
        worst = max((v[0], m) for m, l in by_matrix.items() for v in l)
        assert close(r["worst"], worst[0]) and (r["worst"] == 1 or r["worst_matrix"] == worst[1])


if sys.argv[1] == "make":
    make(int(sys.argv[2]))
else:
    compare(sys.argv[2], float(sys.argv[3]), sys.argv[4])
