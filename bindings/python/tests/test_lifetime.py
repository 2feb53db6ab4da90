# SPDX-License-Identifier: BSD-3-Clause
"""Objects live as long as they are needed and no longer; threads and forked processes."""
import gc
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import weakref

import numpy as np
import pytest
import scipy.sparse as sp
import spmvcast
from spmvcast import _library


def count_frees(monkeypatch):
    """Counts the objects that are made and freed, by kind."""
    call, counts = _library.load().call, {}
    for made, freed in [("context_create", "context_free"), ("profile_open", "profile_free"),
                        ("pattern_describe", "pattern_free"), ("rank", "ranking_free")]:
        kind = freed[: -len("_free")]
        counts[kind] = 0

        def make(*arguments, _function=getattr(call, made), _kind=kind):
            status = _function(*arguments)
            counts[_kind] += status == 0
            return status

        def free(pointer, _function=getattr(call, freed), _kind=kind):
            counts[_kind] -= 1
            return _function(pointer)

        monkeypatch.setattr(call, made, make)
        monkeypatch.setattr(call, freed, free)
    return counts


def test_everything_is_freed(A, monkeypatch):
    counts = count_frees(monkeypatch)
    profile = spmvcast.Profile("h200")
    ranking = profile.rank(A)
    assert counts == {"context": 0, "profile": 1, "pattern": 0, "ranking": 0}
    dead = weakref.ref(profile)
    del profile
    gc.collect()
    assert dead() is None and counts["profile"] == 0
    assert ranking.advice.config in repr(ranking) and ranking.table()["config"][0] == ranking[0].config


def test_everything_is_freed_after_errors(A, monkeypatch):
    counts = count_frees(monkeypatch)
    profile = spmvcast.Profile("h200")
    for arguments in (dict(model="x"), dict(memory_limit=1000), dict(memory_limit=300000), dict(configs="x")):
        with pytest.raises(spmvcast.SpmvcastError):
            profile.rank(A, **arguments)
    with pytest.raises(spmvcast.SpmvcastError):
        spmvcast.Profile("h9000")
    B = A.copy()
    B.indices = B.indices - 1
    with pytest.raises(spmvcast.InvalidMatrixError):
        profile.rank(B)
    assert counts == {"context": 0, "profile": 1, "pattern": 0, "ranking": 0}


def test_a_ranking_does_not_keep_the_matrix(A):
    B = sp.csr_matrix(A)
    ranking, dead = spmvcast.rank(B), weakref.ref(B)
    del B
    gc.collect()
    assert dead() is None and len(ranking) > 0


@pytest.mark.long
def test_memory_does_not_grow(A):
    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    for _ in range(10):
        spmvcast.rank(A)
    before = resident()
    for _ in range(40):
        spmvcast.rank(A)
    assert resident() - before < 10e6


def test_a_profile_is_opened_once(A, monkeypatch):
    spmvcast.rank(A)
    counts = count_frees(monkeypatch)
    spmvcast.rank(A, "h200")
    assert counts["profile"] == 0
    kept = spmvcast.Profile("h200")
    assert counts["profile"] == 1 and kept.name == "h200"


def test_a_changed_file_is_opened_again(A, root, tmp_path):
    import shutil

    path = tmp_path / "mine.h5"
    shutil.copy(root / "results/h200/profile.h5", path)
    assert spmvcast.rank(A, device=path).profile == "mine"
    path.write_bytes(b"damaged")
    with pytest.raises(spmvcast.SpmvcastError):
        spmvcast.rank(A, device=path)


def matrices():
    return [sp.random(300 + 50 * i, 400, 0.02, format="csr", random_state=np.random.RandomState(i)) for i in range(8)]


@pytest.mark.long
def test_threads_share_a_profile():
    profile, all_of_them = spmvcast.Profile("h200"), matrices()
    expected = [repr(profile.rank(B)) for B in all_of_them]
    got, wrong = {}, []

    def work(first):
        try:
            for i in range(first, 16, 4):
                got[i] = repr(profile.rank(all_of_them[i % 8]))
                if i < 8:
                    assert spmvcast.Profile("h200").name == "h200"
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and [got[i] for i in range(16)] == expected * 2


@pytest.mark.long
def test_h5py_reads_while_profiles_are_opened(root):
    h5py = pytest.importorskip("h5py")
    stop, wrong, n = threading.Event(), [], 0

    def read():
        nonlocal n
        try:
            while not stop.is_set():
                with h5py.File(root / "results/h200/matrices2.h5") as file:
                    n += len(file["rows"]["time_us"][:])
        except BaseException as error:
            wrong.append(error)

    reader = threading.Thread(target=read)
    reader.start()
    for _ in range(5):
        spmvcast.Profile("h200")
    stop.set()
    reader.join()
    assert not wrong and n > 0


def child(B, to):
    to.put(repr(spmvcast.rank(B)))


@pytest.mark.skipif(sys.platform != "linux", reason="forked processes are tried on Linux")
@pytest.mark.parametrize("how", ["fork", "spawn"])
def test_child_processes(how):
    B = sp.diags([np.ones(200000)] * 5, [0, 1, 2, -1, -2], shape=(200000, 200000)).tocsr()
    expected = repr(spmvcast.rank(B))  # has started the threads of OpenMP
    context = multiprocessing.get_context(how)
    to = context.Queue()
    process = context.Process(target=child, args=(B, to))
    process.start()
    try:
        assert to.get(timeout=60) == expected
    finally:
        process.join(10)
        process.kill()
    assert process.exitcode == 0


def test_a_profile_is_pickled_as_its_path(A):
    profile = spmvcast.Profile("h200")
    other = pickle.loads(pickle.dumps(profile))
    assert other.path == profile.path and repr(other.rank(A)) == repr(profile.rank(A))


def product_in_child(M, expected):
    """Returns the exit status of a forked process that multiplies; it is killed after ten seconds."""
    pid = os.fork()
    if pid == 0:
        signal.alarm(10)
        os._exit(0 if np.array_equal(M @ np.ones(200), expected) and M.info.config else 1)
    return os.waitpid(pid, 0)[1]


def test_a_process_that_is_forked_while_another_thread_multiplies(A, monkeypatch):
    M, inside, forked = spmvcast.Matrix(A, device="cpu"), threading.Event(), threading.Event()
    expected, multiply = M @ np.ones(200), _library.load().call.multiply

    def slow(*arguments):
        inside.set()
        forked.wait(60)
        return multiply(*arguments)

    monkeypatch.setattr(_library.load().call, "multiply", slow)
    other = threading.Thread(target=lambda: M @ np.ones(200))
    other.start()
    assert inside.wait(60)
    monkeypatch.undo()
    status = product_in_child(M, expected)
    forked.set()
    other.join()
    assert status == 0 and np.array_equal(M @ np.ones(200), expected)
    dead = weakref.ref(M)
    del M, other
    gc.collect()
    assert dead() is None
