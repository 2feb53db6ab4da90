# SPDX-License-Identifier: BSD-3-Clause
"""The structures, enumerations and functions of include/spmvcast.h."""
from __future__ import annotations

import ctypes
from ctypes import POINTER, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_void_p
from typing import Any, Dict, Tuple

from ._columns import MEMBERS

MAJOR = 1
OK, INVALID_MATRIX, NO_ENTRY, NO_DEVICE = 0, 2, 7, 9
UNLIMITED, CSR_ONLY, NO_RISK = -1, -1, -1.0
NO_ROW = c_size_t(-1).value

# Positions are the values of the enumerations.
PRECISIONS = ("f64", "f32")
CACHES = ("warm", "cold")
LAUNCHES = ("graph", "stream")
PLACES = ("gpu", "host")
REASONS = ("fastest", "sure", "stay")
ROW_STATUSES = ("ok", "extrapolated", "refused", "na")
DEVICE_KINDS = ("gpu", "cpu")
TRIALS = ("creation", "products")
CHOICES = ("forecast", "rule", "name", "trial", "plan")


class _Sized(ctypes.Structure):
    """A structure whose first member is its size."""

    def __init__(self, **members: Any) -> None:
        super().__init__(**members)
        self.size = ctypes.sizeof(self)


class ContextOptions(_Sized):
    _fields_ = [("size", c_size_t), ("memory_limit", c_size_t)]


class ProfileInfo(_Sized):
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("device", c_char_p),
        ("date", c_char_p),
        ("path", c_char_p),
        ("this_machine", c_int),
        ("default_model", c_char_p),
    ]


class Csr(_Sized):
    _fields_ = [
        ("size", c_size_t),
        ("rows", c_int64),
        ("cols", c_int64),
        ("row_ptr", c_void_p),
        ("col", POINTER(c_int32)),
        ("row_ptr_bits", c_int),
        ("base", c_int),
        ("name", c_char_p),
        ("group", c_char_p),
        ("val", c_void_p),
        ("nnz", c_int64),
        ("val_bits", c_int),
    ]


class PatternInfo(_Sized):
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("rows", c_int64),
        ("cols", c_int64),
        ("nnz", c_int64),
        ("row_min", c_int64),
        ("row_max", c_int64),
        ("row_mean", c_double),
        ("row_sd", c_double),
        ("pattern_id", c_char_p),
    ]


class RankOptions(_Sized):
    _fields_ = [
        ("size", c_size_t),
        ("precision", c_int),
        ("cache", c_int),
        ("launch", c_int),
        ("place", c_int),
        ("products", c_int64),
        ("risk", c_double),
        ("model", c_char_p),
        ("configs", POINTER(c_char_p)),
        ("nconfigs", c_size_t),
    ]


class Row(_Sized):
    _fields_ = MEMBERS


class Advice(_Sized):
    _fields_ = [
        ("size", c_size_t),
        ("row", c_size_t),
        ("library_row", c_size_t),
        ("stay_row", c_size_t),
        ("alike", c_int),
        ("text", c_char_p),
        ("why", c_int),
    ]


class Block(_Sized):
    _fields_ = [
        ("size", c_size_t),
        ("first_row", c_int64),
        ("rows", c_int64),
        ("nnz", c_int64),
        ("config", c_char_p),
        ("time_s", c_double),
        ("low_s", c_double),
        ("high_s", c_double),
    ]


class PlanOptions(_Sized):
    _fields_ = [
        ("size", c_size_t),
        ("precision", c_int),
        ("cache", c_int),
        ("parallel", c_int),
        ("always", c_int),
        ("model", c_char_p),
        ("configs", POINTER(c_char_p)),
        ("nconfigs", c_size_t),
        ("place", c_int),
        ("products", c_int64),
        ("risk", c_double),
    ]


class PlanInfo(_Sized):
    _fields_ = [
        ("size", c_size_t),
        ("text", c_char_p),
        ("blocks", c_size_t),
        ("parallel", c_int),
        ("rows", c_int64),
        ("cols", c_int64),
        ("nnz", c_int64),
        ("time_s", c_double),
        ("low_s", c_double),
        ("high_s", c_double),
        ("single_s", c_double),
    ]


class DeviceOptions(_Sized):
    _fields_ = [("size", c_size_t), ("kind", c_int), ("index", c_int), ("profile", c_char_p)]


class DeviceInfo(_Sized):
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("key", c_char_p), ("profile", c_char_p), ("reason", c_char_p)]


class MatrixOptions(_Sized):
    _fields_ = [
        ("size", c_size_t),
        ("precision", c_int),
        ("launch", c_int),
        ("products", c_int64),
        ("config", c_char_p),
        ("deterministic", c_int),
        ("memory_limit", c_int64),
        ("trial_products", c_int64),
        ("check_columns", c_int),
        ("updates", c_int),
        ("transpose", c_int),
        ("plan", c_void_p),
        ("trial_when", c_int),
        ("copy", c_int),
    ]


