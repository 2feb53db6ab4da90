/* SPDX-License-Identifier: BSD-3-Clause */
/* Recommendations for a set of matrices (summary.h). */
#include "plan/summary.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/strings.h"
#include "forecast/advice.h"
#include "forecast/outlook_table.h"
#include "formats/format.h"
#include "table/textout.h"

static const struct column columns[] = {
    TEXT_COLUMN("matrix", "name of the matrix"),
    TEXT_COLUMN("file", "file or recipe"),
    TEXT_COLUMN("precision", "precision of values, x and y: f32 or f64"),
    TEXT_COLUMN("cache", "warm or cold"),
    TEXT_COLUMN("launch", "graph or stream"),
    INT_COLUMN("rows", "", "rows of the matrix"),
    INT_COLUMN("nnz", "", "nonzeros of the matrix"),
    TEXT_COLUMN("config", "recommended configuration"),
    TEXT_COLUMN(
        "sure",
        "yes: the configuration leaves CSR as it is, or surely gains over the best that does (interval above 1); no: it may not, or its forecast is extrapolated"),
    REAL_COLUMN("time_us", "us", "forecast time of one product"),
    REAL_COLUMN("total_us", "us", "forecast total of set-up and N products; -: unlimited"),
    REAL_COLUMN("gain_stay", "",
                "how many times as fast as the best configuration that leaves CSR as it is, for N products"),
    REAL_COLUMN("gain_stay_low", "", "lower end of its 90 % interval"),
    REAL_COLUMN("gain_stay_high", "", "upper end of its 90 % interval"),
    INT_COLUMN(
        "breakeven_stay_spmv", "",
        "products from which on its total is less than that of that configuration; -: never, or for few products only"),
    INT_COLUMN("breakeven_stay_low_spmv", "", "lower end of its 90 % interval"),
    INT_COLUMN("breakeven_stay_high_spmv", "", "upper end of its 90 % interval; -: never"),
    REAL_COLUMN("gain_library", "", "how many times as fast as the best of cuSPARSE, for N products"),
    REAL_COLUMN("gain_library_low", "", "lower end of its 90 % interval"),
    REAL_COLUMN("gain_library_high", "", "upper end of its 90 % interval"),
    TEXT_COLUMN("stay", "the best configuration that leaves CSR as it is"),
    TEXT_COLUMN("error", "why there is no recommendation"),
    TEXT_COLUMN("reason", "what of the recommended forecast is extrapolated"),
    TEXT_COLUMN(
        "passed_over",
        "why what the forecast alone would recommend is not recommended, in the words of the recommendation for one matrix; -: it is"),
    COLUMNS_END,
};

/* One configuration over the matrices of a target. */
struct shared {
    char config[CONFIG_LEN];
    bool stays; /* leaves CSR as it is */
    int n;
    double log_loss, worst; /* of its value over that of the recommended one: sum of logs, and the greatest */
    char worst_matrix[128];
};

/* One target over all matrices. */
struct set {
    struct target target;
    int n, unsure, converted, nshared;
    double value_s, stay_s, library_s; /* sums over matrices that have all three */
    int with_stay, with_library;
    int64_t products;
    struct shared *shared;
};

struct summary {
    struct table *out;
    int nfiles, nerrors, nsets;
    bool twin;                        /* the matrix is one of another file, and counts there */
    struct strlist ids, files, twins; /* of the matrices that count: matrix_id, file; "FILE = FILE" */
    struct set set[TARGET_KEYS];
};

struct summary *summary_begin(bool json)
{
    struct summary *s = xcalloc(1, sizeof *s);
    s->out = textout_begin(json, columns);
    textout_null_texts(s->out);
    textout_view(
        s->out,
        "matrix nnz config sure time_us total_us gain_stay gain_stay_low gain_stay_high breakeven_stay_spmv error");
    textout_shorter(s->out, "config", config_brief);
    textout_reserve(s->out, "matrix", 20);
    textout_reserve(s->out, "nnz", 10);
    textout_reserve(s->out, "config", 30);
    textout_reserve(s->out, "time_us", 7);
    textout_reserve(s->out, "total_us", 8);
    textout_head(s->out);
    return s;
}

/* Fills the columns from that one on: with nothing but the error. */
static void put_error(struct table *out, const char *from, const char *why)
{
    bool begun = false;
    for (const struct column *c = columns; c->name; c++) {
        begun = begun || strcmp(c->name, from) == 0;
        if (begun && strcmp(c->name, "error") == 0)
            table_put_text(out, "error", why);
        else if (begun)
            table_put_none(out, c->name);
    }
}

