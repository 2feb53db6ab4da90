/* SPDX-License-Identifier: BSD-3-Clause */
/* Composites: y = sum over parts. */
#include "formats/parts.h"
#include "formats/build.h"

/* Parts without entries are skipped; if all are empty, the first is kept to write y. */
static bool part_kept(int p, int64_t part_nnz, int64_t nnz) { return part_nnz > 0 || (p == 0 && nnz == 0); }

int parts_applicable(const struct features *f, const struct config *c, const struct target *t, char why[ERRLEN])
{
    const struct layout *layout = c->kernel->layout;
    struct config part;
    struct features pf;
    char inner[ERRLEN];
    int rc = 0;

    for (int p = 0; rc == 0 && layout->part(f, c, p, &part, &pf) == 0; p++) {
        if (part_kept(p, pf.nnz, f->nnz) && kernel_applicable(&pf, &part, t, inner) != 0)
            rc = fail(why, "%s (%s): %.400s", parts_name(layout, p), part.kernel->name, inner);
        features_free(&pf);
    }
    return rc;
}

/* view: the entries of the part, for an exact count; NULL: estimates from features. */
static int part_traffic(const struct csr_view *view, const struct features *f, const struct config *c,
                        const struct target *t, struct traffic *out)
{
    const struct layout *layout = c->kernel->layout;

    return view && layout->count ? layout->count(view, f, c, t, out) : layout->traffic(f, c, t, out);
}

int parts_count(const struct csr_view *views, const struct features *f, const struct config *c, const struct target *t,
                struct traffic *out)
{
    const struct layout *layout = c->kernel->layout;
    struct config part;
    struct features pf;
    struct traffic pt;
    bool first = true;
    int rc = 0;

    memset(out, 0, sizeof *out);
    for (int p = 0; rc == 0 && layout->part(f, c, p, &part, &pf) == 0; p++) {
        if (part_kept(p, pf.nnz, f->nnz) && (rc = part_traffic(views ? &views[p] : NULL, &pf, &part, t, &pt)) == 0) {
            out->values += pt.values;
            out->indices += pt.indices;
            out->pointers += pt.pointers;
            out->padding += pt.padding;
            out->unsure += pt.unsure;
            out->skipped += pt.skipped;
            const int64_t again = first ? 0 : 2 * (pf.rows - pf.row_empty) * precision_bytes(t->precision);
            out->y += first ? pt.y : again;
            out->unsure += again;
            first = false;
        }
        features_free(&pf);
    }
    const int64_t y = out->y;
    traffic_vectors(f, t, out);
    out->y = y;
    return rc;
}

int parts_traffic(const struct features *f, const struct config *c, const struct target *t, struct traffic *out)
{
    return parts_count(NULL, f, c, t, out);
}

int parts_grid(const struct features *f, const struct config *c, const struct target *t, struct grid *g)
{
    struct config part;
    struct features pf;
    bool done = false;
    int rc = FAIL;

    for (int p = 0; !done && c->kernel->layout->part(f, c, p, &part, &pf) == 0; p++) {
        done = part_kept(p, pf.nnz, f->nnz);
        if (done)
            rc = kernel_grid(&pf, &part, t, g);
        features_free(&pf);
    }
    return rc;
}

int parts_arrays(struct storage *base, struct array *a)
{
    struct parts *s = (struct parts *)base;
    int n = 0;

    for (int p = 0; p < PARTS_MAX; p++) {
        struct device_csr *csr = &s->part[p].csr;
        a[n++] = (struct array){ "csr.row_ptr", &csr->row_ptr, csr->rows + 1, sizeof *csr->row_ptr, .scratch = true };
        a[n++] = (struct array){ "csr.col", &csr->col, csr->nnz, sizeof *csr->col, .scratch = true };
        a[n++] = (struct array){ "csr.val", &csr->val, csr->nnz, precision_bytes(csr->precision), .scratch = true };
    }
    return n;
}

