# SPDX-License-Identifier: BSD-3-Clause
# synthetic_profile: a run archive and a profile of a device that does not exist, with times by formula, in BATS_FILE_TMPDIR.
# A program copied next to it ($BATS_FILE_TMPDIR/tree/bin) finds it as results/syn/profile.h5.
synthetic_profile() {
    tree="$BATS_FILE_TMPDIR/tree"
    mkdir -p "$tree/bin" "$tree/results/syn"
    cp "$BIN"/spmv-{predict,plan,verify} "$tree/bin/"
    {   # long rows first, then short ones: worth splitting
        awk 'BEGIN {
            for (i = 1; i <= 2016; i++) for (j = 0; j < 60; j++) e[++n] = i " " (i * 7 + j * 13) % 20160 + 1 " 1.5"
            for (i = 2017; i <= 20160; i++) for (j = 0; j < 3; j++) e[++n] = i " " (i + j * 5) % 20160 + 1 " 2"
            print "%%MatrixMarket matrix coordinate real general"; print 20160, 20160, n
            for (k = 1; k <= n; k++) print e[k] }'
    } > "$BATS_FILE_TMPDIR/two.mtx"
    awk 'BEGIN { print "%%MatrixMarket matrix coordinate real general"; print 9000, 9000, 11000
        for (i = 1; i <= 9000; i++) print i, i, 1
        for (j = 1; j <= 2000; j++) print 9000, j, 3 }' > "$BATS_FILE_TMPDIR/arrow.mtx"
    "$BUILD/synthetic" gpu "$BATS_FILE_TMPDIR/runs.h5" "$BATS_FILE_TMPDIR/two.mtx" "$BATS_FILE_TMPDIR/arrow.mtx" \
        stencil:points=5,n=60 stencil:points=27,n=12 constant:rows=5000,cols=5000,p=20,place=random,seed=3
    "$BIN/spmv-fit" --name syn -o "$tree/results/syn/profile.h5" "$BATS_FILE_TMPDIR/runs.h5" > "$BATS_FILE_TMPDIR/fit.tsv"
}
