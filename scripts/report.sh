#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs spmv-report for make report, on a profile and the archives next to it: measured.h5 of make measure, or matrices*.h5 and
# held-out*.h5 of an archive, and forecasts.h5. With a matrix: forecasts.h5 alone, which says how often the advice is right.
#   report.sh PROFILE PAGE [OPTIONS of spmv-report]
# PROFILE: name of a directory in results/local or results, any directory, or a profile file. PAGE: the file to write.
set -euo pipefail
tree=$(cd "$(dirname "$0")/.." && pwd)
die() { printf 'make report: %s\n' "$*" >&2; exit 2; }
[ $# -ge 2 ] || { echo "usage: report.sh PROFILE PAGE [options of spmv-report]" >&2; exit 2; }
asked=$1 page=$2; shift 2

# shellcheck source=scripts/find-profile.bash
. "$tree/scripts/find-profile.bash"
find_profile "$asked"
rows=("$folder"/forecasts.h5)
case " $* " in *" --matrix "*) ;; *) rows+=("$folder"/measured.h5 "$folder"/matrices*.h5 "$folder"/held-out*.h5) ;; esac
archives=()
for f in "${rows[@]}"; do [ ! -e "$f" ] || archives+=("$f"); done
mkdir -p -- "$(dirname -- "$page")"
"$tree/bin/spmv-report" --profile "$profile" -o "$page" "$@" -- ${archives[@]+"${archives[@]}"}
printf '# %s\n' "$page"
