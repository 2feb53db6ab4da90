/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix Market coordinate files → CSR (Boisvert, Pozo, Remington: The Matrix Market Exchange Formats, NISTIR 5935,
 * 1996): real, integer, pattern or (real_part) complex, general, symmetric (either triangle; the other is made),
 * skew-symmetric or Hermitian. Values are kept as they are, nan and inf too; those of a pattern are
 * csr_pattern_value(i, j). Repeated entries are summed in file order (of a pattern: are one entry).
 * The decompressed text lies in memory; pieces that end at line ends are parsed in parallel, once to count and once to
 * read, so that a file that lies about its length is found out before anything is allocated for it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/mtx_inside.h"
#include "input/reader.h"

enum { PIECE_BYTES = 1 << 20, HEADER_BYTES = 1 << 16 };

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

static void count_entries(struct piece *c)
{
    for (const char *p = c->begin; p < c->end; p = text_next_line(p, c->end))
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
    for (const char *p = c->begin; p < c->end && !c->bad; p = text_next_line(p, c->end))
        if (holds_entry(p))
            c->bad = parse_entry(h, mtx_skip_blank(p), e++);
}

/* What is wrong at `bad`, told by how many tokens stand before it in its line. */
static int explain(const struct mtx_text *r, const char *bad, char why[ERRLEN])
{
    char text[TEXT_SHOWN + 4];
    const struct mtx_header *h = &r->h;
    const char *line = bad;
    while (line > r->lines.begin && line[-1] != '\n')
        line--;
    int token = 0;
    for (const char *p = mtx_skip_blank(line); p < bad; p = mtx_skip_blank(p), token++)
        while (!mtx_ends_token(*p))
            p++;
    int64_t number = text_line_of(&r->lines, line), v;
    const char *wanted = h->pattern   ? "'ROW COLUMN'"
                         : h->complex ? "'ROW COLUMN REAL IMAGINARY'"
                                      : "'ROW COLUMN VALUE'";
    if (*bad == '\n')
        return fail(why, "%s: line %" PRId64 ": found '%s', expected %s", r->lines.path, number,
                    text_shown(mtx_skip_blank(line), true, text), wanted);
    text_shown(bad, false, text);
    if (token < 2) {
        const char *what = token == 0 ? "row" : "column";
        int64_t limit = token == 0 ? h->rows : h->cols;
        if (!mtx_integer(bad, &v))
            return fail(why, "%s: line %" PRId64 ": %s index '%s', expected an integer from 1 to %" PRId64,
                        r->lines.path, number, what, text, limit);
        if (v < 1 || v > limit)
            return fail(why, "%s: line %" PRId64 ": %s index %s, expected 1 to %" PRId64 "%s", r->lines.path, number,
                        what, text, limit, v == 0 ? " (indices count from 1)" : "");
        return fail(why,
                    "%s: line %" PRId64 ": an entry on the diagonal (%s), expected none in a skew-symmetric matrix",
                    r->lines.path, number, text);
    }
    if ((token == 2 && !h->pattern) || (token == 3 && h->complex))
        return fail(why, "%s: line %" PRId64 ": %s '%s', expected %s number", r->lines.path, number,
                    !h->complex  ? "value"
                    : token == 2 ? "real part"
                                 : "imaginary part",
                    text, h->integer ? "an integer" : "a");
    return fail(why, "%s: line %" PRId64 ": '%s' too many, expected %s", r->lines.path, number, text, wanted);
}

static int wrong_count(const struct mtx_text *r, const struct piece *c, int pieces, int64_t found, char why[ERRLEN])
{
    if (found < r->h.entries)
        return fail(why,
                    "%s: the size line says %" PRId64 " entries but the file ends after %" PRId64 " (line %" PRId64
                    "); cut short? "
                    "get the file again",
                    r->lines.path, r->h.entries, found, text_line_of(&r->lines, r->lines.end - 1));
    int k = pieces - 1;
    while (c[k].first > r->h.entries)
        k--;
    int64_t left = r->h.entries - c[k].first;
    const char *p = c[k].begin;
    while (!holds_entry(p) || left-- > 0)
        p = text_next_line(p, c[k].end);
    return fail(why,
                "%s: the size line says %" PRId64 " entries but the file holds %" PRId64
                "; the first too many is on line %" PRId64,
                r->lines.path, r->h.entries, found, text_line_of(&r->lines, p));
}

