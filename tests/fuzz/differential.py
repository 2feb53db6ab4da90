# SPDX-License-Identifier: BSD-3-Clause
"""Compares spmv-info with scipy.io.mmread on mutated Matrix Market files, and with h5py on Binsparse files with mutated arrays.
    differential.py market|binsparse SPMV-INFO N SEED
Works in the current directory. Prints how many files both read alike, both refuse, and how many each rule explains; exits 1 if files
are left that only one reads, or that both read as different matrices, and leaves these."""
import collections, hashlib, json, os, random, re, subprocess, sys
import numpy as np
import scipy.io, scipy.sparse

def ids(a):
    """matrix_id and pattern_id of a CSR matrix (src/matrix/csr_matrix.h)"""
    a = scipy.sparse.csr_matrix(a)
    head = np.array([*a.shape, a.nnz], "<i8").tobytes() + a.indptr.astype("<i8").tobytes() + a.indices.astype("<i4").tobytes()
    return hashlib.sha256(b"CSR1" + head + a.data.astype("<f8").tobytes()).hexdigest(), hashlib.sha256(b"PAT1" + head).hexdigest()

def csr(rows, cols, i, j, v):
    """Columns sorted, duplicates summed in their order"""
    order = np.lexsort((j, i))        # stable
    i, j, v = i[order], j[order], v[order]
    first = np.ones(len(i), bool)
    first[1:] = (i[1:] != i[:-1]) | (j[1:] != j[:-1])
    at = np.flatnonzero(first)
    data = np.array([in_order(v[a:b]) for a, b in zip(at, [*at[1:], len(v)])], float)
    ptr = np.zeros(rows + 1, np.int64)
    np.add.at(ptr, i[at] + 1, 1)
    return scipy.sparse.csr_matrix((data, j[at], np.cumsum(ptr)), (rows, cols))

def in_order(v):
    total = float(v[0])
    with np.errstate(all="ignore"):
        for x in v[1:]:
            total += float(x)
    return total

# ---- Matrix Market

SEEDS = [
    "%%MatrixMarket matrix coordinate real general\n% a comment\n3 4 5\n1 1 1.5\n1 4 -2e-3\n2 2 3\n3 1 .5\n3 3 1e300\n",
    "%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 1\n2 1 2\n3 2 -0.0\n3 3 4.25\n",
    "%%MatrixMarket matrix coordinate pattern general\n4 4 4\n1 1\n2 4\n3 2\n4 4\n",
    "%%MatrixMarket matrix coordinate integer skew-symmetric\n3 3 2\n2 1 5\n3 1 -7\n",
    "%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 0.1\n1 1 0.2\n1 1 0.3\n2 1 7\n",
]
WORDS = ["0", "1", "2", "3", "4", "5", "-1", "1e3", "nan", "inf", "1.5D+03", "1e400", " ", "\t", "\n", "\r\n", "%", "% c\n", "\n\n", "x", ".", "+1", "1_0", "0x1",
         "real", "general", "symmetric", "pattern", "skew-symmetric", "2147483648", "99999999999999999999", "2 2 9\n", "1 1 1\n"]

def mutate(text, rng):
    for _ in range(rng.randint(1, 2)):
        kind, lines = rng.randrange(5), text.split("\n")
        at = rng.randrange(len(lines[0]) if rng.random() < 0.8 else 0, len(text) + 1)
        if kind == 0:
            text = text[:at] + rng.choice(WORDS) + text[at:]
        elif kind == 1:
            text = text[:at] + text[at + rng.randint(1, 3):]
        elif kind == 2:
            found = [m for m in re.finditer(r"[^\s]+", text)]
            m = rng.choice(found) if found else re.match("", text)
            text = text[:m.start()] + rng.choice(WORDS).strip("\n") + text[m.end():]
        elif kind == 3 and len(lines) > 3:
            k = rng.randrange(1, len(lines) - 1)
            lines.insert(rng.randrange(1, len(lines)), lines[k])
            text = "\n".join(lines)
        else:
            k = rng.randrange(len(lines))
            del lines[k]
            text = "\n".join(lines)
    lines = text.split("\n")
    size = next((k for k, line in enumerate(lines) if line.strip() and not line.startswith("%")), None)
    if size is not None and len(lines[size].split()) == 3 and rng.random() < 0.7:     # as many entries as it says
        count = sum(1 for line in lines[size + 1:] if line.strip() and not line.startswith("%"))
        text = "\n".join([*lines[:size], " ".join([*lines[size].split()[:2], str(count)]), *lines[size + 1:]])
    return text

