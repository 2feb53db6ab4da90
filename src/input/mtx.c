/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix Market coordinate files → CSR (Boisvert, Pozo, Remington: The Matrix Market Exchange Formats, NISTIR 5935,
 * 1996).
 * The decompressed text lies in memory; pieces that end at line ends are parsed in parallel, once to count and once to
 * read, so that a file that lies about its length is found out before anything is allocated for it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/mtx_inside.h"
#include "input/text.h"

enum { PIECE_BYTES = 1 << 20, HEADER_BYTES = 1 << 16, LABEL = 512 };

/* ---- body -------------------------------------------------------------------------------------------------------- */
struct piece {
    const char *begin, *end;
    int64_t first, entries;
    const char *bad;
};

static bool holds_entry(const char *line)
{
    line = mtx_skip_blank(line);
    return *line != '\n' && *line != '%';
}

static const char *next_line(const char *p, const char *end)
{
    const char *q = memchr(p, '\n', (size_t)(end - p));
    return q ? q + 1 : end;
}

static void count_entries(struct piece *c)
{
    for (const char *p = c->begin; p < c->end; p = next_line(p, c->end))
        c->entries += holds_entry(p);
}

/* One line: NULL, or where in it the fault lies. */
static const char *parse_entry(const struct mtx_header *h, const char *p, struct coo_entry *e)
{
    int64_t i, j;
    const char *q = mtx_integer(p, &i);
    if (!q || i < 1 || i > h->rows)
        return p;
    p = mtx_skip_blank(q);
    q = mtx_integer(p, &j);
    if (!q || j < 1 || j > h->cols || (h->mirror == COO_SKEW && i == j))
        return p;
    *e = (struct coo_entry){ (int32_t)(i - 1), (int32_t)(j - 1), 0 };
    if (!h->pattern) {
        p = mtx_skip_blank(q);
        q = mtx_real(p, &e->val);
        if (!q || (h->integer && !(fabs(e->val) <= 0x1p63 && e->val == trunc(e->val))))
            return p;
    }
    if (h->complex) {
        double imaginary;
        p = mtx_skip_blank(q);
        if (!(q = mtx_real(p, &imaginary)))
            return p;
    }
    q = mtx_skip_blank(q);
    return *q == '\n' ? NULL : q;
}

static void parse_entries(const struct mtx_header *h, struct piece *c, struct coo_entry *e)
{
    for (const char *p = c->begin; p < c->end && !c->bad; p = next_line(p, c->end))
        if (holds_entry(p))
            c->bad = parse_entry(h, mtx_skip_blank(p), e++);
}

/* What is wrong at `bad`, told by how many tokens stand before it in its line. */
static int explain(const struct mtx_text *r, const char *bad, char why[ERRLEN])
{
    char text[MTX_SHOWN + 4];
    const struct mtx_header *h = &r->h;
    const char *line = bad;
    while (line > r->text && line[-1] != '\n')
        line--;
    int token = 0;
    for (const char *p = mtx_skip_blank(line); p < bad; p = mtx_skip_blank(p), token++)
        while (!mtx_ends_token(*p))
            p++;
    int64_t number = mtx_line_of(r, line), v;
    const char *wanted = h->pattern   ? "'ROW COLUMN'"
                         : h->complex ? "'ROW COLUMN REAL IMAGINARY'"
                                      : "'ROW COLUMN VALUE'";
    if (*bad == '\n')
        return fail(why, "%s: line %" PRId64 ": found '%s', expected %s", r->path, number,
                    mtx_shown(mtx_skip_blank(line), true, text), wanted);
    mtx_shown(bad, false, text);
    if (token < 2) {
        const char *what = token == 0 ? "row" : "column";
        int64_t limit = token == 0 ? h->rows : h->cols;
        if (!mtx_integer(bad, &v))
            return fail(why, "%s: line %" PRId64 ": %s index '%s', expected an integer from 1 to %" PRId64, r->path,
                        number, what, text, limit);
        if (v < 1 || v > limit)
            return fail(why, "%s: line %" PRId64 ": %s index %s, expected 1 to %" PRId64 "%s", r->path, number, what,
                        text, limit, v == 0 ? " (indices count from 1)" : "");
        return fail(why,
                    "%s: line %" PRId64 ": an entry on the diagonal (%s), expected none in a skew-symmetric matrix",
                    r->path, number, text);
    }
    if ((token == 2 && !h->pattern) || (token == 3 && h->complex))
        return fail(why, "%s: line %" PRId64 ": %s '%s', expected %s number", r->path, number,
                    !h->complex  ? "value"
                    : token == 2 ? "real part"
                                 : "imaginary part",
                    text, h->integer ? "an integer" : "a");
    return fail(why, "%s: line %" PRId64 ": '%s' too many, expected %s", r->path, number, text, wanted);
}

static int wrong_count(const struct mtx_text *r, const struct piece *c, int pieces, int64_t found, char why[ERRLEN])
{
    if (found < r->h.entries)
        return fail(why,
                    "%s: the size line says %" PRId64 " entries but the file ends after %" PRId64 " (line %" PRId64
                    "); cut short? "
                    "get the file again",
                    r->path, r->h.entries, found, mtx_line_of(r, r->end - 1));
    int k = pieces - 1;
    while (c[k].first > r->h.entries)
        k--;
    int64_t left = r->h.entries - c[k].first;
    const char *p = c[k].begin;
    while (!holds_entry(p) || left-- > 0)
        p = next_line(p, c[k].end);
    return fail(why,
                "%s: the size line says %" PRId64 " entries but the file holds %" PRId64
                "; the first too many is on line %" PRId64,
                r->path, r->h.entries, found, mtx_line_of(r, p));
}

