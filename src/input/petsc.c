/* SPDX-License-Identifier: BSD-3-Clause */
/* Sparse matrices in PETSc's binary files (MatView with PetscViewerBinaryOpen; src/mat/impls/aij/seq/aij.c of PETSc): all numbers
 * big-endian: class, rows, columns, entries, length of each row, columns, values. Integers of 32 bits or, from PETSc built for
 * such, 64 bits; values float64 or, from PETSc built for such, complex. Objects that follow are ignored, and so is FILE.info. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "input/arrays.h"
#include "input/binary.h"
#include "input/reader.h"

enum { CLASSES = 1211211, VECTOR = 1211214, MATRIX = 1211216, LAST_CLASS = 1211240, DENSE = -1, MANY = INT32_MAX };
static const char values_are[] = "the values of the entries";

struct petsc {
    struct binary b;
    struct number integer;
    int64_t rows, cols, entries;
};

static uint32_t big_endian(const char *at)
{
    const unsigned char *b = (const unsigned char *)at;
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

/* Returns the class of the object that begins at these 8 bytes, 0 if none does; *bytes: those of an integer. */
static uint32_t class_at(const char *at, int *bytes)
{
    const uint32_t first = big_endian(at), second = big_endian(at + 4);
    *bytes = first == 0 ? 8 : 4;
    const uint32_t class = first == 0 ? second : first;
    return class >= CLASSES && class <= LAST_CLASS ? class : 0;
}

static int open_header(struct input *in, struct petsc *p, char why[ERRLEN])
{
    int64_t v[4];
    *p = (struct petsc){ .integer = { NUMBER_SIGNED, 4, true, false } };
    binary_open(in, 1, &p->b);
    const uint32_t class = class_at(in->head, &p->integer.bytes);
    if (class != MATRIX)
        return fail(why, "%s: a PETSc file that begins with %s, expected a matrix (MatView)", p->b.path,
                    class == VECTOR ? "a vector"
                    : class         ? "another object"
                                    : "no object");
    const int status = binary_numbers(&p->b, p->integer, 4, AS_INT64, v, "the header", why);
    if (status)
        return status;
    if (v[3] == DENSE)
        return fail(why, "%s: a dense matrix of PETSc; convert it with MatConvert to MATAIJ", p->b.path);
    if (v[1] < 0 || v[1] > INT32_MAX || v[2] < 0 || v[2] > INT32_MAX || v[3] < 0)
        return fail(why,
                    "%s: a matrix of %" PRId64 " x %" PRId64 " with %" PRId64
                    " entries; expected 0 to 2147483647 rows and columns",
                    p->b.path, v[1], v[2], v[3]);
    p->rows = v[1];
    p->cols = v[2];
    p->entries = v[3];
    return 0;
}

/* Reads the lengths of the rows. PETSc of 32 bits writes MANY for larger numbers of entries. */
static int read_lengths(struct petsc *p, int64_t **pointers, char why[ERRLEN])
{
    int64_t *at = *pointers = malloc((size_t)(p->rows + 1) * sizeof *at), sum = 0;
    if (!at)
        return memory_failed(8 * (double)p->rows, why, "%s: not enough memory for %" PRId64 " rows", p->b.path,
                             p->rows);
    const int status = binary_numbers(&p->b, p->integer, p->rows, AS_INT64, at, "the lengths of the rows", why);
    if (status)
        return status;
    for (int64_t i = 0; i < p->rows; i++) {
        const int64_t length = at[i];
        if (length < 0 || length > INT64_MAX / 32 - sum)
            return fail(why, "%s: row %" PRId64 " (counted from 0) has length %" PRId64, p->b.path, i, length);
        at[i] = sum;
        sum += length;
    }
    at[p->rows] = sum;
    if (p->entries == MANY && p->integer.bytes == 4 && sum > MANY)
        p->entries = sum;
    return 0;
}

