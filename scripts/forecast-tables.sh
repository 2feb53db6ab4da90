#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: scripts/forecast-tables.sh FORECASTS.h5
# Prints the tables of docs/forecasts.md: scores of archived forecasts. Needs spmv-verify in PATH and only the archive, no GPU.
set -euo pipefail
[ $# = 1 ] || { echo "usage: scripts/forecast-tables.sh FORECASTS.h5" >&2; exit 2; }
archive=$1

# table TITLE COLUMNS OPTIONS...: runs spmv-verify with these options and prints these columns of its output.
table() {
    local title=$1 columns=$2
    shift 2
    # shellcheck disable=SC2016 # Markdown code quotes
    printf '\n## %s\n`spmv-verify %sFORECASTS.h5`\n```\n' "$title" "${*:+$* }"
    spmv-verify "$@" "$archive" 2> /dev/null | awk -F '\t' -v columns="$columns" '
        /^#/ { next }
        !n { n = split(columns, name, ","); for (i = 1; i <= NF; i++) at[$i] = i }
        { for (i = 1; i <= n; i++) printf "%s%s", $at[name[i]], i < n ? "\t" : "\n" }' | column -t -s $'\t'
    printf '```\n'
}

scores=near,mean_percent,median_percent,p90_percent,pick,within5_percent,pick_p1,pick_worst,top3,coverage_percent,half_width_percent
table "Models" "model,training,state,matrices,families,refused,$scores,spread"
for launch in graph stream; do
    table "Models, launched in a $launch" "model,training,state,refused,$scores" --launch "$launch"
done
table "Sealed families" "model,training,state,matrices,families,refused,$scores" --set sealed
table "Sealed families, launched in a graph" "model,training,state,refused,$scores" --set sealed --launch graph
table "Sealed families, launched in a stream" "model,training,state,refused,$scores" --set sealed --launch stream
for launch in graph stream; do
    table "Sealed families by nonzeros, in a $launch" "size,training,state,matrices,families,$scores,mean_low,mean_high" --by size --model physics-gp --launch $launch --set sealed
    table "Sealed families by the best time, in a $launch" "time,training,state,matrices,families,$scores,mean_low,mean_high" --by time --model physics-gp --launch $launch --set sealed
done
table "Footprint classes, in a graph" "class,training,state,matrices,families,$scores,coverage_low,coverage_high" --by class --model physics-gp --launch graph
table "Kernels, in a graph" "kernel,training,state,$scores" --by kernel --model physics-gp --launch graph
table "Cache states" "cache,training,state,$scores" --by cache --model physics-gp --launch graph
table "Families, in a graph" "family,training,state,matrices,$scores" --by family --model physics-gp --launch graph
advice=ratio,ratio_low,ratio_high,within5_percent,worst,worst_matrix,slower_percent,times_library
table "Advice, in a graph" "advice,training,iterations,matrices,$advice" --table advice --launch graph
table "Advice, in a stream" "advice,training,iterations,matrices,$advice" --table advice --launch stream --model physics-gp
table "Advice, sealed families, in a graph" "advice,training,iterations,matrices,$advice" --table advice --launch graph --set sealed --model physics-gp
table "Advice by footprint class, in a graph" "advice,training,class,iterations,matrices,$advice" --table advice --launch graph --model physics-gp --by class
table "Costs" "cost,kernel,matrices,times,without,median_us,mean_percent,median_percent,p90_percent,constant_percent,per_nonzero_percent" --table costs
