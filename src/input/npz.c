/* SPDX-License-Identifier: BSD-3-Clause */
/* Sparse matrices of SciPy in .npz (scipy.sparse.save_npz): a zip archive of arrays in NumPy's format (numpy.lib.format), stored or
 * deflated, in any order: format, shape, data, and of csr, csc and bsr indptr and indices, of coo row and col, of dia offsets.
 * As in SciPy, blocks of bsr count with their zeros and diagonals of dia without. */
#include <archive.h>
#include <archive_entry.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "input/arrays.h"
#include "input/npz_inside.h"
#include "input/reader.h"

static int need(const struct npz *z, int k, char why[ERRLEN])
{
    return z->array[k].n >= 0
               ? 0
               : fail(why, "%s: no array %s, required by format %s", z->path, npz_array_name(k), z->format);
}

/* Reads the members and checks what all formats have. */
static int npz_open(struct npz *z, struct input *in, bool header, char why[ERRLEN])
{
    static const struct {
        const char *name;
        int need[3];
    } formats[] = { { "csr", { DATA, INDICES, INDPTR } },
                    { "csc", { DATA, INDICES, INDPTR } },
                    { "bsr", { DATA, INDICES, INDPTR } },
                    { "coo", { DATA, ROW, COL } },
                    { "dia", { DATA, OFFSETS, OFFSETS } } };
    enum { FORMATS = sizeof formats / sizeof *formats };
    *z = (struct npz){ .in = in, .header = header };
    for (int k = 0; k < ARRAYS; k++)
        z->array[k].n = -1;
    int status = npz_read_arrays(z, why);
    if (status)
        return status;
    if (z->array[FORMAT].n < 0 || z->array[SHAPE].n < 0)
        return fail(why,
                    "%s: a NumPy archive without a sparse matrix (other arrays: %s); scipy.sparse.save_npz writes one",
                    z->path, z->others[0] ? z->others : "none");
    int f = 0;
    while (f < FORMATS && strcmp(formats[f].name, z->format) != 0)
        f++;
    if (f == FORMATS)
        return fail(why, "%s: format '%s', expected csr, csc, coo, bsr or dia", z->path, z->format);
    for (int k = 0; k < 3 && !header; k++)
        if (need(z, formats[f].need[k], why))
            return FAIL;
    const struct npz_array *shape = &z->array[SHAPE], *data = &z->array[DATA];
    const int rank = z->format[0] == 'b' ? 3 : z->format[0] == 'd' ? 2 : 1;
    if (shape->n != 2 || shape->wide[0] < 0 || shape->wide[0] > INT32_MAX || shape->wide[1] < 0
        || shape->wide[1] > INT32_MAX)
        return fail(why, "%s: shape: expected two integers from 0 to 2147483647", z->path);
    if (data->rank != rank)
        return fail(why, "%s: data has %d dimensions, expected %d in format %s", z->path, data->rank, rank, z->format);
    z->rows = shape->wide[0];
    z->cols = shape->wide[1];
    return data->complex ? binary_complex(z->path, in->real_part, why) : 0;
}

/* Moves the arrays of csr, csc and coo; of bsr, those of its blocks, without values. Arrays that the format does not have are left. */
static int take_arrays(struct npz *z, struct arrays *r, char why[ERRLEN])
{
    struct npz_array *const a = z->array;
    const bool coordinates = strcmp(z->format, "coo") == 0;
    const int64_t majors = r->by_columns ? r->cols : r->rows, stored = coordinates ? a[ROW].n : a[INDICES].n;
    if (coordinates ? npz_length(z, COL, stored, why) : npz_length(z, INDPTR, majors + 1, why))
        return FAIL;
    r->path = z->path;
    r->kind = "";
    r->pointers_are = "indptr";
    r->majors_are = "row";
    r->minors_are = coordinates ? "col" : "indices";
    r->entries_are = "at most the number of indices";
    r->listed = coordinates ? -1 : majors;
    /* SciPy may leave room after the last entry. */
    const int64_t used = coordinates ? stored : a[INDPTR].wide[majors];
    r->entries = used >= 0 && used < stored ? used : stored;
    r->majors = coordinates ? a[ROW].ints : NULL;
    r->minors = a[coordinates ? COL : INDICES].ints;
    r->pointers = coordinates ? NULL : a[INDPTR].wide;
    a[ROW].ints = coordinates ? NULL : a[ROW].ints;
    a[INDPTR].wide = coordinates ? a[INDPTR].wide : NULL;
    a[coordinates ? COL : INDICES].ints = NULL;
    return 0;
}

