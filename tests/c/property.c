/* SPDX-License-Identifier: BSD-3-Clause */
/* Multiplies random matrices (random_matrix.h), and ranges and parts of their rows, with every layout and kernel on the
 * CPU, and checks y, a repeated y, the y of the host and the bytes. "property run" prints "ok run, N checks" or fails
 * with the seed and parameters that regenerate the matrix. "property digest" prints a number that is the same if every
 * y has the same bits. "property show" prints for each matrix its text, rows, columns, entries, empty rows, longest
 * row, explicit zeros and hash. */
#include <inttypes.h>
#include <omp.h>
#include "cpu.h"
#include "random_matrix.h"

/* Tests some of the rows without a few entries at both ends of each, as in the views of composites and plans. */
static void check_parts(const struct random_matrix *m, const struct csr *a)
{
    const int64_t first = a->rows > 0 ? random_draw(m, OF_VIEW, 0, 0) % (a->rows + 1) : 0,
                  rows = random_draw(m, OF_VIEW, 0, 1) % (a->rows - first + 1);
    int64_t *begin = xmalloc((unsigned long)(rows + 1) * sizeof *begin),
            *end = xmalloc((unsigned long)(rows + 1) * sizeof *end), nnz = 0;
    const struct csr_view view = { rows, a->cols, begin, end, a->col, a->val, 0 };
    char *name = xasprintf("%s, parts of %" PRId64 " rows from %" PRId64, m->text, rows, first), why[ERRLEN];
    struct csr copy;

    for (int64_t i = 0; i < rows; i++) {
        const int64_t length = a->row_ptr[first + i + 1] - a->row_ptr[first + i],
                      head = random_draw(m, OF_VIEW, i, 2) % 3, tail = random_draw(m, OF_VIEW, i, 3) % 3;
        begin[i] = a->row_ptr[first + i] + (head < length ? head : length);
        end[i] = a->row_ptr[first + i + 1] - tail > begin[i] ? a->row_ptr[first + i + 1] - tail : begin[i];
        nnz += end[i] - begin[i];
    }
    if (csr_alloc(&copy, rows, a->cols, nnz, why) != 0)
        die("%s", why);
    copy.row_ptr[0] = 0;
    for (int64_t i = 0; i < rows; i++) {
        const int64_t length = end[i] - begin[i];
        for (int64_t e = 0; e < length; e++) {
            copy.col[copy.row_ptr[i] + e] = a->col[begin[i] + e];
            copy.val[copy.row_ptr[i] + e] = a->val[begin[i] + e];
        }
        copy.row_ptr[i + 1] = copy.row_ptr[i] + length;
    }
    check_view(name, &view, &copy, EXTENT_DEFAULT);
    csr_free(&copy);
    free(name);
    free(begin);
    free(end);
}

static void check(const struct random_matrix *m, const struct csr *a)
{
    char why[ERRLEN];

    if (csr_check(a, why) != 0)
        die("%s: %s", m->text, why);
    omp_set_num_threads(m->threads);
    check_rows(m->text, a, 0, a->rows, EXTENT_DEFAULT);
    if (m->seed % 4 == 0)
        check_parts(m, a);
}

static void show(const struct random_matrix *m, const struct csr *a)
{
    int64_t empty = 0, longest = 0, zeros = 0;
    char id[ID_LEN];

    for (int64_t i = 0; i < a->rows; i++) {
        const int64_t length = a->row_ptr[i + 1] - a->row_ptr[i];
        empty += length == 0;
        longest = length > longest ? length : longest;
    }
    for (int64_t k = 0; k < a->nnz; k++)
        zeros += !(fabs(a->val[k]) > 0);
    csr_matrix_id(a, id);
    printf("%s\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%s\n", m->text, a->rows,
           a->cols, a->nnz, empty, longest, zeros, id);
}

int main(int argc, char **argv)
{
    error_program("property");
    if (argc == 2 && strcmp(argv[1], "show") == 0) {
        each_random_matrix(show);
        return EXIT_OK;
    }
    const bool bits = argc == 2 && strcmp(argv[1], "digest") == 0;
    if (!bits && (argc != 2 || strcmp(argv[1], "run") != 0))
        die("property run|digest|show");
    each_random_matrix(check);
    if (bits)
        printf("%016" PRIx64 "\n", digest);
    else
        printf("ok run, %ld checks\n", checks);
    return EXIT_OK;
}
