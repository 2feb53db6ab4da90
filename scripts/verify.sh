#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What make verify calls: spmv-verify over the measured rows that lie beside a profile, those of make measure (measured.h5) or an
# archive's (matrices*.h5).
#   verify.sh PROFILE MEASURE [OPTIONS of spmv-verify]
# PROFILE: a folder below results/local or results by its name, another folder, or a profile's file. MEASURE: the command that makes rows.
set -euo pipefail
tree=$(cd "$(dirname "$0")/.." && pwd)
die() { printf 'make verify: %s\n' "$*" >&2; exit 2; }
[ $# -ge 2 ] || { echo "usage: verify.sh PROFILE MEASURE [options of spmv-verify]" >&2; exit 2; }
asked=$1 measure=$2; shift 2

folder=$asked profile=''
for f in "results/local/$asked" "results/$asked" "$asked"; do
    if [ -e "$f/profile.h5" ]; then folder=$f profile=$f/profile.h5; break; fi
done
if [ -z "$profile" ]; then
    [ -f "$asked" ] || die "no profile '$asked': there is no results/local/$asked/profile.h5, no results/$asked/profile.h5 and no such file"
    profile=$asked folder=$(dirname -- "$asked")
fi
rows=()
for f in "$folder"/measured.h5 "$folder"/matrices*.h5; do [ ! -e "$f" ] || rows+=("$f"); done
[ ${#rows[@]} -gt 0 ] || die "no $folder/measured.h5: $measure makes it"
exec "$tree/bin/spmv-verify" --profile "$profile" --table all "$@" -- "${rows[@]}"
