#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs spmv-verify for make verify, on the measured rows next to a profile: measured.h5 of make measure, or those of an archive: held-out.h5,
# of matrices that the profile was not fitted to, if there is one, else matrices*.h5.
#   verify.sh PROFILE MEASURE [OPTIONS of spmv-verify]
# PROFILE: name of a directory in results/local or results, any directory, or a profile file. MEASURE: the command that measures rows.
set -euo pipefail
tree=$(cd "$(dirname "$0")/.." && pwd)
die() { printf 'make verify: %s\n' "$*" >&2; exit 2; }
[ $# -ge 2 ] || { echo "usage: verify.sh PROFILE MEASURE [options of spmv-verify]" >&2; exit 2; }
asked=$1 measure=$2; shift 2

# shellcheck source=scripts/find-profile.bash
. "$tree/scripts/find-profile.bash"
find_profile "$asked"
rows=()
others=("$folder"/held-out.h5)
[ -e "${others[0]}" ] || others=("$folder"/matrices*.h5)
for f in "$folder"/measured.h5 "${others[@]}"; do [ ! -e "$f" ] || rows+=("$f"); done
[ ${#rows[@]} -gt 0 ] || die "$folder/measured.h5 not found; create it with: $measure"
exec "$tree/bin/spmv-verify" --profile "$profile" "$@" -- "${rows[@]}"
