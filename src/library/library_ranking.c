/* SPDX-License-Identifier: BSD-3-Clause */
/* Rankings: forecasts of all configurations for one matrix (forecast/outlook.h), and the advice. */
#include "library/library_ranking.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/strings.h"
#include "forecast/advice.h"
#include "formats/format.h"
#include "library/library.h"

struct request {
    const spmvcast_profile *profile;
    const spmvcast_pattern *pattern;
    spmvcast_rank_options options;
    spmvcast_ranking *ranking;
};

_Static_assert(PICK_PRODUCTS == SPMVCAST_PRODUCTS, "one default number of products");
_Static_assert((int)PICK_LOWEST == SPMVCAST_FASTEST && (int)PICK_SURE == SPMVCAST_SURE
                   && (int)PICK_STAY == SPMVCAST_STAY,
               "reasons are cast");

/* ---- options ---- */
spmvcast_status library_check_configs(const char *const *configs, size_t n, char why[ERRLEN])
{
    struct config c;
    char reason[ERRLEN];
    if (n > 0 && !configs)
        return fail(why, "configs is NULL, but nconfigs is %zu", n), SPMVCAST_INVALID_ARGUMENT;
    for (size_t i = 0; i < n; i++)
        if (!configs[i] || config_parse(configs[i], &c, reason) != 0)
            return fail(why, "configs[%zu]: %s", i, configs[i] ? reason : "NULL"), SPMVCAST_INVALID_ARGUMENT;
    return SPMVCAST_OK;
}

bool library_take_products(int64_t given, int64_t *products)
{
    *products = given == SPMVCAST_UNLIMITED ? 0 : given == 0 ? SPMVCAST_PRODUCTS : given;
    return *products >= 0 && *products <= INT64_C(1000000000000000);
}

spmvcast_status library_take_terms(spmvcast_place place, int64_t products, double risk, struct outlook_terms *out,
                                   char why[ERRLEN])
{
    if ((unsigned)place > SPMVCAST_ON_HOST)
        return fail(why, "place is none of its enumeration's values"), SPMVCAST_INVALID_ARGUMENT;
    *out = (struct outlook_terms){ .location = (enum matrix_location)place,
                                   .risk = risk > 0   ? risk
                                           : risk < 0 ? 0
                                                      : OUTLOOK_RISK };
    if (!library_take_products(products, &out->products) || isnan(risk) || risk > 100)
        return fail(why, "products must be at most 1e15 or SPMVCAST_UNLIMITED, and risk at most 100"),
               SPMVCAST_INVALID_ARGUMENT;
    return SPMVCAST_OK;
}

static spmvcast_status check_options(const spmvcast_rank_options *o, const struct model **model, char why[ERRLEN])
{
    const char *unknown = !library_knows_precision(o->precision) ? "precision"
                          : (unsigned)o->cache >= NCACHES        ? "cache"
                          : (unsigned)o->launch >= NLAUNCHES     ? "launch"
                                                                 : NULL;
    if (unknown)
        return fail(why, "%s is none of its enumeration's values", unknown), SPMVCAST_INVALID_ARGUMENT;
    if (!launch_is_timed((enum launching)o->launch, (enum cache)o->cache))
        return fail(why, "there are no forecasts of stream launches with cold caches"), SPMVCAST_INVALID_ARGUMENT;
    const spmvcast_status status = library_check_configs(o->configs, o->nconfigs, why);
    if (status != SPMVCAST_OK)
        return status;
    *model = o->model ? model_find(o->model) : NULL;
    if (o->model && !*model)
        return fail(why, "unknown model '%.40s'; known: %.400s", o->model, model_names()), SPMVCAST_INVALID_ARGUMENT;
    return SPMVCAST_OK;
}

