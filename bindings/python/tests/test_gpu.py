# SPDX-License-Identifier: BSD-3-Clause
"""Products on a GPU with vectors of CuPy, PyTorch and numpy; and with a stand-in for a GPU and CuPy, on any machine."""
import ctypes
import gc
import shutil
import subprocess
import sys
import weakref
from functools import lru_cache
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
import spmvcast
import stand_in
from spmvcast import _cuda

GPU = [pytest.param(package, marks=pytest.mark.gpu) for package in ("cupy", "torch", "numpy")]


class Package:
    """Arrays of a package: made from numpy, and back."""

    def __init__(self, name, monkeypatch):
        self.name, self.streams = name, None
        if name == "stand-in with numpy":
            stand_in.install(monkeypatch)
        if name == "stand-in":
            self.streams = stand_in.install(monkeypatch)
            self.module, self.kind, self.sparse = sys.modules["cupy"], stand_in.Array, stand_in.Sparse
        elif name.endswith("numpy"):
            self.module, self.kind = np, np.ndarray
        else:
            self.module = pytest.importorskip(name)
            self.kind = self.module.ndarray if name == "cupy" else self.module.Tensor
            if name == "cupy":
                self.sparse = pytest.importorskip("cupyx.scipy.sparse").csr_matrix

    def to(self, x):
        if self.name == "torch":
            return self.module.from_numpy(np.ascontiguousarray(x)).cuda()
        return x if self.module is np else self.module.asarray(x)

    def back(self, y):
        assert isinstance(y, self.kind)
        return y.cpu().numpy() if self.name == "torch" else y if self.module is np else y.get()


@lru_cache(maxsize=None)
def has_gpu():
    return shutil.which("nvidia-smi") is not None and subprocess.run(["nvidia-smi", "-L"], capture_output=True).returncode == 0


@pytest.fixture
def package(request, monkeypatch):
    if not request.param.startswith("stand-in") and not has_gpu():
        pytest.skip("no GPU")
    return Package(request.param, monkeypatch)


def all_of(*names):
    """The test runs with these packages."""
    params = [p for p in ["stand-in", "stand-in with numpy", *GPU] if (p if isinstance(p, str) else p.values[0]) in names]
    return pytest.mark.parametrize("package", params, indirect=True)


every = all_of("stand-in", "stand-in with numpy", "cupy", "torch", "numpy")
on_gpu = all_of("stand-in", "cupy", "torch")
with_cupy = all_of("stand-in", "cupy")


def vector(n, dtype="float64", seed=2):
    return np.random.RandomState(seed).rand(n).astype(dtype)


def close(got, expected):
    assert got.shape == expected.shape and got.dtype == expected.dtype
    assert np.abs(got - expected).max(initial=0) <= 50 * np.finfo(expected.dtype).eps * np.abs(expected).max(initial=0)


@every
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_products_equal_those_of_scipy(A, package, dtype):
    B = A.astype(dtype)
    M, x = spmvcast.Matrix(B, device="gpu"), vector(200, dtype)
    assert M.device.kind == "gpu" and M.device is spmvcast.Device("gpu")
    close(package.back(M @ package.to(x)), B @ x)
    out, expected = package.to(vector(200, dtype, 3)), np.asarray(2.5 * (B @ x) - 0.5 * vector(200, dtype, 3), dtype)
    assert M.product(package.to(x), out, alpha=2.5, beta=-0.5) is out
    close(package.back(out), expected)
    M.close()


@every
def test_columns_and_strides(A, package):
    X = np.random.RandomState(4).rand(200, 3)
    M = spmvcast.Matrix(A, device="gpu")
    close(package.back(M @ package.to(X)), A @ X)
    x = package.to(np.repeat(X[:, 0], 2))[::2]
    close(package.back(M @ x), A @ X[:, 0])
    with pytest.raises(ValueError, match="columns of out are not contiguous"):
        M.product(package.to(X), package.to(X.copy()))


@every
def test_shapes(package):
    for shape in ((0, 5), (5, 0), (3, 400), (400, 3)):
        B = sp.random(*shape, 0.3, format="csr", random_state=np.random.RandomState(1))
        close(package.back(spmvcast.Matrix(B, device="gpu") @ package.to(vector(shape[1]))), B @ vector(shape[1]))


@every
def test_the_default_device_is_the_gpu(A, package):
    assert spmvcast.Matrix(A).device.kind == "gpu"


