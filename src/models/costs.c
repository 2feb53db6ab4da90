/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes the set-up costs (costs.h). */
#include "models/costs.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "formats/format.h"
#include "formats/mapping.h"

const char *const cost_names[NCOSTS] = { "build", "upload", "device_build", "prepare" };
const char *const cost_term_names[NCOST_TERMS] = {
#define COST_TERM(name, unit) #name,
#include "models/costs.def"
#undef COST_TERM
};
const char *const cost_term_units[NCOST_TERMS] = {
#define COST_TERM(name, unit) unit,
#include "models/costs.def"
#undef COST_TERM
};
const char cost_model[] = "cost", matrix_locations[] = "gpu|host";

const char *matrix_location_name(enum matrix_location location) { return location == ON_HOST ? "host" : "gpu"; }

enum matrix_location matrix_location_find(const char *name) { return strcmp(name, "host") == 0 ? ON_HOST : ON_GPU; }

bool coef_is_cost(const struct coef_row *c)
{
    return strcmp(c->model, cost_model) == 0 || strcmp(c->model, "convert") == 0;
}

static const double first_bytes = 4e6, large_bytes[] = { 2e6, 5e6 };

/* Replaces a general form, the key of COST_PREPARE, by the key of the other costs. */
static void to_layout_key(char key[CONFIG_LEN])
{
    char why[ERRLEN];
    const struct config *general = config_known(key, why);
    if (!general)
        bug("%s", why);
    config_layout_key(general, key);
}

void cost_key(enum cost cost, const struct config *resolved, const struct features *f, const struct target *t,
              char key[CONFIG_LEN])
{
    config_general(resolved, f, t, key);
    if (cost != COST_PREPARE)
        to_layout_key(key);
}

/* Sets *cuts if the kernel cuts rows, and adds the number of pieces to *pieces. */
static void count_pieces(const struct features *f, const struct config *c, const struct target *t, bool *cuts,
                         double *pieces)
{
    struct traffic bytes = { 0 };
    struct grid grid;
    struct mapping m = { 0 };
    if (f->nnz == 0 || c->kernel->layout->traffic(f, c, t, &bytes) != 0 || kernel_grid(f, c, t, &grid) != 0)
        return;
    kernel_mapping(f, c, t, &bytes, &grid, &m);
    *cuts = *cuts || m.cuts || m.pieces > 0;
    *pieces += m.pieces;
}

/* Examines the parts of a composite that have entries. *refers: only one part has entries, and it uses CSR
 * unchanged. */
static void look_at_parts(const struct features *f, const struct config *c, const struct target *t, bool *several,
                          bool *refers, bool *cuts, double *pieces)
{
    const struct layout *layout = c->kernel->layout;
    int with_entries = 0;
    *refers = false;
    for (int i = 0; i < PARTS_MAX; i++) {
        struct config part, resolved;
        struct features of_part;
        char why[ERRLEN];
        if (layout->part(f, c, i, &part, &of_part) != 0)
            break;
        if (of_part.nnz > 0 && config_resolve(&part, &of_part, t, &resolved, why) == 0) {
            count_pieces(&of_part, &resolved, t, cuts, pieces);
            *refers = with_entries == 0 && resolved.kernel->layout == kernel_baseline()->layout;
            with_entries++;
        }
        features_free(&of_part);
    }
    *several = with_entries > 1;
}

int cost_facts_of(const struct features *f, const struct config *c, const struct target *t, struct cost_facts *a)
{
    const struct layout *layout = c->kernel->layout;
    struct traffic bytes = { 0 };
    *a = (struct cost_facts){ .composite = layout->part != NULL };
    if (layout->traffic(f, c, t, &bytes) != 0)
        return FAIL;
    a->storage_bytes = traffic_storage(&bytes);
    if (a->composite)
        look_at_parts(f, c, t, &a->several, &a->refers, &a->cuts, &a->pieces);
    else
        count_pieces(f, c, t, &a->cuts, &a->pieces);
    return 0;
}

void cost_terms_of(enum cost cost, const struct cost_facts *a, const struct features *f, double term[NCOST_TERMS])
{
    const bool pieces = a->composite || cost == COST_PREPARE;
    memset(term, 0, NCOST_TERMS * sizeof *term);
    term[COST_TERM_start] = 1;
    term[COST_TERM_cut] = pieces && a->cuts;
    term[COST_TERM_piece] = pieces ? a->pieces : 0;
    if (a->refers && cost == COST_DEVICE_BUILD) /* nothing to build: CSR is already on the device */
        return;
    term[COST_TERM_byte] = (double)a->storage_bytes;
    term[COST_TERM_first_byte] = fmin(term[COST_TERM_byte], first_bytes);
    term[COST_TERM_large] = term[COST_TERM_byte] <= large_bytes[0] ? 0
                            : term[COST_TERM_byte] >= large_bytes[1]
                                ? 1
                                : log(term[COST_TERM_byte] / large_bytes[0]) / log(large_bytes[1] / large_bytes[0]);
    term[COST_TERM_row] = (double)f->rows;
    term[COST_TERM_entry] = (double)f->nnz;
    term[COST_TERM_longest] = (double)f->row_max;
    term[COST_TERM_parts] = a->several;
    term[COST_TERM_parts_byte] = a->several ? term[COST_TERM_byte] : 0;
}

int cost_terms(enum cost cost, const struct features *f, const struct config *c, const struct target *t,
               double term[NCOST_TERMS])
{
    struct cost_facts a;
    if (cost_facts_of(f, c, t, &a) != 0)
        return FAIL;
    cost_terms_of(cost, &a, f, term);
    return 0;
}

