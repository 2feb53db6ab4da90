#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: scripts/library-table.sh FILE...
# Sums up what build/tests/cuda/library_bench wrote: what a caller of libspmvcast_cuda gains over the best variant of cusparseSpMV, with all
# set-up counted, for each expected number of products N. The files are of one device and precision.
set -euo pipefail
[ $# -ge 1 ] || { echo "usage: library-table.sh FILE..." >&2; exit 2; }
awk -F '\t' '
    /^# skipped / { skipped++; next }
    /^# / { if (NR == FNR) said[++nsaid] = substr($0, 3); next }
    $1 == "matrix" { for (i = 1; i <= NF; i++) at[$i] = i; next }
    {
        N = $at["N"]; n[N]++
        if (!(N in place)) { place[N] = ++ns; order[ns] = N }
        graph[N] += log($at["gain_graph"]); stream[N] += log($at["gain_stream"])
        if ($at["nnz"] >= 1e5) { big[N]++; graph_big[N] += log($at["gain_graph"]); stream_big[N] += log($at["gain_stream"]) }
        slow[N] += $at["gain_graph"] < 1 / 1.02; slow_stream[N] += $at["gain_stream"] < 1 / 1.02
        class = $at["footprint"]; if (N == 0) { of[class]++; gain[class] += log($at["gain_graph"]) }
        if (N == 1000) {
            took = $at["examine_us"] + $at["choose_us"]
            if ($at["nnz"] < 1e6) { small++; quick += took <= 300; chose[small] = took } else { large++; quick_large += took <= 5 * $at["rival_graph_us"] }
        }
    }
    function mean(sum, n) { return n ? sprintf("%.2f", exp(sum / n)) : "-" }
    END {
        for (i = 1; i <= nsaid; i++) printf "%s%s", said[i], i < nsaid ? "; " : ".\n\n"
        print "| N | gain in graphs | from 10^5 nonzeros | slower | gain in streams | from 10^5 nonzeros | slower |"
        print "|---|---|---|---|---|---|---|"
        for (i = 1; i <= ns; i++) {
            N = order[i]
            printf "| %s | %s | %s | %d of %d | %s | %s | %d of %d |\n", N ? N : "product alone", mean(graph[N], n[N]), mean(graph_big[N], big[N]), \
                   slow[N], n[N], mean(stream[N], n[N]), mean(stream_big[N], big[N]), slow_stream[N], n[N]
        }
        printf "\nThe product alone, by footprint:"
        split("resident mixed streaming", classes, " ")
        for (i = 1; i <= 3; i++) if (of[classes[i]]) printf "%s %s %s (%d matrices)", (seen++ ? "," : ""), classes[i], mean(gain[classes[i]], of[classes[i]]), of[classes[i]]
        printf ".\nChoosing for N = 1000 (features, check and forecasts) takes at most 0.3 ms for %d of %d matrices below 10^6 nonzeros, and at most\n", quick, small
        printf "5 products of cuSPARSE for %d of %d above. %d matrices skipped.\n", quick_large, large, skipped
    }' "$@"
