#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# spmv-info: matrices compared with an independent index; archives with kind, tables, provenance.
load helpers
bats_require_minimum_version 1.5.0

@test "--help works" {
    run -0 spmv-info --help
    [[ "$output" == *"--features"* ]]
}

# FULL=1: also matrices with more than a million nonzeros.
# bats test_tags=long
@test "rows, columns, nonzeros and row statistics of the shared matrices equal their index" {
    need_shared
    cd "$SHARED_MATRICES"
    mapfile -t files < <(awk -F'\t' -v limit="${FULL:+1e18}" 'NR > 1 && $5 <= (limit ? limit : 1e6) { print $1 ".mtx.xz" }' INDEX.tsv)
    [ "${#files[@]}" -ge 100 ]
    spmv-info "${files[@]}" > "$BATS_TEST_TMPDIR/info"
    awk -F'\t' '
        function near(a, b) { return a - b <= 0.000051 && b - a <= 0.000051 }
        FNR == 1 { file++ }
        file == 1 { if (FNR > 1) for (k = 3; k <= 9; k++) want[$2 "/" $1, k] = $k; next }
        $1 == "name" { name = $2; n++ }
        { got[name, $1] = $2 }
        $1 == "pattern_id" {
            split("3 rows 4 cols 5 nnz 8 row_min 9 row_max", key, " ")
            for (k = 1; k < 10; k += 2)
                if (want[name, key[k]] == "" || want[name, key[k]] != got[name, key[k + 1]]) { print name, key[k + 1], got[name, key[k + 1]], want[name, key[k]]; bad = 1 }
            if (!near(want[name, 6], got[name, "row_mean"]) || !near(want[name, 7], got[name, "row_sd"])) { print name, "mean, sd"; bad = 1 }
        }
        END { print n, "matrices"; exit bad }' INDEX.tsv "$BATS_TEST_TMPDIR/info" > "$BATS_TEST_TMPDIR/compared" || { cat "$BATS_TEST_TMPDIR/compared"; false; }
    [ "$(tail -n 1 "$BATS_TEST_TMPDIR/compared")" = "${#files[@]} matrices" ]
}

# bats test_tags=quick
@test "output is key, tab, value, with an empty line between matrices; --json prints one object per line; --features adds keys" {
    cd "$BATS_TEST_TMPDIR"
    printf '%s\n' '%%MatrixMarket matrix coordinate real general' '3 4 4' '1 1 2' '2 2 0' '3 1 1' '3 4 5' > a.mtx
    spmv-info a.mtx a.mtx > two
    [ "$(grep -c '^$' two)" -eq 1 ]
    [ "$(grep -c "^row_mode	1$" two)" -eq 2 ]
    [ "$(awk '/^values_/ { printf "%s ", $2 }' two)" = "4 4 1 4 4 1 " ]
    [ "$(awk 'NR == 1 { sub("real", "pattern") } NR > 2 { NF = 2 } 1' a.mtx | spmv-info - | awk '/^nnz|^values_/ { printf "%s ", $2 }')" = "4 0 0 0 " ]
    run -0 spmv-info --features a.mtx
    [ "$(value_of bandwidth <<<"$output")" = 2 ]
    [ "$(value_of diagonals <<<"$output")" = 3 ]
    [ "$(value_of heaviest <<<"$output")" = "2 2 4 4 4 4 4 4 4 4 4" ]
    [[ "$output" != *lengths_by* ]]
    run -0 spmv-info --histogram a.mtx
    [ "$(value_of lengths_by_1 <<<"$output")" = "1:2 2:1" ]
    [ "$(value_of lengths_by_2 <<<"$output")" = "1:1 2:1" ]
    [[ "$output" != *heaviest* ]]
    need_python
    spmv-info --json --features a.mtx a.mtx > out
    "$PYTHON" -c '
import json
a, b = map(json.loads, open("out"))
assert a == b and a["rows"] == 3 and a["nnz"] == 4 and abs(a["row_mean"] - 4 / 3) < 1e-9 and a["sectors_f64_all"] == 1'
}

@test "the features of a matrix are the same from any file format, on 1 and 7 threads" {
    need_shared
    cd "$BATS_TEST_TMPDIR"
    xz -dc "$SHARED_MATRICES/adder_dcop_05.mtx.xz" > adder_dcop_05.mtx
    spmv-import -o b.h5 adder_dcop_05.mtx
    OMP_NUM_THREADS=1 spmv-info --features adder_dcop_05.mtx | grep -v ^source > one
    OMP_NUM_THREADS=7 spmv-info --features b.h5 | grep -v ^source > two
    OMP_NUM_THREADS=7 spmv-info --features "$SHARED_MATRICES/adder_dcop_05.mtx.xz" | grep -v ^source > three
    grep -q ^sectors_f32_1024 one
    cmp one two
    cmp one three
}

