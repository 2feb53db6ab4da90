/* SPDX-License-Identifier: BSD-3-Clause */
/* spmv-predict --list: each profile with its device, date and range of validity. */
#include "plan/listing.h"
#include <stdlib.h>
#include <string.h>
#include "base/options.h"
#include "models/costs.h"
#include "models/model.h"
#include "profile/learned.h"
#include "profile/profiles.h"
#include "profile/times.h"
#include "profile/trained.h"
#include "table/textout.h"

/* The configurations, precisions, caches and models of a profile. Conversion rates and fits of plans are not forecasts and do not count. */
struct words {
    struct strlist configs, precisions, caches, models;
};

static void add(struct words *w, const char *model, const char *config, const char *precision, const char *cache)
{
    strlist_add_once(&w->models, model);
    strlist_add_once(&w->configs, config);
    strlist_add_once(&w->precisions, precision);
    if (*cache) /* learned configurations cover several cache states */
        strlist_add_once(&w->caches, cache);
}

static struct words words_of(const struct profile *p)
{
    struct words w = { { 0 }, { 0 }, { 0 }, { 0 } };
    for (int64_t i = 0; p->learned && i < p->learned->nconfigs; i++)
        add(&w, model_default, p->learned->config[i].config, precision_name(p->learned->config[i].precision), "");
    for (int64_t i = 0; i < p->coefs.n; i++) {
        const struct coef_row *c = &p->coefs.row[i];
        if (!coef_is_cost(c) && model_find(c->model))
            add(&w, c->model, c->config, precision_name(c->precision), cache_name(c->cache));
    }
    for (int64_t i = 0; i < p->times.nconfigs; i++)
        add(&w, "nearest", p->times.config[i].config, precision_name(p->times.config[i].precision),
            cache_name(p->times.config[i].cache));
    for (int64_t i = 0; p->trained && i < p->trained->nfits; i++)
        strlist_add_once(&w.models, p->trained->fit[i].model);
    return w;
}

static void print_words(struct table *out, const char *column, const struct strlist *words)
{
    char *line = strlist_join(words, ",");
    table_put_text(out, column, line);
    free(line);
}

static void print_size(struct table *out, const char *column, bool known, int64_t n)
{
    if (known)
        table_put_int(out, column, n);
    else
        table_put_none(out, column);
}

/* Returns whether it can be read. */
static bool print_profile(struct table *out, const struct profile_file *f)
{
    char why[ERRLEN];
    struct profile p;
    if (f->broken[0] || profile_load(f->path, &p, why) != 0) {
        table_note(out, "%s", f->broken[0] ? f->broken : why);
        return false;
    }
    if (profile_load_trained(&p, why) != 0)
        table_note(out, "%s", why);
    struct words words = words_of(&p);
    int64_t least = INT64_MAX, most = 0;
    for (int64_t i = 0; i < p.measured.nmatrices; i++) {
        int64_t nnz = p.measured.matrices[i].nnz;
        least = nnz < least ? nnz : least;
        most = nnz > most ? nnz : most;
    }
    table_put_text(out, "profile", f->name);
    table_put_text(out, "place", f->origin);
    table_put_text(out, "device", f->device);
    table_put_text(out, "made", f->date);
    table_put_text(out, "this_machine", f->mine ? "yes" : "no");
    table_put_int(out, "configs", words.configs.n);
    print_words(out, "precisions", &words.precisions);
    print_words(out, "caches", &words.caches);
    print_words(out, "models", &words.models);
    table_put_int(out, "matrices", p.measured.nmatrices);
    print_size(out, "min_nnz", p.measured.nmatrices > 0, least);
    print_size(out, "max_nnz", p.measured.nmatrices > 0, most);
    table_row_end(out);
    strlist_free(&words.configs);
    strlist_free(&words.precisions);
    strlist_free(&words.caches);
    strlist_free(&words.models);
    profile_free(&p);
    return true;
}

static const struct column columns[] = {
    TEXT_COLUMN("profile", "name of the profile"),
    TEXT_COLUMN("place", "where it was found: local, user, share, results or file"),
    TEXT_COLUMN("device", "name of the device"),
    TEXT_COLUMN("made", "day of the newest measurement that it was fitted to"),
    TEXT_COLUMN("this_machine",
                "yes: this machine has the device, a CPU with as many threads as this process; no: it does not"),
    INT_COLUMN("configs", "", "number of configurations that it can forecast"),
    TEXT_COLUMN("precisions", "precisions that it can forecast, separated by commas"),
    TEXT_COLUMN("caches", "cache states that it can forecast, separated by commas"),
    TEXT_COLUMN("models", "models that were fitted, separated by commas; others need no fit or use one of these"),
    INT_COLUMN("matrices", "", "measured matrices, without the benchmark grids of the models"),
    INT_COLUMN("min_nnz", "", "fewest nonzeros of these matrices; -: there are none"),
    INT_COLUMN("max_nnz", "", "most nonzeros of these matrices; -: there are none"),
    COLUMNS_END,
};

/* Of several profiles of one name, says which one the name selects. */
static void note_names(struct table *out, const struct profile_list *list)
{
    for (int i = 0; i < list->n; i++) {
        const struct profile_file *f = &list->file[i];
        const int first = profiles_named(list, f->name, false);
        if (first >= 0 && first < i && !f->broken[0])
            table_note(out, "--profile %s selects %s%s; for the other one: --profile %s", f->name,
                       list->file[first].path, list->file[first].broken[0] ? ", which cannot be used" : "", f->path);
    }
}

void listing_print(bool json)
{
    struct profile_list list;
    profiles_scan(&list);
    struct table *out = textout_begin(json, columns);
    textout_view(out, "profile place device made this_machine precisions caches matrices models");
    int read = 0;
    for (int i = 0; i < list.n; i++)
        read += print_profile(out, &list.file[i]);
    table_note(out, "%s; searched %s", counted(read, "profile").text, list.looked);
    note_names(out, &list);
    if (list.unread[0])
        table_note(out, "cannot read %s", list.unread);
    table_note(out, "matrices, min_nnz, max_nnz: measured matrices, without the models' benchmark grids");
    textout_end(out);
    profiles_free(&list);
}
