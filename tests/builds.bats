#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# scripts/builds.sh on a small tree whose make prints what a test run would print.
bats_require_minimum_version 1.5.0
load helpers

setup() {
    command -v git > /dev/null || skip "no git"
    cd "$BATS_TEST_TMPDIR"
    mkdir -p tree/scripts
    cp "$ROOT/scripts/builds.sh" tree/scripts/
    cat > tree/Makefile <<'EOF'
deps-test:
	@echo "$(CC)" > deps-of
check-now:
	@printf 'tests: %s\n' "$$T"; cat deps-of .proverc; [ -e said ] && cat said; exit $(if $(findstring clang,$(CC)),1,0)
EOF
    printf 'ok 1 one\nok 2 two # skip no GPU\n' > tree/said
    git init -q tree && git -C tree add . && rm -rf built
    echo changed >> tree/said                   # uncommitted: the working tree counts
    export BUILDS_DIR="$PWD/built"
}

@test "each build gets a row with counts; if one fails, the script exits 1 and keeps its log and copy" {
    run -0 tree/scripts/builds.sh plain
    [ "${lines[0]}" = "build	tests	failed	skipped	seconds	note" ]
    [[ "${lines[1]}" =~ ^"plain	2	0	1	"[0-9]+"	ok"$ ]]
    [ ! -e built/plain ]
    grep -q changed built/plain.log
    printf 'ok 1 one\nnot ok 2 two\n' > tree/said
    run -1 tree/scripts/builds.sh clang plain
    [[ "${lines[1]}" =~ ^"plain	2	1	0	"[0-9]+"	ok"$ && "${lines[2]}" =~ ^"clang	2	1	0	"[0-9]+"	exit 2: see $BUILDS_DIR/clang.log"$ ]]
    [ -e built/clang/Makefile ]
}

@test "directories and test files may have any name" {
    export BUILDS_DIR="$PWD/it's; touch pwned"
    T="it's; touch pwned" run -0 tree/scripts/builds.sh plain
    [[ "${lines[1]}" == "plain	2	0	1	"*"	ok" ]]
    [ -z "$(find . -name pwned)" ]
    grep -qxF "tests: it's; touch pwned" "$BUILDS_DIR/plain.log"
}

@test "a build that is unavailable on this machine gives the reason and does not count as a failure" {
    printf 'deps-test:\n\t@echo "no clang anywhere"; exit 1\n' > tree/Makefile
    run -0 tree/scripts/builds.sh clang
    [ "${lines[1]}" = "clang	-	-	-	-	not here: no clang anywhere" ] || { echo "$output"; false; }
    for tool in bash sh dirname id grep xargs mkdir sed; do ln -s "$(command -v $tool)" .; done
    run -0 env PATH="$PWD" tree/scripts/builds.sh debian13
    [[ "${lines[1]}" == "debian13	-	-	-	-	not here: neither debootstrap nor the root directory "*" found; install debootstrap"* ]] || { echo "$output"; false; }
}
