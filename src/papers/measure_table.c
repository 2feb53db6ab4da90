/* SPDX-License-Identifier: BSD-3-Clause */
/* What measures share. */
#include "papers/measure_table.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "speed/pairing.h"

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
            && strlist_wants(&set->precisions, precision_name(r->precision))
            && strlist_wants(&set->caches, cache_name(r->cache)) && runs_features(&s->runs, r->source_id, NULL))
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
    if (!words_are_choice(which))
        return !other && words_name_matrix(which, study_label(s, subject, one->row->matrix));
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
    table_set(out, row, "precision", precision_name(one->row->precision));
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
