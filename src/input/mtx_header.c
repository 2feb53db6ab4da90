/* SPDX-License-Identifier: BSD-3-Clause */
/* The header of a Matrix Market file: banner, comments, size line. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "input/mtx_inside.h"

const char *mtx_shown(const char *p, bool line, char out[MTX_SHOWN + 4])
{
    int n = 0;
    for (; *p != '\n' && (line || !mtx_blank(*p)) && n < MTX_SHOWN; p++)
        out[n++] = isprint((unsigned char)*p) ? *p : '?';
    while (n > 0 && out[n - 1] == ' ')
        n--;
    out[n] = 0;
    if (n == MTX_SHOWN)
        memcpy(out + n, "...", 4);
    return out;
}

int64_t mtx_line_of(const struct mtx_text *r, const char *p)
{
    int64_t line = 1;
    for (const char *q = r->text; (q = memchr(q, '\n', (size_t)(p - q))) != NULL; q++)
        line++;
    return line;
}

static int banner_word(const char **p, char word[MTX_SHOWN])
{
    const char *q = mtx_skip_blank(*p);
    int n = 0;
    for (; !mtx_ends_token(*q); q++)
        if (n < MTX_SHOWN - 1)
            word[n++] = (char)tolower((unsigned char)*q);
    word[n] = 0;
    *p = q;
    return n;
}

static int parse_banner(struct mtx_text *r, char why[ERRLEN])
{
    char mm[MTX_SHOWN], object[MTX_SHOWN], layout[MTX_SHOWN], field[MTX_SHOWN], symmetry[MTX_SHOWN], bad[MTX_SHOWN + 4];
    const char *p = r->text;
    banner_word(&p, mm);
    if (strcmp(mm, "%%matrixmarket") != 0)
        return fail(why, "%s: line 1: found '%s', expected '%%%%MatrixMarket matrix coordinate ...' (or an HDF5 file)",
                    r->path, mtx_shown(r->text, true, bad));
    banner_word(&p, object);
    banner_word(&p, layout);
    banner_word(&p, field);
    banner_word(&p, symmetry);
    if (strcmp(object, "matrix") != 0)
        return fail(why, "%s: line 1: the file holds a '%s', expected a matrix", r->path, object);
    if (strcmp(layout, "array") == 0)
        return fail(why, "%s: line 1: dense array files are not read; expected 'coordinate' (write it by its nonzeros)",
                    r->path);
    if (strcmp(layout, "coordinate") != 0)
        return fail(why, "%s: line 1: layout '%s', expected 'coordinate'", r->path, layout);
    r->h.complex = strcmp(field, "complex") == 0;
    if (r->h.complex && !r->real_part)
        return fail(
            why,
            "%s: line 1: complex values, which SpMV here does not know; spmv-import --real-part makes a real matrix of them",
            r->path);
    r->h.pattern = strcmp(field, "pattern") == 0;
    r->h.integer = strcmp(field, "integer") == 0;
    if (!r->h.complex && !r->h.pattern && !r->h.integer && strcmp(field, "real") != 0 && strcmp(field, "double") != 0)
        return fail(why, "%s: line 1: field '%s', expected real, integer, complex or pattern", r->path, field);
    bool hermitian = strcmp(symmetry, "hermitian") == 0;
    if (hermitian && !r->h.complex)
        return fail(why, "%s: line 1: '%s hermitian' has no meaning (no complex values); expected symmetric", r->path,
                    field);
    r->h.mirror = strcmp(symmetry, "symmetric") == 0 || hermitian ? COO_SYMMETRIC
                  : strcmp(symmetry, "skew-symmetric") == 0       ? COO_SKEW
                                                                  : COO_GENERAL;
    if (r->h.mirror == COO_GENERAL && strcmp(symmetry, "general") != 0)
        return fail(why, "%s: line 1: symmetry '%s', expected general, symmetric, skew-symmetric or hermitian", r->path,
                    symmetry);
    if (r->h.mirror == COO_SKEW && r->h.pattern)
        return fail(
            why,
            "%s: line 1: 'pattern skew-symmetric' has no meaning (no values to negate); expected general or symmetric",
            r->path);
    return 0;
}

/* "% name: Group/Name", as the SuiteSparse collection writes it, or a comment "% Group/Name" of the file's own name. */
static void comment_name(struct mtx_text *r, const char *p)
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
    matrix_base_name(r->named, base, sizeof base);
    if (tagged || strcmp(slash + 1, base) == 0)
        matrix_text(r->h.name, sizeof r->h.name, word);
}

static int parse_size(struct mtx_text *r, const char *p, char why[ERRLEN])
{
    char bad[MTX_SHOWN + 4];
    int64_t *const to[3] = { &r->h.rows, &r->h.cols, &r->h.entries };
    static const char *const what[3] = { "rows", "columns", "entries" };
    int64_t line = mtx_line_of(r, p);
    const char *start = p;
    for (int k = 0; k < 3; k++) {
        p = mtx_skip_blank(p);
        const char *q = mtx_integer(p, to[k]);
        if (!q)
            return fail(
                why,
                "%s: line %" PRId64
                ": the number of %s is '%s', expected a size line 'ROWS COLUMNS ENTRIES' of integers below 10^18",
                r->path, line, what[k], mtx_shown(p, false, bad));
        if (k < 2 && *to[k] > INT32_MAX)
            return fail(why, "%s: line %" PRId64 ": %" PRId64 " %s, expected at most 2147483647", r->path, line, *to[k],
                        what[k]);
        p = q;
    }
    if (*mtx_skip_blank(p) != '\n')
        return fail(why, "%s: line %" PRId64 ": found '%s', expected the three numbers ROWS COLUMNS ENTRIES", r->path,
                    line, mtx_shown(start, true, bad));
    if (r->h.mirror != COO_GENERAL && r->h.rows != r->h.cols)
        return fail(why,
                    "%s: line %" PRId64 ": %" PRId64 " x %" PRId64
                    " cannot be symmetric; expected a square matrix or 'general'",
                    r->path, line, r->h.rows, r->h.cols);
    r->h.body = (const char *)rawmemchr(p, '\n') + 1;
    return 0;
}

int mtx_header(struct mtx_text *r, bool *ended, char why[ERRLEN])
{
    *ended = false;
    if (parse_banner(r, why))
        return FAIL;
    for (const char *p = (const char *)rawmemchr(r->text, '\n') + 1; p < r->end;
         p = (const char *)rawmemchr(p, '\n') + 1) {
        const char *q = mtx_skip_blank(p);
        if (*q == '%')
            comment_name(r, q);
        else if (*q != '\n')
            return parse_size(r, q, why);
    }
    *ended = true;
    return fail(why, "%s is cut short: it ends before the size line 'ROWS COLUMNS ENTRIES'; get the file again",
                r->path);
}