static int cut_pieces(const struct mtx_text *r, struct piece **out)
{
    int64_t bytes = r->lines.end - r->h.body;
    int n = (int)(bytes / PIECE_BYTES) + 1;
    struct piece *c = xcalloc((size_t)n, sizeof *c);
    const char *at = r->h.body;
    for (int k = 0; k < n; k++) {
        const char *to = r->h.body + bytes / n * (k + 1);
        c[k].begin = at;
        at = k == n - 1 ? r->lines.end : to <= at ? at : text_next_line(to - 1, r->lines.end);
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
        fail(why, "%s: not enough memory for %" PRId64 " entries", r->lines.path, found);
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
        matrix_base_name(r->lines.named, name, bytes);
}

static int mtx_read(struct input *in, struct matrix *m, char why[ERRLEN])
{
    struct coo_entry *entries = NULL;
    struct mtx_text r = { .real_part = in->real_part };
    bool ended;
    int status = text_load(in, 0, &r.lines, why);
    if (status || (status = mtx_header(&r, &ended, why)) || (status = parse_body(&r, &entries, why)))
        goto out;
    input_free_text(in); /* before the sort needs room */
    status = coo_to_csr(entries, r.h.entries, r.h.mirror, r.h.rows, r.h.cols, &m->csr, why);
    entries = NULL;
    if (status)
        goto out;
    if (r.h.pattern)
        pattern_values(&m->csr);
    fill_name(&r, m->name, sizeof m->name);
    matrix_text(m->field, sizeof m->field, r.h.pattern ? "pattern" : r.h.integer ? "integer" : "real");
out:
    free(entries);
    return status;
}

static int mtx_peek(struct input *in, struct matrix_header *h, char why[ERRLEN])
{
    for (int64_t limit = HEADER_BYTES;; limit *= 16) {
        struct mtx_text r = { .real_part = in->real_part };
        bool ended;
        int status = text_load(in, limit, &r.lines, why);
        if (status)
            return status;
        status = mtx_header(&r, &ended, why);
        if (!status) {
            *h = (struct matrix_header){ r.h.rows, r.h.cols, r.h.entries, r.h.mirror != COO_GENERAL, "" };
            fill_name(&r, h->name, sizeof h->name);
        }
        if (!status || r.lines.whole || !ended)
            return status;
    }
}

/* ---- the row of the table ---------------------------------------------------------------------------------------- */
static const char begins[] = "%%MatrixMarket";

/* What nobody knows is refused here, with what was expected. A tar archive may begin with a file's name: no text has NULs. */
static enum claim mtx_recognises(const struct input *in)
{
    const char *head = in->text.data;
    if (in->form == INPUT_HDF5)
        return CLAIM_NO;
    if (in->text.bytes == 0 || *head != '%'
        || memchr(head, 0, in->text.bytes < INPUT_HEAD ? (size_t)in->text.bytes : INPUT_HEAD))
        return CLAIM_REST;
    return strncasecmp(head, begins, strlen(begins)) == 0 ? CLAIM_SURE : CLAIM_LIKELY;
}

/* A right-hand side beside its matrix, as SuiteSparse packs them: NAME_b.mtx. */
static bool mtx_left_out(struct input *in)
{
    char object[16] = "", layout[16] = "", unread[ERRLEN];
    return input_load(in, INPUT_HEAD, unread) == 0 && strncasecmp(in->text.data, begins, strlen(begins)) == 0
           && sscanf(in->text.data, "%*s %15s %15s", object, layout) == 2 && strcasecmp(layout, "array") == 0;
}

const struct reader matrix_market_reader = {
    .name = "matrix-market",
    .about = "Matrix Market (plain, .gz, .xz or .zst)",
    .begins = begins,
    .endings = (const struct ending[]){ { ".mtx", ENDING_STREAM }, { NULL, ENDING_STREAM } },
    .recognises = mtx_recognises,
    .peek = mtx_peek,
    .read = mtx_read,
    .left_out = mtx_left_out,
};
