#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# spmv-verify --compare: movements put into a copy of a run are found, noise is not taken for one.
bats_require_minimum_version 1.5.0
load helpers
load rows

# old.h5: a run with times from a formula
setup_file() {
    cd "$BATS_FILE_TMPDIR"
    "$BUILD/synthetic" matrices old.h5 stencil:points=5,n=40 stencil:points=27,n=12 rmat:scale=9,p=8 dense:rows=90,cols=90 \
        normal:rows=900,cols=900,p=20,sd=18,place=random uniform:rows=2000,cols=2000,p=6,half=5
}
setup() {
    need_python
    cd "$BATS_TEST_TMPDIR"
    old="$BATS_FILE_TMPDIR/old.h5"
}

# Measured again, with 1 % noise.
again='r["measured"][:] = b"2026-03-01T00:00:00Z"
def times(i, factor):
    for k in ("time_us", "stream_us"): r[k][i] *= factor
times(ok, np.exp(0.01 * rng.standard_normal(len(ok))))
of = lambda name: ok[r["kernel"][ok] == name]
'
# again STATEMENT: new.h5 is old.h5 measured again, and changed
again() { change_rows "$old" new.h5 "$again$1"; }
compare() { spmv-verify --compare "$@" > table.tsv; }
answer() { head -1 table.tsv; }
moved() { column kernel,status < table.tsv | grep -v $'\tsame$' | sort | uniq -c | awk '{ print $2, $3, $1 }' | paste -sd ,; }

# bats test_tags=id:compare-kernel
@test "compare: a kernel that takes 1.2 times as long is found in each precision, cache state and launch, and no other" {
    again 'times(of(b"ell"), 1.2)'
    run -3 compare "$old" new.h5
    [[ "$(answer)" == "# 6 of "*" groups moved beyond the noise; the most: ell, "*" takes 1.2"?"x the time ("*"), 1."*"x that of all kernels" ]]
    [ "$(moved)" = "ell slower 6" ]
    awk -F'\t' '$1 == "ell" && ($9 < 1.18 || $9 > 1.22 || $10 > $9 || $11 < $9 || $12 < 1.17 || $12 > 1.23) { exit 1 }' table.tsv
    run -3 compare new.h5 "$old"
    [ "$(moved)" = "ell faster 6" ]
    run -3 spmv-verify --compare --json -p f32 --launch stream "$old" new.h5
    [[ "$output" == *'"kernel":"ell","precision":"f32","cache":"warm","launch":"stream","class":"resident"'*'"status":"slower"'* ]]
    [[ "$output" != *'"precision":"f64"'* && "$output" != *'"launch":"graph"'* ]]
}

@test "compare: kernels that moved by another factor on each matrix are not taken for noise" {
    again 'ids = np.unique(r["source_id"], return_inverse=True)[1]
for k in (b"ell", b"sell", b"jad", b"brc"): times(of(k), np.where(ids[of(k)] % 2, 0.6, 0.95))'
    run -3 compare "$old" new.h5
    [[ "$(moved)" == "brc faster "*",ell faster "*",jad faster "*",sell faster "* ]]
}

# bats test_tags=id:compare-noise,long
@test "compare: noise alone moves nothing; two runs without a change tell how far a kernel moves between sessions" {
    again ''
    run -0 compare "$old" new.h5
    [[ "$(answer)" == "# nothing moved beyond the noise: "*" pairs of "*" groups" ]]
    [ -z "$(moved)" ]
    # one that moves by 8 % from session to session has not moved by 6 %; all others moved little
    cp new.h5 less.h5
    again 'times(of(b"ell"), 1.06)'; mv new.h5 more.h5
    run -3 compare "$old" more.h5
    [[ "$(moved)" == "ell slower "* ]]
    again 'times(ok, np.array([1.06 if k[0] % 2 else 0.94 for k in r["kernel"][ok]]))'
    run -0 compare --noise "$old,new.h5" "$old" more.h5
    grep -q '(by --noise)' table.tsv
    run -3 compare --noise "$old,less.h5" "$old" more.h5
    # too few groups tell nothing, which is said
    change_rows "$old" few.h5 'r["outcome"][r["kernel"] != b"ell"] = b"na"'
    run -3 --separate-stderr spmv-verify --noise few.h5,few.h5 --compare "$old" more.h5
    [ "$stderr" = "spmv-verify: --noise: fewer than 5 groups of a cache state, launch and class; their noise is assumed" ]
    # a single row has the noise of its rounds
    change_rows "$old" one.h5 'r["outcome"][ok[1:]] = b"na"; r["round_spread"][:] = 0.1'
    change_rows one.h5 new.h5 "$again"'r["time_us"] *= 1.05'
    run -0 compare --launch graph one.h5 new.h5
    change_rows one.h5 new.h5 "$again"'r["time_us"] *= 1.2'
    run -3 compare --launch graph one.h5 new.h5
    [[ "$(answer)" == *"; all kernels together take 1.20x the time "* ]]
}

