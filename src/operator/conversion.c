/* SPDX-License-Identifier: BSD-3-Clause */
/* Conversion on the host and on devices (conversion.h). */
#include "operator/conversion.h"
#include <math.h>
#include <stdlib.h>
#include "base/clock.h"
#include "formats/storage.h"

const struct conversion_costs conversion_costs_none = { NAN, NAN, NAN, NAN, NAN, NAN };

static void add(double *sum, double more)
{
    if (!isnan(more))
        *sum = more + (isnan(*sum) ? 0 : *sum);
}

void conversion_costs_add(struct conversion_costs *sum, const struct conversion_costs *c)
{
    add(&sum->examine_s, c->examine_s);
    add(&sum->fetch_s, c->fetch_s);
    add(&sum->host_s, c->host_s);
    add(&sum->upload_s, c->upload_s);
    add(&sum->device_s, c->device_s);
    add(&sum->prepare_s, c->prepare_s);
}

double conversion_costs_total(const struct conversion_costs *c)
{
    double total_s = 0;

    add(&total_s, c->examine_s);
    add(&total_s, c->fetch_s);
    add(&total_s, c->host_s);
    add(&total_s, c->upload_s);
    add(&total_s, c->device_s);
    return total_s;
}

/* ---- the matrix on the host */
static int get_values(struct device *d, const struct device_csr *csr, double *val, char why[ERRLEN])
{
    if (csr->precision == F64)
        return d->memory->get(d, val, csr->val, csr->nnz * 8, why);
    float *narrow = xmalloc((unsigned long)(csr->nnz + 1) * sizeof *narrow);
    const int status = d->memory->get(d, narrow, csr->val, csr->nnz * 4, why);
    for (int64_t k = 0; k < csr->nnz && status == 0; k++)
        val[k] = (double)narrow[k];
    free(narrow);
    return status;
}

/* Copies a matrix from the device; free with csr_free. */
static int fetch(struct device *d, const struct device_csr *from, struct csr *to, char why[ERRLEN])
{
    int status = csr_alloc(to, from->rows, from->cols, from->nnz, why);

    if (status != 0)
        return status;
    int32_t *narrow = xmalloc((unsigned long)(from->rows + 1) * sizeof *narrow);
    status = d->memory->get(d, narrow, from->row_ptr, 4 * (from->rows + 1), why);
    for (int64_t i = 0; i <= from->rows && status == 0; i++)
        to->row_ptr[i] = narrow[i];
    free(narrow);
    if (status == 0)
        status = d->memory->get(d, to->col, from->col, 4 * from->nnz, why);
    if (status == 0)
        status = get_values(d, from, to->val, why);
    if (status != 0)
        csr_free(to);
    return status;
}

/* ---- conversion */
static int convert_on_host(struct device *d, const struct target *t, const struct config *config,
                           const struct csr_view *view, struct storage **out, struct conversion_costs *costs,
                           char why[ERRLEN])
{
    struct storage *built;
    const double begun_s = now_s();
    int status = config->kernel->layout->build(view, config, t, &built, why);

    if (status != 0)
        return status;
    const double built_s = now_s();
    costs->host_s = built_s - begun_s;
    status = d->backend->upload(d, built, out, why);
    if (*out != built)
        costs->upload_s = now_s() - built_s;
    storage_free(built);
    return status;
}

static int convert_on_device(struct device *d, const struct config *config, const struct matrix_source *from,
                             bool twice, struct storage **out, struct conversion_costs *costs, char why[ERRLEN])
{
    int status = 0;

    for (int turn = 0; turn < 1 + twice && status == 0; turn++) {
        storage_free(*out);
        const double begun_s = now_s();
        status = d->backend->build(d, config->kernel->layout, from->csr, config, from->features, out, why);
        costs->device_s = now_s() - begun_s;
    }
    if (status != 0)
        *out = NULL;
    return status;
}

bool conversion_on_device(const struct device *d, const struct layout *layout, const struct matrix_source *from)
{
    return from->csr && d->backend->builds(layout);
}

bool conversion_refers(const struct device *d, const struct layout *layout, const struct matrix_source *from)
{
    return conversion_on_device(d, layout, from) && d->backend->refers(layout);
}

int conversion_make(struct device *d, const struct target *t, const struct config *config,
                    const struct matrix_source *from, bool twice, struct storage **out, struct conversion_costs *costs,
                    char why[ERRLEN])
{
    struct csr copy;

    *out = NULL;
    *costs = conversion_costs_none;
    if (conversion_on_device(d, config->kernel->layout, from))
        return convert_on_device(d, config, from, twice, out, costs, why);
    if (from->view)
        return convert_on_host(d, t, config, from->view, out, costs, why);
    const double begun_s = now_s();
    int status = fetch(d, from->csr, &copy, why);
    if (status != 0)
        return status;
    costs->fetch_s = now_s() - begun_s;
    const struct csr_view view = csr_view_all(&copy);
    status = convert_on_host(d, t, config, &view, out, costs, why);
    csr_free(&copy);
    return status;
}
