/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads and writes plans. */
#include "runs/planfile.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "archive/archive.h"
#include "base/hash.h"

static const struct column plan_columns[] = {
    COLUMN_TEXT_OF(struct plan_row, plan_id, "SHA-256 of the target, the model and the blocks of the plan"),
    COLUMN_TEXT_OF(struct plan_row, matrix, "name of the matrix"),
    COLUMN_TEXT_OF(struct plan_row, matrix_id, "SHA-256 of the matrix"),
    COLUMN_TEXT_OF(struct plan_row, device_key, "device_key of the profile"),
    COLUMN_TEXT_OF(struct plan_row, profile, "name of the profile"),
    COLUMN_TEXT_OF(struct plan_row, profile_sha256, "SHA-256 of the profile"),
    COLUMN_TEXT_OF(struct plan_row, model, "model that made the forecasts"),
    COLUMN_WORD_OF(struct plan_row, precision, precision_words, 4, "f32 or f64"),
    COLUMN_WORD_OF(struct plan_row, cache, cache_words, 8, "warm or cold"),
    COLUMN_TEXT_OF(struct plan_row, exec, "serial: blocks one after another; parallel: blocks as branches of a graph"),
    COLUMN_OF(struct plan_row, rows, COLUMN_I64, "", "rows of the matrix"),
    COLUMN_OF(struct plan_row, cols, COLUMN_I64, "", "columns"),
    COLUMN_OF(struct plan_row, nnz, COLUMN_I64, "", "nonzeros"),
    COLUMN_OF(struct plan_row, strip_rows, COLUMN_I64, "", "rows per strip"),
    COLUMN_OF(struct plan_row, strips, COLUMN_I64, "", "number of strips"),
    COLUMN_OF(struct plan_row, blocks, COLUMN_I64, "", "number of blocks"),
    COLUMN_OF(struct plan_row, time_us, COLUMN_F64, "us", "forecast time of the plan"),
    COLUMN_OF(struct plan_row, single_us, COLUMN_F64, "us", "forecast time of the best single configuration"),
    COLUMN_TEXT_OF(struct plan_row, single, "the best single configuration"),
    COLUMN_OF(struct plan_row, low_us, COLUMN_F64, "us", "lower end of the 90 % interval of time_us; NaN: no interval"),
    COLUMN_OF(struct plan_row, high_us, COLUMN_F64, "us", "upper end of the interval"),
};
const struct schema plan_schema = SCHEMA_OF(struct plan_row, "plan", plan_columns);

static const struct column block_columns[] = {
    COLUMN_TEXT_OF(struct block_row, plan_id, "plan_id in table plan"),
    COLUMN_OF(struct block_row, first_row, COLUMN_I64, "", "first row of the block, from 0"),
    COLUMN_OF(struct block_row, rows, COLUMN_I64, "", "rows of the block"),
    COLUMN_OF(struct block_row, nnz, COLUMN_I64, "", "nonzeros of the block"),
    COLUMN_OF(struct block_row, first_strip, COLUMN_I64, "", "first strip of the block, from 1"),
    COLUMN_OF(struct block_row, last_strip, COLUMN_I64, "", "last strip of the block, from 1"),
    COLUMN_TEXT_OF(struct block_row, config, "configuration of the block"),
    COLUMN_OF(struct block_row, time_us, COLUMN_F64, "us", "forecast time of the block"),
    COLUMN_TEXT_OF(struct block_row, status, "ok or extrapolated"),
    COLUMN_OF(struct block_row, low_us, COLUMN_F64, "us",
              "lower end of the 90 % interval of time_us; NaN: no interval"),
    COLUMN_OF(struct block_row, high_us, COLUMN_F64, "us", "upper end of the interval"),
};
const struct schema block_schema = SCHEMA_OF(struct block_row, "blocks", block_columns);

static const struct column single_columns[] = {
    COLUMN_TEXT_OF(struct single_row, config, "configuration for the whole matrix"),
    COLUMN_OF(struct single_row, time_us, COLUMN_F64, "us", "forecast time of the configuration"),
    COLUMN_TEXT_OF(struct single_row, status, "ok or extrapolated"),
};
const struct schema single_schema = SCHEMA_OF(struct single_row, "singles", single_columns);

/* ---- identity */
static void identify(struct plan *p)
{
    struct plan_row *r = &p->row;
    struct hash *hash = hash_begin();
    const struct wordtext precision = word_text(&precision_words, r->precision),
                          cache = word_text(&cache_words, r->cache);
    char *line = xasprintf("%s|%s|%s|%s|%s|%s|%s|%" PRId64, r->matrix_id, r->device_key, r->profile_sha256, r->model,
                           precision.text, cache.text, r->exec, r->blocks);

    hash_add(hash, line, strlen(line));
    free(line);
    for (int64_t i = 0; i < r->blocks; i++) {
        const struct block_row *b = &p->block[i];
        line = xasprintf("|%" PRId64 ",%" PRId64 ",%s,%.17g", b->first_row, b->rows, b->config, b->time_us);
        hash_add(hash, line, strlen(line));
        free(line);
    }
    hash_end(hash, r->plan_id);
    for (int64_t i = 0; i < r->blocks; i++)
        TEXT_SET(p->block[i].plan_id, r->plan_id);
}

