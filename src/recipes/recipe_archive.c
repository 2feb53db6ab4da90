/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading recipes archives. */
#include <stdlib.h>
#include "archive/archive.h"
#include "recipes/recipe.h"

int recipes_read(const char *path, struct recipe_row **rows, int64_t *n, char why[ERRLEN])
{
    struct archive *a;

    *rows = NULL;
    *n = 0;
    int status = archive_open(path, "recipes", &a, why);
    if (status)
        return status;
    status = archive_get(a, &recipe_schema, (void **)rows, n, why);
    archive_close(a);
    return status;
}
