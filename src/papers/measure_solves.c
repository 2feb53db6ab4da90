/* SPDX-License-Identifier: BSD-3-Clause */
/* Measure of whole solves with PETSc's matrix type: the time that one configuration saves against another. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "formats/config.h"
#include "papers/measure_table.h"
#include "papers/statistic.h"
#include "speed/pairing.h"
#include "table/tsv.h"

/* DIRECTORY/petsc.tsv, as scripts/petsc-table.sh writes it */
static const struct column file_columns[] = {
    TEXT_COLUMN("problem", "example of PETSc and its grid: \"snes ex19, 256 x 256\""),
    TEXT_COLUMN("preconditioner", "none, ilu0 or chebyshevN"),
    TEXT_COLUMN("type", "type of the matrix"),
    TEXT_COLUMN("device", "where products run: cpu or gpu"),
    INT_COLUMN("threads", "", "on the CPU"),
    TEXT_COLUMN("config", "configuration; none: AIJ"),
    INT_COLUMN("iterations", "", "of all linear solves"),
    INT_COLUMN("spmv_count", "", "products"),
    REAL_COLUMN("spmv_s", "s", "products with copies of x and y"),
    REAL_COLUMN("copy_s", "s", "copies of x and y"),
    REAL_COLUMN("setup_s", "s", "opening of the device and the profile, and convert_s"),
    REAL_COLUMN("convert_s", "s", "choice, conversions and updates of values"),
    REAL_COLUMN("pc_s", "s", "set-up and application of the preconditioner"),
    REAL_COLUMN("total_s", "s", "the whole solve with setup_s"),
    COLUMNS_END,
};

static bool same_solve(const struct table *t, long a, long b)
{
    static const char *const keys[] = { "problem", "preconditioner", "device" };

    for (int i = 0; i < 3; i++)
        if (!table_is(t, a, keys[i], table_text(t, b, keys[i])))
            return false;
    return table_real(t, a, "threads") <= table_real(t, b, "threads")
           && table_real(t, a, "threads") >= table_real(t, b, "threads");
}

/* Returns the time of a solve without the opening of the device and the profile, which is once in a process. */
static double solve_s(const struct table *t, long row)
{
    return table_real(t, row, "total_s") - (table_real(t, row, "setup_s") - table_real(t, row, "convert_s"));
}

/* Returns the fastest solve like `first` whose configuration the selection matches; -1: none. */
static long fastest(const struct table *t, long first, const char *selection)
{
    long best = -1;

    for (long i = first; i < t->nrows; i++) {
        const char *config = table_text(t, i, "config");
        struct run_row r = { 0 };
        snprintf(r.config, sizeof r.config, "%s", config);
        snprintf(r.kernel, sizeof r.kernel, "%.*s", (int)config_kernel_length(config, strlen(config)), config);
        if (*config && same_solve(t, i, first) && selection_matches(selection, &r)
            && (best < 0 || solve_s(t, i) < solve_s(t, best)))
            best = i;
    }
    return best;
}

static void put_side(const struct table *t, long from, const char *side, struct table *out, long row)
{
    static const char *const copied[] = { "convert_s", "spmv_s", "copy_s", "pc_s" };
    char name[64];

    table_set(out, row, side, table_text(t, from, "config"));
    for (unsigned long i = 0; i < sizeof copied / sizeof copied[0]; i++) {
        snprintf(name, sizeof name, "%s_%s", side, copied[i]);
        table_set_real(out, row, name, table_real(t, from, copied[i]), 4);
    }
    snprintf(name, sizeof name, "%s_iterations", side);
    table_set_int(out, row, name, (int64_t)table_real(t, from, "iterations"));
    snprintf(name, sizeof name, "%s_total_s", side);
    table_set_real(out, row, name, solve_s(t, from), 4);
}

