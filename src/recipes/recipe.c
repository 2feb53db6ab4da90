/* SPDX-License-Identifier: BSD-3-Clause */
/* Recipes as text: KIND:key=value,... with the kinds and their keys in one table; canonical form, id (recipe.h). */
#include "recipes/recipe.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/hash.h"
#include "common/options.h"
#include "common/table.h"

#define LIMIT 2147483647        /* rows, columns: column indices are int32 */
#define COUNT_LEGAL "1..2147483647"

/* initial NULL: must be given. Canonical strings have the keys in this order. */
#define ROWS   { "rows", "rows", COUNT_LEGAL, NULL }
#define COLS   { "cols", "columns", COUNT_LEGAL, "max(rows, 2p)" }
#define MEAN   { "p", "mean entries in a row", COUNT_LEGAL, NULL }
#define PLACE  { "place", "columns: one draw from each stratum of a window (2p wide, centred at i cols/rows) or of the whole width", "band|random", "band" }
#define SEED   { "seed", "another seed, another matrix", "0..18446744073709551615", "1" }

const struct recipe_about recipe_kinds[NRECIPES] = {
    [RECIPE_CONSTANT] = { "constant", "every row has p entries", "constant:rows=8448,p=16,place=random",
                          { ROWS, COLS, { "p", "entries in a row", COUNT_LEGAL, NULL }, PLACE, SEED } },
    [RECIPE_UNIFORM] = { "uniform", "row lengths uniform in p - half .. p + half", "uniform:rows=8448,p=16,half=8",
                         { ROWS, COLS, MEAN, { "half", "half-width of the lengths", "0..p, in steps of 1/256", "p/2" }, PLACE, SEED } },
    [RECIPE_NORMAL] = { "normal", "row lengths normal, cut at 0", "normal:rows=8448,p=16,sd=4",
                        { ROWS, COLS, MEAN, { "sd", "standard deviation of the lengths", "0..p, in steps of 1/256", "p/2" }, PLACE, SEED } },
    [RECIPE_DENSE] = { "dense", "every entry is there", "dense:rows=2000",
                       { ROWS, { "cols", "columns", COUNT_LEGAL, "rows" }, SEED } },
    [RECIPE_BANDED] = { "banded", "square, all diagonals to `bandwidth` on either side are full", "banded:rows=10000,bandwidth=8",
                        { ROWS, { "bandwidth", "diagonals on either side of the main one", "0..rows-1", NULL }, SEED } },
    [RECIPE_STENCIL] = { "stencil", "square and symmetric: grid points and their neighbours, those outside fall away", "stencil:points=5,n=300",
                         { { "points", "neighbours: 5 in two dimensions; 7, 27 in three", "5|7|27", NULL },
                           { "n", "points of the grid a side", "1..46340 (points=5), 1..1290", NULL }, SEED } },
};

/* Where a key's value lives and how it is written. */
enum form { FORM_COUNT, FORM_FRACTION, FORM_PLACE, FORM_SEED };
static const struct key { const char *name; enum form form; size_t offset; int64_t min; } keys[] = {
    { "rows", FORM_COUNT, offsetof(struct recipe, rows), 1 },
    { "cols", FORM_COUNT, offsetof(struct recipe, cols), 1 },
    { "p", FORM_COUNT, offsetof(struct recipe, p), 1 },
    { "half", FORM_FRACTION, offsetof(struct recipe, spread), 0 },
    { "sd", FORM_FRACTION, offsetof(struct recipe, spread), 0 },
    { "place", FORM_PLACE, offsetof(struct recipe, window), 0 },
    { "bandwidth", FORM_COUNT, offsetof(struct recipe, n), 0 },
    { "points", FORM_COUNT, offsetof(struct recipe, points), 1 },
    { "n", FORM_COUNT, offsetof(struct recipe, n), 1 },
    { "seed", FORM_SEED, offsetof(struct recipe, seed), 0 },
};

static const struct column recipe_columns[] = {
    COLUMN_TEXT_OF(struct recipe_row, recipe, "canonical recipe"),
    COLUMN_TEXT_OF(struct recipe_row, recipe_id, "SHA-256 of the canonical recipe"),
    COLUMN_TEXT_OF(struct recipe_row, role, "what the cell is for: grid, path, gather, spread, literal, user"),
    COLUMN_TEXT_OF(struct recipe_row, kernels, "configurations it is meant for, '+' between; empty: all"),
    COLUMN_OF(struct recipe_row, strips_i, COLUMN_F64, "strips", "I: rows / strip"),
    COLUMN_OF(struct recipe_row, per_row_p, COLUMN_I64, "entries", "P: entries in a row"),
    COLUMN_TEXT_OF(struct recipe_row, place, "placement of columns: band or random"),
};
const struct schema recipe_schema = SCHEMA_OF(struct recipe_row, "recipes", recipe_columns);