void plan_config(const struct plan_row *r, char text[CONFIG_LEN])
{
    snprintf(text, CONFIG_LEN, "plan:exec=%s,blocks=%" PRId64 ",id=%.12s", r->exec, r->blocks, r->plan_id);
}

/* ---- writing */
int plan_store(const char *path, struct plan *p, const char *profile_path, char why[ERRLEN])
{
    struct archive *a;
    int result = hash_file(profile_path, p->row.profile_sha256, why);

    if (result != 0)
        return result;
    identify(p);
    result = archive_create(path, "plan", &a, why);
    if (result != 0)
        return result;
    result = archive_add_input(a, profile_path, p->row.profile_sha256, "profile", why);
    if (result == 0)
        result = archive_add_input(a, p->row.matrix, p->row.matrix_id, "matrix", why);
    if (result == 0)
        result = archive_put(a, &plan_schema, &p->row, 1, why);
    if (result == 0)
        result = archive_put(a, &block_schema, p->block, p->row.blocks, why);
    if (result == 0)
        result = archive_put(a, &single_schema, p->single, p->nsingles, why);
    if (result != 0) {
        archive_abandon(a);
        return result;
    }
    return archive_commit(a, why);
}

/* ---- reading */
static int damaged(char why[ERRLEN], const char *path, const char *what)
{
    fail(why, "%s is damaged: %s; make a new plan with spmv-plan", path, what);
    return ARCHIVE_DAMAGED;
}

static int check(const char *path, const struct plan *p, int64_t plans, int64_t blocks, char why[ERRLEN])
{
    int64_t row = 0, nnz = 0;
    char inner[ERRLEN], what[2 * ERRLEN];

    if (plans != 1)
        return damaged(why, path, "table plan does not have exactly one row");
    if (blocks != p->row.blocks) {
        snprintf(what, sizeof what, "table blocks has %" PRId64 " rows, expected %" PRId64, blocks, p->row.blocks);
        return damaged(why, path, what);
    }
    for (int64_t i = 0; i < blocks; i++) {
        const struct block_row *b = &p->block[i];
        if (b->first_row != row || b->rows <= 0 || b->rows > p->row.rows - row || b->nnz < 0) {
            snprintf(what, sizeof what,
                     "block %" PRId64 " has %" PRId64 " rows from row %" PRId64
                     ", expected at least 1 from row %" PRId64 " of %" PRId64,
                     i + 1, b->rows, b->first_row, row, p->row.rows);
            return damaged(why, path, what);
        }
        if (!config_known(b->config, inner)) {
            snprintf(what, sizeof what, "block %" PRId64 ": %s", i + 1, inner);
            return damaged(why, path, what);
        }
        row += b->rows;
        nnz += b->nnz;
    }
    if (row == p->row.rows && nnz == p->row.nnz)
        return 0;
    snprintf(what, sizeof what,
             "the blocks have %" PRId64 " rows and %" PRId64 " nonzeros, but the matrix has %" PRId64 " and %" PRId64,
             row, nnz, p->row.rows, p->row.nnz);
    return damaged(why, path, what);
}

int plan_load(const char *path, struct plan *p, char why[ERRLEN])
{
    struct archive *a;
    struct plan_row *row = NULL;
    int64_t plans = 0, blocks = 0;
    int result = archive_open(path, "plan", &a, why);

    *p = (struct plan){ 0 };
    if (result != 0)
        return result;
    result = archive_get(a, &plan_schema, (void **)&row, &plans, why);
    if (result == 0)
        result = archive_get(a, &block_schema, (void **)&p->block, &blocks, why);
    if (result == 0)
        result = archive_get_any(a, &single_schema, (void **)&p->single, &p->nsingles, why);
    archive_close(a);
    if (result == 0) {
        if (plans > 0)
            p->row = row[0];
        result = check(path, p, plans, blocks, why);
    }
    free(row);
    if (result == 0) {
        char id[ID_LEN];
        memcpy(id, p->row.plan_id, sizeof id);
        identify(p);
        if (strcmp(id, p->row.plan_id) != 0)
            result = damaged(why, path, "plan_id does not match the plan and its blocks");
    }
    if (result != 0)
        plan_free(p);
    return result;
}

void plan_free(struct plan *p)
{
    free(p->block);
    free(p->single);
    *p = (struct plan){ 0 };
}
