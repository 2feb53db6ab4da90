/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of measures, their parameters, and what they share. */
#include "papers/measure_table.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "speed/pairing.h"

const struct paper_measure *const paper_measures[] = {
    &measure_speedup,      &measure_speeds,    &measure_sweep,
    &measure_widths,       &measure_forecasts, &measure_wins,
    &measure_beside,       &measure_picks,     &measure_grid,
    &measure_slopes,       &measure_columns,   &measure_dense,
    &measure_plans,        &measure_cuts,      &measure_crossvalidated,
    &measure_scores,       &measure_errors,    &measure_matrix_errors,
    &measure_ranking,      &measure_devices,   &measure_effort,
    &measure_ranking_cost, &measure_solves,    &measure_features,
    &measure_fills,        &measure_hyb,       NULL,
};

const struct paper_measure *paper_measure_find(const char *name)
{
    for (int i = 0; paper_measures[i]; i++)
        if (strcmp(paper_measures[i]->name, name) == 0)
            return paper_measures[i];
    return NULL;
}

/* ---- parameters */

const char *words_get(const struct words *w, const char *key)
{
    for (int i = 0; i < w->n; i++)
        if (strcmp(w->word[i].key, key) == 0)
            return w->word[i].value;
    return "";
}

static int parse_words(const char *text, struct words *w, char why[ERRLEN])
{
    char *copy = xstrdup(text), *rest = copy, *item;
    int status = 0;

    w->n = 0;
    while (status == 0 && (item = strsep(&rest, " "))) {
        char *equals = strchr(item, '=');
        if (!*item)
            continue;
        if (!equals || equals == item || !equals[1])
            status = fail(why, "parameter \"%s\": expected KEY=VALUE", item);
        else if (w->n == sizeof w->word / sizeof w->word[0] || strlen(equals + 1) >= sizeof w->word[0].value
                 || (size_t)(equals - item) >= sizeof w->word[0].key)
            status = fail(why, "parameter \"%.40s\": too long, or too many parameters", item);
        else {
            *equals = 0;
            if (*words_get(w, item))
                status = fail(why, "parameter \"%s\" is given twice", item);
            snprintf(w->word[w->n].key, sizeof w->word[0].key, "%s", item);
            snprintf(w->word[w->n++].value, sizeof w->word[0].value, "%s", equals + 1);
        }
    }
    free(copy);
    return status;
}

/* A model, or two as "A+B" (crossvalidated.h). */
static bool is_model(const char *name, bool pairs)
{
    const char *plus = strchr(name, '+');
    char *first = xasprintf("%.*s", plus ? (int)(plus - name) : 0, name);
    const bool known = model_find(name) || (pairs && plus && model_find(first) && model_find(plus + 1));

    free(first);
    return known;
}

static int check_models(const char *list, bool pairs, char why[ERRLEN])
{
    char *copy = xstrdup(list), *rest = copy, *name;
    int status = 0;

    while (status == 0 && (name = strsep(&rest, ",")))
        if (!is_model(name, pairs))
            status = fail(why, "unknown model \"%s\" (known: %s)", name, model_names());
    free(copy);
    return status;
}

static int check_near(const char *value, char why[ERRLEN])
{
    double times;

    return strcmp(value, "all") == 0 || parse_real(value, 1, INFINITY, &times) == 0
               ? 0
               : fail(why, "near=%s: expected all or a number of at least 1", value);
}

static int check_among(const char *value, char why[ERRLEN])
{
    return strcmp(value, "all") == 0 || strcmp(value, "formats") == 0 ? 0 : selection_check(value, why);
}

static int check_choice(const char *key, const char *value, const char *legal, char why[ERRLEN])
{
    return words_have(legal, value) ? 0 : fail(why, "%s=%s: expected %s", key, value, legal);
}

static int check_where(const char *value, char why[ERRLEN])
{
    return pairing_where(value) ? 0 : fail(why, "where=%s: expected even-rows or blocks-fill", value);
}

