/* SPDX-License-Identifier: BSD-3-Clause */
/* Recipes: the canonical form of a text reads as the same recipe; a small one expands to a valid CSR of the size and features that it
 * promises. */
#include <inttypes.h>
#include "fuzz.h"
#include "recipes/recipe.h"

enum { ROWS = 1 << 12, ENTRIES = 1 << 14 };

static void expand(const struct recipe *r, const char *text)
{
    char why[ERRLEN];
    struct csr a;
    struct features promised, found;
    const int64_t nnz = recipe_nnz(r);
    FUZZ_MUST(nnz >= 0, "%s", text);
    if (nnz > ENTRIES)
        return;
    FUZZ_MUST(recipe_csr(r, &a, why) == 0, "%s: %s", text, why);
    FUZZ_MUST(csr_check(&a, why) == 0, "%s: %s", text, why);
    FUZZ_MUST(a.rows == r->rows && a.cols == r->cols && a.nnz == nnz, "%s", text);
    recipe_features(r, &promised);
    features_of(&a, &found);
    FUZZ_MUST(promised.nnz == found.nnz && promised.row_max == found.row_max && promised.row_min == found.row_min
                  && promised.bandwidth == found.bandwidth,
              "%s: features differ", text);
    features_free(&promised);
    features_free(&found);
    csr_free(&a);
}

void fuzz_recipes(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), why[ERRLEN], printed[RECIPE_LEN], twice[RECIPE_LEN];
    static struct recipe r, again;
    (void)recipe_looks_like(text);
    if (recipe_parse(text, &r, why) == 0) {
        recipe_print(&r, printed);
        FUZZ_MUST(recipe_parse(printed, &again, why) == 0, "%s", why);
        recipe_print(&again, twice);
        FUZZ_MUST(strcmp(printed, twice) == 0, "%s and %s", printed, twice);
        FUZZ_MUST(memcmp(&r, &again, sizeof r) == 0, "%s is another recipe than %s", printed, text);
        FUZZ_MUST(r.rows > 0 && r.cols > 0 && r.rows <= INT32_MAX && r.cols <= INT32_MAX, "%s", printed);
        if (r.rows <= ROWS)
            expand(&r, printed);
    }
    free(text);
}