def by_scipy(path, text):
    """(matrix_id, pattern_id), or None if it refuses"""
    try:
        with np.errstate(all="ignore"):
            a = scipy.io.mmread(path)
    except Exception:
        return None
    if not scipy.sparse.issparse(a) or np.iscomplexobj(a.data) or max(a.shape) >= 2 ** 31:
        return None
    return ids(csr(*a.shape, a.row.astype(np.int64), a.col.astype(np.int64), a.data.astype(float)))

def entries(text):
    """The words of the lines of entries, after the size line"""
    lines = [l.split() for l in text.split("\n")[1:] if l.strip() and not l.lstrip().startswith("%")]
    return lines[:1], lines[1:]

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$|[+-]?(nan|inf|infinity)$", re.I)
BANNER = re.compile(r"%%matrixmarket\s+matrix\s+coordinate\s+(real|double|integer|pattern)\s+(general|symmetric|skew-symmetric)\s", re.I)
# What explains a difference: a name, and whether it is so for a file (text; size and entry lines; ours, theirs).
RULES = [
    ("scipy does not check all words of the banner", lambda t, s, e, us, them: them and not us and not BANNER.match(t)),
    ("we read Fortran exponents", lambda t, s, e, us, them: us and not them and re.search(r"\d[dDqQ][+-]?\d", t)),
    ("we require integers without sign, _ and letters where scipy calls int()", lambda t, s, e, us, them: them and not us and any(not w.isdecimal() for l in s + e for w in l[:3 if l in s else 2])),
    ("we require numbers without _", lambda t, s, e, us, them: them and not us and any(not NUMBER.match(w) for l in e for w in l[2:3])),
    ("we refuse more words in a line than the format has", lambda t, s, e, us, them: them and not us and any(len(l) > 3 or ("pattern" in t.split("\n")[0].lower() and len(l) > 2) for l in s + e)),
    ("scipy takes a file without entries for one without a line", lambda t, s, e, us, them: s and s[0][2:3] in (["0"], ["00"])),
    ("scipy does not read blanks before %", lambda t, s, e, us, them: us and not them and re.search(r"\n[ \t\r]+%", t)),
    ("scipy requires a size line right after the comments", lambda t, s, e, us, them: us and not them and re.match(r"[^\n]*\n(%[^\n]*\n)*[ \t\r]*\n", t)),
    ("scipy reads the size line of a matrix of no rows or columns otherwise", lambda t, s, e, us, them: s and "0" in s[0][:2]),
    ("we refuse what is symmetric and not square", lambda t, s, e, us, them: them and not us and s and s[0][0] != s[0][1] and "symmetric" in t.split("\n")[0].lower()),
    ("we read integers that are written as reals", lambda t, s, e, us, them: us and not them and "integer" in t.split("\n")[0].lower()),
    ("scipy requires the banner in the first column", lambda t, s, e, us, them: us and not them and t[:1].isspace()),
    ("we refuse the diagonal of a skew-symmetric matrix", lambda t, s, e, us, them: them and not us and "skew" in t.split("\n")[0].lower() and any(l[0] == l[1] for l in e if len(l) > 1)),
    ("the negative of an integer 0 is -0 for us", lambda t, s, e, us, them: us and them and us[1] == them[1] and re.match(r".*integer\s+skew", t, re.I) and any(l[2] == "0" for l in e)),
    ("we refuse fewer words in a line of a pattern", lambda t, s, e, us, them: them and not us and any(len(l) < 2 for l in e)),
    ("scipy reads the first five words of the banner, we all", lambda t, s, e, us, them: len(t.split("\n")[0].split()) != 5),
    ("bare carriage returns end lines for us", lambda t, s, e, us, them: re.search(r"\r(?!\n)", t)),
    ("scipy keeps indices below 1 or too large", lambda t, s, e, us, them: them and not us and any(w in ("0", "-1") or len(w) > 9 for l in e for w in l[:2])),
]

def market(n, rng):
    paths = []
    for k in range(n):
        path = "m%06d.mtx" % k
        with open(path, "w", newline="") as f:
            f.write(mutate(rng.choice(SEEDS), rng))
        paths.append(path)
    return paths

