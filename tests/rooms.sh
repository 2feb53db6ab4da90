#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# rooms.sh TREE: reads every #include "..." below TREE/src and prints each violation of the rules of src/ROOMS on a line; exit 1 if
# there is any. Run by tests/rooms.bats. The rules:
#   - every directory of src/ is a room of src/ROOMS, and every room exists and has a README.md of one line, its description;
#   - an #include names a file by its path from src/, in the same room or a lower one;
#   - #includes form no cycle, where files of one directory and name count as one whatever their extension (X.c, X.h, X.cu, X.cuh);
#   - no two directories have a source of the same name.
set -euo pipefail
cd "${1:?usage: rooms.sh TREE}/src"
faults=$({
    sed '/^#/d; /^ *$/d' ROOMS | awk '{ for (i = 1; i <= NF; i++) print "level", NR, $i }'
    for room in */; do
        room=${room%/}
        if [ -f "$room/README.md" ]; then echo "door $room $(grep -c . "$room/README.md" || true)"; else echo "door $room none"; fi
    done
    find . -type f \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' -o -name '*.inc' -o -name '*.def' \) -printf '%P\n' | LC_ALL=C sort | sed 's/^/file /'
    { grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' --include='*.[ch]' --include='*.cu' --include='*.cuh' --include='*.inc' --include='*.def' . || true; } |
        sed -E 's|^\./([^:]*):([0-9]+):[^"]*"([^"]*)".*|include \1 \2 \3|' | LC_ALL=C sort -k2,2 -k3,3n
} | awk '
    function room_of(file) { return index(file, "/") ? substr(file, 1, index(file, "/") - 1) : "" }
    function stem_of(file) { sub(/\.[a-z]+$/, "", file); return file }
    function name_of(file) { sub(/.*\//, "", file); return stem_of(file) }
    $1 == "level" { level[$3] = $2 }
    $1 == "door" {
        door[$2] = 1
        if (!($2 in level)) print "src/" $2 ": not a room of src/ROOMS"
        if ($3 == "none") print "src/" $2 ": no README.md with its description"
        else if ($3 != 1) print "src/" $2 "/README.md: " $3 " lines, expected one: the description"
    }
    $1 == "file" {
        there[$2] = 1
        name = name_of($2); folder = $2; if (!sub(/\/[^\/]*$/, "", folder)) folder = "."
        if (folder == ".") print "src/" $2 ": a source outside every room"
        if (name in home && home[name] != folder) print "src/" $2 ": the name " name " is taken by src/" home[name]
        else home[name] = folder
    }
    $1 == "include" {
        from = room_of($2); to = room_of($4); at = "src/" $2 ":" $3 ": includes " $4
        if (!($4 in there)) { print at ", which is not below src/"; next }
        if (from != to && level[to] > level[from]) print at ": " to " is above " from
        if (from != to && level[to] == level[from]) print at ": " from " and " to " are on one level"
        a = stem_of($2); b = stem_of($4)
        if (a != b && !((a, b) in edge)) { edge[a, b] = 1; next_of[a] = next_of[a] " " b; node[a] = node[b] = 1 }
    }
    END {
        for (r in level) if (!(r in door)) print "src/ROOMS: there is no room " r
        # Removes every file that includes none of the remaining ones, since it is in no cycle.
        do {
            removed = 0
            for (a in node) {
                n = split(next_of[a], to_of, " "); open = 0
                for (i = 1; i <= n; i++) if (to_of[i] in node) open = 1
                if (!open) { delete node[a]; removed = 1 }
            }
        } while (removed)
        for (a in node) {
            if (a in told) continue
            path = ""; at = a
            while (!(at in seen)) {                 # every remaining node includes a remaining one
                seen[at] = 1; path = path at " -> "
                n = split(next_of[at], to_of, " ")
                for (i = 1; i <= n; i++) if (to_of[i] in node) { next_at = to_of[i]; break }
                at = next_at
            }
            if (!(at in told)) print "circle of #includes: " substr(path, index(path, at " -> ")) at
            for (b in seen) told[b] = 1
        }
    }' | LC_ALL=C sort)
[ -z "$faults" ] || { printf '%s\n' "$faults"; exit 1; }
