#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Makes the matrices of scripts/held-out.tsv, which take part in no fit and no choice and only score forecasts (docs/forecasts.md):
#     scripts/held-out.sh [-s SOURCES] OUT [NAME...]
# OUT/NAME.mtx.gz each, or those of the names, and OUT/held-out.tsv, which says what they are. What they are made from, Debian packages
# and files of GitHub as in scripts/held-out.sources, is fetched to SOURCES (OUT/sources) unless it is there, and has to have the SHA-256
# given there; so does each .mtx that of scripts/held-out.tsv. Needs apt-get, dpkg-deb, curl, gzip and python3 with numpy and scipy.
# All: 250 MB to fetch, 1.4 GB on disk, some minutes. Exit status 1: a matrix could not be made; the same command makes the missing ones.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
complain() { echo "scripts/held-out.sh: $*" >&2; }
sum_is() { [ "$(sha256sum | cut -d' ' -f1)" = "$1" ]; }
row() { awk -F'\t' -v name="$2" 'name == $1' "$here/$1"; }    # row FILE NAME

# fetch NAME: downloads and unpacks a row of held-out.sources.
fetch() {
    local name=$1 kind from version sum file
    [ ! -e "$sources/$name.ok" ] || return 0
    IFS=$'\t' read -r _ kind from version sum < <(row held-out.sources "$name") || { complain "held-out.sources: no $name"; return 1; }
    case $kind in
        deb)
            file=$sources/$name.deb
            [ -e "$file" ] || (cd "$sources" && apt-get download -q "$from=$version" > /dev/null 2>&1 && mv "${from%:*}"_*.deb "$file") || {
                complain "$name: apt-get has no $from=$version; save the package of that version as $file"; return 1; } ;;
        github)
            file=$sources/$name
            [ -e "$file" ] || curl -fsSL --retry 3 -o "$file" "https://raw.githubusercontent.com/$from/$version" || {
                complain "$name: cannot fetch $version of github.com/$from; save it as $file"; return 1; } ;;
    esac
    sum_is "$sum" < "$file" || { complain "$file: its SHA-256 is not $sum of held-out.sources; remove it and try again"; return 1; }
    [ "$kind" != deb ] || dpkg-deb -x "$file" "$sources/$name" || return 1
    : > "$sources/$name.ok"
}

# make_one NAME: prints "made", "there" or "failed".
make_one() {
    local name=$1 file=$out/$1.mtx.gz from sum formula source
    IFS=$'\t' read -r _ _ _ _ _ from sum formula _ < <(row held-out.tsv "$name")
    if [ -e "$file" ] && gzip -dc "$file" | sum_is "$sum"; then echo there; return; fi
    for source in $from; do fetch "$source" || { echo failed; return; }; done
    if "$python" "$here/held-out.py" "$sources" "$formula" > "$out/$name.tmp"; then
        if sum_is "$sum" < "$out/$name.tmp"; then
            gzip -9nc "$out/$name.tmp" > "$file.tmp" && mv "$file.tmp" "$file" && rm "$out/$name.tmp" && echo made && return
        fi
        complain "$name: the SHA-256 of $out/$name.tmp is not $sum of held-out.tsv"
    else
        complain "$name: $formula failed"
    fi
    echo failed
}

sources='' usage="usage: scripts/held-out.sh [-s SOURCES] OUT [NAME...]"
if [ "${1:-}" = -s ] && [ $# -ge 2 ]; then sources=$2; shift 2; fi
case ${1:-} in '' | -*) echo "$usage" >&2; exit 2 ;; esac
out=$1; shift
sources=${sources:-$out/sources}
[ $# -gt 0 ] || mapfile -t names < <(tail -n +3 "$here/held-out.tsv" | cut -f1)
[ $# -eq 0 ] || names=("$@")
for name in "${names[@]}"; do [ -n "$(row held-out.tsv "$name")" ] || { complain "no matrix $name in scripts/held-out.tsv"; exit 2; }; done
for python in "${PYTHON:-python3}" /usr/bin/python3 ''; do
    [ -n "$python" ] || { complain "no python3 with numpy and scipy; install python3-numpy and python3-scipy"; exit 2; }
    ! "$python" -c 'import numpy, scipy' 2> /dev/null || break
done
mkdir -p "$out" "$sources"
tail -n +2 "$here/held-out.tsv" | cut -f1-6,8,9 > "$out/held-out.tsv"
for name in "${names[@]}"; do make_one "$name"; done | awk '
    { n[$1]++ }
    END { printf "# %d made, %d there already, %d failed, of %d\n", n["made"], n["there"], n["failed"], NR; exit n["failed"] > 0 }'