void summary_add_error(struct summary *s, const char *path, const char *why)
{
    s->nfiles++;
    s->nerrors++;
    if (textout_on_terminal(s->out)) { /* where the file and its error may not fit */
        complain("%s", why);
        return;
    }
    table_put_none(s->out, "matrix");
    table_put_text(s->out, "file", path);
    put_error(s->out, "precision", why);
    table_row_end(s->out);
    textout_flush_rows(s->out);
}

/* ---- one matrix ---- */
/* A pick that leaves CSR as it is needs no gain. */
static bool is_sure(const struct outlook_row *r)
{
    return r->status == OUTLOOK_OK && (outlook_stays(r) || isnan(r->gain_stay.low) || r->gain_stay.low > 1);
}

static void put_row(struct table *out, const struct outlook *o, const struct outlook_row *r)
{
    outlook_table_some(out, o, r, "config");
    table_put_text(out, "sure", is_sure(r) ? "yes" : "no");
    outlook_table_some(
        out, o, r,
        "time_us total_us gain_stay gain_stay_low gain_stay_high breakeven_stay_spmv breakeven_stay_low_spmv "
        "breakeven_stay_high_spmv gain_library gain_library_low gain_library_high");
    table_put_text(out, "stay", o->stay ? o->stay->text : NULL);
    table_put_none(out, "error");
    table_put_text(out, "reason", r->status == OUTLOOK_EXTRAPOLATED ? r->reason : NULL);
    char *passed = advice_reason(o);
    table_put_text(out, "passed_over", *passed ? passed : NULL);
    free(passed);
}

/* ---- the set ---- */
static struct set *set_of(struct summary *s, const struct outlook *o)
{
    for (int i = 0; i < s->nsets; i++)
        if (TARGET_SAME(&s->set[i].target, &o->target))
            return &s->set[i];
    s->set[s->nsets] = (struct set){ .target = o->target, .products = o->terms.products };
    return &s->set[s->nsets++];
}

/* Only the first matrix adds configurations: others have a loss on all matrices so far. NULL: it is not one of them. */
static struct shared *shared_of(struct set *set, const char *config, bool stays)
{
    for (int i = 0; i < set->nshared; i++)
        if (strcmp(set->shared[i].config, config) == 0)
            return &set->shared[i];
    if (set->n > 1)
        return NULL;
    set->shared = xrealloc(set->shared, sizeof *set->shared * (unsigned long)(set->nshared + 1));
    struct shared *one = &set->shared[set->nshared++];
    *one = (struct shared){ .stays = stays };
    TEXT_SET(one->config, config);
    return one;
}

/* Counts each configuration once, by its text before "auto" was resolved, with its best value. */
static void add_shared(struct set *set, const struct question *q, const struct outlook *o, double value)
{
    for (int i = 0; i < o->n && o->row[i].place; i++) {
        const struct outlook_row *r = &o->row[i];
        char text[CONFIG_LEN];
        if (!r->shown || r->one_part || isnan(outlook_value(o, r)))
            continue;
        config_general(&r->config, &q->features, &o->target, text);
        struct shared *one = shared_of(set, text, outlook_stays(r));
        const double loss = outlook_value(o, r) / value;
        if (!one || one->n == set->n)
            continue; /* another row has this text, with a better value */
        one->n = set->n;
        one->log_loss += log(loss);
        if (loss > one->worst) {
            one->worst = loss;
            TEXT_SET(one->worst_matrix, q->matrix.name);
        }
    }
    /* a configuration that this matrix cannot have is out */
    int kept = 0;
    for (int i = 0; i < set->nshared; i++)
        if (set->shared[i].n == set->n)
            set->shared[kept++] = set->shared[i];
    set->nshared = kept;
}

static void note_file(struct summary *s, const char *path, const char *id)
{
    int i = 0;
    while (i < s->ids.n && strcmp(s->ids.v[i], id) != 0)
        i++;
    s->nfiles++;
    s->twin = i < s->ids.n;
    if (s->twin) {
        char *text = xasprintf("%s = %s", path, s->files.v[i]);
        strlist_add(&s->twins, text);
        free(text);
    } else {
        strlist_add(&s->ids, id);
        strlist_add(&s->files, path);
    }
}

static void count(struct set *set, const struct question *q, const struct outlook *o, const struct outlook_row *r)
{
    const bool first = set->n == 0;
    const double value = outlook_value(o, r);
    set->n++;
    set->unsure += !is_sure(r);
    set->converted += !r->csr;
    set->value_s += value;
    if (o->stay) {
        set->stay_s += outlook_value(o, o->stay);
        set->with_stay++;
    }
    if (o->library) {
        set->library_s += outlook_value(o, o->library);
        set->with_library++;
    }
    if (first || set->nshared > 0)
        add_shared(set, q, o, value);
}

