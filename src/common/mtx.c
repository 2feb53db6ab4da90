/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix Market coordinate files → CSR (Boisvert, Pozo, Remington: The Matrix Market Exchange Formats, NISTIR 5935, 1996).
 * The decompressed text lies in memory; pieces that end at line ends are parsed in parallel, once to count and once to read,
 * so that a file that lies about its length is found out before anything is allocated for it. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/coo.h"
#include "common/matrix.h"
#include "common/mtx_parse.h"
#include "common/stream.h"

enum { PIECE_BYTES = 1 << 20, SHOWN = 40, HEADER_BYTES = 1 << 16 };

struct header {
    int64_t rows, cols, entries;
    bool pattern, integer;
    enum coo_mirror mirror;
    char name[128];             /* Group/Name of a comment, "" where none says it */
    const char *body;           /* the first line after the size line */
};

struct reader {
    const char *path;
    const char *text, *end;     /* text ends in a newline at end[-1] */
    struct header h;
};

/* A token (or with `line` the rest of the line) cut to SHOWN characters, unprintable ones as '?'. */
static const char *shown(const char *p, bool line, char out[SHOWN + 4])
{
    int n = 0;
    for (; *p != '\n' && (line || !mtx_blank(*p)) && n < SHOWN; p++)
        out[n++] = isprint((unsigned char)*p) ? *p : '?';
    while (n > 0 && out[n - 1] == ' ')
        n--;
    out[n] = 0;
    if (n == SHOWN)
        memcpy(out + n, "...", 4);
    return out;
}

static int64_t line_of(const struct reader *r, const char *p)
{
    int64_t line = 1;
    for (const char *q = r->text; (q = memchr(q, '\n', (size_t)(p - q))) != NULL; q++)
        line++;
    return line;
}

/* ---- header ------------------------------------------------------------------------------------------------------ */
static int banner_word(const char **p, char word[SHOWN])
{
    const char *q = mtx_skip_blank(*p);
    int n = 0;
    for (; !mtx_ends_token(*q); q++)
        if (n < SHOWN - 1)
            word[n++] = (char)tolower((unsigned char)*q);
    word[n] = 0;
    *p = q;
    return n;
}

static int parse_banner(struct reader *r, char why[ERRLEN])
{
    char mm[SHOWN], object[SHOWN], layout[SHOWN], field[SHOWN], symmetry[SHOWN], bad[SHOWN + 4];
    const char *p = r->text;
    banner_word(&p, mm);
    if (strcmp(mm, "%%matrixmarket") != 0) {
        if (r->end - r->text > 262 && memcmp(r->text + 257, "ustar", 5) == 0)
            return fail(why, "%s is a tar archive; unpack it and give the .mtx file in it", r->path);
        return fail(why, "%s: line 1: found '%s', expected '%%%%MatrixMarket matrix coordinate ...' (or an HDF5 file)", r->path,
                    shown(r->text, true, bad));
    }
    banner_word(&p, object);
    banner_word(&p, layout);
    banner_word(&p, field);
    banner_word(&p, symmetry);
    if (strcmp(object, "matrix") != 0)
        return fail(why, "%s: line 1: the file holds a '%s', expected a matrix", r->path, object);
    if (strcmp(layout, "array") == 0)
        return fail(why, "%s: line 1: dense array files are not read; expected 'coordinate' (write it by its nonzeros)", r->path);
    if (strcmp(layout, "coordinate") != 0)
        return fail(why, "%s: line 1: layout '%s', expected 'coordinate'", r->path, layout);
    if (strcmp(field, "complex") == 0 || strcmp(symmetry, "hermitian") == 0)
        return fail(why, "%s: line 1: complex values are not read yet; write the real part as 'real'", r->path);
    r->h.pattern = strcmp(field, "pattern") == 0;
    r->h.integer = strcmp(field, "integer") == 0;
    if (!r->h.pattern && !r->h.integer && strcmp(field, "real") != 0 && strcmp(field, "double") != 0)
        return fail(why, "%s: line 1: field '%s', expected real, integer or pattern", r->path, field);
    r->h.mirror = strcmp(symmetry, "symmetric") == 0 ? COO_SYMMETRIC : strcmp(symmetry, "skew-symmetric") == 0 ? COO_SKEW : COO_GENERAL;
    if (r->h.mirror == COO_GENERAL && strcmp(symmetry, "general") != 0)
        return fail(why, "%s: line 1: symmetry '%s', expected general, symmetric or skew-symmetric", r->path, symmetry);
    if (r->h.mirror == COO_SKEW && r->h.pattern)
        return fail(why, "%s: line 1: 'pattern skew-symmetric' has no meaning (no values to negate); expected general or symmetric", r->path);
    return 0;
}

