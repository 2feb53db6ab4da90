/* SPDX-License-Identifier: BSD-3-Clause */
/* The file of --items: which share measures which item. It is written once, on the login node; tasks take their lines from it, so that
 * files that come, go, or can no longer be read change no share. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/files.h"
#include "base/output.h"
#include "input/folders.h"
#include "run/work.h"

static const char mark[] =
    "# " OUTPUT_MARK "\n# share, precision, name, recipe of an archive of recipes (else -), file or recipe, "
    "configurations of a recipe\n";

struct line {
    int64_t share;
    char *rest; /* precision, name, recipe and path, which tell items apart, and configurations; with tabs between */
};

struct lines {
    int n;
    struct line *v;
};

static void lines_free(struct lines *l)
{
    for (int i = 0; i < l->n; i++)
        free(l->v[i].rest);
    free(l->v);
}

/* FAIL: it cannot be read, or a line is none of ours. */
static int lines_read(const char *file, struct lines *l, char why[ERRLEN])
{
    FILE *f = fopen(file, "re");
    char *text = NULL;
    size_t room = 0;
    int status = 0;

    *l = (struct lines){ 0 };
    if (!f)
        return fail(why, "cannot open %s:", file);
    files_read(file);
    ssize_t n;
    for (int number = 1; !status && (n = getline(&text, &room, f)) > 0; number++) {
        struct line line = { 0 };
        char *rest = memchr(text, 0, (size_t)n) ? NULL : text;
        text[strcspn(text, "\n")] = 0;
        if (text[0] == '#')
            continue;
        const char *share = strsep(&rest, "\t");
        if (!share || !rest || parse_int(share, 0, INT32_MAX, &line.share)) {
            status = fail(why, "%s:%d: expected share, precision, name, recipe and file, as --dry-run writes them",
                          file, number);
            break;
        }
        line.rest = xstrdup(rest);
        if ((l->n & (l->n - 1)) == 0)
            l->v = xrealloc(l->v, (size_t)(l->n ? 2 * l->n : 1) * sizeof *l->v);
        l->v[l->n++] = line;
    }
    if (!feof(f) && !status)
        status = fail(why, "cannot read %s:", file);
    fclose(f);
    free(text);
    return status;
}

/* ---- writing */
static bool is_operand(const struct source *s) { return strcmp(s->path, s->facts.recipe) == 0; }

static char *rest_of(const struct workload *w, const struct item *item)
{
    const struct source *s = &w->source[item->source];
    char label[sizeof((struct file_row *)0)->file];
    matrix_label(s->path, label, sizeof label);
    return xasprintf("%s\t%s\t%s\t%s%s%s%s", precision_name(item->precision), s->is_recipe ? s->name : label,
                     s->is_recipe && !is_operand(s) ? s->facts.recipe : "-", s->path, s->is_recipe ? "\t" : "",
                     s->all ? "+" : "", s->facts.kernels);
}

struct dealt {
    const struct item *item;
    char *rest;
    int64_t share; /* -1: none yet */
};

/* Returns the length of a line's rest up to its path. */
static size_t key_length(const char *rest)
{
    const char *end = rest + strcspn(rest, "\t");

    for (int field = 1; field < 4 && *end; field++)
        end += 1 + strcspn(end + 1, "\t");
    return (size_t)(end - rest);
}

static int by_rest(const void *a, const void *b)
{
    const char *x = ((const struct line *)a)->rest, *y = ((const struct line *)b)->rest;
    const size_t n = key_length(x), m = key_length(y);
    const int order = memcmp(x, y, n < m ? n : m);

    return order ? order : (n > m) - (n < m);
}

static int costliest_first(const void *a, const void *b)
{
    const struct dealt *const *x = a, *const *y = b;
    const double c = (*x)->item->cost_s, d = (*y)->item->cost_s;
    return c > d ? -1 : c < d ? 1 : (*x > *y) - (*x < *y);
}

