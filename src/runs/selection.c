/* SPDX-License-Identifier: BSD-3-Clause */
/* Selections of configurations (selection.h). */
#include "runs/selection.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void with_defaults(const char *asked, char text[CONFIG_LEN])
{
    const struct config *c = config_known(asked, NULL);

    if (c)
        config_print(c, text);
    else
        snprintf(text, CONFIG_LEN, "%s", asked);
}

/* Does the row match one alternative, n characters at `what`? */
static bool matches_one(const char *what, size_t n, const struct run_row *r)
{
    const size_t name = config_kernel_length(what, n), stem = name > 0 && what[name - 1] == '*' ? name - 1 : name;
    char asked[CONFIG_LEN] = "";
    size_t item = 0;

    if (strncmp(r->kernel, what, stem) != 0 || (stem == name && r->kernel[stem] != 0))
        return false;
    if (name < n)
        with_defaults(r->asked, asked);
    for (const char *at = NULL; (at = config_next_item(what, n, at, &item)) != NULL;)
        if (!config_has_item(r->config, at, item) && !config_has_item(asked, at, item))
            return false;
    return true;
}

bool selection_matches(const char *selection, const struct run_row *r)
{
    for (const char *at = selection; *at; at += at[0] == '|') {
        const size_t n = strcspn(at, "|");
        if (matches_one(at, n, r))
            return true;
        at += n;
    }
    return false;
}

int selection_check(const char *selection, char why[ERRLEN])
{
    for (const char *at = selection; *at; at += at[0] == '|') {
        const size_t n = strcspn(at, "|"), name = config_kernel_length(at, n);
        char *one = xasprintf("%.*s", (int)n, at);
        struct config c;
        const int status = name > 0 && at[name - 1] == '*' ? 0 : config_parse(one, &c, why);
        free(one);
        if (status != 0)
            return FAIL;
        at += n;
    }
    return *selection ? 0 : fail(why, "an empty selection of configurations");
}
