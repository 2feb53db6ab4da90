#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Prints the table tests/errors/TABLE.tsv with exit statuses and errors as the programs behave now; tests/errors.bats compares them.
#   tests/errors.sh TABLE > new      to add a row: append "?<TAB>COMMAND" to the table, run this, read the new row, replace the table
# Columns: exit status, command, stderr and, only if it is not as a failure should be, "stdout: TEXT" or "files: changed". Commands are
# lines of bash in a directory with the files of `inputs` and, if there is one, `inputs_TABLE`, which they must leave as they are. In
# texts, backslash, tab and newline are \\, \t and \n; the directory is DIR, the source tree ROOT. Texts that depend on the machine, on
# HDF5 or on the length of paths are tested in tests/*.bats.
set -uo pipefail
# shellcheck source=tests/helpers.bash
. "$(dirname "$0")/helpers.bash"
# shellcheck source=tests/paper.bash
. "$(dirname "$0")/paper.bash"
export LC_ALL=C.UTF-8
PATH="$PATH:$BUILD"                 # after all others: test drivers have plain names

inputs() {
    mtx() { printf '%s\n' '%%MatrixMarket matrix coordinate real general' "${@:2}" > "$1"; }
    mtx tiny.mtx '3 3 4' '1 1 2' '2 2 3' '3 3 4' '3 1 1'
    mtx -z.mtx '1 1 1' '1 1 2'
    : > empty
    echo text > text.h5
    mkdir folder
    ln -s "$BUILD/synthetic-gpu.h5" gpu.h5                  # rows of benchmarks only
    ln -s "$BUILD/synthetic-cpu.h5" cpu.h5
    ln -s "$BUILD"/syn/{two.mtx,runs.h5,gp.h5,gp.pack} .    # runs.h5, and profiles with physics-gp and without it
    for form in h5 pack; do ln -s "$BUILD/syn/quick.$form" profile.$form; done
    ! declare -F "inputs_$1" > /dev/null || "inputs_$1"
}
# home PROGRAM: a copy outside the source tree, so that it finds no profiles there
home() { mkdir -p home/bin; cp "$BIN/$1" home/bin/; }
forecasts() { "$BUILD/forecasts" forecasts.h5 < "$ROOT/tests/forecasts.txt"; }
cpu_run() { "$BUILD/synthetic" cpu cpu-run.h5 stencil:points=5,n=10 > /dev/null; }
inputs_fit() {
    forecasts
    cpu_run
    "$BUILD/rivals" write-bare bare.h5 > /dev/null
    "$BUILD/rivals" write-h200 h200-run.h5 > /dev/null
    spmv-fit -q -m bandwidth -o h200.h5 h200-run.h5 > /dev/null
}
inputs_predict() {
    home spmv-predict
    "$BUILD/rivals" write-bare bare.h5 > /dev/null
    spmv-fit -q -m nearest --name f64 -o f64.h5 bare.h5 > /dev/null
    spmv-fit -q -m bandwidth --name bare -o bandwidth.h5 gpu.h5 > /dev/null
    spmv-fit -q -m bandwidth --name cpu -o cpu-profile.h5 cpu.h5 > /dev/null
}
inputs_plan() {
    mtx rowless.mtx '0 5 0'
    mtx zero.mtx '5000 5000 0'
    spmv-fit -q -m guo2014-regimes --name cpu -o cpu-profile.h5 cpu.h5 > /dev/null
}
inputs_verify() {
    forecasts
    printf '%s\n' "state 0" "case i G/a F ell:lanes=1,block=256 ell f64 warm graph resident 0 1000 5 0" "of 0 m all 1 0 0 4 nan nan 0" \
        "cost 0 40 60 298 2 40 60 58 2" | "$BUILD/forecasts" costs.h5
    cpu_run
}
inputs_profile() { home spmv-profile; }
inputs_execute() {
    spmv-import -o matrix.h5 tiny.mtx > /dev/null
    "$BUILD/plan_made" plan.h5 profile.h5 tiny.mtx serial 1:csr-scalar end:ell
    "$BUILD/plan_made" f32.h5 profile.h5 tiny.mtx serial/f32 end:ell
    "$BUILD/plan_made" gap.h5 profile.h5 tiny.mtx serial 2:ell 1:ell end:ell
}
inputs_speed() {
    cpu_run
    peers() { printf '%s\n' "${@:2}" | tr ' ' '\t' > "$1.tsv"; }
    local header='matrix precision rows cols nnz peer graph_us' row='s10 f64 100 100 460 a'
    peers columns 'matrix precision rows'
    peers short "$header" 's10 f64 100'
    peers precision "$header" "$row 2" "${row/f64/f16} 2"
    peers rows "$header" "${row/100/many} 2"
    peers fast "$header" "$row fast"
    peers zero "$header" "$row 0"
}
complex() { printf '%s\n' '%%MatrixMarket matrix coordinate complex general' '2 2 1' "$1"; }
inputs_import() {
    mtx made.mtx '1 1 1' '1 1 2'
    touch made.h5
    printf 'PK\3\4 not a matrix at all, and a long line of it that need not be shown whole\n' > other.zip
    : > hollow.mtx
    tar -cf t.tar hollow.mtx
    complex '1 1 2' > no-imaginary.mtx
    complex '1 1 2 x' > imaginary.mtx
    complex '1 1 x 2' > real.mtx
    complex '1 1 2 3 4' > extra.mtx
}
inputs_info() {
    complex '1 1 2 3' > complex.mtx
    sed 's/^3 1 1/3 9 1/' tiny.mtx | tr '\n' '\r' > cr.mtx
    { printf '\xff\xfe'; sed 's/./&\x00/g; s/$/\x00/' tiny.mtx; } > utf16-le.mtx
    { printf '\xfe\xff'; sed 's/./\x00&/g; s/$/\x00/' tiny.mtx; } > utf16-be.mtx
    tail -c +3 utf16-le.mtx > utf16.mtx
    sed 's/^3 1 1/9 9 9/' tiny.mtx > cant.mtx
    tar -cf cant.tar cant.mtx
    spmv-import -o matrix.h5 tiny.mtx > /dev/null
    gzip -k matrix.h5
    tar -cf matrix.tar tiny.mtx matrix.h5
    { head -c 1024 /dev/zero | tr '\0' x; cat matrix.h5; } > later
}
inputs_merge() {
    "$BUILD/merge" write a.h5 m3/csr/G/ok/1/2026-01-01 m4/csr/G/ok/1/2026-01-01
    "$BUILD/merge" write b.h5 m4/csr/G/ok/1/2026-01-01
    "$BUILD/archive" write-newer newer.h5
    spmv-gen stencil points=5 n=4 -o recipes.h5 > /dev/null
    mkdir logs.h5.log
    mkfifo pipe
}
inputs_report() {
    cpu_run
    mtx short.mtx '3 3 4' '1 1 1'
    mtx zero.mtx '5 5 0'
    "$BUILD/synthetic" branches branches.h5
    "$BUILD/rivals" write-h200 h200-run.h5 > /dev/null
    spmv-fit -q -m bandwidth -o h200.h5 h200-run.h5 > /dev/null
}
inputs_run() {
    head -c 40 tiny.mtx > cut.mtx
    echo '# none' > comments
    printf '4\tf64\ttiny\t-\ttiny.mtx\n' > shares
    mkdir plans
    "$BUILD/plan_made" plans/plan.h5 profile.h5 tiny.mtx serial end:ell
    printf '%s\n' '%%MatrixMarket matrix array pattern general' '3 1' 1 1 1 | gzip > array.mtx.gz
    spmv-gen stencil points=5 n=4 -o recipes.h5 > /dev/null
    spmv-gen choi2010 --geometry "Tesla C2050 / M2050" -o c2050.h5 > /dev/null
    spmv-gen choi2010 --geometry "GeForce GTX Titan" -o titan.h5 > /dev/null
    printf '0\tf64\tr\t-\tstencil:points=5,n=4\t%0512d\n' 0 > long-configurations
    printf '%s\n' tiny.mtx none.mtx > list
    printf '%s\n' one.mtx tiny.mtx "# none" "" four.mtx three.mtx > gaps
    seq -f 'none%g.mtx' 200 > many-gaps
    echo self > self
    printf '%s\n' tiny.mtx folder > folders
}
inputs_query() {
    forecasts
    cpu_run
    printf 'SELECT\n  kernl\nFROM rows\n' > column.sql
    printf '\xc3\xa9, 1' | sed 's/^/SELECT "/' > quote.sql
    printf 'SELECT 1\0' > binary.sql
}
inputs_reproduce() {
    paper_begin toy "toy other"
    mkdir data none
    ln -s ../runs.h5 data/toy.h5
}
state() { ls -lAR --time-style=+%s.%N; }
state_and_own_times() { ls -laR --time-style=+%s.%N; }
# cell TEXT: sets REPLY to the text as it is written in the table
cell() {
    REPLY=${1//\\/\\\\}
    REPLY=${REPLY//$'\t'/\\t}
    REPLY=${REPLY//$'\n'/\\n}
    REPLY=${REPLY//"$PWD"/DIR}
    REPLY=${REPLY//"$ROOT"/ROOT}
}

# begin TABLE: the directory with its files
begin() {
    rm -rf "$work/dir"
    mkdir "$work/dir"
    cd -P "$work/dir" || exit 1         # as programs find their own paths
    export XDG_DATA_HOME="$PWD/data"
    inputs "$1"
}

# table_rows TABLE [STATE]: the rows; with STATE (state), the files are looked at after each command
table_rows() {
    local line command status error besides before="" after=""
    [ $# = 1 ] || before=$("$2")
    while IFS= read -r line; do
        case $line in
            '#'* | "exit	"*) printf '%s\n' "$line"; continue ;;
        esac
        IFS=$'\t' read -r _ command _ <<< "$line"
        (eval "$command") > ../out 2> ../err < /dev/null
        status=$?
        cell "$(< ../err)"
        error=$REPLY besides=
        if [ -s ../out ]; then cell "$(< ../out)"; besides="	stdout: $REPLY"; fi
        [ $# = 1 ] || after=$("$2")
        [ "$after" = "$before" ] || besides+="	files: changed"
        before=$after
        printf '%s\t%s\t%s%s\n' "$status" "$command" "$error" "$besides"
    done < "$ROOT/tests/errors/$1.tsv"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
touch "$work"/{out,err,table}           # the directory above changes no more
begin "$1"
before=$(state_and_own_times)
table_rows "$1" > ../table
if [ "$(state_and_own_times)" = "$before" ]; then cat ../table; else begin "$1"; table_rows "$1" state; fi
