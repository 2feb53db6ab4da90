/* SPDX-License-Identifier: BSD-3-Clause */
/* Sparse matrices in MATLAB's files of version 5 to 7 (MAT-File Format, MathWorks), of either byte order, compressed or not: a sparse
 * variable, or a structure with a sparse field A, as the SuiteSparse collection stores its matrices: Problem.A, with entries that are
 * zero in Problem.Zeros and the name in Problem.name. Elements follow each other: a tag (type, bytes), data, padding. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/arrays.h"
#include "input/mat5_inside.h"
#include "input/matlab.h"
#include "input/reader.h"

enum { HEADER = 128, ORDER_AT = 126, VERSION_AT = 124, FIELDS = 4096, FIELD = 64 };
enum { STRUCT = 2, SPARSE = 5, CLASS = 0xff, COMPLEX = 0x800 }; /* classes and flags of arrays */
extern const struct reader mat5_reader;

struct extent {
    int64_t rows, cols, entries;
};

/* The matrix that is looked for, and what was found. */
struct mat {
    const struct input *in;
    struct matlab_choice choice;
    bool header;    /* without the values */
    bool of_struct; /* it is the field of a structure */
    struct extent matrix, zeros;
    bool ones; /* all values are 1 */
    struct coo_list list;
    char name[128];
};

/* ---- sparse arrays ----------------------------------------------------------------------------------------------- */
/* Reads or, of a header, skips the pointers to columns; the last one is the number of entries. */
static int read_pointers(struct elements *s, int64_t end, bool header, struct arrays *r, char why[ERRLEN])
{
    struct element e;
    struct number t;
    int64_t last = 0;
    int status = mat5_numbers(s, end, true, &e, &t, "jc", why);
    if (status)
        return status;
    if (e.bytes / t.bytes != r->cols + 1)
        return fail(why, "%s: jc has %" PRId64 " elements, expected %" PRId64, s->b.path, e.bytes / t.bytes,
                    r->cols + 1);
    if (header) {
        status = binary_skip(&s->b, r->cols * t.bytes, "jc", why);
        if (!status)
            status = binary_numbers(&s->b, t, 1, AS_INT64, &last, "jc", why);
    } else if (!(r->pointers = malloc((size_t)(r->cols + 1) * sizeof *r->pointers)))
        status = arrays_no_memory(r, why);
    else if (!(status = binary_numbers(&s->b, t, r->cols + 1, AS_INT64, r->pointers, "jc", why)))
        last = r->pointers[r->cols];
    if (!status && (last < 0 || last > r->entries))
        return fail(why, "%s: jc ends at %" PRId64 ", expected at most the %" PRId64 " elements of ir", s->b.path, last,
                    r->entries);
    r->entries = last;
    return status ? status : mat5_finish(s, &e, e.bytes, "jc", why);
}

/* Reads real parts, and skips imaginary parts. */
static int read_values(struct elements *s, int64_t end, bool complex, struct arrays *r, char why[ERRLEN])
{
    struct element e;
    struct number t;
    int status = mat5_numbers(s, end, false, &e, &t, "pr", why);
    if (status)
        return status;
    if (e.bytes / t.bytes < r->entries)
        return fail(why, "%s: pr has %" PRId64 " elements, expected %" PRId64, s->b.path, e.bytes / t.bytes,
                    r->entries);
    status = binary_numbers(&s->b, t, r->entries, AS_DOUBLE, r->values, "pr", why);
    if (!status)
        status = mat5_finish(s, &e, r->entries * t.bytes, "pr", why);
    if (!status && complex && !(status = mat5_tag(s, end, &e, "pi", why)))
        status = mat5_finish(s, &e, 0, "pi", why);
    return status;
}

