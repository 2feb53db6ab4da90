#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# A run archive as work: spmv-run --like measures its configurations, and its generated matrices as an operand, again.
bats_require_minimum_version 1.5.0
load helpers
load rows

QUICKLY=(--backend cpu --time-cap 0 --rounds-cap 3)
setup_file() {
    cd "$BATS_FILE_TMPDIR"
    printf '%%%%MatrixMarket matrix coordinate real general\n3 3 4\n1 1 1.0\n2 2 2.0\n3 3 3.5\n3 1 1.5\n' > a.mtx
    spmv-gen -q wang2017-constant quick=1 max_bytes=3000000 --geometry C2050 -o grid.h5 > grid.tsv
    work=(-q "${QUICKLY[@]}" -p f32 --cache warm -c ell:lanes=2 -c ell -c hyb:k=auto -c csr-scalar -c jad -c csr-vector:lanes=16 -o old.h5)
    spmv-run "${work[@]}" a.mtx stencil:points=5,n=4 grid.h5 > old.tsv
    spmv-run "${work[@]}" --role benchmark stencil:points=5,n=5 > old.tsv
}
setup() { cd "$BATS_TEST_TMPDIR"; ln -s "$BATS_FILE_TMPDIR"/{a.mtx,old.h5,grid.h5} .; }
# what FILE: matrix, role, recipe's role, asked configuration, precision and cache state of each row
what() {
    spmv-query -q "SELECT m.matrix, m.role, m.recipe_role, m.kernels, r.asked, r.precision, r.cache, r.outcome FROM rows r JOIN matrices m USING (source_id)" "$1" |
        sed '1d; /^#/d; s/	noisy$/	ok/' | sort
}

# bats test_tags=id:run-like
@test "an archive and its matrix files as operands, and --like, give its rows again, with their roles; without the files a note names them" {
    need_sqlite
    what old.h5 > old
    [ "$(grep -c benchmark old)" -gt 3 ]
    [ "$(grep -c '^a	matrix' old)" -eq 5 ]
    grep -q '^stencil:points=5,n=4,seed=1	matrix' old
    grep -q '^stencil:points=5,n=5,seed=1	benchmark' old
    run -0 --separate-stderr spmv-run "${QUICKLY[@]}" --like old.h5 -o new.h5 old.h5 a.mtx
    [[ "$output" != *"no operand"* ]]
    diff old <(what new.h5)
    run -0 --separate-stderr spmv-run "${QUICKLY[@]}" --like old.h5 -o some.h5 old.h5
    [[ "$output" == *"# in a run archive, but its file is no operand: a"$'\n'* ]]
    diff <(grep -v '^a	' old) <(what some.h5)
    run -0 spmv-run "${QUICKLY[@]}" --like old.h5 -o some.h5 old.h5
    echo "$output"
    [[ "$output" == *"# $(grep -vc '^a	' old) of $(grep -vc '^a	' old) rows already measured"* ]]
}

# bats test_tags=id:run-like-limits
@test "--like: -p and --cache take others; what its sweep left out is left out; kernels of another device are not asked for" {
    need_sqlite
    run -0 spmv-run -q "${QUICKLY[@]}" --like old.h5 -p f64 --cache cold -o new.h5 a.mtx
    [ "$(what new.h5 | cut -f6,7 | sort -u)" = $'f64\tcold' ]
    [ "$(what new.h5 | wc -l)" -eq 5 ]
    # one dense row, of which ELL stores 32
    spmv-run -q "${QUICKLY[@]}" --sweep quick --cache warm -o swept.h5 dense:rows=1,cols=1000 > swept.tsv
    grep -q '	ell	.*	na	.*limit 10x: --sweep exhaustive or -c times it' swept.tsv
    run -0 spmv-run -q "${QUICKLY[@]}" --like swept.h5 -o again.h5 swept.h5
    diff <(what swept.h5) <(what again.h5)
    run -0 --separate-stderr spmv-run --dry-run --backend cpu --like "$ROOT/results/h200/wang2017.h5" -o none.h5 stencil:points=5,n=4
    [[ "$output" == *" 4 configurations, 2 states of the cache: 16 rows"* ]]
    run -0 --separate-stderr spmv-run --dry-run --backend cpu --like "$ROOT/results/h200/sealed-large.h5" -o none.h5 stencil:points=5,n=4
    [[ "$output" != *cusparse* ]]
}

