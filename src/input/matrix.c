/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions on struct matrix for all readers. */
#include "input/matrix.h"

#include <string.h>
#include "base/utf8.h"
#include "recipes/recipe.h"

void matrix_text(char *to, size_t bytes, const char *text) { utf8_put(to, bytes, text, UTF8_STORED); }

void matrix_free(struct matrix *m)
{
    csr_free(&m->csr);
    memset(m, 0, sizeof *m);
}

void matrix_values(const struct matrix *m, struct features *f)
{
    struct recipe r;
    char why[ERRLEN];
    if (m->recipe[0]) {
        if (recipe_parse(m->recipe, &r, why) == 0)
            recipe_values(&r, f);
    } else if (strcmp(m->field, "pattern") != 0)
        features_set_values(f, m->csr.val, F64, m->csr.nnz);
}

void matrix_features(const struct matrix *m, struct features *f)
{
    features_of(&m->csr, f);
    matrix_values(m, f);
}