/* Reads what follows the name of a sparse array into the list; as zeros if `zeros`. */
static int read_sparse(struct elements *s, int64_t end, struct mat *m, const struct matlab_array *a, bool zeros,
                       char why[ERRLEN])
{
    struct element e;
    struct number t;
    if (!zeros && a->complex && binary_complex(s->b.path, m->in->real_part, why))
        return FAIL;
    if (a->rows > INT32_MAX || a->cols > INT32_MAX || a->cols >= end - s->b.at)
        return fail(why, "%s: a sparse matrix of %" PRId64 " x %" PRId64 ", more than its variable can hold", s->b.path,
                    a->rows, a->cols);
    int status = mat5_numbers(s, end, true, &e, &t, "ir", why);
    if (status)
        return status;
    struct arrays r = { .path = s->b.path,
                        .kind = "",
                        .pointers_are = "jc",
                        .minors_are = "ir",
                        .rows = a->rows,
                        .cols = a->cols,
                        .entries = e.bytes / t.bytes,
                        .by_columns = true,
                        .listed = -1 };
    if (m->header)
        status = mat5_finish(s, &e, 0, "ir", why);
    else if (!(status = binary_hold(&s->b, e.bytes, 1, "bytes of ir", why))
             && !(status = arrays_fit(r.path, r.rows, r.cols, r.entries, COO_GENERAL, false, why))
             && !(status = arrays_alloc(&r, false, why))
             && !(status = binary_numbers(&s->b, t, r.entries, AS_INT32, r.minors, "ir", why)))
        status = mat5_finish(s, &e, e.bytes, "ir", why);
    r.listed = r.cols;
    if (!status)
        status = read_pointers(s, end, m->header, &r, why);
    if (!status && !m->header)
        status = read_values(s, end, a->complex, &r, why);
    *(zeros ? &m->zeros : &m->matrix) = (struct extent){ r.rows, r.cols, r.entries };
    for (int64_t k = 0; !status && !m->header && k < r.entries; k++) {
        r.values[k] = zeros ? 0 : r.values[k];
        m->ones &= zeros || r.values[k] == 1;
    }
    if (!status && !m->header)
        status = arrays_append(&r, &m->list, why);
    arrays_free(&r);
    return status;
}

/* ---- variables --------------------------------------------------------------------------------------------------- */
/* Reads the flags, dimensions and name of an array that ends at `end`. */
static int read_array(struct elements *s, int64_t end, struct matlab_array *a, char why[ERRLEN])
{
    int64_t flags[2] = { 0 }, dims[2] = { 0 }, n = 0;
    int status = mat5_integers(s, end, flags, 2, &n, "the flags of a variable", why);
    if (!status)
        status = mat5_integers(s, end, dims, 2, &n, "the dimensions of a variable", why);
    if (!status && (n < 2 || dims[0] < 0 || dims[1] < 0))
        return fail(why, "%s: byte %" PRId64 ": a variable has %" PRId64 " dimensions, or negative ones", s->b.path,
                    s->b.at, n);
    if (!status)
        status = mat5_text(s, end, a->name, sizeof a->name, "the name of a variable", why);
    a->rows = dims[0];
    a->cols = dims[1];
    a->complex = flags[0] & COMPLEX;
    a->kind = (flags[0] & CLASS) == SPARSE                                   ? MATLAB_SPARSE
              : (flags[0] & CLASS) == STRUCT && dims[0] == 1 && dims[1] == 1 ? MATLAB_STRUCT
                                                                             : MATLAB_OTHER;
    return status;
}

/* Reads a field that is wanted: the matrix, its zeros or its name. */
static int read_field(struct elements *s, int64_t end, const char *field, struct mat *m, char why[ERRLEN])
{
    struct matlab_array a = { 0 };
    const bool zeros = strcmp(field, "Zeros") == 0 && m->choice.problem, matrix = strcmp(field, m->choice.field) == 0;
    int status = read_array(s, end, &a, why);
    if (status)
        return status;
    if (a.kind == MATLAB_SPARSE && matrix)
        m->choice.taken = true;
    if (a.kind == MATLAB_SPARSE && (matrix || (zeros && a.rows > 0)))
        return read_sparse(s, end, m, &a, zeros, why);
    if (strcmp(field, "name") == 0 && a.kind == MATLAB_OTHER && a.rows == 1 && m->choice.problem)
        return mat5_text(s, end, m->name, sizeof m->name, "the name of the matrix", why);
    return 0;
}