@test "a recipe is accepted as a matrix, directly and after spmv-import" {
    cd "$BATS_TEST_TMPDIR"
    run -0 spmv-info stencil:points=5,n=20
    [ "$(value_of rows <<<"$output")" = 400 ]
    [ "$(value_of nnz <<<"$output")" = 1920 ]
    id="$(value_of matrix_id <<<"$output")"
    recipe="$(value_of recipe <<<"$output")"
    [ "$(awk '/^values_/ { printf "%s ", $2 }' <<<"$output")" = "0 0 0 " ]
    spmv-import -o v.h5 stencil:points=5,n=20,values=laplacian
    [ "$(spmv-info v.h5 stencil:points=5,n=20,values=laplacian stencil:points=5,n=20,values=material | awk '/^values_/ { printf "%s ", $2 }')" = "6 6 1 6 6 1 400 400 0 " ]
    spmv-import -o s.h5 stencil:points=5,n=20
    run -0 spmv-info s.h5
    [ "$(value_of matrix_id <<<"$output")" = "$id" ]
    [ "$(value_of recipe <<<"$output")" = "$recipe" ]
}

@test "for an archive the kind, the tables with their row counts and the provenance are printed" {
    cd "$BATS_TEST_TMPDIR"
    [ -x "$BIN/spmv-gen" ] || skip "no spmv-gen in this build"
    spmv-gen stencil points=5 n=20 -o r.h5
    run -0 spmv-info r.h5
    [ "$(value_of kind <<<"$output")" = recipes ]
    [ "$(value_of table.recipes <<<"$output")" = 1 ]
    [ "$(value_of provenance.1.program <<<"$output")" = spmv-gen ]
    [ "$(spmv-import -o s.h5 r.h5 > /dev/null && spmv-info s.h5 | value_of nnz)" = 1920 ]
}

# bats test_tags=quick
@test "--table has a row per matrix; failures are reported, the rest follows, and the worst status wins" {
    cd "$BATS_TEST_TMPDIR"
    printf '%s\n' '%%MatrixMarket matrix coordinate real general' '3 4 4' '1 1 2' '2 2 0' '3 1 1' '3 4 5' > a.mtx
    spmv-gen stencil points=5 n=20 -o r.h5 > /dev/null
    spmv-import -o b.h5 stencil:points=5,n=9 > /dev/null
    head -c 3000 b.h5 > cut.h5
    for more in "" --features --histogram; do
        run -0 spmv-info --table $more a.mtx stencil:points=5,n=20 b.h5
        [ "${#lines[@]}" -eq 4 ]
        awk -F'\t' 'NR == 1 { n = NF } NF != n { exit 1 } $1 == "" { exit 1 }' <<<"$output"
        # each column equals the value in the plain output, where it is named by its key; column matrix has the key name
        k=1
        for m in a.mtx stencil:points=5,n=20 b.h5; do
            k=$((k + 1))
            diff <(spmv-info $more $m | sed '1s/^name/matrix/') <(paste <(sed -n 1p <<<"$output" | tr '\t' '\n') <(sed -n ${k}p <<<"$output" | tr '\t' '\n'))
        done
    done
    run -1 --separate-stderr spmv-info --table none.mtx a.mtx r.h5 b.h5
    [ "${#lines[@]}" -eq 3 ]
    spmv-info --table run.h5 2> /dev/null || [ $? -eq 1 ]
    [[ "$stderr" == *"none.mtx"* ]]
    for form in "" --json --table; do
        run -3 --separate-stderr spmv-info $form none.mtx a.mtx cut.h5 b.h5
        [[ "$stderr" == *"none.mtx"*"cut.h5"* && "$output" == *a*n9* || "$output" == *a*"n=9"* ]]
    done
    need_python
    spmv-info --table --json a.mtx b.h5 > out
    "$PYTHON" -c '
import json
d = json.load(open("out"))
assert [r["matrix"] for r in d["rows"]] == ["a", "stencil:points=5,n=9,seed=1"] and [r["nnz"] for r in d["rows"]] == [4, 369]'
}
