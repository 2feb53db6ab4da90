/* SPDX-License-Identifier: BSD-3-Clause */
/* The values of a dense array in Matrix Market, one a line, by columns. */
#include <inttypes.h>

#include "base/memory.h"
#include "input/mtx_inside.h"

enum { PIECE = 1 << 16 }; /* entries */

/* Entries so far, and the place of the next value. */
struct place {
    struct coo_list *list;
    struct coo_entry *e; /* of the last piece */
    int64_t n;           /* in it */
    int64_t row, col;
};

static int add(const struct mtx_text *r, struct place *p, double value, char why[ERRLEN])
{
    if (p->n == PIECE || !p->e) {
        const int status = mtx_fits(r, (double)p->list->entries, why);
        if (status)
            return status;
        p->e = coo_list_add(p->list, PIECE);
        p->n = 0;
    }
    if (!p->e)
        return memory_failed(0, why, "%s: not enough memory for more than %" PRId64 " entries", r->lines.path,
                             p->list->entries);
    p->e[p->n++] = (struct coo_entry){ (int32_t)p->row, (int32_t)p->col, value };
    return 0;
}

static void advance(const struct mtx_header *h, struct place *p)
{
    if (++p->row == h->rows) {
        p->col++;
        p->row = h->mirror == COO_GENERAL ? 0 : h->mirror == COO_SYMMETRIC ? p->col : p->col + 1;
    }
}

static int parse_value(const struct mtx_text *r, const char *line, double *value, char why[ERRLEN])
{
    char shown[TEXT_SHOWN + 4];
    double imaginary;
    const char *p = mtx_real(line, value);
    if (p && r->h.complex)
        p = mtx_real(mtx_skip_blank(p), &imaginary);
    if (p && *mtx_skip_blank(p) == '\n' && (!r->h.integer || (fabs(*value) <= 0x1p63 && *value == trunc(*value))))
        return 0;
    return text_fail(&r->lines, why, "found '%s', expected %s", text_shown(line, true, shown),
                     r->h.complex   ? "'REAL IMAGINARY'"
                     : r->h.integer ? "an integer"
                                    : "a number");
}

int mtx_array(struct mtx_text *r, struct coo_list *list, char why[ERRLEN])
{
    struct place p = { .list = list, .row = r->h.mirror == COO_SKEW };
    const char *line;
    int64_t k = 0;
    int status;
    while (!(status = text_line(&r->lines, &line, why)) && line) {
        double value = 0;
        line = mtx_skip_blank(line);
        if (*line == '\n' || *line == '%')
            continue;
        if (k == r->h.entries)
            return text_fail(&r->lines, why, "more values than the %" PRId64 " of the array", r->h.entries);
        if ((status = parse_value(r, line, &value, why)) || (value != 0 && (status = add(r, &p, value, why))))
            return status;
        advance(&r->h, &p);
        r->lines.items = ++k;
    }
    if (p.e) { /* allocated in full */
        list->piece[list->pieces - 1].n = p.n;
        list->entries -= PIECE - p.n;
    }
    if (!status && k < r->h.entries)
        return fail(why,
                    "%s: the size line declares %" PRId64 " values but the file ends after %" PRId64 " (line %" PRId64
                    "); get the file again",
                    r->lines.path, r->h.entries, k, r->lines.line);
    return status;
}