@with_cupy
@pytest.mark.parametrize("form", ["csr", "csc", "unsorted", "duplicates"])
def test_matrices_of_cupy(A, package, form):
    x, note = vector(200), {"csr": None, "csc": "converted from csc to csr"}.get(form, "columns sorted in each row")
    B = package.sparse(A)
    if form == "csc":
        B = stand_in.Sparse(A.tocsc()) if package.name == "stand-in" else B.tocsc()
    elif form == "unsorted":
        C = A.copy()
        for i in range(200):
            row = slice(A.indptr[i], A.indptr[i + 1])
            C.indices[row], C.data[row] = A.indices[row][::-1].copy(), A.data[row][::-1].copy()
        C.has_sorted_indices = True
        B = package.sparse(C)
    elif form == "duplicates":
        C = sp.csr_matrix((np.repeat(A.data, 2) / 2, np.repeat(A.indices, 2), A.indptr * 2), shape=A.shape)
        B, note = package.sparse(C), f"{A.nnz} duplicate entries summed"
    M = spmvcast.Matrix(B)
    assert M.device.kind == "gpu" and M.info.notes == (() if note is None else (note,)) and M.nnz == A.nnz
    close(package.back(M @ package.to(x)), A @ x)
    with pytest.raises(TypeError, match="pass A.get"):
        spmvcast.Matrix(B, device="cpu")


def test_matrices_of_cupy_with_wide_indices(A, monkeypatch):
    package = Package("stand-in", monkeypatch)
    B = package.sparse(A)
    B.indices, B.indptr = B.indices.astype(np.int64), B.indptr.astype(np.int64)
    M = spmvcast.Matrix(B)
    assert M.info.notes == ("column indices converted from int64 to int32",)
    close(package.back(M @ package.to(vector(200))), A @ vector(200))


@with_cupy
def test_arrays_of_cupy_live_as_long_as_products_use_them(A, package):
    B = package.sparse(A)
    M, dead = spmvcast.Matrix(B, config="csr-vector", updates=True), weakref.ref(B.data)
    assert package.name == "stand-in" or M.info.refers
    del B
    gc.collect()
    assert dead() is not None
    close(package.back(M @ package.to(vector(200))), A @ vector(200))
    M.close()
    gc.collect()
    assert dead() is None


@with_cupy
def test_new_values_on_the_gpu(A, package):
    for config in ("csr-vector", "ell"):
        M = spmvcast.Matrix(package.sparse(A), updates=True, config=config)
        for seed in (5, 6):
            C = A.copy()
            C.data = vector(A.nnz, seed=seed)
            values = package.to(C.data) if seed == 5 else package.sparse(C)
            M.update(values)
            dead = weakref.ref(values if seed == 5 else values.data)
            del values
            gc.collect()
            assert dead() is not None
            close(package.back(M @ package.to(vector(200))), C @ vector(200))
        assert M.info.update_s >= 0


@on_gpu
def test_the_current_stream_is_used(A, package):
    M, x = spmvcast.Matrix(A, device="gpu"), package.to(vector(200))
    if package.name == "stand-in":
        M @ x
        M @ SimpleNamespace(__cuda_array_interface__=x.__cuda_array_interface__)
        assert package.streams == [41, 7]
        return
    cuda = package.module.cuda
    (cuda.Device().synchronize if package.name == "cupy" else cuda.synchronize)()  # x is there
    stream = cuda.Stream(non_blocking=True) if package.name == "cupy" else cuda.Stream()
    with stream if package.name == "cupy" else cuda.stream(stream):
        y = x
        for _ in range(50):  # each product waits for the last
            y = M @ y
            y = y / y.sum()
        stream.synchronize()
    expected = vector(200)
    for _ in range(50):
        expected = A @ expected
        expected = expected / expected.sum()
    assert np.allclose(package.back(y), expected)


@with_cupy
def test_any_object_with_the_interface(A, package):
    x, out = package.to(vector(200)), package.to(np.zeros(200))
    M = spmvcast.Matrix(A, device="gpu")
    plain = SimpleNamespace(__cuda_array_interface__=x.__cuda_array_interface__, kept=x)
    close(package.back(M @ plain), A @ vector(200))
    M.product(plain, out)
    close(package.back(out), A @ vector(200))
    read_only = dict(out.__cuda_array_interface__)
    read_only["data"] = (read_only["data"][0], True)
    with pytest.raises(ValueError, match="read-only"):
        M.product(x, SimpleNamespace(__cuda_array_interface__=read_only))