static int read_arrays(struct npz *z, struct matrix *m, char why[ERRLEN])
{
    struct arrays r = { .rows = z->rows, .cols = z->cols, .by_columns = strcmp(z->format, "csc") == 0 };
    if (take_arrays(z, &r, why) || npz_length(z, DATA, z->array[z->format[1] == 'o' ? COL : INDICES].n, why)) {
        arrays_free(&r);
        return FAIL;
    }
    r.values = z->array[DATA].reals;
    z->array[DATA].reals = NULL;
    const int status = arrays_fit(z->path, z->rows, z->cols, r.entries, COO_GENERAL, false, why);
    if (status)
        arrays_free(&r);
    return status ? status : arrays_to_csr(&r, &m->csr, &m->repeats, why);
}

/* Returns the element at i, j, k. */
static double element(const struct npz_array *a, int64_t i, int64_t j, int64_t k)
{
    return a->reals[a->by_columns ? i + a->dims[0] * (j + a->dims[1] * k) : (i * a->dims[1] + j) * a->dims[2] + k];
}

/* Expands the entries of blocks. */
static int read_blocks(struct npz *z, struct coo_list *list, char why[ERRLEN])
{
    const struct npz_array *data = &z->array[DATA];
    const int64_t high = data->dims[1], wide = data->dims[2];
    struct arrays r = { 0 };
    if (high < 1 || wide < 1 || z->rows % high || z->cols % wide)
        return fail(why, "%s: blocks of %" PRId64 " x %" PRId64 " in a matrix of %" PRId64 " x %" PRId64, z->path, high,
                    wide, z->rows, z->cols);
    r.rows = z->rows / high;
    r.cols = z->cols / wide;
    int status = npz_length(z, INDICES, data->dims[0], why);
    if (!status)
        status = take_arrays(z, &r, why);
    if (!status)
        status = arrays_check(&r, why);
    if (!status)
        status = arrays_fit(z->path, z->rows, z->cols, r.entries * high * wide, COO_GENERAL, false, why);
    struct coo_entry *e = NULL;
    if (!status && r.entries > 0 && !(e = coo_list_add(list, r.entries * high * wide)))
        status = arrays_no_memory(&r, why);
    for (int64_t I = 0; !status && I < r.rows; I++)
        for (int64_t b = r.pointers[I]; b < r.pointers[I + 1]; b++)
            for (int64_t i = 0; i < high; i++)
                for (int64_t j = 0; j < wide; j++)
                    *e++ = (struct coo_entry){ (int32_t)(I * high + i), (int32_t)(r.minors[b] * wide + j),
                                               element(data, b, i, j) };
    arrays_free(&r);
    return status;
}

