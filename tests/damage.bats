#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Every program rejects every damaged archive without a crash. make check-damage tests thousands more.
bats_require_minimum_version 1.5.0
load helpers

D="$BUILD/h5_damage"
setup_file() {
    load helpers
    cd "$BATS_FILE_TMPDIR"
    {
        "$BUILD/synthetic" branches run.h5
        spmv-fit -q -m guo2014-regimes --name small -o profile.h5 run.h5
        spmv-plan -q --profile ./profile.h5 -m guo2014-regimes -o plan.h5 stencil:points=5,n=8
        spmv-gen stencil points=5 n=8 -o recipes.h5
        spmv-import -o matrix.h5 stencil:points=5,n=8
        "$BUILD/forecasts" forecasts.h5 < "$ROOT/tests/forecasts.txt"
        local kind
        for kind in run profile plan recipes matrix forecasts; do
            cp $kind.h5 $kind-older.h5
            "$BUILD/h5_damage" older $kind-older.h5
        done
    } > /dev/null
}
setup() { cd "$BATS_TEST_TMPDIR"; ln -s "$BATS_FILE_TMPDIR"/*.h5 .; }
need_h5dump() { command -v h5dump > /dev/null || skip "no h5dump (hdf5-tools)"; }

# copy FROM TO: a private copy of a shared file
copy() { cp --remove-destination "$BATS_FILE_TMPDIR/$1" "$2"; }
# refused FILE COMMAND...: exit 3, one line on stderr that reports damage of FILE, nothing on stdout, no output file
refused() {
    local file="$1"; shift
    run -3 --separate-stderr "$@"
    echo "$*: $output | $stderr"
    [ -z "$output" ]
    [ "${#stderr_lines[@]}" -eq 1 ]
    [[ "$stderr" == *"$file is damaged: "* || "$stderr" == *"$file is cut short or damaged: "* ]]
    [ ! -e out.h5 ]
}
# checked STATUS FILE TEXT: spmv-check exits with STATUS and its reason contains TEXT
checked() {
    run "-$1" --separate-stderr spmv-check "$2"
    echo "$output"
    [[ "$output" == *"$3"* ]]
}

# bats test_tags=long
@test "of a seeded sample of flipped bytes, cuts and zeroed pages none passes as intact and none crashes a program" {
    need_h5dump
    run -0 --separate-stderr "$ROOT/scripts/check-damage.sh" N=18 SEED=1 EVERY=9
    echo "$output"
    [ "${#stderr_lines[@]}" -eq 0 ]
    [ "$(awk -F'\t' 'NR > 1 { n += $3; bad += $7 + $8 } END { print NR - 1, n, bad + 0 }' <<< "$output")" = "45 270 0" ]
    # with a digest all damage is detected
    awk -F'\t' '$1 !~ /-/ && NR > 1 && $3 != $4 { print "passed: " $0; bad = 1 } END { exit bad }' <<< "$output"
}

@test "check-damage finds undetected damage and crashes; it rejects an unknown kind" {
    need_h5dump
    mkdir tree work
    cp -r "$BIN" tree/bin
    # an spmv-check that accepts everything, and an spmv-info that crashes on damaged files
    cat > tree/bin/spmv-check <<'END'
#!/bin/sh
printf 'file\tkind\tschema\ttables\trows\tstatus\treason\n'
for f; do printf '%s\trun\t2\t1\t1\tok\t-\n' "$f"; done
END
    printf '#!/bin/sh\n[ "$1" = ../recipes.h5 ] || kill -SEGV $$\n' > tree/bin/spmv-info
    copy recipes.h5 recipes.h5
    cd work
    PATH="$BATS_TEST_TMPDIR/tree/bin:$PATH" run -1 --separate-stderr "$BUILD/damage" recipes ../recipes.h5 30 1 10 "spmv-info @"
    echo "$output"
    [ "$(awk -F'\t' '{ n += $3; caught += $4; missed += $7; crashed += $8 } END { print n, caught, (missed > 15), (crashed > 0) }' <<< "$output")" = "30 0 1 1" ]
    run -2 "$ROOT/scripts/check-damage.sh" KINDS=runs
    [[ "$output" == *"unknown kind 'runs'; expected one of: "* ]]
}

@test "a damaged table header: check, merge, fit, predict and info reject the run, with and without a digest" {
    local file table
    for file in run.h5 run-older.h5; do
        for table in /geometry /branches /inputs /provenance /rows /matrices /histogram; do
            copy "$file" bad.h5
            "$D" header bad.h5 "$table"
            checked 3 bad.h5 damaged
            refused bad.h5 spmv-merge -o out.h5 bad.h5
            refused bad.h5 spmv-info bad.h5
        done
        refused bad.h5 spmv-merge -o out.h5 run.h5 bad.h5
        refused bad.h5 spmv-fit -o out.h5 bad.h5
        refused bad.h5 spmv-predict --profile ./profile.h5 --measured bad.h5 stencil:points=5,n=8
        refused bad.h5 spmv-verify --profile ./profile.h5 bad.h5
    done
}

@test "damaged headers of columns, of tables of every kind and of matrix arrays are rejected" {
    local object
    while read -r object; do
        copy "${object%%/*}" bad.h5
        "$D" header bad.h5 "/${object#*/}"
        checked 3 bad.h5 damaged
        refused bad.h5 spmv-info bad.h5
    done <<'END'
