#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Seeded faults: each patch applies and names an existing test; verdicts of scripts/mutants.sh in a tree of one program and
# a few tests. make check-mutants runs the faults themselves.
bats_require_minimum_version 1.5.0
load helpers

need_patch() { command -v patch > /dev/null || command -v git > /dev/null || skip "neither patch nor git"; }

# A small tree: bin/answer prints 42; one test checks it, the others do not.
toy_tree() {
    mkdir -p "$BATS_TEST_TMPDIR/tree"
    cd "$BATS_TEST_TMPDIR/tree"
    mkdir -p scripts src tests/mutants
    cp "$ROOT"/scripts/mutants* scripts/
    printf 'echo 42\n' > src/answer.sh
    printf 'bin/answer: src/answer.sh\n\tsh -n $<\n\tmkdir -p bin; cp $< $@\n' > Makefile
    sed 's/^-/@/' > tests/toy.bats <<'END'         # bats would take lines that begin with @ for its own tests
-test "the answer (to all)" {
    [ "$(sh "$BATS_TEST_DIRNAME/../bin/answer")" = 42 ]
}
-test "nothing" { true; }
-test "never run" { skip "no oracle"; }
-test "always red" { false; }
END
}
# mutant NAME NEW-LINE TEST [OLD-LINE]: a patch that replaces the program's only line.
mutant() {
    printf '# breaks: something\n# test: tests/toy.bats %s\n# make: bin/answer\n# set: cpu\n' "$3" > "tests/mutants/$1.patch"
    printf -- '--- a/src/answer.sh\n+++ b/src/answer.sh\n@@ -1 +1 @@\n-%s\n+%s\n' "${4:-echo 42}" "$2" >> "tests/mutants/$1.patch"
}
verdicts() { cut -f1,4 <<< "$output" | grep -v '^#' | sort | xargs; }

# bats test_tags=quick
@test "every patch applies to this tree, and the test it names exists" {
    need_patch
    run -0 --separate-stderr "$ROOT/scripts/mutants.sh" check
    [ -z "$stderr" ]
    [[ "$output" =~ ^([0-9]+)" CPU mutants, "([0-9]+)" GPU mutants"$ ]]
    [ "${BASH_REMATCH[1]}" -ge 30 ]
    [ "${BASH_REMATCH[2]}" -ge 6 ]
    "$ROOT/scripts/mutants.sh" list | awk -F'\t' 'NF != 5 || seen[$1]++ { exit 1 }'
}

