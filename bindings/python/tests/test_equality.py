# SPDX-License-Identifier: BSD-3-Clause
"""Rankings of real matrices equal those of spmv-predict: every row and column, and the recommendation."""
import math
import os
from pathlib import Path

import pytest
from equality import compare, same

MATRICES = ["1138_bus", "lp_fit2p", "as-caida20071105", "shuttle_eddy"]


def path_of(root: Path, name: str) -> Path:
    folder = Path(os.environ.get("SHARED_MATRICES", root.parent / "shared" / "matrices"))
    if not (folder / "INDEX.tsv").exists():
        pytest.skip("no shared matrices (set SHARED_MATRICES)")
    return folder / (name + ".mtx.xz")


@pytest.mark.parametrize("name", MATRICES)
def test_both_precisions_and_cache_states(root, name):
    rows, wrong = compare(str(root / "bin/spmv-predict"), path_of(root, name), "--iterations", "200", products=200)
    assert not wrong and rows > 4 * 80


@pytest.mark.parametrize(
    "options, arguments",
    [
        (["--iterations", "0"], dict(products=0)),
        (["--iterations", "7", "--matrix-on", "host", "--risk", "0.7"], dict(products=7, place="host", risk=0.7)),
        (["-m", "guo2014"], dict(model="guo2014")),
        (["-c", "ell", "-c", "csr-vector:lanes=4"], dict(configs=["ell", "csr-vector:lanes=4"])),
        (["-c", "dia", "--iterations", "3"], dict(products=3, configs="dia")),
    ],
)
def test_options(root, options, arguments):
    rows, wrong = compare(str(root / "bin/spmv-predict"), path_of(root, "1138_bus"), *options, **arguments)
    assert not wrong and rows > 0


def test_the_comparison_finds_differences():
    assert same(1.5, 1.5) and same(math.nan, None) and same(None, None) and same("", None)
    assert not same(1.5, 1.5000000000000002) and not same(math.nan, 1.5) and not same(1.5, None) and not same("x", None)
