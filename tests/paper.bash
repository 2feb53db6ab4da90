# SPDX-License-Identifier: BSD-3-Clause
# Made-up papers: tables of papers/NAME, and cells of the tables that spmv-reproduce writes.

# tabs: turns '|' on stdin into tabs, and "||" stays '|' (alternatives of a selection).
tabs() { sed 's/||/\x01/g; s/|/\t/g; s/\x01/|/g'; }
# Each appends rows (cells separated by '|') from stdin to a table of paper $P; paper_begin NAME makes the headers.
paper_begin() {
    P="papers/$1"
    mkdir -p "$P"
    echo 'device|sms|warps_sm|threads_sm|threads_block|blocks_sm|regs_sm|shared_sm_kib|memory_gb|bandwidth_gbs|place|note' | tabs > "$P/devices.tsv"
    echo 'name|group|collection_name|rows|cols|nnz|mean|sd|max|generator|stand_in|place|note' | tabs > "$P/matrices.tsv"
    echo 'format|config|place|note' | tabs > "$P/formats.tsv"
    echo 'figure|item|device|precision|quantity|value|place|note' | tabs > "$P/values.tsv"
    echo 'id|place|title|measure|parameters|chart|xlabel|ylabel|note' | tabs > "$P/figures.tsv"
    echo 'id|place|claim|device|precision|printed|rival|figure|statistic|direction|size|margin|note' | tabs > "$P/claims.tsv"
    printf 'key\tvalue\ntitle\tA made-up paper\nauthors\tA, B\nyear\t2001\narchives\t%s\n' "$2" > "$P/paper.tsv"
}
add() { tabs >> "$P/$1.tsv"; }
# figure ID MEASURE PARAMETERS [CHART]
figure() { echo "$1|1|Title of $1|$2|$3|${4:--}|what|how much (us)|-" | add figures; }
# claim ID FIGURE STATISTIC DIRECTION [SIZE MARGIN [PRECISION]]
claim() { echo "$1|1|Claim $1|-|${7:--}|-|rival|$2|$3|$4|${5:--}|${6:--}|-" | add claims; }
# synthetic_profile MODELS: writes data/syn.h5, a profile of "Synthetic GPU, 14 SMs".
synthetic_profile() {
    "$BUILD/synthetic" gpu runs.h5 stencil:points=5,n=60 stencil:points=27,n=12 banded:rows=3000,bandwidth=20
    mkdir -p data
    spmv-fit -q -m "$1" --name syn -o data/syn.h5 runs.h5 > /dev/null
}
# cell FILE COLUMN [COLUMN=VALUE...]: prints the column of the rows that have these values.
cell() {
    awk -F'\t' -v want="$2" -v conditions="$(printf '%s\n' "${@:3}")" '
        /^#/ { next }
        !at { for (i = 1; i <= NF; i++) c[$i] = i; at = c[want]; n = split(conditions, k, "\n"); next }
        { ok = at > 0; for (i = 1; i <= n; i++) { e = index(k[i], "="); ok = ok && $(c[substr(k[i], 1, e - 1)]) == substr(k[i], e + 1) } if (ok) print $at }' "$1"
}
