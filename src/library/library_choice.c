/* SPDX-License-Identifier: BSD-3-Clause */
/* The choice of a handle's configuration: by name, by the forecasts of the profile, or by a rule of row lengths. */
#include "library/library_choice.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "forecast/outlook.h"
#include "formats/csr/csr_split.h"

/* A forecast is asked for if the products take longer than this many times the choice. What both take is estimated: rounded up
 * from measurements on an H200 and on a CPU with few cores. */
static const double worth = 8;
static const struct {
    double choose_s, choose_entry_s; /* features and ranking */
    double product_s, product_entry_s;
} efforts[NDEVICE_KINDS] = {
    [DEVICE_CUDA] = { 400e-6, 20e-12, 4e-6, 4e-12 }, [DEVICE_CPU] = { 200e-6, 20e-9, 2e-6, 2e-9 }
};
/* Formats of dense blocks are converted on the host, which pays off after thousands of products only. */
enum { BLOCKS_FROM = 2000 };
/* A lane may take so many entries of a row one after another without holding up the product: 16, and 6 more for each 10^6 nonzeros. All
 * numbers of the rule are chosen for 10 to 100 products, set-up counted, on training.h5, training2.h5 and matrices.h5 of results/h200. */
static const double steps_free = 16, steps_free_entry = 6e-6;

static bool asks_forecast(const spmvcast_device *d, const spmvcast_matrix_options *o, int64_t nnz)
{
    const enum device_kind kind = d->device->backend->kind;
    const double n = (double)nnz, choose_s = efforts[kind].choose_s + n * efforts[kind].choose_entry_s,
                 product_s = efforts[kind].product_s + n * efforts[kind].product_entry_s;
    return d->profile && !o->config && !o->plan && nnz > 0
           && (o->products == 0 || (double)o->products * product_s > worth * choose_s);
}

/* Without forecasts, on a CPU, are kernels timed that the rule does not know of? */
static bool tries_blindly(enum device_kind kind, const spmvcast_matrix_options *o, int64_t nnz)
{
    return kind == DEVICE_CPU && o->trial_products > 0 && (o->products == 0 || o->products > o->trial_products)
           && !o->config && !o->plan && nnz > 0;
}

bool choice_asks(const spmvcast_device *d, const spmvcast_matrix_options *o, int64_t nnz)
{
    return o->config || asks_forecast(d, o, nnz);
}

unsigned choice_needs(const spmvcast_device *d, const spmvcast_matrix_options *o, int64_t rows, int64_t nnz)
{
    const enum device_kind kind = d->device->backend->kind;
    const bool checks = o->check_columns && kind != DEVICE_CPU; /* on a CPU they are checked anyway */
    const bool forecast = asks_forecast(d, o, nnz),
               blocks = forecast && (o->products == 0 || o->products >= BLOCKS_FROM);
    if (rows == 0)
        return 0;
    if (o->plan)
        return EXAMINE_COLUMNS | EXAMINE_BLOCKS;
    if (!forecast && !o->config && !checks)
        return tries_blindly(kind, o, nnz) ? EXAMINE_DIAGONALS : EXAMINE_LONGEST;
    return EXAMINE_COLUMNS | (blocks ? EXAMINE_BLOCKS : 0);
}

bool choice_is_quick(const spmvcast_device *d, const spmvcast_matrix_options *o, int64_t nnz)
{
    return !o->config && !(choice_needs(d, o, 1, nnz) & EXAMINE_BLOCKS);
}

/* ---- rule ---- */
/* Lanes: about half a row's entries, and more while the rows leave half of the device empty. */
static int rule_lanes(double row_mean, int64_t rows, int64_t row_max, const struct geometry *g)
{
    const double half = (double)g->sms * g->threads_sm / 2;
    int lanes = row_mean < 7 ? 2 : row_mean < 24 ? 4 : row_mean < 48 ? 8 : row_mean < 96 ? 16 : 32;
    while (lanes < CUDA_WARP && 2 * lanes * (double)rows <= half && 2 * lanes < row_max)
        lanes *= 2;
    return lanes;
}

struct cuts {
    int lanes, cut, block;
    bool by_block;
};

/* Parameters of csr-split for so many lanes of csr-vector. */
static struct cuts rule_cuts(int lanes)
{
    return lanes < 8    ? (struct cuts){ 4, 64, 128, true }
           : lanes == 8 ? (struct cuts){ 8, 128, 128, false }
                        : (struct cuts){ 16, 128, 256, true };
}

/* Where the rule takes csr-split, rows are so long that they do not limit its lanes. So its cut is known before the longest row is. */
struct row_list choice_listed(const spmvcast_device *d, int64_t rows, int64_t nnz)
{
    const double mean = (double)nnz / (double)rows;
    const struct cuts c = rule_cuts(rule_lanes(mean, rows, INT64_MAX, &d->device->geometry));
    return (struct row_list){ .cut = c.cut, .size = csr_split_piece(c.by_block, c.block) };
}

