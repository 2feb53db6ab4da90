/* SPDX-License-Identifier: BSD-3-Clause */
/* A made-up text format, read as docs/adding-a-reader.md says: "rowlist ROWS COLUMNS ENTRIES", then one line per row,
 * "COLUMN VALUE COLUMN VALUE ...", columns from 0. Lines that begin with '#' are comments. */
#include <inttypes.h>
#include <string.h>

#include "input/mtx_parse.h"
#include "input/reader.h"
#include "input/text.h"
#include "matrix/coo_matrix.h"

enum { LONGEST = 1 << 26, ENTRIES = 1 << 16 }; /* longest line in bytes; entries per piece of the list */
static const char begins[] = "rowlist";
extern const struct reader rowlist_reader;

struct size {
    int64_t rows, cols, entries;
};

/* Entries read so far: the count in the header may be wrong. */
struct rows {
    struct coo_list list;
    struct coo_entry *e; /* entries of the last piece */
    int64_t n;
};

static int read_size(struct text *t, struct size *size, char why[ERRLEN])
{
    char shown[TEXT_SHOWN + 4];
    int64_t *const to[] = { &size->rows, &size->cols, &size->entries };
    const size_t n = strlen(begins);
    const char *line;
    const int status = text_line(t, &line, why);
    if (status)
        return status;
    line = line ? line : "\n";
    const char *p = strncmp(line, begins, n) == 0 ? line + n : NULL;
    for (int k = 0; p && k < 3; k++)
        p = mtx_integer(mtx_skip_blank(p), to[k]);
    if (!p || *mtx_skip_blank(p) != '\n' || size->rows > INT32_MAX || size->cols > INT32_MAX)
        return text_fail(t, why, "found '%s', expected 'rowlist ROWS COLUMNS ENTRIES'", text_shown(line, true, shown));
    return 0;
}

static int add(struct text *t, struct rows *r, struct coo_entry entry, char why[ERRLEN])
{
    if (r->list.pieces == 0 || r->n == ENTRIES) {
        r->e = coo_list_add(&r->list, ENTRIES);
        r->n = 0;
    }
    if (!r->e) {
        text_fail(t, why, "not enough memory for more than %" PRId64 " entries", r->list.entries);
        return OOM;
    }
    r->e[r->n++] = entry;
    t->items++;
    return 0;
}

/* Trims the last piece, which was allocated in full. */
static void end(struct rows *r)
{
    if (r->list.pieces == 0)
        return;
    r->list.piece[r->list.pieces - 1].n = r->n;
    r->list.entries -= ENTRIES - r->n;
}

static int read_row(struct text *t, const struct size *size, int64_t row, const char *p, struct rows *r,
                    char why[ERRLEN])
{
    char shown[TEXT_SHOWN + 4];
    int status = 0;
    for (p = mtx_skip_blank(p); !status && *p != '\n'; p = mtx_skip_blank(p)) {
        int64_t col;
        double value;
        const char *at = p;
        if (!(p = mtx_integer(p, &col)) || col >= size->cols)
            return text_fail(t, why, "column '%s', expected 0 to %" PRId64, text_shown(at, false, shown),
                             size->cols - 1);
        at = mtx_skip_blank(p);
        if (!(p = mtx_real(at, &value)))
            return text_fail(t, why, "value '%s', expected a number", text_shown(at, false, shown));
        status = add(t, r, (struct coo_entry){ (int32_t)row, (int32_t)col, value }, why);
    }
    return status;
}

static int read_rows(struct text *t, const struct size *size, struct rows *r, char why[ERRLEN])
{
    int64_t row = 0;
    const char *line;
    int status;
    while (!(status = text_line(t, &line, why)) && line) {
        if (*line == '#')
            continue;
        if (row == size->rows)
            return text_fail(t, why, "a row too many, expected %" PRId64, size->rows);
        t->items++; /* an empty line is an empty row */
        if ((status = read_row(t, size, row++, line, r, why)))
            return status;
    }
    end(r);
    if (!status && (row < size->rows || r->list.entries != size->entries))
        return fail(why, "%s: %" PRId64 " rows and %" PRId64 " entries found, expected %" PRId64 " and %" PRId64,
                    t->path, row, r->list.entries, size->rows, size->entries);
    return status;
}

static int rowlist_read(struct input *in, struct matrix *m, char why[ERRLEN])
{
    struct text t;
    struct size size;
    struct rows r = { 0 };
    text_open(in, LONGEST, &t);
    int status = read_size(&t, &size, why);
    if (!status)
        status = read_rows(&t, &size, &r, why);
    text_close(&t);
    if (!status)
        status = coo_list_to_csr(&r.list, COO_GENERAL, size.rows, size.cols, &m->csr, &m->repeats, why);
    coo_list_free(&r.list);
    matrix_base_name(t.named, m->name, sizeof m->name);
    matrix_text(m->field, sizeof m->field, "real");
    return status;
}

static int rowlist_peek(struct input *in, struct matrix_header *h, char why[ERRLEN])
{
    struct text t;
    struct size size;
    text_open(in, LONGEST, &t);
    const int status = read_size(&t, &size, why);
    text_close(&t);
    if (status)
        return status;
    *h = (struct matrix_header){ .rows = size.rows, .cols = size.cols, .nnz_stored = size.entries };
    matrix_base_name(t.named, h->name, sizeof h->name);
    return 0;
}

static enum claim rowlist_recognises(const struct input *in)
{
    if (in->form != INPUT_BYTES)
        return CLAIM_NO;
    /* Bytes of the head beyond the end of the file are 0. */
    const size_t n = strlen(begins);
    if (strncmp(in->head, begins, n) == 0 && (in->head[n] == 0 || mtx_ends_token(in->head[n])))
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
