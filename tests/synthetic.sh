#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# tests/synthetic.sh DIR: writes matrices, run archives and profiles of a made-up device, with times from formulas, to DIR. make calls
# it once; tests only read the files (synthetic_profile in helpers.bash), and DIR/SHA256SUMS shows that none has changed them.
set -euo pipefail
# shellcheck source=tests/helpers.bash
. "$(dirname "$0")/helpers.bash"
mkdir -p "$1"
cd "$1"
rm -f -- *
# long rows first, then short ones, so that splitting pays; and a diagonal with one long row (arrow)
halves() {
    awk -v rows="$1" -v long="$2" -v wide="$3" 'BEGIN {
        for (i = 1; i <= long; i++) for (j = 0; j < wide; j++) e[++n] = i " " (i * 7 + j * 13) % rows + 1 " 1.5"
        for (i = long + 1; i <= rows; i++) for (j = 0; j < 3; j++) e[++n] = i " " (i + j * 5) % rows + 1 " 2"
        print "%%MatrixMarket matrix coordinate real general"; print rows, rows, n
        for (k = 1; k <= n; k++) print e[k] }'
}
arrow() {
    awk -v rows="$1" -v long="$2" 'BEGIN { print "%%MatrixMarket matrix coordinate real general"; print rows, rows, rows + long
        for (i = 1; i <= rows; i++) print i, i, 1
        for (j = 1; j <= long; j++) print rows, j, 3 }'
}
halves 20160 2016 60 > two.mtx
arrow 9000 2000 > arrow.mtx
# another family, but close enough for the model "nearest" to use it as a neighbour
halves 17640 1960 56 > pair.mtx
arrow 10000 2200 > bow.mtx
"$BUILD/synthetic" gpu runs.h5 two.mtx arrow.mtx stencil:points=5,n=60 stencil:points=27,n=12 constant:rows=5000,cols=5000,p=20,place=random,seed=3
"$BUILD/synthetic" gpu near.h5 pair.mtx bow.mtx
for models in "$QUICK_MODELS" "physics-gp,$QUICK_MODELS" all; do
    case $models in all) name=all ;; physics-gp,*) name=gp ;; *) name=quick ;; esac
    spmv-fit -q -m "$models" --name syn -o $name.h5 runs.h5 near.h5 > $name.tsv
done
spmv-fit --pack {quick,gp,all}.h5
chmod a-w -- *
sha256sum -- * > SHA256SUMS
