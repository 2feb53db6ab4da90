/* SPDX-License-Identifier: BSD-3-Clause */
/* Layout and kernel hyb: one kernel multiplies the first k entries of each row, and another adds the product of
 * the rest to y. */
#include "formats/hyb/hyb.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "formats/build.h"
#include "formats/mapping.h"
#include "formats/parts.h"

enum { HEAD, TAIL, NPARTS };

static int hyb_resolve(struct config *c, const struct features *f, const struct target *t)
{
    char k[24];

    (void)t;
    if (strcmp(config_word(c, "k"), "auto") != 0)
        return 0;
    snprintf(k, sizeof k, "%" PRId64, f->hyb_k);
    return config_set(c, "k", k) ? 0 : FAIL;
}

static int64_t part_length(int part, int64_t length, int64_t k)
{
    const int64_t head = length < k ? length : k;

    return part == HEAD ? head : length - head;
}

/* The length of a row's part grows with that of the row, so a group's longest row also has its longest part: the
 * histogram of the part follows from that of the rows. */
static void part_histogram(const struct histogram *whole, int part, int64_t k, struct histogram *out)
{
    out->n = 0;
    out->value = xmalloc((unsigned long)(whole->n + 1) * sizeof *out->value);
    out->count = xmalloc((unsigned long)(whole->n + 1) * sizeof *out->count);
    for (int i = 0; i < whole->n; i++) {
        const int64_t length = part_length(part, whole->value[i], k);

        if (out->n == 0 || out->value[out->n - 1] != length) {
            out->value[out->n] = length;
            out->count[out->n++] = 0;
        }
        out->count[out->n - 1] += whole->count[i];
    }
}

static int hyb_part(const struct features *f, const struct config *c, int p, struct config *config,
                    struct features *out)
{
    const int64_t k = config_int(c, "k");
    char why[ERRLEN];

    if (p >= NPARTS)
        return FAIL;
    if (config_part(c, parts_name(&hyb_layout, p), config, why) != 0)
        bug("hyb: %s", why);
    memset(out, 0, sizeof *out);
    out->rows = f->rows;
    out->cols = f->cols;
    out->bandwidth = f->bandwidth;
    out->spread = f->spread;
    out->diagonals = f->diagonals;
    for (int g = 0; g < GROUPS; g++)
        part_histogram(&f->lengths[g], p, k, &out->lengths[g]);
    for (int i = 0; i < out->lengths[0].n; i++)
        out->nnz += out->lengths[0].value[i] * out->lengths[0].count[i];
    for (int q = 0; q < NPRECISIONS; q++)
        for (int s = 0; s < NSECTORS; s++)
            if (out->nnz > 0)
                out->sectors[q][s] = (int64_t)((double)f->sectors[q][s] * (double)out->nnz / (double)f->nnz + 0.5);
    /* Heaviest group of 2^g rows: the head gets the maximum that it can hold, the tail its share of the nonzeros. */
    for (int g = 0; g < HEAVIEST; g++) {
        const double share = f->nnz > 0 ? (double)out->nnz / (double)f->nnz : 0;
        const int64_t most = k << g < f->heaviest[g] ? k << g : f->heaviest[g];
        out->heaviest[g] = p == HEAD ? most : (int64_t)((double)f->heaviest[g] * share + 0.5);
    }
    features_copy_fill(out, f);
    features_derive(out);
    return 0;
}

/* Sets the views of both parts. Returns the array of cut positions, owned by the caller; NULL if out of memory. */
static int64_t *hyb_cut(const struct csr_view *a, int64_t k, struct csr_view view[NPARTS])
{
    int64_t *cut = array_alloc(a->rows, sizeof *cut);

    view[HEAD] = view[TAIL] = *a;
    if (!cut)
        return NULL;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < a->rows; i++)
        cut[i] = a->begin[i] + part_length(HEAD, a->end[i] - a->begin[i], k);
    view[HEAD].end = cut;
    view[TAIL].begin = cut;
    return cut;
}

static int hyb_build(const struct csr_view *a, const struct config *c, const struct target *t, struct storage **out,
                     char why[ERRLEN])
{
    struct csr_view view[NPARTS];
    int64_t *cut = hyb_cut(a, config_int(c, "k"), view);
    int rc;

    if (!cut)
        return build_oom(why, &hyb_layout, a->rows * (int64_t)sizeof *cut);
    rc = parts_build(&hyb_layout, view, NPARTS, c, t, out, why);
    free(cut);
    return rc;
}

