/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans: made from forecasts, read from a file, or given block by block. */
#include "library/library_plan.h"
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "archive/archive.h"
#include "forecast/planning.h"
#include "formats/format.h"
#include "runs/planfile.h"

typedef spmvcast_status plan_body(void *arguments, char why[ERRLEN]);

/* Runs `body` in an arena of a new plan, *plan, by library_call or library_read. */
static spmvcast_status new_plan(spmvcast_context *c,
                                spmvcast_status (*call)(spmvcast_context *, struct arena *, plan_body *, void *),
                                plan_body *body, void *arguments, spmvcast_plan **plan, spmvcast_plan **out)
{
    spmvcast_plan *p = *plan = calloc(1, sizeof *p);
    if (!p)
        return library_refuse(c, SPMVCAST_OUT_OF_MEMORY, "out of memory");
    const spmvcast_status status = call(c, &p->arena, body, arguments);
    if (status == SPMVCAST_OK)
        *out = p;
    else
        free(p);
    return status;
}

void spmvcast_plan_free(spmvcast_plan *p)
{
    if (!p)
        return;
    arena_free(&p->arena);
    free(p);
}

int plan_check(const struct spmvcast_plan *p, int64_t rows, int64_t cols, int64_t nnz, enum precision precision,
               char why[ERRLEN])
{
    if (!p->any_precision && p->precision != precision)
        return fail(why, "the plan was made for %s, the matrix is %s", precision_name(p->precision),
                    precision_name(precision));
    if (p->rows == rows && (p->cols < 0 || p->cols == cols) && (p->nnz < 0 || p->nnz == nnz))
        return 0;
    return p->cols < 0 && p->nnz < 0 ? fail(why, "the plan has %" PRId64 " rows, the matrix %" PRId64, p->rows, rows)
           : p->cols < 0             ? fail(why,
                                            "the plan is for %" PRId64 " rows with %" PRId64 " entries, the matrix has %" PRId64
                                            " with %" PRId64,
                                            p->rows, p->nnz, rows, nnz)
                                     : fail(why,
                                            "the plan is for %" PRId64 " x %" PRId64 " with %" PRId64
                                            " entries, the matrix is %" PRId64 " x %" PRId64 " with %" PRId64,
                                            p->rows, p->cols, p->nnz, rows, cols, nnz);
}

/* ---- from blocks ---- */
struct given {
    const spmvcast_block *blocks;
    size_t n;
    int parallel;
    spmvcast_plan *plan;
};

static spmvcast_status take_block(const spmvcast_block *b, int64_t row, struct plan_part *out, char why[ERRLEN])
{
    if (b->first_row != row || b->rows <= 0 || b->rows > INT32_MAX - row)
        return fail(why, "%" PRId64 " rows from row %" PRId64 ", expected 1 to %" PRId64 " from row %" PRId64, b->rows,
                    b->first_row, INT32_MAX - row, row),
               SPMVCAST_INVALID_ARGUMENT;
    if (!b->config)
        return fail(why, "config is NULL"), SPMVCAST_INVALID_ARGUMENT;
    *out = (struct plan_part){
        .first_row = row, .rows = b->rows, .nnz = b->nnz > 0 ? b->nnz : -1, .time_s = NAN, .low_s = NAN, .high_s = NAN
    };
    if (config_parse(b->config, &out->config, why) != 0)
        return SPMVCAST_INVALID_ARGUMENT;
    config_print(&out->config, out->text);
    return SPMVCAST_OK;
}

static spmvcast_status create(void *arguments, char why[ERRLEN])
{
    const struct given *q = arguments;
    spmvcast_plan *p = q->plan;
    char inner[ERRLEN];
    p->any_precision = true;
    p->parallel = q->parallel != 0;
    p->cols = -1;
    p->time_s = p->low_s = p->high_s = p->single_s = NAN;
    p->part = xcalloc(q->n, sizeof *p->part);
    for (p->n = 0; p->n < q->n; p->n++) {
        /* the size of the caller's version of the structure is the stride */
        const char *at = (const char *)q->blocks + p->n * q->blocks[0].size;
        const spmvcast_status status = take_block((const void *)at, p->rows, &p->part[p->n], inner);
        if (status != SPMVCAST_OK)
            return fail(why, "spmvcast_plan_create: block %zu: %.440s", p->n, inner), status;
        p->rows += p->part[p->n].rows;
        const int64_t nnz = p->part[p->n].nnz;
        p->nnz = p->nnz < 0 || nnz < 0 || nnz > INT64_MAX - p->nnz ? -1 : p->nnz + nnz;
    }
    snprintf(p->text, sizeof p->text, "plan:exec=%s,blocks=%zu", p->parallel ? "parallel" : "serial", p->n);
    return SPMVCAST_OK;
}

