#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The Python package of bindings/python: its own tests (pytest), and its installation by pip.
bats_require_minimum_version 1.5.0
load helpers

setup_file() {
    load helpers
    usable || return 0
    # all at once, since the start takes longer than most tests; bats tests look for their part
    "$PYTHON" -m pytest -v -rs -p no:cacheprovider --basetemp "$BATS_FILE_TMPDIR/pytest" -m 'not gpu and not long' "$ROOT"/bindings/python/tests/test_*.py > "$BATS_FILE_TMPDIR/said" 2>&1 || :
}
setup() { usable || skip "$why"; }

# usable: prepares the environment of the package; if it cannot be tested, sets why.
usable() {
    why="no python3 with numpy, scipy, h5py, pandas and pytest"
    find_python_with numpy scipy h5py pandas pytest || return 1
    why="no shared library in this build"
    [ -e "$ROOT/lib/libspmvcast.so.1" ] || return 1
    why="python3 cannot load a library built with a sanitizer"
    ! grep -qE '__(asan|tsan)_init' "$ROOT/lib/libspmvcast.so.1" || return 1
    export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$ROOT/bindings/python" SHARED_MATRICES
    unset SPMVCAST_LIBRARY
}

# pytest_of FILE N: the N tests of FILE passed, and no other test of it did anything else.
pytest_of() {
    local n
    n=$(grep -cE "(^|/)$1\.py::.* PASSED" "$BATS_FILE_TMPDIR/said" || :)
    [ "$n" -eq "$2" ] && ! grep -E "(^|/)$1\.py::.* (FAILED|ERROR)" "$BATS_FILE_TMPDIR/said" || { cat "$BATS_FILE_TMPDIR/said"; false; }
}

@test "python: structures, enumerations and functions are those of include/spmvcast.h" { pytest_of test_structs 4; }
@test "python: matrices of scipy are taken, converted or refused" { pytest_of test_inputs 42; }
@test "python: rankings as sequences, tables, DataFrames and HTML; the advice" { pytest_of test_results 14; }
@test "python: exceptions, warnings, and how the library is found" { pytest_of test_errors 39; }
@test "python: products on the CPU, new values, devices, lifetimes" { pytest_of test_multiply 132; }
@test "python: vectors wider than the values; values changed in place" { pytest_of test_wider 27; }
@test "python: products on a stand-in for a GPU and CuPy; copies by a stand-in for the driver" { pytest_of test_gpu 22; }
@test "python: products of tensors of PyTorch on the CPU" {
    grep -q 'test_tensors.py.* PASSED' "$BATS_FILE_TMPDIR/said" || "$PYTHON" -c 'import torch' 2> /dev/null || skip "no PyTorch"
    pytest_of test_tensors 7
}
@test "python: spmvcast.read gives every table and column of archives of all kinds" { pytest_of test_archive 11; }
@test "python: arguments of the wrong kind; products x @ M" { pytest_of test_refused 21; }
@test "python: plans" { pytest_of test_plan 5; }
@test "python: lifetimes, forked processes" { pytest_of test_lifetime 9; }
# bats test_tags=long
@test "python: threads, memory" {
    run "$PYTHON" -m pytest -q -p no:cacheprovider --basetemp "$BATS_TEST_TMPDIR/pytest" -m long "$ROOT"/bindings/python/tests/test_*.py
    [[ "${lines[-1]}" == "3 passed, "* ]] || { echo "$output"; false; }
}

@test "python: rankings of real matrices equal those of spmv-predict, both precisions and cache states" {
    need_shared
    pytest_of test_equality 10
}

# bats test_tags=long
@test "python: pip installs the package from the tree; it finds the library by SPMVCAST_LIBRARY" {
    "$PYTHON" -c 'import setuptools, wheel, pip' 2> /dev/null || skip "no pip, setuptools and wheel"
    cd "$BATS_TEST_TMPDIR"
    cp -r "$ROOT/bindings/python" source
    "$PYTHON" -m pip install -q --no-index --no-build-isolation --no-deps --root-user-action ignore --target site ./source
    [ -e site/spmvcast/py.typed ]
    [ ! -e site/tests ]
    run -0 env PYTHONPATH="$PWD/site" SPMVCAST_LIBRARY="$ROOT/lib" "$PYTHON" -c '
import importlib.metadata, scipy.sparse, spmvcast
assert importlib.metadata.version("spmvcast") == spmvcast.__version__ == spmvcast.library_version()
print(spmvcast.__file__)
print(spmvcast.rank(scipy.sparse.eye(1000, format="csr")))'
    [[ "${lines[0]}" == "$PWD/site/spmvcast/__init__.py" && "${lines[1]}" =~ ^"f64, warm: "(use|stay with)" " ]]
    run -1 env PYTHONPATH="$PWD/site" "$PYTHON" -c 'import spmvcast; spmvcast.library_version()'
    [[ "$output" == *"libspmvcast.so.1 was not found; build it with"* ]]
}

