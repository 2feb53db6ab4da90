#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Seeded faults: each patch still applies and names a test that is there; what scripts/mutants.sh makes of a fault, in a tree of
# one program and two tests. The faults themselves are make check-mutants.
bats_require_minimum_version 1.5.0
load helpers

need_patch() { command -v patch > /dev/null || command -v git > /dev/null || skip "neither patch nor git"; }

# A tree of its own: bin/answer says 42, a test that looks at it and one that does not.
toy_tree() {
    mkdir -p "$BATS_TEST_TMPDIR/tree"
    cd "$BATS_TEST_TMPDIR/tree"
    mkdir -p scripts src tests/mutants
    cp "$ROOT/scripts/mutants.sh" scripts/
    printf 'echo 42\n' > src/answer.sh
    printf 'bin/answer: src/answer.sh\n\tsh -n $<\n\tmkdir -p bin; cp $< $@\n' > Makefile
    sed 's/^-/@/' > tests/toy.bats <<'END'         # bats takes a line that begins with @ for its own
-test "the answer (to all)" {
    [ "$(sh "$BATS_TEST_DIRNAME/../bin/answer")" = 42 ]
}
-test "nothing" { true; }
-test "never run" { skip "no oracle"; }
-test "always red" { false; }
END
}
# mutant NAME NEW-LINE TEST: a patch that puts NEW-LINE in place of the program's only line.
mutant() {
    printf '# breaks: something\n# test: tests/toy.bats %s\n# make: bin/answer\n# set: cpu\n' "$3" > "tests/mutants/$1.patch"
    printf -- '--- a/src/answer.sh\n+++ b/src/answer.sh\n@@ -1 +1 @@\n-%s\n+%s\n' "${4:-echo 42}" "$2" >> "tests/mutants/$1.patch"
}
verdicts() { cut -f1,4 <<< "$output" | grep -v '^#' | sort | xargs; }

# bats test_tags=quick
@test "every patch applies to this tree, and the test it names is there" {
    need_patch
    run -0 --separate-stderr "$ROOT/scripts/mutants.sh" check
    [ -z "$stderr" ]
    [[ "$output" =~ ^([0-9]+)" mutants of the CPU, "([0-9]+)" of the GPU"$ ]]
    [ "${BASH_REMATCH[1]}" -ge 30 ]
    [ "${BASH_REMATCH[2]}" -ge 6 ]
    "$ROOT/scripts/mutants.sh" list | awk -F'\t' 'NF != 5 || seen[$1]++ { exit 1 }'
}

@test "a fault that its test finds is killed, and the tree is as it was" {
    need_patch
    toy_tree
    mutant one "echo 41" "the answer (to all)"
    mutant two "exit 1" "the answer (to all)"
    before=$(find . -type f -exec sha256sum {} + | sort)
    run -0 --separate-stderr scripts/mutants.sh run cpu
    echo "$output; $stderr"
    [ "$(verdicts)" = "mutant verdict one killed two killed" ]
    [[ "$output" == *$'\none\tsrc/answer.sh\ttests/toy.bats: the answer (to all)\tkilled\t'[0-9]*.[0-9]$'\t-\n'* ]]
    [[ "${lines[-1]}" == "# 2 mutants in "*" s: 2 killed, 0 of them by timeout; 0 survived, 0 errors" ]]
    [ "$(find . -type f -exec sha256sum {} + | sort)" = "$before" ]
    run -0 scripts/mutants.sh run cpu two
    [ "$(verdicts)" = "mutant verdict two killed" ]
}

@test "what no test finds survives; what does not end is killed by timeout and counted apart" {
    need_patch
    toy_tree
    mutant unseen "echo 41" "nothing"
    mutant endless "sleep 60" "the answer (to all)"
    MUTANT_TIMEOUT=2 run -1 scripts/mutants.sh run cpu
    [ "$(verdicts)" = "endless timeout mutant verdict unseen survived" ]
    [[ "$output" == *"no end in 2 s"* && "${lines[-1]}" == *": 1 killed, 1 of them by timeout; 1 survived, 0 errors" ]]
}

@test "what teaches nothing is an error, not a kill: stale patches, broken builds, tests that are skipped or red anyway" {
    need_patch
    toy_tree
    mutant stale "echo 41" "the answer (to all)" "echo 43"
    mutant broken "if" "the answer (to all)"
    mutant skipped "echo 41" "never run"
    mutant red "echo 41" "always red"
    mutant gone "echo 41" "no such test"
    run -1 scripts/mutants.sh run cpu
    echo "$output"
    [ "$(verdicts)" = "broken error gone error mutant verdict red error skipped error stale error" ]
    [[ "$output" == *"does not apply"* && "$output" == *"does not build"* && "$output" == *"the test skipped on"* && "$output" == *"the test failed on"* && "$output" == *"the test was not run on"* ]]
    run -1 --separate-stderr scripts/mutants.sh check
    [ -z "$output" ]
    [ "${#stderr_lines[@]}" -eq 2 ]
    [[ "$stderr" == *"gone: tests/toy.bats has no test 'no such test'"*"stale: the patch does not apply any more"* ]]
}

@test "git applies patches where patch(1) is missing" {
    command -v git > /dev/null || skip "no git"
    toy_tree
    mutant one "echo 41" "the answer (to all)"
    mutant stale "echo 41" "the answer (to all)" "echo 43"
    mkdir without
    for tool in bash sh dirname sed awk grep paste sort sha256sum find xargs tar cp mkdir mktemp rm cut tail head tr tee wc basename env cat timeout make git bats; do
        ln -s "$(command -v $tool)" without/
    done
    PATH="$PWD/without:$BATS_ROOT/bin" run -1 scripts/mutants.sh check
    [[ "$output" == "stale: the patch does not apply any more"* ]]
    rm tests/mutants/stale.patch
    PATH="$PWD/without" run -0 bash -c 'command -v patch; scripts/mutants.sh check'
    [ "$output" = "1 mutants of the CPU, 0 of the GPU" ]
}

@test "a tree that does not build, unknown mutants, wrong words" {
    need_patch
    toy_tree
    mutant one "echo 41" "the answer (to all)"
    run -1 scripts/mutants.sh run cpu two
    [[ "$output" == *"no mutant 'two' in the cpu set"* ]]
    run -2 scripts/mutants.sh run tpu
    run -2 scripts/mutants.sh
    echo "if" > src/answer.sh
    run -1 scripts/mutants.sh run cpu
    [[ "$output" == *"the untouched tree does not build"* ]]
}
