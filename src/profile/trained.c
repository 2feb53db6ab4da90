/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of trained models (trained.h). */
#include "profile/trained.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct column fit_columns[] = {
    COLUMN_TEXT_OF(struct trained_fit, model, "model"),
    COLUMN_TEXT_OF(struct trained_fit, config, "configuration as fitted; of knn: the kernel"),
    COLUMN_WORD_OF(struct trained_fit, precision, precision_words, 4, "f32 or f64"),
    COLUMN_WORD_OF(struct trained_fit, cache, cache_words, 8, "warm or cold"),
    COLUMN_WORD_OF(struct trained_fit, launch, launch_words, 8, "graph or stream"),
    COLUMN_OF(struct trained_fit, matrices, COLUMN_I64, "", "matrices it was fitted to"),
    COLUMN_OF(struct trained_fit, families, COLUMN_I64, "", "families of those matrices"),
    COLUMN_ARRAY_OF(struct trained_fit, weight, COLUMN_F64, TRAITS_MAX + 1, "",
                    "intercept (of trees: mean of log T), then the coefficient, or weight, of each trait; NaN: none"),
    COLUMN_ARRAY_OF(struct trained_fit, low, COLUMN_F64, TRAITS_MAX, "", "least value of each trait in training"),
    COLUMN_ARRAY_OF(struct trained_fit, high, COLUMN_F64, TRAITS_MAX, "", "greatest value of each trait in training"),
    COLUMN_OF(struct trained_fit, first, COLUMN_I64, "", "first node of its trees, counted over table trained_nodes"),
    COLUMN_OF(struct trained_fit, nodes, COLUMN_I64, "", "number of their nodes; 0: no trees"),
    COLUMN_OF(struct trained_fit, depth, COLUMN_I64, "", "greatest depth of the trees"),
    COLUMN_OF(struct trained_fit, rounds, COLUMN_I64, "", "number of trees"),
    COLUMN_OF(struct trained_fit, rate, COLUMN_F64, "", "learning rate of the trees"),
    COLUMN_OF(struct trained_fit, error_median, COLUMN_F64, "", "median |forecast / measured - 1| in training"),
    COLUMN_OF(struct trained_fit, error_max, COLUMN_F64, "", "greatest |forecast / measured - 1| in training"),
};
/* As stored: few bytes, since every program that opens a profile verifies them. */
enum { PACKED = 8, PACKED_NONE = 255 };
struct packed {
    int64_t traits;
    float value[PACKED];
};
static const struct column node_columns[] = {
    COLUMN_OF(
        struct packed, traits, COLUMN_I64, "",
        "byte i, from the lowest: 0 if node i is a leaf, else 1 + position among the format's traits; 255: no node"),
    COLUMN_ARRAY_OF(struct packed, value, COLUMN_F32, PACKED, "",
                    "of node i: what is below it goes to the left child; of a leaf: what it adds to log T"),
};
static const struct column sizes_config_columns[] = {
    COLUMN_TEXT_OF(struct trained_sizes_config, config, "configuration, in the form comparable between matrices"),
    COLUMN_WORD_OF(struct trained_sizes_config, precision, precision_words, 4, "f32 or f64"),
    COLUMN_OF(struct trained_sizes_config, first, COLUMN_I64, "", "its first row in table trained_sizes"),
    COLUMN_OF(struct trained_sizes_config, n, COLUMN_I64, "", "number of its rows there"),
};
static const struct column size_columns[] = {
    COLUMN_OF(struct trained_size, matrix, COLUMN_I64, "", "row of table matrices"),
    COLUMN_OF(struct trained_size, padded, COLUMN_F32, "", "entries stored, with padding"),
    COLUMN_OF(struct trained_size, compressed, COLUMN_F32, "B", "bytes of the indices"),
    COLUMN_OF(struct trained_size, bytes, COLUMN_F32, "B", "bytes of the matrix on the device"),
};
static const struct column effort_columns[] = {
    COLUMN_TEXT_OF(struct effort_row, model, "model"),
    COLUMN_OF(struct effort_row, fit_s, COLUMN_F64, "s", "time that spmv-fit took to fit it"),
    COLUMN_OF(struct effort_row, fits, COLUMN_I64, "",
              "targets (precision, cache state, launch) that it was fitted to"),
};
static const struct schema fit_schema = SCHEMA_OF(struct trained_fit, "trained_fits", fit_columns),
                           node_schema = SCHEMA_OF(struct packed, "trained_nodes", node_columns),
                           sizes_config_schema =
                               SCHEMA_OF(struct trained_sizes_config, "trained_sizes_configs", sizes_config_columns),
                           size_schema = SCHEMA_OF(struct trained_size, "trained_sizes", size_columns),
                           effort_schema = SCHEMA_OF(struct effort_row, "effort", effort_columns);
