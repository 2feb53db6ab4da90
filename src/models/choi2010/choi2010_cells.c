/* SPDX-License-Identifier: BSD-3-Clause */
/* Dense calibration cells of choi2010 (6.3), found by the matrices themselves. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "formats/bcsr/blocks.h"
#include "formats/config_keys.h"
#include "models/cells.h"
#include "models/choi2010/choi2010.h"

static int compare(const void *pa, const void *pb)
{
    const struct choi_cell *a = pa, *b = pb;
    if (a->steps != b->steps)
        return a->steps < b->steps ? -1 : 1;
    if (a->per_sm != b->per_sm)
        return a->per_sm < b->per_sm ? -1 : 1;
    return (a->time_s > b->time_s) - (a->time_s < b->time_s);
}

static void merge_equal(struct choi_cells *c)
{
    int64_t kept = 0;
    for (int64_t i = 0, end; i < c->n; i = end) {
        for (end = i + 1;
             end < c->n && c->cell[end].steps == c->cell[i].steps && c->cell[end].per_sm == c->cell[i].per_sm; end++)
            ;
        c->cell[kept++] = c->cell[i + (end - i - 1) / 2];
    }
    c->n = kept;
}

double choi_bytes(int64_t storage_bytes, const struct features *f, enum precision p)
{
    return (double)(storage_bytes + (f->rows + f->cols) * precision_bytes(p));
}

/* Makes the cell of a row. Returns false if its matrix is not dense or does not load all SMs alike. */
static bool cell_of(const struct run_row *r, const struct features *f, const struct config *config,
                    const struct target *t, struct choi_cell *cell)
{
    struct steps s;
    if (!f || f->nnz == 0 || f->row_min != f->cols || kernel_steps(f, config, &s) != 0)
        return false;
    const bool even = s.n == 1 && s.thread_blocks % t->device.sms == 0;
    *cell = (struct choi_cell){ .per_sm = s.thread_blocks / t->device.sms,
                                .steps = even ? s.steps[0] : 0.0,
                                .time_s = row_time_us(r, t) * 1e-6,
                                .bytes = choi_bytes(r->storage_bytes, f, t->precision) };
    steps_free(&s);
    return even;
}

/* Finds the cells of one configuration, sorted by (steps, per_sm); equal cells become one, of median time. */
static void find_cells(const struct runs *runs, const struct target *t, const char *config, struct choi_cells *c)
{
    const struct config *parsed = config_known(config, NULL);
    memset(c, 0, sizeof *c);
    c->cell = xmalloc((unsigned long)(runs->nrows + 1) * sizeof *c->cell);
    if (!parsed)
        return;
    for (int64_t i = 0; i < runs->nrows; i++) {
        const struct run_row *r = &runs->rows[i];
        if (!row_counts(r, t, "benchmark") || strcmp(r->config, config) != 0)
            continue;
        if (!cell_of(r, runs_features(runs, r->source_id, NULL), parsed, t, &c->cell[c->n])) {
            c->unused++;
            continue;
        }
        c->n++;
        if (r->registers > c->needs.registers)
            c->needs =
                (struct block_needs){ (int)r->threads, (int)r->registers, r->shared_bytes > 0 ? r->shared_bytes : 0 };
    }
    if (c->n)
        qsort(c->cell, (size_t)c->n, sizeof *c->cell, compare);
    merge_equal(c);
}

static void choi_cells_free(struct choi_cells *c)
{
    free(c->cell);
    memset(c, 0, sizeof *c);
}

bool choi_serves(const struct config *c) { return c->kernel->steps != NULL; }

int choi_fit_all(const struct runs *runs, const struct target *t, struct coefs *coefs, const char *model,
                 int (*one)(const struct choi_cells *, const struct target *, const char *, struct coefs *,
                            char[ERRLEN]),
                 char why[ERRLEN])
{
    struct strlist configs = { 0 };
    int fitted = 0;
    if (!kind_facts(t->device.kind)->blocks)
        return fail(why, "%s is about thread blocks that share an SM; %s has none", model,
                    kind_facts(t->device.kind)->about);
    fail(why,
         "no measured rows of a kernel of dense blocks; measure them: spmv-gen choi2010 -o cells.h5, then spmv-run "
         "-c CONFIG -o runs.h5 cells.h5, then spmv-fit -m %s runs.h5 -o profile.h5",
         model);
    cells_configs(runs, t, "benchmark", &configs);
    for (int i = 0; i < configs.n; i++) {
        const struct config *parsed = config_known(configs.v[i], NULL);
        struct choi_cells cells;
        char reason[ERRLEN];
        if (!parsed || !choi_serves(parsed))
            continue;
        find_cells(runs, t, configs.v[i], &cells);
        if (one(&cells, t, configs.v[i], coefs, reason) == 0)
            fitted++;
        else if (fitted == 0)
            memcpy(why, reason, sizeof reason);
        choi_cells_free(&cells);
    }
    strlist_free(&configs);
    return fitted ? 0 : FAIL;
}

