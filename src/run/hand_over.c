/* SPDX-License-Identifier: BSD-3-Clause */
/* What becomes of the items of a rank that lost its device: the others measure them when they have done their own. An item at
 * which two devices were lost is left out, since it may be the cause. */
#include <stdlib.h>
#include "run/comm.h"
#include "run/rank.h"

enum { LOST_TWICE = 2 };

/* What the ranks tell each other when they have no more work. */
struct end {
    int left;            /* items of a lost device */
    bool ready, stopped; /* can measure more; was told to stop */
};

/* Reduces the work to the items that are left, on every rank alike, and returns their number. */
static int keep_left(struct rank *k)
{
    struct workload *w = &k->share.work;
    int64_t *left = xcalloc(2 * (unsigned long)w->nitems + 1, sizeof *left), *lost = left + w->nitems;
    int kept = 0;

    for (int i = k->share.nmine - k->left; i < k->share.nmine; i++)
        left[k->share.mine[i]] = 1;
    if (k->left)
        lost[k->share.mine[k->share.nmine - k->left]] = 1; /* the one being measured */
    comm_sum(left, 2 * w->nitems);
    for (int i = 0; i < w->nitems; i++) {
        struct item item = w->item[i];
        item.lost += (int)lost[i];
        if (left[i] && item.lost < LOST_TWICE)
            w->item[kept++] = item;
        else if (left[i] && k->share.rank == 0)
            warn("%s is left out: measuring it lost %s", w->source[item.source].name,
                 counted(item.lost, "device").text);
    }
    free(left);
    w->nitems = kept;
    return kept;
}

bool rank_hand_over(struct rank *k, int *status)
{
    struct assignment *a = &k->share;
    const struct end mine = { k->left, *status != WORKER_LOST && !stopping, stopping || *status == EXIT_RESUME };
    struct end *all = xcalloc((unsigned long)a->size, sizeof *all);
    int left = 0, ready = 0, before = 0, stopped = 0;
    char why[ERRLEN];

    comm_gather_all(&mine, sizeof mine, all);
    for (int r = 0; r < a->size; r++) {
        left += all[r].left;
        before += r < a->rank && all[r].ready;
        ready += all[r].ready;
        stopped += all[r].stopped;
    }
    free(all);
    if (left > 0 && !stopped && !ready && a->rank == 0)
        warn("no device is left; %s not measured%s%s%s", counted(left, left == 1 ? "item is" : "item are").text,
             k->options->temporary ? "" : "; the rows measured so far are kept in ",
             k->options->temporary ? "" : k->options->output,
             k->options->temporary ? "" : "; when a device works again, repeat the same command to resume");
    if (!left || stopped || !ready) {
        if (*status == WORKER_LOST)
            *status = stopped ? EXIT_RESUME : !left ? EXIT_OK : EXIT_FAILED;
        return false;
    }
    const int kept = keep_left(k);
    if (a->rank == 0 && kept > 0)
        warn("%s of lost devices: measured by %s", counted(kept, "item").text, counted(ready, "rank").text);
    a->nmine = mine.ready ? work_share(&a->work, ready, before, a->mine) : 0;
    k->left = 0;
    int failed = rank_load(k, why);
    if (!failed && a->nmine && zygote_assign(&k->zygote, a))
        failed = fail(why, "the supervisor process died");
    if (failed) {
        warn("cannot take over items of a lost device: %s", why);
        a->nmine = 0;
        *status = EXIT_FAILED;
    } else if (kept < left && *status != WORKER_LOST)
        *status = EXIT_FAILED;
    return true;
}