const struct schema *const trained_schemas[TRAINED_TABLES] = { &fit_schema, &node_schema, &sizes_config_schema,
                                                               &size_schema, &effort_schema };

/* ---- reading and writing */
static struct packed *pack(const struct trained_node *v, int64_t n)
{
    struct packed *packed = xcalloc((unsigned long)(n / PACKED) + 1, sizeof *packed);
    for (int64_t i = 0; i < (n + PACKED - 1) / PACKED * PACKED; i++) {
        const uint64_t code = i < n ? (uint64_t)(v[i].trait + 1) : PACKED_NONE;
        struct packed *p = &packed[i / PACKED];
        p->traits = (int64_t)((uint64_t)p->traits | code << 8 * (i % PACKED));
        p->value[i % PACKED] = i < n ? v[i].value : 0;
    }
    return packed;
}

/* Sets the nodes without their right children. */
static void unpack(const struct packed *packed, int64_t n, struct trained *t)
{
    t->node = xmalloc(((unsigned long)n * PACKED + 1) * sizeof *t->node);
    for (int64_t i = 0; i < n * PACKED; i++) {
        const int code = (int)((uint64_t)packed[i / PACKED].traits >> 8 * (i % PACKED) & 255);
        if (code != PACKED_NONE)
            t->node[t->nnodes++] = (struct trained_node){ code - 1, 0, packed[i / PACKED].value[i % PACKED] };
    }
}

int trained_store(struct archive *a, const struct trained *t, char why[ERRLEN])
{
    struct packed *node = pack(t->node, t->nnodes);
    const void *const rows[TRAINED_TABLES] = { t->fit, node, t->sizes_config, t->size, t->effort };
    const int64_t n[TRAINED_TABLES] = { t->nfits, (t->nnodes + PACKED - 1) / PACKED, t->nsizes_configs, t->nsizes,
                                        t->nefforts };
    int status = 0;
    for (int i = 0; i < TRAINED_TABLES && status == 0; i++)
        status = n[i] > 0 ? archive_put(a, trained_schemas[i], rows[i], n[i], why) : 0;
    free(node);
    return status;
}

static int damaged(const struct archive *a, const char *table, int64_t row, const char *what, char why[ERRLEN])
{
    fail(why, "%s: table %s, row %" PRId64 ": %s", archive_path(a), table, row, what);
    return ARCHIVE_DAMAGED;
}

/* Sets the right children of so many trees. Returns false if the nodes are not these. */
static bool link_trees(struct trained_node *v, int64_t n, int traits, int64_t trees)
{
    int64_t open[64];    /* the nodes whose right child is still to come */
    int64_t missing = 0; /* subtrees of the current tree that are still to come */
    int depth = 0;
    for (int64_t i = 0; i < n; i++) {
        if (missing == 0) {
            trees--;
            missing = 1;
        }
        missing += v[i].trait >= 0 ? 1 : -1;
        if (v[i].trait >= traits || depth == (int)(sizeof open / sizeof open[0]))
            return false;
        if (v[i].trait >= 0) {
            open[depth++] = i;
        } else if (depth > 0) { /* the right child of the innermost open node begins after this leaf */
            depth--;
            v[open[depth]].right = (int)(i + 1 - open[depth]);
        }
    }
    return missing == 0 && trees == 0;
}

static int check(const struct archive *a, struct trained *t, int64_t nmatrices, char why[ERRLEN])
{
    for (int64_t i = 0; i < t->nfits; i++) {
        const struct trained_fit *f = &t->fit[i];
        if (f->nodes < 0 || f->first < 0 || f->nodes > t->nnodes || f->first > t->nnodes - f->nodes)
            return damaged(a, fit_schema.name, i, "missing nodes of table trained_nodes", why);
        if (!link_trees(t->node + f->first, f->nodes, TRAITS_MAX, f->rounds))
            return damaged(a, fit_schema.name, i, "its nodes in table trained_nodes are not trees", why);
    }
    for (int64_t i = 0; i < t->nsizes_configs; i++) {
        const struct trained_sizes_config *c = &t->sizes_config[i];
        if (c->n < 0 || c->first < 0 || c->n > t->nsizes || c->first > t->nsizes - c->n)
            return damaged(a, sizes_config_schema.name, i, "missing rows of table trained_sizes", why);
    }
    for (int64_t i = 0; i < t->nsizes; i++)
        if (t->size[i].matrix < 0 || t->size[i].matrix >= nmatrices)
            return damaged(a, size_schema.name, i, "unknown matrix", why);
    return 0;
}