void summary_add(struct summary *s, const char *path, const struct question *q, const struct outlook *o)
{
    const struct outlook_row *r = advice_recommended(o);
    struct set *set = set_of(s, o);
    if (set == &s->set[0])
        note_file(s, path, q->matrix.matrix_id);
    table_put_text(s->out, "matrix", q->matrix.name);
    table_put_text(s->out, "file", path);
    table_put_target(s->out, o->target.precision, o->target.cache);
    table_put_text(s->out, "launch", launch_name(o->target.launch));
    table_put_int(s->out, "rows", q->features.rows);
    table_put_int(s->out, "nnz", q->features.nnz);
    if (r) {
        put_row(s->out, o, r);
        if (!s->twin)
            count(set, q, o, r);
    } else {
        char *why = advice_text(o, true, false);
        s->nerrors += set == &s->set[0] && !outlook_pick(o);
        put_error(s->out, "config", why);
        free(why);
    }
    table_row_end(s->out);
    textout_flush_rows(s->out);
}

/* stays: of those that leave CSR as it is */
static const struct shared *best_shared(const struct set *set, bool stays)
{
    const struct shared *best = NULL;
    for (int i = 0; i < set->nshared; i++)
        if ((!stays || set->shared[i].stays) && (!best || set->shared[i].log_loss < best->log_loss))
            best = &set->shared[i];
    return best;
}

static void print_shared(struct table *out, const struct set *set, const char *target, const char *what,
                         const struct shared *one)
{
    table_answer(out,
                 "%s: %s: %s; it takes %.3gx as long as the recommended ones (geometric mean; at most %.3gx, of %s)",
                 target, what, one->config, exp(one->log_loss / set->n), one->worst, one->worst_matrix);
}

static void print_set(struct table *out, const struct set *set)
{
    const struct shared *one = best_shared(set, false), *stay = best_shared(set, true);
    const char *each = set->products > 0 ? counted(set->products, "product").text : "one product";
    const struct target_words words = target_words(&set->target);
    if (set->n == 0)
        return;
    table_answer(out, "%s: %s; %d convert CSR; %d not sure; %s of each take%s %s in all%s", words.text,
                 counted(set->n, "matrix").text, set->converted, set->unsure, each, set->products > 1 ? "" : "s",
                 textout_time(set->value_s, 4).text, set->products > 0 ? ", set-up counted" : "");
    if (set->with_stay == set->n)
        table_answer(out, "%s: the best configurations that leave CSR as it is take %.3gx as long in all", words.text,
                     set->stay_s / set->value_s);
    if (set->with_library == set->n)
        table_answer(out, "%s: the best of cuSPARSE takes %.3gx as long in all", words.text,
                     set->library_s / set->value_s);
    if (one)
        print_shared(out, set, words.text, "one configuration for all", one);
    else
        table_answer(out, "%s: no configuration has a forecast for all of these matrices", words.text);
    if (stay && stay != one)
        print_shared(out, set, words.text, "one for all that leaves CSR as it is", stay);
    textout_object(out, "sets");
    textout_field_target(out, &set->target);
    textout_field_int(out, "iterations", set->products);
    textout_field_int(out, "matrices", set->n);
    textout_field_int(out, "converted", set->converted);
    textout_field_int(out, "not_sure", set->unsure);
    textout_field_real(out, "total_us", set->value_s * 1e6);
    textout_field_real(out, "stay_total_us", set->with_stay == set->n ? set->stay_s * 1e6 : NAN);
    textout_field_real(out, "library_total_us", set->with_library == set->n ? set->library_s * 1e6 : NAN);
    textout_field_text(out, "config", one ? one->config : NULL);
    textout_field_real(out, "loss", one ? exp(one->log_loss / set->n) : NAN);
    textout_field_real(out, "worst_loss", one ? one->worst : NAN);
    textout_field_text(out, "worst_matrix", one ? one->worst_matrix : NULL);
    textout_field_text(out, "stay_config", stay ? stay->config : NULL);
    textout_field_real(out, "stay_loss", stay ? exp(stay->log_loss / set->n) : NAN);
    textout_object_end(out);
}

void summary_end(struct summary *s, const struct question *profile, const struct model *instead)
{
    for (int i = 0; i < s->nsets; i++)
        print_set(s->out, &s->set[i]);
    table_note_list(s->out, "the same matrix, counted once", &s->twins);
    question_note_profile(profile, s->out);
    question_note_model(s->out, instead);
    table_note(s->out, "%s, %d without a forecast", counted(s->nfiles, "file").text, s->nerrors);
    textout_end(s->out);
    for (int i = 0; i < s->nsets; i++)
        free(s->set[i].shared);
    strlist_free(&s->ids);
    strlist_free(&s->files);
    strlist_free(&s->twins);
    free(s);
}