void choi_needs_store(const struct choi_cells *cells, const char *model, const char *config, const struct target *t,
                      struct coefs *c)
{
    coefs_add(c, model, config, t, "threads", 0, (double)cells->needs.threads, "", NAN, NAN);
    coefs_add(c, model, config, t, "registers", 0, (double)cells->needs.registers, "", NAN, NAN);
    coefs_add(c, model, config, t, "shared_bytes", 0, (double)cells->needs.shared_bytes, "B", NAN, NAN);
}

int choi_find(const struct profile *p, const struct features *m, const struct config *config, const struct target *t,
              const char *model, char text[CONFIG_LEN], char why[ERRLEN])
{
    int64_t n;
    config_print(config, text);
    if (!kind_facts(p->device.kind)->blocks)
        return fail(why, "model %s is about thread blocks that share an SM; %s has none", model,
                    kind_facts(p->device.kind)->about);
    if (!choi_serves(config))
        return fail(why, "kernel %s: not supported by model %s, only kernels of dense blocks", config->kernel->name,
                    model);
    if (m->nnz == 0)
        return fail(why, "the matrix has no entries");
    if (!coefs_find(&p->coefs, model, text, t, NULL, &n))
        return fail(why,
                    "profile %s has no %s coefficients for %s, %s; measure them: spmv-gen choi2010 -o cells.h5, "
                    "then spmv-run -c %s -o runs.h5 cells.h5, then spmv-fit -m %s runs.h5 -o profile.h5",
                    p->name, model, text, target_words(t).text, text, model);
    return 0;
}

/* --------------------------------------------------------------------------------------------------------- explain */
/* Returns the index of the counted square whose fill decides about blocks of r x c: the same size, else the largest of no
 * more entries. */
static int square_of(int r, int c)
{
    int best = 0;
    for (int i = 1; i < BLOCK_FILLS; i++) {
        const int side = block_fill_sides[i];
        if (side * side <= r * c && side > block_fill_sides[best])
            best = i;
    }
    return best;
}

struct choi_fill choi_fill_words(const struct features *f, const struct config *config)
{
    const struct block_shape b = block_shape_of(config);
    const int i = square_of(b.r, b.c), side = block_fill_sides[i];
    const int64_t entries = f->fill_entries[i];
    const bool square = b.r == side && b.c == side;
    struct choi_fill fill;
    char source[32] = "", origin[80];
    if (b.r * b.c == 1 || blocks_dense(f) || f->nnz == 0) {
        snprintf(fill.text, sizeof fill.text, "fill of %d x %d blocks not sampled: %s", b.r, b.c,
                 b.r * b.c == 1 ? "it is 1"
                 : f->nnz       ? "the matrix is dense"
                                : "the matrix has no nonzeros");
        return fill;
    }
    if (!square)
        snprintf(source, sizeof source, "from that of %d x %d, ", side, side);
    if (!(features_fill_of(f, i) > 0))
        snprintf(origin, sizeof origin, "not sampled, estimated from sectors of x");
    else if (entries == 0)
        snprintf(origin, sizeof origin, "%sof an unknown sample", source);
    else if (entries >= f->nnz)
        snprintf(origin, sizeof origin, "%scounted on all %" PRId64 " nonzeros", source, f->nnz);
    else
        snprintf(origin, sizeof origin, "%s%s %" PRId64 " of %" PRId64 " nonzeros", source,
                 block_fill_stride(f->nnz) > 1 ? "sampled from" : "counted on", entries, f->nnz);
    snprintf(fill.text, sizeof fill.text, "fill of %d x %d blocks %.4g, %s", b.r, b.c,
             blocks_guess(f, b) * b.r * b.c / (double)f->nnz, origin);
    return fill;
}