# wheel_library: what the wheel holds, in ./spmvcast: its library and the H200's profile.
wheel_library() {
    [ -e "$ROOT/build/wheel/libspmvcast.so.1" ] || skip "no library of the wheel in this build"
    [ -e "$ROOT/results/h200/profile.pack" ] || skip "no packed profile of the H200"
    cd "$BATS_TEST_TMPDIR"
    mkdir -p spmvcast/{lib,share/spmvcast/profiles}
    cp "$ROOT/build/wheel/libspmvcast.so.1" spmvcast/lib
    for form in h5 pack; do ln -s "$ROOT/results/h200/profile.$form" spmvcast/share/spmvcast/profiles/h200.$form; done
}

# bats test_tags=id:wheel-library
@test "python: the library of the wheel needs neither HDF5 nor libcrypto, and answers as the other does" {
    wheel_library
    [[ "$(readelf -d spmvcast/lib/libspmvcast.so.1 | sed -n 's/.*NEEDED.*\[lib\([a-z]*\).*/\1/p' | sort | xargs)" =~ ^("c gomp m z"|"c m omp z")$ ]]
    [ "$(objdump -T spmvcast/lib/libspmvcast.so.1 | grep -oE 'GLIBC_2\.[0-9]+' | sort -Vu | tail -n 1 | sort -V - <(echo GLIBC_2.34) | tail -n 1)" = GLIBC_2.34 ]
    cat > ask.py <<'P'
import scipy.sparse, spmvcast
r = spmvcast.rank(scipy.sparse.diags([1.0, 2.0], [0, 3], shape=(5000, 5000), format="csr"), device="h200", precision="f32")
print(r, r.matrix.pattern_id, [(row.config, row.time_us, row.low_us, row.convert_us) for row in r])
try:
    spmvcast.Profile("none.h5")
except spmvcast.SpmvcastError as error:
    print(error)
P
    cp "$ROOT/results/h200/repeat.h5" none.h5
    "$PYTHON" ask.py > expected
    SPMVCAST_LIBRARY="$PWD/spmvcast/lib" "$PYTHON" ask.py > got
    diff <(head -n -1 got) <(head -n -1 expected)
    [[ "$(head -n 1 got)" == "f32, warm: "* ]]
    [ "$(tail -n 1 got)" = "cannot read none.h5: there is no HDF5 in this library, which reads profiles by their packed form alone (.pack)" ]
}

# bats test_tags=full
@test "python: the wheel is small, holds library, profile and license, and is used where it is installed; so is an editable tree" {
    "$PYTHON" -c 'import setuptools, wheel, pip' 2> /dev/null || skip "no pip, setuptools and wheel"
    wheel_library
    "$ROOT/scripts/wheel.sh" "$PYTHON" "$ROOT/build/wheel/libspmvcast.so.1" dist 2> said || { cat said; false; }
    [ "$(cat dist/*.whl | wc -c)" -le 25000000 ]
    "$PYTHON" -m pip install -q --no-index --no-deps --root-user-action ignore --target site dist/*.whl
    [ -n "$(find site/spmvcast-*.dist-info -name LICENSE)" ]
    ask='import scipy.sparse, spmvcast; print(spmvcast.library_path()); print(spmvcast.rank(scipy.sparse.eye(1000, format="csr")))'
    run -0 env PYTHONPATH="$PWD/site" "$PYTHON" -c "$ask"
    [[ "${lines[0]}" == "$PWD/site/spmvcast/lib/libspmvcast.so.1" && "${lines[1]}" == "f64, warm: "* ]]
    # the sdist holds the same
    [ "$(tar -tzf dist/*.tar.gz | grep -cE '/spmvcast/(lib/libspmvcast.so.1|share/spmvcast/profiles/h200.(h5|pack))$')" = 3 ]
    # an editable install, beside a folder of the same name
    mkdir -p tree/bindings beside/spmvcast
    cp -r "$ROOT/bindings/python" tree/bindings/
    ln -s "$ROOT"/{include,lib,results} tree/
    "$PYTHON" -m venv --system-site-packages --without-pip venv
    venv/bin/python -m pip install -q --no-index --no-deps --no-build-isolation --root-user-action ignore -e tree/bindings/python
    cd beside
    run -0 env PYTHONPATH= ../venv/bin/python -c "$ask"
    [[ "${lines[0]}" == "$BATS_TEST_TMPDIR/tree/lib/libspmvcast"*".so.1" ]] || { echo "$output"; false; }
}

@test "python: mypy finds nothing in the package" {
    "$PYTHON" -m mypy --version > /dev/null 2>&1 || skip "no mypy"
    cd "$ROOT/bindings/python"
    "$PYTHON" -m mypy --cache-dir "$ROOT/build/mypy" spmvcast       # what it knows of numpy's and scipy's files takes most of the time
}