run-older.h5/rows/time_us
run-older.h5/inputs/sha256
profile-older.h5/geometry
profile-older.h5/provenance
profile-older.h5/inputs
plan-older.h5/singles
plan-older.h5/blocks/config
plan-older.h5/provenance
forecasts-older.h5/cases
forecasts-older.h5/cases/family
forecasts-older.h5/forecasts/time_us
forecasts-older.h5/provenance
recipes-older.h5/inputs
matrix-older.h5/values
matrix-older.h5/inputs
matrix-older.h5/provenance
END
}

# bats test_tags=long
@test "flipped bytes of a plan: spmv-info rejects what spmv-check rejects and never crashes" {
    need_h5dump
    run -0 "$BUILD/damage" plan-older plan-older.h5 150 1 1 "spmv-info @"
    echo "$output"
    run -0 "$BUILD/damage" plan plan.h5 30 1 1 "spmv-info @"
}

# bats test_tags=id:damage-crash-in-hdf5
@test "an archive without a digest that crashes HDF5 is reported as damage; the reading program survives" {
    refused run-older.h5 "$BUILD/h5_crash" run-older.h5
    [[ "$stderr" == *"HDF5 crashes while reading it ("* ]]
}

@test "an archive ends with the SHA-256 of all its bytes; other programs ignore it" {
    local kind sum bytes
    for kind in run profile plan recipes matrix forecasts; do
        read -r _ sum bytes <<< "$(tail -c 103 $kind.h5 | tr '\n' ' ')"
        [ "$(head -c -103 $kind.h5 | sha256sum | cut -d' ' -f1)" = "$sum" ]
        [ "$((10#$bytes + 103))" -eq "$(stat -Lc %s $kind.h5)" ]
    done
    need_h5dump
    h5dump -H matrix.h5 | grep -q 'DATASET "values"'
    head -c -103 run.h5 > without.h5
    [ "$(h5dump run.h5 | tail -n +2 | sha256sum)" = "$(h5dump without.h5 | tail -n +2 | sha256sum)" ]
    checked 3 without.h5 "its digest is missing; it was cut short or modified by another program"
    # the digest as docs/archive.md defines it
    printf '\nspmvcast-sha256 %s %020d\n' "$(sha256sum < without.h5 | cut -d' ' -f1)" "$(stat -c %s without.h5)" >> without.h5
    cmp without.h5 run.h5
}