struct target cost_target(const struct target *t)
{
    struct target of = *t;
    of.cache = WARM;
    of.launch = GRAPH;
    return of;
}

/* Returns the term that a coefficient of this cost multiplies; NCOST_TERMS: it is of another cost. */
static enum cost_term term_of(const struct coef_row *row, enum cost cost)
{
    const size_t length = strlen(cost_names[cost]);
    int k = 0;
    if (strncmp(row->key, cost_names[cost], length) != 0 || row->key[length] != '.')
        return NCOST_TERMS;
    while (k < NCOST_TERMS && strcmp(row->key + length + 1, cost_term_names[k]) != 0)
        k++;
    return (enum cost_term)k;
}

bool cost_coefficients(const struct coefs *coefs, enum cost cost, const char *key, const struct target *t,
                       double coefficient[NCOST_TERMS])
{
    const struct target of = cost_target(t);
    int64_t n;
    const struct coef_row *row = coefs_find(coefs, cost_model, key, &of, NULL, &n);
    bool any = false;
    memset(coefficient, 0, NCOST_TERMS * sizeof *coefficient);
    for (int64_t i = 0; i < n; i++) {
        const enum cost_term k = term_of(&row[i], cost);
        if (k < NCOST_TERMS)
            coefficient[k] += row[i].value;
        any = any || k < NCOST_TERMS;
    }
    return any;
}

double cost_of(const struct coefs *coefs, enum cost cost, const char *key, const struct target *t,
               const double term[NCOST_TERMS])
{
    const struct target of = cost_target(t);
    int64_t n;
    const struct coef_row *row = coefs_find(coefs, cost_model, key, &of, NULL, &n);
    double sum = NAN;
    for (int64_t i = 0; i < n; i++) {
        const enum cost_term k = term_of(&row[i], cost);
        if (k < NCOST_TERMS)
            sum = (isnan(sum) ? 0 : sum) + row[i].value * term[k];
    }
    return sum;
}

/* Returns a cost by the coefficients of an older profile (start + bytes / rate, or seconds per nonzero); NaN: none. */
static double old_cost(const struct profile *p, enum cost cost, const struct features *f, const char *layout,
                       const struct target *t, double bytes)
{
    static const struct {
        const char *start, *rate;
    } keys[] = { [COST_BUILD] = { "convert_start_s", "convert_bytes_per_s" },
                 [COST_UPLOAD] = { "upload_start_s", "upload_bytes_per_s" } };
    if (cost != COST_BUILD && cost != COST_UPLOAD)
        return NAN;
    const struct target graph = target_in_graph(t);
    const double start_s = coefs_value(&p->coefs, "convert", layout, &graph, keys[cost].start, 0),
                 line_s = (isnan(start_s) ? 0 : start_s)
                          + bytes / coefs_value(&p->coefs, "convert", layout, &graph, keys[cost].rate, 0);
    if (isnan(line_s) && cost == COST_BUILD)
        return coefs_value(&p->coefs, "convert", layout, &graph, "convert_s_per_nnz", 0) * (double)f->nnz;
    return line_s;
}

void profile_costs(const struct profile *p, const struct features *f, const struct config *config,
                   const struct target *asked, double cost_s[NCOSTS])
{
    struct target t = *asked;
    struct cost_facts facts;
    char general[CONFIG_LEN], layout[CONFIG_LEN];
    t.device = p->device;
    for (int cost = 0; cost < NCOSTS; cost++)
        cost_s[cost] = NAN;
    if (cost_facts_of(f, config, &t, &facts) != 0)
        return;
    config_general(config, f, &t, general);
    TEXT_SET(layout, general);
    to_layout_key(layout);
    for (int cost = 0; cost < NCOSTS; cost++) {
        char *key = cost == COST_PREPARE ? general : layout;
        double term[NCOST_TERMS];
        cost_terms_of((enum cost)cost, &facts, f, term);
        cost_s[cost] = cost_of(&p->coefs, (enum cost)cost, key, &t, term);
        if (isnan(cost_s[cost]) && cost == COST_PREPARE) { /* stored under explicit values, e.g. csr-merge:items=7 */
            config_print(config, key);
            cost_s[cost] = cost_of(&p->coefs, (enum cost)cost, key, &t, term);
        }
        if (isnan(cost_s[cost]))
            cost_s[cost] = old_cost(p, (enum cost)cost, f, key, &t, term[COST_TERM_byte]);
        if (isnan(cost_s[cost]) && cost == COST_UPLOAD) {
            cost_s[cost] = cost_of(&p->coefs, COST_UPLOAD, "*", &t, term);
            if (isnan(cost_s[cost]))
                cost_s[cost] = old_cost(p, COST_UPLOAD, f, "*", &t, term[COST_TERM_byte]);
        }
    }
}

bool profile_has_preparations(const struct profile *p)
{
    bool has = false;
    for (int64_t i = 0; i < p->coefs.n && !has; i++)
        has = strcmp(p->coefs.row[i].model, cost_model) == 0 && strncmp(p->coefs.row[i].key, "prepare.", 8) == 0;
    return has;
}

double costs_convert(const double cost_s[NCOSTS], bool csr, enum matrix_location location, double csr_upload_s,
                     bool own_memory)
{
    const double copy_s = location == ON_HOST && own_memory ? csr_upload_s : 0,
                 by_host_s = cost_s[COST_BUILD] + (own_memory ? cost_s[COST_UPLOAD] : 0),
                 by_device_s = copy_s + cost_s[COST_DEVICE_BUILD];
    if (csr)
        return copy_s;
    if (isnan(by_device_s))
        return by_host_s;
    return location == ON_HOST && by_host_s < by_device_s ? by_host_s : by_device_s;
}