/* Keeps the shares of the lines that exist, then deals the other items, costliest first, to the share with the least to do. */
static void deal(struct dealt *v, int n, struct lines *old, int shares)
{
    double *load = xcalloc((size_t)shares, sizeof *load);
    struct dealt **order = xcalloc((size_t)n + 1, sizeof *order);

    if (old->n > 0)
        qsort(old->v, (size_t)old->n, sizeof *old->v, by_rest);
    for (int i = 0; i < n; i++) {
        const struct line key = { 0, v[i].rest };
        const struct line *found = old->n > 0 ? bsearch(&key, old->v, (size_t)old->n, sizeof key, by_rest) : NULL;
        v[i].share = found && found->share < shares ? found->share : -1;
        if (v[i].share >= 0)
            load[v[i].share] += v[i].item->cost_s;
        order[i] = &v[i];
    }
    qsort(order, (size_t)n, sizeof *order, costliest_first);
    for (int i = 0; i < n; i++) {
        int least = 0;
        if (order[i]->share >= 0)
            continue;
        for (int s = 1; s < shares; s++)
            least = load[s] < load[least] ? s : least;
        order[i]->share = least;
        load[least] += order[i]->item->cost_s;
    }
    free(order);
    free(load);
}

static int write_lines(const char *file, const struct dealt *v, int n, char why[ERRLEN])
{
    char *text = NULL;
    size_t bytes = 0;
    const struct output_kind kind = { output_marked.check, OUTPUT_MARK, true };
    FILE *f = open_memstream(&text, &bytes);
    if (!f)
        return fail(why, "out of memory for %s", file);
    fputs(mark, f);
    for (int i = 0; i < n; i++)
        fprintf(f, "%" PRId64 "\t%s\n", v[i].share, v[i].rest);
    const int status = fclose(f) ? fail(why, "out of memory for %s", file) : output_write(file, &kind, text, why);
    free(text);
    return status;
}

int items_deal(const char *file, int shares, const struct workload *w, char why[ERRLEN])
{
    struct dealt *v = xcalloc((size_t)w->nitems + 1, sizeof *v);
    struct lines old = { 0 };
    int status = access(file, F_OK) == 0 ? lines_read(file, &old, why) : 0;

    for (int i = 0; i < w->nitems; i++) {
        v[i] = (struct dealt){ &w->item[i], rest_of(w, &w->item[i]), -1 };
        const char *path = w->source[w->item[i].source].path;
        if (!status && path[strcspn(path, "\t\n")])
            status = fail(why, "%s: a tab or a line break in the name of a file is not supported by --items", path);
    }
    if (!status) {
        deal(v, w->nitems, &old, shares);
        status = write_lines(file, v, w->nitems, why);
    }
    for (int i = 0; i < w->nitems; i++)
        free(v[i].rest);
    free(v);
    lines_free(&old);
    return status;
}

/* ---- taking */
/* Adds the item of a line, whose rest is cut into its fields. */
static int take(const struct run_options *o, char *rest, struct workload *w, char why[ERRLEN])
{
    char *field[4] = { NULL };
    for (int i = 0; i < 4 && rest; i++)
        field[i] = strsep(&rest, "\t");
    const char *precision = field[0], *recipe = field[2], *path = field[3], *kernels = rest;
    const int twins = w->twins.n;

    if (!path || precision_parse(precision) < 0 || (kernels && strlen(kernels) >= RECIPE_KERNELS))
        return fail(why, "%s: expected share, precision, name, recipe and file in each line, as --dry-run writes them",
                    o->items);
    const char *what = strcmp(recipe, "-") == 0 ? path : recipe;
    if (sources_find(w, what) < 0) {
        const int status = sources_add_item(path, o, w, why);
        if (status)
            return status;
    }
    const int source = sources_find(w, what);
    if (source >= 0 && kernels) { /* without: those that its file names */
        w->source[source].all = *kernels == '+';
        TEXT_SET(w->source[source].facts.kernels, kernels + (*kernels == '+'));
    }
    if (source >= 0)
        work_add_item(o, w, source, (enum precision)precision_parse(precision));
    else if (w->twins.n == twins)
        return fail(why, "%s: the recipe %s of %s is not in that file any more; call jobs/collection.sh again",
                    o->items, recipe, path);
    return 0;
}

int items_take(const struct run_options *o, struct workload *w, char why[ERRLEN])
{
    struct lines l;
    int status = lines_read(o->items, &l, why);

    if (!status && l.n == 0)
        status = fail(why, "%s: no items to measure; --dry-run with operands writes them", o->items);
    for (int i = 0; i < l.n && !status; i++)
        if (l.v[i].share >= o->shares)
            status = fail(why,
                          "%s has items of share %" PRId64 ", which no share of %" PRId64
                          " measures; expected --share K/N as they were dealt",
                          o->items, l.v[i].share, o->shares);
        else if (l.v[i].share == o->share)
            status = take(o, l.v[i].rest, w, why);
    lines_free(&l);
    return status;
}