static int hyb_count(const struct csr_view *a, const struct features *f, const struct config *c, const struct target *t,
                     struct traffic *out)
{
    struct csr_view view[NPARTS];
    int64_t *cut = hyb_cut(a, config_int(c, "k"), view);
    int rc;

    if (!cut)
        return OOM;
    rc = parts_count(view, f, c, t, out);
    free(cut);
    return rc;
}

/* Legal kernels of each part: rows of the head are short and about equally long, rows of the tail few and uneven. */
static const char heads[] = "ell|sell|brc|jad|bro|csr-scalar|coo";
static const char tails[] = "coo|csr-scalar|csr-vector|csr-block|csr-split|csr-stream|csr-merge|brc|ell|sell|jad";

static const struct param hyb_params[] = {
    { "k", "maximum entries per row in the head", PARAM_INT, "0..2147483647|auto", "auto", PARAM_LAYOUT },
    { "head", "kernel of the first k entries of each row", PARAM_KERNEL, heads, "ell", PARAM_LAYOUT },
    { "tail", "kernel of the remaining entries", PARAM_KERNEL, tails, "coo", PARAM_LAYOUT },
    { .name = NULL }
};

const struct layout hyb_layout = { .name = "hyb",
                                   .about = "two parts: the first k entries of each row, and the rest",
                                   .params = hyb_params,
                                   .applicable = parts_applicable,
                                   .traffic = parts_traffic,
                                   .count = hyb_count,
                                   .resolve = hyb_resolve,
                                   .build = hyb_build,
                                   .spmv_host = parts_spmv_host,
                                   .storage_bytes = sizeof(struct parts),
                                   .arrays = parts_arrays,
                                   .part = hyb_part };

/* ELL with COO after Bell and Garland; BRC as head or tail after ashari2014, Fig. 9. */
static const char *const hyb_sweep[] = { "tail=coo",
                                         "tail=csr-vector",
                                         "tail=csr-split",
                                         "head=sell,tail=csr-split",
                                         "head=ell,tail=brc",
                                         "head=brc,tail=coo",
                                         NULL };
static const char *const hyb_sweep_cpu[] = { "tail=coo", "tail=csr-vector", NULL };

static void hyb_mapping(const struct features *f, const struct config *c, const struct target *t,
                        const struct traffic *bytes, const struct grid *g, struct mapping *m)
{
    (void)g;
    struct config part;
    struct features tail;
    char why[ERRLEN];
    const double k = (double)config_int(c, "k"), nnz = fmax((double)f->nnz, 1);
    m->path = fmax(k, 1);
    m->slots = fmax((double)bytes->values / (double)precision_bytes(t->precision), nnz);
    m->block_rows = 1;
    if (parts_look(f, c, TAIL, &part, &tail, why) != 0)
        return;
    const double writers = (double)(tail.rows - tail.row_empty);
    struct traffic tail_bytes;
    struct grid tail_grid;
    struct mapping inner;
    m->pieces = (double)tail.nnz;
    m->cuts = tail.nnz > 0;
    m->tail_rows = (double)f->rows;
    m->most_pieces = m->tail_longest = (double)tail.row_max;
    if (part.kernel->layout->traffic(&tail, &part, t, &tail_bytes) == 0
        && kernel_grid(&tail, &part, t, &tail_grid) == 0) {
        kernel_mapping(&tail, &part, t, &tail_bytes, &tail_grid, &inner);
        m->tail_path = inner.path;
    }
    m->own[0] = (double)tail.nnz / nnz;
    m->own[1] = m->tail_longest;
    m->own[2] = m->tail_path;
    m->second_turn = 1;
    m->piece_path = log1p((double)tail.nnz);
    m->block_rows = fmax(1, writers / (double)f->rows);
    features_free(&tail);
}

const struct kernel hyb_kernel = { .name = "hyb",
                                   .about = "one kernel for the head, then one for the tail",
                                   .layout = &hyb_layout,
                                   .sweep = hyb_sweep,
                                   .sweep_cpu = hyb_sweep_cpu,
                                   .revision = 1,
                                   .work = WORK_PARTS,
                                   .grid = parts_grid,
                                   .mapping = hyb_mapping,
                                   .spmv_cpu = parts_spmv_cpu };
