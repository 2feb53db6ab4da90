/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans as tables: what spmv-plan writes (an archive of kind plan) and spmv-execute carries out; a run archive keeps
 * the plans whose times it holds in the same tables. "plan": one row a plan; "blocks": its blocks; "singles" (kind plan
 * only): what was forecast of configurations that take the matrix whole. */
#ifndef SPMVCAST_RUNS_PLANFILE_H
#define SPMVCAST_RUNS_PLANFILE_H
#include "archive/table.h"
#include "formats/config.h"
#include "matrix/csr_matrix.h"

struct plan_row {
    char plan_id[ID_LEN]; /* SHA-256 of what it is made for and of its blocks with their forecasts */
    char matrix[128], matrix_id[ID_LEN], device_key[160], profile[64], profile_sha256[ID_LEN], model[32], precision[4],
        cache[8], exec[12];
    int64_t rows, cols, nnz, strip_rows, strips, blocks;
    double time_us;   /* forecast of the whole plan */
    double single_us; /* forecast of the best single configuration */
    char single[CONFIG_LEN];
    double low_us, high_us; /* 90 % interval of time_us; NaN: none */
};

struct block_row {
    char plan_id[ID_LEN];
    int64_t first_row, rows, nnz, first_strip, last_strip;
    char config[CONFIG_LEN]; /* resolved for the block */
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

/* A plan in memory; block: [row.blocks]. */
struct plan {
    struct plan_row row;
    struct block_row *block;
    int64_t nsingles;
    struct single_row *single;
};

/* Fills row.profile_sha256 and every plan_id, writes the archive. */
int plan_store(const char *path, struct plan *, const char *profile_path, char why[ERRLEN]);
/* What archive_open says, or: damaged (blocks that do not cover the rows one after another, a configuration that is
 * none). */
int plan_load(const char *path, struct plan *, char why[ERRLEN]);
void plan_free(struct plan *);
/* The name that a plan's rows have in the place of a configuration: "plan:exec=serial,blocks=3,id=0123456789ab". */
void plan_config(const struct plan_row *, char text[CONFIG_LEN]);
#endif
