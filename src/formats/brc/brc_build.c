/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds BRC on the host: fills the blocks of the queue and numbers the pieces of cut rows. */
#include <stdlib.h>
#include "formats/brc/brc.h"
#include "formats/build.h"

/* Numbers the cut rows, in the order of level 1, and fills cut_ptr. of[row] gets the number of a cut row and is not
 * set for other rows. */
static void cuts_number(const struct csr_view *a, struct brc_storage *s, int32_t *of)
{
    const int32_t *row = s->row_perm + s->n.level1;
    int64_t at = 0;

    for (int64_t c = 0; c < s->n.cuts; c++) {
        s->cut_ptr[c] = (int32_t)at;
        at += brc_levels(s->spec.width, a->end[row[c]] - a->begin[row[c]]);
        of[row[c]] = (int32_t)c;
    }
    s->cut_ptr[s->n.cuts] = (int32_t)at;
}

static struct brc_piece_slot slot_of_piece(const struct csr_view *a, const struct brc_storage *s, const int32_t *of,
                                           int64_t row, int64_t level)
{
    if (a->end[row] - a->begin[row] <= s->spec.width.b2)
        return (struct brc_piece_slot){ -1, -1 };
    return (struct brc_piece_slot){ of[row], s->cut_ptr[of[row]] + (int32_t)level };
}

/* A piece: n entries of a row, from `begin` on in the arrays of the view. */
struct piece {
    int64_t row, begin, n;
};

/* Fills the blocks. Returns the first row with a value that overflows f32, or a->rows. */
static int64_t blocks_fill(const struct csr_view *a, const struct brc_queue *q, struct brc_storage *s,
                           const int32_t *of, enum precision p)
{
    const int b1 = s->spec.b1;
    int64_t bad = a->rows;

#pragma omp parallel for schedule(dynamic, 16) reduction(min : bad)
    for (int64_t b = 0; b < s->n.blocks; b++) {
        const int64_t first = b * b1, offset = s->block_offset[b], width = (s->block_offset[b + 1] - offset) / b1;
        int64_t level = brc_level_of(q, first);

        for (int64_t l = 0; l < b1; l++) {
            const int64_t row = s->row_perm[first + l], slot_at = brc_piece_slot_at(s->n.head, s->n.level1, first + l);
            struct piece piece = { row, 0, 0 };

            if (row >= 0) {
                while (first + l >= q->level[level + 1])
                    level++;
                piece.begin = a->begin[row] + brc_start(s->spec.width, level);
                piece.n = brc_piece(s->spec.width, a->end[row] - a->begin[row], level);
                if (slot_at >= 0)
                    s->piece_slot[slot_at] = slot_of_piece(a, s, of, row, level);
            }
            for (int64_t j = 0; j < width; j++) {
                const int64_t at = offset + j * b1 + l;

                if (j < piece.n) {
                    s->col[at] = a->col[piece.begin + j];
                    if (!real_put(s->val, p, at, a->val[piece.begin + j]) && row < bad)
                        bad = row;
                } else {
                    const int32_t above = l > 0 ? s->col[at - 1] : ~a->col[piece.begin + piece.n - 1];
                    s->col[at] = above < 0 ? above : ~above;
                    real_put(s->val, p, at, 0.0);
                }
            }
        }
    }
    return bad;
}

static int storage_fill(const struct csr_view *a, const struct brc_queue *q, struct brc_storage *s, char why[ERRLEN])
{
    const enum precision p = s->base.target.precision;
    int32_t *of;
    int rc;

    if ((rc = storage_arrays(&s->base, why)) != 0 || (rc = storage_array(&s->base, &s->partial, why)) != 0)
        return rc;
    if (!(of = array_alloc(s->n.cuts > 0 ? a->rows : 0, sizeof *of)))
        return build_oom(why, &brc_layout, a->rows * (int64_t)sizeof *of);
    cuts_number(a, s, of);
    rc = build_overflow(why, blocks_fill(a, q, s, of, p), a->rows);
    free(of);
    return rc;
}

int brc_build_spec(const struct csr_view *a, struct brc_spec spec, const struct target *t, struct storage **out,
                   char why[ERRLEN])
{
    struct brc_storage *s = storage_new(&brc_layout, a, t, why);
    struct brc_queue q;
    int rc;

    if (!s)
        return OOM;
    if ((rc = brc_queue_make(a, spec, &q, why)) != 0)
        goto out;
    s->spec = q.spec;
    s->n = q.n;
    s->block_offset = q.block_offset;
    s->row_perm = q.row_perm;
    s->empty = q.empty;
    q.block_offset = q.row_perm = q.empty = NULL;
    rc = storage_fill(a, &q, s, why);
    brc_queue_free(&q);
out:
    return storage_done(rc, &s->base, out);
}

int brc_build(const struct csr_view *a, const struct config *c, const struct target *t, struct storage **out,
              char why[ERRLEN])
{
    return brc_build_spec(a, brc_spec_of(c), t, out, why);
}

int brc_count(const struct csr_view *a, const struct features *f, const struct config *c, const struct target *t,
              struct traffic *out)
{
    struct brc_queue q;
    char why[ERRLEN];
    int rc;

    if (brc_spec_of(c).sigma == 0)
        return brc_layout.traffic(f, c, t, out); /* for one window of all rows, features determine the bytes */
    if ((rc = brc_queue_make(a, brc_spec_of(c), &q, why)) != 0)
        return rc;
    memset(out, 0, sizeof *out);
    brc_traffic_of(&q.n, q.spec.b1, csr_view_nnz(a), precision_bytes(t->precision), out);
    brc_traffic_y(&q.n, f, c, t, out);
    brc_queue_free(&q);
    return 0;
}