# bats test_tags=id:run-like-files
@test "matrix files of run archives: those left out by --min-nnz, --max-nnz or --group are not missing, and each is named once, with its archive" {
    local work=("${QUICKLY[@]}" -c coo -p f32 --cache warm)
    printf '%%%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 1\n2 2 1\n3 3 1\n3 1 1\n' > s.mtx # 5 nonzeros; its header promises at most 8
    printf '%%%%MatrixMarket matrix coordinate real general\n2 3 6\n1 1 1\n1 2 1\n1 3 1\n2 1 1\n2 2 1\n2 3 1\n' > c.mtx
    spmv-run -q "${work[@]}" -o files.h5 a.mtx s.mtx > files.tsv
    spmv-run -q "${work[@]}" -o other.h5 a.mtx c.mtx > other.tsv
    run -0 spmv-run "${work[@]}" -o r.h5 files.h5 other.h5 stencil:points=5,n=4
    [ "$(grep 'no operand' <<< "$output")" = $'# in a run archive, but its file is no operand: a\n# in a run archive, but its file is no operand: s\n# in a run archive, but its file is no operand: c' ]
    run -0 spmv-run "${work[@]}" --max-nnz 5 -o r.h5 files.h5 other.h5 a.mtx s.mtx
    [[ "$output" == *"# left out by --min-nnz, --max-nnz or --group: 1 file"$'\n'* && "$output" != *"no operand"* ]]
    run -0 spmv-run "${work[@]}" --max-nnz 5 -o r.h5 files.h5 other.h5 a.mtx
    [ "$(grep 'no operand' <<< "$output")" = '# in a run archive, but its file is no operand: s' ]
    run -0 spmv-run "${work[@]}" --group G -o r.h5 files.h5 other.h5 a.mtx
    [[ "$output" != *"no operand"* ]]
    run -0 spmv-run "${work[@]}" --min-nnz 7 --dry-run -o none.h5 files.h5 other.h5
    run -1 spmv-run "${work[@]}" --min-nnz 5 -o none.h5 a.mtx files.h5 other.h5
    [ "$output" = "spmv-run: files.h5: the matrices of this archive are files, which it does not hold; give the files, too" ]
}

# bats test_tags=id:run-like-measured
@test "--like: what the archive measured on a matrix is measured there again, though a sweep left the configuration out elsewhere" {
    need_sqlite
    spmv-run -q "${QUICKLY[@]}" --sweep quick --cache warm -o mixed.h5 dense:rows=1,cols=1000 dense:rows=1,cols=1500 > mixed.tsv
    spmv-run -q "${QUICKLY[@]}" -c ell --cache warm -o mixed.h5 dense:rows=1,cols=1000 > mixed.tsv
    what mixed.h5 > mixed
    [ "$(grep -c 'cols=1000.*	ell	.*ok$' mixed)" -eq 1 ]
    [ "$(grep -c 'cols=1500.*	ell	.*na$' mixed)" -eq 1 ]
    run -0 spmv-run -q "${QUICKLY[@]}" --like mixed.h5 -o again.h5 mixed.h5
    diff mixed <(what again.h5)
}

# bats test_tags=id:run-like-foreign
@test "--like: rows of configurations that do not run here, or that this version lacks, add no precision, cache state or limit" {
    need_python
    change_rows old.h5 foreign.h5 'i = r["asked"] == b"jad"; r["asked"][i] = b"cusparse-csr"; r["precision"][i] = b"f64"; r["cache"][i] = b"cold"; r["outcome"][i] = b"na"; r["code"][i] = b"skipped"' \
        unknown.h5 'i = r["asked"] == b"jad"; r["asked"][i] = b"ellipsoid"; r["precision"][i] = b"f64"; r["cache"][i] = b"cold"; r["outcome"][i] = b"na"; r["code"][i] = b"skipped"'
    for old in foreign unknown; do
        run -0 --separate-stderr spmv-run --dry-run --backend cpu --like $old.h5 stencil:points=5,n=4
        [[ "$output" == *"# 1 item (one matrix in one precision each), 4 configurations, 1 state of the cache: 4 rows"* && "$output" != *"(na)"* ]]
    done
    [[ "$stderr" == *"unknown.h5: ellipsoid is left out: this version has no such configuration"* ]]
}

# bats test_tags=id:run-like-grids
@test "--like: a recipe of several grids is measured in all configurations that the archive has for it, by any name" {
    need_sqlite
    local asked=(-c ell -c coo -c hyb:k=auto -c "csr-merge:items=auto,search=own" -c dia:rows=1)
    spmv-gen -q wang2017-constant quick=1 max_bytes=1000000 --geometry cpu -o grid.h5 > grid.tsv
    recipe=$(spmv-run --dry-run "${QUICKLY[@]}" -c ell -o none.h5 grid.h5 | column matrix | head -1)
    # the archive names the configurations of the grid, which was measured first
    spmv-run -q "${QUICKLY[@]}" --cache warm --role benchmark -c ell -o grids.h5 grid.h5 > grids.tsv
    spmv-run -q "${QUICKLY[@]}" --cache warm --role benchmark "${asked[@]}" -o grids.h5 "$recipe" > grids.tsv
    what grids.h5 > grids
    [ "$(grep -F "$recipe" grids | cut -f4 | sort | uniq -c | xargs)" = "5 csr-scalar+ell+jad" ]
    [[ "$(spmv-run --dry-run "${QUICKLY[@]}" --like grids.h5 -o none.h5 grids.h5)" == *": $(wc -l < grids) rows"* ]]
    run -0 spmv-run -q "${QUICKLY[@]}" --like grids.h5 -o again.h5 grids.h5
    diff grids <(what again.h5)
}