static int read_struct(struct elements *s, int64_t end, struct mat *m, char why[ERRLEN])
{
    int64_t length = 0, n, total;
    struct element e;
    int status = mat5_integers(s, end, &length, 1, &n, "the length of field names", why);
    if (!status)
        status = mat5_tag(s, end, &e, "field names", why);
    if (!status && (length < 1 || length > FIELD || e.bytes % length || e.bytes / length > FIELDS))
        return fail(why, "%s: byte %" PRId64 ": field names of %" PRId64 " bytes in %" PRId64, s->b.path, s->b.at,
                    length, e.bytes);
    if (status)
        return status;
    total = e.bytes;
    char *names = xcalloc((size_t)total + 1, 1), field[FIELD + 1];
    status = binary_read(&s->b, names, total, "field names", why);
    if (!status)
        status = mat5_finish(s, &e, total, "field names", why);
    for (int64_t k = 0; !status && k < total / length; k++) {
        status = mat5_tag(s, end, &e, "a field", why);
        const int64_t field_end = s->b.at + (status ? 0 : e.bytes), padded = field_end + e.padding;
        snprintf(field, sizeof field, "%.*s", (int)length, names + k * length);
        if (!status && e.type == MAT5_MATRIX && e.bytes > 0)
            status = read_field(s, field_end, field, m, why);
        if (!status && s->b.at > padded)
            status = fail(why, "%s: field %s is longer than %" PRId64 " bytes", s->b.path, field, e.bytes);
        if (!status)
            status = binary_skip(&s->b, padded - s->b.at, "a field", why);
    }
    free(names);
    return status;
}

/* Drops what a structure without the matrix held. */
static void forget(struct mat *m)
{
    coo_list_free(&m->list);
    m->zeros = (struct extent){ 0 };
    m->name[0] = 0;
}

/* Reads a variable, if it is the matrix that is looked for. Several are counted, and the first is kept. */
static int read_variable(struct elements *s, struct element *e, struct mat *m, char why[ERRLEN])
{
    struct matlab_array a = { 0 };
    const int64_t end = s->b.at + e->bytes, padded = end + e->padding;
    int status = read_array(s, end, &a, why);
    if (!status && matlab_wants(&m->choice, &a)) {
        m->choice.taken = a.kind == MATLAB_SPARSE;
        status = a.kind == MATLAB_SPARSE ? read_sparse(s, end, m, &a, false, why) : read_struct(s, end, m, why);
        m->of_struct = a.kind == MATLAB_STRUCT;
        if (!status && m->choice.taken && m->zeros.rows > 0
            && (m->zeros.rows != m->matrix.rows || m->zeros.cols != m->matrix.cols))
            return fail(why, "%s: %s.Zeros is %" PRId64 " x %" PRId64 ", expected %" PRId64 " x %" PRId64 " as %s.%s",
                        s->b.path, a.name, m->zeros.rows, m->zeros.cols, m->matrix.rows, m->matrix.cols, a.name,
                        m->choice.field);
        if (!m->choice.taken)
            forget(m);
        matlab_took(&m->choice, &a);
    } else if (!status)
        matlab_list(&m->choice, &a);
    if (!status && s->b.at > padded)
        return fail(why, "%s: variable %s is longer than %" PRId64 " bytes", s->b.path, a.name, e->bytes);
    return status ? status : binary_skip(&s->b, padded - s->b.at, "a variable", why);
}