static const struct key *key_of(const char *name)
{
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (strcmp(keys[i].name, name) == 0) return &keys[i];
    bug("recipe key %s has no place", name);
}

static void *field(struct recipe *r, const struct key *key) { return (char *)r + key->offset; }

/* Names of the kinds, or of a kind's keys, with `separator` between. */
static void names(const struct recipe_about *kind, const char *separator, char out[128])
{
    out[0] = '\0';
    for (int i = 0; kind ? i < RECIPE_PARAMS && kind->params[i].name : i < NRECIPES; i++) {
        size_t at = strlen(out);
        snprintf(out + at, 128 - at, "%s%s", i ? separator : "", kind ? kind->params[i].name : recipe_kinds[i].name);
    }
}

/* "; did you mean X?" where a name is near. */
static const char *meant(const char *text, const struct recipe_about *kind, char out[64])
{
    char list[128];
    names(kind, "|", list);
    const char *near = nearest_word(text, list);
    out[0] = '\0';
    if (near) snprintf(out, 64, "; did you mean %s?", near);
    return out;
}

static int find_kind(const char *text, size_t n)
{
    for (int k = 0; k < NRECIPES; k++)
        if (strlen(recipe_kinds[k].name) == n && strncmp(recipe_kinds[k].name, text, n) == 0) return k;
    return -1;
}

bool recipe_looks_like(const char *text) { return find_kind(text, strcspn(text, ":")) >= 0; }

static int parse_seed(const char *text, uint64_t *seed)
{
    if (text[0] == '\0' || text[strspn(text, "0123456789")] != '\0' || strlen(text) > 20) return -1;
    uint64_t v = 0;
    for (; *text; text++) {
        uint64_t digit = (uint64_t)(*text - '0');
        if (v > (UINT64_MAX - digit) / 10) return -1;
        v = 10 * v + digit;
    }
    *seed = v;
    return 0;
}