# bats test_tags=id:compare-common
@test "compare: a shift of all kernels is told as such" {
    again 'times(ok, 1.3); r["clock_mhz"][:] = 1000'
    run -3 compare "$old" new.h5
    [[ "$(answer)" == "# no kernel moved against the others: "*"; all kernels together take 1.3"*"x the time (warm, graph, resident); "*"(warm, stream, resident); "*"(cold, graph, resident)" ]]
    [ "$(moved)" = "all slower 3" ]
}

# bats test_tags=id:compare-classes
@test "compare: a slower memory is found in large matrices; kernels of another revision, and no others" {
    run -3 compare "$ROOT"/results/{h200,h100}/matrices.h5
    [[ "$(answer)" == "# no kernel moved against the others: "*"; all kernels together take 1.2"*"x the time (warm, graph, streaming); "* && "$(answer)" != *resident* ]]
    run -3 compare "$ROOT"/results/h200/{matrices,repeat}.h5
    revised="$(sed -n 's/^# differs: revision: .* -> //p' table.tsv | tr -d '0-9 ')"
    [ -n "$revised" ] && ! column kernel,status < table.tsv | grep -vE $'\tsame$'"|^(${revised//;/|})"$'\tslower$'
}

# bats test_tags=id:compare-outcomes
@test "compare: rows that fail in one, other software and clocks, rows without a twin" {
    change_rows "$old" old.h5 'r["clock_mhz"][:] = 1500; r["build"][:] = b"CUDA 12.8" if "build" in r else b""'
    change_rows old.h5 new.h5 "$again"'r["clock_mhz"][:] = 1400; r["build"][:] = b"CUDA 13.0"; r["revision"][of(b"coo")] += 1
i = of(b"ell"); r["outcome"][i[0]] = b"wrong"; r["reason"][i[0]] = b"row 7 of y"; r["outcome"][i[1]] = b"noisy"
r["config"][i[2]] = b"ell:lanes=77"; r["source_id"][i[3]] = b"elsewhere"; r["device_key"][i[4]] = b"Other GPU"
r["stream_us"][[k for k in of(b"csr-scalar") if r["cache"][k] == b"warm"][:2]] = np.nan'
    run -3 compare old.h5 new.h5
    [[ "$(answer)" == *"; wrong or crashed that were ok: 1 row" ]]
    grep -q '^# differs: build of the kernels: CUDA 12.8 -> CUDA 13.0$' table.tsv
    grep -q '^# differs: revision: coo [0-9]* -> coo [0-9]*$' table.tsv
    grep -q '^# differs: median clock: 1500 MHz -> 1400 MHz$' table.tsv
    grep -q '^# outcome: ok -> wrong: 1 row, e.g. ell.*: row 7 of y$' table.tsv
    grep -q '^# outcome: ok -> noisy: 1 row, e.g. ell' table.tsv
    grep -q '^# without a twin: new.h5: 1 row of another matrix, 1 row of another device, 1 row of a configuration that only this one has$' table.tsv
    grep -q '^# without a twin: old.h5: 3 rows of a precision or cache state that only this one has, 2 times in a graph or stream that only this one has$' table.tsv
}

# bats test_tags=id:compare-devices
@test "compare: rows of several devices pair by device; single devices pair if they are of one kind" {
    again 'i = ok[::2]; r["device_key"][i] = b"GPU B"'; mv new.h5 two.h5
    change_rows two.h5 new.h5 "$again"'times(np.intersect1d(of(b"ell"), np.where(r["device_key"] == b"GPU B")[0]), 1.2)'
    run -3 compare --device "GPU B" two.h5 new.h5
    [[ "$(moved)" == "ell slower "* ]]
    run -0 compare --device "Synthetic GPU" two.h5 new.h5
    again 'r["device_key"][:] = b"GPU B"'
    run -0 compare "$old" new.h5
    grep -q '^# nothing moved' table.tsv
}

# bats test_tags=id:compare-refused
@test "compare: the same archive twice; archives without a common row" {
    run -0 compare "$old" "$old"
    [[ "$(answer)" == "# nothing moved: both archives hold the same "*" measurements" ]]
    "$BUILD/synthetic" matrices other.h5 stencil:points=5,n=30
    run -1 --separate-stderr compare "$old" other.h5
    [[ "$stderr" == *"nothing to compare: $old has "*" rows of another matrix; other.h5 has "*" rows of another matrix" ]]
}
