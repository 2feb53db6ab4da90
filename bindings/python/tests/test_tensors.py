# SPDX-License-Identifier: BSD-3-Clause
"""Products of tensors of PyTorch on the CPU."""
import sys

import numpy as np
import pytest
from scipy.sparse.linalg import LinearOperator
import spmvcast

torch = pytest.importorskip("torch")


def close(got, expected):
    assert got.shape == expected.shape and got.dtype == expected.dtype
    assert np.abs(got - expected).max(initial=0) <= 50 * np.finfo(expected.dtype).eps * np.abs(expected).max(initial=0)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_tensors_of_pytorch_on_the_cpu(A, dtype):
    M, X = spmvcast.Matrix(A.astype(dtype), device="cpu"), np.random.RandomState(4).rand(200, 3).astype(dtype)
    for x in (torch.from_numpy(X), torch.from_numpy(X[:, 0].copy()), torch.from_numpy(X)[:, 1], torch.from_numpy(X).t().contiguous().t()):
        y = M @ x
        assert isinstance(y, torch.Tensor)
        close(y.numpy(), A.astype(dtype) @ x.numpy())
    with pytest.raises(TypeError, match="x is of type bfloat16"):
        M @ torch.zeros(200, dtype=torch.bfloat16)
    with pytest.raises(TypeError, match=r"pass x.detach\(\)"):
        M.product(torch.zeros(200, dtype=x.dtype).requires_grad_())
    z = torch._neg_view(torch.rand(200, dtype=torch.float64))  # negated when it is read, as the imaginary parts of a conjugate
    close((spmvcast.Matrix(A, device="cpu") @ z).numpy(), A @ z.resolve_neg().numpy())


@pytest.mark.parametrize("matrix", ["float32", "float64", "int8"])
def test_types_of_products_of_tensors_are_those_of_scipy(A, matrix):
    B = (10 * A).astype(matrix)
    M = spmvcast.Matrix(B, device="cpu")
    for kind in ("float16", "float32", "float64", "int64", "bool", "complex64", "complex128"):
        x = torch.from_numpy((np.arange(200) % 9).astype(kind) * (1 + 1j if kind[0] == "c" else 1))
        for y, expected in ((M @ x, B @ x.numpy()), (M.T @ x, B.T @ x.numpy()), (x @ M, x.numpy() @ B)):
            assert y.numpy().dtype == expected.dtype and np.allclose(y, expected, 1e-5)
    assert (M.info.widened_bytes > 0) == (matrix == "float32")
    x = torch.rand(200, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(M.__matmul__, (x,), check_forward_ad=True, fast_mode=True)
    assert (spmvcast.Matrix(B, device="cpu", precision="f32") @ x).dtype == torch.float32


@pytest.mark.filterwarnings("ignore:Sparse CSR")
def test_sparse_tensors_are_matrices(A, monkeypatch):
    T = torch.sparse_csr_tensor(*map(torch.from_numpy, (A.indptr, A.indices, A.data)), size=A.shape)
    M, x = spmvcast.Matrix(T, device="cpu", config="csr-merge", updates=True), np.ones(200)
    close(M @ x, A @ x)
    assert M.info.refers and M.info.notes == () and str(spmvcast.rank(T, device="h200")) == str(spmvcast.rank(A, device="h200"))
    T.values().mul_(2)  # the tensor's own values
    close(M @ x, A @ x)
    with monkeypatch.context() as without:
        without.setattr("scipy.sparse", sys.modules["scipy.sparse"])
        without.delitem(sys.modules, "scipy.sparse")
        assert isinstance(spmvcast.Matrix(A=T, device="cpu"), LinearOperator)
    M.update(torch.sparse_csr_tensor(T.crow_indices(), T.col_indices(), 3 * T.values(), size=A.shape))
    close(M @ x, 3 * (A @ x))
    twice = A.tocoo()
    C = torch.sparse_coo_tensor(np.tile([twice.row, twice.col], 2), np.tile(twice.data, 2), A.shape)
    wide = spmvcast.Matrix(C.requires_grad_(), device="cpu")
    close(wide @ x, 2 * (A @ x))
    assert wide.info.notes == ("converted from coo to csr",)
    with pytest.raises(TypeError, match=r"dense tensor; pass A.to_sparse_csr\(\)"):
        spmvcast.Matrix(T.to_dense())
    with pytest.raises(TypeError, match="type bfloat16"):
        spmvcast.rank(C.detach().bfloat16(), device="h200")
    with pytest.raises(spmvcast.InvalidMatrixError, match="3 dimensions"):
        spmvcast.Matrix(torch.zeros(2, 2, 2).to_sparse())


@pytest.mark.filterwarnings("error:The use of `x.T`")
def test_gradients_pass_through_products(A):
    M, X = spmvcast.Matrix(A[:150], device="cpu"), torch.rand(200, 2, dtype=torch.float64, requires_grad=True)
    for f, x in ((M.__matmul__, X), (M.__matmul__, X[:, 0]), (M.T.__matmul__, X[:150]), (M.__rmatmul__, X[:150, 1]), (M.__rmatmul__, X[:150].t())):
        assert torch.autograd.gradcheck(f, (x.detach().requires_grad_(),), check_forward_ad=True, fast_mode=True)
    assert torch.autograd.gradgradcheck(lambda x: (M @ x) ** 2, (X[:, 0].detach().requires_grad_(),), fast_mode=True)
    with torch.autograd.forward_ad.dual_level():  # x requires no gradient
        x = torch.autograd.forward_ad.make_dual(X[:, 0].detach(), X[:, 1].detach())
        close(torch.autograd.forward_ad.unpack_dual(M @ x).tangent.numpy(), A[:150] @ X[:, 1].detach().numpy())
        with pytest.raises(TypeError, match=r"pass x.detach\(\)"):
            M.product(x)
    with pytest.raises(TypeError, match="without memory of its own, as in torch.vmap"):
        torch.autograd.functional.jacobian(M.__matmul__, X[:, 0].detach(), vectorize=True, strategy="forward-mode")
    (M @ X).sum().backward()
    close(X.grad.numpy(), A[:150].T @ np.ones((150, 2)))
    with torch.no_grad():
        assert not (M @ X).requires_grad
