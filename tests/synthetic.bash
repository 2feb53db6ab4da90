# SPDX-License-Identifier: BSD-3-Clause
# synthetic_profile [MODELS]: writes a run archive and a profile of a made-up device, with times from formulas, to BATS_FILE_TMPDIR.
# A program copied next to it ($BATS_FILE_TMPDIR/tree/bin) finds it as results/syn/profile.h5.
synthetic_profile() {
    tree="$BATS_FILE_TMPDIR/tree"
    mkdir -p "$tree/bin" "$tree/results/syn"
    cp "$BIN"/spmv-{predict,plan,verify} "$tree/bin/"
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
    halves 20160 2016 60 > "$BATS_FILE_TMPDIR/two.mtx"
    arrow 9000 2000 > "$BATS_FILE_TMPDIR/arrow.mtx"
    # another family, but close enough for the model "nearest" to use it as a neighbour
    halves 17640 1960 56 > "$BATS_FILE_TMPDIR/pair.mtx"
    arrow 10000 2200 > "$BATS_FILE_TMPDIR/bow.mtx"
    "$BUILD/synthetic" gpu "$BATS_FILE_TMPDIR/runs.h5" "$BATS_FILE_TMPDIR/two.mtx" "$BATS_FILE_TMPDIR/arrow.mtx" \
        stencil:points=5,n=60 stencil:points=27,n=12 constant:rows=5000,cols=5000,p=20,place=random,seed=3
    "$BUILD/synthetic" gpu "$BATS_FILE_TMPDIR/near.h5" "$BATS_FILE_TMPDIR/pair.mtx" "$BATS_FILE_TMPDIR/bow.mtx"
    "$BIN/spmv-fit" -m "${1:-$QUICK_MODELS}" --name syn -o "$tree/results/syn/profile.h5" "$BATS_FILE_TMPDIR/runs.h5" "$BATS_FILE_TMPDIR/near.h5" > "$BATS_FILE_TMPDIR/fit.tsv"
}
