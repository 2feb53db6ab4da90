/* SPDX-License-Identifier: BSD-3-Clause */
/* Packs, finds, writes and reads the measured times of a profile (times.h). */
#include "profile/times.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_DIGITS = 47 };
static const char model_name[] = "nearest";

static const struct column config_columns[] = {
    COLUMN_TEXT_OF(struct times_config, config, "configuration, in the form comparable between matrices"),
    COLUMN_WORD_OF(struct times_config, precision, precision_words, 4, "f32 or f64"),
    COLUMN_WORD_OF(struct times_config, cache, cache_words, 8, "warm or cold"),
    COLUMN_WORD_OF(struct times_config, launch, launch_words, 8, "graph or stream"),
    COLUMN_OF(struct times_config, first, COLUMN_I64, "", "first row of the configuration in table times"),
    COLUMN_OF(struct times_config, n, COLUMN_I64, "", "number of rows of the configuration in that table"),
};
static const struct column time_columns[] = {
    COLUMN_OF(struct measured_time, matrix, COLUMN_I64, "", "row of table matrices"),
    COLUMN_OF(struct measured_time, time_s, COLUMN_F64, "s", "measured time"),
};
static const struct schema config_schema = SCHEMA_OF(struct times_config, "times_configs", config_columns),
                           time_schema = SCHEMA_OF(struct measured_time, "times", time_columns);
const struct schema *const times_schemas[TIMES_TABLES] = { &config_schema, &time_schema };

/* Returns the index of the matrix with this key; -1: none. Matrices and keys are in the same order, so the search
 * continues at *from. */
static int64_t matrix_of(const struct profile *p, const char *key, int64_t *from)
{
    for (int64_t i = *from; i < p->measured.nmatrices; i++) {
        const int d = strncmp(p->measured.matrices[i].source_id, key, KEY_DIGITS);
        if (d >= 0) {
            *from = i;
            return d == 0 ? i : -1;
        }
    }
    return -1;
}

static bool same_config(const struct coef_row *a, const struct coef_row *b)
{
    return strcmp(a->config, b->config) == 0 && TARGET_SAME(a, b);
}

void times_pack(struct profile *p)
{
    int64_t first = 0, end, kept = 0;
    struct coefs *c = &p->coefs;
    while (first < c->n && strcmp(c->row[first].model, model_name) != 0)
        first++;
    for (end = first; end < c->n && strcmp(c->row[end].model, model_name) == 0; end++)
        ;
    if (first == end)
        return;
    times_free(p);
    p->times.config = xcalloc((unsigned long)(end - first), sizeof *p->times.config);
    p->times.time = xcalloc((unsigned long)(end - first), sizeof *p->times.time);
    for (int64_t i = first, j; i < end; i = j) {
        struct times_config *t = &p->times.config[p->times.nconfigs++];
        int64_t from = 0;
        TEXT_SET(t->config, c->row[i].config);
        TARGET_SET(t, &c->row[i]);
        t->first = p->times.n;
        for (j = i; j < end && same_config(&c->row[j], &c->row[i]); j++) {
            const int64_t matrix = matrix_of(p, c->row[j].key, &from);
            if (matrix >= 0)
                p->times.time[p->times.n++] = (struct measured_time){ matrix, c->row[j].value };
        }
        t->n = p->times.n - t->first;
    }
    for (int64_t i = 0; i < c->n; i++)
        if (i < first || i >= end)
            c->row[kept++] = c->row[i];
    c->n = kept;
}

static int compare(const void *a, const void *b)
{
    const struct times_config *x = a, *y = b;
    const int d = strcmp(x->config, y->config);
    return d ? d : TARGET_COMPARE(x, y);
}

const struct measured_time *times_find(const struct profile *p, const char *config, const struct target *t, int64_t *n)
{
    struct times_config want = { .n = 0 };
    TEXT_SET(want.config, config);
    TARGET_SET(&want, t);
    const size_t configs = (size_t)p->times.nconfigs;
    const struct times_config *found = configs ? bsearch(&want, p->times.config, configs, sizeof want, compare) : NULL;
    *n = found ? found->n : 0;
    return found ? p->times.time + found->first : NULL;
}

