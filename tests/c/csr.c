/* SPDX-License-Identifier: BSD-3-Clause */
/* "csr CASE" breaks a valid 3 x 4 matrix in one way and prints the message of csr_check; with the case "good" it prints
 * the ids and the product of the intact matrix. "csr entries FILE" prints every entry of a matrix as a line "ROW COLUMN
 * VALUE", counted from 1; it exits with 1 if csr_check finds a fault. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "input/matrix.h"

static int print_entries(const char *path)
{
    struct matrix m;
    char why[ERRLEN];

    if (matrix_read(path, &m, why) || csr_check(&m.csr, why))
        die("%s", why);
    for (int64_t i = 0; i < m.csr.rows; i++)
        for (int64_t k = m.csr.row_ptr[i]; k < m.csr.row_ptr[i + 1]; k++)
            printf("%" PRId64 " %" PRId32 " %.17g\n", i + 1, m.csr.col[k] + 1, m.csr.val[k]);
    matrix_free(&m);
    return EXIT_OK;
}

struct broken {
    const char *name;
    int64_t row, ptr;
    int64_t at;
    int32_t col;
};

int main(int argc, char **argv)
{
    static const struct broken cases[] = {
        { "good", -1, 0, -1, 0 }, { "decrease", 2, 1, -1, 0 }, { "start", 0, 1, -1, 0 },    { "end", 3, 5, -1, 0 },
        { "low", -1, 0, 2, -1 },  { "high", -1, 0, 3, 4 },     { "unsorted", -1, 0, 2, 3 }, { "twice", -1, 0, 1, 0 },
    };
    char why[ERRLEN], id[ID_LEN], pattern[ID_LEN];
    struct csr a;
    if (argc == 3 && strcmp(argv[1], "entries") == 0)
        return print_entries(argv[2]);
    for (size_t k = 0; argc == 2 && k < sizeof cases / sizeof *cases; k++) {
        if (strcmp(argv[1], cases[k].name) != 0)
            continue;
        if (csr_alloc(&a, 3, 4, 4, why))
            die("%s", why);
        memcpy(a.row_ptr, (int64_t[]){ 0, 2, 2, 4 }, 4 * sizeof *a.row_ptr);
        memcpy(a.col, (int32_t[]){ 0, 2, 1, 3 }, 4 * sizeof *a.col);
        memcpy(a.val, (double[]){ 1, 2, 0, -4 }, 4 * sizeof *a.val);
        if (cases[k].row >= 0)
            a.row_ptr[cases[k].row] = cases[k].ptr;
        if (cases[k].at >= 0)
            a.col[cases[k].at] = cases[k].col;
        if (csr_check(&a, why)) {
            printf("%s\n", why);
            csr_free(&a);
            return EXIT_FAILED;
        }
        double x[4] = { 1, 10, 100, 1000 }, y[3];
        csr_spmv_reference(&a, x, y);
        struct csr_view middle = csr_view_rows(&a, 1, 3);
        csr_matrix_id(&a, id);
        csr_pattern_id(&a, pattern);
        printf("%g %g %g %" PRId64 "\n%s\n%s\n", y[0], y[1], y[2], csr_view_nnz(&middle), id, pattern);
        csr_free(&a);
        return EXIT_OK;
    }
    die("no such case");
}
