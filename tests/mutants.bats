#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Seeded faults: each row applies and names an existing test; verdicts, messages and moves of scripts/mutants.sh in a tree of one
# program and a few tests. make check-mutants runs the faults themselves.
bats_require_minimum_version 1.5.0
load helpers

# A small tree: bin/answer prints 42; one test checks it, the others do not.
setup() {
    TREE="$BATS_TEST_TMPDIR/tree"
    mkdir -p "$TREE"/{scripts,src,tests/mutants}
    cd "$TREE"
    cp "$ROOT"/scripts/mutants.{sh,pl} scripts/
    printf '# the answer\necho 42\nexit 0\n' > src/answer.sh
    printf 'bin/answer: src/answer.sh\n\tsh -n $<\n\tmkdir -p bin; rm -f $@; cp $< $@\n' > Makefile
    sed 's/^-/@/' > tests/toy.bats <<'END'         # bats would take lines that begin with @ for its own tests
# bats test_tags=quick,id:answer
-test "the answer (to all)" {
    [ "$(sh "$BATS_TEST_DIRNAME/../bin/answer")" = 42 ]
}
# bats test_tags=id:nothing
-test "nothing" { true; }
# bats test_tags=id:never
-test "never run" { skip "no oracle"; }
# bats test_tags=id:red
-test "always red" { false; }
END
}
# fault NAME TEST EDIT...: appends a row; an EDIT is a line "- text" or "+ replacement".
fault() {
    printf 'fault %s\nwhy   something\nfile  %s\ntest  %s\nmake  bin/answer\n' "$1" "${FILE:-src/answer.sh}" "$2"
    printf '%s\n' "${@:3}" ""
} >> tests/mutants/cpu.faults
verdicts() { cut -f1,4 <<< "$output" | grep -v '^#' | sed 1d | sort | tr '\t\n' ' ,'; }
hashes() { (cd "$1" && find . -type f -exec sha256sum {} + | sort); }

# bats test_tags=quick
@test "every seeded fault applies to this tree, and exactly one test has the id that it names" {
    run -0 --separate-stderr "$ROOT/scripts/mutants.sh" check
    [ -z "$stderr" ]
    [[ "$output" =~ ^([0-9]+)" CPU mutants, "([0-9]+)" GPU mutants"$ ]]
    [ "${BASH_REMATCH[1]}" -ge 300 ]
    [ "${BASH_REMATCH[2]}" -ge 40 ]
    "$ROOT/scripts/mutants.sh" list | awk -F'\t' 'NF != 5 || seen[$1]++ { exit 1 }'
}

@test "a fault that its test detects counts as killed, and the hashes of the tree stay" {
    fault one answer '- echo 42' '+ echo 41'
    fault spans-lines answer '- 42' '- exit 0' '+ 4' '+ exit 1'
    fault removed answer '- echo 42'
    fault two-texts answer '- # the answer' '+ true' '- 42' '+ 40'
    make -s bin/answer
    # as in make -j2 check-mutants, whose job server the makes of the copies cannot use: 3 is no pipe to read from
    printf 'bin/answer: a b\n.PHONY: a b\na b:\n\t@sleep 0.1\n' >> Makefile
    before=$(hashes .)
    MAKEFLAGS=" -j2 --jobserver-auth=3,4" run -0 --separate-stderr scripts/mutants.sh run cpu 4>&1
    echo "$output; $stderr"
    [ "$(verdicts)" = "one killed,removed killed,spans-lines killed,two-texts killed," ]
    [[ "$output" == *$'\none\tsrc/answer.sh\tanswer\tkilled\t'[0-9]*.[0-9]$'\t'[0-9]*.[0-9]$'\t-\n'* ]]
    [[ "${lines[-1]}" == "# 4 mutants in "*" s: 4 killed, 0 of them by timeout; 0 survived, 0 do not apply, 0 errors" ]]
    [ -z "$stderr" ]                    # no file of the shared copy was written in place
    [ "$(hashes .)" = "$before" ]
    run -0 scripts/mutants.sh run cpu one
    [ "$(verdicts)" = "one killed," ]
}

@test "a build that writes a file of the shared copy in place is an error that names the file" {
    sed -i 's/rm -f $@; cp $< $@/cat $< > $@/' Makefile
    make -s bin/answer
    fault one answer '- echo 42' '+ echo 41'
    before=$(hashes .)
    run -1 --separate-stderr scripts/mutants.sh run cpu
    [[ "$stderr" == *"# written in place:"*" ./bin/answer"* ]]
    [[ "$output" == *"# files of the shared copy were written in place: results may be wrong"* ]]
    [ "$(hashes .)" = "$before" ]
}

