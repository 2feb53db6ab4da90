# SPDX-License-Identifier: BSD-3-Clause
"""PyTorch: sparse tensors as matrices of scipy, and products that gradients pass through. PyTorch is not imported for it: what is no tensor
is none of its."""
from __future__ import annotations

import sys
from functools import lru_cache
from typing import Any

import numpy as np

from ._errors import InvalidMatrixError
from ._vectors import is_a, needs_gradient


def is_sparse(x: Any) -> bool:
    """Whether x is a tensor that is not dense."""
    return is_a("torch", "Tensor", x) and x.layout != sys.modules["torch"].strided


def sparse_of(A: Any) -> Any:
    """Returns a sparse tensor on the CPU as a matrix of scipy that shares its arrays (COO that is not coalesced: sums in a copy); what is
    no sparse tensor as it is."""
    if not is_a("torch", "Tensor", A):
        return A
    torch = sys.modules["torch"]
    if not is_sparse(A):
        raise TypeError("A is a dense tensor; pass A.to_sparse_csr()")
    known = {torch.sparse_csr: "csr", torch.sparse_coo: "coo"}
    if A.layout not in known or A.device.type != "cpu":
        raise TypeError(f"A is a tensor of layout {A.layout} on device {A.device}; expected sparse CSR or COO on the CPU")
    if A.dim() != 2 or A.dense_dim() != 0:
        raise InvalidMatrixError(f"A has {A.dim()} dimensions, {A.dense_dim()} of them dense; expected 2 sparse ones")
    if A.dtype == torch.bfloat16:
        raise TypeError("A has values of type bfloat16; expected float32 or float64")
    import scipy.sparse

    A = A.detach()
    if known[A.layout] == "coo":
        A = A.coalesce()
        return scipy.sparse.coo_matrix((A.values().numpy(), tuple(A.indices().numpy())), shape=tuple(A.shape))
    values = A.values().numpy()
    csr = scipy.sparse.csr_matrix(tuple(A.shape), dtype=values.dtype)
    csr.indptr, csr.indices, csr.data = A.crow_indices().numpy(), A.col_indices().numpy(), values
    return csr


def times(of: Any, x: Any, transposed: bool) -> Any:
    """Returns A x or A^T x of an Operator, of the type that scipy gives it; derivatives pass through it."""
    torch = sys.modules["torch"]
    word = str(x.dtype).split(".")[-1]
    if x.is_complex():
        return times(of, x.real, transposed) + 1j * times(of, x.imag, transposed)
    if word == of.dtype.name or not hasattr(np, word):  # bfloat16 is refused
        return _product(of, x, transposed)
    kind, of = of._types(np.dtype(word))
    y = _product(of, x.to(getattr(torch, of.dtype.name)), transposed)
    return y.to(getattr(torch, kind.name, y.dtype))


def _product(of: Any, x: Any, transposed: bool) -> Any:
    """The tangent is the same product of that of x, the gradient that of the other one."""
    return _function().apply(x, of, transposed) if needs_gradient(x) else of._apply(x, None, 1, 0, transposed)


@lru_cache(maxsize=None)
def _function() -> Any:
    base: Any = sys.modules["torch"].autograd.Function

    class Product(base):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, x: Any, of: Any, transposed: bool) -> Any:
            ctx.of, ctx.transposed = of, transposed
            return of._apply(x, None, 1, 0, transposed)

        @staticmethod
        def jvp(ctx: Any, dx: Any, *_: Any) -> Any:
            return Product.apply(dx, ctx.of, ctx.transposed)

        @staticmethod
        def backward(ctx: Any, dy: Any) -> Any:
            return Product.apply(dy, ctx.of, not ctx.transposed), None, None

    return Product
