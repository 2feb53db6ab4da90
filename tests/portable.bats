#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Builds for any processor and for one (make ARCHFLAGS=...): functions selected at run time, their bits, provenance.
bats_require_minimum_version 1.5.0
load helpers

setup() {
    cd "$BATS_TEST_TMPDIR"
    unset MAKEFLAGS MAKELEVEL MFLAGS ARCHFLAGS CFLAGS LDFLAGS CC
}

# A small tree under the real Makefile: a program and base/picked.h. asked NAME VARIABLES...: prints a make variable.
small_tree() {
    mkdir -p tree/src/{base,verify}
    cp -r "$ROOT"/{Makefile,make} tree/
    cp "$ROOT"/src/base/version.[ch] tree/src/base/
    cp "$ROOT/src/base/picked.h" tree/src/base/
    echo 'int main(void) { return 0; }' > tree/src/verify/check.c
}
asked() { make -C tree --no-print-directory MPICC= NVCC= --eval 'asked: ; @printf "%s\n" "$('"$1"')"' asked "${@:2}"; }

@test "a build is portable and selects functions at run time if compiler and library support it; a native one does not; the version says so" {
    small_tree
    [ "$(asked 'CLONES) $(BUILT_FOR' ARCHFLAGS=-march=native)" = " native" ]
    [[ "$(asked CPPFLAGS ARCHFLAGS=-march=native)" != *SPMVCAST_CLONES* ]]
    case "$(asked CLONES)" in
    1)  [[ "$(asked CPPFLAGS)" == *-DSPMVCAST_CLONES* ]]
        [ "$(asked BUILT_FOR)" = generic-picked ] ;;
    *)  [ -s tree/build/clones.log ]                            # the log gives the reason why not
        [ "$(asked BUILT_FOR)" = generic ] ;;
    esac
    [[ "$(asked BUILT_FOR ARCHFLAGS="-march=x86-64 -mtune=generic")" == x86-64* ]]
    # a compiler without support
    printf '#!/bin/sh\ncase " $* " in *SPMVCAST_CLONES*) exit 1 ;; esac\nexec cc "$@"\n' > plain-cc
    chmod +x plain-cc
    [ "$(asked BUILT_FOR CC="$PWD/plain-cc")" = generic ]
    [[ "$(asked CPPFLAGS CC="$PWD/plain-cc")" != *SPMVCAST_CLONES* ]]
    [ -s tree/build/clones.log ]
}

# bats test_tags=long
@test "functions selected at run time give the same bits as plain builds" {
    small_tree
    [ "$(asked CLONES)" = 1 ] || skip "this compiler or C library makes no clones: $(head -n 1 tree/build/clones.log)"
    read -ra flags <<< "$(asked CPPFLAGS) -O3 -std=c17 -fopenmp -ffp-contract=off"
    flags=("${flags[@]/-Isrc/-I$ROOT/src}")
    mapfile -t sources < <(grep -l '"base/picked.h"' "$ROOT"/src/formats/*/*.c)
    [ ${#sources[@]} -ge 2 ]
    digest() {          # digest FLAGS...: prints a digest of the results of these sources built with FLAGS
        local f objects=()
        for f in "${sources[@]}"; do
            cc "${flags[@]}" "$@" -c "$f" -o "$(basename "$f").o"
            objects+=("$(basename "$f").o")
        done
        nm "${objects[@]}" > symbols
        cc -fopenmp "${objects[@]}" "$BUILD/property.o" "$ROOT/build/libspmv.a" "${libraries[@]}" -o property
        PROPERTY_N=20 OMP_NUM_THREADS=2 ./property digest
    }
    # shellcheck disable=SC2046
    cc "${flags[@]}" -c "$ROOT/tests/c/property.c" -o property.o -I"$ROOT/tests/c"
    BUILD=$PWD
    read -ra libraries <<< "$(make -C "$ROOT" -s --no-print-directory NVCC= --eval 'libs: ; @echo $(WRAPS) $(LIBS)' libs)"
    plain=$(digest -USPMVCAST_CLONES -march=x86-64)
    run ! grep -q x86_64_v4 symbols
    picked=$(digest)
    grep -q 'x86.64.v4' symbols
    [ -n "$plain" ]
    [ "$picked" = "$plain" ]
    [ "$(digest -USPMVCAST_CLONES -march=native)" = "$plain" ]
    [ "$(PROPERTY_N=21 ./property digest)" != "$plain" ]
}

@test "provenance names the processors that a program was built for" {
    spmv-gen -q guo2014 quick=1 max_bytes=65536 --geometry C2050 -o m.h5 > out
    built=$(sed -n 's/^.*-march=\([^ ]*\).*$/\1/p' "$ROOT/build/cc.by")
    [[ "$(spmv-info m.h5 | value_of provenance.1.version)" == *", ${built:-generic}"* ]]
}
