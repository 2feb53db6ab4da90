/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of models. */
#include <string.h>
#include "base/strings.h"
#include "models/model.h"

#define MODEL(id) extern const struct model model_##id;
#include "models/models.def"
#undef MODEL

static const struct model *const models[] = {
#define MODEL(id) &model_##id,
#include "models/models.def"
#undef MODEL
    NULL
};

const char model_default[] = "physics-gp", model_planning[] = "guo2014-regimes";

const struct model *model_at(int i) { return i >= 0 && i < (int)(sizeof models / sizeof models[0]) ? models[i] : NULL; }

int model_count(void) { return (int)(sizeof models / sizeof models[0]) - 1; }

const struct model *model_find(const char *name)
{
    for (int i = 0; models[i]; i++)
        if (strcmp(models[i]->name, name) == 0)
            return models[i];
    return NULL;
}

const struct model *model_of_profile(const struct profile *p)
{
    return model_find(p->learned ? model_default : model_planning);
}

const char *model_names(void)
{
    static _Thread_local char names[32 * sizeof models / sizeof models[0]];
    if (!*names)
        for (int i = 0; models[i]; i++)
            words_add(names, sizeof names, models[i]->name);
    return names;
}
