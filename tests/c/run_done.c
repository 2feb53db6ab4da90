/* SPDX-License-Identifier: BSD-3-Clause */
/* How records of earlier runs determine whether a row is measured: runs lost on this machine and elsewhere, stops,
 * noise. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "measure/done.h"
#include "runs/log_rows.h"

const char *failure_domain(void) { return "here"; } /* replaces the function of the library */

static long checks;
#define CHECK(what)                              \
    do {                                         \
        checks++;                                \
        if (!(what))                             \
            die("line %d: %s", __LINE__, #what); \
    } while (0)

static void add(struct done *d, const char *outcome, const char *place, int64_t samples)
{
    struct run_row r = { .samples = samples };

    TEXT_SET(r.outcome, outcome);
    run_row_set_failure_domain(&r, place);
    done_add(d, &r);
}

static enum done_state state(const struct done *d)
{
    const struct run_row r = { .samples = 0 };
    return done_state(d, &r, false);
}

/* Returns the state of a row for the next run, after n runs were lost at it and `stops` runs were stopped. */
static enum done_state after(int n, const char *place, int stops)
{
    struct done *d = done_new();

    for (int i = 0; i < n; i++)
        add(d, "started", place, 0);
    for (int i = 0; i < stops; i++)
        add(d, "stopped", place, 0);
    CHECK(done_any_open(d) == (n > stops));
    done_forgive(d);
    const enum done_state s = state(d);
    done_free(d);
    return s;
}

/* A row with the same key is done, also after a transfer through a pipe; one that differs in any part of the key is
 * not. */
static void check_keys(void)
{
    struct done *d = done_new(), *other = done_new();
    const struct run_row r = { .source_id = "1234",
                               .config = "ell",
                               .precision = F64,
                               .cache = WARM,
                               .device_key = "G",
                               .outcome = "ok",
                               .revision = 3 };
    struct run_row differing[] = { r, r, r, r, r, r };
    int fd[2];

    TEXT_SET(differing[0].source_id, "1235");
    TEXT_SET(differing[1].config, "coo");
    differing[2].precision = F32;
    differing[3].cache = COLD;
    TEXT_SET(differing[4].device_key, "H");
    differing[5].revision = 4;
    done_add(d, &r);
    CHECK(done_state(d, &r, false) == DONE_YES);
    for (size_t i = 0; i < sizeof differing / sizeof differing[0]; i++)
        CHECK(done_state(d, &differing[i], false) == DONE_NOT);
    CHECK(!pipe(fd) && !done_send(d, fd[1]) && !done_receive(other, fd[0]) && !close(fd[0]) && !close(fd[1]));
    CHECK(done_state(other, &r, false) == DONE_BEFORE && done_state(other, &differing[5], false) == DONE_NOT);
    done_free(d);
    done_free(other);
}

/* The next run uses the logged rounds; a row of which a round was measured did not hang. */
static void check_rounds(void)
{
    struct run_row r = { .config = "ell", .outcome = "started" };
    struct round_row round = { .samples = 5, .sample_us = { 1, 2, 3, 4, 5 } };
    const struct round_row *kept;
    struct done *d = done_new(), *other = done_new();
    int fd[2];

    run_row_id(&r, round.row);
    for (int run = 0; run < 3 * DONE_KILLED_RUNS; run++) {
        run_row_set_failure_domain(&r, "here");
        done_add(d, &r);
        round.number = run;
        done_add_round(d, &round);
        done_add_round(d, &round); /* exists already */
        round.number = run + 7;    /* a round of an unknown row */
        done_add_round(d, &round);
        CHECK(done_any_open(d) && done_is_kept(d, round.row));
        done_forgive(d);
        CHECK(done_state(d, &r, false) == DONE_NOT); /* like the others */
    }
    CHECK(done_rounds(d, &r, &kept) == 3 * DONE_KILLED_RUNS && kept[4].number == 4);
    CHECK(!pipe(fd) && !done_send(d, fd[1]) && !done_receive(other, fd[0]) && !close(fd[0]) && !close(fd[1]));
    CHECK(done_rounds(other, &r, &kept) == 3 * DONE_KILLED_RUNS && kept[9].sample_us[2] == 3);
    round.number = 3 * DONE_KILLED_RUNS;
    done_add_round(other, &round);
    CHECK(done_rounds(other, &r, &kept) == 3 * DONE_KILLED_RUNS + 1);
    /* A run that ended with its machine counts like a killed one. */
    for (int run = 0; run < DONE_KILLED_RUNS; run++) {
        run_row_set_failure_domain(&r, "another");
        done_add(d, &r);
        CHECK(done_state(d, &r, false) == DONE_STARTED); /* within a run the row is suspected */
        round.number = 3 * DONE_KILLED_RUNS + run;
        done_add_round(d, &round);
        done_forgive(d);
        CHECK(done_state(d, &r, false) == (run + 1 < DONE_KILLED_RUNS ? DONE_NOT : DONE_CRASHED));
    }
    /* The rounds of a measured row are dropped. */
    TEXT_SET(r.outcome, "ok");
    done_add(d, &r);
    CHECK(done_rounds(d, &r, &kept) == 0 && !done_any_open(d));
    done_free(d);
    done_free(other);
}

/* Noisy rows are not repeated in this run but in each following one, three times in total. --again starts over. */
static void check_noisy(void)
{
    struct run_row r = { .config = "ell", .outcome = "noisy" };
    struct done *d = done_new();

    for (r.tries = 1; r.tries <= DONE_NOISY_TRIES; r.tries++) {
        done_add(d, &r);
        CHECK(done_is_open(&r) == (r.tries < DONE_NOISY_TRIES));
        CHECK(done_state(d, &r, false) == DONE_YES && done_tries(d, &r) == r.tries && !done_any_open(d));
        done_forgive(d);
        CHECK(done_state(d, &r, false) == (r.tries < DONE_NOISY_TRIES ? DONE_NOT : DONE_YES));
    }
    done_reopen(d, &r);
    CHECK(done_state(d, &r, false) == DONE_NOT && done_tries(d, &r) == 0);
    done_free(d);
}

int main(void)
{
    struct done *d = done_new();

    error_program("run_done");
    check_keys();
    check_rounds();
    check_noisy();
    CHECK(after(0, "here", 0) == DONE_NOT);
    CHECK(after(1, "here", 0) == DONE_STARTED && after(DONE_KILLED_RUNS - 1, "here", 0) == DONE_STARTED);
    CHECK(after(DONE_KILLED_RUNS, "here", 0) == DONE_CRASHED && after(DONE_KILLED_RUNS, "here", 1) == DONE_STARTED);
    CHECK(after(DONE_LOST_RUNS - 1, "another", 0) == DONE_STARTED
          && after(DONE_LOST_RUNS, "another", 0) == DONE_CRASHED);
    CHECK(after(DONE_LOST_RUNS, "", 0) == DONE_CRASHED); /* old logs have no failure domains */
    CHECK(after(3, "another", 3) == DONE_NOT);
    /* Within a run two processes that ended at a row count, regardless of earlier runs. */
    add(d, "started", "here", 0);
    done_forgive(d);
    add(d, "started", "here", 0);
    CHECK(state(d) == DONE_STARTED);
    add(d, "started", "here", 0);
    CHECK(state(d) == DONE_CRASHED);
    /* A row whose time is hidden by noise is open again for the next run, and its start stays; a row that is not
     * applicable is done. */
    add(d, "na", "the noise is greater than the time", 45);
    CHECK(state(d) == DONE_YES && !done_any_open(d));
    done_forgive(d);
    CHECK(state(d) == DONE_STARTED && !done_any_open(d));
    add(d, "na", "padding", 0);
    CHECK(state(d) == DONE_YES);
    /* A row skipped by a sweep is done for runs that would skip it again and open for others. */
    struct run_row left = { .config = "left", .outcome = "na", .reason = "in whatever words" };
    TEXT_SET(left.code, row_code_name(ROW_SKIPPED));
    done_add(d, &left);
    CHECK(done_state(d, &left, true) == DONE_YES && done_state(d, &left, false) == DONE_NOT && !done_any_open(d));
    TEXT_SET(left.outcome, "started");
    done_add(d, &left);
    CHECK(done_state(d, &left, false) == DONE_STARTED && done_any_open(d));
    TEXT_SET(left.outcome, "ok");
    done_add(d, &left);
    CHECK(done_state(d, &left, false) == DONE_YES && done_state(d, &left, true) == DONE_YES && !done_any_open(d));
    done_free(d);
    printf("ok, %ld checks\n", checks);
    return 0;
}
