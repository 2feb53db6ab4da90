#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Archives: written completely or not at all, readable by other programs and across versions, with clear errors.
load helpers

A="$BUILD/archive"
setup() { bats_require_minimum_version 1.5.0; cd "$BATS_TEST_TMPDIR"; }
teardown() { mountpoint -q small && umount small || true; }

# refuses STATUS TEXT COMMAND...: COMMAND exits with STATUS and prints one line that contains TEXT
refuses() {
    local expected="$1" text="$2"; shift 2
    run "$@"
    echo "$output"
    [ "$status" -eq "$expected" ] && [[ "$output" == *"$text"* ]] && [ "${#lines[@]}" -eq 1 ]
}

# bats test_tags=quick,id:archive-rows-kept
@test "rows survive JSON and an archive bit for bit" {
    "$A" json
    "$A" write a.h5 6
    run -0 "$A" read a.h5 samples
    [ "${#lines[@]}" -eq 7 ]
    [ "${lines[4]}" = '{"name":"row 4 ä","count":9,"time_us":null,"parts":[1.33333337,1.66666663,2],"late":-0,"note":"","hue":"crimson"}' ]
    [[ "${lines[3]}" == *'"hue":"green"}' && "${lines[5]}" == *'"hue":""}' ]]
    [ "${lines[6]}" = 'title a "title" kind samples' ]
    [ ! -e a.h5.tmp ]
    "$A" verify a.h5
}

@test "an empty table survives an archive" {
    "$A" write a.h5 0
    [ "$("$A" read a.h5)" = 'title a "title" kind samples' ]
    "$A" verify a.h5
}

# bats test_tags=id:archive-stored-and-loaded
@test "a run that is stored and loaded keeps its rows and features; of rows with equal keys one is kept" {
    "$BUILD/rows" runs.h5
}

# bats test_tags=id:archive-device-kind
@test "an archive keeps the kind and warp size of a device; the CPU device has warp size 1" {
    run -0 "$BUILD/rows" kinds kinds.h5
    [ "$output" = $'a CUDA device cpu=0 warp=32\nthe CPU device cpu=1 warp=1' ]
}

@test "archives without heaviest groups are read with that feature missing and can still be fitted, forecast and verified" {
    "$BUILD/synthetic" gpu runs.h5 stencil:points=5,n=60 normal:rows=3000,p=20,sd=9
    [ "$("$BUILD/rows" older runs.h5 older.h5)" = "absent in 84 matrices" ]
    for f in runs older; do
        spmv-fit -q -m guo2014-regimes,bandwidth --name $f -o $f-profile.h5 $f.h5 > $f.fit
        spmv-verify -m guo2014-regimes --profile $f-profile.h5 $f.h5 > $f.verify
    done
    [ "$(wc -l < older.fit)" -eq "$(wc -l < runs.fit)" ]
    [ "$(wc -l < older.verify)" -eq "$(wc -l < runs.verify)" ]
    run grep -iE 'nan|inf' older.verify
    [ "$status" -eq 1 ]
}

@test "columns missing from an older archive read as missing values" {
    "$A" write-old a.h5 1
    [[ "$("$A" read a.h5)" == *'"late":null,"note":"","hue":""}'* ]]
}

# bats test_tags=quick
@test "the error for a newer schema suggests an update; that for a wrong kind names the kind found and the kind expected" {
    "$A" write-newer a.h5
    refuses 1 "newer spmvcast (schema 3; this version reads up to 2); update spmvcast" "$A" read a.h5
    "$A" write b.h5 1
    refuses 1 "of kind samples; expected kind profile" "$A" read b.h5 profile
}

@test "a column of the wrong type is reported as damage with its name" {
    "$A" write-wrong a.h5
    refuses 3 "table samples, column count does not contain integers" "$A" read a.h5
}

@test "h5py reads names, units, values and checksums" {
    need_python
    "$A" write a.h5 70000                        # several chunks
    "$PYTHON" - <<'P'
import h5py, hashlib, numpy as np
f = h5py.File("a.h5")
assert f.attrs["spmvcast_kind"] in (b"samples", "samples"), f.attrs["spmvcast_kind"]
assert f.attrs["schema"] == 2
t = f["samples"]
assert t["time_us"].attrs["unit"] in (b"us", "us")
assert t["count"][-1] == 69999 ** 2 - 7
assert t["time_us"][0] == 1 / 3 and np.isnan(t["time_us"][4])
assert t["name"][3].decode().rstrip("\0") == "row 3 ä"
assert t["parts"].shape == (70000, 3) and t["parts"].dtype == np.float32
assert t["count"].compression == "gzip" and t["count"].shuffle
# Chunks of one size and unshuffled texts (deflate packs them as well as shuffled ones) halve the time of reading.
assert all(t[c].chunks[0] == 35000 for c in t), [t[c].chunks for c in t]
assert t["name"].compression == "gzip" and not t["name"].shuffle
h = hashlib.sha256()
columns = t.attrs["columns"]
columns = columns.decode() if isinstance(columns, bytes) else columns
for c in columns.split(","):
    h.update(c.encode())
    h.update(t[c][()].tobytes())
sha = t.attrs["sha256"]
assert (sha.decode() if isinstance(sha, bytes) else sha) == h.hexdigest()
P
}

