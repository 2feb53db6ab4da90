/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes a plan with given blocks, for tests of programs that execute plans:
 *   plan_made OUT.h5 PROFILE.h5 MATRIX EXEC[/PRECISION[/MODEL]] ROWS:CONFIG...     ROWS: end of the block, or "end" */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "archive/archive.h"
#include "input/matrix.h"
#include "profile/profile.h"
#include "runs/planfile.h"

int main(int argc, char **argv)
{
    char why[ERRLEN];
    struct matrix m;
    struct profile p;
    struct plan plan = { .row = { .strip_rows = 32 } };

    if (argc < 6 || matrix_read(argv[3], &m, why) || profile_load(argv[2], &p, why))
        die("plan_made: %s", argc < 6 ? "too few operands" : why);
    archive_set_command(argc, argv, true);
    struct plan_row *r = &plan.row;
    r->rows = m.csr.rows;
    r->cols = m.csr.cols;
    r->nnz = m.csr.nnz;
    r->blocks = argc - 5;
    r->strips = (r->rows + 31) / 32;
    r->single_us = 100;
    TEXT_SET(r->matrix, m.name);
    TEXT_SET(r->matrix_id, m.matrix_id);
    TEXT_SET(r->device_key, p.device_key);
    TEXT_SET(r->profile, "made");
    char *slash = strchr(argv[4], '/'), *model = slash ? strchr(slash + 1, '/') : NULL;
    if (slash)
        *slash = 0;
    if (model)
        *model = 0;
    TEXT_SET(r->model, model ? model + 1 : "none");
    r->precision = word_number(&precision_words, slash ? slash + 1 : "f64");
    r->cache = WARM;
    TEXT_SET(r->exec, argv[4]);
    TEXT_SET(r->single, "csr-scalar");
    plan.block = xcalloc((unsigned long)r->blocks, sizeof *plan.block);
    for (int64_t i = 0, first = 0; i < r->blocks; i++) {
        struct block_row *b = &plan.block[i];
        char *colon = strchr(argv[5 + i], ':');
        if (!colon)
            die("plan_made: %s is not ROWS:CONFIG", argv[5 + i]);
        const int64_t end = strncmp(argv[5 + i], "end:", 4) != 0 ? strtoll(argv[5 + i], NULL, 10) : r->rows;
        b->first_row = first;
        b->rows = end - first;
        b->nnz = m.csr.row_ptr[end] - m.csr.row_ptr[first];
        b->time_us = 10;
        r->time_us += b->time_us;
        TEXT_SET(b->config, colon + 1);
        TEXT_SET(b->status, "ok");
        first = end;
    }
    if (plan_store(argv[1], &plan, argv[2], why))
        die("%s", why);
    plan_free(&plan);
    profile_free(&p);
    matrix_free(&m);
    return 0;
}
