/* SPDX-License-Identifier: BSD-3-Clause */
/* Recipes as text: KIND:key=value,... with the kinds and their keys in one table; canonical form, id (recipe.h). */
#include "recipes/recipe.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/schema.h"
#include "base/hash.h"
#include "base/strings.h"
#include "recipes/kind.h"

static const struct recipe_kind_facts *const kinds[NRECIPES] = {
#define RECIPE_KIND(NAME, name) [RECIPE_##NAME] = &recipe_kind_##name,
#include "recipes/kinds.def"
#undef RECIPE_KIND
};

/* The members of struct recipe that keys set, and the text forms of their values. */
enum form { FORM_COUNT, FORM_FRACTION, FORM_PLACE, FORM_ORDER, FORM_SEED, FORM_VALUES };
static const struct key {
    const char *name;
    enum form form;
    size_t offset;
    int64_t min, max;
} keys[] = {
    { "rows", FORM_COUNT, offsetof(struct recipe, rows), 1, RECIPE_LIMIT },
    { "cols", FORM_COUNT, offsetof(struct recipe, cols), 1, RECIPE_LIMIT },
    { "p", FORM_COUNT, offsetof(struct recipe, p), 1, RECIPE_LIMIT },
    { "half", FORM_FRACTION, offsetof(struct recipe, spread), 0, 0 },
    { "sd", FORM_FRACTION, offsetof(struct recipe, spread), 0, 0 },
    { "place", FORM_PLACE, offsetof(struct recipe, window), 0, 0 },
    { "bandwidth", FORM_COUNT, offsetof(struct recipe, n), 0, RECIPE_LIMIT },
    { "points", FORM_COUNT, offsetof(struct recipe, points), 1, RECIPE_LIMIT },
    { "n", FORM_COUNT, offsetof(struct recipe, n), 1, RECIPE_LIMIT },
    { "m", FORM_COUNT, offsetof(struct recipe, m), 1, RECIPE_LIMIT },
    { "d", FORM_COUNT, offsetof(struct recipe, d), 1, 64 },
    { "block", FORM_COUNT, offsetof(struct recipe, d), 1, 64 },
    { "fill", FORM_FRACTION, offsetof(struct recipe, fill), 0, 0 },
    { "run", FORM_FRACTION, offsetof(struct recipe, run), 0, 0 },
    { "q", FORM_COUNT, offsetof(struct recipe, q), 1, RECIPE_LIMIT },
    { "nnz", FORM_COUNT, offsetof(struct recipe, count), 1, RECIPE_LIMIT },
    { "max", FORM_COUNT, offsetof(struct recipe, max), 1, RECIPE_LIMIT },
    { "min", FORM_COUNT, offsetof(struct recipe, min), 1, RECIPE_LIMIT },
    { "k", FORM_COUNT, offsetof(struct recipe, k), 1, RECIPE_LIMIT },
    { "tail", FORM_COUNT, offsetof(struct recipe, tail), 1, RECIPE_LIMIT },
    { "long", FORM_COUNT, offsetof(struct recipe, count), 1, RECIPE_LIMIT },
    { "h", FORM_COUNT, offsetof(struct recipe, points), 1, 27 },
    { "scale", FORM_COUNT, offsetof(struct recipe, n), 2, 30 },
    { "a", FORM_FRACTION, offsetof(struct recipe, corner[0]), 0, 0 },
    { "b", FORM_FRACTION, offsetof(struct recipe, corner[1]), 0, 0 },
    { "c", FORM_FRACTION, offsetof(struct recipe, corner[2]), 0, 0 },
    { "x", FORM_COUNT, offsetof(struct recipe, axis[0]), 3, 10000 },
    { "y", FORM_COUNT, offsetof(struct recipe, axis[1]), 3, 10000 },
    { "z", FORM_COUNT, offsetof(struct recipe, axis[2]), 3, 10000 },
    { "t", FORM_COUNT, offsetof(struct recipe, axis[3]), 3, 10000 },
    { "order", FORM_ORDER, offsetof(struct recipe, shuffled), 0, 0 },
    { "seed", FORM_SEED, offsetof(struct recipe, seed), 0, 0 },
    { "values", FORM_VALUES, offsetof(struct recipe, values), 0, 0 },
};
static const char *const values_names[NRECIPE_VALUES] = {
#define RECIPE_VALUES(NAME, name, distinct, narrow) #name,
#include "recipes/recipe_values.def"
#undef RECIPE_VALUES
};

static const struct column recipe_columns[] = {
    COLUMN_TEXT_OF(struct recipe_row, recipe, "canonical recipe"),
    COLUMN_TEXT_OF(struct recipe_row, recipe_id, "SHA-256 of the canonical recipe"),
    COLUMN_TEXT_OF(struct recipe_row, role, "purpose of the recipe: grid, path, gather, spread, literal, train, user"),
    COLUMN_TEXT_OF(struct recipe_row, kernels, "configurations to measure, joined by '+'; empty: all"),
    COLUMN_OF(struct recipe_row, strips_i, COLUMN_F64, "strips", "I: rows / rows per strip"),
    COLUMN_OF(struct recipe_row, per_row_p, COLUMN_I64, "entries", "P: entries per row"),
    COLUMN_TEXT_OF(struct recipe_row, place, "placement of columns: band or random"),
};
const struct schema recipe_schema = SCHEMA_OF(struct recipe_row, "recipes", recipe_columns);

