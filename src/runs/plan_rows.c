/* SPDX-License-Identifier: BSD-3-Clause */
/* Optional tables of a run archive: executed plans, their blocks, and the costs of graph branches. */
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "runs/rows.h"

static const struct column branch_columns[] = {
    COLUMN_TEXT_OF(struct branch_row, device_key, "name, SMs, memory, L2, ECC, MIG, power cap"),
    COLUMN_OF(struct branch_row, branches, COLUMN_I64, "",
              "number of empty kernels that are parallel branches of one graph"),
    COLUMN_OF(struct branch_row, time_us, COLUMN_F64, "us",
              "median time from the start of the first kernel to the end of the last"),
    COLUMN_OF(struct branch_row, samples, COLUMN_I64, "", "number of samples"),
    COLUMN_TEXT_OF(struct branch_row, measured, "end of the measurement, UTC, ISO 8601"),
};
const struct schema branch_schema = SCHEMA_OF(struct branch_row, "branches", branch_columns);

/* Appends a row to an array, whose capacity doubles as needed. */
#define APPEND(array, n, row)                                                                  \
    do {                                                                                       \
        if (((n) & ((n)-1)) == 0)                                                              \
            (array) = xrealloc((array), (unsigned long)((n) ? 2 * (n) : 1) * sizeof *(array)); \
        (array)[(n)++] = *(row);                                                               \
    } while (0)

void runs_add_plan(struct runs *r, const struct plan_row *p)
{
    for (int64_t i = 0; i < r->nplans; i++)
        if (strcmp(r->plans[i].plan_id, p->plan_id) == 0) {
            r->plans[i] = *p;
            return;
        }
    APPEND(r->plans, r->nplans, p);
}

void runs_add_block(struct runs *r, const struct block_row *b)
{
    for (int64_t i = 0; i < r->nblocks; i++)
        if (r->blocks[i].first_row == b->first_row && strcmp(r->blocks[i].plan_id, b->plan_id) == 0) {
            r->blocks[i] = *b;
            return;
        }
    APPEND(r->blocks, r->nblocks, b);
}

void runs_add_branch(struct runs *r, const struct branch_row *b)
{
    for (int64_t i = 0; i < r->nbranches; i++)
        if (r->branches[i].branches == b->branches && strcmp(r->branches[i].device_key, b->device_key) == 0) {
            r->branches[i] = *b;
            return;
        }
    APPEND(r->branches, r->nbranches, b);
}

void runs_branch_source(const char *device_key, char id[ID_LEN])
{
    char *text = xasprintf("branches of %s", device_key);

    hash_string(text, id);
    free(text);
}

int runs_load_plans(struct runs *r, struct archive *a, char why[ERRLEN])
{
    void *plans = NULL, *blocks = NULL, *branches = NULL;
    int64_t nplans = 0, nblocks = 0, nbranches = 0;
    int status = archive_get_any(a, &plan_schema, &plans, &nplans, why);

    if (!status)
        status = archive_get_any(a, &block_schema, &blocks, &nblocks, why);
    if (!status)
        status = archive_get_any(a, &branch_schema, &branches, &nbranches, why);
    for (int64_t i = 0; i < nplans && !status; i++)
        runs_add_plan(r, (const struct plan_row *)plans + i);
    for (int64_t i = 0; i < nblocks && !status; i++)
        runs_add_block(r, (const struct block_row *)blocks + i);
    for (int64_t i = 0; i < nbranches && !status; i++)
        runs_add_branch(r, (const struct branch_row *)branches + i);
    free(plans);
    free(blocks);
    free(branches);
    return status;
}

/* ---- storing, sorted */
static int by_plan(const void *a, const void *b)
{
    return strcmp(((const struct plan_row *)a)->plan_id, ((const struct plan_row *)b)->plan_id);
}

static int by_block(const void *a, const void *b)
{
    const struct block_row *x = a, *y = b;
    const int d = strcmp(x->plan_id, y->plan_id);

    return d ? d : (x->first_row > y->first_row) - (x->first_row < y->first_row);
}

static int by_branch(const void *a, const void *b)
{
    const struct branch_row *x = a, *y = b;
    const int d = strcmp(x->device_key, y->device_key);

    return d ? d : (x->branches > y->branches) - (x->branches < y->branches);
}

static int put(struct archive *a, const struct schema *schema, void *rows, int64_t n,
               int (*order)(const void *, const void *), char why[ERRLEN])
{
    if (n == 0)
        return 0;
    qsort(rows, (size_t)n, schema->row_bytes, order);
    return archive_put(a, schema, rows, n, why);
}

int runs_store_plans(struct archive *a, const struct runs *r, char why[ERRLEN])
{
    if (put(a, &plan_schema, r->plans, r->nplans, by_plan, why)
        || put(a, &block_schema, r->blocks, r->nblocks, by_block, why))
        return FAIL;
    return put(a, &branch_schema, r->branches, r->nbranches, by_branch, why);
}

const struct plan_row *runs_plan_of(const struct runs *runs, const struct run_row *row)
{
    char text[CONFIG_LEN];

    for (int64_t i = 0; i < runs->nplans; i++) {
        plan_config(&runs->plans[i], text);
        if (strcmp(text, row->config) == 0)
            return &runs->plans[i];
    }
    return NULL;
}