static int check_least(const char *value, char why[ERRLEN])
{
    int64_t n;

    return parse_int(value, 1, 1000000, &n) == 0 ? 0
                                                 : fail(why, "least=%s: expected a number of configurations", value);
}

static int check_numbers(const char *key, const char *list, char why[ERRLEN])
{
    char *copy = xstrdup(list), *rest = copy, *item;
    double v;
    int status = 0;

    while (status == 0 && (item = strsep(&rest, ",")))
        if (parse_real(item, 0, INFINITY, &v) != 0)
            status = fail(why, "%s=%s: expected numbers separated by ','", key, list);
    free(copy);
    return status;
}

/* Checks the value of a key by what the key means. Free keys of measure "speeds" are labels of selections. */
static int check_value(const struct paper_measure *m, const char *key, const char *value, char why[ERRLEN])
{
    const bool labels = *m->keys == '*';
    static const char *const models[] = { "model", "models", "a", "b", NULL }, *const selections[] = {
        "ours", "against", "config", "configs", "kernel", "rule", "search", NULL
    };

    if (strcmp(key, "precision") == 0)
        return check_choice(key, value, "f32|f64|both", why);
    if (strcmp(key, "cache") == 0)
        return check_choice(key, value, "warm|cold", why);
    if (strcmp(key, "matrices") == 0)
        return 0; /* paper_measure_check_matrices */
    if (strcmp(key, "place") == 0)
        return check_choice(key, value, "band|random", why);
    if (strcmp(key, "line") == 0)
        return check_choice(key, value, "E_below|E_above|E'_below|E'_above|e|coo|surface", why);
    if (strcmp(key, "part") == 0)
        return check_choice(key, value, "head|tail", why);
    if (strcmp(key, "where") == 0)
        return check_where(value, why);
    if (strcmp(key, "near") == 0)
        return check_near(value, why);
    if (strcmp(key, "among") == 0)
        return check_among(value, why);
    if (strcmp(key, "least") == 0)
        return check_least(value, why);
    if (strcmp(key, "bound") == 0) {
        double percent;
        return parse_real(value, 0, INFINITY, &percent) == 0 ? 0 : fail(why, "bound=%s: expected percent", value);
    }
    if (strcmp(key, "i") == 0 || strcmp(key, "p") == 0)
        return labels ? selection_check(value, why) : check_numbers(key, value, why);
    for (int i = 0; models[i]; i++)
        if (strcmp(key, models[i]) == 0)
            return check_models(value, m->pairs, why);
    for (int i = 0; selections[i]; i++)
        if (strcmp(key, selections[i]) == 0)
            return selection_check(value, why);
    return labels ? selection_check(value, why) : 0;
}

/* Does the measure take the key? */
static bool takes(const struct paper_measure *m, const char *key)
{
    const size_t n = strlen(key);

    if (m->rows && (strcmp(key, "precision") == 0 || strcmp(key, "cache") == 0 || strcmp(key, "matrices") == 0))
        return true;
    for (const char *at = m->keys; *at; at += strcspn(at, " "), at += strspn(at, " "))
        if (*at == '*' || (strncmp(at, key, n) == 0 && (at[n] == ' ' || at[n] == '!' || at[n] == 0)))
            return true;
    return false;
}

static int check_required(const struct paper_measure *m, const struct words *w, char why[ERRLEN])
{
    for (const char *at = m->keys; *at; at += strcspn(at, " "), at += strspn(at, " ")) {
        char key[48];
        const size_t n = strcspn(at, " ");
        snprintf(key, sizeof key, "%.*s", (int)n - 1, at);
        if (n > 1 && at[n - 1] == '!' && !*words_get(w, key))
            return fail(why, "measure %s: missing parameter %s=", m->name, key);
    }
    return 0;
}

