/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes a plan: its blocks, what it was made for, and the profile by its hash. */
#include "common/archive.h"
#include "common/hash.h"
#include "plan/planfile.h"

static const struct column plan_columns[] = {
    COLUMN_TEXT_OF(struct plan_row, matrix, "name of the matrix"),
    COLUMN_TEXT_OF(struct plan_row, matrix_id, "SHA-256 of the matrix"),
    COLUMN_TEXT_OF(struct plan_row, device_key, "device of the profile"),
    COLUMN_TEXT_OF(struct plan_row, profile, "name of the profile"),
    COLUMN_TEXT_OF(struct plan_row, model, "whose forecasts"),
    COLUMN_TEXT_OF(struct plan_row, precision, "f32 or f64"),
    COLUMN_TEXT_OF(struct plan_row, cache, "warm or cold"),
    COLUMN_TEXT_OF(struct plan_row, exec, "serial: blocks one after another, times add up"),
    COLUMN_OF(struct plan_row, rows, COLUMN_I64, "", "rows of the matrix"),
    COLUMN_OF(struct plan_row, cols, COLUMN_I64, "", "columns"),
    COLUMN_OF(struct plan_row, nnz, COLUMN_I64, "", "nonzeros"),
    COLUMN_OF(struct plan_row, strip_rows, COLUMN_I64, "", "rows of a strip"),
    COLUMN_OF(struct plan_row, strips, COLUMN_I64, "", "strips of the matrix"),
    COLUMN_OF(struct plan_row, blocks, COLUMN_I64, "", "blocks of the plan"),
    COLUMN_OF(struct plan_row, time_us, COLUMN_F64, "us", "forecast time of the plan"),
    COLUMN_OF(struct plan_row, single_us, COLUMN_F64, "us", "forecast time of the best single configuration"),
    COLUMN_TEXT_OF(struct plan_row, single, "the best single configuration"),
};
static const struct schema plan_schema = SCHEMA_OF(struct plan_row, "plan", plan_columns);

static const struct column block_columns[] = {
    COLUMN_OF(struct block_row, first_row, COLUMN_I64, "", "first row of the block, from 0"),
    COLUMN_OF(struct block_row, rows, COLUMN_I64, "", "rows of the block"),
    COLUMN_OF(struct block_row, nnz, COLUMN_I64, "", "nonzeros of the block"),
    COLUMN_OF(struct block_row, first_strip, COLUMN_I64, "", "first strip, from 1"),
    COLUMN_OF(struct block_row, last_strip, COLUMN_I64, "", "last strip, from 1"),
    COLUMN_TEXT_OF(struct block_row, config, "how the block is multiplied"),
    COLUMN_OF(struct block_row, time_us, COLUMN_F64, "us", "forecast time of the block"),
    COLUMN_TEXT_OF(struct block_row, status, "ok or extrapolated"),
};
static const struct schema block_schema = SCHEMA_OF(struct block_row, "blocks", block_columns);

int planfile_store(const char *path, const struct plan_row *plan, const struct block_row *blocks, const char *profile_path, char why[ERRLEN])
{
    struct archive *a;
    char sha256[65];
    int result = archive_create(path, "plan", &a, why);
    if (result != 0)
        return result;
    result = hash_file(profile_path, sha256, why);
    if (result == 0)
        result = archive_add_input(a, profile_path, sha256, "profile", why);
    if (result == 0)
        result = archive_add_input(a, plan->matrix, plan->matrix_id, "matrix", why);
    if (result == 0)
        result = archive_put(a, &plan_schema, plan, 1, why);
    if (result == 0)
        result = archive_put(a, &block_schema, blocks, plan->blocks, why);
    if (result != 0) {
        archive_abandon(a);
        return result;
    }
    return archive_commit(a, why);
}