void times_restrict(struct profile *to, const struct profile *from, const bool *keep)
{
    struct times_config *config = xmalloc(((unsigned long)from->times.nconfigs + 1) * sizeof *config);
    struct measured_time *time = xmalloc(((unsigned long)from->times.n + 1) * sizeof *time);
    int64_t n = 0;
    for (int64_t i = 0; i < from->times.nconfigs; i++) {
        const struct times_config *all = &from->times.config[i];
        config[i] = *all;
        config[i].first = n;
        for (int64_t k = all->first; k < all->first + all->n; k++)
            if (keep[from->times.time[k].matrix])
                time[n++] = from->times.time[k];
        config[i].n = n - config[i].first;
    }
    to->times.nconfigs = from->times.nconfigs;
    to->times.config = config;
    to->times.n = n;
    to->times.time = time;
}

static bool looks_same(const struct matrix_row *m, const struct features *f)
{
    return m->rows == f->rows && m->cols == f->cols && m->nnz == f->nnz && m->row_max == f->row_max
           && m->bandwidth == f->bandwidth && m->diagonals == f->diagonals
           && m->sectors[F64][SECTORS_ROW] == f->sectors[F64][SECTORS_ROW];
}

/* Returns the caller's query, else the measured matrix that looks the same, else only the features. */
static struct family_query query_of(const struct profile *p, const struct features *f)
{
    struct family_query s = { p->query.matrix, p->query.group, p->query.recipe, p->query.pattern_id, f };
    if (*s.matrix || *s.pattern_id)
        return s;
    for (int64_t i = 0; i < p->measured.nmatrices; i++) {
        const struct matrix_row *m = &p->measured.matrices[i];
        if (looks_same(m, f))
            return (struct family_query){ m->matrix, m->group, m->recipe, m->pattern_id, f };
    }
    return s;
}

bool *times_unrelated(const struct profile *p, const struct features *f)
{
    const struct family_query query = query_of(p, f);
    bool *kin = xcalloc((unsigned long)p->families.n + 1, sizeof *kin),
         *unrelated = xcalloc((unsigned long)p->measured.nmatrices + 1, sizeof *unrelated);
    families_of_query(&p->families, &query, kin);
    /* Both lists are sorted by source_id. */
    for (int64_t i = 0, row = 0; i < p->measured.nmatrices; i++) {
        const struct matrix_row *m = &p->measured.matrices[i];
        while (row < p->families.n && strcmp(p->families.row[row].source_id, m->source_id) < 0)
            row++;
        const bool related =
            row < p->families.n && kin[row] && strcmp(p->families.row[row].source_id, m->source_id) == 0;
        unrelated[i] = !related && !looks_same(m, f);
    }
    free(kin);
    return unrelated;
}

int times_store(struct archive *a, const struct profile *p, char why[ERRLEN])
{
    if (p->times.nconfigs == 0)
        return 0;
    const int status = archive_put(a, &config_schema, p->times.config, p->times.nconfigs, why);
    return status ? status : archive_put(a, &time_schema, p->times.time, p->times.n, why);
}

int times_load(struct archive *a, struct profile *p, char why[ERRLEN])
{
    int status = archive_get_any(a, &config_schema, (void **)&p->times.config, &p->times.nconfigs, why);
    if (status != 0 || !p->times.config)
        return status;
    configs_complete(p->times.config->config, p->times.nconfigs, sizeof *p->times.config);
    status = archive_get(a, &time_schema, (void **)&p->times.time, &p->times.n, why);
    for (int64_t i = 0; status == 0 && i < p->times.nconfigs; i++) {
        const struct times_config *t = &p->times.config[i];
        if (t->first < 0 || t->n < 0 || t->n > p->times.n || t->first > p->times.n - t->n)
            status = fail(why,
                          "%s: table times_configs, row %" PRId64 ": first %" PRId64 " and n %" PRId64
                          " exceed the %" PRId64 " rows of table times; fit the profile again with spmv-fit",
                          archive_path(a), i, t->first, t->n, p->times.n);
    }
    for (int64_t i = 0; status == 0 && i < p->times.n; i++)
        if (p->times.time[i].matrix < 0 || p->times.time[i].matrix >= p->measured.nmatrices)
            status = fail(why, "%s: table times, row %" PRId64 ": unknown matrix; fit the profile again with spmv-fit",
                          archive_path(a), i);
    return status == FAIL ? ARCHIVE_DAMAGED : status;
}

void times_free(struct profile *p)
{
    free(p->times.config);
    free(p->times.time);
    memset(&p->times, 0, sizeof p->times);
}
