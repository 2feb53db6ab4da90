/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/kept.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_LEN = RECIPE_LEN + CONFIG_LEN + 8 };

static char *print_key(char key[KEY_LEN], const char *matrix, const char *config)
{
    snprintf(key, KEY_LEN, "%.*s\t%.*s", RECIPE_LEN, matrix, CONFIG_LEN, config);
    return key;
}

void kept_add(struct strlist *kept, const struct run_row *r)
{
    char key[KEY_LEN];

    strlist_add(kept, print_key(key, r->matrix, r->asked));
    if (strcmp(r->config, r->asked) != 0)
        strlist_add(kept, print_key(key, r->matrix, r->config));
}

void kept_sort(struct strlist *kept) { qsort(kept->v, (size_t)kept->n, sizeof *kept->v, text_compare); }

bool kept_has(const struct strlist *kept, const char *matrix, const char *config)
{
    char text[KEY_LEN], *key = print_key(text, matrix, config);

    return kept->n > 0 && bsearch(&key, kept->v, (size_t)kept->n, sizeof *kept->v, text_compare);
}
