#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Conventions of every source file and every program.
bats_require_minimum_version 1.5.0
load helpers

sources() {
    cd "$ROOT" || return
    find Makefile make config.mk.example install-deps.sh .ci/run .githooks/commit-msg scripts jobs include examples src tests -type f ! -path 'tests/data/*' ! -name '*.seeds' ! -name README.md ! -path jobs/site.sh
    find bindings -type f \( -name '*.py' -o -name '*.toml' -o -name '*.[ch]' -o -name '*.map' \) ! -path '*/build/*'
}
code() { sources | grep -E '^src/.*\.(c|h|cu|cuh|inc)$'; }
programs() { sed -nE 's/^(SHELL_)?PROGRAMS *:= *//p' "$ROOT/Makefile" | tr ' ' '\n'; }

# bats test_tags=quick
@test "every source file has its licence in the first lines" {
    [ "$(sources | wc -l)" -gt 150 ]
    missing=$(cd "$ROOT" && sources | tr '\n' '\0' | xargs -0 awk '
        FNR <= 2 && /SPDX-License-Identifier: BSD-3-Clause/ { named[FILENAME] = 1 }
        END { for (i = 1; i < ARGC; i++) if (!named[ARGV[i]]) print ARGV[i] }')
    [ -z "$missing" ] || { echo "$missing"; false; }
}

# bats test_tags=long
@test "shellcheck finds nothing in scripts and tests" {
    command -v shellcheck > /dev/null || skip "no shellcheck"
    cd "$ROOT"
    shellcheck -x install-deps.sh .ci/run .githooks/commit-msg scripts/*.sh src/*/*.sh jobs/{profile,collection}.sh tests/*.sh tests/fuzz/*.sh
    # bats sets stderr and BATS_*, a failing cd ends a test, and words of a table are split on purpose
    shellcheck -S warning -e SC2164,SC2154,SC2034,SC2284 tests/*.bats tests/*.bash
}

@test "C and CUDA sources are formatted by .clang-format" {
    unset LD_PRELOAD                                            # clang-format needs libxml2
    tool=$(command -v clang-format-14 || command -v clang-format) || skip "no clang-format"
    "$tool" --version | grep -q 'version 14\.' || skip "clang-format is not version 14, which lays out otherwise"
    cd "$ROOT"
    # those that are newer than the last time when all were
    touch "$BATS_TEST_TMPDIR/now"
    [ -e build/formatted ] && [ -z "$(find .clang-format "$tool" -newer build/formatted)" ] || touch -d @0 build/formatted
    found=$(find examples bindings/petsc src tests/petsc tests/preload tests/c tests/fuzz tests/toy tests/toy_reader \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' -o -name '*.inc' \) -newer build/formatted -print0 | xargs -0r "$tool" --dry-run -Werror 2>&1 | grep error: || true)
    [ -z "$found" ] || { head -n 20 <<<"$found"; echo "make format lays them out"; false; }
    touch -r "$BATS_TEST_TMPDIR/now" build/formatted
}

# bats 1.8 (Debian 12) turns a skip in setup_file or teardown_file into a failure of the whole file.
# bats test_tags=quick
@test "no setup_file or teardown_file skips, directly or through a need_ helper" {
    cd "$ROOT"
    [ "$(grep -cE '^need_[a-z_]+\(\)' tests/helpers.bash)" -ge 5 ]
    found=$(awk '/^(setup|teardown)_file\(\)/ { inside = 1 } inside && /(^|[^a-z_])(skip|need_[a-z_]+)([^a-z_]|$)/ { print FILENAME ":" FNR ": " $0 }
        /^}/ || /^[a-z_]+\(\) *{.*}$/ { inside = 0 }' tests/*.bats)
    [ -z "$found" ] || { echo "$found"; false; }
}

# bash ends a test neither at a command after ! nor at one before &&. As the last statement of a function both count.
# bats test_tags=quick
@test "no test has a check that cannot fail: a statement ! ..., or two joined by &&" {
    cd "$ROOT"
    unchecked() { awk '
        function leave() { if (line != "") { print line; line = "" } }
        /^ *$/ { next }
        { if ($1 != "}") leave(); line = "" }
        /^ +! / && !/\|\|/ { line = FILENAME ":" FNR ": " $0 }
        /^ +(\[\[?|grep|cmp|diff|argument|with_programs) .* && (\[|grep|cmp|diff|run|argument) ?/ && !/\|\|/ && (!/^ +\[/ || / \]\]? && /) { line = FILENAME ":" FNR ": " $0 }' "$@"; }
    printf '%s\n' '@test "x" {' '    [ a = b ] && [ a = a ]' '    ! true' '    true' '}' > "$BATS_TEST_TMPDIR/x"
    [ "$(unchecked "$BATS_TEST_TMPDIR/x" | wc -l)" -eq 2 ]
    found=$(unchecked tests/*.bats)
    [ -z "$found" ] || { echo "$found"; false; }
}

# bats test_tags=quick
@test "C and CUDA sources use no banned function, comparison or header" {
    cd "$ROOT"
    found=$(code | xargs grep -nE '\b(assert|atoi|atof|atol|rand|srand|strcpy|strcat|sprintf|gets)\(' || true)
    [ -z "$found" ] || { echo "$found"; false; }
    [ "$(code | xargs grep -lE '#include <mpi\.h>')" = src/run/comm_mpi.c ]
    # string comparisons are written == 0, and 64-bit integers are printed with PRId64
    found=$(code | xargs grep -nE '!(str|strn|strcase|strncase|mem)cmp\(|%ll[du]' || true)
    [ -z "$found" ] || { echo "$found"; false; }
    found=$(code | grep -E '\.[ch]$' | xargs grep -nE '#include <cuda|__global__' || true)
    [ -z "$found" ] || { echo "$found"; false; }
}

# bats test_tags=quick
@test "the commit hook accepts a subject of 72 characters and those that git writes; it rejects longer ones, empty ones and a second line" {
    hook() { printf "$1" > "$BATS_TEST_TMPDIR/message"; run "$ROOT/.githooks/commit-msg" "$BATS_TEST_TMPDIR/message"; }
    full=$(printf '%072d' 0)
    local cut='# ------------------------ >8 ------------------------\n# Do not modify\ndiff --git a/f b/f\n' # of git commit -v
    for good in "$full" "# a comment\nsell: pad slices\n\nWhy and how.\n" "${full%00}\303\244\303\244\n" "$full\n# On branch main\n$cut" \
        "fixup! $full" "squash! $full" "amend! $full" "Revert \"$full\"" "Merge branch '$full'"; do
        hook "$good"
        [ "$status" -eq 0 ] || { echo "$good: $output"; false; }
    done
    hook "${full}1\n"
    [ "$status $output" = "1 commit-msg: the subject has 73 characters, at most 72 are allowed; move details to the body: ${full}1" ]
    hook "${full}1\n$cut"
    [[ "$status" -eq 1 && "$output" == *"has 73 characters"* ]]
    hook "Merges ${full}"
    [[ "$status" -eq 1 && "$output" == *"has 79 characters"* ]]
    hook "\n$cut"
    [[ "$status" -eq 1 && "$output" == *"first line is empty"* ]]
    hook '# only a comment\n\n'
    [ "$status $output" = '1 commit-msg: the first line is empty; write a subject, such as "area: what changes"' ]
    hook 'one\ntwo\n'
    [ "$status $output" = "1 commit-msg: line 2 is not empty; separate subject and body by an empty line: two" ]
}

# bats test_tags=quick
@test "no test has changed the archives that all tests read" {
    cd "$BUILD/syn"
    sha256sum --quiet -c SHA256SUMS
}

# bats test_tags=quick
@test "the programs built are those listed by make; docs/programs.md has a line for each" {
    [ "$(cd "$BIN" && printf '%s\n' spmv-* | sort)" = "$(programs | sed 's/^/spmv-/' | sort)" ]
    [ "$(sed -n 's/^| `\(spmv-[a-z]*\)` .*/\1/p' "$ROOT/docs/programs.md" | sort)" = "$(programs | sed 's/^/spmv-/' | sort)" ]
}

# bats test_tags=quick
@test "every program: --help and --version exit 0; help ends with an example that calls it" {
    for p in $(programs); do
        run -0 --separate-stderr "spmv-$p" --help
        [[ "${lines[0]}" == "usage: spmv-$p "* ]] || { echo "$p"; false; }
        [ -z "$stderr" ]
        sed '1,/^Example:/d' <<<"$output" | grep -q "spmv-$p " || { echo "$p has no example"; false; }
        run -0 --separate-stderr "spmv-$p" --version
        [[ "$output" == *"$(sed -n 's/.*SPMVCAST_VERSION "\(.*\)".*/\1/p' "$ROOT/src/base/version.h")"* ]]
    done
}

# bats test_tags=quick
@test "every program: an unknown option exits 2 and is named on stderr; stdout is empty" {
    for p in $(programs); do
        run -2 --separate-stderr "spmv-$p" --no-such-option x
        [ -z "$output" ] || { echo "$p: $output"; false; }
        [[ "$stderr" == "spmv-$p: "*"--no-such-option"* ]] || { echo "$p: $stderr"; false; }
    done
}

@test "every program: an invalid or out-of-range number is rejected with the name of its option" {
    tried=0
    for p in $(programs); do
        # each option with a range in its help, and a value just below: "--top N   ... (0..1000; ..." gives --top -1
        while read -r option below; do
            for bad in 7x "" 1e99 -1e99 "$below"; do
                run -2 --separate-stderr "spmv-$p" "$option=$bad" x
                [ -z "$output" ] || { echo "$p $option=$bad: $output"; false; }
                [[ "$stderr" == "spmv-$p: "*"$option"* ]] || { echo "$p $option=$bad: $stderr"; false; }
            done
            tried=$((tried + 1))
        done < <("spmv-$p" --help | awk '
            /^ +(-., |    )--/ { for (i = 1; i <= NF; i++) if ($i ~ /^--/) { option = $i; break } }
            match($0, /\([-0-9.e+]+\.\.[-0-9.e+]+[;)]/) { print option, substr($0, RSTART + 1, index(substr($0, RSTART), "..") - 2) - 1 }')
    done
    [ "$tried" -ge 6 ] || { echo "only $tried options with a range found"; false; }
}