class MatrixInfo(_Sized):
    _fields_ = [
        ("size", c_size_t),
        ("config", c_char_p),
        ("kernel", c_char_p),
        ("choice", c_int),
        ("rows", c_int64),
        ("cols", c_int64),
        ("nnz", c_int64),
        ("time_s", c_double),
        ("low_s", c_double),
        ("high_s", c_double),
        ("trial_s", c_double),
        ("upload_s", c_double),
        ("examine_s", c_double),
        ("choose_s", c_double),
        ("try_s", c_double),
        ("convert_s", c_double),
        ("prepare_s", c_double),
        ("update_s", c_double),
        ("extra_bytes", c_int64),
        ("refers", c_int),
        ("deterministic", c_int),
        ("trying", c_int),
        ("transposed_config", c_char_p),
        ("transpose_s", c_double),
        ("transpose_bytes", c_int64),
    ]


class Trial(_Sized):
    _fields_ = [
        ("size", c_size_t),
        ("config", c_char_p),
        ("reason", c_char_p),
        ("products", c_int64),
        ("time_s", c_double),
        ("setup_s", c_double),
        ("extra_bytes", c_int64),
    ]


_object = c_void_p
_out = POINTER(c_void_p)

# name: (result, arguments)
FUNCTIONS: Dict[str, Tuple[Any, Tuple[Any, ...]]] = {
    "spmvcast_version": (c_char_p, ()),
    "spmvcast_status_text": (c_char_p, (c_int,)),
    "spmvcast_context_create": (c_int, (POINTER(ContextOptions), _out)),
    "spmvcast_context_free": (None, (_object,)),
    "spmvcast_message": (c_char_p, (_object,)),
    "spmvcast_warning": (c_char_p, (_object,)),
    "spmvcast_memory_used": (c_size_t, (_object,)),
    "spmvcast_profile_open": (c_int, (_object, c_char_p, _out)),
    "spmvcast_profile_free": (None, (_object,)),
    "spmvcast_profile_get_info": (c_int, (_object, POINTER(ProfileInfo))),
    "spmvcast_pattern_describe": (c_int, (_object, POINTER(Csr), _out)),
    "spmvcast_pattern_free": (None, (_object,)),
    "spmvcast_pattern_get_info": (c_int, (_object, POINTER(PatternInfo))),
    "spmvcast_rank": (c_int, (_object, _object, _object, POINTER(RankOptions), _out)),
    "spmvcast_ranking_free": (None, (_object,)),
    "spmvcast_ranking_count": (c_size_t, (_object,)),
    "spmvcast_ranking_row": (c_int, (_object, c_size_t, POINTER(Row))),
    "spmvcast_ranking_parameter": (c_int, (_object, c_size_t, c_size_t, POINTER(c_char_p), POINTER(c_char_p))),
    "spmvcast_ranking_term": (c_int, (_object, c_size_t, c_size_t, POINTER(c_char_p), POINTER(c_double))),
    "spmvcast_ranking_advice": (c_int, (_object, POINTER(Advice))),
    "spmvcast_plan_make": (c_int, (_object, _object, POINTER(Csr), POINTER(PlanOptions), _out)),
    "spmvcast_plan_open": (c_int, (_object, c_char_p, _out)),
    "spmvcast_plan_create": (c_int, (_object, POINTER(Block), c_size_t, c_int, _out)),
    "spmvcast_plan_free": (None, (_object,)),
    "spmvcast_plan_get_info": (c_int, (_object, POINTER(PlanInfo))),
    "spmvcast_plan_get_block": (c_int, (_object, c_size_t, POINTER(Block))),
    "spmvcast_device_open": (c_int, (_object, POINTER(DeviceOptions), _out)),
    "spmvcast_device_free": (None, (_object,)),
    "spmvcast_device_get_info": (c_int, (_object, POINTER(DeviceInfo))),
    "spmvcast_matrix_create": (c_int, (_object, _object, POINTER(Csr), POINTER(MatrixOptions), _out)),
    "spmvcast_matrix_free": (None, (_object,)),
    "spmvcast_multiply": (c_int, (_object, c_double, c_void_p, c_double, c_void_p, c_void_p)),
    "spmvcast_multiply_transposed": (c_int, (_object, c_double, c_void_p, c_double, c_void_p, c_void_p)),
    "spmvcast_matrix_message": (c_char_p, (_object,)),
    "spmvcast_update_values": (c_int, (_object, _object, c_void_p)),
    "spmvcast_matrix_get_info": (c_int, (_object, POINTER(MatrixInfo))),
    "spmvcast_matrix_get_trial": (c_int, (_object, c_size_t, POINTER(Trial))),
}