static void put_pair(const struct table *t, long ours, long against, struct table *out)
{
    const char *problem = table_text(t, ours, "problem"), *comma = strstr(problem, ", ");
    char *matrix = xasprintf("%.*s", (int)(comma ? comma - problem : (long)strlen(problem)), problem);
    const double of_ours = solve_s(t, ours), of_against = solve_s(t, against);
    const long row = table_add(out);

    table_set(out, row, "matrix", matrix);
    table_set(out, row, "grid", comma ? comma + 2 : "");
    table_set(out, row, "preconditioner", table_text(t, ours, "preconditioner"));
    table_set(out, row, "device", table_text(t, ours, "device"));
    put_side(t, ours, "ours", out, row);
    put_side(t, against, "against", out, row);
    table_set_real(out, row, "saved_percent", 100 * (1 - of_ours / of_against), 3);
    table_set_real(
        out, row, "saved_uncopied_percent",
        100 * (1 - (of_ours - table_real(t, ours, "copy_s")) / (of_against - table_real(t, against, "copy_s"))), 3);
    free(matrix);
}

static bool is_first(const struct table *t, long row)
{
    for (long i = 0; i < row; i++)
        if (same_solve(t, i, row))
            return false;
    return true;
}

static void run_solves(const struct study *s, const struct words *w, struct table *out)
{
    char *path = xasprintf("%s/petsc.tsv", s->directory), why[ERRLEN];
    struct table t = { 0 };

    if (access(path, F_OK) != 0 && errno == ENOENT)
        table_note(out, "not measured: the archives have no petsc.tsv (scripts/petsc-table.sh)");
    else if (tsv_read_typed(&t, path, file_columns, why) != 0)
        table_note(out, "%s", why);
    for (long i = 0; i < t.nrows; i++) {
        const long ours = fastest(&t, i, words_get(w, "ours")), against = fastest(&t, i, words_get(w, "against"));
        if (is_first(&t, i) && ours >= 0 && against >= 0)
            put_pair(&t, ours, against, out);
    }
    if (t.nrows > 0 && out->nrows == 0)
        table_note(out, "not measured: petsc.tsv has no problem that was solved with %s and with %s",
                   words_get(w, "ours"), words_get(w, "against"));
    table_free(&t);
    free(path);
}

#define SIDE_COLUMNS(side)                                                                                          \
    TEXT_COLUMN(side, "configuration of " side "=, that of the shortest solve"),                                    \
        INT_COLUMN(side "_iterations", "", "iterations of all linear solves"),                                      \
        REAL_COLUMN(side "_convert_s", "s", "choice, conversions, copies of the matrix, updates of values"),        \
        REAL_COLUMN(side "_spmv_s", "s", "all products, those of the preconditioner, too, with copies of x and y"), \
        REAL_COLUMN(side "_copy_s", "s", "copies of x and y"),                                                      \
        REAL_COLUMN(side "_pc_s", "s",                                                                              \
                    "set-up and application of the preconditioner, with its products and the opening of the "       \
                    "device, if its product is the first"),                                                         \
        REAL_COLUMN(side "_total_s", "s", "whole solve, without the opening of the device and the profile")

static const struct column solves_columns[] = {
    TEXT_COLUMN("matrix", "example of PETSc that makes the matrix"),
    TEXT_COLUMN("grid", "points of its grid"),
    TEXT_COLUMN("preconditioner", "none, ilu0, or chebyshevN: a polynomial, N steps of the Chebyshev iteration"),
    TEXT_COLUMN("device", "where products run: cpu or gpu; all else runs on one core of the CPU"),
    SIDE_COLUMNS("ours"),
    SIDE_COLUMNS("against"),
    REAL_COLUMN("saved_percent", UNIT_SAVED, "time saved: 1 - ours_total_s / against_total_s"),
    REAL_COLUMN("saved_uncopied_percent", UNIT_SAVED, "the same without copies of x and y"),
    COLUMNS_END,
};

const struct paper_measure measure_solves = {
    .name = "solves",
    .about = "whole solves by PETSc with one configuration against another (output of scripts/petsc-table.sh: "
             "DIRECTORY/petsc.tsv)",
    .keys = "ours! against!",
    .columns = solves_columns,
    .run = run_solves,
};