int parts_build(const struct layout *layout, const struct csr_view *views, int n, const struct config *c,
                const struct target *t, struct storage **out, char why[ERRLEN])
{
    struct parts *s = storage_new(layout, &views[0], t, why);
    char inner[ERRLEN];
    int64_t nnz[PARTS_MAX];
    int rc = 0;

    if (!s)
        return OOM;
    if (n > PARTS_MAX)
        bug("%s has %d parts (limit %d)", layout->name, n, PARTS_MAX);
    s->n = n;
    s->base.nnz = 0;
    for (int p = 0; p < n; p++)
        s->base.nnz += nnz[p] = csr_view_nnz(&views[p]);
    for (int p = 0; rc == 0 && p < n; p++) {
        struct part_storage *part = &s->part[p];

        if ((rc = config_part(c, parts_name(layout, p), &part->config, why)) != 0)
            break;
        if (!part_kept(p, nnz[p], s->base.nnz))
            continue;
        rc = part->config.kernel->layout->build(&views[p], &part->config, t, &part->storage, inner);
        if (rc != 0)
            fail(why, "%s: %.400s", parts_name(layout, p), inner);
    }
    return storage_done(rc, &s->base, out);
}

void parts_spmv_host(const struct storage *base, const void *x, void *y, enum y_mode mode)
{
    const struct parts *s = (const struct parts *)base;

    for (int p = 0; p < s->n; p++) {
        const struct storage *part = s->part[p].storage;

        if (!part)
            continue;
        part->layout->spmv_host(part, x, y, mode);
        mode = Y_ADD;
    }
}

static void run_part(const struct storage *base, const struct config *c, int p, const void *x, void *y,
                     enum y_mode mode)
{
    const struct storage *part = ((const struct parts *)base)->part[p].storage;
    struct config config;
    char why[ERRLEN];

    if (config_part(c, parts_name(base->layout, p), &config, why) != 0)
        bug("%s: %s", base->layout->name, why);
    if (config.kernel->spmv_cpu)
        config.kernel->spmv_cpu(part, &config, x, y, mode);
    else
        part->layout->spmv_host(part, x, y, mode);
}

/* Launch keys come from the configuration that runs, because configurations share storages. only: the one part to run;
 * -1: all parts. */
static void run_parts(const struct storage *base, const struct config *c, int only, const void *x, void *y,
                      enum y_mode mode)
{
    const struct parts *s = (const struct parts *)base;

    for (int p = 0; p < s->n; p++) {
        if (!s->part[p].storage)
            continue;
        if (only < 0 || p == only)
            run_part(base, c, p, x, y, mode);
        mode = Y_ADD;
    }
}

void parts_spmv_cpu(const struct storage *base, const struct config *c, const void *x, void *y, enum y_mode mode)
{
    run_parts(base, c, -1, x, y, mode);
}

void parts_spmv_part(const struct storage *base, const struct config *c, int part, const void *x, void *y,
                     enum y_mode mode)
{
    run_parts(base, c, part, x, y, mode);
}

int parts_look(const struct features *f, const struct config *c, int p, struct config *part, struct features *pf,
               char why[ERRLEN])
{
    const struct layout *layout = c->kernel->layout;

    if (layout->part(f, c, p, part, pf) != 0)
        return fail(why, "%s has no part %d", layout->name, p);
    if (part_kept(p, pf->nnz, f->nnz))
        return 0;
    features_free(pf);
    return fail(why, "the %s has no entries; nothing to time", parts_name(layout, p));
}

bool parts_all_in_one(const struct features *f, const struct config *c)
{
    const struct layout *layout = c->kernel->layout;
    struct features part;
    struct config config;
    int64_t nnz = 0;
    for (int i = 0; layout->part && nnz == 0 && layout->part(f, c, i, &config, &part) == 0; i++) {
        nnz = part.nnz;
        features_free(&part);
    }
    return layout->part && nnz == f->nnz;
}
