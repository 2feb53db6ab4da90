/* SPDX-License-Identifier: BSD-3-Clause */
/* Training examples (examples.h). */
#include "models/examples.h"
#include <stdlib.h>
#include <string.h>
#include "models/cells.h"

/* A matrix without a row (of a profile that more models are added to) is a family of its own. */
static const char *family_name(const struct families *families, const struct matrix_row *m)
{
    const struct family_row *row = families_row(families, m->source_id);
    return row ? row->family : m->source_id;
}

int *examples_families(const struct runs *runs, const struct families *families)
{
    const size_t n = (size_t)runs->nmatrices;
    int *family = xcalloc(n + 1, sizeof *family);
    const char **name = xcalloc(n + 1, sizeof *name);
    for (size_t i = 0; i < n; i++)
        name[i] = family_name(families, &runs->matrices[i]);
    if (n > 0)
        qsort(name, n, sizeof *name, text_compare);
    for (size_t i = 0; i < n; i++) {
        const char *mine = family_name(families, &runs->matrices[i]);
        const char **found = bsearch(&mine, name, n, sizeof *name, text_compare);
        while (found > name && strcmp(found[-1], mine) == 0)
            found--;
        family[i] = (int)(found - name);
    }
    free(name);
    return family;
}

struct raw {
    const struct matrix_row *facts;
    const struct kernel *kernel;
    char general[CONFIG_LEN];
    struct example example;
};

static int compare(const void *a, const void *b)
{
    const struct raw *x = a, *y = b;
    const int d = strcmp(x->general, y->general);
    return d ? d : strcmp(x->facts->source_id, y->facts->source_id);
}

/* Returns 1: taken; 0: left out; FAIL. */
static int take_row(const struct runs *runs, const struct run_row *r, const struct target *t, struct raw *raw,
                    char why[ERRLEN])
{
    struct config config;
    const struct features *m = runs_features(runs, r->source_id, &raw->facts);
    if (!m || m->nnz == 0 || !run_row_is_example(r, raw->facts) || !row_counts(r, t, r->role))
        return 0;
    if (config_resolve_text(r->config, m, t, &config, why) != 0)
        return FAIL;
    if (traits_of(m, &config, t, raw->example.x) != 0)
        return 0;
    config_as_asked(&config, r->asked, m, t, raw->general);
    raw->kernel = config.kernel;
    raw->example.matrix = raw->facts - runs->matrices;
    raw->example.time_s = row_time_us(r, t) * 1e-6;
    return 1;
}

int examples_make(const struct runs *runs, const int *family, const struct target *t, struct examples *e,
                  char why[ERRLEN])
{
    struct raw *raw = xmalloc(((unsigned long)runs->nrows + 1) * sizeof *raw);
    *e = (struct examples){ .runs = runs, .target = *t, .family = family };
    int status = 0;
    for (int64_t i = 0; i < runs->nrows && status >= 0; i++)
        if ((status = take_row(runs, &runs->rows[i], t, &raw[e->n], why)) > 0)
            e->n++;
    qsort(raw, (size_t)e->n, sizeof *raw, compare);
    e->at = xmalloc(((unsigned long)e->n + 1) * sizeof *e->at);
    e->config = xcalloc((unsigned long)e->n + 1, sizeof *e->config);
    for (int64_t i = 0; i < e->n; i++) {
        if (i == 0 || strcmp(raw[i].general, raw[i - 1].general) != 0) {
            struct example_config *c = &e->config[e->nconfigs++];
            TEXT_SET(c->text, raw[i].general);
            c->kernel = raw[i].kernel;
            c->first = i;
        }
        e->config[e->nconfigs - 1].n++;
        e->at[i] = raw[i].example;
    }
    free(raw);
    if (status >= 0 && e->n > 0)
        return 0;
    const bool none = status >= 0;
    examples_free(e);
    return none ? fail(why, "no measured rows of role matrix or train; time matrices with spmv-run MATRIX..., or "
                            "training recipes of spmv-gen physics-gp")
                : FAIL;
}

void examples_free(struct examples *e)
{
    free(e->config);
    free(e->at);
    *e = (struct examples){ .n = 0 };
}

static int compare_numbers(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

struct example_list examples_of(const struct examples *e, const struct example_config *c, const bool *use)
{
    struct example_list list = { .at = xmalloc(((unsigned long)c->n + 1) * sizeof *list.at) };
    int *family = xmalloc(((unsigned long)c->n + 1) * sizeof *family);
    for (int64_t i = c->first; i < c->first + c->n; i++)
        if (!use || use[e->at[i].matrix]) {
            family[list.n] = e->family[e->at[i].matrix];
            list.at[list.n++] = &e->at[i];
        }
    qsort(family, (size_t)list.n, sizeof *family, compare_numbers);
    for (int64_t i = 0; i < list.n; i++)
        list.families += i == 0 || family[i] != family[i - 1];
    free(family);
    return list;
}