@test "missing files, directories, and empty, text and truncated files are rejected as archives" {
    "$A" write a.h5 100
    mkdir folder; : > empty.h5; echo "hello" > text.h5
    head -c $(($(stat -c %s a.h5) / 2)) a.h5 > half.h5
    head -c $(($(stat -c %s a.h5) - 1)) a.h5 > less.h5
    head -c 20 a.h5 > head.h5
    refuses 1 "missing.h5: No such file" "$A" read missing.h5
    refuses 1 "folder is a directory" "$A" read folder
    refuses 1 "text.h5 is not an HDF5 file" "$A" read text.h5
    refuses 3 "empty.h5 is empty" "$A" read empty.h5
    for f in half head; do refuses 3 "$f.h5 is cut short or damaged" "$A" read $f.h5; done
    refuses 3 "less.h5 is damaged: its digest is missing; it was cut short or modified by another program" "$A" read less.h5
    "$BUILD/h5_damage" older a.h5
    head -c $(($(stat -c %s a.h5) - 1)) a.h5 > older.h5
    refuses 3 "older.h5 is cut short or damaged" "$A" read older.h5
}

# bats test_tags=quick,id:archive-value-without-checksum
@test "a value changed without its checksum is damage for every reader" {
    "$A" write a.h5 6
    "$A" verify a.h5
    "$A" tamper a.h5
    refuses 3 "its digest is missing; it was cut short or modified by another program" "$A" verify a.h5
    "$BUILD/h5_damage" older a.h5                    # without a digest the table's checksum detects it
    refuses 3 "table samples has checksum" "$A" verify a.h5
    refuses 3 "table samples has checksum" "$A" read a.h5
}

@test "a flipped bit is detected; in an archive without a digest it is detected or harmless" {
    "$A" write a.h5 6
    [[ "$("$A" flips a.h5 37)" == *" found, 0 harmless" ]]
    "$BUILD/h5_damage" older a.h5
    "$A" flips a.h5 97
}

@test "a full disk, a signal or a missing directory leaves no partial output" {
    refuses 1 "cannot write missing/a.h5: No such file" "$A" write missing/a.h5 3
    mkdir folder
    refuses 1 "folder: it is a directory" "$A" write folder 3
    refuses 1 "not a regular file" "$A" write /dev/full 3
    "$A" write a.h5 1
    before=$(sha256sum < a.h5)
    run bash -c 'trap "" XFSZ; ulimit -f 20; exec "$0" write a.h5 50000' "$A"
    [ "$status" -eq 1 ]
    [[ "$output" == *"cannot write a.h5"*"File too large"* ]]
    [ "$before" = "$(sha256sum < a.h5)" ]
    run "$A" interrupted a.h5
    [ "$status" -eq 143 ]
    [ "$before" = "$(sha256sum < a.h5)" ]
    [ "$(ls)" = $'a.h5\nfolder' ]
}

@test "a full file system leaves the old archive unchanged" {
    [ "$(id -u)" -eq 0 ] && mkdir small && mount -t tmpfs -o size=64k none small 2>/dev/null || skip "cannot mount a small tmpfs"
    "$A" write small/a.h5 1
    before=$(sha256sum < small/a.h5)
    run "$A" write small/a.h5 50000
    after=$(sha256sum < small/a.h5) left=$(ls small)
    umount small
    [ "$status" -eq 1 ]
    [[ "$output" == *"No space left"* ]]
    [ "$before" = "$after" ]
    [ "$left" = a.h5 ]
}

@test "writing to a symbolic link keeps the link and replaces its target" {
    mkdir far; "$A" write far/a.h5 1; ln -s far/a.h5 a.h5
    "$A" write a.h5 2
    [ -L a.h5 ]
    "$A" tables far/a.h5 | grep -qx "samples 2"
}

@test "provenance is a chain of commands without directory names" {
    mkdir deep
    "$A" write "$PWD/deep/a.h5" 2
    "$A" chain "$PWD/deep/a.h5" p.h5
    run -0 "$A" tables p.h5
    [[ "$output" == *"inputs 2"*"provenance 2"* ]]
    need_python
    "$PYTHON" - "$PWD" <<'P'
import h5py, sys
f = h5py.File("p.h5")
text = lambda c: [v.decode().rstrip("\0") for v in c[()]]
assert text(f["provenance/command"]) == ["archive write a.h5 2", "archive chain a.h5 p.h5"], text(f["provenance/command"])
assert text(f["inputs/name"]) == ["in.mtx", "a.h5"]
assert len(text(f["provenance/date"])[0]) == 20
assert sys.argv[1].encode() not in open("p.h5", "rb").read()
P
}