spmvcast_status spmvcast_plan_create(spmvcast_context *c, const spmvcast_block *blocks, size_t n, int parallel,
                                     spmvcast_plan **out)
{
    if (out)
        *out = NULL;
    if (!c)
        return SPMVCAST_INVALID_ARGUMENT;
    library_begin(c);
    if (!blocks || n == 0 || !out)
        return library_refuse(c, SPMVCAST_INVALID_ARGUMENT, "spmvcast_plan_create: no %s",
                              out ? "blocks" : "place for the plan");
    if (n > INT32_MAX)
        return library_refuse(c, SPMVCAST_INVALID_ARGUMENT, "spmvcast_plan_create: %zu blocks are too many", n);
    for (size_t i = 0; i < n; i++)
        if (library_size(blocks[0].size, sizeof *blocks, sizeof *blocks) == 0)
            return library_refuse(c, SPMVCAST_INVALID_ARGUMENT,
                                  "spmvcast_block: size is not set; use SPMVCAST_BLOCK_INIT");
    struct given q = { blocks, n, parallel, NULL };
    return new_plan(c, library_call, create, &q, &q.plan, out);
}

/* ---- from a file ---- */
struct file {
    const char *path;
    spmvcast_plan *plan;
};

static spmvcast_status read(void *arguments, char why[ERRLEN])
{
    const struct file *q = arguments;
    spmvcast_plan *p = q->plan;
    struct plan from;
    const int status = plan_load(q->path, &from, why);
    if (status != 0)
        return status == ARCHIVE_DAMAGED ? SPMVCAST_DAMAGED_FILE : SPMVCAST_INVALID_ARGUMENT;
    const struct plan_row *row = &from.row;
    p->precision = (enum precision)row->precision;
    TEXT_SET(p->device_key, row->device_key);
    p->parallel = strcmp(row->exec, "parallel") == 0;
    p->rows = row->rows;
    p->cols = row->cols;
    p->nnz = row->nnz;
    p->time_s = row->time_us * 1e-6;
    p->low_s = row->low_us * 1e-6;
    p->high_s = row->high_us * 1e-6;
    p->single_s = row->single_us * 1e-6;
    p->part = xcalloc((unsigned long)row->blocks, sizeof *p->part);
    for (p->n = 0; p->n < (size_t)row->blocks; p->n++) {
        const struct block_row *b = &from.block[p->n];
        struct plan_part *part = &p->part[p->n];
        *part = (struct plan_part){ .first_row = b->first_row, .rows = b->rows, .nnz = b->nnz };
        part->time_s = b->time_us * 1e-6;
        part->low_s = b->low_us * 1e-6;
        part->high_s = b->high_us * 1e-6;
        if (config_parse(b->config, &part->config, why) != 0)
            bug("invalid configuration in a loaded plan: %s", b->config);
        TEXT_SET(part->text, b->config);
    }
    plan_config(row, p->text);
    plan_free(&from);
    return SPMVCAST_OK;
}

spmvcast_status spmvcast_plan_open(spmvcast_context *c, const char *file, spmvcast_plan **out)
{
    if (out)
        *out = NULL;
    if (!c)
        return SPMVCAST_INVALID_ARGUMENT;
    library_begin(c);
    if (!file || !out)
        return library_refuse(c, SPMVCAST_INVALID_ARGUMENT, "spmvcast_plan_open: no %s",
                              file ? "place for the plan" : "file");
    struct file q = { file, NULL };
    return new_plan(c, library_read, read, &q, &q.plan, out);
}

/* ---- from forecasts ---- */
struct search {
    const spmvcast_profile *profile;
    spmvcast_csr csr;
    spmvcast_plan_options options;
    struct outlook_terms terms;
    spmvcast_plan *plan;
};