@test "an undetected fault counts as survived, an endless one as killed; kills by timeout are also counted separately" {
    fault unseen nothing '- 42' '+ 41'
    fault endless answer '- echo 42' '+ sleep 60'
    MUTANT_TIMEOUT=6 run -1 scripts/mutants.sh run cpu
    [ "$(verdicts)" = "endless killed,unseen survived," ]
    [[ "$output" == *"timed out after 6 s"* && "${lines[-1]}" == *": 1 killed, 1 of them by timeout; 1 survived, 0 do not apply, 0 errors" ]]
}

@test "rows that do not apply, broken builds, and tests that skip, are missing or fail without the fault are not kills" {
    fault stale answer '- echo 43' '+ echo 41'
    fault twice answer '- e' '+ f'
    fault broken answer '- echo 42' '+ if'
    fault skipped never '- 42' '+ 41'
    fault red red '- 42' '+ 41'
    run -1 scripts/mutants.sh run cpu
    echo "$output"
    [ "$(verdicts)" = "broken error,red error,skipped error,stale does not apply,twice does not apply," ]
    [[ "$output" == *"does not build"* && "$output" == *"the test was skipped without the fault"* && "$output" == *"the test failed without the fault"* ]]
    [[ "${lines[-1]}" == *": 0 killed, 0 of them by timeout; 0 survived, 2 do not apply, 3 errors" ]]
}

# bats test_tags=quick
@test "check names the nearest line of a row that no longer matches, repeated texts, and unknown tests and make targets" {
    fault stale answer '- echo 43' '+ echo 41'
    fault twice answer '- e' '+ f'
    fault gone lost '- 42' '+ 41'
    fault fine answer '- 42' '+ 41'
    sed -i '/^fault gone/,/^$/s|bin/answer|bin/lost|' tests/mutants/cpu.faults
    run -1 --separate-stderr scripts/mutants.sh check
    echo "$stderr"
    [ -z "$output" ]
    [ "$stderr" = "gone: no test in tests/ has the id lost
gone: no source file for make target bin/lost
stale: src/answer.sh does not contain the text; nearest is src/answer.sh:2: echo 42
twice: src/answer.sh contains the text 4 times, at lines 1, 1, 2, 3" ]
    sed 's/id:nothing/id:answer/' -i tests/toy.bats
    run -1 --separate-stderr scripts/mutants.sh check
    [[ "$stderr" == *"the id answer occurs 2 times in tests/: tests/toy.bats tests/toy.bats"* ]]
}

# bats test_tags=quick
@test "moved rewrites the path of a row whose text is found exactly once elsewhere, and nothing else" {
    fault one answer '- echo 42' '+ echo 41'
    fault two answer '- exit 0' '+ exit 1'
    fault three answer '- # the answer' '+ # no'
    mkdir src/new
    grep -v exit src/answer.sh > src/new/answer.sh; echo '# the answer' > src/other.sh
    echo 'exit 0' > src/answer.sh
    cp tests/mutants/cpu.faults before
    run -1 --separate-stderr scripts/mutants.sh check
    [[ "$stderr" == *"one: src/answer.sh does not contain the text, but src/new/answer.sh does: run mutants.sh moved"* ]]
    run -1 --separate-stderr scripts/mutants.sh moved
    [ "$output" = "one: src/answer.sh -> src/new/answer.sh" ]
    [ "$stderr" = "three: src/answer.sh does not contain the text; the text is several times in src/: src/new/answer.sh src/other.sh" ]
    run diff before tests/mutants/cpu.faults
    [ "$output" = "3c3
< file  src/answer.sh
---
> file  src/new/answer.sh" ]
    rm src/other.sh
    run -0 --separate-stderr scripts/mutants.sh moved
    [ "$output" = "three: src/answer.sh -> src/new/answer.sh" ]
    sed -i 's|src/new/answer.sh|src/answer.sh|' tests/mutants/cpu.faults
    cmp before tests/mutants/cpu.faults
}

# bats test_tags=quick
@test "a tree that does not build, unknown mutants and unreadable rows are rejected" {
    fault one answer '- echo 42' '+ echo 41'
    run -1 scripts/mutants.sh run cpu two
    [[ "$output" == *"unknown mutant 'two' in the cpu set"* ]]
    echo "if" > src/answer.sh
    run -1 scripts/mutants.sh run cpu
    [[ "$output" == *"the tree does not build without faults"* ]]
    while IFS='|' read -r edit text; do
        cp tests/mutants/cpu.faults kept
        sed -i "$edit" tests/mutants/cpu.faults
        run ! scripts/mutants.sh check
        [[ "$output" == "mutants: tests/mutants/cpu.faults"*"$text" ]] || { echo "$edit: $output"; false; }
        mv kept tests/mutants/cpu.faults
    done <<'END'
/^why/d|: fault one has no line 'why'
/^[-+]/d|: fault one changes nothing
s/^test/tset/|:4: unexpected line: tset  answer
END
}
