/* SPDX-License-Identifier: BSD-3-Clause */
/* Parameters of figures: reading and checks. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "papers/measure_table.h"
#include "speed/pairing.h"

const char *words_get(const struct words *w, const char *key)
{
    for (int i = 0; i < w->n; i++)
        if (strcmp(w->word[i].key, key) == 0)
            return w->word[i].value;
    return "";
}

int words_parse(const char *text, struct words *w, char why[ERRLEN])
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

    if (words_parse(parameters, &w, why) != 0 || check_required(m, &w, why) != 0)
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

bool words_name_matrix(const char *list, const char *name)
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

bool words_list_number(const char *list, double value)
{
    char *copy = xstrdup(list), *rest = copy, *item;
    bool found = !*list;

    while ((item = strsep(&rest, ","))) {
        double v;
        found = found || (parse_real(item, -INFINITY, INFINITY, &v) == 0 && fabs(v - value) < 1e-9 * fabs(value));
    }
    free(copy);
    return found;
}

bool words_are_choice(const char *which) { return !*which || words_have("paper|other|all|generated|outside", which); }

int paper_measure_check_matrices(const struct table *matrices, const char *parameters, char why[ERRLEN])
{
    struct words w;
    long items = 1, found = 0;

    if (words_parse(parameters, &w, why) != 0)
        return FAIL;
    const char *list = words_get(&w, "matrices");
    for (const char *at = list; (at = strchr(at, ',')); at++)
        items++;
    for (long i = 0; i < matrices->nrows; i++)
        found += words_name_matrix(list, table_text(matrices, i, "name"));
    return words_are_choice(list) || found == items
               ? 0
               : fail(
                   why,
                   "matrices=%s: expected paper|other|all|generated|outside, or names of matrices.tsv separated by ',' ('_' for a blank)",
                   list);
}