static int cut_pieces(const struct mtx_text *r, struct piece **out)
{
    int64_t bytes = r->end - r->h.body;
    int n = (int)(bytes / PIECE_BYTES) + 1;
    struct piece *c = xcalloc((size_t)n, sizeof *c);
    const char *at = r->h.body;
    for (int k = 0; k < n; k++) {
        const char *to = r->h.body + bytes / n * (k + 1);
        c[k].begin = at;
        at = k == n - 1 ? r->end : to <= at ? at : next_line(to - 1, r->end);
        c[k].end = at;
    }
    *out = c;
    return n;
}

static int parse_body(const struct mtx_text *r, struct coo_entry **entries, char why[ERRLEN])
{
    struct piece *c;
    int n = cut_pieces(r, &c), status = 0;
    int64_t found = 0;
#pragma omp parallel for schedule(dynamic)
    for (int k = 0; k < n; k++)
        count_entries(&c[k]);
    for (int k = 0; k < n; k++) {
        c[k].first = found;
        found += c[k].entries;
    }
    if (found != r->h.entries) {
        status = wrong_count(r, c, n, found, why);
        goto out;
    }
    *entries = malloc((size_t)(found + 1) * sizeof **entries);
    if (!*entries) {
        fail(why, "%s: not enough memory for %" PRId64 " entries", r->path, found);
        status = OOM;
        goto out;
    }
#pragma omp parallel for schedule(dynamic)
    for (int k = 0; k < n; k++)
        parse_entries(&r->h, &c[k], *entries + c[k].first);
    for (int k = 0; k < n && !status; k++)
        if (c[k].bad)
            status = explain(r, c[k].bad, why);
out:
    free(c);
    return status;
}

/* ---- whole ------------------------------------------------------------------------------------------------------- */
static void end_in_newline(struct stream_text *t)
{
    if (t->bytes == 0 || t->data[t->bytes - 1] != '\n')
        t->data[t->bytes++] = '\n';
}

static void pattern_values(struct csr *a)
{
#pragma omp parallel for schedule(guided)
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++)
            a->val[k] = csr_pattern_value(i, a->col[k]);
}

static void fill_name(const struct mtx_text *r, char *name, size_t bytes)
{
    if (r->h.name[0])
        matrix_text(name, bytes, r->h.name);
    else
        matrix_base_name(r->named, name, bytes);
}

/* What messages call the text, and what its name is made from. */
static struct mtx_text reader_of(const struct matrix_operand *operand, struct stream_text *text, char label[LABEL])
{
    end_in_newline(text);
    snprintf(label, LABEL, text->member[0] ? "%s:%s" : "%s", operand->file, text->member);
    return (struct mtx_text){ .path = label,
                              .named = text->member[0] ? text->member : operand->file,
                              .real_part = operand->real_part,
                              .text = text->data,
                              .end = text->data + text->bytes };
}

int mtx_read(const struct matrix_operand *operand, struct matrix *m, char why[ERRLEN])
{
    struct stream_text text = { 0 };
    struct coo_entry *entries = NULL;
    char label[LABEL];
    bool ended;
    memset(m, 0, sizeof *m);
    int status = stream_load(operand->file, operand->inside, 0, &text, why);
    if (status)
        return status;
    struct mtx_text r = reader_of(operand, &text, label);
    if ((status = mtx_header(&r, &ended, why)) || (status = parse_body(&r, &entries, why)))
        goto out;
    free(text.data); /* before the sort needs room */
    text.data = NULL;
    status = coo_to_csr(entries, r.h.entries, r.h.mirror, r.h.rows, r.h.cols, &m->csr, why);
    entries = NULL;
    if (status)
        goto out;
    if (r.h.pattern)
        pattern_values(&m->csr);
    fill_name(&r, m->name, sizeof m->name);
    matrix_text(m->field, sizeof m->field, r.h.pattern ? "pattern" : r.h.integer ? "integer" : "real");
out:
    free(text.data);
    free(entries);
    return status;
}

int mtx_peek(const struct matrix_operand *operand, struct matrix_header *h, char why[ERRLEN])
{
    for (int64_t limit = HEADER_BYTES;; limit *= 16) {
        struct stream_text text;
        char label[LABEL];
        bool ended;
        int status = stream_load(operand->file, operand->inside, limit, &text, why);
        if (status)
            return status;
        bool whole = text.bytes < limit;
        struct mtx_text r = reader_of(operand, &text, label);
        const char *last = memrchr(text.data, '\n', (size_t)text.bytes - 1);
        if (!whole) /* the limit may cut the last line: leave it out */
            r.end = last ? last + 1 : text.data;
        status = mtx_header(&r, &ended, why);
        if (!status) {
            *h = (struct matrix_header){ r.h.rows, r.h.cols, r.h.entries, r.h.mirror != COO_GENERAL, "" };
            fill_name(&r, h->name, sizeof h->name);
        }
        free(text.data);
        if (!status || whole || !ended)
            return status;
    }
}