int paper_measure_check(const struct paper_measure *m, const char *parameters, char why[ERRLEN])
{
    struct words w;

    if (parse_words(parameters, &w, why) != 0 || check_required(m, &w, why) != 0)
        return FAIL;
    for (int i = 0; i < w.n; i++) {
        if (!takes(m, w.word[i].key))
            return fail(why, "measure %s does not take parameter %s=", m->name, w.word[i].key);
        if (!m->rows && strcmp(w.word[i].key, "matrices") == 0 && strcmp(w.word[i].value, "paper") != 0)
            return fail(why, "measure %s: matrices=%s: expected paper", m->name, w.word[i].value);
        if (check_value(m, w.word[i].key, w.word[i].value, why) != 0)
            return FAIL;
    }
    return 0;
}

/* ---- lists of matrices */

/* Is the paper's name in the list "A,B_C"? There, '_' stands for a blank. */
static bool is_named(const char *list, const char *name)
{
    char *copy = xstrdup(list), *rest = copy, *item;
    bool found = false;

    while (!found && (item = strsep(&rest, ","))) {
        for (char *at = item; (at = strchr(at, '_'));)
            *at = ' ';
        found = strcmp(item, name) == 0;
    }
    free(copy);
    return found;
}

static bool is_choice(const char *which) { return !*which || words_have("paper|other|all|generated|outside", which); }

int paper_measure_check_matrices(const struct table *matrices, const char *parameters, char why[ERRLEN])
{
    struct words w;
    long items = 1, found = 0;

    if (parse_words(parameters, &w, why) != 0)
        return FAIL;
    const char *list = words_get(&w, "matrices");
    for (const char *at = list; (at = strchr(at, ',')); at++)
        items++;
    for (long i = 0; i < matrices->nrows; i++)
        found += is_named(list, table_text(matrices, i, "name"));
    return is_choice(list) || found == items
               ? 0
               : fail(
                   why,
                   "matrices=%s: expected paper|other|all|generated|outside, or names of matrices.tsv separated by ',' ('_' for a blank)",
                   list);
}

void paper_measure_run(const struct paper_measure *m, const struct study *s, const char *parameters, struct table *out)
{
    struct words w;
    char why[ERRLEN];

    if (parse_words(parameters, &w, why) != 0)
        bug("%s", why);
    table_begin(out, m->columns);
    m->run(s, &w, out);
}

/* ---- configurations */

const char *measure_format(const struct study *s, const struct run_row *r)
{
    const struct table *formats = &s->paper->formats;

    for (long i = 0; i < formats->nrows; i++)
        if (selection_matches(table_text(formats, i, "config"), r))
            return table_text(formats, i, "format");
    return "";
}

bool measure_among(const struct study *s, const char *among, const struct run_row *r)
{
    if (!*among || strcmp(among, "all") == 0)
        return true;
    return strcmp(among, "formats") == 0 ? *measure_format(s, r) != 0 : selection_matches(among, r);
}

/* ---- rows of matrices */

void measure_targets(const struct study *s, const struct words *w, struct strlist *precisions, struct strlist *caches)
{
    const char *precision = words_get(w, "precision"), *own = paper_about(s->paper, "precision");

    if (strcmp(precision, "both") != 0)
        strlist_add(precisions, *precision ? precision : *own ? own : precision_name(F32));
    strlist_add(caches, *words_get(w, "cache") ? words_get(w, "cache") : cache_name(WARM));
}

static bool same_list(const struct strlist *a, const struct strlist *b)
{
    bool same = a->n == b->n;

    for (int i = 0; same && i < a->n; i++)
        same = strcmp(a->v[i], b->v[i]) == 0;
    return same;
}

/* Has the study a row for such contests? */
static bool has_rows(const struct study *s, const struct contest_set *set)
{
    for (int64_t i = 0; i < s->runs.nrows; i++) {
        const struct run_row *r = &s->runs.rows[i];
        if (strcmp(r->role, set->role) == 0 && strcmp(r->outcome, "ok") == 0 && r->time_us > 0 && !r->part[0]
            && strlist_wants(&set->precisions, r->precision) && strlist_wants(&set->caches, r->cache)
            && runs_features(&s->runs, r->source_id, NULL))
            return true;
    }
    return false;
}

