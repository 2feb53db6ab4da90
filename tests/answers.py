# SPDX-License-Identifier: BSD-3-Clause
"""One rule, one answer: compares what spmv-predict, spmv-plan, spmv-report, the C library (tests/c/library_answers.c) and the Python package
recommend for matrices, both precisions and cache states, and numbers of products (spmv-plan and spmv-report have no stream launches).
    answers.py TREE PROFILE every MATRIX...  all numbers of products; spmv-plan and spmv-report, which make one answer at a time, for a target
                                             each, all targets within four matrices
    answers.py TREE PROFILE turns MATRIX...  200 products and, of matrices below 10^6 nonzeros, another number in turn; spmv-plan and spmv-report
                                             for one target of every fourth matrix"""
import collections, concurrent.futures, json, math, os, re, subprocess, sys
import h5py, numpy, scipy.sparse

COUNTS, TARGETS = (1, 10, 10000, 0), [(p, c) for p in ("f32", "f64") for c in ("warm", "cold")]
tree, profile, mode, *matrices = sys.argv[1:]
sys.path.insert(0, tree + "/tests")
import report


def run(program, *arguments):
    return subprocess.run([f"{tree}/{program}", *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout


def convert(k):
    """Writes the matrix for all interfaces: as Binsparse, and as plain arrays. A pattern stays one where there are no values."""
    run("bin/spmv-import", "-q", "-o", f"{k}.h5", matrices[k])
    with h5py.File(f"{k}.h5") as f:
        about = json.loads(f.attrs["binsparse"])
        rows, cols = about["binsparse"]["shape"]
        ptr, col = f["pointers_to_1"][:].astype("i8"), f["indices_1"][:].astype("i4")
        val = f["values"][:0 if about["spmvcast"]["field"] == "pattern" else None].astype("f8")
    with open(f"{k}.csr", "wb") as f:
        for a in numpy.array([rows, cols, len(col), len(val)], "i8"), ptr, col, val:
            a.tofile(f)
    return scipy.sparse.csr_matrix((val if len(val) == len(col) else numpy.ones(len(col), complex), col, ptr), (rows, cols))  # complex: no values


def counts_of(k):
    return (200, *COUNTS) if mode == "every" else (200, COUNTS[k % len(COUNTS)]) if patterns[k].nnz < 1e6 else (200,)


def planned(k):
    """The targets and numbers of products for which spmv-plan and spmv-report are asked."""
    if mode == "every":
        return [(n, *TARGETS[(i + k) % len(TARGETS)]) for i, n in enumerate(counts_of(k))]
    return [(counts_of(k)[-1 - k // 16 % 2 % len(counts_of(k))], *TARGETS[k // 4 % len(TARGETS)])] if k % 4 == 0 else []


def by_predict(n):
    of = [k for k in range(len(matrices)) if n in counts_of(k)]
    option = [] if n == 200 else ["--iterations", str(n)]  # the default
    out = json.loads(run("bin/spmv-predict", "-q", "--json", "--profile", profile, *option, "-p", "f32,f64", "--cache", "warm,cold", *(f"{k}.h5" for k in of)))
    assert len(out["recommendations"]) == 4 * len(of)
    return [((k, n, r["precision"], r["cache"]), (r["config"], r["total_us"], r["time_us"])) for k, r in
            zip((k for k in of for _ in TARGETS), out["recommendations"])]


def by_plan(k, n, precision, cache):
    option = [] if n == 200 else ["--iterations", str(n)]
    out = json.loads(run("bin/spmv-plan", "-q", "--json", "--profile", profile, *option, "-p", precision, "--cache", cache, f"{k}.h5"))
    used = [r for r in out["rows"] if r["recommended"] == "yes"]
    blocks = [r for r in out["rows"] if r["part"] == "block"]
    whole = [r for r in used if r["part"] == "single"]
    assert len(whole) == 1 or len(blocks) > 1, used
    return whole and (whole[0]["config"], whole[0]["total_us"], whole[0]["time_us"]), [(r["rows"], r["config"]) for r in blocks]


def by_report(k, n, precision, cache):
    option = [] if n == 200 else ["--iterations", str(n)]
    page = f"{k}.{n}.{precision}.{cache}.html"
    run("bin/spmv-report", "-q", "--profile", profile, *option, "-p", precision, "--cache", cache, "--matrix", f"{k}.h5", "-o", page)
    text = " ".join(report.read(page).text["answer"].split())
    return re.search(r"use format \S+: (\S+)\. ", text)[1]


def by_c(counts):
    """One process for all matrices with these numbers of products."""
    of = [k for k in range(len(matrices)) if counts_of(k) == counts]
    out = run("build/tests/library_answers", profile, ",".join(map(str, counts)), *(f"{k}.csr" + ("+plan" if planned(k) else "") for k in of)) if of else ""
    for line in out.splitlines():
        file, n, precision, cache, config, total, time, blocks = line.split("\t")
        blocks = [b.split(":", 1) for b in blocks.split(";")[:-1]]
        yield (int(file[:-4]), int(n), precision, cache), (config, float(total) * 1e6, float(time) * 1e6), [(int(r), c) for r, c in blocks]


def by_python(k, A):
    import spmvcast
    for n in counts_of(k):
        option = {} if n == 200 else dict(products=n)
        for precision, cache in TARGETS:
            advice = spmvcast.rank(A, profile, precision=precision, cache=cache, **option).advice
            made = spmvcast.Plan.make(A, profile, precision=precision, cache=cache, **option) if (n, precision, cache) in planned(k) else None
            yield (k, n, precision, cache), (advice.config, advice.total_us, advice.time_us), made and [(b.rows, b.config) for b in made.blocks]


def same(a, b):
    number = lambda x: math.nan if x is None else x
    return a[0] == b[0] and all(math.isclose(number(x), number(y), rel_tol=1e-12) or math.isnan(number(x)) and math.isnan(number(y)) for x, y in zip(a[1:], b[1:]))


wrong, told = [], collections.Counter()
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    patterns = list(pool.map(convert, range(len(matrices))))
    predicts = [pool.submit(by_predict, n) for n in (200, *COUNTS)]
    cs = [pool.submit(lambda c=c: list(by_c(c))) for c in sorted(set(map(counts_of, range(len(matrices)))))]
    asked = [(k, *target) for k in range(len(matrices)) for target in planned(k)]
    plans, reports = [pool.submit(by_plan, *a) for a in asked], [pool.submit(by_report, *a) for a in asked]
    answers = dict(a for p in predicts for a in p.result())
    library = {}

    def compare(who, key, answer):
        told[who] += 1
        if not same(answer, answers[key]):
            wrong.append(f"{matrices[key[0]]}, {key[1:]}: {who} {answer}, spmv-predict {answers[key]}")

    def compare_blocks(who, key, blocks):
        if key not in library or blocks != library[key]:
            wrong.append(f"{matrices[key[0]]}, {key[1:]}: {who} has blocks {blocks}, the C library {library.get(key)}")

    for key, answer, blocks in (a for c in cs for a in c.result()):
        compare("C", key, answer)
        library[key] = blocks
    for k, A in enumerate(patterns):
        for key, answer, blocks in by_python(k, A):
            compare("Python", key, answer)
            if blocks is not None:
                compare_blocks("Python", key, blocks)
    for key, plan, page in zip(asked, plans, reports):
        whole, blocks = plan.result()
        if whole:
            compare("plan", key, whole)
        else:
            told["plan (split)"] += 1
        compare_blocks("spmv-plan", key, blocks)
        told["report"] += 1
        if page.result() != answers[key][0]:
            wrong.append(f"{matrices[key[0]]}, {key[1:]}: report {page.result()}, spmv-predict {answers[key]}")
assert set(library) == set(answers)
print(f"{len(answers)} answers of spmv-predict:", ", ".join(f"{n} of {who}" for who, n in sorted(told.items())) + f"; {len(wrong)} differ")
print("\n".join(wrong[:20]))
sys.exit(bool(wrong))