static const struct key *key_of(const char *name)
{
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (strcmp(keys[i].name, name) == 0)
            return &keys[i];
    bug("recipe key %s has no member", name);
}

static void *field(struct recipe *r, const struct key *key) { return (char *)r + key->offset; }

/* Lists the names of the kinds or, if `kind` is not NULL, those of its keys, joined by `separator`. */
static void names(const struct recipe_about *kind, const char *separator, char out[128])
{
    out[0] = '\0';
    for (int i = 0; kind ? i < RECIPE_PARAMS && kind->params[i].name : i < NRECIPES; i++) {
        size_t at = strlen(out);
        snprintf(out + at, 128 - at, "%s%s", i ? separator : "", kind ? kind->params[i].name : kinds[i]->about.name);
    }
}

/* Returns "; did you mean X?" if a name is near, else "". */
static const char *meant(const char *text, const struct recipe_about *kind, char out[64])
{
    char list[128];
    names(kind, "|", list);
    const char *near = nearest_word(text, list);
    out[0] = '\0';
    if (near)
        snprintf(out, 64, "; did you mean %s?", near);
    return out;
}

static int find_kind(const char *text, size_t n)
{
    for (int k = 0; k < NRECIPES; k++)
        if (strlen(kinds[k]->about.name) == n && strncmp(kinds[k]->about.name, text, n) == 0)
            return k;
    return -1;
}

const struct recipe_kind_facts *recipe_facts(int kind) { return kinds[kind]; }
const struct recipe_about *recipe_about(int kind) { return &kinds[kind]->about; }

const char *recipe_placement(const struct recipe *r)
{
    for (const struct recipe_param *param = kinds[r->kind]->about.params; param->name; param++)
        if (key_of(param->name)->form == FORM_PLACE)
            return r->window != RECIPE_WINDOW_ALL ? "band" : "random";
    return "";
}

#define LETTERS "abcdefghijklmnopqrstuvwxyz"
/* A misspelt kind is still a recipe, so that its error names the kinds, unless the text before the colon is a file. */
bool recipe_looks_like(const char *text)
{
    const size_t n = strcspn(text, ":");
    if (find_kind(text, n) >= 0)
        return true;
    const char *key = text + n + 1;
    if (n == 0 || text[n] != ':' || strspn(text, LETTERS) != n || strspn(key, LETTERS) == 0
        || key[strspn(key, LETTERS)] != '=')
        return false;
    char *file = xstrdup(text);
    file[n] = '\0';
    const bool is_file = access(file, F_OK) == 0;
    free(file);
    return !is_file;
}

static int parse_seed(const char *text, uint64_t *seed)
{
    if (text[0] == '\0' || text[strspn(text, "0123456789")] != '\0' || strlen(text) > 20)
        return -1;
    uint64_t v = 0;
    for (; *text; text++) {
        uint64_t digit = (uint64_t)(*text - '0');
        if (v > (UINT64_MAX - digit) / 10)
            return -1;
        v = 10 * v + digit;
    }
    *seed = v;
    return 0;
}

static int parse_value(const struct key *key, const char *text, struct recipe *r)
{
    double real;
    switch (key->form) {
    case FORM_COUNT: return parse_int(text, key->min, key->max, field(r, key));
    case FORM_SEED: return parse_seed(text, field(r, key));
    case FORM_FRACTION:
        if (parse_real(text, 0, RECIPE_LIMIT, &real) != 0)
            return -1;
        *(int64_t *)field(r, key) = llround(256 * real);
        return 0;
    case FORM_PLACE:
        if (strcmp(text, "band") != 0 && strcmp(text, "random") != 0)
            return -1;
        r->window = text[0] == 'b' ? RECIPE_WINDOW_OWN : RECIPE_WINDOW_ALL;
        return 0;
    case FORM_ORDER:
        if (strcmp(text, "natural") != 0 && strcmp(text, "shuffled") != 0)
            return -1;
        r->shuffled = text[0] == 's';
        return 0;
    case FORM_VALUES:
        r->values = 0;
        while (r->values < NRECIPE_VALUES && strcmp(text, values_names[r->values]) != 0)
            r->values++;
        return r->values < NRECIPE_VALUES ? 0 : -1;
    }
    return -1;
}

