#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The fuzz targets of tests/fuzz without libFuzzer: their seeds, a fixed sample of mutations, and comparisons with other readers.
# `make fuzz` feeds them many more inputs, with sanitizers.
bats_require_minimum_version 1.5.0
load helpers

F="$BUILD/fuzz" SEEDS="$ROOT/tests/fuzz"
setup() { cd "$BATS_TEST_TMPDIR"; }
texts() { "$F" list | cut -f1 | grep -vx archives; }
# fuzzed TARGET N SEED: the target takes its seeds and N mutations of them
fuzzed() {
    [ "$1" != options ] || local -x ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0"     # usage_die() ends a program
    run "$F" "$1" "$SEEDS/$1.seeds" "$2" "$3"
    [ "$status" -eq 0 ] || { echo "$output"; echo "the input:"; cat "crash-$1"; return 1; }
    [ "$(tail -n 1 <<< "$output" | cut -f2)" -gt "$2" ]
}

# bats test_tags=quick
@test "every fuzz target takes its seeds, and has words and sources" {
    local name sources pattern
    while read -r name; do fuzzed "$name" 0 1; done < <(texts)
    while IFS=$'\t' read -r name _ sources; do
        [ "$name" = archives ] || [ -s "$SEEDS/$name.dict" ]
        for pattern in $sources; do compgen -G "$ROOT/src/$pattern" > /dev/null || { echo "$name: no source $pattern"; return 1; }; done
    done < <("$F" list)
}

# bats test_tags=quick,id:fuzz-finds
@test "a wrong answer ends a fuzz target and leaves its input" {
    printf '%%%%MatrixMarket' > there
    run "$F" market -r there
    [ "$status" -eq 0 ]
    printf 'no file *.h5 here' > there
    run -134 "$F" archives -r there
    [[ "$output" == *"no file *.h5 in the current directory"* ]]
    cmp there crash-archives
}

# bats test_tags=long
@test "a fixed sample of mutations of the seeds: no fuzz target crashes or gives a wrong answer" {
    local name n
    while read -r name; do
        n=2000
        case "$name" in market | recipes | configs | options) n=20000 ;; esac
        fuzzed "$name" "$n" 1
    done < <(texts)
}

# bats test_tags=long
@test "archives with changed values, attributes and links, and renewed checksums: each is read or refused" {
    "$SEEDS/archives.sh"
    run "$F" archives "$SEEDS/archives.seeds" 5 1
    [ "$status" -eq 0 ] || { echo "$output"; return 1; }
}

# bats test_tags=long
@test "mutated Matrix Market files and Binsparse arrays are the same matrices for SciPy and h5py, or a rule says why not" {
    need_python
    "$PYTHON" "$SEEDS/differential.py" market spmv-info 1000 1
    "$PYTHON" "$SEEDS/differential.py" binsparse spmv-info 100 1
}