/* ---- the ranking ---- */
static spmvcast_status rank(void *arguments, char why[ERRLEN])
{
    const struct request *r = arguments;
    const spmvcast_rank_options *o = &r->options;
    const struct model *model;
    spmvcast_ranking *out = r->ranking;
    struct outlook_terms terms;
    spmvcast_status status = check_options(o, &model, why);
    if (status == SPMVCAST_OK)
        status = library_take_terms(o->place, o->products, o->risk, &terms, why);
    if (status != SPMVCAST_OK)
        return status;
    /* The profile is shared: the matrix that it is asked about is set in a copy, which shares the tables. */
    struct profile profile = r->profile->profile;
    profile_ask_about(&profile, r->pattern->name, r->pattern->group, r->pattern->recipe, r->pattern->pattern_id);
    struct strlist asked = { 0 };
    for (size_t i = 0; i < o->nconfigs; i++)
        strlist_add(&asked, o->configs[i]);
    const struct target target = { profile.device, library_precision(o->precision), (enum cache)o->cache,
                                   (enum launching)o->launch };
    model = model ? model : model_of_profile(&profile, false);
    if (outlook_make(&profile, model, &r->pattern->features, &target, &asked, &out->outlook, why) != 0)
        return SPMVCAST_NO_FORECAST;
    outlook_rank(&out->outlook, &terms);
    strlist_free(&asked);
    out->recommended = advice_recommended(&out->outlook);
    out->advice = advice_text(&out->outlook, true, false); /* all rows are the caller's */
    return SPMVCAST_OK;
}

spmvcast_status spmvcast_rank(spmvcast_context *c, const spmvcast_profile *profile, const spmvcast_pattern *pattern,
                              const spmvcast_rank_options *options, spmvcast_ranking **out)
{
    const spmvcast_rank_options defaults = SPMVCAST_RANK_OPTIONS_INIT;
    if (out)
        *out = NULL;
    if (!c)
        return SPMVCAST_INVALID_ARGUMENT;
    library_begin(c);
    if (!profile || !pattern || !out)
        return library_refuse(c, SPMVCAST_INVALID_ARGUMENT, "spmvcast_rank: no %s",
                              !profile   ? "profile"
                              : !pattern ? "pattern"
                                         : "place for the ranking");
    const size_t bytes = options ? library_size(options->size, sizeof defaults, sizeof defaults) : sizeof defaults;
    if (bytes == 0)
        return library_refuse(c, SPMVCAST_INVALID_ARGUMENT,
                              "spmvcast_rank_options: size is not set; use SPMVCAST_RANK_OPTIONS_INIT");
    spmvcast_ranking *r = calloc(1, sizeof *r);
    if (!r)
        return library_refuse(c, SPMVCAST_OUT_OF_MEMORY, "out of memory");
    struct request request = { profile, pattern, defaults, r };
    if (options)
        memcpy(&request.options, options, bytes);
    const spmvcast_status status = library_call(c, &r->arena, rank, &request);
    if (status == SPMVCAST_OK)
        *out = r;
    else
        free(r);
    return status;
}

void spmvcast_ranking_free(spmvcast_ranking *r)
{
    if (!r)
        return;
    arena_free(&r->arena);
    free(r);
}

struct outlook ranking_take_outlook(spmvcast_ranking *r)
{
    const struct outlook taken = r->outlook;
    r->outlook = (struct outlook){ 0 };
    r->recommended = NULL;
    free(r->advice); /* programs have no arena that would free it (library_memory.h) */
    r->advice = NULL;
    return taken;
}

/* ---- its rows ---- */
static const struct outlook_row *row_at(const spmvcast_ranking *r, size_t row)
{
    return r && row < (size_t)r->outlook.n ? &r->outlook.row[row] : NULL;
}

static size_t index_of(const spmvcast_ranking *r, const struct outlook_row *row)
{
    return row ? (size_t)(row - r->outlook.row) : SPMVCAST_NO_ROW;
}

static const char *text_or_null(const char *text) { return text && *text ? text : NULL; }

size_t spmvcast_ranking_count(const spmvcast_ranking *r) { return r ? (size_t)r->outlook.n : 0; }

