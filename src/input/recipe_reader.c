/* SPDX-License-Identifier: BSD-3-Clause */
/* Recipes as matrices, generated on the host: a recipe string, or an archive with a single recipe. Other HDF5 files
 * that no reader claims are refused here. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "archive/archive.h"
#include "input/reader.h"
#include "recipes/recipe.h"

static int archived_recipe(const char *path, char text[RECIPE_LEN], char why[ERRLEN])
{
    struct only_recipe {
        char recipe[RECIPE_LEN];
    };
    static const struct column columns[] = { COLUMN_TEXT_OF(struct only_recipe, recipe, "the recipe") };
    static const struct schema schema = SCHEMA_OF(struct only_recipe, "recipes", columns);
    struct archive *a = NULL;
    void *rows = NULL;
    int64_t n = 0;
    char inner[ERRLEN];
    int status = archive_open(path, NULL, &a, inner);
    if (status)
        return fail(why,
                    "%s: HDF5 file without attribute 'binsparse'; expected a Binsparse matrix, or an AnnData file "
                    "with the attribute encoding-type (anndata 0.8 or later writes it): %s",
                    path, inner);
    if (strcmp(archive_kind(a), "recipes") != 0) {
        status =
            fail(why, "%s is a %s archive; expected a matrix (spmv-info shows its contents)", path, archive_kind(a));
        goto out;
    }
    if ((status = archive_get(a, &schema, &rows, &n, why)))
        goto out;
    if (n != 1) {
        status = fail(why, "%s holds %" PRId64 " recipes, expected exactly one; name a recipe instead of the archive",
                      path, n);
        goto out;
    }
    matrix_text(text, RECIPE_LEN, ((struct only_recipe *)rows)->recipe);
out:
    free(rows);
    archive_close(a);
    return status;
}

static int recipe_of(const struct input *in, struct recipe *r, char why[ERRLEN])
{
    char text[RECIPE_LEN];
    if (in->form == INPUT_WORDS)
        return recipe_parse(in->file, r, why);
    const int status = archived_recipe(in->file, text, why);
    return status ? status : recipe_parse(text, r, why);
}

static int recipe_read(struct input *in, struct matrix *m, char why[ERRLEN])
{
    struct recipe r;
    const int status = recipe_of(in, &r, why);
    if (status)
        return status;
    recipe_print(&r, m->recipe);
    matrix_text(m->name, sizeof m->name, m->recipe);
    matrix_text(m->source, sizeof m->source, m->recipe);
    matrix_text(m->field, sizeof m->field, "real");
    return recipe_csr(&r, &m->csr, why);
}

static int recipe_peek(struct input *in, struct matrix_header *h, char why[ERRLEN])
{
    struct recipe r;
    char text[RECIPE_LEN];
    const int status = recipe_of(in, &r, why);
    if (status)
        return status;
    *h = (struct matrix_header){ r.rows, r.cols, recipe_nnz(&r), false, "" };
    recipe_print(&r, text);
    matrix_text(h->name, sizeof h->name, text);
    return 0;
}

/* Runs, profiles and plans are stored next to matrices, including the -o file of this run. */
static bool recipe_left_out(struct input *in)
{
    struct archive *a;
    char unread[ERRLEN];
    if (in->form != INPUT_HDF5 || archive_open(in->file, NULL, &a, unread))
        return false;
    const bool other = strcmp(archive_kind(a), "matrix") != 0 && strcmp(archive_kind(a), "recipes") != 0;
    archive_close(a);
    return other;
}

static enum claim recipe_recognises(const struct input *in)
{
    return in->form == INPUT_WORDS && recipe_looks_like(in->path) ? CLAIM_SURE
           : in->form == INPUT_HDF5 && !in->inside[0]             ? CLAIM_REST
                                                                  : CLAIM_NO;
}

const struct reader recipe_reader = {
    .name = "recipe",
    .about = "a recipe (KIND:key=value,...)",
    .recognises = recipe_recognises,
    .peek = recipe_peek,
    .read = recipe_read,
    .left_out = recipe_left_out,
};