/* Returns the set of the study that equals this one, or makes it, empty if there are no rows. */
static struct contest_set *find_set(const struct study *s, struct contest_set *wanted)
{
    struct contest_sets *sets = s->sets;

    for (int i = 0; i < sets->n; i++)
        if (strcmp(sets->set[i]->role, wanted->role) == 0 && same_list(&sets->set[i]->precisions, &wanted->precisions)
            && same_list(&sets->set[i]->caches, &wanted->caches)) {
            strlist_free(&wanted->precisions);
            strlist_free(&wanted->caches);
            return sets->set[i];
        }
    if (sets->n == sizeof sets->set / sizeof sets->set[0])
        bug("more than %d sets of contests", sets->n);
    struct contest_set *set = sets->set[sets->n++] = xmalloc(sizeof *set);
    *set = *wanted;
    if (has_rows(s, set))
        contests_read(
            &set->contests, &s->runs, s->profile,
            &(struct speed_choice){ .role = set->role, .precisions = &set->precisions, .caches = &set->caches });
    return set;
}

bool measure_contests(const struct study *s, const struct words *w, const char *role, struct contests *c,
                      struct table *out)
{
    struct contest_set wanted = { 0 };

    snprintf(wanted.role, sizeof wanted.role, "%s", role);
    measure_targets(s, w, &wanted.precisions, &wanted.caches);
    *c = find_set(s, &wanted)->contests;
    if (c->n == 0)
        table_note(out, "not measured: the archives have no row of this precision and cache state");
    return c->n > 0;
}

bool measure_wants(const struct study *s, const struct words *w, const struct contest *one)
{
    const char *which = words_get(w, "matrices");
    const struct subject *subject = study_subject(s, one->row->source_id);

    if (!subject)
        return false;
    const bool other = subject->source == SOURCE_OTHER;
    const struct matrix_row *facts;
    runs_features(&s->runs, one->row->source_id, &facts);
    if (strcmp(which, "generated") == 0)
        return other && facts->recipe[0];
    if (strcmp(which, "outside") == 0)
        return other;
    if (other && facts->recipe[0])
        return false; /* a generated matrix that is not of this paper */
    if (!is_choice(which))
        return !other && is_named(which, study_label(s, subject, one->row->matrix));
    return strcmp(which, "paper") == 0 ? !other : strcmp(which, "other") != 0 || other;
}

long measure_row(const struct study *s, const struct words *w, const struct contest *one, struct table *out)
{
    if (!measure_wants(s, w, one))
        return -1;
    const struct subject *subject = study_subject(s, one->row->source_id);
    const long row = table_add(out);
    table_set(out, row, "matrix", study_label(s, subject, one->row->matrix));
    table_set(out, row, "source", source_name(subject->source));
    table_set(out, row, "precision", one->row->precision);
    return row;
}

void measure_put_loss(double pick_us, double best_us, struct table *out, long row)
{
    const double percent = 100 * (pick_us / best_us - 1);

    table_set_real(out, row, "divergence_percent", percent, 4);
    table_set(out, row, "bin", percent < 5 ? "< 5 %" : percent <= 20 ? "5 to 20 %" : "> 20 %");
}

const struct model **measure_models(const char *list)
{
    const struct model **models = xcalloc(strlen(list) + 2, sizeof *models);
    char *copy = xstrdup(list), *rest = copy, *name;
    int n = 0;

    while ((name = strsep(&rest, ",")))
        models[n++] = model_find(name);
    free(copy);
    return models;
}

void measure_load(const struct study *s, const struct model *m)
{
    char why[ERRLEN];
    const int status = m->trained ? profile_load_trained(s->profile, why) : 0;

    if (status != 0)
        die_code(archive_exit(status), "%s", why);
}
