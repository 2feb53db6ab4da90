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

static bool profile_has(const struct profile *p, const struct model *m)
{
    return strcmp(m->name, model_default) == 0 ? p->learned != NULL
           : strcmp(m->name, "nearest") == 0   ? p->times.nconfigs > 0
                                               : coefs_have(&p->coefs, m->name);
}

const struct model *model_of_profile(const struct profile *p, bool blocks)
{
    static const char *const first[] = { model_default, model_planning, "nearest" };
    enum { FIRST = sizeof first / sizeof first[0] };
    const struct model *m;
    for (int i = 0; (m = i < FIRST ? model_find(first[i]) : model_at(i - FIRST)); i++)
        if (profile_has(p, m) && (!blocks || m->blocks_open))
            return m;
    return blocks ? NULL : model_find(model_planning);
}

const char *model_names(void)
{
    static _Thread_local char names[32 * sizeof models / sizeof models[0]];
    if (!*names)
        for (int i = 0; models[i]; i++)
            words_add(names, sizeof names, models[i]->name);
    return names;
}