/* Element j of a diagonal is in column j. */
static int read_diagonals(const struct npz *z, struct coo_list *list, char why[ERRLEN])
{
    struct npz_array data = z->array[DATA];
    const int64_t *offset = z->array[OFFSETS].wide;
    const int64_t width = data.dims[1] < z->cols ? data.dims[1] : z->cols;
    data.dims[2] = 1;
    if (npz_length(z, OFFSETS, data.dims[0], why))
        return FAIL;
    const int status = arrays_fit(z->path, z->rows, z->cols, data.n, COO_GENERAL, false, why);
    if (status)
        return status;
    for (int64_t d = 0; d < data.dims[0]; d++) {
        if (offset[d] < -z->rows || offset[d] > z->cols)
            return fail(why,
                        "%s: offsets: element %" PRId64 " (counted from 0) is %" PRId64
                        ", expected a diagonal of a matrix of %" PRId64 " x %" PRId64,
                        z->path, d, offset[d], z->rows, z->cols);
        const int64_t first = offset[d] > 0 ? offset[d] : 0,
                      end = z->rows + offset[d] < width ? z->rows + offset[d] : width;
        int64_t n = 0;
        for (int64_t j = first; j < end; j++)
            n += element(&data, d, j, 0) != 0;
        struct coo_entry *e = n > 0 ? coo_list_add(list, n) : NULL;
        if (n > 0 && !e)
            return memory_failed(0, why, "%s: not enough memory for %" PRId64 " entries", z->path, n);
        for (int64_t j = first; n > 0 && j < end; j++)
            if (element(&data, d, j, 0) != 0)
                *e++ = (struct coo_entry){ (int32_t)(j - offset[d]), (int32_t)j, element(&data, d, j, 0) };
    }
    return 0;
}

static int npz_read(struct input *in, struct matrix *m, char why[ERRLEN])
{
    struct npz z;
    struct coo_list list = { 0 };
    int status = npz_open(&z, in, false, why);
    const bool blocks = strcmp(z.format, "bsr") == 0, diagonals = strcmp(z.format, "dia") == 0;
    if (!status && !blocks && !diagonals)
        status = read_arrays(&z, m, why);
    else if (!status) {
        status = blocks ? read_blocks(&z, &list, why) : read_diagonals(&z, &list, why);
        if (!status)
            status = coo_list_to_csr(&list, COO_GENERAL, z.rows, z.cols, &m->csr, &m->repeats, why);
    }
    coo_list_free(&list);
    npz_free(&z);
    char label[512];
    input_label(in, label, sizeof label);
    input_note_rounded(label, status ? 0 : z.rounded);
    matrix_base_name(input_named(in), m->name, sizeof m->name);
    matrix_text(m->field, sizeof m->field, z.array[DATA].type.kind == NUMBER_REAL ? "real" : "integer");
    return status;
}

static int npz_peek(struct input *in, struct matrix_header *h, char why[ERRLEN])
{
    struct npz z;
    const int status = npz_open(&z, in, true, why);
    if (!status) {
        *h = (struct matrix_header){ .rows = z.rows, .cols = z.cols, .nnz_stored = z.array[DATA].n };
        matrix_base_name(input_named(in), h->name, sizeof h->name);
    }
    npz_free(&z);
    return status;
}

/* ---- reader interface -------------------------------------------------------------------------------------------- */
/* A zip archive whose first member is named as an array. */
static enum claim npz_recognises(const struct input *in)
{
    enum { LENGTH_AT = 26, NAME_AT = 30, LONGEST = 255 };
    static const char ending[] = ".npy";
    const size_t e = strlen(ending);
    if (in->form != INPUT_BYTES || memcmp(in->head, "PK\3\4", 4) != 0)
        return CLAIM_NO;
    const size_t n = (unsigned char)in->head[LENGTH_AT] | (size_t)(unsigned char)in->head[LENGTH_AT + 1] << 8;
    return n > e && n <= LONGEST && memcmp(in->head + NAME_AT + n - e, ending, e) == 0 ? CLAIM_SURE : CLAIM_NO;
}

const struct reader npz_reader = {
    .name = "npz",
    .about = "a sparse matrix of SciPy (.npz)",
    .endings = (const struct ending[]){ { ".npz", ENDING_STREAM }, { NULL, ENDING_STREAM } },
    .recognises = npz_recognises,
    .peek = npz_peek,
    .read = npz_read,
};
