/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels and benchmark matrices of wang2017 (wang2017.h). */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "formats/config_keys.h"
#include "models/wang2017/wang2017.h"

static const char *const names[NWANG] = { "wang2017-constant", "wang2017-normal", "wang2017-uniform",
                                          "wang2017-binomial" };
static const enum recipe_kind kinds[NWANG] = { RECIPE_CONSTANT, RECIPE_NORMAL, RECIPE_UNIFORM, RECIPE_BINOMIAL };

const char *wang_name(enum wang_kind k) { return names[k]; }

static const struct wang_kernel kernels[] = {
    { "csr-vector", 16, true, "csr-vector:lanes=16,rows=1", "csr-vector:lanes=16" },
    { "csr-scalar", 1, false, "csr-scalar", "csr-scalar" },
    { "ell", 1, false, "ell:lanes=1", "ell" },
    { "jad", 1, false, "jad:lanes=1", "jad" },
    { .name = NULL },
};

const struct wang_kernel *wang_kernel_at(int i)
{
    return i >= 0 && i < (int)(sizeof kernels / sizeof kernels[0]) && kernels[i].name ? &kernels[i] : NULL;
}

const struct wang_kernel *wang_kernel_of(const struct config *c)
{
    for (const struct wang_kernel *k = kernels; k->name; k++)
        if (strcmp(c->kernel->name, k->name) == 0)
            return config_int_or(c, "lanes", 1) == k->lanes && config_int_or(c, "rows", 1) == 1 ? k : NULL;
    return NULL;
}

const int *wang_strips(const struct wang_kernel *k)
{
    static const int group[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 35, 40, 45, 50, 0 },
                     thread[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0 };
    return k->group ? group : thread;
}

const int *wang_lengths(const struct wang_kernel *k)
{
    static const int group[] = { 4, 8, 16, 32, 64, 128, 256, 512, 1024, 1536, 2048, 2560, 3072, 0 },
                     thread[] = { 4, 8, 16, 32, 64, 128, 256, 512, 1024, 0 };
    return k->group ? group : thread;
}

bool wang_recipe(enum wang_kind k, int64_t rows, int64_t p, char text[RECIPE_LEN])
{
    const double sd = sqrt((double)p * (1.0 - (double)p / (double)rows));
    char asked[RECIPE_LEN], spread[40] = "", why[ERRLEN];
    struct recipe r;
    if (p >= rows)
        return false;
    if (k == WANG_NORMAL)
        snprintf(spread, sizeof spread, "sd=%.12g,", sd);
    else if (k == WANG_UNIFORM)
        snprintf(spread, sizeof spread, "half=%.12g,", sqrt(3.0) * sd);
    snprintf(asked, sizeof asked, "%s:rows=%" PRId64 ",cols=%" PRId64 ",p=%" PRId64 ",%splace=random",
             recipe_about((int)kinds[k])->name, rows, rows, p, spread);
    if (recipe_parse(asked, &r, why) != 0)
        bug("wang2017: %s", why);
    recipe_print(&r, text);
    return true;
}

bool wang_recipe_is(enum wang_kind k, const char *recipe, int64_t *rows, int64_t *p)
{
    const char *name = recipe_about((int)kinds[k])->name;
    char why[ERRLEN], wanted[RECIPE_LEN], found[RECIPE_LEN];
    struct recipe r;
    if (strncmp(recipe, name, strlen(name)) != 0 || recipe[strlen(name)] != ':' || recipe_parse(recipe, &r, why) != 0
        || r.rows != r.cols || !wang_recipe(k, r.rows, r.p, wanted))
        return false;
    r.seed = 1;
    recipe_print(&r, found);
    *rows = r.rows;
    *p = r.p;
    return strcmp(found, wanted) == 0;
}
