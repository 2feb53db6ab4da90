#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: scripts/reproduce.sh PAPER PROFILE [COLLECTION] [DRY_RUN]
# Reproduces a paper (all: every paper) on the device of a profile: measures what its archives lack, if that device is in this machine,
# then computes tables, figures and verdicts (spmv-reproduce). PROFILE: name or file; COLLECTION: directory of matrix files, or empty;
# DRY_RUN: print what would be measured and the estimated time, and stop. Measured rows go to papers.h5 in the directory of the
# profile's archives. Called by `make reproduce`.
set -euo pipefail
[ $# -ge 2 ] || { echo "usage: scripts/reproduce.sh PAPER PROFILE [COLLECTION] [DRY_RUN]" >&2; exit 2; }
paper=$1 profile=$2 collection=${3:-} dry=${4:-}
bin=$(cd "$(dirname "$0")/.." && pwd)/bin
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
archived='' to=()
say() { echo "# $*" >&2; }

if [ "$profile" = h200 ]; then # that of the tree, also if a user has one of this name
    archived=${bin%/bin}/results/h200
    profile=$archived/profile.h5
    if [ -n "$collection" ]; then
        to=(-o "${bin%/bin}/results/local/reproduce/h200")
        say "with a collection tables and pages go to ${to[1]}; those of the archives alone stay in $archived/reproduce"
    fi
fi
with=(--profile "$profile" ${collection:+--collection "$collection"})

# run_sweep OPTIONS OPERANDS: measures the operands in the file with these options of spmv-run.
run_sweep() {
    local options status=0
    read -ra options <<< "$1"
    { "$bin/spmv-run" --backend "$backend" "${options[@]}" -o "$archive" --dry-run "$2" || [ $? = 4 ]; } | sed -n 's/^# /#   /p' >&2
    [ -z "$dry" ] || return 0
    "$bin/spmv-run" -q --backend "$backend" --anonymous "${options[@]}" -o "$archive" "$2" > "$work/run.tsv" || status=$?
    # 3: some results were wrong; their rows are in the archive, but in no table. 4: files were skipped; matrices without rows are named
    [[ $status == [034] ]] || exit $status
}
# run_plan OPTIONS OPERAND: plans a matrix with these options of spmv-plan, by the time of a product alone as papers do, and executes the plan.
run_plan() {
    local options configs=() i
    read -ra options <<< "$1"
    [ -z "$dry" ] || { say "  plan and execute $2"; return; }
    for ((i = 0; i + 1 < ${#options[@]}; i++)); do
        [ "${options[i]}" != -c ] || configs+=(-c "${options[i + 1]}")
    done
    rm -f "$work/plan.h5"
    "$bin/spmv-plan" -q --profile "$profile" --iterations 0 "${options[@]}" -o "$work/plan.h5" "$2" > /dev/null || { say "no plan for $2"; return 0; }
    "$bin/spmv-execute" -q --backend "$backend" --anonymous --time-cap 0.02 "${configs[@]}" -o "$archive" "$work/plan.h5" "$2" > /dev/null ||
        say "could not execute the plan of $2"
}

"$bin/spmv-reproduce" -q "${with[@]}" --todo "$paper" > "$work/todo.tsv"
archive=$(sed -n 's/^# archives: //p' "$work/todo.tsv")/papers.h5
backend=$(sed -n 's/^# device: \(.*\), in this machine$/\1/p' "$work/todo.tsv")
lacking=$(grep -vc '^#\|^paper	' "$work/todo.tsv" || :)
if [ "$lacking" -gt 0 ] && [ -n "$archived" ] && [ -n "$backend" ]; then
    say "$lacking measurements are missing, but the archived rows are of another revision of the kernels; NAME= chooses a profile of this machine"
elif [ "$lacking" -gt 0 ] && [ -n "$backend" ]; then
    say "$lacking measurements are missing; measured rows go to $archive"
    # Papers share matrices and sweeps: one run for each set of options.
    grep -v '^#\|^paper	' "$work/todo.tsv" | cut -f3,4 | sort -u > "$work/sweeps"
    while IFS=$'\t' read -r command options; do
        awk -F '\t' -v c="$command" -v o="$options" '$3 == c && $4 == o { print $7 }' "$work/todo.tsv" | sort -u > "$work/operands.txt"
        say "$command ${options:0:60}...: $(wc -l < "$work/operands.txt") matrices"
        if [ "$command" = run ]; then
            run_sweep "$options" "$work/operands.txt"
        else
            while read -r operand; do run_plan "$options" "$operand" < /dev/null; done < "$work/operands.txt"
        fi
    done < "$work/sweeps"
elif [ "$lacking" -gt 0 ]; then
    say "$lacking measurements are missing (spmv-reproduce --todo lists them); the profile's device is not in this machine"
elif [ -n "$dry" ]; then
    say "no measurement is missing"
fi
[ -n "$dry" ] || "$bin/spmv-reproduce" "${with[@]}" "${to[@]}" "$paper"
