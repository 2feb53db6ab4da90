# SPDX-License-Identifier: BSD-3-Clause
"""Matrices that are multiplied in the format and by the kernel that the library chose."""
from __future__ import annotations

import ctypes
import os
import threading
import weakref
from dataclasses import replace
from types import TracebackType
from typing import Any, Dict, List, Optional, Tuple, Type, Union

import numpy as np

from . import _cuda, _structs as c, _vectors
from ._device import Device, device_of, free_in
from ._errors import InvalidArgumentError
from ._library import Context, decode, encode, error_of, forked, integer, load, number, one_of, safe_after_fork
from ._operator import Operator
from ._matrix import CsrArrays
from ._operand import Arrays, Operand, Pattern, copied, copied_values, in_float64, operand_of
from ._plan import Plan
from ._profile import products_of
from ._product_info import ProductInfo, Trial, info_of, info_text, product_html, trial_of
from ._tensors import is_sparse, sparse_of
from ._vectors import View
from ._words import DeviceKind, Launch, Precision, TrialWhen

_made: "weakref.WeakSet[Matrix]" = weakref.WeakSet()


def _after_fork() -> None:
    for matrix in list(_made):  # a thread that held the lock does not exist in the child
        matrix._lock = threading.Lock()


os.register_at_fork(after_in_child=_after_fork)


