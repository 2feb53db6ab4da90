/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples of cases or contests, weighted by matrix or family (scores.h). */
#include <stdlib.h>
#include "base/stats.h"
#include "verify/scores.h"

void samples_make(struct score_samples *s, int64_t room)
{
    s->n = 0;
    s->v = xmalloc(sizeof *s->v * (unsigned long)(room + 1));
    s->family = xmalloc(sizeof *s->family * (unsigned long)(room + 1));
    s->matrix = xmalloc(sizeof *s->matrix * (unsigned long)(room + 1));
}

void samples_free(struct score_samples *s)
{
    free(s->v);
    free(s->family);
    free(s->matrix);
}

void samples_add(struct score_samples *s, const struct score_case *one, double value)
{
    s->v[s->n].value = value;
    s->family[s->n] = one->family;
    s->matrix[s->n++] = one->matrix;
}

void samples_weigh(struct score_samples *s, const int64_t *whose)
{
    for (int64_t first = 0, end; first < s->n; first = end) {
        for (end = first + 1; end < s->n && whose[end] == whose[first]; end++)
            ;
        for (int64_t i = first; i < end; i++)
            s->v[i].weight = 1 / (double)(end - first);
    }
}

void samples_interval(const struct score_samples *s, double *low, double *high)
{
    struct weighted *family = xmalloc(sizeof *family * (unsigned long)(s->n + 1));
    int64_t n = 0;

    for (int64_t first = 0, end; first < s->n; first = end) {
        struct weighted *one = &family[n++];
        one->weight = 0;
        for (end = first; end < s->n && s->family[end] == s->family[first]; end++)
            one->weight += s->v[end].weight;
        one->value = stats_weighted_mean(s->v + first, end - first);
    }
    stats_bootstrap(family, n, low, high);
    free(family);
}
