/* SPDX-License-Identifier: BSD-3-Clause */
/* Fits trained models (train.h). */
#include "fit/train.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/strings.h"

bool model_needs(const struct model *m, const char *other)
{
    for (const char *at = m->needs; at && *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == strlen(other) && strncmp(at, other, strlen(other)) == 0)
            return true;
    return false;
}

bool fit_has(const struct profile *p, const char *model)
{
    /* the coefficients of "nearest" are packed as times */
    return coefs_have(&p->coefs, model) || (strcmp(model, "nearest") == 0 && p->times.n > 0);
}

void fit_want_needed(struct strlist *wanted, const struct profile *has)
{
    const struct model *m, *other;
    for (int i = 0; i < wanted->n; i++) /* the list grows: what is needed may need others */
        for (int k = 0; (m = model_find(wanted->v[i])) && (other = model_at(k)); k++)
            if (model_needs(m, other->name) && (other->trained || !has || !fit_has(has, other->name)))
                strlist_add_once(wanted, other->name);
}

bool fit_wants(const struct strlist *wanted, const char *model)
{
    return strlist_has(wanted, "all") || strlist_has(wanted, model);
}

static int compare_ids(const void *key, const void *row)
{
    return strcmp(key, ((const struct matrix_row *)row)->source_id);
}

void training_make(struct training *t, const struct runs *runs, const struct profile *p, const struct targets *targets)
{
    *t = (struct training){ .family = examples_families(runs, &p->families) };
    t->of = xmalloc(((unsigned long)runs->nmatrices + 1) * sizeof *t->of);
    for (int64_t i = 0; i < runs->nmatrices; i++) {
        const struct matrix_row *row =
            p->measured.nmatrices ? bsearch(runs->matrices[i].source_id, p->measured.matrices,
                                            (size_t)p->measured.nmatrices, sizeof *p->measured.matrices, compare_ids)
                                  : NULL;
        t->of[i] = row ? row - p->measured.matrices : -1;
    }
    for (int i = 0; i < targets->n; i++)
        if (examples_make(runs, t->family, &targets->target[i], &t->examples[t->n], t->why) == 0)
            t->n++;
}

void training_free(struct training *t)
{
    for (int i = 0; i < t->n; i++)
        examples_free(&t->examples[i]);
    free(t->family);
    free(t->of);
    *t = (struct training){ .n = 0 };
}

void effort_add(struct trained *t, const char *model, double fit_s)
{
    int64_t i = 0;
    while (i < t->nefforts && strcmp(t->effort[i].model, model) != 0)
        i++;
    if (i == t->nefforts) {
        t->effort = xrealloc(t->effort, (unsigned long)++t->nefforts * sizeof *t->effort);
        t->effort[i] = (struct effort_row){ .fits = 0 };
        TEXT_SET(t->effort[i].model, model);
    }
    t->effort[i].fit_s += fit_s;
    t->effort[i].fits++;
}

void effort_add_parts(struct trained *t, const struct model *m)
{
    double fit_s = 0;
    int64_t parts = 0;
    for (int64_t i = 0; i < t->nefforts; i++) {
        const struct model *part = model_find(t->effort[i].model);
        if (part && (part->trained || !m->trained) && model_needs(m, part->name)) {
            fit_s += t->effort[i].fit_s;
            parts++;
        }
    }
    if (parts > 0)
        effort_add(t, m->name, fit_s);
}

void train_models(const struct training *t, const bool *use, const struct strlist *wanted, struct trained *out,
                  struct reason *why)
{
    const struct model *m;
    bool trained = false;
    for (int i = 0; (m = model_at(i)); i++) {
        why[i].text[0] = '\0';
        if (!m->trained || !m->train || !fit_wants(wanted, m->name))
            continue;
        if (t->n == 0)
            TEXT_SET(why[i].text, t->why);
        for (int k = 0; k < t->n; k++) {
            char reason[ERRLEN];
            const double start_s = now_s();
            if (m->train(&t->examples[k], use, out, reason) == 0) {
                effort_add(out, m->name, now_s() - start_s);
                trained = true;
            } else if (!why[i].text[0])
                TEXT_SET(why[i].text, reason);
        }
    }
    for (int i = 0; (m = model_at(i)); i++)
        if (m->trained && !m->train && fit_wants(wanted, m->name))
            effort_add_parts(out, m);
    for (int k = 0; k < t->n && trained; k++)
        trained_add_sizes(out, &t->examples[k], t->of);
    trained_sort(out);
}

void fit_print_trained(struct table *out, const struct trained *t, const struct strlist *wanted,
                       const struct reason *why)
{
    const struct model *m;
    for (int i = 0; (m = model_at(i)); i++) {
        for (int64_t k = 0; k < t->nfits; k++) {
            const struct trained_fit *f = &t->fit[k];
            if (strcmp(f->model, m->name) != 0)
                continue;
            table_put_text(out, "model", f->model);
            table_put_text(out, "config", f->config);
            table_put_target(out, f->precision, f->cache);
            table_put_int(out, "cells", f->matrices);
            table_put_int(out, "unused", 0);
            table_put_real(out, "median_error_pct", 100.0 * f->error_median, 3);
            table_put_real(out, "worst_error_pct", 100.0 * f->error_max, 3);
            table_put_text(out, "launch", launch_name(f->launch));
            table_row_end(out);
        }
        if (m->trained && fit_wants(wanted, m->name) && why[i].text[0])
            table_note(out, "%s not fitted: %s", m->name, why[i].text);
    }
}
