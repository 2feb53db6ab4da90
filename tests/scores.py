# SPDX-License-Identifier: BSD-3-Clause
# Computes the scores of archived forecasts independently, from the text that tests/c/forecasts.c reads (docs/method.md):
#     scores.py make SEED > TEXT                   random cases and forecasts of several models; times are k/16, exact in 12 bits
#     scores.py compare TEXT BY SET < TABLE.json   [precision|cache|launch|model=WORD ...]
#     scores.py each TEXT SET BY... < TABLES.json  a table on each line
#     scores.py coverage TEXT BY SET RISK < TABLE.json
import collections, functools, json, math, random, statistics, sys

CASE = "source matrix family config kernel precision cache launch class sealed nnz measured state".split()
OF = "case model training seed fold status time low high distance".split()

def number(word):
    try: return int(word)
    except ValueError:
        try: return float(word)
        except ValueError: return word

def read(path):
    state, cases, forecasts = 0, [], []
    for line in open(path):
        word = line.split()
        if word[0] == "state": state = float(word[1])
        if word[0] == "case": cases.append(dict(zip(CASE, map(number, word[1:]))))
        if word[0] == "of": forecasts.append(dict(zip(OF, map(number, word[1:]))))
    return state, cases, forecasts

# ---- random archives
def make(seed):
    draw = random.Random(seed)
    print("state 0.1875")
    forecasts, at = [], 0
    for m in range(14):
        family = m // 2 if m < 10 else m
        for precision in ("f32", "f64"):
            size = draw.choice(("resident", "mixed", "streaming"))
            for cache in ("warm", "cold"):
                for launch in ("graph", "stream"):
                    base, slow = draw.randint(64, 600), draw.choice((0, 0.1875))
                    for k in range(draw.randint(1, 7)):
                        us = int(base * draw.uniform(1, 3)) / 16
                        print(f"case s{m:02d} G/m{m:02d} f{family:02d} k{k % 3}:x={k} k{k % 3} {precision} {cache} {launch} {size} {int(family in (1, 3, 11))} {100 * 10 ** (m % 7)} {us + slow} {slow}")
                        for model, training, seeds, refuses in (("gp", "all", 3, 0), ("gp", "generated", 2, 0), ("old", "all", 1, 0.6), ("near", "all", 1, 0.1)):
                            for s in range(seeds):
                                f = max(1, int(us * 16 * draw.uniform(0.8, 1.25)))
                                low, high = (max(1, int(f * 0.9)), int(f * 1.15)) if model == "gp" else (math.nan, math.nan)
                                status = 2 if draw.random() < refuses else draw.choice((0, 0, 1))
                                if model == "near" and draw.random() < 0.1: continue
                                if status == 2: f = low = high = math.nan
                                forecasts.append(f"of {at} {model} {training} {s} {m % 5} {status} {f / 16} {low / 16} {high / 16} {0.5 * (status == 1)}")
                        at += 1
    print("\n".join(forecasts))

# ---- figures
def philox(counter, key):
    (a, b, c, d), (k, l) = counter, key
    for _ in range(10):
        x, y = 0xD2511F53 * a, 0xCD9E8D57 * c
        a, b, c, d = (y >> 32) ^ b ^ k, y & 0xffffffff, (x >> 32) ^ d ^ l, x & 0xffffffff
        k, l = (k + 0x9E3779B9) & 0xffffffff, (l + 0xBB67AE85) & 0xffffffff
    return a, b, c, d

def quantile(pairs, q):
    pairs = sorted(pairs)
    place, sum_, middles = q * sum(w for _, w in pairs), 0, []
    for _, w in pairs:
        middles.append(sum_ + w / 2)
        sum_ += w
    if not pairs: return None
    if place <= middles[0]: return pairs[0][0]
    for (u, _), (v, _), a, b in zip(pairs, pairs[1:], middles, middles[1:]):
        if place <= b: return u + (place - a) / (b - a) * (v - u)
    return pairs[-1][0]

