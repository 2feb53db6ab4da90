/* SPDX-License-Identifier: BSD-3-Clause */
/* Selections of configurations, and the best of two of them on a matrix. */
#include "speed/pairing.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void with_defaults(const char *asked, char text[CONFIG_LEN])
{
    const struct config *c = config_known(asked, NULL);

    if (c)
        config_print(c, text);
    else
        snprintf(text, CONFIG_LEN, "%s", asked);
}

/* Does the row match one alternative, n characters at `what`? */
static bool matches_one(const char *what, size_t n, const struct run_row *r)
{
    const size_t name = config_kernel_length(what, n), stem = name > 0 && what[name - 1] == '*' ? name - 1 : name;
    char asked[CONFIG_LEN] = "";
    size_t item = 0;

    if (strncmp(r->kernel, what, stem) != 0 || (stem == name && r->kernel[stem] != 0))
        return false;
    if (name < n)
        with_defaults(r->asked, asked);
    for (const char *at = NULL; (at = config_next_item(what, n, at, &item)) != NULL;)
        if (!config_has_item(r->config, at, item) && !config_has_item(asked, at, item))
            return false;
    return true;
}

bool selection_matches(const char *selection, const struct run_row *r)
{
    for (const char *at = selection; *at; at += at[0] == '|') {
        const size_t n = strcspn(at, "|");
        if (matches_one(at, n, r))
            return true;
        at += n;
    }
    return false;
}

const struct run_row *selection_fastest(const struct contests *c, const struct contest *one, const char *selection)
{
    const struct run_row *best = NULL;

    for (int64_t i = one->first; i < one->end; i++)
        if (selection_matches(selection, c->row[i]) && (!best || c->row[i]->time_us < best->time_us))
            best = c->row[i];
    return best;
}

int selection_check(const char *selection, char why[ERRLEN])
{
    for (const char *at = selection; *at; at += at[0] == '|') {
        const size_t n = strcspn(at, "|"), name = config_kernel_length(at, n);
        char *one = xasprintf("%.*s", (int)n, at);
        struct config c;
        const int status = name > 0 && at[name - 1] == '*' ? 0 : config_parse(one, &c, why);
        free(one);
        if (status != 0)
            return FAIL;
        at += n;
    }
    return *selection ? 0 : fail(why, "an empty selection of configurations");
}

static bool even_rows(const struct features *f, const struct run_row *ours)
{
    (void)ours;
    return f->row_sd > 0 && f->row_sd <= 2.0 / 3.0 * f->row_mean;
}

static bool blocks_fill(const struct features *f, const struct run_row *ours)
{
    (void)f;
    return ours->least_bytes > 0 && ours->least_bytes <= ours->footprint_bytes;
}

bool (*pairing_where(const char *name))(const struct features *, const struct run_row *)
{
    return strcmp(name, "even-rows") == 0 ? even_rows : strcmp(name, "blocks-fill") == 0 ? blocks_fill : NULL;
}

/* Is there a row of the selection that differs in nothing but this key? */
static bool has_twin(const struct contests *c, const struct contest *one, const char *selection,
                     const struct run_row *r, const char *key)
{
    char mine[CONFIG_LEN], other[CONFIG_LEN];

    config_without(r->config, key, mine);
    for (int64_t i = one->first; i < one->end; i++) {
        config_without(c->row[i]->config, key, other);
        if (strcmp(mine, other) == 0 && selection_matches(selection, c->row[i]))
            return true;
    }
    return false;
}

bool pairing_rows(const struct contests *c, const struct contest *one, const struct pairing *p,
                  const struct run_row **ours, const struct run_row **against)
{
    const int64_t first = p->part ? one->part_first : one->first, end = p->part ? one->part_end : one->end;
    bool besides = false;

    *ours = *against = NULL;
    for (int64_t i = first; i < end; i++) {
        const struct run_row *r = p->part ? c->part[i] : c->row[i];
        if (p->part && strcmp(r->part, p->part) != 0)
            continue;
        bool mine = selection_matches(p->ours, r), other = selection_matches(p->against, r);
        if (p->stage) {
            mine = mine && has_twin(c, one, p->against, r, p->stage);
            other = other && has_twin(c, one, p->ours, r, p->stage);
        }
        if (mine && (!*ours || r->time_us < (*ours)->time_us))
            *ours = r;
        if (other && (!*against || r->time_us < (*against)->time_us))
            *against = r;
        besides = besides || (other && !mine);
    }
    return *ours && besides && !(p->where && !p->where(one->features, *ours));
}
