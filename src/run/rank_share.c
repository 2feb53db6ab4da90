/* SPDX-License-Identifier: BSD-3-Clause */
/* Which items a rank measures (rank.h). */
#include <inttypes.h>
#include <stdlib.h>
#include "base/strings.h"
#include "run/comm.h"
#include "run/rank.h"

int rank_find_work(struct rank *k, char *const *operands, int n, char why[ERRLEN])
{
    struct assignment *a = &k->share;

    const int status = work_collect(k->options, operands, n, &a->work, why);
    if (!status)
        a->mine = xcalloc((unsigned long)a->work.nitems + 1, sizeof *a->mine);
    return status;
}

/* All ranks take what rank 0 found left, so that they share the same, whatever their file systems tell them. FAIL: they do not even have the
 * same items. */
static int agree_on_left(struct workload *w, char why[ERRLEN])
{
    int64_t first = w->nitems;

    comm_from_first(&first, sizeof first);
    const bool same = first == w->nitems;
    int64_t others = !same;
    comm_sum(&others, 1);
    if (!same)
        fail(why, "%s, but %" PRId64 " on rank 0; all ranks must find the same files", counted(w->nitems, "item").text,
             first);
    if (others > 0)
        return same ? 0 : FAIL;
    double *left_s = xcalloc((unsigned long)w->nitems + 1, sizeof *left_s);
    for (int i = 0; i < w->nitems; i++)
        left_s[i] = w->item[i].left_s;
    comm_from_first(left_s, (size_t)w->nitems * sizeof *left_s);
    for (int i = 0; i < w->nitems; i++)
        w->item[i].left_s = left_s[i];
    free(left_s);
    return 0;
}

int rank_share_work(struct rank *k, char why[ERRLEN])
{
    struct assignment *a = &k->share;

    int status = rank_load(k, why);
    if (!status)
        work_subtract(k->options, &a->work, &k->runs);
    const int agreed = agree_on_left(&a->work, status ? (char[ERRLEN]){ 0 } : why); /* collective */
    status = status ? status : agreed;
    if (status)
        return status;
    a->nmine = work_share(&a->work, a->size, a->rank, a->mine);
    return 0;
}
