# SPDX-License-Identifier: BSD-3-Clause
"""Shared by the tests: the source tree, its programs, and a small matrix."""
from __future__ import annotations

import gc
import os
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any, Callable, List

os.environ.setdefault("OMP_NUM_THREADS", "1")  # some tests fork: threads of OpenMP do not survive that

import numpy as np
import pytest
import scipy.sparse

ROOT = Path(os.environ.get("SPMVCAST_TREE", Path(__file__).resolve().parents[3]))


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "gpu: needs a GPU (tests/python_gpu.bats)")
    config.addinivalue_line("markers", "long: takes long (make check-long)")


def pytest_collection_finish(session: pytest.Session) -> None:
    gc.freeze()  # tests of lifetimes collect what they made, not all of PyTorch and pandas


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture
def compiler() -> List[str]:
    """The C compiler of make."""
    words = shlex.split(os.environ.get("CC", "cc"))
    return words if shutil.which(words[0]) else pytest.skip("no C compiler")


@pytest.fixture
def program(root: Path) -> Callable[..., str]:
    """Runs a program of the tree; returns what it prints."""

    def run(name: str, *arguments: str) -> str:
        return subprocess.run([str(root / "bin" / name), *map(str, arguments)], check=True, capture_output=True, text=True).stdout

    return run


@pytest.fixture
def A() -> Any:
    """A 200 x 200 matrix in CSR with int32 indices."""
    return scipy.sparse.random(200, 200, 0.05, format="csr", random_state=np.random.RandomState(1))
