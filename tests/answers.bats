#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# One rule, one answer: spmv-predict, spmv-plan, spmv-report, the C library and the Python package recommend the same (tests/answers.py). Plans
# of streams do not exist.
bats_require_minimum_version 1.5.0
load helpers

setup() {
    find_python_with numpy scipy h5py || skip "no python3 with numpy, scipy and h5py"
    ! grep -qE '__(asan|tsan)_init' "$ROOT/lib/libspmvcast.so.1" || skip "python3 cannot load a library built with a sanitizer"
    cd "$BATS_TEST_TMPDIR" || return
    export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$ROOT/bindings/python"
}
answers() { "$PYTHON" "$ROOT/tests/answers.py" "$ROOT" "$@"; } # PROFILE every|turns MATRIX...

# bats test_tags=id:answers
@test "answers: all interfaces recommend the same for 1, 10, 200, 10^4 and unlimited products, both precisions and cache states" {
    run -0 answers "$BUILD/syn/gp.h5" every stencil:points=5,n=60 rmat:scale=12,p=8
    [[ "${lines[0]}" == "40 answers of spmv-predict: 40 of C, 40 of Python, 10 of plan, 10 of report; 0 differ" ]]
}

# bats test_tags=long
@test "answers: all interfaces recommend the same for real matrices" {
    need_shared
    # every eighth; ANSWERS=1: all, which takes minutes
    mapfile -t matrices < <(printf '%s\n' "$SHARED_MATRICES"/*.mtx.xz | awk -v every="${ANSWERS:-8}" 'NR % every == 0')
    run -0 answers "$ROOT/results/h200/profile.h5" turns "${matrices[@]}"
    [[ "${lines[0]}" == *" answers of spmv-predict: "*"; 0 differ" ]]
}
