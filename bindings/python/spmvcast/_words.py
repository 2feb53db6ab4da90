# SPDX-License-Identifier: BSD-3-Clause
"""The words that arguments may be, for type checkers and editors."""
from typing import Literal

Precision = Literal["f64", "f32", "float64", "float32"]
Cache = Literal["warm", "cold"]
Launch = Literal["graph", "stream"]
Place = Literal["gpu", "host"]
DeviceKind = Literal["gpu", "cuda", "cpu"]
TrialWhen = Literal["creation", "products"]
