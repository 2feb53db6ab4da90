/* SPDX-License-Identifier: BSD-3-Clause */
/* run_keys RUN.h5 [sources|samples]: prints the rows of a run archive, one per line: their keys and outcomes. With
 * "sources" prints the sources instead: id, name, role, nonzeros, number of distinct row lengths; with "samples" only
 * the number of samples of all rows, dropped ones included. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "runs/rows.h"

int main(int argc, char **argv)
{
    struct runs r = { 0 };
    char why[ERRLEN];

    if (argc < 2 || runs_load(argv[1], &r, why))
        die("%s", argc < 2 ? "run_keys RUN.h5 [sources|samples]" : why);
    if (argc > 2 && strcmp(argv[2], "samples") == 0) {
        int64_t n = 0;
        for (int64_t i = 0; i < r.nrows; i++)
            n += r.rows[i].samples + r.rows[i].dropped;
        printf("%" PRId64 "\n", n);
    } else if (argc > 2)
        for (int64_t i = 0; i < r.nmatrices; i++)
            printf("%s %s %s %" PRId64 " %d\n", r.matrices[i].source_id, r.matrices[i].matrix, r.matrices[i].role,
                   r.features[i].nnz, r.features[i].lengths[0].n);
    else
        for (int64_t i = 0; i < r.nrows; i++) {
            const struct run_row *o = &r.rows[i];
            printf("%s %s %s %s %s %" PRId64 " %s\n", o->source_id, o->config, precision_name(o->precision),
                   cache_name(o->cache), o->device_key, o->revision, o->outcome);
        }
    runs_free(&r);
    return fflush(stdout) ? 1 : 0;
}
