# SPDX-License-Identifier: BSD-3-Clause
"""Products of tensors of PyTorch on the CPU."""
import numpy as np
import pytest
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
        M @ torch.zeros(200, dtype=x.dtype).requires_grad_()
    z = torch._neg_view(torch.rand(200, dtype=torch.float64))  # negated when it is read, as the imaginary parts of a conjugate
    close((spmvcast.Matrix(A, device="cpu") @ z).numpy(), A @ z.resolve_neg().numpy())
