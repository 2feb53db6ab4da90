#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# make collection: fetches the matrices of a list that a directory lacks, several at a time, into a tree as that of ssget:
#     scripts/fetch-collection.sh LIST DIR ADDRESS [AT_A_TIME]
# LIST: Group/Name in each line, '#' begins a comment. Fetched is ADDRESS/MM/Group/Name.tar.gz, to DIR/MM/Group/Name.tar.gz, unless that or
# one of DIR/RB/Group/Name.tar.gz and DIR/mat/Group/Name.mat exists. A fetch that was interrupted is resumed (Name.tar.gz.part). A file
# takes its name once its size is that of the server's, the archive can be read to its end and, if the server has Name.tar.gz.sha256 or
# .md5, the checksum is that one. Exit status 1: some could not be fetched; the same command tries these again.
set -euo pipefail

complain() { echo "scripts/fetch-collection.sh: $*" >&2; }

# sum_is FILE URL TOOL ENDING: compares with the checksum of the server, if it has one.
sum_is() {
    local want got
    want=$(curl -fsSL --retry 3 "$2.$4" 2> /dev/null | awk '{ print $1; exit }') || return 0
    got=$("$3" < "$1" | cut -d' ' -f1)
    [ -z "$want" ] || [ "$want" = "$got" ] || { echo "its $4 is $got, expected $want"; return 1; }
}

# check FILE URL: prints what is wrong.
check() {
    tar -xOzf "$1" > /dev/null 2>&1 || { echo "no whole .tar.gz archive"; return 1; }
    sum_is "$1" "$2" sha256sum sha256 && sum_is "$1" "$2" md5sum md5
}

# one DIR ADDRESS GROUP/NAME: prints "fetched", "there" or "failed".
one() {
    local file=$1/MM/$3.tar.gz url=$2/MM/$3.tar.gz part=$1/MM/$3.tar.gz.part why code resumed=''
    if [ -e "$file" ] || [ -e "$1/RB/$3.tar.gz" ] || [ -e "$1/mat/$3.mat" ]; then echo there; return; fi
    mkdir -p -- "${file%/*}"
    while :; do
        [ ! -s "$part" ] || resumed=1
        code=0
        why=$(curl -fsSL --retry 3 ${resumed:+-C -} -o "$part" "$url" 2>&1) || code=$?
        # what is there may be whole; a server may not resume
        if [ $code = 0 ] || [ -n "$resumed" ]; then why=$(check "$part" "$url") && { mv -- "$part" "$file"; echo fetched; return; }; fi
        # what was resumed may be of another version of the file: once from the beginning, unless the connection was lost
        case $resumed:$code in 1:0 | 1:22 | 1:33 | 1:36) rm -f -- "$part"; resumed='' ;; *) break ;; esac
    done
    [ $code != 0 ] || rm -f -- "$part"
    [ -s "$part" ] || rm -f -- "$part"
    complain "$3: $url: ${why##curl: }"
    echo failed
}

if [ "${1:-}" = --one ]; then shift; one "$@"; exit; fi
{ [ $# -ge 3 ] && [ -n "$3" ]; } || { echo "usage: scripts/fetch-collection.sh LIST DIR ADDRESS [AT_A_TIME]" >&2; exit 2; }
list=$1 dir=$2 address=${3%/}
[ -r "$list" ] || { complain "cannot read $list"; exit 2; }
names=$(sed -e 's/\r$//' -e 's/#.*//' -e 's/[[:space:]]*$//' -e '/^$/d' "$list" | sort -u)
bad=$(grep -vE '^[A-Za-z0-9][A-Za-z0-9._+-]*/[A-Za-z0-9][A-Za-z0-9._+-]*$' <<< "$names" | head -n 1 || true)
[ -z "$bad" ] || { complain "$list: '$bad': expected Group/Name"; exit 2; }
[ -n "$names" ] || { complain "$list names no matrices"; exit 2; }
command -v curl > /dev/null || { complain "curl not found; install it"; exit 2; }
xargs -P "${4:-4}" -I '{}' -- "$0" --one "$dir" "$address" '{}' <<< "$names" | awk '
    { n[$1]++ }
    END { printf "# %d fetched, %d there already, %d failed, of %d\n", n["fetched"], n["there"], n["failed"], NR; exit n["failed"] > 0 }'