/* Copies the decision. */
static void keep(spmvcast_plan *p, const struct planned *a, const struct search *q)
{
    const struct split *split = a->split;
    p->precision = library_precision(q->options.precision);
    TEXT_SET(p->device_key, q->profile->profile.device_key);
    p->parallel = q->options.parallel != 0;
    p->rows = q->csr.rows;
    p->cols = q->csr.cols;
    p->time_s = split->time_s;
    p->low_s = split->low_s;
    p->high_s = split->high_s;
    p->single_s = a->single->forecast.time_s;
    p->part = xcalloc((unsigned long)split->n, sizeof *p->part);
    for (p->n = 0; p->n < (size_t)split->n; p->n++) {
        const struct split_block *b = &split->block[p->n];
        struct plan_part *part = &p->part[p->n];
        *part = (struct plan_part){ .first_row = (int64_t)b->first * a->sketch->strip_rows,
                                    .rows = b->features.rows,
                                    .nnz = b->features.nnz,
                                    .config = b->config,
                                    .time_s = b->time_s,
                                    .low_s = b->low_s,
                                    .high_s = b->high_s };
        config_print(&b->config, part->text);
        p->nnz += part->nnz;
    }
    snprintf(p->text, sizeof p->text, "plan:exec=%s,blocks=%zu", p->parallel ? "parallel" : "serial", p->n);
}

static spmvcast_status plan(const struct search *q, const struct question *question, const struct model *model,
                            char why[ERRLEN])
{
    const struct profile *profile = &question->profile;
    const struct target t = { profile->device, library_precision(q->options.precision), (enum cache)q->options.cache,
                              GRAPH };
    struct strlist configs = { 0 };
    struct branching branching;
    struct outlook outlook;
    struct planned made;
    if (q->options.parallel && (!kind_facts(t.device.kind)->branches || !profile_branching(profile, &t, &branching)))
        return fail(why, "the profile %s has no costs of graph branches; plan with parallel = 0", profile->name),
               SPMVCAST_NO_FORECAST;
    for (size_t i = 0; i < q->options.nconfigs; i++)
        strlist_add(&configs, q->options.configs[i]);
    if (outlook_make(profile, model, &question->features, &t, &configs, &outlook, why) != 0)
        return SPMVCAST_NO_FORECAST;
    outlook_rank(&outlook, &q->terms);
    const struct planning_terms terms = { .model = model,
                                          .always = q->options.always,
                                          .configs = &configs,
                                          .branching = q->options.parallel ? &branching : NULL };
    if (planning_make(question, &outlook, &terms, &made, why) != 0)
        return SPMVCAST_NO_FORECAST;
    keep(q->plan, &made, q);
    planning_free(&made);
    outlook_free(&outlook);
    strlist_free(&configs);
    return SPMVCAST_OK;
}

static const struct model *model_for(const struct search *q, char why[ERRLEN])
{
    const struct profile *p = &q->profile->profile;
    const char *name = q->options.model;
    const struct model *m = name ? model_find(name) : model_of_profile(p, true);
    if (!m && !name)
        return fail(why, "profile %s has no model that forecasts blocks", p->name), NULL;
    name = m ? m->name : name;
    if (!m)
        return fail(why, "unknown model '%.40s'; known: %.400s", name, model_names()), NULL;
    if (!m->blocks_open || (q->options.parallel && !m->block_launch))
        return fail(why, "model %s does not forecast blocks%s", name, m->blocks_open ? " that run side by side" : ""),
               NULL;
    return m;
}

/* The pattern in the arrays of a struct csr, which it borrows or copies into the arena. */
static struct csr csr_of(const spmvcast_csr *a)
{
    int64_t *copy;
    const int64_t *row_ptr = library_wide_pointers(a, &copy), nnz = row_ptr[a->rows];
    int32_t *col = (int32_t *)a->col;
    if (a->base != 0) {
        col = xmalloc((unsigned long)(nnz + 1) * sizeof *col);
        for (int64_t k = 0; k < nnz; k++)
            col[k] = a->col[k] - a->base;
    }
    return (struct csr){ .rows = a->rows, .cols = a->cols, .nnz = nnz, .row_ptr = (int64_t *)row_ptr, .col = col };
}

