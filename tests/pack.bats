#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Packed profiles (archive/pack.h): they give the forecasts of the profile, are not used if they may not be, and do no harm.
bats_require_minimum_version 1.5.0
load helpers

setup_file() {
    load helpers
    cd "$BATS_FILE_TMPDIR"
    "$BUILD/synthetic" gpu runs.h5 stencil:points=5,n=60 stencil:points=27,n=12 constant:rows=5000,cols=5000,p=20,place=random,seed=3 > /dev/null
    spmv-fit -q -m physics-gp,nearest --name syn -o p.h5 runs.h5 > /dev/null
    spmv-fit --pack p.h5
    asked p.h5 > expected
}
setup() { cd "$BATS_TEST_TMPDIR"; cp "$BATS_FILE_TMPDIR"/{p.h5,p.pack,expected} .; }
asked() { spmv-predict -q --all --json --profile "$1" stencil:points=5,n=60 rmat:scale=10,p=8; }
# The archive can no longer be read without its packed form: a byte before its digest differs.
spoil() { printf 'X' | dd of=p.h5 bs=1 seek=5000 conv=notrunc status=none; }
same() { asked p.h5 | cmp - expected; }
# sealed CODE: changes the packed file by Python (b: its bytes) and renews its checksums. Offsets: struct head in src/archive/pack.c.
sealed() {
    need_python
    "$PYTHON" - "$1" <<'P'
import struct, sys, zlib
b = bytearray(open("p.pack", "rb").read())
TABLE, ENTRY, HEAD = 176, 72, 176 + 32 * 72 + 16 * 288
number = lambda at: struct.unpack_from("<q", b, at)[0]
digest = lambda start, end: struct.pack("<Q", zlib.crc32(b[start:end]))
tables = {b[at:at + 40].split(b"\0")[0].decode(): (at, number(at + 56), number(at + 64)) for at in range(TABLE, TABLE + number(152) * ENTRY, ENTRY)}
starts = sorted({t[2] for t in tables.values()} | {len(b)})
def end_of(at, start):  # rows are followed by up to 63 zeros
    after = next(s for s in starts if s > start)
    return next(after - pad for pad in range(64) if digest(start, after - pad) == b[at + 40:at + 48])
ends = {name: end_of(at, start) for name, (at, rows, start) in tables.items() if rows > 0}
assert number(168) == len(b) and {"coefficients", "learned_configs", "learned_points_f64"} <= ends.keys(), tables
exec(sys.argv[1])
for name, end in ends.items():
    at, _, start = tables[name]
    b[at + 40:at + 48] = digest(start, end)
b[HEAD:HEAD + 8] = digest(0, HEAD)
open("p.pack", "wb").write(b)
P
}

# bats test_tags=id:pack-forecasts
@test "pack: forecasts are those of the profile, which is not opened" {
    spoil
    same
    rm p.pack
    run -3 --separate-stderr asked p.h5
    [[ "$stderr" == *"p.h5 is damaged: its SHA-256 does not match"* ]]
    cp "$ROOT/results/h200/cpu-profile.h5" p.h5 # names neither a driver nor a cuSPARSE
    spmv-fit --pack p.h5
    spmv-predict -q --all --json -p f32 --profile p.h5 stencil:points=5,n=60 > expected
    spoil
    spmv-predict -q --all --json -p f32 --profile p.h5 stencil:points=5,n=60 | cmp - expected
}

# bats test_tags=id:pack-states
@test "pack: it is not used for another state of the profile, nor if any byte of it differs" {
    local at
    "$BUILD/synthetic" branches run.h5 > /dev/null
    mv p.h5 before.h5
    spmv-fit -q -m guo2014-regimes --name other -o p.h5 run.h5 > /dev/null
    asked p.h5 > now
    rm p.pack
    asked p.h5 | cmp - now
    [ "$(sha256sum < now)" != "$(sha256sum < expected)" ]
    for at in 3 40 60 160 200 330 6000 7089 10000 20000; do
        cp "$BATS_FILE_TMPDIR"/{p.h5,p.pack} .
        printf '\377' | dd of=p.pack bs=1 seek=$at conv=notrunc status=none
        same
    done
    cp "$BATS_FILE_TMPDIR"/{p.h5,p.pack} .
    sealed 'b[tables["learned_points_f64"][2] + 12] ^= 255; ends.clear()'
    same
    for at in 0 15 100 7088 7100 12000; do
        head -c $at "$BATS_FILE_TMPDIR/p.pack" > p.pack
        same
    done
}

# bats test_tags=id:pack-rows
@test "pack: rows that no archive could hold are not used, whatever the checksums say" {
    sealed 'pass'
    spoil
    same # the checksums were renewed as they were
    cp "$BATS_FILE_TMPDIR/p.h5" .
    sealed 'at = tables["coefficients"][2]; b[at:at + 32] = b"x" * 32' # a text without end
    same
    cp "$BATS_FILE_TMPDIR/p.pack" .
    sealed 'at, rows, start = tables["learned_configs"]
for i in range(rows): struct.pack_into("<q", b, start + i * ((ends["learned_configs"] - start) // rows) + 320 + 24, 99)' # a precision that does not exist
    same
    for rows in 1000000000000 -5 9223372036854775807; do
        cp "$BATS_FILE_TMPDIR/p.pack" .
        sealed "struct.pack_into('<q', b, tables['coefficients'][0] + 56, $rows)"
        same
    done
    cp "$BATS_FILE_TMPDIR/p.pack" .
    sealed 'struct.pack_into("<Q", b, tables["coefficients"][0] + 48, 7)' # another layout of structs
    spoil
    run -3 asked p.h5
}

@test "pack: only its own files are replaced; archives that are no profiles are refused" {
    echo mine > p.pack
    run -1 spmv-fit --pack p.h5
    [[ "$output" == "spmv-fit: cannot write p.pack: the file exists and is no packed archive; move or remove it" ]]
    [ "$(cat p.pack)" = mine ]
    rm p.pack
    spmv-fit --pack p.h5
    cmp p.pack "$BATS_FILE_TMPDIR/p.pack"
    printf 'spmvcast pack 1\0 of an older version' > p.pack
    spmv-fit --pack p.h5
    "$BUILD/synthetic" branches run.h5 > /dev/null
    run -1 spmv-fit --pack run.h5
    [[ "$output" == *"run.h5 is an archive of kind run; expected kind profile" && ! -e run.pack ]]
}