@test "a fault that its test detects counts as killed, and the tree stays unchanged" {
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

@test "an undetected fault counts as survived, an endless one as killed; kills by timeout are also counted separately" {
    need_patch
    toy_tree
    mutant unseen "echo 41" "nothing"
    mutant endless "sleep 60" "the answer (to all)"
    MUTANT_TIMEOUT=2 run -1 scripts/mutants.sh run cpu
    [ "$(verdicts)" = "endless timeout mutant verdict unseen survived" ]
    [[ "$output" == *"timed out after 2 s"* && "${lines[-1]}" == *": 1 killed, 1 of them by timeout; 1 survived, 0 errors" ]]
}

@test "stale patches, broken builds, and tests that skip or fail without the fault are errors, not kills" {
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
    [[ "$stderr" == *"gone: tests/toy.bats has no test 'no such test'"*"stale: the patch no longer applies"* ]]
}

@test "git applies the patches if patch(1) is missing" {
    command -v git > /dev/null || skip "no git"
    toy_tree
    mutant one "echo 41" "the answer (to all)"
    mutant stale "echo 41" "the answer (to all)" "echo 43"
    mkdir without
    for tool in bash sh dirname sed awk grep paste sort sha256sum find xargs tar cp mkdir mktemp rm cut tail head tr tee wc basename env cat timeout make git bats; do
        ln -s "$(command -v $tool)" without/
    done
    PATH="$PWD/without:$BATS_ROOT/bin" run -1 scripts/mutants.sh check
    [[ "$output" == "stale: the patch no longer applies"* ]]
    rm tests/mutants/stale.patch
    PATH="$PWD/without" run -0 bash -c 'command -v patch; scripts/mutants.sh check'
    [ "$output" = "1 CPU mutants, 0 GPU mutants" ]
}

@test "a tree that does not build, unknown mutants and invalid arguments are rejected" {
    need_patch
    toy_tree
    mutant one "echo 41" "the answer (to all)"
    run -1 scripts/mutants.sh run cpu two
    [[ "$output" == *"unknown mutant 'two' in the cpu set"* ]]
    run -2 scripts/mutants.sh run tpu
    run -2 scripts/mutants.sh
    echo "if" > src/answer.sh
    run -1 scripts/mutants.sh run cpu
    [[ "$output" == *"the unpatched tree does not build"* ]]
}

# ---- renew: the tree above as a repository whose first commit has src/sum.c and its mutants
need_renew() { need_patch; for tool in git perl diff; do command -v $tool > /dev/null || skip "no $tool"; done; }
sum_tree() {
    toy_tree
    mkdir src/old
    cat > src/old/sum.c <<'END'
#include "old/sum.h"

// The sum of a row.
static double row_sum(const struct matrix *a, int row)
{
    double sum = 0;
    for (int k = a->row_ptr[row]; k < a->row_ptr[row + 1]; k++) sum += a->val[k] * a->x[a->col[k]]; // in order
    return sum;
}

static int widest_row(const struct matrix *a)
{
    int widest = 0;
    for (int row = 0; row < a->rows; row++)
        if (a->row_ptr[row + 1] - a->row_ptr[row] > widest) widest = a->row_ptr[row + 1] - a->row_ptr[row];
    return widest;
}

int check(const struct matrix *a, char *why)
{
    if (a->rows < 0) return fail(why, "%d rows is less than none", a->rows);
    clear(why);
    return 0;
}
END
    fault last-entry-lost "s/k < a->row_ptr\[row + 1\]/k + 1 < a->row_ptr[row + 1]/"
    fault widest-is-last "s/> widest) widest/> 0) widest/"
    fault rows-unchecked "/a->rows < 0/d"
    for i in 1 2 3 4; do printf '// Another file.\nint other_%s(int n)\n{\n    int sum = 0;\n    return n + sum;\n}\n' $i > src/other_$i.c; done
    export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
    git init -q . && git add . && git commit -qm one
}
# fault NAME SED: writes a patch made by a sed command on src/old/sum.c.
fault() {
    printf '# SPDX-License-Identifier: BSD-3-Clause\n# breaks: %s\n# test: tests/toy.bats nothing\n# make: bin/answer\n# set: cpu\n' "$1" > "tests/mutants/$1.patch"
    sed "$2" src/old/sum.c | diff -U1 --label a/src/old/sum.c --label b/src/old/sum.c src/old/sum.c - >> "tests/mutants/$1.patch" || true
}
# lines_of NAME: prints the lines that a patch removes and adds.
lines_of() { sed -n '/^[-+][^-+]/p' "tests/mutants/$1.patch"; }
statuses() { grep -v '^#' <<< "$output" | cut -f1-3 | sed 1d | tr '\t' ' '; }
# Only mutants may change in the repository.
untouched() { git status --porcelain | grep -v 'tests/mutants/'; git rev-parse HEAD; git branch; git stash list; find src .git/index -type f -exec sha256sum {} +; }

@test "renew: patches that apply stay unchanged" {
    need_renew
    sum_tree
    sed -i 's|^// The sum.*|&\n// Of all its entries.|' src/old/sum.c
    before=$(untouched; cat tests/mutants/*)
    run -0 --separate-stderr scripts/mutants.sh renew HEAD
    [ -z "$stderr" ]
    [ "${lines[0]}" = $'mutant\tstatus\tsource\treason' ]
    [ "${lines[1]}" = $'last-entry-lost\tsame\tsrc/old/sum.c\t-' ]
    [[ "${lines[-1]}" == "# 3 mutants in "*" s: 3 same, 0 moved, 0 renewed, 0 failed" ]]
    [ "$(untouched; cat tests/mutants/*)" = "$before" ]
    run -0 scripts/mutants.sh renew HEAD widest-is-last
    [ "$(statuses)" = "widest-is-last same src/old/sum.c" ]
}

@test "renew: patches follow a renamed file, committed or not" {
    need_renew
    sum_tree
    mkdir src/new
    git mv src/old/sum.c src/new/row_sums.c
    sed -i 's|old/sum.h|new/row_sums.h|' src/new/row_sums.c
    printf 'int more;\n' > src/new/more.c                  # neither committed nor in the index
    cp -r tests/mutants mutants.before
    run -1 scripts/mutants.sh check
    [[ "$output" == *"last-entry-lost: the patch no longer applies: "*"; regenerate it with mutants.sh renew BASE"* ]]
    before=$(untouched)
    run -0 --separate-stderr scripts/mutants.sh renew HEAD
    echo "$output; $stderr"
    [ "$(statuses)" = "last-entry-lost moved src/new/row_sums.c
rows-unchecked moved src/new/row_sums.c
widest-is-last moved src/new/row_sums.c" ]
    [ "$(untouched)" = "$before" ]
    for patch in mutants.before/*; do
        sed 's|src/old/sum.c|src/new/row_sums.c|' "$patch" | diff - "tests/mutants/${patch##*/}"
    done
    run -0 scripts/mutants.sh check
    git commit -qam two
    cp mutants.before/* tests/mutants/
    run -0 scripts/mutants.sh renew HEAD^
    [[ "${lines[-1]}" == *" 0 same, 3 moved, 0 renewed, 0 failed" ]]
}

@test "renew: patches follow code moved to a second file" {
    need_renew
    sum_tree
    { printf '#include "old/widest.h"\n\n'; sed -n '/^static int widest/,/^}/p' src/old/sum.c; } > src/old/widest.c
    sed -i '/^static int widest/,/^}/d; s/static double/double/' src/old/sum.c
    run -0 --separate-stderr scripts/mutants.sh renew HEAD
    echo "$output; $stderr"
    [ "$(statuses)" = "last-entry-lost same src/old/sum.c
rows-unchecked same src/old/sum.c
widest-is-last moved src/old/widest.c" ]
    grep -qxF 'src/old/widest.c' <(sed -n 's|^--- a/||p; s|^+++ b/||p' tests/mutants/widest-is-last.patch)
    run -0 scripts/mutants.sh check
}

@test "renew: patches follow code with other line breaks, indentation and comments into another file" {
    need_renew
    sum_tree
    git mv src/old/sum.c src/sums.c
    cat > src/sums.c <<'END'
static double row_sum(const struct matrix *a, int row) {
  double sum = 0;
  for (int k = a->row_ptr[row];
       k < a->row_ptr[row + 1]; /* the end */
       k++)
    sum +=
        a->val[k] * a->x[a->col[k]];
  return sum;
}

