/* SPDX-License-Identifier: BSD-3-Clause */
/* A made-up text format, read as docs/adding-a-reader.md says: "rowlist ROWS COLUMNS ENTRIES", then a line for each row,
 * "COLUMN VALUE COLUMN VALUE ...", columns from 0. Lines that begin with '#' are comments. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "input/mtx_parse.h"
#include "input/reader.h"
#include "input/text.h"
#include "matrix/coo_matrix.h"

enum { PEEKED = 1 << 12, ENTRY_BYTES = 4 }; /* ENTRY_BYTES: "0 1\n", no entry is shorter */
static const char begins[] = "rowlist";
extern const struct reader rowlist_reader;

struct size {
    int64_t rows, cols, entries;
};

/* *body: behind the first line. */
static int read_size(const struct text *t, struct size *size, const char **body, char why[ERRLEN])
{
    char shown[TEXT_SHOWN + 4];
    int64_t *const to[] = { &size->rows, &size->cols, &size->entries };
    const size_t n = strlen(begins);
    const char *p = strncmp(t->begin, begins, n) == 0 ? t->begin + n : NULL;
    for (int k = 0; p && k < 3; k++)
        p = mtx_integer(mtx_skip_blank(p), to[k]);
    if (!p || *mtx_skip_blank(p) != '\n' || size->rows > INT32_MAX || size->cols > INT32_MAX)
        return text_fail(t, t->begin, why, "found '%s', expected 'rowlist ROWS COLUMNS ENTRIES'",
                         text_shown(t->begin, true, shown));
    *body = text_next_line(p, t->end);
    return 0;
}

static int read_row(const struct text *t, const struct size *size, int64_t row, const char *p, struct coo_entry *e,
                    int64_t *n, char why[ERRLEN])
{
    char shown[TEXT_SHOWN + 4];
    for (p = mtx_skip_blank(p); *p != '\n'; p = mtx_skip_blank(p)) {
        int64_t col;
        double value;
        const char *at = p;
        if (!(p = mtx_integer(p, &col)) || col >= size->cols)
            return text_fail(t, at, why, "column '%s', expected 0 to %" PRId64, text_shown(at, false, shown),
                             size->cols - 1);
        at = mtx_skip_blank(p);
        if (!(p = mtx_real(at, &value)))
            return text_fail(t, at, why, "value '%s', expected a number", text_shown(at, false, shown));
        e[(*n)++] = (struct coo_entry){ (int32_t)row, (int32_t)col, value };
    }
    return 0;
}

static int read_rows(const struct text *t, const struct size *size, const char *body, struct coo_entry *e, int64_t *n,
                     char why[ERRLEN])
{
    int64_t row = 0;
    *n = 0;
    for (const char *p = body; p < t->end; p = text_next_line(p, t->end)) {
        if (*p == '#')
            continue;
        if (row == size->rows)
            return text_fail(t, p, why, "a row too many, expected %" PRId64, size->rows);
        if (read_row(t, size, row++, p, e, n, why))
            return FAIL;
    }
    if (row < size->rows || *n != size->entries)
        return fail(why, "%s: %" PRId64 " rows and %" PRId64 " entries found, expected %" PRId64 " and %" PRId64,
                    t->path, row, *n, size->rows, size->entries);
    return 0;
}

static int rowlist_read(struct input *in, struct matrix *m, char why[ERRLEN])
{
    struct text t;
    struct size size;
    const char *body;
    int64_t n;
    int status = text_load(in, 0, &t, why);
    if (status || (status = read_size(&t, &size, &body, why)))
        return status;
    /* by the text's length: the number that it states may be wrong */
    struct coo_entry *e = malloc((size_t)((t.end - body) / ENTRY_BYTES + 1) * sizeof *e);
    if (!e) {
        fail(why, "%s: not enough memory for %" PRId64 " entries", t.path, size.entries);
        return OOM;
    }
    if ((status = read_rows(&t, &size, body, e, &n, why))) {
        free(e);
        return status;
    }
    input_free_text(in);
    matrix_base_name(t.named, m->name, sizeof m->name);
    matrix_text(m->field, sizeof m->field, "real");
    return coo_to_csr(e, n, COO_GENERAL, size.rows, size.cols, &m->csr, why);
}

static int rowlist_peek(struct input *in, struct matrix_header *h, char why[ERRLEN])
{
    struct text t;
    struct size size;
    const char *body;
    int status = text_load(in, PEEKED, &t, why);
    if (status || (status = read_size(&t, &size, &body, why)))
        return status;
    *h = (struct matrix_header){ .rows = size.rows, .cols = size.cols, .nnz_stored = size.entries };
    matrix_base_name(t.named, h->name, sizeof h->name);
    return 0;
}

static enum claim rowlist_recognises(const struct input *in)
{
    if (in->form != INPUT_BYTES)
        return CLAIM_NO;
    /* What follows the bytes that are there is 0. */
    const size_t n = strlen(begins);
    if (strncmp(in->text.data, begins, n) == 0 && (in->text.data[n] == 0 || mtx_ends_token(in->text.data[n])))
        return CLAIM_SURE;
    return reader_named(&rowlist_reader, in) ? CLAIM_LIKELY : CLAIM_NO;
}

const struct reader rowlist_reader = {
    .name = "rowlist",
    .about = "a list of rows (.rowlist, plain or compressed)",
    .begins = begins,
    .endings = (const struct ending[]){ { ".rowlist", ENDING_STREAM }, { NULL, ENDING_STREAM } },
    .recognises = rowlist_recognises,
    .peek = rowlist_peek,
    .read = rowlist_read,
};
