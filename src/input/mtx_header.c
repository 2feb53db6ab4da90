/* SPDX-License-Identifier: BSD-3-Clause */
/* The header of a Matrix Market file: banner, comments, size line. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "input/mtx_inside.h"
#include "input/operands.h"

static int banner_word(const char **p, char word[TEXT_SHOWN])
{
    const char *q = mtx_skip_blank(*p);
    int n = 0;
    for (; !mtx_ends_token(*q); q++)
        if (n < TEXT_SHOWN - 1)
            word[n++] = (char)tolower((unsigned char)*q);
    word[n] = 0;
    *p = q;
    return n;
}

static int parse_banner(struct mtx_text *r, const char *line, char why[ERRLEN])
{
    char mm[TEXT_SHOWN], object[TEXT_SHOWN], layout[TEXT_SHOWN], field[TEXT_SHOWN], symmetry[TEXT_SHOWN],
        bad[TEXT_SHOWN + 4];
    const char *p = line;
    banner_word(&p, mm);
    if (strcmp(mm, "%%matrixmarket") != 0)
        return fail(why,
                    "%s: line 1: found '%s', expected '%%%%MatrixMarket matrix coordinate ...' (or an HDF5 file)%s",
                    r->lines.path, text_shown(line, true, bad),
                    operands_are_listed(r->lines.path)
                        ? "; spmv-predict --summary, spmv-info --table and spmv-run take lists of matrices, not nested"
                        : "");
    banner_word(&p, object);
    banner_word(&p, layout);
    banner_word(&p, field);
    banner_word(&p, symmetry);
    if (strcmp(object, "matrix") != 0)
        return fail(why, "%s: line 1: the file holds a '%s', expected a matrix", r->lines.path, object);
    r->h.array = strcmp(layout, "array") == 0;
    if (!r->h.array && strcmp(layout, "coordinate") != 0)
        return fail(why, "%s: line 1: layout '%s', expected 'coordinate' or 'array'", r->lines.path, layout);
    r->h.complex = strcmp(field, "complex") == 0;
    if (r->h.complex && !r->real_part)
        return fail(why, "%s: line 1: complex values are not supported; --real-part keeps the real parts",
                    r->lines.path);
    r->h.pattern = strcmp(field, "pattern") == 0;
    r->h.integer = strcmp(field, "integer") == 0;
    if (r->h.array && r->h.pattern)
        return fail(why, "%s: line 1: 'array pattern' is invalid (no values)", r->lines.path);
    if (!r->h.complex && !r->h.pattern && !r->h.integer && strcmp(field, "real") != 0 && strcmp(field, "double") != 0)
        return fail(why, "%s: line 1: field '%s', expected real, integer, complex or pattern", r->lines.path, field);
    bool hermitian = strcmp(symmetry, "hermitian") == 0;
    if (hermitian && !r->h.complex)
        return fail(why, "%s: line 1: '%s hermitian' is invalid (no complex values); expected symmetric", r->lines.path,
                    field);
    r->h.mirror = strcmp(symmetry, "symmetric") == 0 || hermitian ? COO_SYMMETRIC
                  : strcmp(symmetry, "skew-symmetric") == 0       ? COO_SKEW
                                                                  : COO_GENERAL;
    if (r->h.mirror == COO_GENERAL && strcmp(symmetry, "general") != 0)
        return fail(why, "%s: line 1: symmetry '%s', expected general, symmetric, skew-symmetric or hermitian",
                    r->lines.path, symmetry);
    if (r->h.mirror == COO_SKEW && r->h.pattern)
        return fail(
            why, "%s: line 1: 'pattern skew-symmetric' is invalid (no values to negate); expected general or symmetric",
            r->lines.path);
    return 0;
}

/* Takes the name from a comment "% name: Group/Name", as written by the SuiteSparse collection, or "% Group/Name" if Name
 * is the name of the file. */
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
    matrix_base_name(r->lines.named, base, sizeof base);
    if (tagged || strcmp(slash + 1, base) == 0)
        matrix_text(r->h.name, sizeof r->h.name, word);
}

static int parse_size(struct mtx_text *r, const char *p, char why[ERRLEN])
{
    char bad[TEXT_SHOWN + 4];
    int64_t *const to[3] = { &r->h.rows, &r->h.cols, &r->h.entries };
    static const char *const what[3] = { "rows", "columns", "entries" };
    static const char *const expected[2] = { "ROWS COLUMNS ENTRIES", "ROWS COLUMNS" };
    const int64_t line = r->lines.line;
    const int numbers = r->h.array ? 2 : 3;
    const char *start = p;
    for (int k = 0; k < numbers; k++) {
        p = mtx_skip_blank(p);
        const char *q = mtx_integer(p, to[k]);
        if (!q)
            return fail(why,
                        "%s: line %" PRId64
                        ": the number of %s is '%s', expected a size line '%s' of integers below 10^18",
                        r->lines.path, line, what[k], text_shown(p, false, bad), expected[r->h.array]);
        if (k < 2 && *to[k] > INT32_MAX)
            return fail(why, "%s: line %" PRId64 ": %" PRId64 " %s, expected at most 2147483647", r->lines.path, line,
                        *to[k], what[k]);
        p = q;
    }
    if (*mtx_skip_blank(p) != '\n')
        return fail(why, "%s: line %" PRId64 ": found '%s', expected %s numbers '%s'", r->lines.path, line,
                    text_shown(start, true, bad), r->h.array ? "two" : "three", expected[r->h.array]);
    if (r->h.mirror != COO_GENERAL && r->h.rows != r->h.cols)
        return fail(why,
                    "%s: line %" PRId64 ": a %" PRId64 " x %" PRId64
                    " matrix cannot be symmetric; expected a square matrix or 'general'",
                    r->lines.path, line, r->h.rows, r->h.cols);
    if (r->h.array) /* both are below 2^31 */
        r->h.entries = r->h.mirror == COO_GENERAL     ? r->h.rows * r->h.cols
                       : r->h.mirror == COO_SYMMETRIC ? r->h.rows * (r->h.rows + 1) / 2
                                                      : r->h.rows * (r->h.rows - 1) / 2;
    return 0;
}

int mtx_header(struct mtx_text *r, char why[ERRLEN])
{
    const char *line;
    int status = text_line(&r->lines, &line, why);
    if (!status)
        status = parse_banner(r, line ? line : "\n", why);
    while (!status && !(status = text_line(&r->lines, &line, why)) && line) {
        const char *p = mtx_skip_blank(line);
        if (*p == '%')
            comment_name(r, p);
        else if (*p != '\n')
            return parse_size(r, p, why);
    }
    return status
               ? status
               : fail(why, "%s is cut short: it ends before the size line 'ROWS COLUMNS ENTRIES'; get the file again",
                      r->lines.path);
}

int mtx_fits(const struct mtx_text *r, double entries, char why[ERRLEN])
{
    const double each_row = 32, each_entry = r->h.pattern ? 20 : 28; /* bytes while the entries are sorted */
    const double stored = entries * (r->h.mirror == COO_GENERAL ? 1 : 2);
    return memory_check(each_row * (double)r->h.rows + each_entry * stored, r->limit, why,
                        "%s: not enough memory for a matrix of %" PRId64 " x %" PRId64 " with %.0f entries",
                        r->lines.path, r->h.rows, r->h.cols, entries);
}
