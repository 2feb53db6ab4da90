/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans as tables. spmv-plan writes an archive of kind plan, and spmv-execute executes it; a run archive has the
 * plans that it measured in the same tables. "plan": one row per plan; "blocks": the blocks of all plans; "singles"
 * (kind plan only): forecasts of single configurations for the whole matrix. */
#ifndef SPMVCAST_RUNS_PLANFILE_H
#define SPMVCAST_RUNS_PLANFILE_H
#include "archive/schema.h"
#include "formats/config.h"
#include "matrix/csr_matrix.h"

struct plan_row {
    char plan_id[ID_LEN]; /* SHA-256 of the target, the model and the blocks with their forecasts */
    char matrix[128], matrix_id[ID_LEN], device_key[160], profile[64], profile_sha256[ID_LEN], model[32], exec[12];
    int64_t precision, cache;
    int64_t rows, cols, nnz, strip_rows, strips, blocks;
    double time_us;   /* forecast of the whole plan */
    double single_us; /* forecast of the best single configuration */
    char single[CONFIG_LEN];
    double low_us, high_us; /* 90 % interval of time_us; NaN: no interval */
};

struct block_row {
    char plan_id[ID_LEN];
    int64_t first_row, rows, nnz, first_strip, last_strip;
    char config[CONFIG_LEN]; /* all keys are resolved for the block */
    double time_us;
    char status[16]; /* ok | extrapolated */
    double low_us, high_us;
};

struct single_row {
    char config[CONFIG_LEN];
    double time_us;
    char status[16];
};

extern const struct schema plan_schema, block_schema, single_schema;

/* A plan in memory. block: [row.blocks]; single: [nsingles]. */
struct plan {
    struct plan_row row;
    struct block_row *block;
    int64_t nsingles;
    struct single_row *single;
};

/* Sets row.profile_sha256 and every plan_id, and writes the archive. Returns 0, or an error of hash_file or the
 * archive functions (why). */
int plan_store(const char *path, struct plan *, const char *profile_path, char why[ERRLEN]);
/* Reads an archive of kind plan. Returns the statuses of archive_open; ARCHIVE_DAMAGED also if the blocks do not
 * cover the rows in order, a configuration is invalid, or plan_id does not match. */
int plan_load(const char *path, struct plan *, char why[ERRLEN]);
void plan_free(struct plan *);
/* Prints the config column of a plan's rows: "plan:exec=serial,blocks=3,id=0123456789ab". */
void plan_config(const struct plan_row *, char text[CONFIG_LEN]);
#endif
