/* SPDX-License-Identifier: BSD-3-Clause */
/* The items of a run, from operands or the file of --items, and which of them a rank measures (rank.h). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/strings.h"
#include "measure/trials.h"
#include "run/comm.h"
#include "run/left_out.h"
#include "run/rank.h"
#include "run/remeasure.h"
#include "run/run_options.h"
#include "run/store.h"

/* Keeps only the items of share number `share` of `shares` (--share). */
static void keep_share(struct workload *w, int shares, int share)
{
    int *mine = xcalloc((unsigned long)w->nitems + 1, sizeof *mine);
    const int n = work_share(w, shares, share, mine);

    for (int i = 0; i < n; i++)
        w->item[i] = w->item[mine[i]]; /* mine[] ascends */
    w->nitems = n;
    free(mine);
}

static bool names_kernel(const char *list, const char *kernel)
{
    for (const char *item = list; *item;) {
        const size_t n = strcspn(item, "+");
        if (config_kernel_length(item, n) == strlen(kernel) && strncmp(item, kernel, strlen(kernel)) == 0)
            return true;
        item += n + (item[n] == '+');
    }
    return false;
}

/* False if a recipe names configurations, and none of those asked for is among them: then its matrix is not needed.
 * What "auto" becomes is only known with the matrix. */
static bool may_apply(const struct run_options *o, const struct source *s)
{
    for (int i = 0; i < o->configs.n; i++) {
        const struct config *c = config_known(o->configs.v[i], NULL);
        char text[CONFIG_LEN];
        if (!c)
            return true;
        config_print(c, text);
        if (trials_take(o, s, o->configs.v[i], text)
            || (strstr(text, "=auto") && names_kernel(s->facts.kernels, c->kernel->name)))
            return true;
    }
    return false;
}

static int collect(const struct run_options *o, char *const *operands, int n, struct workload *w, char why[ERRLEN])
{
    for (int i = 0; i < n; i++) {
        const int status = sources_add(operands[i], o, w, why);
        if (status)
            return status;
    }
    for (int i = 0; i < w->nelsewhere && w->nsources == 0; i++)
        if (files_lack(w, w->elsewhere[i].matrix))
            return fail(why, "%s: the matrices of this archive are files, which it does not hold; give the files, too",
                        w->elsewhere[i].archive);
    if (w->nsources > 0 && w->nskipped == w->nsources) {
        memcpy(why, w->why, ERRLEN);
        return w->status;
    }
    for (int s = 0; s < w->nsources; s++)
        for (enum precision p = 0; p < NPRECISIONS; p++)
            if (strlist_has(&o->precisions, precision_name(p)) && may_apply(o, &w->source[s]))
                work_add_item(o, w, s, p);
    if (o->items)
        return items_deal(o->items, (int)o->shares, w, why);
    if (o->shares > 0)
        keep_share(w, (int)o->shares, (int)o->share);
    return 0;
}

int rank_find_work(struct rank *k, char *const *operands, int n, char why[ERRLEN])
{
    struct assignment *a = &k->share;

    a->work = (struct workload){ 0 };
    const int status = n > 0 ? collect(k->options, operands, n, &a->work, why) : items_take(k->options, &a->work, why);
    if (!status)
        a->mine = xcalloc((unsigned long)a->work.nitems + 1, sizeof *a->mine);
    if (!status && a->work.nitems == 0 && k->options->shares > 0 && a->rank == 0)
        note("--share %s: there are fewer items than shares, and none is of this one", k->options->share_text);
    return status;
}

/* Rank 0 reads first and truncates torn logs; no rank writes a log until all have read them. */
int rank_load(struct rank *k, char why[ERRLEN])
{
    struct run_options *o = k->options;
    int status = 0;

    done_free(k->share.done);
    runs_free(&k->runs);
    k->share.done = done_new();
    k->runs = (struct runs){ 0 };
    for (int turn = 0; turn < 2; turn++) {
        if (o->output && (turn == 0) == (k->share.rank == 0)) {
            status = store_load(o->output, k->share.done, &k->runs, why);
            if (!status)
                status = remeasure_apply(o, k->share.rank == 0, k->share.done, &k->runs, why);
        }
        comm_barrier();
    }
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