mean = lambda pairs: sum(v * w for v, w in pairs) / sum(w for _, w in pairs) if pairs else None
def type7(v, q):
    i = int(q * (len(v) - 1))
    return v[i] + (q * (len(v) - 1) - i) * (v[min(i + 1, len(v) - 1)] - v[i])

@functools.cache
def draws(n): return [[(philox((i // 4, 0, d, 0), (14, 0))[i % 4] * n) >> 32 for i in range(n)] for d in range(400)]

def interval(families):
    sums = [(sum(v * w for v, w in families[f]), sum(w for _, w in families[f])) for f in sorted(families)]
    n = len(sums)
    if n < 2: return None, None
    means = sorted(sum(sums[i][0] for i in places) / sum(sums[i][1] for i in places) for places in draws(n))
    return type7(means, 0.025), type7(means, 0.975)

def weigh(samples, whose):
    """Adds a weight to each (case, value); the weights of one matrix or family add up to 1."""
    n = collections.Counter(c[whose] for c, _ in samples)
    return [(c, v, 1 / n[c[whose]]) for c, v in samples]

def of_families(samples):
    by = collections.defaultdict(list)
    for c, v, w in samples: by[c["family"]].append((v, w))
    return by

def contests(cases):
    by = collections.defaultdict(list)
    for c in cases: by[c["source"], c["precision"], c["cache"], c["launch"]].append(c)
    return list(by.values())

def figures(cases, by, group, forecast, known, state):
    added = lambda c: c["state"] if known else state
    shown = lambda c: c["measured"] - (c["state"] if known else 0)
    fast = lambda c: c["measured"] - c["state"]
    given = lambda c: c["id"] in forecast and forecast[c["id"]]["status"] != 2
    mine = lambda c: group == "all" or c[by] == group
    errors, hits, widths, ratios, within, within20, top3, no_pick, worst = [], [], [], [], [], [], [], 0, None
    there = [c for c in cases if mine(c) and c["id"] in forecast]
    for contest in contests(cases):
        best = min(map(fast, contest))
        ranked = sorted((c for c in contest if given(c)), key=lambda c: (forecast[c["id"]]["time"], c["config"]))
        for c in filter(mine, filter(given, contest)):
            f = forecast[c["id"]]
            if fast(c) <= 2 * best: errors.append((c, 100 * abs((f["time"] + added(c)) / c["measured"] - 1)))
            if f["time"] <= 2 * forecast[ranked[0]["id"]]["time"] and not math.isnan(f["low"]):
                low, high = f["low"] + added(c), f["high"] + added(c)
                hits.append((c, 100 * (low <= c["measured"] <= high)))
                widths.append((c, 100 * (math.sqrt(high / low) - 1)))
        if not ranked:
            no_pick += group == "all" or (by != "kernel" and mine(contest[0]))
            continue
        if not mine(ranked[0]): continue
        least = min(map(shown, contest))
        ratios.append((ranked[0], least / shown(ranked[0])))
        within.append((ranked[0], 100 * (shown(ranked[0]) <= 1.05 * least)))
        within20.append((ranked[0], 100 * (shown(ranked[0]) <= 1.2 * least)))
        top3.append((ranked[0], least / min(map(shown, ranked[:3]))))
        if worst is None or ratios[-1][1] < worst[0]: worst = ratios[-1][1], ranked[0]["matrix"]
    plain = lambda s: [(v, w) for _, v, w in s]
    errors, hits, widths = weigh(errors, "source"), weigh(hits, "family"), weigh(widths, "family")
    ratios, within, within20, top3 = (weigh(v, "source") for v in (ratios, within, within20, top3))
    r = dict(matrices=len({c["source"] for c in there}), families=len({c["family"] for c in there}), cases=len(there),
             refused=sum(not given(c) for c in there), near=len(errors), mean_percent=mean(plain(errors)),
             median_percent=quantile(plain(errors), 0.5), p90_percent=quantile(plain(errors), 0.9),
             pick=mean(plain(ratios)), within5_percent=mean(plain(within)), pick_p1=quantile(plain(ratios), 0.01),
             pick_worst=worst and worst[0], worst_matrix=worst[1] if worst else "", top3=mean(plain(top3)), no_pick=no_pick,
             coverage_percent=mean(plain(hits)), half_width_percent=quantile(plain(widths), 0.5), within20_percent=mean(plain(within20)))
    r["mean_low"], r["mean_high"] = interval(of_families(errors))
    r["coverage_low"], r["coverage_high"] = interval(of_families(hits))
    return r

def over_seeds(seeds):
    r = {"seeds": len(seeds)}
    for key in seeds[0]:
        known = [s[key] for s in seeds if s[key] is not None]
        if key in ("matrices", "families", "cases"): r[key] = max(known)
        elif key in ("refused", "near", "no_pick"): r[key] = int(statistics.mean(known) + 0.5)
        elif key == "worst_matrix":
            named = [s for s in seeds if s["pick_worst"] is not None]
            r[key] = min(named, key=lambda s: s["pick_worst"])[key] if named else ""
        else: r[key] = statistics.mean(known) if known else None
    errors = [s["mean_percent"] for s in seeds if s["mean_percent"] is not None]
    r["spread"] = statistics.stdev(errors) if len(errors) > 1 else None
    return r

def size_group(nnz):
    return "nnz<1e4" if nnz < 1e4 else "1e7<=nnz" if nnz >= 1e7 else next(f"1e{k}<=nnz<1e{k + 1}" for k in (4, 5, 6) if nnz < 10 ** (k + 1))

def time_group(best):
    return "best<5us" if best < 5 else "5us<=best<20us" if best < 20 else "20us<=best"

def expected(path, by, set_, filters):
    state, cases, forecasts = read(path)
    for i, c in enumerate(cases): c["id"], c["size"] = i, size_group(c["nnz"])
    for contest in contests(cases):
        for c in contest: c["time"] = time_group(min(x["measured"] - x["state"] for x in contest))
    series = collections.defaultdict(dict)
    for f in forecasts:
        if filters.get("model", f["model"]) == f["model"]: series[f["model"], f["training"], f["seed"]][f["case"]] = f
    cases = [c for c in cases if all(c[k] == v for k, v in filters.items() if k != "model")]
    found = {}
    for sealed, name in enumerate(("crossvalidated", "sealed")):
        if set_ not in (name, "all"): continue
        of_set = [c for c in cases if c["sealed"] == sealed]
        groups = ["all"] + (sorted({c[by] for c in of_set}) if by != "model" else [])
        for model, training in sorted({k[:2] for k in series}):
            for group in groups:
                for known in (False, True):
                    seeds = [figures(of_set, by, group, f, known, state) for k, f in sorted(series.items()) if k[:2] == (model, training)]
                    seeds = [s for s in seeds if s["cases"]]
                    if seeds: found[model, training, group, name, "known" if known else "unknown"] = over_seeds(seeds)
    return found

def same(a, b):
    if isinstance(a, (int, float)) and isinstance(b, (int, float)): return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)
    return a == b

# ---- table coverage
def covered(cases, forecast, risk, known, state):
    """The sides on which measured times miss their intervals, of all cases, those of least forecast and those recommended."""
    added = lambda c: c["state"] if known else state
    found = {"all": [], "least": [], "recommended": []}
    for contest in contests(cases):
        given = sorted((c for c in contest if c["id"] in forecast and forecast[c["id"]]["status"] != 2), key=lambda c: c["config"])
        if not given: continue
        time = lambda c: forecast[c["id"]]["time"]
        least = min(given, key=time)
        value = lambda c: time(c) * (1 if math.isnan(forecast[c["id"]]["high"]) else (forecast[c["id"]]["high"] / time(c)) ** risk)
        best, sure = min(given, key=value), [c for c in given if forecast[c["id"]]["status"] == 0]
        if forecast[best["id"]]["status"] != 0 and sure:  # it must surely beat the best one that is not extrapolated
            half = lambda c: math.log(forecast[c["id"]]["high"] / forecast[c["id"]]["low"]) / 2
            other = min(sure, key=value)
            width = 0.8 * math.hypot(half(best), half(other))
            if not math.log(time(other) / time(best)) > (0 if math.isnan(width) else width): best = other
        for kind, some in (("all", given), ("least", [least]), ("recommended", [best])):
            for c in some:
                f = forecast[c["id"]]
                if math.isnan(f["low"]) or time(c) > 2 * time(least): continue
                low, high = f["low"] + added(c), f["high"] + added(c)
                found[kind].append((c, (c["measured"] > high) - (c["measured"] < low), 100 * (math.sqrt(high / low) - 1)))
    return found

def coverage(path, by, set_, risk):
    table = json.loads(sys.stdin.readline())
    state, cases, forecasts = read(path)
    for i, c in enumerate(cases): c["id"] = i
    series = collections.defaultdict(dict)
    for f in forecasts: series[f["model"], f["training"], f["seed"]][f["case"]] = f
    found = {(r["model"], r["training"], r[by], r["set"], r["state"], r["of"]): r for r in table["rows"]}
    assert len(found) == len(table["rows"])
    n = 0
    for sealed, name in enumerate(("crossvalidated", "sealed")):
        of_set = [c for c in cases if c["sealed"] == sealed]
        for model, training in sorted({k[:2] for k in series}):
            for group in ["all"] + sorted({c[by] for c in of_set}):
                mine = [c for c in of_set if group in ("all", c[by])]
                for known in (False, True):
                    seeds = [covered(mine, f, float(risk), known, state) for k, f in sorted(series.items()) if k[:2] == (model, training)]
                    for of in seeds[0]:
                        figures = []
                        for seed in (s[of] for s in seeds if s[of]):
                            share = lambda side: weigh([(c, 100 * (v == side)) for c, v, _ in seed], "family")
                            low, high = interval(of_families(share(0)))
                            plain = lambda s: [(v, w) for _, v, w in s]
                            figures.append((mean(plain(share(0))), low, high, mean(plain(share(-1))), mean(plain(share(1))),
                                            quantile(plain(weigh([(c, v) for c, _, v in seed], "family")), 0.5)))
                        key = model, training, group, name, "known" if known else "unknown", of
                        assert (key in found) == bool(figures), key
                        if not figures: continue
                        n += 1
                        r = found[key]
                        for k, column in enumerate(("coverage_percent", "coverage_low", "coverage_high", "below_percent", "above_percent", "half_width_percent")):
                            values = [f[k] for f in figures]
                            assert same(r[column], None if None in values else statistics.mean(values)), (key, column, r[column], values)
                        assert r["seeds"] == len(figures) and r["matrices"] == max(len({c["source"] for c, _, _ in s[of]}) for s in seeds), r
    assert n == len(found) and set_ == "all", (n, len(found))
    print(n, "rows")

def compare(path, by, set_, *filters):
    table, rows = json.loads(sys.stdin.readline()), expected(path, by, set_, dict(f.split("=") for f in filters))
    column = "group" if by == "model" else by
    found = {(r["model"], r["training"], r[column], r["set"], r["state"]): r for r in table["rows"]}
    assert len(found) == len(table["rows"]) and set(found) == set(rows), set(found) ^ set(rows)
    for key, row in rows.items():
        for name, value in row.items():
            assert same(found[key][name], value), (key, name, found[key][name], value)
        assert len(found[key]) == len(row) + 5, set(found[key]) - set(row)
    assert rows
    print(len(rows), "rows")

def each(path, set_, *by):
    for b in by: compare(path, b, set_)

{"make": lambda seed: make(int(seed)), "compare": compare, "coverage": coverage, "each": each}[sys.argv[1]](*sys.argv[2:])