class Matrix(Operator):
    """A sparse matrix, converted to the format that was chosen for it and a device: A @ x.

    A: a matrix or an array of scipy.sparse, a sparse tensor of PyTorch on the CPU (CSR or COO), or, for a GPU, a matrix of
        cupyx.scipy.sparse, with real values: float32 and float64 are taken as they are, integers and bool as float64 (sums are exact
        up to 2^53). CSR with int32 indices and sorted rows is taken as it is; anything else is converted in a copy, and `info.notes`
        says so. Arrays on the device are not copied if the chosen configuration multiplies CSR itself (`info.refers`), or for updates:
        then the Matrix keeps them, and A.indices must not be changed. If A.data is changed in place, later products M @ x use the new
        values if `info.refers`; M.T @ x, and M @ x for a wider x, use the values that A.data had at the first such product. After changing
        values in place, call `update`: all products then use the new values. While `info.trying`, always call it.
    device: "gpu", "cpu" or a Device; None: the GPU that A is on, else a GPU if the library and the machine have one, else the CPU.
    precision: "f64" or "f32" (or "float64", "float32"): all products are of that type, to which values and x are converted. None: that of
        A; if that is float32 and x is float64, complex128 or of large integers, M @ x is in float64, as with scipy. The first such product
        makes a second matrix, in float64 (chosen and converted as this one; `info.widened_bytes`), from the arrays of A, which the Matrix
        therefore keeps. If all your x are of these types, Matrix(A, precision="f64") saves the memory of the first.
    products: the expected number of products, with whose times and that of conversion the choice is made; 0: unlimited.
    config: a configuration, such as `info.config` of an earlier matrix with this pattern; None: chosen.
    plan: a Plan, whose blocks of rows have a configuration each; None: one configuration for all rows.
    deterministic: only kernels whose result has the same bits in every product.
    memory_limit: bytes of device memory that a converted matrix may take besides the CSR arrays; None: no limit.
    trial_products: the time that may be spent on timing the configurations with the best forecasts, in products; 0: none.
    trial_when: "creation", candidates are timed before the first product; "products", in the first products, between which candidates
        are converted if those left pay for it (`info.trying`, `trials`).
    updates: `update` will be called; a converted matrix then keeps what that needs.
    transpose: keep what transposed products need (M.T @ x, rmatvec, many solvers), which is the CSR arrays; the first one makes the
        transposed matrix (`info.transpose_s`, `info.transpose_bytes`). For a float32 matrix they are kept anyway unless `precision` is given.
    copy: copy the arrays of A; changes of them never show.
    launch: "graph", products are captured in CUDA graphs; "stream", they are not.
    check_columns: on a GPU, check the columns also where the choice does not read them. False saves that time for few products; an
        invalid or unsorted column is then undefined behaviour.

    A Matrix serves one product at a time: threads wait for each other, and several streams must be ordered by events. Raises TypeError
    for what is not sparse or of another type, and the subclasses of SpmvcastError."""

    def __init__(
        self,
        A: Any,
        *,
        device: Union[DeviceKind, Device, None] = None,
        precision: Optional[Precision] = None,
        products: int = 200,
        config: Optional[str] = None,
        plan: Optional[Plan] = None,
        deterministic: bool = False,
        memory_limit: Optional[int] = None,
        trial_products: int = 0,
        trial_when: TrialWhen = "creation",
        updates: bool = False,
        transpose: bool = True,
        copy: bool = False,
        launch: Launch = "graph",
        check_columns: bool = True,
    ) -> None:
        if plan is not None and not isinstance(plan, Plan):
            raise TypeError(f"plan is of type {type(plan).__name__}, expected a Plan, such as Plan.make(A, device), or None")
        options = c.MatrixOptions(
            launch=one_of("launch", launch, c.LAUNCHES),
            products=products_of(products),
            config=None if config is None else encode("config", config),
            deterministic=bool(deterministic),
            memory_limit=0 if memory_limit is None else integer("memory_limit", memory_limit, 0, 2**63 - 1) or c.CSR_ONLY,
            trial_products=integer("trial_products", trial_products, 0, 10**15),
            trial_when=one_of("trial_when", trial_when, c.TRIALS),
            check_columns=bool(check_columns),
            updates=bool(updates),
            transpose=bool(transpose),
            copy=bool(copy),
            plan=None if plan is None else plan._pointer,
        )
        A = sparse_of(A)
        operand = operand_of(A, None if precision is None else c.PRECISIONS[one_of("precision", precision, c.PRECISIONS)])
        self._kind, self._fixed = A.dtype, precision is not None
        taken = self._make(_device_for(A, operand, device), operand, options, plan)
        self._pattern = Pattern(taken) if options.updates else None

    def _make(self, device: Device, operand: Operand, options: c.MatrixOptions, plan: Optional[Plan]) -> Arrays:
        """Creates the matrix of the library and returns the arrays that it was made from."""
        self.device = device
        self.dtype, self.shape = operand.dtype, (operand.arrays.rows, operand.arrays.cols)
        self._on_cpu = self.device.kind == "cpu"
        self._precision = c.PRECISIONS.index("f32" if self.dtype == np.float32 else "f64")
        options.precision = self._precision
        self._options, self._plan = options, plan  # the options point into the plan
        self._wide: Optional[Matrix] = None
        self._wide_is_old = False  # it has the values of before the last update
        self._lock = threading.Lock()
        _made.add(self)
        self._buffers: Dict[str, _cuda.Buffer] = {}
        self._call = load().call
        if operand.gpu is not None:
            _cuda.wait(self.device.index)
        self._pointer, taken = safe_after_fork(lambda: _create(self.device, operand, options))
        kept: List[Any] = []
        self._kept, self._close = kept, weakref.finalize(
            self, _free, os.getpid(), self._call.matrix_free, self._pointer, kept, self._buffers
        )
        self._given = getattr(taken.arrays, "given", None)  # elements of A.data, of which the last may be of no entry
        self._notes, self._reordered, self._updates = tuple(taken.arrays.notes), taken.reordered, bool(options.updates)
        info = self.info
        self.nnz = info.nnz
        widens = self.dtype == np.float32 and not self._fixed
        self._keeps_copies = bool(options.copy) and widens  # the library copies what it multiplies by itself
        if options.updates or options.transpose or info.refers or widens:
            kept.append(copied(taken.arrays) if self._keeps_copies else taken.arrays)
        return taken.arrays

    # ---- facts ----
    @property
    def info(self) -> ProductInfo:
        """What was chosen, how, and what it cost."""
        self._check_open()
        info = c.MatrixInfo()
        with self._lock:  # trials in products change it
            status = self._call.matrix_get_info(self._pointer, ctypes.byref(info))
        if status != c.OK:
            raise error_of(load(), status, "")
        device, wide = self.device, self._wide
        members = info_of(info, c.PRECISIONS[self._precision], device.name, device.profile, device.reason, self._notes)
        return members if wide is None else replace(members, widened_bytes=self._bytes_of(wide))

    def _bytes_of(self, wide: Matrix) -> int:
        """Memory that the matrix in float64 takes besides the arrays of this one that it shares."""
        info, arrays = wide.info, self._kept[0]
        uploaded = 0 if self._on_cpu or not isinstance(arrays, CsrArrays) else 4 * self.nnz + arrays.indptr.nbytes
        values = 8 * self.nnz if wide._kept or not self._on_cpu else 0
        return values + uploaded + info.extra_bytes + (0 if info.transposed_config is None else info.transpose_bytes)

    @property
    def trials(self) -> Tuple[Trial, ...]:
        """The candidates that were timed, are or will be, in this order; () without trials."""
        self._check_open()
        found: List[Trial] = []
        trial = c.Trial()
        with self._lock:
            while self._call.matrix_get_trial(self._pointer, len(found), ctypes.byref(trial)) == c.OK:
                found.append(trial_of(trial))
        return tuple(found)

    def __repr__(self) -> str:
        if not self._close.alive:
            return f"Matrix: {self.shape[0]} x {self.shape[1]}, {self.nnz} entries, closed"
        return "Matrix: " + info_text(self.info)

    def _repr_html_(self) -> str:
        return f"<p>{self!r}</p>" if not self._close.alive else product_html(self.info)

    # ---- products ----
    def product(self, x: Any, out: Any = None, alpha: float = 1, beta: float = 0) -> Any:
        """Returns alpha A x + beta out, in `out` if that is given.

        x: a vector of A.shape[1] elements, or as many columns of them as wanted, which are multiplied one by one. On the CPU, an array of
            numpy or a tensor of PyTorch. On a GPU, an array of CuPy, a tensor of PyTorch or any object with __cuda_array_interface__;
            arrays of numpy are copied to the GPU, and the result back, which takes longer than most products.
        out: an array of the same package that does not overlap x; its columns must be contiguous. None: a new one.
        alpha, beta: real numbers; beta other than 0 needs `out`.

        The types of x and out are that of the matrix. On a GPU the product is enqueued to the current stream of CuPy or PyTorch, or to the
        stream that __cuda_array_interface__ names, and not waited for; with numpy it is done on return."""
        return self._apply(x, out, alpha, beta, False)

    def _apply(self, x: Any, out: Any, alpha: float, beta: float, transposed: bool) -> Any:
        self._check_open()
        scale, keep = number("alpha", alpha), number("beta", beta)
        view = _vectors.view_of("x", x)
        _vectors.check("x", view, self.dtype, self.shape[not transposed], "rows" if transposed else "columns")
        view = _vectors.compact("x", view)
        self._check_place("x", view)
        if out is None and keep != 0:
            raise InvalidArgumentError(f"beta is {keep:g}, but there is no `out`")
        result = _vectors.empty(view, self.shape[transposed], self.dtype) if out is None else self._output(out, view, transposed)
        with self._lock:
            self._check_open()
            self._multiply(scale, view, keep, result, transposed)
        return result.array

    def _quick(self, x: np.ndarray[Any, Any]) -> Any:
        if not self._on_cpu or x.dtype is not self.dtype or x.shape != self.shape[1:] or x.strides != (self.dtype.itemsize,) or forked():
            return None
        address = _vectors.address(x)
        if address % self.dtype.itemsize:
            return None
        y = np.empty(self.shape[0], self.dtype)
        with self._lock:
            self._check_open()
            status = self._call.multiply(self._pointer, 1.0, address, 0.0, _vectors.address(y), None)
        if status != c.OK:
            raise error_of(load(), status, decode(self._call.matrix_message(self._pointer)))
        return y

    def _output(self, out: Any, x: View, transposed: bool) -> View:
        """Returns where a caller's output is."""
        view = _vectors.view_of("out", out)
        _vectors.check("out", view, self.dtype, self.shape[transposed], "columns" if transposed else "rows")
        self._check_place("out", view)
        if view.shape[1:] != x.shape[1:]:
            raise InvalidArgumentError(f"out has shape {view.shape}, expected {(self.shape[transposed], *x.shape[1:])}")
        if view.on_gpu != x.on_gpu:
            raise TypeError("x and out are not in the same memory")
        if not view.writable or not view.compact:
            fits = f"torch.empty({view.shape[::-1]}).T" if view.package == "torch" else f"{view.package or 'cupy'}.empty({view.shape}, order='F')"
            strided = f"the columns of out are not contiguous; create it with {fits}"
            misplaced = f"out is not aligned to its type; create it with {fits}"
            raise InvalidArgumentError("out is read-only" if view.compact else strided if view.aligned else misplaced)
        if x.overlaps(view):
            raise InvalidArgumentError("x and out overlap")
        return view

    def _check_place(self, name: str, view: View) -> None:
        if self.device.kind == "cpu" and view.on_gpu:
            raise TypeError(f"{name} is in the memory of a GPU, but the matrix is multiplied by the CPU; create it with device='gpu'")
        if self.device.kind == "gpu" and view.package == "torch" and not view.on_gpu:
            raise TypeError(f"{name} is in host memory, but the matrix is multiplied by a GPU; pass {name}.cuda()")
        if view.on_gpu and view.gpu not in (None, self.device.index):
            raise InvalidArgumentError(f"{name} is on GPU {view.gpu}, but the matrix is on GPU {self.device.index}")

    def _multiply(self, alpha: float, x: View, beta: float, y: View, transposed: bool) -> None:
        columns = y.shape[1] if len(y.shape) == 2 else 1
        copied = self.device.kind == "gpu" and not x.on_gpu
        stream = _vectors.stream_of(x) if x.on_gpu else 0

        def product() -> None:
            for j in range(columns):
                if copied:
                    self._copied_product(transposed, alpha, x.column(j), beta, y.column(j))
                else:
                    self._product(transposed, alpha, x.column(j), beta, y.column(j), stream)

        if self.device.kind == "cpu":
            safe_after_fork(product)
        else:
            product()

    def _product(self, transposed: bool, alpha: float, x: int, beta: float, y: int, stream: int) -> None:
        call = self._call.multiply_transposed if transposed else self._call.multiply
        status = call(self._pointer, alpha, x, beta, y, stream)
        if status != c.OK:
            raise error_of(load(), status, decode(self._call.matrix_message(self._pointer)))

    def _copied_product(self, transposed: bool, alpha: float, x: int, beta: float, y: int) -> None:
        """A product of vectors in host memory by a GPU."""
        if not self._buffers:
            for name, n in zip(("rows", "columns"), self.shape):
                self._buffers[name] = _cuda.Buffer(self.device.index, n * self.dtype.itemsize)
        on_y, on_x = (self._buffers[name] for name in (("columns", "rows") if transposed else ("rows", "columns")))
        on_x.put(x)
        if beta != 0:
            on_y.put(y)
        self._product(transposed, alpha, on_x.pointer, beta, on_y.pointer, 0)
        on_y.get(y)

    # ---- wider vectors ----
    def _widened(self) -> Matrix:
        with self._lock:
            self._check_open()
            wide, self._wide = self._wide, None  # there is none after an error
            if wide is None:
                wide = self._made_wide(in_float64(*self._kept))
            elif self._wide_is_old:
                arrays = in_float64(*self._kept)
                wide.update(arrays.values)
                wide._kept[:] = [arrays]
            self._wide, self._wide_is_old = wide, False
            return wide

    def _made_wide(self, arrays: Arrays) -> Matrix:
        """Returns a matrix of arrays in float64, with the options of this one."""
        operand = Operand(arrays, lambda: None, np.dtype(np.float64), None if isinstance(arrays, CsrArrays) else self.device.index, False)
        options = c.MatrixOptions(**{member[0]: getattr(self._options, member[0]) for member in c.MatrixOptions._fields_[1:]})
        options.copy = False
        wide: Matrix = type(self).__new__(type(self))
        wide._kind, wide._fixed, wide._pattern = operand.dtype, True, None
        wide._make(self.device, operand, options, self._plan)
        return wide

    # ---- new values ----
    def update(self, values: Any) -> None:
        """Takes new values of the same pattern; nothing is chosen again. The Matrix must have been created with updates=True.

        values: the new A.data, in its order, as an array of numpy or (on a GPU) one with __cuda_array_interface__; or a matrix with the
            pattern of A, which is needed if A was converted (`info.notes`). Waits for products on the GPU. Costs nothing if products use
            the arrays of A (`info.refers`) and `values` is A.data, else a preparation and maybe a conversion (`info.update_s`).
        After a failure of the device the Matrix is closed."""
        self._check_open()
        if not self._updates:
            raise InvalidArgumentError("update: the Matrix was created without updates=True")
        new, view = self._values(values)
        if self.device.kind == "gpu":
            _cuda.wait(self.device.index)
        with self._lock, Context() as context:
            self._check_open()
            self._wide_is_old = True
            status = safe_after_fork(lambda: int(context.call.update_values(context.pointer, self._pointer, view.pointer)))
            if status != c.OK:
                self._close()
            context.check(status)
            self._kept[1:] = [copied_values(new) if self._keeps_copies else new]

    def _values(self, values: Any) -> Tuple[Any, View]:
        """Returns the object that owns new values, and where they are."""
        if is_sparse(values):
            values = sparse_of(values)
        if hasattr(values, "tocsr"):
            values = self._values_of(values)
        elif self._reordered:
            raise InvalidArgumentError("update: A was converted (see info.notes); pass a matrix with its pattern instead of an array")
        view = _vectors.view_of("values", values)
        if view.shape == (self._given,) and self._given != self.nnz:
            view = _vectors.view_of("values", values[: self.nnz])
        _vectors.check("values", view, self.dtype, self.nnz, "entries", columns=False)
        view = _vectors.compact("values", view)
        if self.device.kind == "cpu" and view.on_gpu:
            raise TypeError("values is in the memory of a GPU, but the matrix is multiplied by the CPU")
        return view.array, view

    def _values_of(self, B: Any) -> Any:
        """Returns the values of a matrix with the pattern of A, in the order that the library has."""
        operand = operand_of(B, c.PRECISIONS[self._precision])
        arrays: Any = operand.arrays
        assert self._pattern is not None
        if not self._pattern.is_of(arrays):
            arrays = operand.in_order()
        if arrays is None or not self._pattern.is_of(arrays):
            raise InvalidArgumentError("update: the pattern is not that of A")
        return arrays.values

    # ---- end ----
    def close(self) -> None:
        """Frees the matrix now instead of with its last reference; no product may be under way on the GPU."""
        with self._lock:
            self._close()
            self._wide = None

    def _check_open(self) -> None:
        if not self._close.alive:
            raise InvalidArgumentError("the Matrix is closed")

    def __enter__(self) -> Matrix:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        self.close()


