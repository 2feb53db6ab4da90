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
    for tool in bash sh dirname id grep xargs mkdir sed rm; do ln -s "$(command -v $tool)" .; done
    run -0 env PATH="$PWD" tree/scripts/builds.sh debian13
    local why="neither debootstrap nor the root directory "
    [ "$(id -u)" = 0 ] || why="not root"
    [[ "${lines[1]}" == "debian13	-	-	-	-	not here: $why"* ]] || { echo "$output"; false; }
}

# with_part NAME HIDDEN: adds a row to the table of parts; the tests print whether site/part is there.
with_part() {
    sed -i "/^petsc-none /i $1 | a toy without its wheels | test | $2 | x y" tree/scripts/builds.sh
    mkdir -p "site dir/a/b/c"
    touch "site dir"/{wheel1,wheel2,axle,a/nut,a/b/nut,a/b/c/nut}
    printf 'deps-test:\n\t@echo deps\ncheck-now:\n\t@cat said; echo "$(T): $$(cd "%s" && find * -type f | sort | xargs)"; touch made\n' "$PWD/site dir" > tree/Makefile
}
need_namespaces() { [ "$(id -u)" = 0 ] && unshare --mount true 2> /dev/null || skip "hiding files needs root and namespaces"; }

@test "parts: hidden files are not there in the build, and are there elsewhere; the note says what is missing; a tree is built once" {
    need_namespaces
    with_part toy-half "no-such-command-$$ $PWD/site?dir/wheel* $PWD/site?dir/a/b/c/n* $PWD/site?dir/a/b/n* $PWD/site?dir/a/n*"
    with_part toy-more "$PWD/site?dir"
    with_part toy-fails "$PWD/site?dir/axle"
    run -0 tree/scripts/builds.sh 'toy-[hm]*'
    [[ "${lines[1]}" =~ ^"toy-half	2	0	1	"[0-9]+"	ok: a toy without its wheels"$ && "${lines[2]}" =~ ^"toy-more	2	0	1	"[0-9]+"	ok: a toy" ]] || { echo "$output"; cat built/*.log; false; }
    grep -qx "tests/x.bats tests/y.bats: axle" built/toy-half.log
    grep -qx "tests/x.bats tests/y.bats: " built/toy-more.log
    [ "$(cd "site dir" && echo *)" = "a axle wheel1 wheel2" ]
    [ "$(cd built && echo *)" = "$(basename built/base-*.log) toy-half.log toy-more.log" ]
    grep -qx "tests/rooms.bats: a/b/c/nut a/b/nut a/nut axle wheel1 wheel2" built/base-*.log
    printf 'not ok 1 one\n' > tree/said
    sed -i 's/; touch made/; [ ! -e made ] || exit 3; touch made/' tree/Makefile
    T="tests/z.bats" run -1 tree/scripts/builds.sh 'toy-f*'
    [[ "${lines[1]}" =~ ^"toy-fails	1	1	0	"[0-9]+"	exit 2: see $BUILDS_DIR/toy-fails.log: a toy without its wheels"$ ]] || { echo "$output"; false; }
    grep -qx "tests/z.bats: a/b/c/nut a/b/nut a/nut wheel1 wheel2" built/toy-fails.log
}

@test "parts: without root, without the part, or without its packages a row says so and does not fail" {
    with_part toy-absent "/no/such/wheel* no-such-command-$$"
    mkdir bin
    printf '#!/bin/sh\necho 1000\n' > bin/id
    chmod +x bin/id
    PATH="$PWD/bin:$PATH" run -0 tree/scripts/builds.sh toy-absent
    [ "${lines[1]}" = "toy-absent	-	-	-	-	not here: hiding files needs root" ]
    need_namespaces
    run -0 tree/scripts/builds.sh toy-absent
    [ "${lines[1]}" = "toy-absent	-	-	-	-	not here: nothing to hide: on this machine, every build is one with a toy without its wheels" ] || { echo "$output"; false; }
    printf 'deps-test:\n\t@echo "no wheels anywhere"; exit 1\n' > tree/Makefile
    run -0 tree/scripts/builds.sh toy-absent
    [ "${lines[1]}" = "toy-absent	-	-	-	-	not here: no wheels anywhere" ]
    with_part toy-refused "$PWD/site?dir/wheel*"
    printf '#!/bin/sh\ncase "$*" in *overlay*) echo "mount: no overlays" >&2; exit 32 ;; esac\nexec %s "$@"\n' "$(command -v mount)" > bin/mount
    chmod +x bin/mount
    rm bin/id
    PATH="$PWD/bin:$PATH" run -0 tree/scripts/builds.sh toy-refused
    [ "${lines[1]}" = "toy-refused	-	-	-	-	not here: files cannot be hidden: mount: no overlays" ] || { echo "$output"; false; }
    [ "$(cd "site dir" && echo *)" = "a axle wheel1 wheel2" ]
}

@test "parts: every row has five columns, and test files that exist" {
    rows=$(sed -n "/^parts()/,/^TABLE/p" "$ROOT/scripts/builds.sh" | grep '|')
    [ "$(wc -l <<< "$rows")" -gt 20 ]
    while IFS='|' read -r name words packages hidden tests more; do
        [ -n "${tests// /}" ] && [ -z "$more" ] && grep -qE "^(deps-[a-z]+ )*deps-${packages// /}[ :]" "$ROOT/make/tests.mk" || { echo "$name"; false; }
        for t in $tests; do [ -e "$ROOT/tests/$t.bats" ] || { echo "$name: $t"; false; }; done
    done <<< "$rows"
}