/* Parses one "key=value" of `kind`; *given has a bit for each key seen. */
static int parse_item(const struct recipe_about *kind, char *item, struct recipe *r, unsigned *given, char why[ERRLEN])
{
    char list[128], hint[64];
    char *value = strchr(item, '=');
    if (value == NULL)
        return fail(why, "\"%s\" is not key=value", item);
    *value++ = '\0';
    for (int i = 0; i < RECIPE_PARAMS && kind->params[i].name; i++) {
        if (strcmp(kind->params[i].name, item) != 0)
            continue;
        if (*given >> i & 1)
            return fail(why, "%s is given twice", item);
        *given |= 1u << i;
        if (parse_value(key_of(item), value, r) == 0)
            return 0;
        return fail(why, "%s is \"%s\", expected %s", item, value, kind->params[i].legal);
    }
    names(kind, ", ", list);
    return fail(why, "unknown key \"%s\" (%s has %s%s)", item, kind->name, list, meant(item, kind, hint));
}

/* A default that is a description leaves the member unset (0; fractions -1), and finish of the kind sets it. */
static void set_default(const struct recipe_param *param, struct recipe *r)
{
    const struct key *key = key_of(param->name);
    if (parse_value(key, param->initial, r) != 0 && key->form == FORM_FRACTION)
        *(int64_t *)field(r, key) = -1;
}

static int parse_items(const struct recipe_about *kind, char *items, struct recipe *r, char why[ERRLEN])
{
    unsigned given = 0;
    char *rest = items;
    while (rest && *rest) {
        char *item = strsep(&rest, ",");
        if (parse_item(kind, item, r, &given, why) != 0)
            return FAIL;
    }
    for (int i = 0; i < RECIPE_PARAMS && kind->params[i].name; i++) {
        const struct recipe_param *param = &kind->params[i];
        if (given >> i & 1)
            continue;
        if (param->initial == NULL)
            return fail(why, "missing %s (%s, %s)", param->name, param->about, param->legal);
        set_default(param, r);
    }
    return kinds[r->kind]->finish(r, why);
}

static void print_value(const struct recipe *r, const struct key *key, char out[32])
{
    struct recipe copy = *r;
    if (key->form == FORM_PLACE) {
        snprintf(out, 32, "%s", r->window != RECIPE_WINDOW_ALL ? "band" : "random");
    } else if (key->form == FORM_ORDER) {
        snprintf(out, 32, "%s", r->shuffled ? "shuffled" : "natural");
    } else if (key->form == FORM_VALUES) {
        snprintf(out, 32, "%s", values_names[r->values]);
    } else if (key->form == FORM_SEED) {
        snprintf(out, 32, "%" PRIu64, r->seed);
    } else if (key->form == FORM_COUNT) {
        snprintf(out, 32, "%" PRId64, *(int64_t *)field(&copy, key));
    } else {
        /* 1/256 has eight decimals */
        int n = snprintf(out, 32, "%.8f", (double)*(int64_t *)field(&copy, key) / 256);
        while (out[n - 1] == '0')
            out[--n] = '\0';
        if (out[n - 1] == '.')
            out[n - 1] = '\0';
    }
}

/* Prints all keys but optional ones that are not given and values=random, which is newer than the ids of recipes. Returns false if the text is too long. */
static bool print(const struct recipe *r, char text[RECIPE_LEN])
{
    const struct recipe_about *kind = recipe_about(r->kind);
    char value[32];
    int at = snprintf(text, RECIPE_LEN, "%s", kind->name);
    for (int i = 0; i < RECIPE_PARAMS && kind->params[i].name; i++) {
        const struct key *key = key_of(kind->params[i].name);
        if ((key->form == FORM_COUNT && *(const int64_t *)((const char *)r + key->offset) < key->min)
            || (key->form == FORM_VALUES && r->values == VALUES_RANDOM))
            continue;
        print_value(r, key, value);
        at += snprintf(text + at, (size_t)(RECIPE_LEN - at), "%c%s=%s", i ? ',' : ':', key->name, value);
        if (at >= RECIPE_LEN)
            return false;
    }
    return true;
}

int recipe_parse(const char *text, struct recipe *r, char why[ERRLEN])
{
    size_t n = strcspn(text, ":");
    char reason[ERRLEN], hint[64], list[128], canonical[RECIPE_LEN];
    int k = find_kind(text, n);
    if (k < 0) {
        char *word = xstrdup(text);
        word[n] = '\0';
        names(NULL, ", ", list);
        fail(why, "unknown kind of recipe \"%.60s\" (known: %s%s)", word, list, meant(word, NULL, hint));
        free(word);
        return FAIL;
    }
    memset(r, 0, sizeof *r);
    r->kind = k;
    r->zero_from = INT64_MAX;
    char *items = xstrdup(text[n] ? text + n + 1 : "");
    int status = parse_items(&kinds[k]->about, items, r, reason);
    free(items);
    if (status == 0 && !print(r, canonical))
        status = fail(reason, "with all keys it is longer than %d characters; use a shorter seed, fill or run",
                      RECIPE_LEN - 1);
    return status == 0 ? 0 : fail(why, "recipe \"%.150s\": %.300s", text, reason);
}

void recipe_print(const struct recipe *r, char text[RECIPE_LEN])
{
    if (!print(r, text))
        bug("a recipe of more than %d characters", RECIPE_LEN - 1);
}

void recipe_id(const struct recipe *r, char id[ID_LEN])
{
    char text[RECIPE_LEN];
    recipe_print(r, text);
    hash_string(text, id);
}
