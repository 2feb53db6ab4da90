#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# "-" as a matrix: text and tar archives from standard input, plain and compressed; unsupported inputs are rejected with the reason.
bats_require_minimum_version 1.5.0
load helpers

setup() {
    cd "$BATS_TEST_TMPDIR"
    mkdir cant
    printf '%s\n' '%%MatrixMarket matrix coordinate real general' '3 4 4' '3 4 -2e-3' '1 1 2' '2 2 0' '3 1 1e22' > cant/cant.mtx
    want="$(spmv-info cant/cant.mtx | value_of matrix_id)"
}

# refused TEXT COMMAND...: with cant/cant.mtx on standard input: exit 1, one line that contains TEXT.
refused() {
    local text="$1"; shift
    run -1 --separate-stderr "$@" < "${from:-cant/cant.mtx}"
    [ -z "$output" ] && [ "${#stderr_lines[@]}" -eq 1 ] && [[ "$stderr" == "$1: "*"$text"* ]] || { echo "$*: $output | $stderr"; false; }
}

# bats test_tags=quick,id:stdin-info
@test "spmv-info -: text and tar, plain and compressed, are read from a pipe and a file; the name is stdin or the member's" {
    gzip -k cant/cant.mtx
    xz -k cant/cant.mtx
    tar -cf cant.tar cant
    tar -czf cant.tar.gz cant/cant.mtx
    for f in cant/cant.mtx cant/cant.mtx.gz cant/cant.mtx.xz cant.tar cant.tar.gz; do
        run -0 spmv-info - < "$f"
        [ "$(value_of matrix_id <<< "$output")" = "$want" ] || { echo "$f: $output"; false; }
        [ "$(value_of source <<< "$output")" = stdin ]
        [ "$(cat "$f" | spmv-info - | value_of matrix_id)" = "$want" ]
    done
    [ "$(value_of name <<< "$output")" = cant ]
    [ "$(spmv-info - < cant/cant.mtx | value_of name)" = stdin ]
    [ "$(sed '1a % name: Williams/cant' cant/cant.mtx | spmv-info - | value_of name)" = Williams/cant ]
    cp cant/cant.mtx cant/other.mtx
    tar -czf two.tar.gz cant/other.mtx cant/cant.mtx
    run -0 spmv-info -:cant/other.mtx < two.tar.gz
    [ "$(value_of name <<< "$output")" = other ]
    [ "$(value_of source <<< "$output")" = stdin:cant/other.mtx ]
}

@test "spmv-import, spmv-predict and spmv-plan read a matrix from -" {
    run -0 spmv-import - < cant/cant.mtx
    [ "$(spmv-info stdin.h5 | value_of matrix_id)" = "$want" ]
    run -0 spmv-predict --profile h200 --cache warm - < cant/cant.mtx
    [[ "$output" == *"# matrix stdin: 3 rows"* ]]
    spmv-predict --profile h200 --cache warm --json cant/cant.mtx > file.json
    spmv-predict --profile h200 --cache warm --json - < cant/cant.mtx | sed 's/"stdin"/"cant"/g; s/matrix stdin:/matrix cant:/' > stdin.json
    cmp file.json stdin.json
    run -0 spmv-plan --profile h200 -o plan.h5 - < cant/cant.mtx
    [ -s plan.h5 ]
    run -0 spmv-predict --profile h200 --cache warm <(cat cant/cant.mtx)          # a pipe under another name
    [[ "$output" == *": 3 rows"* ]]
}

@test "messages say standard input; a file named - can be given as ./-" {
    gzip -c cant/cant.mtx | head -c 40 > short
    from=short refused "standard input is cut short" spmv-info -
    sed '$s/.*/3 4 1/' cant/cant.mtx > ./-
    run -0 spmv-info ./-
    [ "$(value_of rows <<< "$output")" = 3 ]
}

# bats test_tags=id:stdin-run-rejected
@test "spmv-run and spmv-execute read a matrix several times, so - and pipes are rejected with the way out" {
    refused "standard input can be read only once, but a matrix is read several times; use a file" spmv-run --backend cpu -o run.h5 -
    echo - > list
    refused "list:1: standard input can be read only once" spmv-run --backend cpu -o run.h5 list
    mkfifo pipe
    refused "pipe can be read only once, but a matrix is read several times; use a file" spmv-run --backend cpu -o run.h5 pipe
    [ ! -e run.h5 ]
}

@test "--help says where - is accepted" {
    for p in info import predict plan; do
        run -0 spmv-$p --help
        [[ "$(tr '\n' ' ' <<< "$output")" == *"Use - for standard input, plain or compressed; HDF5 needs a file."* ]] || { echo $p; false; }
    done
    for p in run execute; do
        run -0 spmv-$p --help
        [[ "$(tr '\n' ' ' <<< "$output")" == *"standard input (-) and pipes are not supported."* ]] || { echo $p; false; }
    done
}
