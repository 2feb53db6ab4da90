#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Measures time and memory of the programs on the CPU. Prints TSV: name value unit target. Checks no limits.
# Called by `make bench`, which builds the programs and build/tests/{usage,bench_plan,synthetic,library_cost,chooser_cost}.
set -euo pipefail
tree=$(cd "$(dirname "$0")/.." && pwd)
PATH="$tree/bin:$tree/build/tests:$PATH"
work=$(mktemp -d "${TMPDIR:-/tmp}/spmvcast-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"

figure() { printf '%s\t%s\t%s\t%s\n' "$@"; }

# measure NAME TARGET_S COMMAND...: prints the shortest time and the largest memory of three runs.
measure() {
    local name=$1 target=$2
    rm -f used
    for _ in 1 2 3; do usage used "${@:3}" > out; done
    figure "$name" "$(cut -f 1 used | sort -g | head -n 1)" s "$target"
    figure "${name}_memory" "$(cut -f 2 used | sort -g | tail -n 1)" MiB -
}

# mtx ROWS: prints a Matrix Market file with 10 entries per row, in scattered columns.
mtx() {
    awk -v n="$1" 'BEGIN {
        print "%%MatrixMarket matrix coordinate real general"; print n, n, 10 * n
        for (i = 1; i <= n; i++) for (j = 0; j < 10; j++) print i, (i * 17 + j * 99991) % n + 1, "1." j }'
}
# matrix KIND ROWS: prints a Matrix Market file of KIND (real: values of 16 digits; pattern) with 20 entries per column in a band, by columns.
matrix() {
    awk -v kind="$1" -v n="$2" 'BEGIN {
        print "%%MatrixMarket matrix coordinate", kind, "general"; print n, n, 20 * n; srand(1)
        for (j = 1; j <= n; j++) for (k = 0; k < 20; k++)
            print (j + 37 * k) % n + 1, j, kind == "real" ? sprintf("%.15e", rand() - 0.5) : "" }' | sed 's/ $//'
}

# reader NAME FILE TARGET COMMAND...: prints the speed of reading the text FILE, packed or not, in CPU time less start_s (the least of three
# runs), and the memory per entry without 16 bytes per row.
reader() {
    local bytes entries rows
    read -r rows _ entries < <(sed -n '/^%/!{p;q}' "$2")
    bytes=$(stat -c %s "$2")
    rm -f used
    for _ in 1 2 3; do OMP_NUM_THREADS=1 usage used "${@:4}" > out; done
    awk -F'\t' -v name="$1" -v target="$3" -v bytes="$bytes" -v entries="$entries" -v rows="$rows" -v start="$start_s" '
        { $3 -= start } NR == 1 || $3 < s { s = $3 } $2 > m { m = $2 }
        END { printf "%s\t%.0f\tMB/s\t%s\n%s_entries\t%.1f\tM/s\t%s\n%s_memory\t%.1f\tB/entry\t%s\n", name, bytes / s * 1e-6, name ~ /real/ ? target : "-",
            name, entries / s * 1e-6, name ~ /pattern/ ? target : "-", name, (m * 1048576 - 16 * rows) / entries, target == "-" ? "-" : 36 }' used
}

start_s=0
mtx 1000000 > large.mtx
mtx 100000 > million.mtx
spmv-import -o large.h5 large.mtx > out
profile=h200
if ! [ -e "$tree/results/h200/profile.h5" ]; then
    synthetic gpu runs.h5 stencil:points=5,n=30
    spmv-fit --name synthetic -o profile.h5 runs.h5 > out
    profile=$work/profile.h5
fi

figure name value unit target
measure import_10m_mtx - spmv-import -o copy.h5 large.mtx
measure import_10m_binsparse - spmv-import -o copy.h5 large.h5
measure features_10m - spmv-info --features large.h5
# Readers, one thread, file to CSR; ours with identities and features. Rivals, of the Python in PYTHON: bench-rivals.txt.
rivals=()
for module in scipy.io fast_matrix_market; do
    want=$(sed -n "s/^${module%.io}==//p" "$tree/scripts/bench-rivals.txt")
    have=$("${PYTHON:-python3}" -c "import ${module%.io} as m, $module; print(m.__version__)" 2> /dev/null) || have='no version'
    if [ "$have" = "$want" ]; then rivals+=("$module"); else echo "# ${module%.io} left out: $have in ${PYTHON:-python3}, expected $want" >&2; fi
done
matrix real 250000 > real.mtx
matrix pattern 500000 > pattern.mtx
gzip -k real.mtx pattern.mtx
for kind in real pattern; do
    reader "read_$kind" $kind.mtx "$([ $kind = real ] && echo 400 || echo 25)" spmv-info -q --features $kind.mtx
    reader "read_${kind}_gz" $kind.mtx - spmv-info -q --features $kind.mtx.gz
    reader "gzip_$kind" $kind.mtx - gzip -dc $kind.mtx.gz
    for module in ${rivals[@]+"${rivals[@]}"}; do
        import="import sys; from $module import mmread"
        rm -f used
        usage used "${PYTHON:-python3}" -c "$import" > out
        start_s=$(cut -f 3 used) reader "${module%.io}_$kind" $kind.mtx - "${PYTHON:-python3}" -c "$import; mmread(sys.argv[1]).tocsr()" $kind.mtx
    done
done
measure predict_1m_mtx 1 spmv-predict --profile "$profile" million.mtx
measure plan_1m_mtx - spmv-plan --profile "$profile" million.mtx
library_cost "$([ "$profile" = h200 ] && echo "$tree/results/h200/profile.h5" || echo "$profile")" | while IFS=$'\t' read -r name time memory; do
    figure "$name" "$time" s -
    figure "${name}_memory" "$memory" MiB -
done
if [ "$profile" = h200 ] && [ -e "$tree/results/h200/matrices.h5" ]; then
    chooser_cost "$tree/results/h200/profile.h5" "$tree/results/h200/matrices.h5" | while IFS=$'\t' read -r name time target; do
        figure "$name" "$time" s "$target"
    done
fi
if [ "$profile" = h200 ]; then measure report_h200 60 spmv-report --profile h200 "$tree"/results/h200/{matrices,matrices2,forecasts}.h5 -o page.html; fi
# The figure is the longest time over several kinds of matrices.
bench_plan > plan.tsv
for strips in 2000 20000; do
    figure "plan_${strips}_strips" "$(awk -F'\t' -v n=$strips '$1 == n && $3 == "pruned" && $5 / 1e3 > t { t = $5 / 1e3 } END { print t }' plan.tsv)" s "$([ $strips = 2000 ] && echo 1 || echo -)"
done
