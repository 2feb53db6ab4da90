/* SPDX-License-Identifier: BSD-3-Clause */
/* spmv-predict --list: each profile with its device, date and range of validity. */
#include "plan/listing.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "base/options.h"
#include "base/textout.h"
#include "models/learned.h"
#include "models/profiles.h"
#include "models/times.h"

static void add_once(struct strlist *list, const char *text)
{
    if (*text && !strlist_has(list, text))
        strlist_add(list, text);
}

/* The different values of a text column of the coefficients, measured times and learned configurations, which hold it at those
 * offsets (below 0: not at all, and are called of_times, of_learned); rates of conversion are not forecasts and do not count. */
struct place {
    size_t coef;
    long time, learned;
    const char *of_times, *of_learned;
};
static struct strlist distinct(const struct profile *p, const struct place *at)
{
    struct strlist found = { 0 };
    const struct coefs *c = &p->coefs;
    for (int64_t i = 0; p->learned && i < p->learned->nconfigs; i++)
        add_once(&found, at->learned < 0 ? at->of_learned : (const char *)&p->learned->config[i] + at->learned);
    for (int64_t i = 0; i < c->n; i++) {
        const char *text = (const char *)&c->row[i] + at->coef;
        if (strcmp(c->row[i].model, "convert") != 0)
            add_once(&found, text);
    }
    for (int64_t i = 0; i < p->times.nconfigs; i++)
        add_once(&found, at->time < 0 ? at->of_times : (const char *)&p->times.config[i] + at->time);
    return found;
}

static void print_words(struct textout *out, const char *column, const struct profile *p, const struct place *at)
{
    struct strlist found = distinct(p, at);
    char *line = xstrdup("");
    for (int i = 0; i < found.n; i++) {
        char *longer = xasprintf("%s%s%s", line, i ? "," : "", found.v[i]);
        free(line);
        line = longer;
    }
    textout_text(out, column, line);
    free(line);
    strlist_free(&found);
}

static void print_size(struct textout *out, const char *column, bool known, int64_t n)
{
    if (known)
        textout_int(out, column, n);
    else
        textout_none(out, column);
}

static void print_profile(struct textout *out, const struct profile_file *f)
{
    char why[ERRLEN];
    struct profile p;
    if (f->broken[0] || profile_load(f->path, &p, why) != 0) {
        textout_note(out, "%s", f->broken[0] ? f->broken : why);
        return;
    }
    static const struct place config = { offsetof(struct coef_row, config), offsetof(struct times_config, config),
                                         offsetof(struct learned_config, config), "", "" },
                              precision = { offsetof(struct coef_row, precision),
                                            offsetof(struct times_config, precision),
                                            offsetof(struct learned_config, precision), "", "" },
                              cache = { offsetof(struct coef_row, cache), offsetof(struct times_config, cache), -1, "",
                                        "" },
                              model = { offsetof(struct coef_row, model), -1, -1, "nearest", model_default };
    struct strlist configs = distinct(&p, &config);
    int64_t least = INT64_MAX, most = 0;
    for (int64_t i = 0; i < p.measured.nmatrices; i++) {
        int64_t nnz = p.measured.matrices[i].nnz;
        least = nnz < least ? nnz : least;
        most = nnz > most ? nnz : most;
    }
    textout_text(out, "profile", f->name);
    textout_text(out, "place", f->origin);
    textout_text(out, "device", f->device);
    textout_text(out, "made", f->date);
    textout_text(out, "this_machine", f->mine ? "yes" : "no");
    textout_int(out, "configs", configs.n);
    print_words(out, "precisions", &p, &precision);
    print_words(out, "caches", &p, &cache);
    print_words(out, "models", &p, &model);
    textout_int(out, "matrices", p.measured.nmatrices);
    print_size(out, "min_nnz", p.measured.nmatrices > 0, least);
    print_size(out, "max_nnz", p.measured.nmatrices > 0, most);
    textout_row_end(out);
    strlist_free(&configs);
    profile_free(&p);
}

void listing_print(bool json)
{
    struct profile_list list;
    profiles_scan(&list);
    struct textout *out = textout_begin(
        json,
        "profile\tplace\tdevice\tmade\tthis_machine\tconfigs\tprecisions\tcaches\tmodels\tmatrices\tmin_nnz\tmax_nnz");
    for (int i = 0; i < list.n; i++)
        print_profile(out, &list.file[i]);
    textout_note(out, "%s; looked in %s", counted(list.n, "profile").text, list.looked);
    textout_note(out,
                 "matrices, min_nnz, max_nnz: measured ones, beside the benchmark grid that the models are fitted on");
    textout_end(out);
    profiles_free(&list);
}
