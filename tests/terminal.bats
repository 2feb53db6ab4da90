#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Output on a terminal: tables, notes and --help fit its width. In a pipe nothing is shortened or left out.
load helpers
bats_require_minimum_version 1.5.0

setup() { command -v script > /dev/null || skip "no script(1)"; }

# on_terminal COLUMNS COMMAND...: prints what COMMAND prints on a terminal of that width
on_terminal() {
    local columns=$1; shift
    TERM=dumb script -qec "stty cols $columns rows 50; $*" /dev/null < /dev/null | tr -d '\r'
}

# fits COLUMNS: succeeds if stdin has lines and none is longer
fits() { awk -v w="$1" '{ gsub(/\033\[[0-9;]*[a-zA-Z]/, "") } length($0) > w { print length($0) ": " $0; bad = 1 } END { exit bad || NR == 0 }'; }

@test "terminal: text is wrapped at blanks, long words after | , or /, and each clause on its own line; widths count characters, not bytes" {
    "$BUILD/terminal"
}

@test "terminal: --help of every program fits 80 columns in a pipe and the width of a terminal" {
    for program in "$BIN"/spmv-*; do
        "$program" --help | fits 80 || { echo "$program"; false; }
        for w in 60 80 100; do on_terminal $w "$program" --help | fits $(( w < 80 ? 80 : w )) || { echo "$program on $w"; false; }; done
    done
}

@test "terminal: predict shows the advice, then the best configuration of each kernel with a forecast; a pipe gets every column and reason" {
    ask="$BIN/spmv-predict -q --profile $ROOT/results/h200/profile.h5 stencil:points=7,n=40"
    $ask > "$BATS_TEST_TMPDIR/pipe"
    for w in 80 100; do
        on_terminal $w $ask > "$BATS_TEST_TMPDIR/$w"
        fits $w < "$BATS_TEST_TMPDIR/$w"
        [[ "$(head -n 1 "$BATS_TEST_TMPDIR/$w")" =~ ^"# f64, warm: "(use|stay\ with)" "[^\ ]+";"$ ]]
        # the header takes two lines; the rows are those that have a place in the pipe's output
        grep -A1 -E '^ +time +low +high' "$BATS_TEST_TMPDIR/$w" | grep -qE '^place +config +us +us +us +vs_csr +us +spmv( +us)?( +status)?$'
        [ "$(grep -c '^\*' "$BATS_TEST_TMPDIR/$w")" = 1 ] # the recommended row
        sed -i 's/^\*/ /' "$BATS_TEST_TMPDIR/$w"
        diff <(awk '$1 ~ /^[0-9]+$/ { print $1, $3 }' "$BATS_TEST_TMPDIR/$w") <(column place,time_us < "$BATS_TEST_TMPDIR/pipe" | awk -F'\t' '$1 != "-" { print $1, $2 }')
    done
    # a configuration in its short form, if not cut off, still means the same
    awk '$1 ~ /^[0-9]+$/ && $2 !~ /\.\.\.$/ { print $2 }' "$BATS_TEST_TMPDIR/100" > "$BATS_TEST_TMPDIR/short"
    [ "$(wc -l < "$BATS_TEST_TMPDIR/short")" -gt 8 ]
    sort "$BATS_TEST_TMPDIR/short" | uniq -d > "$BATS_TEST_TMPDIR/twice"
    [ ! -s "$BATS_TEST_TMPDIR/twice" ]
    # shellcheck disable=SC2046
    $ask $(sed 's/^/-c /' "$BATS_TEST_TMPDIR/short") | column config > "$BATS_TEST_TMPDIR/full"
    paste "$BATS_TEST_TMPDIR/short" "$BATS_TEST_TMPDIR/full" | awk -F'\t' 'NR == FNR { n[$2]++; next } { split($1, s, ":"); split($2, f, ":") } n[$2] != 1 || s[1] != f[1] { print; bad = 1 } END { exit bad }' "$BATS_TEST_TMPDIR/pipe" -
    grep -q $'^-\t.*\tna\t' <<<"$($ask -p f64 --all)"
    run ! grep -q '^ *-  ' "$BATS_TEST_TMPDIR/100"
}

@test "terminal: --columns chooses columns and their order" {
    ask="spmv-predict -q --profile $ROOT/results/h200/profile.h5 --top 2 stencil:points=5,n=9"
    run -0 $ask --columns status,place
    [ "$(grep -v '^#' <<<"$output" | head -n 2)" = $'status\tplace\nok\t1' ] || { echo "$output"; false; }
    diff <($ask) <($ask --columns all)
    on_terminal 60 "$BIN/$ask" --columns config,matrix | grep -qE '^config +matrix$'
    # requested columns wider than the terminal are printed whole
    on_terminal 60 "$BIN/$ask" --columns all | grep -q "csr-[a-z]*:.*stencil:points=5,n=9,seed=1"
}