/* "% name: Group/Name", as the SuiteSparse collection writes it, or a comment "% Group/Name" of the file's own name. */
static void comment_name(struct reader *r, const char *p)
{
    char word[128], base[128];
    while (*p == '%')
        p++;
    p = mtx_skip_blank(p);
    bool tagged = strncasecmp(p, "name:", 5) == 0;
    p = mtx_skip_blank(tagged ? p + 5 : p);
    size_t n = 0;
    for (; !mtx_ends_token(*p) && n < sizeof word - 1; p++)
        word[n++] = *p;
    word[n] = 0;
    const char *slash = strchr(word, '/');
    if (r->h.name[0] || *mtx_skip_blank(p) != '\n' || !slash || slash == word || !slash[1] || strchr(slash + 1, '/'))
        return;
    matrix_base_name(r->path, base, sizeof base);
    if (tagged || strcmp(slash + 1, base) == 0)
        matrix_text(r->h.name, sizeof r->h.name, word);
}

static int parse_size(struct reader *r, const char *p, char why[ERRLEN])
{
    char bad[SHOWN + 4];
    int64_t *const to[3] = { &r->h.rows, &r->h.cols, &r->h.entries };
    static const char *const what[3] = { "rows", "columns", "entries" };
    int64_t line = line_of(r, p);
    const char *start = p;
    for (int k = 0; k < 3; k++) {
        p = mtx_skip_blank(p);
        const char *q = mtx_integer(p, to[k]);
        if (!q)
            return fail(why, "%s: line %" PRId64 ": the number of %s is '%s', expected a size line 'ROWS COLUMNS ENTRIES' of integers below 10^18",
                        r->path, line, what[k], shown(p, false, bad));
        if (k < 2 && *to[k] > INT32_MAX)
            return fail(why, "%s: line %" PRId64 ": %" PRId64 " %s, expected at most 2147483647", r->path, line, *to[k], what[k]);
        p = q;
    }
    if (*mtx_skip_blank(p) != '\n')
        return fail(why, "%s: line %" PRId64 ": found '%s', expected the three numbers ROWS COLUMNS ENTRIES", r->path, line,
                    shown(start, true, bad));
    if (r->h.mirror != COO_GENERAL && r->h.rows != r->h.cols)
        return fail(why, "%s: line %" PRId64 ": %" PRId64 " x %" PRId64 " cannot be symmetric; expected a square matrix or 'general'",
                    r->path, line, r->h.rows, r->h.cols);
    r->h.body = (const char *)rawmemchr(p, '\n') + 1;
    return 0;
}

/* FAIL also where the text ends before the size line; *ended then says so (a peek reads on). */
static int parse_header(struct reader *r, bool *ended, char why[ERRLEN])
{
    *ended = false;
    if (parse_banner(r, why))
        return FAIL;
    for (const char *p = (const char *)rawmemchr(r->text, '\n') + 1; p < r->end; p = (const char *)rawmemchr(p, '\n') + 1) {
        const char *q = mtx_skip_blank(p);
        if (*q == '%')
            comment_name(r, q);
        else if (*q != '\n')
            return parse_size(r, q, why);
    }
    *ended = true;
    return fail(why, "%s is cut short: it ends before the size line 'ROWS COLUMNS ENTRIES'; get the file again", r->path);
}

/* ---- body -------------------------------------------------------------------------------------------------------- */
struct piece { const char *begin, *end; int64_t first, entries; const char *bad; };

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
static const char *parse_entry(const struct header *h, const char *p, struct coo_entry *e)
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
    q = mtx_skip_blank(q);
    return *q == '\n' ? NULL : q;
}

static void parse_entries(const struct header *h, struct piece *c, struct coo_entry *e)
{
    for (const char *p = c->begin; p < c->end && !c->bad; p = next_line(p, c->end))
        if (holds_entry(p))
            c->bad = parse_entry(h, mtx_skip_blank(p), e++);
}