/* On a CPU csr-merge; on a GPU csr-vector, or csr-split if a row is so much longer than its lanes that the others wait for it. */
static void rule_text(const struct features *f, const struct target *t, char text[CONFIG_LEN])
{
    const int lanes = rule_lanes(f->row_mean, f->rows, f->row_max, &t->device);
    const struct cuts c = rule_cuts(lanes);
    if (f->nnz == 0)
        snprintf(text, CONFIG_LEN, "csr-vector"); /* holds every matrix */
    else if (t->device.kind == DEVICE_CPU)
        snprintf(text, CONFIG_LEN, "csr-merge");
    else if ((double)f->row_max <= lanes * (steps_free + steps_free_entry * (double)f->nnz))
        snprintf(text, CONFIG_LEN, "csr-vector:lanes=%d", lanes);
    else
        snprintf(text, CONFIG_LEN, "csr-split:lanes=%d,cut=%d,deal=%s,block=%d", c.lanes, c.cut,
                 c.by_block ? "block" : "warp", c.block);
}

/* Adds a configuration without a forecast. */
static int add_text(const char *text, const struct target *t, const struct features *f, struct candidates *c,
                    char why[ERRLEN])
{
    struct chosen *x = &c->at[c->n];
    char inner[ERRLEN];
    *x = (struct chosen){ .time_s = NAN, .low_s = NAN, .high_s = NAN, .convert_s = NAN, .prepare_s = NAN };
    if (config_resolve_text(text, f, t, &x->config, why) != 0)
        return FAIL;
    if (kernel_applicable(f, &x->config, t, inner) != 0)
        return fail(why, "%s: %.440s", x->config.kernel->name, inner);
    config_print(&x->config, x->text);
    c->n++;
    return 0;
}

/* Adds, as far as they hold the matrix, formats that are faster than csr-merge on many matrices of short and even rows: one of both is
 * the fastest kernel on 33 of the 75 matrices of results/h200/cpu-matrices.h5. */
static void add_others(const struct target *t, const struct features *f, struct candidates *c)
{
    static const char *const others[] = { "dia", "ell" };
    char ignored[ERRLEN];
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        (void)add_text(others[i], t, f, c, ignored);
}

/* Adds the forecast to a configuration, if there is one. */
static void take_forecast(const struct chooser *chooser, const struct features *f, struct chosen *x)
{
    const struct chooser_terms terms = { .location = ON_GPU, .risk = OUTLOOK_RISK, .max_bytes = -1 };
    struct chosen found;
    char why[ERRLEN];
    if (chooser_forecast(chooser, f, &terms, x->text, &found, why) == 0)
        *x = found;
}

static spmvcast_status take_named(const struct chooser *chooser, const struct target *t, const struct backend *b,
                                  const struct features *f, const spmvcast_matrix_options *o, struct candidates *c,
                                  char why[ERRLEN])
{
    c->how = SPMVCAST_BY_NAME;
    if (add_text(o->config, t, f, c, why) != 0)
        return SPMVCAST_INVALID_ARGUMENT;
    const struct config *config = &c->at[0].config;
    if (!b->has_kernel(config->kernel))
        return fail(why, "%s: the device %s does not have this kernel", config->kernel->name, t->device.name),
               SPMVCAST_INVALID_ARGUMENT;
    if (o->deterministic && !kernel_deterministic(config))
        return fail(why, "%.200s is not deterministic", c->at[0].text), SPMVCAST_INVALID_ARGUMENT;
    if (chooser && f->nnz > 0)
        take_forecast(chooser, f, &c->at[0]);
    return SPMVCAST_OK;
}

spmvcast_status choice_make(const struct chooser *chooser, const struct target *t, const struct backend *b,
                            const struct features *f, const spmvcast_matrix_options *o, struct candidates *c,
                            char why[ERRLEN])
{
    char text[CONFIG_LEN];
    c->n = 0;
    if (o->config)
        return take_named(chooser, t, b, f, o, c, why);
    const struct chooser_terms terms = { .products = o->products,
                                         .location = ON_GPU,
                                         .risk = OUTLOOK_RISK,
                                         .deterministic = o->deterministic,
                                         .max_bytes = o->memory_limit };
    if (chooser && f->nnz > 0)
        c->n = chooser_ask(chooser, f, &terms, c->at, o->trial_products > 0 ? CANDIDATES - 1 : 1);
    c->how = c->n > 0 ? SPMVCAST_BY_FORECAST : SPMVCAST_BY_RULE;
    rule_text(f, t, text);
    if (add_text(text, t, f, c, why) != 0)
        return SPMVCAST_INTERNAL_ERROR;
    if (c->how == SPMVCAST_BY_RULE && tries_blindly(t->device.kind, o, f->nnz))
        add_others(t, f, c);
    return SPMVCAST_OK;
}
