/* SPDX-License-Identifier: BSD-3-Clause */
/* A reader for each kind of archive. */
#include "verify/contents.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "models/forecasts.h"
#include "profile/profile.h"
#include "recipes/recipe.h"
#include "runs/planfile.h"
#include "runs/rows.h"

static int load_run(const char *path, char why[ERRLEN])
{
    struct runs runs = { 0 };
    const int status = runs_load(path, &runs, why);
    char *skipped = status ? NULL : runs_skipped_text(&runs);

    if (!status)
        snprintf(why, ERRLEN, "%s", skipped ? skipped : "");
    free(skipped);
    runs_free(&runs);
    return status;
}

static int load_profile(const char *path, char why[ERRLEN])
{
    struct profile profile;
    int status = profile_load(path, &profile, why);

    if (status == 0) {
        status = profile_load_trained(&profile, why);
        profile_free(&profile);
    }
    return status;
}

static int load_plan(const char *path, char why[ERRLEN])
{
    struct plan plan;
    const int status = plan_load(path, &plan, why);

    if (status == 0)
        plan_free(&plan);
    return status;
}

static int load_recipes(const char *path, char why[ERRLEN])
{
    struct recipe_row *rows;
    struct recipe recipe;
    int64_t n;
    int status = recipes_read(path, &rows, &n, why);

    for (int64_t i = 0; i < n && !status; i++)
        status = recipe_parse(rows[i].recipe, &recipe, why);
    free(rows);
    return status;
}

static int load_forecasts(const char *path, char why[ERRLEN])
{
    struct forecasts forecasts;
    const int status = forecasts_load(path, &forecasts, why);

    if (status == 0)
        forecasts_free(&forecasts);
    return status;
}

static const struct {
    const char *kind;
    int (*load)(const char *path, char why[ERRLEN]);
} loaders[] = { { "run", load_run },
                { "profile", load_profile },
                { "plan", load_plan },
                { "recipes", load_recipes },
                { "forecasts", load_forecasts } };

int contents_load(const char *kind, const char *path, char why[ERRLEN])
{
    for (size_t k = 0; k < sizeof loaders / sizeof loaders[0]; k++)
        if (strcmp(loaders[k].kind, kind) == 0)
            return loaders[k].load(path, why);
    return fail(why, "%s: unknown kind of archive '%s'", path, kind);
}