static spmvcast_status make(void *arguments, char why[ERRLEN])
{
    struct search *q = arguments;
    const spmvcast_plan_options *o = &q->options;
    spmvcast_status status = library_check_configs(o->configs, o->nconfigs, why);
    if (status == SPMVCAST_OK)
        status = library_take_terms(o->place, o->products, o->risk, &q->terms, why);
    if (status != SPMVCAST_OK)
        return status;
    struct question question = { .profile = q->profile->profile, .file = q->profile->file };
    const struct model *model = model_for(q, why);
    if (!model)
        return SPMVCAST_INVALID_ARGUMENT;
    question.matrix.csr = csr_of(&q->csr);
    if (csr_check(&question.matrix.csr, why) != 0)
        return SPMVCAST_INVALID_MATRIX;
    if (q->csr.rows == 0)
        return fail(why, "the matrix has no rows"), SPMVCAST_INVALID_MATRIX;
    features_of(&question.matrix.csr, &question.features);
    library_count_values(&q->csr, &question.features);
    profile_ask_about(&question.profile, q->csr.name ? q->csr.name : "", q->csr.group ? q->csr.group : "", "", "");
    return plan(q, &question, model, why);
}

spmvcast_status spmvcast_plan_make(spmvcast_context *c, const spmvcast_profile *profile, const spmvcast_csr *csr,
                                   const spmvcast_plan_options *options, spmvcast_plan **out)
{
    const spmvcast_plan_options defaults = SPMVCAST_PLAN_OPTIONS_INIT;
    if (out)
        *out = NULL;
    if (!c)
        return SPMVCAST_INVALID_ARGUMENT;
    library_begin(c);
    if (!profile || !csr || !out)
        return library_refuse(c, SPMVCAST_INVALID_ARGUMENT, "spmvcast_plan_make: no %s",
                              !profile ? "profile"
                              : !csr   ? "spmvcast_csr"
                                       : "place for the plan");
    struct search q = { .profile = profile, .options = defaults };
    const size_t bytes = options ? library_size(options->size, sizeof defaults, sizeof defaults) : sizeof defaults;
    if (bytes == 0)
        return library_refuse(c, SPMVCAST_INVALID_ARGUMENT,
                              "spmvcast_plan_options: size is not set; use SPMVCAST_PLAN_OPTIONS_INIT");
    if (options)
        memcpy(&q.options, options, bytes);
    if (!library_knows_precision(q.options.precision) || (unsigned)q.options.cache >= NCACHES)
        return library_refuse(c, SPMVCAST_INVALID_ARGUMENT,
                              "spmvcast_plan_options: %s is none of its enumeration's values",
                              library_knows_precision(q.options.precision) ? "cache" : "precision");
    spmvcast_status status = library_take_csr(c, csr, &q.csr);
    if (status == SPMVCAST_OK)
        status = library_check_arrays(c, &q.csr);
    return status == SPMVCAST_OK ? new_plan(c, library_call, make, &q, &q.plan, out) : status;
}

/* ---- what it says ---- */
spmvcast_status spmvcast_plan_get_info(const spmvcast_plan *p, spmvcast_plan_info *info)
{
    const size_t bytes = p && info ? library_size(info->size, sizeof *info, sizeof *info) : 0;
    if (bytes == 0)
        return SPMVCAST_INVALID_ARGUMENT;
    const spmvcast_plan_info ours = { .size = info->size,
                                      .text = p->text,
                                      .blocks = p->n,
                                      .parallel = p->parallel,
                                      .rows = p->rows,
                                      .cols = p->cols,
                                      .nnz = p->nnz,
                                      .time_s = p->time_s,
                                      .low_s = p->low_s,
                                      .high_s = p->high_s,
                                      .single_s = p->single_s };
    memcpy(info, &ours, bytes);
    return SPMVCAST_OK;
}

spmvcast_status spmvcast_plan_get_block(const spmvcast_plan *p, size_t i, spmvcast_block *out)
{
    const size_t bytes = p && out ? library_size(out->size, sizeof *out, sizeof *out) : 0;
    if (bytes == 0)
        return SPMVCAST_INVALID_ARGUMENT;
    if (i >= p->n)
        return SPMVCAST_NO_ENTRY;
    const struct plan_part *b = &p->part[i];
    const spmvcast_block ours = { .size = out->size,
                                  .first_row = b->first_row,
                                  .rows = b->rows,
                                  .nnz = b->nnz,
                                  .config = b->text,
                                  .time_s = b->time_s,
                                  .low_s = b->low_s,
                                  .high_s = b->high_s };
    memcpy(out, &ours, bytes);
    return SPMVCAST_OK;
}