spmvcast_status spmvcast_ranking_row(const spmvcast_ranking *ranking, size_t row, spmvcast_row *out)
{
    const struct outlook_row *r = row_at(ranking, row);
    const size_t bytes = ranking && out ? library_size(out->size, sizeof *out, sizeof *out) : 0;
    if (bytes == 0)
        return SPMVCAST_INVALID_ARGUMENT;
    if (!r)
        return SPMVCAST_NO_ENTRY;
    const struct outlook *o = &ranking->outlook;
    const spmvcast_row ours = {
        .size = out->size,
        .least_bytes = r->least_bytes,
        .storage_bytes = r->storage_bytes,
        .requested = r->shown,
#define NOT_PRINTED(line) line
#define RANKING_TEXT(name, about, value) .name = text_or_null(value),
#define RANKING_WHOLE(name, about, value) .name = value,
#define RANKING_FLAG(name, about, value) .name = value,
#define RANKING_US(name, about, value) .name##_s = value,
#define RANKING_REAL(name, member, unit, digits, about, value) .member = value,
#define RANKING_COUNT(name, member, about, value) .member = value,
#define RANKING_NAME(name, names, type, about, value) .name = (type)(value),
#include "forecast/ranking_row.def"
    };
    memcpy(out, &ours, bytes);
    return SPMVCAST_OK;
}

spmvcast_status spmvcast_ranking_parameter(const spmvcast_ranking *r, size_t row, size_t i, const char **key,
                                           const char **value)
{
    const struct outlook_row *x = row_at(r, row);
    if (!r || !key || !value)
        return SPMVCAST_INVALID_ARGUMENT;
    if (!x || i >= (size_t)x->config.n)
        return SPMVCAST_NO_ENTRY;
    *key = x->config.set[i].key;
    *value = x->config.set[i].value;
    return SPMVCAST_OK;
}

spmvcast_status spmvcast_ranking_term(const spmvcast_ranking *r, size_t row, size_t i, const char **name,
                                      double *time_s)
{
    const struct outlook_row *x = row_at(r, row);
    if (!r || !name || !time_s)
        return SPMVCAST_INVALID_ARGUMENT;
    if (!x || i >= (size_t)x->forecast.nterms)
        return SPMVCAST_NO_ENTRY;
    *name = x->forecast.terms[i].name;
    *time_s = x->forecast.terms[i].time_s;
    return SPMVCAST_OK;
}

spmvcast_status spmvcast_ranking_advice(const spmvcast_ranking *r, spmvcast_advice *out)
{
    const size_t bytes = r && out ? library_size(out->size, sizeof *out, sizeof *out) : 0;
    if (bytes == 0)
        return SPMVCAST_INVALID_ARGUMENT;
    const spmvcast_advice ours = { .size = out->size,
                                   .row = index_of(r, r->recommended),
                                   .library_row = index_of(r, r->outlook.library),
                                   .stay_row = index_of(r, r->outlook.stay),
                                   .alike = r->recommended ? advice_alike(&r->outlook, r->recommended) : 0,
                                   .text = r->advice,
                                   .why = (spmvcast_reason)r->outlook.choice.reason };
    memcpy(out, &ours, bytes);
    return r->recommended ? SPMVCAST_OK : SPMVCAST_NO_ENTRY;
}

spmvcast_status ranking_of_question(spmvcast_context *c, const struct question *q, const spmvcast_rank_options *options,
                                    spmvcast_ranking **out)
{
    struct spmvcast_profile *p = xcalloc(1, sizeof *p);
    struct spmvcast_pattern *m = xcalloc(1, sizeof *m);
    p->profile = q->profile;
    m->features = q->features;
    TEXT_SET(m->name, q->matrix.name);
    TEXT_SET(m->group, q->matrix.group);
    TEXT_SET(m->recipe, q->matrix.recipe);
    TEXT_SET(m->pattern_id, q->matrix.pattern_id);
    const spmvcast_status status = spmvcast_rank(c, p, m, options, out);
    free(p);
    free(m);
    return status;
}
