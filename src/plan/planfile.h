/* SPDX-License-Identifier: BSD-3-Clause */
/* The archive of a plan (kind plan): one row of table "plan", the blocks in table "blocks". */
#ifndef SPMVCAST_PLANFILE_H
#define SPMVCAST_PLANFILE_H
#include "common/csr.h"
#include "common/table.h"
#include "formats/config.h"

struct plan_row {
    char matrix[128], matrix_id[ID_LEN], device_key[160], profile[64], model[32], precision[4], cache[8], exec[12];
    int64_t rows, cols, nnz, strip_rows, strips, blocks;
    double time_us;                     /* forecast of the whole plan */
    double single_us;                   /* forecast of the best single configuration */
    char single[CONFIG_LEN];
};

struct block_row {
    int64_t first_row, rows, nnz, first_strip, last_strip;
    char config[CONFIG_LEN];            /* resolved for the block */
    double time_us;
    char status[16];                    /* ok | extrapolated */
};

int planfile_store(const char *path, const struct plan_row *, const struct block_row *, const char *profile_path, char why[ERRLEN]);
#endif
