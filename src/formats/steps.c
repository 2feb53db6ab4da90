/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps of thread blocks (steps.h). */
#include "formats/steps.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

int kernel_steps(const struct features *f, const struct config *c, struct steps *s)
{
    memset(s, 0, sizeof *s);
    return c->kernel->steps ? c->kernel->steps(f, c, s) : FAIL;
}

void steps_begin(struct steps *s, int64_t thread_blocks, double warp_rows, int room)
{
    memset(s, 0, sizeof *s);
    s->thread_blocks = thread_blocks;
    s->warp_rows = warp_rows;
    s->steps = xcalloc((unsigned long)room + 1, sizeof *s->steps);
    s->count = xcalloc((unsigned long)room + 1, sizeof *s->count);
    s->work = xcalloc((unsigned long)room + 1, sizeof *s->work);
}

/* A width is an estimate and need not be an integer; lanes share whole blocks. */
void steps_add(struct steps *s, double width, double mean, int lanes, double count)
{
    if (!(count > 0))
        return;
    s->steps[s->n] = lanes > 1 ? ceil(round(width) / lanes) : width;
    if (width > 0 && s->steps[s->n] < 1)
        s->steps[s->n] = 1;
    s->work[s->n] = fmin(mean / lanes, s->steps[s->n]);
    s->count[s->n++] = count;
}

double steps_mean(const struct steps *s)
{
    double sum = 0;

    for (int i = 0; i < s->n; i++)
        sum += s->steps[i] * s->count[i];
    return sum / (double)s->thread_blocks;
}

void steps_free(struct steps *s)
{
    free(s->steps);
    free(s->count);
    free(s->work);
    memset(s, 0, sizeof *s);
}
