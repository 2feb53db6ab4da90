#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The Python package on a GPU: products with vectors of CuPy, PyTorch and numpy (bindings/python/tests/test_gpu.py).
bats_require_minimum_version 1.5.0
load helpers

setup() {
    need_gpu
    find_python_with numpy scipy pytest || skip "no python3 with numpy, scipy and pytest"
    [ -e "$ROOT/lib/libspmvcast_cuda.so.1" ] || skip "no library with GPUs in this build (no nvcc)"
    export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$ROOT/bindings/python"
    unset SPMVCAST_LIBRARY
}

# with PACKAGE N: at least N tests with vectors of the package passed, and none failed.
with() {
    run "$PYTHON" -m pytest -v -rs -p no:cacheprovider --basetemp "$BATS_TEST_TMPDIR/pytest" -m gpu -k "$1" "$ROOT/bindings/python/tests/test_gpu.py"
    [ "$status" -eq 0 ] && [ "$(grep -c ' PASSED' <<< "$output")" -ge "$2" ] || { echo "$output"; return 1; }
}

# can_import PACKAGE...: one of the packages can be imported.
can_import() {
    local package
    for package; do "$PYTHON" -c "import $package" 2> /dev/null && return; done
    return 1
}

@test "python: CuPy or PyTorch is there to multiply with" { can_import cupy torch || skip "neither CuPy nor PyTorch can be imported"; }
@test "python: vectors and matrices of CuPy are multiplied in place, on the current stream" {
    can_import cupy || skip "no CuPy"
    with cupy 15
}
@test "python: tensors of PyTorch are multiplied in place, on the current stream" {
    can_import torch || skip "no PyTorch"
    with torch 8
}
@test "python: vectors of numpy are copied to the GPU and back, without CuPy and PyTorch" { with numpy 5; }