@test "terminal: columns that do not fit are left out, from the last on, and named" {
    ask="$BIN/spmv-predict -q --profile $ROOT/results/h200/profile.h5 --top 2 stencil:points=5,n=9"
    on_terminal 50 $ask > "$BATS_TEST_TMPDIR/narrow"
    fits 50 < <(grep -v '^#' "$BATS_TEST_TMPDIR/narrow")
    tr -s '\n#' ' ' < "$BATS_TEST_TMPDIR/narrow" | grep -q 'columns that do not fit this terminal: .*breakeven_spmv'
    run ! grep -q 'spmv$' <(grep -v '^#' "$BATS_TEST_TMPDIR/narrow")
}

@test "terminal: plan, info and lists fit 80 and 100 columns" {
    spmv-import -o "$BATS_TEST_TMPDIR/a-matrix-with-a-rather-long-name-for-a-file.h5" stencil:points=7,n=12 > /dev/null
    cd "$BATS_TEST_TMPDIR"
    for w in 80 100; do
        for command in "$BIN/spmv-plan -q --profile $ROOT/results/h200/profile.h5 stencil:points=7,n=12" "$BIN/spmv-info stencil:points=7,n=12" \
            "$BIN/spmv-info a-matrix-with-a-rather-long-name-for-a-file.h5 $ROOT/results/h200/profile.h5" "$BIN/spmv-predict --list"; do
            on_terminal $w $command > out
            fits $w < out || { echo "$command on $w"; false; }
        done
    done
    # a table printed row by row keeps its columns, and a file that cannot be read is named
    echo x > bad.mtx
    on_terminal 60 "$BIN/spmv-predict" -q --profile "$ROOT/results/h200/profile.h5" --summary stencil:points=5,n=3 bad.mtx stencil:points=7,n=30 > out
    [ "$(awk '/ (yes|no) / { print match($0, /[0-9]  [a-z]/) }' out | uniq -c | awk '{ print $1 }')" = 2 ] || { cat out; false; }
    grep -q '^spmv-predict: bad.mtx: line 1' out
    on_terminal 100 "$BIN/spmv-info" stencil:points=7,n=12,values=laplacian > out
    [ "$(wc -l < out)" -le 10 ]
    grep -qx 'values *real, at most 8 distinct, exact in f32' out
    [[ "$(on_terminal 100 "$BIN/spmv-plan" -q --profile "$ROOT/results/h200/profile.h5" stencil:points=7,n=12 | head -n 1)" == "# do not split: "@(use|stay with)" "* ]]
}

@test "terminal: run, merge, fit, verify, speed and the lists fit 80 and 100 columns; the reasons given by spmv-run are wrapped" {
    cd "$BATS_TEST_TMPDIR"
    export SPMVCAST_ACCEPT_NOISE=1
    for w in 80 100; do
        rm -rf run.h5* merged.h5*
        for command in "spmv-run -q --backend cpu --cache warm --rounds-cap 3 --time-cap 0 -c csr-scalar -c csr-vector:lanes=8 -c dia -o run.h5 stencil:points=5,n=20 rmat:scale=9,p=8" \
            "spmv-merge -o merged.h5 run.h5" "spmv-fit -q -m bandwidth --name t -o p.h5 run.h5" "spmv-check run.h5 p.h5" \
            "spmv-run --list" "spmv-gen --list" "spmv-fit --list" "spmv-speed $ROOT/results/h200/sealed-large.h5" \
            "spmv-verify --profile $ROOT/results/h200/profile.h5 -m bandwidth,cusparse $ROOT/results/h200/sealed-large.h5" "spmv-verify $ROOT/results/h200/plans.h5"; do
            on_terminal $w "$BIN/$command" > out
            fits $w < out || { echo "$command on $w"; false; }
            [[ "$command" != "spmv-run -q"* ]] || cp out rows
        done
        # dia does not apply to rmat: the reason follows its row, on one line at 100 columns
        [ $w -eq 80 ] || [[ "$(tr -s '\n ' ' ' < rows)" == *" na "*"diagonals"* ]] || { cat rows; false; }
        [ "$(grep -c ' ok ' rows)" -ge 4 ]
    done
}

@test "terminal: messages on stderr are wrapped at blanks; in a pipe they stay on one line" {
    missing="$BATS_TEST_TMPDIR/a-directory-that-does-not-exist/a-file-that-does-not-exist-either.mtx"
    on_terminal 60 "$BIN/spmv-info" "$missing" > "$BATS_TEST_TMPDIR/out"
    grep -qxF "  $missing:" "$BATS_TEST_TMPDIR/out"
    [ "$(wc -l < "$BATS_TEST_TMPDIR/out")" -gt 1 ]
    run -1 --separate-stderr spmv-info "$missing"
    [ "${#stderr_lines[@]}" -eq 1 ]
}
