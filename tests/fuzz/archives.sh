#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Makes small archives of each kind, and matrices of other programs, in the current directory; needs bin/ in PATH.
set -euo pipefail
tests="$(cd "$(dirname "${BASH_SOURCE[0]}")/../../build/tests" && pwd)" small=stencil:points=5,n=5
spmv-import -q -o matrix.h5 "$small"
spmv-gen -q stencil points=5 n=5 -o recipes.h5 > /dev/null
spmv-run -q --backend cpu -c csr-scalar -c ell -p f64 --cache warm --time-cap 0 --rounds-cap 3 -o run.h5 "$small" normal:rows=90,p=6,sd=2 > /dev/null
mkdir parts
"$tests/synthetic" gpu parts/grid.h5 "$small" > /dev/null
spmv-fit -q -m guo2014-regimes,bandwidth,nearest --name small -o profile.h5 parts/grid.h5 > /dev/null
spmv-plan -q --profile ./profile.h5 -m guo2014-regimes -o plan.h5 "$small" > /dev/null
"$tests/forecasts" forecasts.h5 < "$(dirname "${BASH_SOURCE[0]}")/../forecasts.txt" > /dev/null
"$tests/h5_damage" foreign matrix-plain.h5 40
"$tests/h5_damage" checked matrix-group.h5 40
"$tests/h5_damage" matlab matrix-matlab.h5 40
"$tests/h5_damage" anndata matrix-anndata.h5 40
cp run.h5 run-older.h5
"$tests/h5_damage" older run-older.h5
