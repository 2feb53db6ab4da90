/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the advice for synthetic rankings read from standard input. Lines: "terms N gpu|host RISK", "named K",
 * "unprepared" (the profile has no preparation times), "device NAME" (begins the ranking of another device), "row
 * CONFIG STATUS TIME LOW HIGH BUILD UPLOAD DEVICE_BUILD PREPARE [REASON]" with times in us (nan: unknown), "preferred
 * K", "tune K" (prints the configurations that --tune K times). */
#include "forecast/advice.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "formats/format.h"

enum { DEVICES = 4, ROWS = 64 };

static struct outlook_row row_of(char *const *cell)
{
    static const char *const statuses[] = { "ok", "extrapolated", "refused", "na" };
    const struct features f = { .rows = 100, .cols = 100, .nnz = 500, .row_mean = 5, .row_max = 5 };
    const struct target t = { .device = *geometry_find("h200"), .precision = F64 };
    struct outlook_row r = { .shown = true };
    struct config parsed;
    char why[ERRLEN];
    if (config_parse(cell[1], &parsed, why) != 0 || config_resolve(&parsed, &f, &t, &r.config, why) != 0)
        die("%s", why);
    TEXT_SET(r.text, cell[1]);
    for (int s = 0; s < 4; s++)
        if (strcmp(cell[2], statuses[s]) == 0)
            r.status = (enum outlook_status)s;
    r.forecast.time_s = 1e-6 * strtod(cell[3], NULL);
    r.forecast.low_s = 1e-6 * strtod(cell[4], NULL);
    r.forecast.high_s = 1e-6 * strtod(cell[5], NULL);
    for (int k = 0; k < NCOSTS; k++)
        r.cost_s[k] = 1e-6 * strtod(cell[6 + k], NULL);
    snprintf(r.reason, sizeof r.reason, "%s", cell[10] ? cell[10] : "");
    r.csr = r.config.kernel->layout == kernel_baseline()->layout;
    r.copies = kernel_copies(&r.config);
    r.free = r.csr && !r.config.kernel->library && !r.config.kernel->prepares;
    return r;
}

int main(void)
{
    static struct outlook o[DEVICES];
    const char *name[DEVICES] = { "one" };
    struct outlook_terms terms = { .risk = 0 };
    char line[2048], *cell[12], *rest;
    int n = 1, preferred = -1, tune = 0;
    error_program("advice");
    for (int i = 0; i < DEVICES; i++)
        o[i] = (struct outlook){ .target = { .precision = F64 },
                                 .row = xcalloc(ROWS, sizeof *o[i].row),
                                 .own_memory = true,
                                 .preparations = true,
                                 .csr_upload_s = NAN };
    while (fgets(line, sizeof line, stdin)) {
        int cells = 0;
        memset(cell, 0, sizeof cell);
        for (char *w = strtok_r(line, " \n", &rest); w && cells < 12;
             w = strtok_r(NULL, cells == 10 ? "\n" : " \n", &rest))
            cell[cells++] = w;
        struct outlook *now = &o[n - 1];
        if (cells == 0)
            continue;
        if (strcmp(cell[0], "terms") == 0)
            terms = (struct outlook_terms){ strtoll(cell[1], NULL, 10), strcmp(cell[2], "host") == 0 ? ON_HOST : ON_GPU,
                                            strtod(cell[3], NULL) };
        else if (strcmp(cell[0], "named") == 0)
            now->named = (int)strtol(cell[1], NULL, 10);
        else if (strcmp(cell[0], "unprepared") == 0)
            now->preparations = false;
        else if (strcmp(cell[0], "model") == 0)
            now->model = model_find(cell[1]);
        else if (strcmp(cell[0], "by") == 0 && now->n > 0) /* the last row is another model's */
            now->row[now->n - 1].model = model_find(cell[1]);
        else if (strcmp(cell[0], "one_part") == 0 && now->n > 0) /* the last row is a composite that equals its part */
            now->row[now->n - 1].one_part = true;
        else if (strcmp(cell[0], "preferred") == 0)
            preferred = (int)strtol(cell[1], NULL, 10);
        else if (strcmp(cell[0], "tune") == 0)
            tune = (int)strtol(cell[1], NULL, 10);
        else if (strcmp(cell[0], "device") == 0 && n < DEVICES)
            name[n++] = xstrdup(cell[1]);
        else if (strcmp(cell[0], "row") == 0 && cells >= 10 && now->n < ROWS) {
            now->row[now->n] = row_of(cell);
            now->row[now->n].model = now->model;
            if (now->row[now->n].csr && isnan(now->csr_upload_s))
                now->csr_upload_s = now->row[now->n].cost_s[COST_UPLOAD];
            now->n++;
        } else
            die("invalid line: '%s' with %d words", cell[0], cells);
    }
    for (int i = 0; i < n; i++)
        outlook_rank(&o[i], &terms);
    for (int i = 0; i < o[0].n && tune > 0; i++)
        if (advice_tried(&o[0], &o[0].row[i], tune))
            printf("%s\n", o[0].row[i].text);
    if (tune > 0)
        return 0;
    char *text = n > 1 ? advice_devices_text(o, name, n, preferred) : advice_text(&o[0], false, false);
    printf("%s\n", text);
    free(text);
    for (int i = 1; i < n; i++)
        free((char *)name[i]);
    return 0;
}