# bats test_tags=id:damage-digest-bytes
@test "a changed byte in the digest, an extra or missing byte and a missing signature are damage" {
    local size at
    size="$(stat -Lc %s recipes.h5)"
    for at in $((size - 1)) $((size - 21)) $((size - 50)) $((size - 100)) $((size - 103)) 0 4; do
        copy recipes.h5 bad.h5
        "$D" flip bad.h5 "$at"
        checked 3 bad.h5 damaged
        refused bad.h5 spmv-info bad.h5
        refused bad.h5 spmv-import -o out.h5 bad.h5
    done
    copy recipes.h5 bad.h5; echo >> bad.h5
    checked 3 bad.h5 damaged
    head -c $((size - 1)) recipes.h5 > bad.h5
    checked 3 bad.h5 damaged
    # a valid digest of a truncated HDF5 file
    head -c -203 recipes.h5 > bad.h5
    size="$(stat -c %s bad.h5)"
    printf '\nspmvcast-sha256 %s %020d\n' "$(sha256sum < bad.h5 | cut -d' ' -f1)" "$size" >> bad.h5
    checked 3 bad.h5 "its HDF5 part ends at byte"
}

@test "archives without a digest are still read and stay unchanged" {
    local kind before
    before="$(sha256sum ./*-older.h5 "$ROOT"/results/h200/{profile,guo2014-large}.h5)"
    for kind in run profile plan recipes matrix forecasts; do
        spmv-check $kind-older.h5 > /dev/null
        spmv-info $kind.h5 | grep -v ^archive > new
        spmv-info $kind-older.h5 | grep -v ^archive > old
        diff new old
    done
    spmv-check "$ROOT"/results/h200/{profile,guo2014-large}.h5 > /dev/null
    spmv-merge -q -o out.h5 run-older.h5 > /dev/null
    tail -c 103 out.h5 | grep -q ^spmvcast-sha256
    [ "$before" = "$(sha256sum ./*-older.h5 "$ROOT"/results/h200/{profile,guo2014-large}.h5)" ]
}

@test "a Binsparse file of another program has no digest: it is read if HDF5 can read it and rejected otherwise" {
    "$D" foreign plain.h5 300
    "$D" checked group.h5 300
    spmv-check plain.h5 group.h5 > /dev/null
    [ "$(spmv-info plain.h5 | value_of matrix_id)" = "$(spmv-info group.h5 | value_of matrix_id)" ]
    spmv-import -o out.h5 plain.h5
    tail -c 103 out.h5 | grep -q ^spmvcast-sha256
    rm out.h5
    head -c 3000 plain.h5 > cut.h5
    refused cut.h5 spmv-import -o out.h5 cut.h5
    "$D" header group.h5 /matrix/values
    refused group.h5 spmv-import -o out.h5 group.h5
    refused group.h5 spmv-predict --profile ./profile.h5 group.h5
    checked 3 group.h5 damaged
}

# bats test_tags=id:damage-missing-column
@test "a missing column that its table lists is damage; one that the table does not list is read as missing values" {
    need_python
    copy run.h5 named.h5
    copy run.h5 unnamed.h5
    copy run.h5 needed.h5
    copy run.h5 unlisted.h5
    "$PYTHON" - <<'P'
import h5py, hashlib
def forget(table, column):
    names = [c for c in table.attrs["columns"].decode().split(",") if c != column]
    h = hashlib.sha256()
    for c in names:
        h.update(c.encode())
        h.update(table[c][()].tobytes())
    del table.attrs["columns"], table.attrs["sha256"]
    table.attrs["columns"] = ",".join(names).encode()
    table.attrs["sha256"] = h.hexdigest().encode()
with h5py.File("named.h5", "r+") as f:
    del f["rows/host_cpu"]
with h5py.File("unnamed.h5", "r+") as f:
    del f["rows/host_cpu"]
    forget(f["rows"], "host_cpu")
with h5py.File("needed.h5", "r+") as f:
    del f["rows/config"]
    forget(f["rows"], "config")
with h5py.File("unlisted.h5", "r+") as f:
    forget(f["rows"], "host_cpu")
P
    for f in named unnamed needed unlisted; do "$D" older $f.h5; done
    checked 3 named.h5 "column host_cpu"
    refused named.h5 spmv-fit -o out.h5 named.h5
    refused named.h5 spmv-merge -o out.h5 named.h5
    checked 3 needed.h5 "column config is missing"
    refused needed.h5 spmv-fit -o out.h5 needed.h5
    checked 3 unlisted.h5 "contains columns other than those it lists"
    checked 0 unnamed.h5 ok
    spmv-merge -o out.h5 unnamed.h5 run.h5 > /dev/null 2> said
    cat said
    grep -q 'unnamed.h5 lacks rows (host_cpu), which another archive has' said
    [ "$(wc -l < said)" -eq 1 ]
}

