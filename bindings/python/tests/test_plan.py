# SPDX-License-Identifier: BSD-3-Clause
"""Plans: blocks of rows in formats of their own."""
import numpy as np
import pytest
import scipy.sparse as sp

import spmvcast


@pytest.fixture
def A():
    m = sp.random(400, 300, 0.02, format="csr", random_state=5)
    m.data[:] = np.arange(m.nnz) % 15 - 7  # sums are exact
    return m


def test_a_matrix_by_a_plan_multiplies_like_scipy(A):
    plan = spmvcast.Plan([(100, "hyb"), (299, "csr-vector"), (1, "sell")])
    assert (plan.rows, plan.cols, plan.nnz, plan.parallel) == (400, None, None, False)
    assert [(b.first_row, b.rows) for b in plan.blocks] == [(0, 100), (100, 299), (399, 1)]
    assert plan.blocks[0].config.startswith("hyb:k=auto") and np.isnan(plan.time_s)
    assert repr(plan).splitlines()[0] == "Plan: plan:exec=serial,blocks=3"
    M = spmvcast.Matrix(A, device="cpu", plan=plan)
    x = np.arange(300.0) % 8
    assert np.array_equal(M @ x, A @ x)
    assert M.info.choice == "plan" and M.info.config == plan.text and "by a plan" in M.info.how
    del plan
    assert np.array_equal(M @ x, A @ x)


def test_values_in_fewer_bits(A):
    x, packed = np.arange(300.0) % 8, "sell:c=32,sigma=1,index=narrow,value=dict8"
    for choice in (dict(config=packed), dict(plan=spmvcast.Plan([(100, packed), (300, "csr-vector")]))):
        M = spmvcast.Matrix(A, device="cpu", **choice)
        assert ("value=dict8" in M.info.config) == ("config" in choice) and np.array_equal(M @ x, A @ x)
        with pytest.raises(spmvcast.InvalidArgumentError, match="the option updates excludes it; use value=full"):
            spmvcast.Matrix(A, device="cpu", updates=True, **choice)
    with pytest.raises(spmvcast.InvalidArgumentError, match="the values do not fit a dictionary of 2"):
        spmvcast.Matrix(A, device="cpu", config=packed.replace("dict8", "dict1"))
    small = "sell:c=32,sigma=1,index=narrow,value=least"
    assert "value=dict8" in spmvcast.Matrix(A, device="cpu", config=small).info.config
    assert "value=full" in spmvcast.Matrix(A, device="cpu", config=small, updates=True).info.config
    for kernel in ("csr-packed", "coo-packed"):  # packed by default
        assert f"{kernel}:value=dict8" in spmvcast.Matrix(A, device="cpu", config=kernel).info.config
        with pytest.raises(spmvcast.InvalidArgumentError, match="no fewer bits hold these values .0 distinct ones"):
            spmvcast.Matrix(A, device="cpu", config=kernel, updates=True)


def test_plans_that_do_not_fit_are_refused(A):
    with pytest.raises(spmvcast.InvalidArgumentError, match="block 1: .*unknown kernel"):
        spmvcast.Plan([(100, "csr-vector"), (300, "csr-vektor")])
    with pytest.raises(spmvcast.InvalidArgumentError, match="rows"):
        spmvcast.Plan([(0, "csr-vector")])
    with pytest.raises(spmvcast.InvalidArgumentError, match="the plan has 399 rows, the matrix 400"):
        spmvcast.Matrix(A, device="cpu", plan=spmvcast.Plan([(399, "csr-vector")]))
    with pytest.raises(spmvcast.InvalidArgumentError, match="mutually exclusive"):
        spmvcast.Matrix(A, device="cpu", config="ell", plan=spmvcast.Plan([(400, "csr-vector")]))
    with pytest.raises(spmvcast.InvalidArgumentError, match="absent.h5"):
        spmvcast.Plan.open("absent.h5")


def test_a_plan_is_made_with_forecasts(A, root):
    plan = spmvcast.Plan.make(A, root / "results/h200/profile.h5", always=True)
    assert (plan.rows, plan.cols, plan.nnz) == (400, 300, A.nnz) and plan.low_s <= plan.time_s <= plan.high_s
    assert sum(b.nnz for b in plan.blocks) == A.nnz
    x = np.arange(300.0) % 8
    M = spmvcast.Matrix(A, device="cpu", plan=plan)
    assert np.array_equal(M @ x, A @ x) and np.isnan(M.info.time_s) and "forecast" not in repr(M)  # the plan's is of a GPU


def test_a_plan_counts_products_place_and_risk(root):
    m = sp.diags([1.0, 1.0, 1.0], offsets=[-1, 0, 1], shape=(20000, 20000), format="csr")
    profile = root / "results/h200/profile.h5"

    def of(**how):
        return [b.config for b in spmvcast.Plan.make(m, profile, **how).blocks]

    for products in (1, 200, 10**6, 0):
        assert of(products=products) == [spmvcast.rank(m, profile, products=products).advice.config]
    assert of() == of(products=200) and of(products=1) != of(products=0)
    many = dict(products=5000)
    for how in (dict(place="host"), dict(risk=0.0), dict(risk=50.0)):
        assert of(**many, **how) == [spmvcast.rank(m, profile, **many, **how).advice.config]
    for how, text in ((dict(products=-1), "products is -1"), (dict(place="disk"), "place is 'disk'"), (dict(risk=-2.0), "risk")):
        with pytest.raises(spmvcast.InvalidArgumentError, match=text):
            of(**how)