@on_gpu
def test_vectors_of_another_place_or_type_are_refused(A, package):
    x = package.to(vector(200))
    with pytest.raises(TypeError, match="x is in the memory of a GPU, but the matrix is multiplied by the CPU"):
        spmvcast.Matrix(A, device="cpu") @ x
    M = spmvcast.Matrix(A, device="gpu")
    with pytest.raises(TypeError, match="x is of type float32, expected float64"):
        M.product(package.to(vector(200, "float32")))
    with pytest.raises(TypeError, match="x and out are not in the same memory"):
        M.product(x, np.zeros(200))
    with pytest.raises(ValueError, match="x and out overlap"):
        M.product(x, x)
    with pytest.raises(ValueError, match="x has shape"):
        M @ x[:-1]
    if package.name == "torch":
        with pytest.raises(TypeError, match=r"pass x.cuda\(\)"):
            M @ x.cpu()


@on_gpu
def test_gradients(A, package):
    if package.name != "torch":
        pytest.skip("CuPy has no gradients")
    x = package.to(vector(200)).requires_grad_()
    (spmvcast.Matrix(A, device="gpu") @ x).square().sum().backward()
    np.testing.assert_allclose(x.grad.cpu(), 2 * A.T @ (A @ vector(200)), rtol=1e-12)


@with_cupy
def test_another_gpu_is_refused(A, package, monkeypatch):
    M, x = spmvcast.Matrix(A, device="gpu"), package.to(vector(200))
    monkeypatch.setattr(M.device, "index", 1)
    with pytest.raises(ValueError, match="x is on GPU 0, but the matrix is on GPU 1"):
        M @ x


DRIVER = """
#include <stdlib.h>
#include <string.h>
int depth, live;
int cuDeviceGet(int *device, int index) { *device = index; return index == 3 ? 101 : 0; }
int cuDevicePrimaryCtxRetain(void **context, int device) { *context = &depth; return device == 2 ? 999 : 0; }
int cuDevicePrimaryCtxRelease_v2(int device) { return device; }
int cuCtxPushCurrent_v2(void *context) { return context == &depth ? depth++, 0 : 1; }
int cuCtxPopCurrent_v2(void **context) { *context = &depth; depth--; return 0; }
int cuCtxSynchronize(void) { return depth == 1 ? 0 : 201; }
int cuMemAlloc_v2(unsigned long long *at, size_t bytes)
{
    if (bytes > 1000 || depth != 1) return 2;
    live++;
    return *at = (unsigned long long)malloc(bytes), 0;
}
int cuMemFree_v2(unsigned long long at) { live--; free((void *)at); return 0; }
int cuMemcpyHtoD_v2(unsigned long long to, const void *from, size_t bytes) { memcpy((void *)to, from, bytes); return 0; }
int cuMemcpyDtoH_v2(void *to, unsigned long long from, size_t bytes) { memcpy(to, (void *)from, bytes); return 0; }
int cuGetErrorString(int error, const char **text) { *text = error == 2 ? "out of memory" : 0; return 0; }
"""


def test_copies_by_the_driver(tmp_path, compiler, monkeypatch):
    (tmp_path / "driver.c").write_text(DRIVER)
    subprocess.run([*compiler, "-shared", "-fPIC", "-w", "-o", tmp_path / "driver.so", tmp_path / "driver.c"], check=True)
    driver = ctypes.CDLL(str(tmp_path / "driver.so"))
    monkeypatch.setattr(_cuda, "_driver", driver)
    x, y = vector(100), np.zeros(100)
    buffer = _cuda.Buffer(0, x.nbytes)
    buffer.put(x.ctypes.data)
    buffer.get(y.ctypes.data)
    _cuda.wait(0)
    assert np.array_equal(x, y) and ctypes.c_int.in_dll(driver, "live").value == 1
    buffer.free()
    buffer.free()
    assert ctypes.c_int.in_dll(driver, "live").value == 0 and _cuda.Buffer(0, 0).pointer == 0
    with pytest.raises(spmvcast.OutOfMemoryError, match="allocating 1001 bytes on the GPU: out of memory"):
        _cuda.Buffer(0, 1001)
    for index in (2, 3):
        with pytest.raises(spmvcast.DeviceError, match="the GPU: unknown error"):
            _cuda.wait(index)
    assert ctypes.c_int.in_dll(driver, "depth").value == 0