# bats test_tags=id:run-like-notes
@test "--like: rows of parts and of plans are left out with a note, unknown configurations with a warning, once with several ranks" {
    need_python
    spmv-run -q "${QUICKLY[@]}" -p f32 --cache warm -c hyb:k=auto -c coo --parts -o parts.h5 stencil:points=5,n=4 > parts.tsv
    change_rows parts.h5 plans.h5 'i = r["asked"] == b"coo"; r["role"][i] = b"plan"' unknown.h5 'r["asked"][r["asked"] == b"coo"] = b"cooo"' \
        none.h5 'r["asked"][:] = b"cooo"'
    run -0 --separate-stderr spmv-run "${QUICKLY[@]}" --like plans.h5 -o r.h5 stencil:points=5,n=4
    [[ "$output" == *$'\n# left out by --like: 2 rows of parts; --parts times them\n# left out by --like: 1 row of plans; spmv-execute times them\n'* ]]
    run -0 --separate-stderr spmv-run "${QUICKLY[@]}" --dry-run --parts --like plans.h5 -o r.h5 stencil:points=5,n=4
    [[ "$output" == *$'\n# left out by --like: 1 row of plans; spmv-execute times them\n'* && "$output" != *"of parts"* ]]
    run -1 --separate-stderr spmv-run --backend cpu --like none.h5 -o r.h5 stencil:points=5,n=4
    [ "$stderr" = "spmv-run: --like none.h5: it has no configuration that runs on this device; this version does not have cooo" ]
    local lacks="--like unknown.h5: cooo is left out: this version has no such configuration"
    run -0 --separate-stderr spmv-run -q "${QUICKLY[@]}" --dry-run --like unknown.h5 -o r.h5 stencil:points=5,n=4
    [ "$stderr" = "spmv-run: warning: $lacks" ]
    need_mpi
    run -0 --separate-stderr mpi 2 spmv-run "${QUICKLY[@]}" --like unknown.h5 -o r.h5 stencil:points=5,n=4
    [ "$(grep -cF -e "$lacks" <<< "$stderr")" -eq 1 ]
}

# bats test_tags=quick
@test "--like: no run archive, no matrix at hand, no configuration for this device, and -c or --sweep beside it are errors" {
    refused() {
        local status="$1" text="$2"; shift 2
        run "-$status" --separate-stderr spmv-run --backend cpu -o new.h5 "$@"
        echo "$stderr"
        [[ -z "$output" && "$stderr" == "spmv-run: $text"* && ! -e new.h5 ]]
    }
    refused 1 "--like: cannot open none.h5: No such file" --like none.h5 a.mtx
    refused 1 "--like: grid.h5 is an archive of kind recipes; expected kind run" --like grid.h5 a.mtx
    refused 1 "$ROOT/results/h200/matrices2.h5: the matrices of this archive are files, which it does not hold; give the files, too" \
        -c ell "$ROOT/results/h200/matrices2.h5"
    refused 2 "--like and --config are mutually exclusive" --like old.h5 -c ell a.mtx
    refused 2 "--like and --sweep are mutually exclusive" --like old.h5 --sweep quick a.mtx
}

# bats test_tags=id:run-recipe-roles
@test "a recipe in several operands is measured once, with the role that it has in the first" {
    need_sqlite
    run -0 spmv-run "${QUICKLY[@]}" -c ell -c coo --cache warm -o r.h5 stencil:points=5,n=4 stencil:n=4,points=5,seed=1
    [[ "$output" == *"# 0 of 2 rows already measured"* ]]
    spmv-run -q "${QUICKLY[@]}" -c ell --cache warm --role benchmark -o b.h5 stencil:points=5,n=4 > b.tsv
    local operands="b.h5 stencil:points=5,n=4" role=benchmark again
    for again in 1 2; do
        rm -f r.h5
        run -0 --separate-stderr spmv-run --dry-run "${QUICKLY[@]}" -c ell --cache warm -o r.h5 $operands
        [ "$(column role,to_do <<< "$output")" = "$role"$'\t1' ]
        run -0 spmv-run "${QUICKLY[@]}" -c ell --cache warm -o r.h5 $operands
        [ "$(spmv-query -q "SELECT role FROM rows" r.h5 | grep -v '^#')" = $'role\n'$role ]
        run -0 --separate-stderr spmv-run --dry-run "${QUICKLY[@]}" -c ell --cache warm -o r.h5 $operands
        [ "$(column role,to_do <<< "$output")" = "$role"$'\t0' ]
        operands="stencil:points=5,n=4 b.h5" role=matrix
    done
    run -0 --separate-stderr spmv-run --dry-run "${QUICKLY[@]}" -c ell --cache warm --role benchmark -o none.h5 stencil:points=5,n=4 b.h5
    [ "$(column role <<< "$output")" = benchmark ]
}