# bats test_tags=id:damage-merge-missing-tables
@test "spmv-merge names tables that only some archives lack" {
    copy run.h5 less.h5
    need_python
    "$PYTHON" -c 'import h5py; f = h5py.File("less.h5", "r+"); del f["branches"], f["geometry"]; f.close()'
    "$D" older less.h5
    checked 0 less.h5 ok
    spmv-merge -o out.h5 less.h5 run.h5 > /dev/null 2> said
    cat said
    [ "$(wc -l < said)" -eq 2 ]
    grep -q 'less.h5 lacks geometry, which another archive has' said
    grep -q 'less.h5 lacks branches, which another archive has' said
    spmv-merge -o alone.h5 less.h5 > /dev/null 2> said
    [ ! -s said ]
}

@test "spmv-check prints an unreadable schema as - in the table and null in JSON" {
    : > empty.h5
    [ "$(spmv-check empty.h5 | awk -F'\t' 'NR == 2 { print $3 }')" = - ]
    run -3 --separate-stderr spmv-check --json empty.h5
    [[ "$output" == *'"schema":null,'* ]]
}

# bats test_tags=id:damage-isolated-code
@test "of code run in isolation the answer, crash, endless loop, exit or signal is reported; nothing is printed and no core file is left" {
    ulimit -c unlimited 2> /dev/null || true
    local what expected
    while IFS='|' read -r what expected; do
        run -0 --separate-stderr "$BUILD/isolate" "$what"
        echo "$what: $output | $stderr"
        [[ "$output" == "before, $expected"* ]]
        [ "${#lines[@]}" -eq 1 ]
        [ -z "$stderr" ]
    done <<'END'
work|done, answer 42, no reason
crash|crashed, answer 0, 
abort|crashed, answer 0, 
exit|crashed, answer 0, exit status 1
stopped|failed, answer 0, stopped by a signal
endless|endless, answer 0, CPU time limit exceeded
asleep|failed, answer 0, it did not finish in time
END
    [ -z "$(find . -name 'core*')" ]
    need_address_limits
    [[ "$("$BUILD/isolate" memory)" == "before, done, answer 1, "* ]]
    [ "$("$BUILD/isolate" short)" = "before, out of memory, answer 0, out of memory" ]
}

# bats test_tags=id:damage-wrong-checksums
@test "tables with wrong checksums under a valid digest are damage to every reader; a pipe is rejected without waiting" {
    need_python
    spmv-run --backend cpu --time-cap 0 --rounds-cap 3 --cache warm -c csr-scalar -o run.h5 stencil:points=5,n=10 > /dev/null
    "$BUILD/h5_damage" older run.h5
    cp run.h5 changed.h5
    "$PYTHON" -c 'import h5py; f = h5py.File("changed.h5", "r+"); f.attrs.modify("schema", 2); f["rows/time_us"][...] *= 0.01'
    "$BUILD/h5_damage" digest changed.h5
    for c in "spmv-check changed.h5" "spmv-merge -o all.h5 changed.h5" "spmv-fit -o p.h5 changed.h5" "spmv-speed changed.h5" "spmv-info changed.h5"; do
        # shellcheck disable=SC2086
        run -3 $c
        [[ "$output" == *"table rows has checksum"* ]]
    done
    mkfifo pipe.h5
    run -1 timeout 10 spmv-merge -o all.h5 pipe.h5
    [[ "$output" == *"not a regular file"* ]]
}