static int widest_row(const struct matrix *a) {
  int widest = 0;
  for (int row = 0; row < a->rows; row++)
    if (a->row_ptr[row + 1] -
            a->row_ptr[row] >
        widest)
      widest = a->row_ptr[row + 1] -
               a->row_ptr[row];
  return widest;
}

int check(const struct matrix *a,
          char *why) {
  if (a->rows < 0)
    return fail(why, /* what */
                "%d rows is "
                "less than none",
                a->rows);
  clear(why);
  return 0;
}
END
    run -0 --separate-stderr scripts/mutants.sh renew HEAD
    echo "$output; $stderr"
    [ "$(statuses)" = "last-entry-lost renewed src/sums.c
rows-unchecked renewed src/sums.c
widest-is-last renewed src/sums.c" ]
    [ "$(lines_of last-entry-lost)" = '-       k < a->row_ptr[row + 1]; /* the end */
+       k + 1 < a->row_ptr[row + 1]; /* the end */' ]
    [ "$(lines_of widest-is-last)" = '-        widest)
+        0)' ]
    [ "$(lines_of rows-unchecked | cut -c1)" = $'-\n-\n-\n-\n-' ]
    [ "$(head -n 5 tests/mutants/widest-is-last.patch | md5sum)" = "$(git show HEAD:tests/mutants/widest-is-last.patch | head -n 5 | md5sum)" ]
    [ "$(sed -n '/^@@/,$p' tests/mutants/last-entry-lost.patch | wc -l)" -eq 5 ]       # one line of context
    run -0 scripts/mutants.sh check
}

@test "renew: of duplicate lines, those in the same function are changed" {
    need_renew
    sum_tree
    mkdir src/new
    # an earlier copy with the same lines: one line of context is not enough
    { sed -n '/^static int widest/,/^}/s/widest_row/highest_row/p' src/old/sum.c; sed -n '/int widest = 0/,/^}/p' src/old/sum.c; cat src/old/sum.c; } > src/new/two.c
    git rm -qf src/old/sum.c
    run -0 --separate-stderr scripts/mutants.sh renew HEAD widest-is-last
    echo "$output; $stderr"
    [ "$(statuses)" = "widest-is-last moved src/new/two.c" ]
    [ "$(grep -c '^ ' tests/mutants/widest-is-last.patch)" -gt 2 ]
    git apply tests/mutants/widest-is-last.patch
    [ "$(sed -n '/^static int widest/,/^}/p' src/new/two.c | grep -c '> 0) widest')" -eq 1 ]
    [ "$(grep -c '> 0) widest' src/new/two.c)" -eq 1 ]
}

@test "renew: a patch that cannot be transferred is kept and named, exit 1" {
    need_renew
    sum_tree
    fault stale "s/return sum;/return 0;/"
    sed -i 's/return sum;/return total;/' tests/mutants/stale.patch
    git mv src/old/sum.c src/sums.c
    sed -i 's/a->rows < 0/matrix_rows(a) < 0/' src/sums.c                                             # changed code
    sed 's/> widest) widest/> most) most/' src/sums.c > src/copy.c                                    # the same code in two files
    cp -r tests/mutants mutants.before
    run -1 --separate-stderr scripts/mutants.sh renew HEAD
    echo "$output; $stderr"
    [ "$(statuses)" = "last-entry-lost failed src/old/sum.c
rows-unchecked failed src/old/sum.c
stale failed src/old/sum.c
widest-is-last moved src/sums.c" ]
    [[ "${lines[-1]}" == "# 4 mutants in "*" s: 0 same, 1 moved, 0 renewed, 3 failed" ]]
    [ "${#stderr_lines[@]}" -eq 3 ]
    [ "${stderr_lines[0]}" = "last-entry-lost: the changed code is in several files: src/sums.c src/copy.c" ]
    [[ "${stderr_lines[1]}" == "rows-unchecked: the changed code was not found in src/; look at src/"*".c:"[12]* ]]
    [ "${stderr_lines[2]}" = "stale: does not apply to BASE: src/old/sum.c has other lines there" ]
    for name in last-entry-lost rows-unchecked stale; do diff mutants.before/$name.patch tests/mutants/$name.patch; done
    [ -z "$(find tests/mutants -type f ! -name '*.patch')" ]
}

@test "renew: a fault that uses a removed name is an error; a removed test and a removed target are reported" {
    need_renew
    sum_tree
    fault uses-clear "s/^    return widest;/    return clear(a);/"
    git mv src/old/sum.c src/sums.c
    sed -i 's/clear(why)/wipe(why)/' src/sums.c
    sed -i 's/^@test "nothing"/@test "another"/' tests/toy.bats
    sed -i 's/^# make: .*/# make: bin\/answer bin\/lost/' tests/mutants/last-entry-lost.patch
    run -1 --separate-stderr scripts/mutants.sh renew HEAD uses-clear last-entry-lost
    echo "$output; $stderr"
    [ "$(statuses)" = "uses-clear failed src/old/sum.c
last-entry-lost moved src/sums.c" ]
    [[ "${stderr_lines[0]}" == "uses-clear: uses 'clear' in src/sums.c, which no longer exists in src/; "* ]]
    [ "${stderr_lines[1]}" = "last-entry-lost: tests/toy.bats has no test 'nothing'; unknown make target bin/lost" ]
    grep -qx '# make: bin/answer bin/lost' tests/mutants/last-entry-lost.patch
    [ ! -e bin ]
}

@test "renew: missing arguments, unknown revisions and unknown mutants are errors" {
    need_renew
    sum_tree
    run -2 scripts/mutants.sh renew
    run -1 scripts/mutants.sh renew no-such-revision
    [ "$output" = "mutants.sh: unknown git revision 'no-such-revision'" ]
    run -1 scripts/mutants.sh renew HEAD unknown
    [ "$output" = "mutants.sh: unknown mutant 'unknown' (see mutants.sh list)" ]
}
