/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix Market files → CSR (Boisvert, Pozo, Remington: The Matrix Market Exchange Formats, NISTIR 5935,
 * 1996): real, integer, pattern or (real_part) complex; general, symmetric (either triangle, the other is added),
 * skew-symmetric or Hermitian; coordinate or array. Values are kept, including nan and inf; a pattern gets csr_pattern_value(i, j).
 * Duplicate entries are summed in file order (merged in a pattern), as are those in both triangles of a symmetric
 * file; both are counted. Memory grows with the entries read, not with the size line. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "input/mtx_inside.h"
#include "input/reader.h"

enum { LEAST_ENTRY = 4, LEAST_VALUE = 2 }; /* bytes of "1 1", of "1", and the end of the line */

/* ---- the whole file ---------------------------------------------------------------------------------------------- */
static void fill_name(const struct mtx_text *r, char *name, size_t bytes)
{
    if (r->h.name[0])
        matrix_text(name, bytes, r->h.name);
    else
        matrix_base_name(r->lines.named, name, bytes);
}

/* Reads the header, and sets *holds as input_holds. FAIL: also if it declares more entries than that. */
static int mtx_begin(struct mtx_text *r, struct input *in, double *holds, char why[ERRLEN])
{
    *r = (struct mtx_text){ .real_part = in->real_part };
    text_open(in, TEXT_BLOCK, &r->lines);
    const int status = mtx_header(r, why);
    *holds = input_holds(in, r->h.array ? LEAST_VALUE : LEAST_ENTRY);
    return status || *holds <= 0 || (double)r->h.entries <= *holds
               ? status
               : fail(why,
                      "%s: line %" PRId64 ": %" PRId64
                      " entries declared, more than the file can hold; get the file again",
                      r->lines.path, r->lines.line, r->h.entries);
}

static int mtx_read(struct input *in, struct matrix *m, char why[ERRLEN])
{
    struct coo_list entries = { 0 };
    struct mtx_text r;
    double holds;
    int status = mtx_begin(&r, in, &holds, why);
    r.limit = memory_limit();
    if (!status)
        status = mtx_fits(&r, fmin((double)r.h.entries, holds), why);
    entries.pattern = r.h.pattern;
    if (!status)
        status = (r.h.array ? mtx_array : mtx_body)(&r, &entries, why);
    text_close(&r.lines); /* free memory for the sort */
    if (!status && r.h.integer)
        input_note_rounded(r.lines.path, coo_list_beyond_integers(&entries));
    if (!status)
        status = coo_list_to_csr(&entries, r.h.mirror, r.h.rows, r.h.cols, &m->csr, &m->repeats, why);
    coo_list_free(&entries);
    if (status)
        return status;
    fill_name(&r, m->name, sizeof m->name);
    matrix_text(m->field, sizeof m->field, r.h.pattern ? "pattern" : r.h.integer ? "integer" : "real");
    return 0;
}

static int mtx_peek(struct input *in, struct matrix_header *h, char why[ERRLEN])
{
    struct mtx_text r;
    double unused;
    const int status = mtx_begin(&r, in, &unused, why);
    if (!status) {
        *h = (struct matrix_header){ r.h.rows, r.h.cols, r.h.entries, r.h.mirror != COO_GENERAL, "" };
        fill_name(&r, h->name, sizeof h->name);
    }
    text_close(&r.lines);
    return status;
}

/* ---- reader interface -------------------------------------------------------------------------------------------- */
static const char begins[] = "%%MatrixMarket";

/* CLAIM_REST: mtx_read refuses unknown input with what it expected. A '%' may also start a file name, and with it a tar
 * archive, but text has no NULs. */
static enum claim mtx_recognises(const struct input *in)
{
    enum { NAMES = 512 }; /* the first header of a tar archive */
    if (in->form == INPUT_HDF5)
        return CLAIM_NO;
    if (in->head[0] != '%' || memchr(in->head, 0, in->head_bytes < NAMES ? (size_t)in->head_bytes : NAMES))
        return CLAIM_REST;
    return strncasecmp(in->head, begins, strlen(begins)) == 0 ? CLAIM_SURE : CLAIM_LIKELY;
}

/* Returns true for dense arrays: right-hand sides, which SuiteSparse packs next to their matrix as NAME_b.mtx. */
static bool mtx_left_out(struct input *in)
{
    char object[16] = "", layout[16] = "";
    return strncasecmp(in->head, begins, strlen(begins)) == 0 && sscanf(in->head, "%*s %15s %15s", object, layout) == 2
           && strcasecmp(layout, "array") == 0;
}

const struct reader matrix_market_reader = {
    .name = "matrix-market",
    .about = "a Matrix Market file (plain, .gz, .xz, .zst or .bz2)",
    .begins = begins,
    .endings = (const struct ending[]){ { ".mtx", ENDING_STREAM }, { NULL, ENDING_STREAM } },
    .recognises = mtx_recognises,
    .peek = mtx_peek,
    .read = mtx_read,
    .left_out = mtx_left_out,
};
