/* SPDX-License-Identifier: BSD-3-Clause */
/* spmv-fit --add: the profile that models are added to. */
#include <stdlib.h>
#include <string.h>
#include "fit/fit.h"

/* Removes the fits of the wanted models. Trees of removed fits stay out of the new table of nodes. */
static void remove_wanted(struct profile *p, const struct strlist *wanted)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < p->coefs.n; i++)
        if (!fit_wants(wanted, p->coefs.row[i].model))
            p->coefs.row[kept++] = p->coefs.row[i];
    p->coefs.n = kept;
    coefs_sort(&p->coefs);
    struct trained *old = p->trained, *left = xcalloc(1, sizeof *left);
    for (int64_t i = 0; old && i < old->nfits; i++)
        if (!fit_wants(wanted, old->fit[i].model)) {
            struct trained_fit fit = old->fit[i];
            trained_add(left, &fit, old->node + old->fit[i].first);
        }
    for (int64_t i = 0; old && i < old->nefforts; i++)
        if (!fit_wants(wanted, old->effort[i].model)) {
            left->effort = xrealloc(left->effort, (unsigned long)(left->nefforts + 1) * sizeof *left->effort);
            left->effort[left->nefforts++] = old->effort[i];
        }
    if (old) { /* sizes depend on matrices and configurations only */
        left->nsizes_configs = old->nsizes_configs;
        left->sizes_config = old->sizes_config;
        left->nsizes = old->nsizes;
        left->size = old->size;
        old->nsizes_configs = old->nsizes = 0;
        old->sizes_config = NULL;
        old->size = NULL;
        trained_free(old);
    }
    p->trained = left;
}

/* The times of "nearest" belong to the profile's matrices, so none can be added. */
static void check_times(const char *path, const struct strlist *wanted)
{
    for (int i = 0; i < wanted->n && strlist_has(wanted, "nearest"); i++)
        if (model_needs(model_find(wanted->v[i]), "nearest"))
            die("--add %s: model %s needs nearest, which that profile lacks; fit both with spmv-fit -m %s RUN.h5... -o "
                "PROFILE.h5",
                path, wanted->v[i], wanted->v[i]);
}

void fit_load_base(const char *path, const struct runs *runs, struct strlist *wanted, struct profile *p)
{
    char why[ERRLEN];
    int status = profile_load(path, p, why);
    if (status == 0)
        status = profile_load_trained(p, why);
    if (status != 0)
        die_code(archive_exit(status), "%s", why);
    if (strcmp(p->device_key, runs->rows[0].device_key) != 0)
        die("--add %s is for \"%s\", but the rows were measured on \"%s\"", path, p->device_key,
            runs->rows[0].device_key);
    fit_want_needed(wanted, p);
    check_times(path, wanted);
    remove_wanted(p, wanted);
}