def _free(pid: int, free: Any, pointer: ctypes.c_void_p, kept: List[Any], buffers: Dict[str, _cuda.Buffer]) -> None:
    """Frees a matrix, and only then lets go of the arrays that it refers to."""
    free_in(pid, free, pointer)
    if os.getpid() == pid:
        for buffer in buffers.values():
            buffer.free()
    kept.clear()


def _device_for(A: Any, operand: Operand, device: Union[DeviceKind, Device, None]) -> Device:
    """Returns the device of a matrix, which must be the one that its arrays are on, if they are on a GPU."""
    if device is None and operand.gpu is not None:
        return Device("gpu", operand.gpu)
    found = device_of(device, 4)
    if operand.gpu is not None and found.kind == "cpu":
        raise TypeError("A is in the memory of a GPU; pass A.get() to multiply it by the CPU")
    if operand.gpu is not None and found.index != operand.gpu:
        raise InvalidArgumentError(f"A is on GPU {operand.gpu}, but the device is GPU {found.index}")
    return found


def _create(device: Device, operand: Operand, options: c.MatrixOptions) -> Tuple[ctypes.c_void_p, Operand]:
    """Returns the matrix of the library, and the operand that it was made from: rows out of order are sorted in a copy."""
    with Context() as context:
        pointer, status = _try(context, device, operand, options)
        if status == c.INVALID_MATRIX:
            refused = error_of(context.library, status, decode(context.call.message(context.pointer)))
            arrays = operand.in_order()
            if arrays is None:
                raise refused
            operand = Operand(arrays, operand.in_order, operand.dtype, operand.gpu, True)
            if operand.gpu is not None:
                _cuda.wait(device.index)
            pointer, status = _try(context, device, operand, options)
        context.check(status)
        return pointer, operand


def _try(context: Context, device: Device, operand: Operand, options: c.MatrixOptions) -> Tuple[ctypes.c_void_p, int]:
    pointer, csr = ctypes.c_void_p(), operand.arrays.struct(None, None)
    status = context.call.matrix_create(
        context.pointer, device._pointer, ctypes.byref(csr), ctypes.byref(options), ctypes.byref(pointer)
    )
    return pointer, status
