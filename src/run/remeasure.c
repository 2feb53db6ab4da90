/* SPDX-License-Identifier: BSD-3-Clause */
/* The option --again (remeasure.h). */
#include "run/remeasure.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/clock.h"
#include "runs/log_rows.h"
#include "runs/runlog.h"

static const char before[] = "before=";
static bool is_before(const char *item) { return strncmp(item, before, strlen(before)) == 0; }

/* Accepts 2026-11-30 and 2026-11-30T12:00:00Z. ISO 8601 dates sort as text. */
static bool is_date(const char *text)
{
    char whole[32];

    snprintf(whole, sizeof whole, "%.20s%s", text, strlen(text) == 10 ? "T00:00:00Z" : "");
    return strlen(text) <= 20 && !isnan(utc_s(whole));
}

void remeasure_check(const struct run_options *o)
{
    char why[ERRLEN];
    struct config c;

    for (int i = 0; i < o->again.n; i++) {
        const char *item = o->again.v[i];
        if (strcmp(item, "all") == 0 || row_outcome_find(item) != NOUTCOMES)
            continue;
        if (is_before(item)) {
            if (!is_date(item + strlen(before)))
                usage_die("--again %s: expected before=YYYY-MM-DD or before=YYYY-MM-DDTHH:MM:SSZ (UTC)", item);
        } else if (config_parse(item, &c, why))
            usage_die(
                "--again %s: expected all, an outcome (ok, noisy, na, oom, crashed, wrong), before=DATE, a kernel or "
                "a configuration: %s",
                item, why);
    }
}

/* Returns whether item is the configuration of the row, as requested or as resolved, or its kernel. */
static bool is_config(const char *item, const struct run_row *r)
{
    return strcmp(item, r->config) == 0 || strcmp(item, r->asked) == 0 || strcmp(item, r->kernel) == 0;
}

bool remeasure_selects(const struct run_options *o, const struct run_row *r)
{
    bool named = false;

    if (!o->again_since[0] || strcmp(r->measured, o->again_since) >= 0)
        return false;
    for (int i = 0; i < o->again.n && !named; i++) {
        const char *item = o->again.v[i];
        named = strcmp(item, "all") == 0 || strcmp(item, r->outcome) == 0
                || (is_before(item) && strcmp(r->measured, item + strlen(before)) < 0) || is_config(item, r);
    }
    return named;
}

/* Copies the date from the first note with the same --again; `since` stays empty if there is none. */
static int find_note(const char *table, const char *json, void *arg)
{
    struct again_row row, *wanted = arg;
    char why[ERRLEN];

    if (strcmp(table, again_schema.name) == 0 && !row_from_json(&again_schema, json, &row, why)
        && strcmp(row.what, wanted->what) == 0 && !wanted->since[0])
        TEXT_SET(wanted->since, row.since);
    return 0;
}

/* Writes the note. Dates have a resolution of one second, so this first waits for the next second: otherwise rows
 * measured before and after the note could have its date. */
static int note_it(const char *output, struct again_row *row, char why[ERRLEN])
{
    const double next_s = floor(date_s()) + 1;
    struct runlog *log;

    while (date_s() < next_s)
        usleep(1000);
    utc_text(next_s, row->since);
    if (runlog_open(output, &log, why))
        return FAIL;
    const int status = runlog_write(log, &again_schema, row, why);
    return runlog_close(log, why) || status ? FAIL : 0;
}

int remeasure_apply(struct run_options *o, bool first, struct done *done, const struct runs *runs, char why[ERRLEN])
{
    struct again_row row = { .since = "" };
    size_t used = 0;

    for (int64_t i = 0; i < runs->nrows && o->accept_noise; i++)
        if (row_outcome(&runs->rows[i]) == OUTCOME_NOISY && runs->rows[i].time_us > 0)
            done_reopen(done, &runs->rows[i]);
    if (!o->again.n)
        return 0;
    for (int i = 0; i < o->again.n && used < sizeof row.what - 1; i++)
        used += (size_t)snprintf(row.what + used, sizeof row.what - used, "%s%s", i ? " " : "", o->again.v[i]);
    if (runlog_look(o->output, find_note, &row, why))
        return FAIL;
    if (!row.since[0] && o->dry_run)
        utc_text(date_s() + 1, row.since);
    else if (!row.since[0] && first && note_it(o->output, &row, why))
        return FAIL;
    TEXT_SET(o->again_since, row.since);
    for (int64_t i = 0; i < runs->nrows; i++)
        if (remeasure_selects(o, &runs->rows[i]))
            done_reopen(done, &runs->rows[i]);
    return 0;
}
