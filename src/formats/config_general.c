/* SPDX-License-Identifier: BSD-3-Clause */
/* The general form of a configuration, under which times of different matrices are comparable. */
#include <string.h>
#include "archive/schema.h"
#include "formats/config_keys.h"
#include "formats/format.h"

/* Sets each key, including those of parts, to "auto" if "auto" gives the value that the key has. */
static struct config general_of(const struct config *resolved, const struct features *f, const struct target *t)
{
    char ruled[CONFIG_LEN], whole[CONFIG_LEN], why[ERRLEN];
    struct config general = *resolved, again;

    config_print(resolved, whole);
    for (int i = 0; i < general.n; i++) {
        const struct param *p = config_param(&general, general.set[i].key);
        const struct setting before = general.set[i];

        if (!p || p->type == PARAM_KERNEL || !strstr(p->legal, "|auto"))
            continue;
        TEXT_SET(general.set[i].value, "auto");
        ruled[0] = '\0';
        if (config_resolve(&general, f, t, &again, why) == 0)
            config_print(&again, ruled);
        if (strcmp(ruled, whole) != 0)
            general.set[i] = before;
    }
    return general;
}

void config_general(const struct config *resolved, const struct features *f, const struct target *t,
                    char text[CONFIG_LEN])
{
    const struct config general = general_of(resolved, f, t);
    config_print(&general, text);
}

void config_as_asked(const struct config *resolved, const char *asked, const struct features *f, const struct target *t,
                     char text[CONFIG_LEN])
{
    struct config general = general_of(resolved, f, t);
    const struct config *parsed = config_known(asked, NULL);
    for (int i = 0; i < general.n && parsed; i++)
        for (int k = 0; k < parsed->n; k++)
            if (strcmp(general.set[i].value, "auto") == 0 && strcmp(general.set[i].key, parsed->set[k].key) == 0)
                general.set[i] = parsed->set[k];
    config_print(&general, text);
}
