/* SPDX-License-Identifier: BSD-3-Clause */
/* stacked OUT.h5 RECIPE...: writes a matrix of unlike parts, the rows of the recipes stacked on one another. */
#include "archive/archive.h"
#include "input/matrix.h"
#include "stack.h"

int main(int argc, char **argv)
{
    char why[ERRLEN];
    struct matrix m = { .field = "pattern" };

    if (argc < 3)
        die("stacked OUT.h5 RECIPE...");
    archive_set_command(argc, argv, true);
    stack_recipes((const char *const *)argv + 2, &m.csr);
    for (int64_t k = 0; k < m.csr.nnz; k++)
        m.csr.val[k] = 1.0;
    if (matrix_write(argv[1], &m, why) != 0)
        die("%s", why);
    matrix_free(&m);
    return 0;
}