/* What is wrong at `bad`, told by how many tokens stand before it in its line. */
static int explain(const struct reader *r, const char *bad, char why[ERRLEN])
{
    char text[SHOWN + 4];
    const struct header *h = &r->h;
    const char *line = bad;
    while (line > r->text && line[-1] != '\n')
        line--;
    int token = 0;
    for (const char *p = mtx_skip_blank(line); p < bad; p = mtx_skip_blank(p), token++)
        while (!mtx_ends_token(*p))
            p++;
    int64_t number = line_of(r, line), v;
    const char *wanted = h->pattern ? "'ROW COLUMN'" : "'ROW COLUMN VALUE'";
    if (*bad == '\n')
        return fail(why, "%s: line %" PRId64 ": found '%s', expected %s", r->path, number, shown(mtx_skip_blank(line), true, text), wanted);
    shown(bad, false, text);
    if (token < 2) {
        const char *what = token == 0 ? "row" : "column";
        int64_t limit = token == 0 ? h->rows : h->cols;
        if (!mtx_integer(bad, &v))
            return fail(why, "%s: line %" PRId64 ": %s index '%s', expected an integer from 1 to %" PRId64, r->path, number, what, text, limit);
        if (v < 1 || v > limit)
            return fail(why, "%s: line %" PRId64 ": %s index %s, expected 1 to %" PRId64 "%s", r->path, number, what, text, limit,
                        v == 0 ? " (indices count from 1)" : "");
        return fail(why, "%s: line %" PRId64 ": an entry on the diagonal (%s), expected none in a skew-symmetric matrix", r->path, number, text);
    }
    if (token == 2 && !h->pattern)
        return fail(why, "%s: line %" PRId64 ": value '%s', expected %s number", r->path, number, text, h->integer ? "an integer" : "a");
    return fail(why, "%s: line %" PRId64 ": '%s' too many, expected %s", r->path, number, text, wanted);
}

static int wrong_count(const struct reader *r, const struct piece *c, int pieces, int64_t found, char why[ERRLEN])
{
    if (found < r->h.entries)
        return fail(why, "%s: the size line says %" PRId64 " entries but the file ends after %" PRId64 " (line %" PRId64 "); cut short? "
                    "get the file again", r->path, r->h.entries, found, line_of(r, r->end - 1));
    int k = pieces - 1;
    while (c[k].first > r->h.entries)
        k--;
    int64_t left = r->h.entries - c[k].first;
    const char *p = c[k].begin;
    while (!holds_entry(p) || left-- > 0)
        p = next_line(p, c[k].end);
    return fail(why, "%s: the size line says %" PRId64 " entries but the file holds %" PRId64 "; the first too many is on line %" PRId64,
                r->path, r->h.entries, found, line_of(r, p));
}

static int cut_pieces(const struct reader *r, struct piece **out)
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

static int parse_body(const struct reader *r, struct coo_entry **entries, char why[ERRLEN])
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

static void fill_name(const struct reader *r, char *name, size_t bytes)
{
    if (r->h.name[0])
        matrix_text(name, bytes, r->h.name);
    else
        matrix_base_name(r->path, name, bytes);
}

int mtx_read(const char *path, struct matrix *m, char why[ERRLEN])
{
    struct reader r = { .path = path };
    struct stream_text text = { 0 };
    struct coo_entry *entries = NULL;
    bool ended;
    memset(m, 0, sizeof *m);
    int status = stream_load(path, 0, &text, why);
    if (status)
        return status;
    end_in_newline(&text);
    r.text = text.data;
    r.end = text.data + text.bytes;
    if ((status = parse_header(&r, &ended, why)) || (status = parse_body(&r, &entries, why)))
        goto out;
    free(text.data);            /* before the sort needs room */
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

int mtx_peek(const char *path, struct matrix_header *h, char why[ERRLEN])
{
    for (int64_t limit = HEADER_BYTES;; limit *= 16) {
        struct reader r = { .path = path };
        struct stream_text text;
        bool ended;
        int status = stream_load(path, limit, &text, why);
        if (status)
            return status;
        bool whole = text.bytes < limit;
        end_in_newline(&text);
        r.text = text.data;
        const char *last = memrchr(text.data, '\n', (size_t)text.bytes - 1);
        r.end = whole ? text.data + text.bytes : last ? last + 1 : text.data;      /* the limit may cut the last line: leave it out */
        status = parse_header(&r, &ended, why);
        if (!status) {
            *h = (struct matrix_header){ r.h.rows, r.h.cols, r.h.entries, r.h.mirror != COO_GENERAL, "" };
            fill_name(&r, h->name, sizeof h->name);
        }
        free(text.data);
        if (!status || whole || !ended)
            return status;
    }
}