def explain_market(path, us, them):
    text = open(path, newline="").read()
    size, rest = entries(text)
    pattern = "pattern" in text.split("\n")[0].lower()
    if us and them and (us == them or (pattern and us[1] == them[1])):
        return "same"
    return next((name for name, holds in RULES if holds(text, size, rest, us, them)), None)

# ---- Binsparse

def binsparse(n, rng):
    import h5py
    paths = []
    for k in range(n):
        path, rows, cols = "b%06d.h5" % k, rng.randint(1, 9), rng.randint(1, 9)
        form = rng.choice(["CSR", "CSC", "COO", "COOR"])
        a = scipy.sparse.random(rows, cols, rng.choice([0.1, 0.4]), random_state=rng.randrange(1 << 30))
        major = rows if form != "CSC" else cols
        sets = {"values": a.data}
        if form in ("CSR", "CSC"):
            b = a.tocsr() if form == "CSR" else a.tocsc()
            sets = {"pointers_to_1": b.indptr, "indices_1": b.indices, "values": b.data}
        else:
            sets.update(indices_0=a.row, indices_1=a.col)
        sets = {name: np.array(v, "f8" if name == "values" else rng.choice(["i4", "i8", "u4"])) for name, v in sets.items()}
        for _ in range(rng.randint(0, 2)):
            v = sets[rng.choice(sorted(sets))]
            if len(v):
                v[rng.randrange(len(v))] = rng.choice([0, 1, 2, 3, 5, 8, 9, 100, 2 ** 31 - 1])
        nnz = len(a.data) + (rng.random() < 0.05)
        about = {"version": "0.1", "format": form, "shape": [rows, cols], "number_of_stored_values": nnz,
                 "data_types": {name: {"f": "float", "i": "int", "u": "uint"}[v.dtype.kind] + str(8 * v.dtype.itemsize) for name, v in sets.items()}}
        with h5py.File(path, "w") as f:
            f.attrs["binsparse"] = json.dumps({"binsparse": about})
            for name, v in sets.items():
                f[name] = v
        paths.append(path)
    return paths

def by_h5py(path, unused):
    """Reads as the specification says; None if an index or a pointer is impossible"""
    import h5py
    with h5py.File(path) as f:
        about = json.loads(f.attrs["binsparse"])["binsparse"]
        get = lambda name: f[name][()].astype(np.int64)
        (rows, cols), values = about["shape"], f["values"][()]
        if about["number_of_stored_values"] != len(values):
            return None
        if about["format"] in ("CSR", "CSC"):
            ptr, minor = get("pointers_to_1"), get("indices_1")
            if ptr[0] != 0 or ptr[-1] != len(values) or (np.diff(ptr) < 0).any():
                return None
            major = np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))
        else:
            major, minor = get("indices_0"), get("indices_1")
        i, j = (minor, major) if about["format"] == "CSC" else (major, minor)
        if ((i < 0) | (i >= rows) | (j < 0) | (j >= cols)).any():
            return None
    return ids(csr(rows, cols, i, j, values))

# ---- both

def by_us(info, paths):
    found = {}
    run = subprocess.run([info, *paths], capture_output=True, text=True)
    assert run.returncode in (0, 1, 3), run.stderr
    for block in run.stdout.split("\n\n"):
        facts = dict(line.split("\t", 1) for line in block.split("\n") if "\t" in line)
        if "matrix_id" in facts:
            found[facts["source"]] = facts["matrix_id"], facts["pattern_id"]
    return found

kind, info, n, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
make, theirs = (market, by_scipy) if kind == "market" else (binsparse, by_h5py)
paths = make(n, random.Random(seed))
ours = by_us(info, paths)
counts, left = collections.Counter(), []
for path in paths:
    us, them = ours.get(path), theirs(path, None)
    why = "both refuse" if not us and not them else explain_market(path, us, them) if kind == "market" else "same" if us == them else None
    counts[why or "left"] += 1
    if why is None:
        left.append("%s: %s" % (path, "only we read it" if not them else "only the other reads it" if not us else "different matrices"))
    else:
        os.remove(path)
for why, count in counts.most_common():
    print("%d\t%s" % (count, why))
for line in left[:20]:
    print("# " + line)
sys.exit(bool(left))