/* Reads what follows the values: nothing, another object or, if values are complex, the second half of them. */
static int read_rest(struct petsc *p, const struct input *in, double *values, char why[ERRLEN])
{
    enum { BYTES = 8 };
    char next[BYTES] = { 0 };
    int64_t got;
    int bytes;
    int status = binary_some(&p->b, next, BYTES, &got, why);
    if (status || got == 0)
        return status;
    if (class_at(next, &bytes) || p->entries == 0)
        return binary_drain(&p->b, why);
    double *second = malloc((size_t)p->entries * sizeof *second);
    if (!second)
        return memory_failed(8 * (double)p->entries, why, "%s: not enough memory for %" PRId64 " complex values",
                             p->b.path, p->entries);
    uint64_t first;
    memcpy(&first, next, sizeof first);
    first = __builtin_bswap64(first);
    memcpy(second, &first, sizeof *second);
    status = got < BYTES ? FAIL
                         : binary_numbers(&p->b, (struct number){ NUMBER_REAL, BYTES, true, false }, p->entries - 1,
                                          AS_DOUBLE, second + 1, values_are, why);
    if (status && !in->broken)
        fail(why, "%s: found neither the end nor another object of PETSc after %" PRId64 " values of the matrix",
             p->b.path, p->entries);
    if (!status)
        status = binary_complex(p->b.path, in->real_part, why);
    for (int64_t k = 0; !status && k < p->entries; k++)
        values[k] = 2 * k < p->entries ? values[2 * k] : second[2 * k - p->entries];
    free(second);
    return status ? status : binary_drain(&p->b, why);
}

static int read_body(struct petsc *p, const struct input *in, struct csr *a, struct coo_repeats *repeats,
                     char why[ERRLEN])
{
    const double entry = p->integer.bytes + (double)sizeof(double);
    int64_t *pointers = NULL;
    int status = binary_hold(&p->b, p->rows, p->integer.bytes, "rows", why);
    if (!status && (p->entries != MANY || p->integer.bytes > 4))
        status = binary_hold(&p->b, p->entries, entry, "entries", why);
    if (!status)
        status = arrays_fit(p->b.path, p->rows, p->cols, p->entries, COO_GENERAL, true, why);
    if (!status)
        status = read_lengths(p, &pointers, why);
    struct arrays r = { .path = p->b.path,
                        .kind = "",
                        .pointers_are = "the sum of the row lengths",
                        .minors_are = "columns",
                        .entries_are = "the number of entries in the header",
                        .rows = p->rows,
                        .cols = p->cols,
                        .entries = p->entries,
                        .listed = p->rows,
                        .pointers = pointers };
    if (!status && pointers[p->rows] != p->entries)
        status = arrays_check(&r, why);
    if (!status)
        status = binary_hold(&p->b, p->entries, entry, "entries", why);
    if (!status)
        status = csr_alloc(a, p->rows, p->cols, p->entries, why);
    if (!status) {
        memcpy(a->row_ptr, pointers, (size_t)(p->rows + 1) * sizeof *pointers);
        status = binary_numbers(&p->b, p->integer, p->entries, AS_INT32, a->col, "the columns of the entries", why);
    }
    free(pointers);
    if (!status)
        status = binary_numbers(&p->b, (struct number){ NUMBER_REAL, sizeof(double), true, false }, p->entries,
                                AS_DOUBLE, a->val, values_are, why);
    if (!status)
        status = read_rest(p, in, a->val, why);
    r.pointers = a->row_ptr;
    r.minors = a->col;
    if (!status)
        status = arrays_check(&r, why);
    if (!status)
        coo_tidy_rows(a, repeats);
    return status;
}

static int petsc_read(struct input *in, struct matrix *m, char why[ERRLEN])
{
    struct petsc p;
    int status = open_header(in, &p, why);
    if (!status)
        status = read_body(&p, in, &m->csr, &m->repeats, why);
    matrix_base_name(input_named(in), m->name, sizeof m->name);
    matrix_text(m->field, sizeof m->field, "real");
    return status;
}

static int petsc_peek(struct input *in, struct matrix_header *h, char why[ERRLEN])
{
    struct petsc p;
    const int status = open_header(in, &p, why);
    if (status)
        return status;
    *h = (struct matrix_header){ .rows = p.rows, .cols = p.cols, .nnz_stored = p.entries };
    matrix_base_name(input_named(in), h->name, sizeof h->name);
    return 0;
}

static enum claim petsc_recognises(const struct input *in)
{
    int bytes;
    if (in->form != INPUT_BYTES)
        return CLAIM_NO;
    return class_at(in->head, &bytes) ? CLAIM_SURE : CLAIM_NO;
}

/* A vector of PETSc, stored next to its matrix. */
static bool petsc_left_out(struct input *in)
{
    int bytes;
    return class_at(in->head, &bytes) != MATRIX;
}

const struct reader petsc_reader = {
    .name = "petsc",
    .about = "a sparse matrix in a binary file of PETSc (.petsc)",
    .endings = (const struct ending[]){ { ".petsc", ENDING_STREAM }, { NULL, ENDING_STREAM } },
    .recognises = petsc_recognises,
    .peek = petsc_peek,
    .read = petsc_read,
    .left_out = petsc_left_out,
};