static int parse_value(const struct key *key, const char *text, struct recipe *r)
{
    double real;
    switch (key->form) {
    case FORM_COUNT: return parse_int(text, key->min, LIMIT, field(r, key));
    case FORM_SEED: return parse_seed(text, field(r, key));
    case FORM_FRACTION:
        if (parse_real(text, 0, LIMIT, &real) != 0) return -1;
        *(int64_t *)field(r, key) = llround(256 * real);
        return 0;
    case FORM_PLACE:
        if (strcmp(text, "band") != 0 && strcmp(text, "random") != 0) return -1;
        r->window = text[0] == 'b';             /* sized by finish_rows */
        return 0;
    }
    return -1;
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

/* Kinds with rows of about p entries: columns, spread and the window. */
static int finish_rows(struct recipe *r, char why[ERRLEN])
{
    if (r->cols == 0) r->cols = least(most(r->rows, 2 * r->p), LIMIT);
    if (r->p > r->cols) return fail(why, "p is %" PRId64 ", but a row has only %" PRId64 " columns: raise cols", r->p, r->cols);
    if (r->spread < 0) r->spread = 128 * r->p;
    if (r->spread > 256 * r->p)
        return fail(why, "%s is %g, more than p = %" PRId64 ": lengths would fall below 0", r->kind == RECIPE_NORMAL ? "sd" : "half", (double)r->spread / 256, r->p);
    if (r->window == 0) return 0;
    int64_t longest = r->p + (r->kind == RECIPE_NORMAL ? 6 : 1) * ((r->spread + 255) / 256);
    r->window = least(r->cols, most(2 * r->p, longest));
    return 0;
}

/* What was not given, and what the keys together must satisfy. */
static int finish(struct recipe *r, char why[ERRLEN])
{
    if (r->kind == RECIPE_DENSE) {
        if (r->cols == 0) r->cols = r->rows;
        return 0;
    }
    if (r->kind == RECIPE_BANDED) {
        r->cols = r->rows;
        return r->n < r->rows ? 0 : fail(why, "bandwidth is %" PRId64 ", at most rows-1 = %" PRId64 " diagonals lie on a side", r->n, r->rows - 1);
    }
    if (r->kind == RECIPE_STENCIL) {
        if (r->points != 5 && r->points != 7 && r->points != 27) return fail(why, "points is %" PRId64 ", expected 5|7|27", r->points);
        int64_t side = r->points == 5 ? 46340 : 1290;
        if (r->n > side) return fail(why, "n is %" PRId64 ": with points=%" PRId64 " at most %" PRId64 " a side keep rows below 2^31", r->n, r->points, side);
        r->rows = r->cols = r->n * r->n * (r->points == 5 ? 1 : r->n);
        return 0;
    }
    return finish_rows(r, why);
}

/* One "key=value" of `kind`; *given has a bit for each key seen. */
static int parse_item(const struct recipe_about *kind, char *item, struct recipe *r, unsigned *given, char why[ERRLEN])
{
    char list[128], hint[64];
    char *value = strchr(item, '=');
    if (value == NULL) return fail(why, "\"%s\" is not key=value", item);
    *value++ = '\0';
    for (int i = 0; i < RECIPE_PARAMS && kind->params[i].name; i++) {
        if (strcmp(kind->params[i].name, item) != 0) continue;
        if (*given >> i & 1) return fail(why, "%s is given twice", item);
        *given |= 1u << i;
        if (parse_value(key_of(item), value, r) == 0) return 0;
        return fail(why, "%s is \"%s\", expected %s", item, value, kind->params[i].legal);
    }
    names(kind, ", ", list);
    return fail(why, "unknown key \"%s\" (%s has %s%s)", item, kind->name, list, meant(item, kind, hint));
}

static int parse_items(const struct recipe_about *kind, char *items, struct recipe *r, char why[ERRLEN])
{
    unsigned given = 0;
    char *rest = items;
    while (rest && *rest) {
        char *item = strsep(&rest, ",");
        if (parse_item(kind, item, r, &given, why) != 0) return FAIL;
    }
    for (int i = 0; i < RECIPE_PARAMS && kind->params[i].name; i++)
        if (!(given >> i & 1) && kind->params[i].initial == NULL)
            return fail(why, "%s is missing: %s, %s", kind->params[i].name, kind->params[i].about, kind->params[i].legal);
    return finish(r, why);
}

int recipe_parse(const char *text, struct recipe *r, char why[ERRLEN])
{
    size_t n = strcspn(text, ":");
    char reason[ERRLEN], hint[64], list[128];
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
    r->seed = 1;
    r->window = 1;
    r->spread = -1;
    if (k != RECIPE_CONSTANT && k != RECIPE_UNIFORM && k != RECIPE_NORMAL) r->window = 0;
    if (k != RECIPE_UNIFORM && k != RECIPE_NORMAL) r->spread = 0;
    char *items = xstrdup(text[n] ? text + n + 1 : "");
    int status = parse_items(&recipe_kinds[k], items, r, reason);
    free(items);
    return status == 0 ? 0 : fail(why, "recipe \"%.150s\": %.300s", text, reason);
}

static void print_value(const struct recipe *r, const struct key *key, char out[32])
{
    struct recipe copy = *r;
    if (key->form == FORM_PLACE) {
        snprintf(out, 32, "%s", r->window > 0 ? "band" : "random");
    } else if (key->form == FORM_SEED) {
        snprintf(out, 32, "%" PRIu64, r->seed);
    } else if (key->form == FORM_COUNT) {
        snprintf(out, 32, "%" PRId64, *(int64_t *)field(&copy, key));
    } else {
        int n = snprintf(out, 32, "%.8f", (double)*(int64_t *)field(&copy, key) / 256);       /* a 256th has eight decimals */
        while (out[n - 1] == '0') out[--n] = '\0';
        if (out[n - 1] == '.') out[n - 1] = '\0';
    }
}

void recipe_print(const struct recipe *r, char text[RECIPE_LEN])
{
    const struct recipe_about *kind = &recipe_kinds[r->kind];
    char value[32];
    int at = snprintf(text, RECIPE_LEN, "%s", kind->name);
    for (int i = 0; i < RECIPE_PARAMS && kind->params[i].name; i++) {
        print_value(r, key_of(kind->params[i].name), value);
        at += snprintf(text + at, (size_t)(RECIPE_LEN - at), "%c%s=%s", i ? ',' : ':', kind->params[i].name, value);
        if (at >= RECIPE_LEN) bug("a recipe of more than %d characters", RECIPE_LEN - 1);
    }
}

void recipe_id(const struct recipe *r, char id[ID_LEN])
{
    char text[RECIPE_LEN];
    recipe_print(r, text);
    hash_string(text, id);
}
