# SPDX-License-Identifier: BSD-3-Clause
"""usage: python3 scripts/python-table.py [RECIPE...] > results/cpu/python.tsv

Times spmvcast.Matrix and scipy side by side on this machine's CPU, f64, without a profile: creation, first product, product and transposed
product, with OMP_NUM_THREADS=1 and 2 (THREADS: other numbers; scipy has one thread). Requires make, numpy, scipy and h5py. Each row is a
matrix and a number of threads; lines that begin with # state where and when. Times are in microseconds, each the least of ROUNDS (7) rounds,
in which ours and scipy's take turns, of as many products as take 5 ms; creation and the first product are those of new objects.
  create_us      spmvcast.Matrix(A) of a csr_matrix, which scipy multiplies as it is
  first_us       the first M @ x;  scipy_first_us: that of scipy
  product_us     M @ x
  transposed_us  M.T @ x, of the matrix that the first one made; transpose_us: that first one, less a product
  pays_after     products after which creation is paid off against scipy; -: never
"""
import datetime
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TREE = Path(__file__).resolve().parent.parent
RECIPES = """stencil:points=5,n=60 stencil:points=5,n=300 stencil:points=5,n=1000 stencil:points=7,n=25 stencil:points=7,n=70
stencil:points=27,n=30 stencil:points=27,n=45 fem:n=14,d=3 fem:n=24,d=3,order=shuffled banded:rows=30000,bandwidth=10 dense:rows=700
constant:rows=100000,p=16,place=random normal:rows=100000,p=32,sd=16 binomial:rows=300000,p=8 halves:rows=100000,p=4,q=40 markov:n=400
lp:rows=60000,cols=200000,p=15,long=1000,q=300 kkt:n=24 lattice:x=10,y=10,z=10,t=10,d=3 rmat:scale=16,p=16""".split()
COLUMNS = "matrix rows nnz threads config create_us first_us scipy_first_us product_us scipy_us gain transpose_us transposed_us scipy_transposed_us transposed_gain pays_after".split()


def seconds(run, count):
    begun = time.perf_counter()
    for _ in range(count):
        run()
    return (time.perf_counter() - begun) / count


def side_by_side(ours, theirs, rounds):
    """Returns the least time of each in s."""
    counts = [max(1, int(5e-3 / seconds(run, 3))) for run in (ours, theirs)]
    taken = [[seconds(run, n) for run, n in zip((ours, theirs), counts)] for _ in range(rounds)]
    return [min(t[i] for t in taken) for i in (0, 1)]


def measure(A, name, threads, rounds):
    import numpy
    import spmvcast

    x, y = numpy.linspace(1, 2, A.shape[1]), numpy.linspace(1, 2, A.shape[0])
    once = []
    for _ in range(rounds):
        begun = time.perf_counter()
        M = spmvcast.Matrix(A, device="cpu")
        created = time.perf_counter()
        ours = M @ x
        first = time.perf_counter()
        theirs = A @ x
        scipy_first = time.perf_counter()
        M.T @ y
        once.append((created - begun, first - created, scipy_first - first, time.perf_counter() - scipy_first))
    assert numpy.allclose(ours, theirs, rtol=1e-10, atol=1e-10 * abs(theirs).max()), name
    create, first, scipy_first, transpose = (min(column) for column in zip(*once))
    product, scipy = side_by_side(lambda: M @ x, lambda: A @ x, rounds)
    Mt, At = M.T, A.T
    transposed, scipy_transposed = side_by_side(lambda: Mt @ y, lambda: At @ y, rounds)
    times = [1e6 * t for t in (create, first, scipy_first, product, scipy)]
    times += [scipy / product, 1e6 * (transpose - transposed), 1e6 * transposed, 1e6 * scipy_transposed, scipy_transposed / transposed]
    pays = create / (scipy - product) if scipy > product else None
    row = [name, A.shape[0], A.nnz, threads, M.info.config, *(f"{t:.5g}" for t in times), "-" if pays is None else f"{pays:.3g}"]
    print(*row, sep="\t", flush=True)


def child(files, threads):
    import h5py
    import scipy.sparse

    for line in Path(files).read_text().splitlines():
        name, path = line.split("\t")
        with h5py.File(path) as f:
            shape = json.loads(f.attrs["binsparse"])["binsparse"]["shape"]
            arrays = f["values"][:], f["indices_1"][:].astype("i4"), f["pointers_to_1"][:].astype("i4")
        measure(scipy.sparse.csr_matrix(arrays, shape=shape), name, threads, int(os.environ.get("ROUNDS", "7")))


def main(recipes):
    import numpy
    import scipy

    load = Path("/proc/loadavg").read_text().split()[0]
    cpu = next((line.split(": ")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "unknown")
    commit = TREE / "build/git.by"  # what the library was built from
    print("# date", datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"))
    print("# commit", commit.read_text().strip() if commit.exists() else "unknown")
    print(f"# numpy {numpy.__version__}, scipy {scipy.__version__}")
    print(f"# CPU {cpu}, {os.cpu_count()} cores")
    print("# load average over a minute before:", load)
    print(*COLUMNS, sep="\t", flush=True)
    with tempfile.TemporaryDirectory() as work:
        files = Path(work, "files")
        for i, recipe in enumerate(recipes):
            subprocess.run([TREE / "bin/spmv-import", "-q", "-o", f"{work}/{i}.h5", recipe], check=True, stdout=subprocess.DEVNULL)
            with open(files, "a") as f:
                f.write(f"{recipe}\t{work}/{i}.h5\n")
        for threads in os.environ.get("THREADS", "1 2").split():
            env = dict(os.environ, OMP_NUM_THREADS=threads, PYTHONPATH=str(TREE / "bindings/python"), HOME=work, PYTHONDONTWRITEBYTECODE="1")
            subprocess.run([sys.executable, __file__, "--child", files, threads], check=True, env=env)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(sys.argv[2], int(sys.argv[3]))
    else:
        main(sys.argv[1:] or RECIPES)