int trained_load(struct archive *a, int64_t nmatrices, struct trained **out, char why[ERRLEN])
{
    struct trained *t = xcalloc(1, sizeof *t);
    struct packed *packed = NULL;
    int64_t npacked = 0;
    *out = NULL;
    int status = archive_get_any(a, &fit_schema, (void **)&t->fit, &t->nfits, why);
    status = status ? status : archive_get_any(a, &node_schema, (void **)&packed, &npacked, why);
    if (status == 0)
        unpack(packed, npacked, t);
    free(packed);
    status =
        status ? status : archive_get_any(a, &sizes_config_schema, (void **)&t->sizes_config, &t->nsizes_configs, why);
    status = status ? status : archive_get_any(a, &size_schema, (void **)&t->size, &t->nsizes, why);
    status = status ? status : archive_get_any(a, &effort_schema, (void **)&t->effort, &t->nefforts, why);
    status = status ? status : check(a, t, nmatrices, why);
    if (status == 0 && t->fit)
        configs_complete(t->fit->config, t->nfits, sizeof *t->fit);
    if (status == 0 && t->sizes_config)
        configs_complete(t->sizes_config->config, t->nsizes_configs, sizeof *t->sizes_config);
    if (status == 0 && (t->fit || t->effort)) {
        trained_sort(t);
        *out = t;
    } else {
        trained_free(t);
    }
    return status;
}

void trained_free(struct trained *t)
{
    if (!t)
        return;
    free(t->fit);
    free(t->node);
    free(t->sizes_config);
    free(t->size);
    free(t->effort);
    free(t);
}

/* ---- adding */
/* Returns v with room for more than its n elements; v may have exactly n, as read from a profile. */
static void *grown(void *v, int64_t n, int64_t more, size_t bytes)
{
    return more > 0 ? xrealloc(v, (unsigned long)(n + more) * bytes) : v;
}

void trained_add(struct trained *t, struct trained_fit *f, const struct trained_node *node)
{
    f->first = t->nnodes;
    t->node = grown(t->node, t->nnodes, f->nodes, sizeof *t->node);
    if (f->nodes > 0)
        memcpy(t->node + t->nnodes, node, (size_t)f->nodes * sizeof *node);
    t->nnodes += f->nodes;
    t->fit = grown(t->fit, t->nfits, 1, sizeof *t->fit);
    t->fit[t->nfits++] = *f;
}

bool trained_has_sizes(const struct trained *t, const char *config, enum precision precision)
{
    for (int64_t i = 0; i < t->nsizes_configs; i++)
        if (strcmp(t->sizes_config[i].config, config) == 0 && t->sizes_config[i].precision == precision)
            return true;
    return false;
}

void trained_put_sizes(struct trained *t, const char *config, enum precision precision, const struct trained_size *size,
                       int64_t n)
{
    t->sizes_config = grown(t->sizes_config, t->nsizes_configs, 1, sizeof *t->sizes_config);
    struct trained_sizes_config *s = &t->sizes_config[t->nsizes_configs++];
    *s = (struct trained_sizes_config){ .precision = precision, .first = t->nsizes, .n = n };
    TEXT_SET(s->config, config);
    t->size = grown(t->size, t->nsizes, n, sizeof *t->size);
    if (n > 0)
        memcpy(t->size + t->nsizes, size, (size_t)n * sizeof *size);
    t->nsizes += n;
}

static int compare_fits(const void *a, const void *b)
{
    const struct trained_fit *x = a, *y = b;
    int d = strcmp(x->model, y->model);
    d = d ? d : strcmp(x->config, y->config);
    return d ? d : TARGET_COMPARE(x, y);
}

static int compare_sizes(const void *a, const void *b)
{
    const struct trained_sizes_config *x = a, *y = b;
    const int d = strcmp(x->config, y->config);
    return d ? d : word_compare(&precision_words, x->precision, y->precision);
}

void trained_sort(struct trained *t)
{
    if (t->nfits > 0)
        qsort(t->fit, (size_t)t->nfits, sizeof *t->fit, compare_fits);
    if (t->nsizes_configs > 0)
        qsort(t->sizes_config, (size_t)t->nsizes_configs, sizeof *t->sizes_config, compare_sizes);
}

/* ---- finding */
const struct trained_fit *trained_find(const struct trained *t, const char *model, const char *config,
                                       const struct target *target)
{
    struct trained_fit want = { .matrices = 0 };
    TEXT_SET(want.model, model);
    TEXT_SET(want.config, config);
    TARGET_SET(&want, target);
    return t && t->nfits ? bsearch(&want, t->fit, (size_t)t->nfits, sizeof want, compare_fits) : NULL;
}

const struct trained_size *trained_sizes_of(const struct trained *t, const char *config, enum precision precision,
                                            int64_t *n)
{
    struct trained_sizes_config want = { .precision = precision };
    TEXT_SET(want.config, config);
    const struct trained_sizes_config *c =
        t->nsizes_configs ? bsearch(&want, t->sizes_config, (size_t)t->nsizes_configs, sizeof want, compare_sizes)
                          : NULL;
    *n = c ? c->n : 0;
    return c ? t->size + c->first : NULL;
}