static int read_compressed(struct elements *s, const struct element *e, struct mat *m, char why[ERRLEN])
{
    struct elements inner;
    struct element variable;
    struct inflater *f = mat5_inflate(s, e, &inner);
    int status = mat5_tag(&inner, INT64_MAX, &variable, "a compressed variable", why);
    if (!status && variable.type == MAT5_MATRIX)
        status = read_variable(&inner, &variable, m, why);
    if (!status)
        status = mat5_end(f, &inner, !(m->header && m->choice.taken), why);
    mat5_close(f, &inner);
    return status;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */
static bool is_mat5(const char head[HEADER], bool *swapped)
{
    const bool big = memcmp(head + VERSION_AT, "\1\0MI", 4) == 0, little = memcmp(head + VERSION_AT, "\0\1IM", 4) == 0;
    *swapped = big;
    return big || little;
}

/* Reads all variables; of a header, up to the first that is wanted. */
static int read_file(struct mat *m, struct elements *s, char why[ERRLEN])
{
    char header[HEADER];
    int64_t got = 1;
    int status = binary_read(&s->b, header, HEADER, "the header", why);
    while (!status && got > 0 && !(m->header && m->choice.found > 0)) {
        char tag[8];
        status = binary_some(&s->b, tag, sizeof tag, &got, why);
        if (status || got == 0)
            break;
        if (got < (int64_t)sizeof tag)
            return fail(why, "%s is cut short: it ends after %" PRId64 " bytes, in a tag; get the file again",
                        s->b.path, s->b.at);
        struct element e = { .type = mat5_word(s, tag), .bytes = mat5_word(s, tag + 4) };
        status = binary_hold(&s->b, e.bytes, 1, "bytes of a variable", why);
        if (!status)
            status = e.type == MAT5_COMPRESSED ? read_compressed(s, &e, m, why)
                     : e.type == MAT5_MATRIX   ? read_variable(s, &e, m, why)
                                               : binary_skip(&s->b, e.bytes, "an element", why);
    }
    return status ? status : matlab_chosen(&m->choice, s->b.path, why);
}

static int mat5_open(struct mat *m, struct elements *s, struct input *in, bool header, char why[ERRLEN])
{
    *m = (struct mat){ .in = in, .header = header, .ones = true };
    *s = (struct elements){ .swapped = false };
    matlab_choose(in->inside, &m->choice);
    binary_open(in, 1, &s->b);
    if (is_mat5(in->head, &s->swapped))
        return 0;
    return fail(why, "%s: no MATLAB file of version 5 or later; in MATLAB, save('FILE', 'VARIABLE', '-v7') writes one",
                s->b.path);
}

static int mat5_read(struct input *in, struct matrix *to, char why[ERRLEN])
{
    struct mat m;
    struct elements s;
    int status = mat5_open(&m, &s, in, false, why);
    if (!status)
        status = read_file(&m, &s, why);
    if (!status)
        status = coo_list_to_csr(&m.list, COO_GENERAL, m.matrix.rows, m.matrix.cols, &to->csr, &to->repeats, why);
    coo_list_free(&m.list);
    if (status)
        return status;
    input_note_rounded(s.b.path, s.b.rounded);
    matlab_fill(in, m.name, m.of_struct && m.ones && m.zeros.entries == 0, to);
    return 0;
}

static int mat5_peek(struct input *in, struct matrix_header *h, char why[ERRLEN])
{
    struct mat m;
    struct elements s;
    int status = mat5_open(&m, &s, in, true, why);
    if (!status)
        status = read_file(&m, &s, why);
    if (status)
        return status;
    *h = (struct matrix_header){ .rows = m.matrix.rows,
                                 .cols = m.matrix.cols,
                                 .nnz_stored = m.matrix.entries + m.zeros.entries };
    matlab_name(in, m.name, h->name, sizeof h->name);
    return 0;
}

static enum claim mat5_recognises(const struct input *in)
{
    bool swapped;
    if (in->form != INPUT_BYTES)
        return CLAIM_NO;
    return is_mat5(in->head, &swapped) ? CLAIM_SURE : reader_named(&mat5_reader, in) ? CLAIM_LIKELY : CLAIM_NO;
}

const struct reader mat5_reader = {
    .name = "mat5",
    .about = "a MATLAB file (.mat, also of version 7.3) with a sparse matrix or SuiteSparse's Problem",
    .inside = "a variable of a MATLAB file",
    .endings = (const struct ending[]){ { ".mat", ENDING_STREAM }, { NULL, ENDING_STREAM } },
    .recognises = mat5_recognises,
    .peek = mat5_peek,
    .read = mat5_read,
};
