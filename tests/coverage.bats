#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# scripts/coverage.sh on a small tree, whose test is a program with children that end in several ways.
bats_require_minimum_version 1.5.0
load helpers

setup() {
    local tool
    for tool in git gcc gcov python3; do command -v $tool > /dev/null || skip "no $tool"; done
    cd "$BATS_TEST_TMPDIR"
    mkdir -p tree/{scripts,tests,src/low,src/high}
    cp "$ROOT"/scripts/coverage.{sh,c} tree/scripts/
    printf '# the order of rooms\nlow\nhigh\n' > tree/src/ROOMS
    cat > tree/src/low/ends.c <<'END'
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
volatile int called;
int ended(int pid)
{
    int status;
    waitpid(pid, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}
void exits(void) { called = 1, _exit(3); }
void raises(void) { called = 2, raise(SIGTERM); }
void waits(void) { called = 3, pause(); }
void never(void)
{
    called = 4;
}
END
    cat > tree/src/high/main.c <<'END'
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
void exits(void), raises(void), waits(void), never(void);
int ended(int pid);
int main(int argc, char **argv)
{
    void (*ends[])(void) = { exits, raises, waits };
    if (argc > 1)
        never();
    for (int i = 0; i < 3; i++) {
        int pid = fork();
        if (!pid)
            ends[i]();
        usleep(i == 2 ? 300000 : 0);
        if (i == 2)
            kill(pid, SIGKILL);
        printf("%d\n", ended(pid));
    }
    return argv[0] == NULL;
}
END
    cat > tree/Makefile <<'END'
-include config.mk
OBJECTS := ends.o main.o
all: ends
ends: $(OBJECTS)
	$(CC) $(CFLAGS) -o $@ $^ $(LDFLAGS)
ends.o: src/low/ends.c
main.o: src/high/main.c
$(OBJECTS):
	$(CC) $(CFLAGS) -c -o $@ $<
check-now: all
	[ "$$(./ends $(TAGS) | paste -sd' ')" = "3 15 9" ]
	@echo "ok 1 ends$(TAGS:%= # skip)"
END
    unset LD_PRELOAD
    git init -q tree && git -C tree add . && git -C tree -c user.name=n -c user.email=e commit -qm first --no-verify
    export COVERAGE_DIR="$PWD/it's here"
}

@test "coverage: lines are counted that children ran before _exit, raise and SIGKILL, which end them as always" {
    run -0 tree/scripts/coverage.sh
    [ "$(head -n 4 <<< "$output")" = "$(printf 'room\tfiles\tlines\tcovered\tpercent\nlow\t1\t10\t7\t70.0\nhigh\t1\t13\t12\t92.3\ntotal\t2\t23\t19\t82.6')" ] \
        || { echo "$output"; cat "$COVERAGE_DIR/log"; false; }
    [ "${lines[4]}" = "# 0 tests skipped; the lines of each file that no test ran: $COVERAGE_DIR/files.tsv" ]
    [ "${#lines[@]}" = 5 ]
    grep -qx "$(printf 'src/low/ends.c\t10\t7\t70.0\t14,16,17')" "$COVERAGE_DIR/files.tsv"
}

@test "coverage: tests tagged long are run, too; failed tests and files that are not compiled are noted" {
    echo '# bats test_tags=long' > tree/tests/x.bats
    echo 'int other;' > tree/src/low/other.c
    printf '\n\t[ -z "$(TAGS)" ] || { echo "not ok 2 more"; false; }\n' >> tree/Makefile
    run -0 tree/scripts/coverage.sh
    [ "${lines[3]}" = "total	2	23	23	100.0" ] || { echo "$output"; cat "$COVERAGE_DIR/log"; false; }
    [[ "$output" == *"# not compiled here, and not counted: src/low/other.c"*"# the tests failed under coverage, 1 of them: see "*"# 1 tests skipped"* ]]
}

@test "coverage: of a revision, not of the working tree; an unknown one is an error" {
    echo '#error "not this one"' > tree/src/low/ends.c
    run -1 tree/scripts/coverage.sh
    [[ "$output" == *"coverage.sh: the tree does not build with --coverage; see $COVERAGE_DIR/log" ]]
    run -0 tree/scripts/coverage.sh HEAD
    [ "${lines[3]}" = "total	2	23	19	82.6" ]
    run -1 tree/scripts/coverage.sh nothing
    [ "$output" = "coverage.sh: git finds no revision nothing" ]
}
