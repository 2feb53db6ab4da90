/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix Market and Harwell-Boeing text, from memory: the header agrees with the matrix, the CSR is valid, every entry is counted, and the matrix written as
 * text again is the same. The first byte 'r' asks for real parts of complex values. */
#include <inttypes.h>
#include <math.h>
#include "fuzz.h"
#include "input/reader.h"

enum { ROWS = 1 << 14, ENTRIES = 1 << 24 };

struct bytes {
    const uint8_t *at;
    size_t left;
};

static int more(void *holder, void *to, int64_t bytes, int64_t *got, char why[ERRLEN])
{
    struct bytes *b = holder;
    (void)why;
    *got = (int64_t)b->left < bytes ? (int64_t)b->left : bytes;
    memcpy(to, b->at, (size_t)*got);
    b->at += *got;
    b->left -= (size_t)*got;
    return 0;
}

static int begin(struct input *in, struct bytes *b, const void *data, size_t size, bool real_part, char why[ERRLEN])
{
    *b = (struct bytes){ data, size };
    memset(in, 0, sizeof *in);
    in->path = "fuzz.mtx";
    snprintf(in->file, sizeof in->file, "fuzz.mtx");
    in->inside = "";
    in->form = INPUT_BYTES;
    in->more = more;
    in->holder = b;
    in->h5 = H5I_INVALID_HID;
    in->real_part = real_part;
    return input_begin(in, why);
}

/* Reads the header and, of a small one, the matrix. */
static int read_text(const void *data, size_t size, bool real_part, struct matrix_header *h, struct matrix *m,
                     char why[ERRLEN])
{
    static struct input in;
    struct bytes b;
    enum claim claim;
    memset(m, 0, sizeof *m);
    if (begin(&in, &b, data, size, real_part, why))
        return FAIL;
    const struct reader *reader = reader_of(&in, &claim);
    if (reader->container || input_foreign(&in, why) || reader->peek(&in, h, why) || h->rows > ROWS || h->cols > ROWS
        || h->nnz_stored > ENTRIES) /* a stream of unknown length may have as many as memory holds */
        return FAIL;
    if (begin(&in, &b, data, size, real_part, why))
        return FAIL;
    return reader->read(&in, m, why);
}

static void check_count(const struct matrix_header *h, const struct matrix *m)
{
    int64_t diagonal = 0;
    const struct csr *a = &m->csr;
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++)
            diagonal += a->col[k] == i;
    const int64_t distinct = h->symmetric ? diagonal + (a->nnz - diagonal) / 2 : a->nnz;
    FUZZ_MUST(distinct + m->repeats.summed + m->repeats.both_triangles == h->nnz_stored,
              "%" PRId64 " distinct, %" PRId64 " summed, %" PRId64 " in both triangles, %" PRId64 " stored", distinct,
              m->repeats.summed, m->repeats.both_triangles, h->nnz_stored);
}

/* Writes a matrix as a general one and compares what is read; not-a-numbers have no text of their own bits. */
static void read_again(const struct csr *a)
{
    char *text = NULL, why[ERRLEN];
    size_t size = 0;
    struct matrix_header h;
    struct matrix again;
    FILE *f = open_memstream(&text, &size);
    fprintf(f, "%%%%MatrixMarket matrix coordinate real general\n%" PRId64 " %" PRId64 " %" PRId64 "\n", a->rows,
            a->cols, a->nnz);
    bool numbers = true;
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++) {
            fprintf(f, "%" PRId64 " %d %.17g\n", i + 1, a->col[k] + 1, a->val[k]);
            numbers = numbers && !isnan(a->val[k]);
        }
    fclose(f);
    if (numbers) {
        FUZZ_MUST(read_text(text, size, false, &h, &again, why) == 0, "%s", why);
        FUZZ_MUST(again.csr.nnz == a->nnz
                      && (a->nnz == 0
                          || (memcmp(again.csr.col, a->col, (size_t)a->nnz * sizeof *a->col) == 0
                              && memcmp(again.csr.val, a->val, (size_t)a->nnz * sizeof *a->val) == 0))
                      && memcmp(again.csr.row_ptr, a->row_ptr, (size_t)(a->rows + 1) * sizeof *a->row_ptr) == 0,
                  "%s", text);
        matrix_free(&again);
    }
    free(text);
}

void fuzz_market(const uint8_t *data, size_t size)
{
    const bool real_part = size > 0 && data[0] == 'r';
    char why[ERRLEN];
    struct matrix_header h;
    struct matrix m;
    if (read_text(data + real_part, size - real_part, real_part, &h, &m, why) == 0) {
        FUZZ_MUST(csr_check(&m.csr, why) == 0, "%s", why);
        FUZZ_MUST(m.csr.rows == h.rows && m.csr.cols == h.cols && strcmp(m.name, h.name) == 0, "%s, header %s", m.name,
                  h.name);
        if (!memmem(data, size, "array", 5) && !memmem(data, size, "ARRAY", 5)) /* of which zeros are no entries */
            check_count(&h, &m);
        if (size < 1024)
            read_again(&m.csr);
    }
    matrix_free(&m);
}
