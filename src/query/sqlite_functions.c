/* SPDX-License-Identifier: BSD-3-Clause */
/* SQL functions. geomean(x): geometric mean. quantile(x, q): linear interpolation between order statistics (base/stats.h); median(x):
 * of q 0.5. They ignore NULL and return NULL if nothing is left. matches(kernel, config, asked, selection): 1 if option -c selects the row, else 0. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/stats.h"
#include "formats/config.h"
#include "query/sqlite_inside.h"
#include "speed/pairing.h"

const char function_names[] =
    "geomean|quantile|median|matches|avg|count|sum|total|min|max|group_concat|abs|round|sqrt|log|log2|log10|exp|pow|iif|coalesce|"
    "ifnull|nullif|substr|instr|replace|lower|upper|length|printf|format|like|glob|row_number|rank|lag|lead|ntile";

static void fail_number(sqlite3_context *context, const char *what, double value, const char *advice)
{
    char *text = xasprintf("%s %g%s", what, value, advice);
    sqlite3_result_error(context, text, -1);
    free(text);
}

/* Gets a number; false: NULL, or no number, which is an error. */
static bool number_of(sqlite3_context *context, sqlite3_value *value, const char *function, double *number)
{
    const int type = sqlite3_value_numeric_type(value);

    if (type == SQLITE_NULL)
        return false;
    *number = sqlite3_value_double(value);
    if (type == SQLITE_INTEGER || type == SQLITE_FLOAT)
        return true;
    char *text = xasprintf("%s: a value is no number", function);
    sqlite3_result_error(context, text, -1);
    free(text);
    return false;
}

/* ---- geomean ---- */

struct geomean {
    int64_t n;
    double sum_log;
};

static void geomean_step(sqlite3_context *context, int n, sqlite3_value **value)
{
    double x;

    (void)n;
    if (!number_of(context, value[0], "geomean", &x))
        return;
    struct geomean *g = sqlite3_aggregate_context(context, sizeof *g);
    if (!g)
        sqlite3_result_error_nomem(context);
    else if (!(x > 0))
        fail_number(context, "geomean: a value is", x, "; it requires values above 0 (add WHERE ... > 0)");
    else {
        g->n++;
        g->sum_log += log(x);
    }
}

static void geomean_end(sqlite3_context *context)
{
    const struct geomean *g = sqlite3_aggregate_context(context, 0);

    if (g && g->n > 0)
        sqlite3_result_double(context, exp(g->sum_log / (double)g->n));
}

/* ---- quantile ---- */

struct quantile_values {
    int64_t n, room;
    double q, *v; /* by sqlite3_realloc64, so that the limit of memory counts it */
};

static void quantile_step(sqlite3_context *context, int n, sqlite3_value **value)
{
    double x, q = 0.5;

    if (n > 1 && !number_of(context, value[1], "quantile", &q))
        return;
    if (!(q >= 0 && q <= 1)) {
        fail_number(context, "quantile: the second argument is", q, "; expected 0..1");
        return;
    }
    if (!number_of(context, value[0], n > 1 ? "quantile" : "median", &x))
        return;
    struct quantile_values *s = sqlite3_aggregate_context(context, sizeof *s);
    if (s && s->n == s->room) {
        double *v = sqlite3_realloc64(s->v, (sqlite3_uint64)(2 * s->room + 64) * sizeof *v);
        s->room = v ? 2 * s->room + 64 : s->room;
        s->v = v ? v : s->v;
    }
    if (!s || s->n == s->room) {
        sqlite3_result_error_nomem(context);
        return;
    }
    if (s->n > 0 && q != s->q)
        sqlite3_result_error(context, "quantile: the second argument must be the same for all rows of a group", -1);
    s->q = q;
    s->v[s->n++] = x;
}

static void quantile_end(sqlite3_context *context)
{
    struct quantile_values *s = sqlite3_aggregate_context(context, 0);

    if (!s || s->n == 0)
        return;
    stats_sort(s->v, s->n);
    sqlite3_result_double(context, stats_quantile(s->v, s->n, s->q));
    sqlite3_free(s->v);
}

/* ---- matches ---- */

/* Copies a text of a row; false: it is NULL or longer than any in an archive. */
static bool take_text(char *to, size_t bytes, sqlite3_value *value)
{
    const char *text = (const char *)sqlite3_value_text(value);

    return text && (size_t)snprintf(to, bytes, "%s", text) < bytes;
}

/* NULL if kernel or config is NULL; asked may be. */
static void matches(sqlite3_context *context, int n, sqlite3_value **value)
{
    static struct run_row row;
    static const char checked[] = "checked";
    const char *selection = (const char *)sqlite3_value_text(value[3]);
    char why[ERRLEN];

    (void)n;
    if (!sqlite3_get_auxdata(context, 3)) {
        if (selection_check(selection ? selection : "", why) != 0) {
            char *text = xasprintf("matches: %s", why);
            sqlite3_result_error(context, text, -1);
            free(text);
            return;
        }
        sqlite3_set_auxdata(context, 3, (void *)(uintptr_t)checked, NULL);
    }
    row.asked[0] = 0;
    if (!take_text(row.kernel, sizeof row.kernel, value[0]) || !take_text(row.config, sizeof row.config, value[1]))
        return;
    take_text(row.asked, sizeof row.asked, value[2]);
    config_complete(row.config); /* as runs_load does */
    sqlite3_result_int(context, selection_matches(selection, &row));
}

void functions_add(sqlite3 *db)
{
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;

    if (sqlite3_create_function(db, "geomean", 1, flags, NULL, NULL, geomean_step, geomean_end) != SQLITE_OK
        || sqlite3_create_function(db, "quantile", 2, flags, NULL, NULL, quantile_step, quantile_end) != SQLITE_OK
        || sqlite3_create_function(db, "median", 1, flags, NULL, NULL, quantile_step, quantile_end) != SQLITE_OK
        || sqlite3_create_function(db, "matches", 4, flags, NULL, matches, NULL, NULL) != SQLITE_OK)
        die("SQLite: %s", sqlite3_errmsg(db));
}
