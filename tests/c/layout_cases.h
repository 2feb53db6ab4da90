/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by all drivers of layouts: targets, configurations, builds, and the configurations that are tested in addition
 * to the sweeps. A row here, like a row of kernels.def, is all that a new format needs to be tested by formats.c and
 * gpu_formats.c. */
#ifndef SPMVCAST_TESTS_LAYOUT_CASES_H
#define SPMVCAST_TESTS_LAYOUT_CASES_H
#include <stdio.h>
#include <string.h>
#include "base/strings.h"
#include "facts.h"
#include "formats/storage.h"
#include "recipes/recipe.h"
#include "shapes.h"

static inline struct target target_of(enum precision p, enum device_kind kind)
{
    struct target t = { .precision = p };
    const struct geometry *h200 = geometry_find("h200");

    if (!h200)
        bug("no H200 in the table of devices");
    t.device = *h200;
    t.device.kind = kind;
    return t;
}

static inline void config_for(const char *text, const struct features *f, const struct target *t, struct config *c)
{
    struct config asked;
    char why[ERRLEN];

    if (config_parse(text, &asked, why) != 0 || config_resolve(&asked, f, t, c, why) != 0)
        die("%s: %s", text, why);
}

/* Builds the storage of a resolved configuration; the caller frees it with storage_free. */
static inline struct storage *storage_build(const char *name, const struct csr_view *a, const struct config *c,
                                            const struct target *t)
{
    struct storage *s;
    char text[CONFIG_LEN], why[ERRLEN];

    config_print(c, text);
    if (c->kernel->layout->build(a, c, t, &s, why) != 0)
        die("%s, %s: %s", name, text, why);
    return s;
}

/* The same for a configuration of the CPU device given as text. */
static inline struct storage *storage_for(const char *name, const struct csr_view *a, const struct features *f,
                                          const char *text, enum precision p)
{
    const struct target t = target_of(p, DEVICE_CPU);
    struct config c;

    config_for(text, f, &t, &c);
    return storage_build(name, a, &c, &t);
}

/* Compares two storages on the host array by array, without scratch memory. */
static inline void storages_compare(const char *name, const char *text, const struct storage *found,
                                    const struct storage *expected)
{
    struct array a[ARRAYS_MAX], b[ARRAYS_MAX];
    const int n = storage_list(found, a);

    if (found->layout != expected->layout || storage_list(expected, b) != n || found->bytes != expected->bytes)
        die("%s, %s: %" PRId64 " bytes, not %" PRId64, name, text, found->bytes, expected->bytes);
    for (int i = 0; i < n; i++) {
        const void *x = *(void **)a[i].at, *y = *(void **)b[i].at;
        if (!a[i].scratch
            && (a[i].count != b[i].count || a[i].element_bytes != b[i].element_bytes || !x != !y
                || (x && memcmp(x, y, (size_t)(a[i].count * a[i].element_bytes)) != 0)))
            die("%s, %s: array %s of %s differs", name, text, a[i].name, found->layout->name);
    }
    for (int p = 0; found->layout->part && p < PARTS_MAX; p++) {
        const struct storage *x = ((const struct parts *)found)->part[p].storage,
                             *y = ((const struct parts *)expected)->part[p].storage;
        if (!x != !y)
            die("%s, %s: part %d is only in one of them", name, text, p);
        if (x)
            storages_compare(name, text, x, y);
    }
}

static inline void ints_compare(const char *name, const char *what, const int32_t *found, const int32_t *expected,
                                int n)
{
    for (int i = 0; i < n; i++)
        if (found[i] != expected[i])
            die("%s: %s[%d] is %d, not %d", name, what, i, found[i], expected[i]);
}

/* Checks that `applicable` rejects a configuration with these words, or accepts it if words is NULL. */
static inline void applicable_tells(const char *text, const struct features *f, const struct target *t,
                                    const char *words)
{
    struct config c;
    char why[ERRLEN] = "applicable";

    config_for(text, f, t, &c);
    if (kernel_applicable(f, &c, t, why) == 0 ? words != NULL : !words || !strstr(why, words))
        die("%s: '%s', not '%s'", text, why, words ? words : "applicable");
}

static inline void matrix_of_recipe(const char *text, struct csr *a)
{
    struct recipe r;
    char why[ERRLEN];

    if (recipe_parse(text, &r, why) != 0 || recipe_csr(&r, a, why) != 0)
        die("%s: %s", text, why);
}

/* ---- configurations in addition to the sweeps ---- */
enum { ON_CPU = 1, ON_GPU = 2, VARIANT = 4, SAMPLED = 8 };
/* text: {A|B} stands for A, then B. use: where it is tested; a VARIANT only by "formats exact", on matrices of at most
 * `rows` rows (0: on all), a SAMPLED one on some of these, and by "formats exact-all" on all of them. off: how many times
 * the forecast bytes of values may be those counted, or the other way round; 1: forecast and count are equal; 0:
 * unbounded. */
struct layout_case {
    const char *text;
    int use;
    int64_t rows;
    double off;
};

static const struct layout_case layout_cases[] = {
    /* hyb with a k that the rule for k does not choose */
    { "hyb:k={0|1|3|2147483647}", ON_CPU | ON_GPU, 0, 0 },
    { "hyb:k=2,tail={csr-vector,tail.lanes=32|csr-block}", ON_CPU | ON_GPU, 0, 0 },
    { "hyb:k=2,head=csr-scalar,tail=ell", ON_CPU | ON_GPU, 0, 0 },
    { "hyb:k=4,head=coo,tail=coo,tail.sum=atomic", ON_CPU | ON_GPU, 0, 0 },
    { "hyb:k=0,head=coo,tail=csr-scalar", ON_CPU | ON_GPU, 0, 0 },
    { "hyb:k=2,head=sell,tail=sell", ON_CPU, 0, 0 },
    { "hyb:k=2,head=bro,tail=jad", ON_CPU, 0, 0 },
    { "hyb:k=6,head.lanes=4", ON_GPU, 0, 0 },
    { "hyb:k=2,head=sell,tail=sell,tail.sigma=1024", ON_GPU, 0, 0 },
    { "hyb:k=2,head=brc,tail=brc,tail.b2=2", ON_GPU, 0, 0 },
    { "ell:{lanes=2,block=64|lanes=8,block=128|lanes=16,block=512}", ON_GPU, 0, 0 },
    /* windows of any number of rows, slices of several warps */
    { "sell:sigma=7", ON_CPU | ON_GPU, 0, 0 },
    { "sell:sigma=64,index=narrow", ON_CPU, 0, 0 },
    { "sell:c=64,sigma=4000", ON_CPU, 0, 0 },
    { "sell:c=512,sigma=100,index=narrow", ON_CPU, 0, 0 },
    { "sell:c=128,sigma=2147483647,index=narrow", ON_CPU, 0, 0 },
    { "sell:c=64,sigma=100,index=narrow,lanes=4", ON_GPU, 0, 0 },
    { "sell:c=512,sigma=2048,index=narrow", ON_GPU, 0, 0 },
    { "sell:c=64", VARIANT | ON_GPU, 64, 1 }, /* one slice */
    { "sell{|:sigma=16|:sigma=2147483647|:c=256,sigma=50000}", VARIANT | ON_GPU, 0, 1 },
    { "sell:{index=narrow|sigma=2|sigma=100,index=narrow|c=64|c=128,sigma=1000}", VARIANT | ON_GPU, 0, 0 },
    { "sell:{c=512,sigma=2048,index=narrow|c=1024,index=narrow}", VARIANT | ON_GPU, 0, 0 },
    { "sell:index=narrow,value={const|dict1|dict8|dict16|narrow}", ON_CPU | ON_GPU, 0, 0 },
    { "sell:c=64,sigma=100,index=narrow,value={const|dict1|dict8|dict16|narrow},lanes=4", ON_GPU, 0, 0 },
    { "sell:index=narrow,value={const|dict1|dict8|dict16|narrow},block=512", ON_GPU, 0, 0 },
    { "sell:c=128,sigma=1000,index=narrow,value={const|dict1|dict8|dict16|narrow}", VARIANT, 0, 0 },
    { "csr-packed:value={const|dict1|dict8|dict16|narrow}", ON_CPU | ON_GPU, 0, 0 },
    { "csr-packed:value={const|dict1|dict8|dict16|narrow},lanes={2|32},cut=32,deal={warp|block}", ON_GPU, 0, 0 },
    { "coo-packed:value={const|dict1|dict8|dict16|narrow},sum={atomic|segmented}", ON_CPU | ON_GPU, 0, 0 },
    { "coo-packed:value={const|dict1|dict8|dict16|narrow},sum={atomic|segmented},items={2|8},block=64", ON_GPU, 0, 0 },
    { "dia:limit=6000,value={dict1|dict8|dict16|narrow},rows={1|2|4}", ON_GPU, 0, 0 },
    { "dia:limit=6000,value={dict1|dict8|dict16|narrow}", ON_CPU, 0, 0 },
    /* the forecast of esb is exact without windows across slices, and with one window of all rows */
    { "esb{|:sigma=1|:slice=8,sigma=7,parts=3|:slice=16,sigma=2147483647,parts=2}", ON_CPU | ON_GPU, 0, 0 },
    { "esb:slice={8,sigma=8|16,sigma=2147483647|32,sigma=1}", VARIANT, 0, 1 },
    { "esb:{slice=8,sigma=20|slice=16,sigma=1,parts=2|sigma=100,parts=64}", VARIANT, 0, 2 },
    { "bro{|:h=32|:h=64,lanes=2|:h=128,bits=32|:h=512,bits=32,lanes=4|:h=32,lanes=8|:h=64,bits=32,lanes=8|:h=512}",
      VARIANT, 0, 0 },
    { "cusparse-sell{|:c=4|:c=8,pre=1|:c=16}", VARIANT, 0, 0 },
    { "cusparse-bsr:b={2|3,call=bsrmv|4}", VARIANT, 0, 0 },
    /* each block size, packed or not, aligned or not, interleaved within a warp, across warps, or not */
    { "bcsr:r={1|2|3|4},c={1|2|3|4},pack={0|1},align={0|1},interleave={0|1},lanes={2|8|128}", VARIANT | SAMPLED, 600,
      0 },
    { "bcsr:{r=5,c=5|r=6,c=6|r=7,c=7|r=8,c=8},pack={0|1},align={0|1},interleave={0|1},lanes={2|8|128}",
      VARIANT | SAMPLED, 600, 0 },
    { "bcsr:r=1,c={1|2,pack=1|3,interleave=0|4,pack=1,align=1}", ON_GPU, 0, 0 },
    { "bcsr:r=2,c={1,lanes=64,pack=1|2,pack=1,lanes=2|3,align=1,lanes=32|4,pack=1,interleave=0}", ON_GPU, 0, 0 },
    { "bcsr:r=3,c={1,pack=1,lanes=128|2,interleave=0,lanes=16|4,pack=1,lanes=4}", ON_GPU, 0, 0 },
    { "bcsr:r=4,c={1,align=1|2|3,pack=1,align=1,lanes=32|4,lanes=2|4,pack=1,lanes=128}", ON_GPU, 0, 0 },
    { "bcsr:{r=5,c=5,pack=1|r=6,c=6,lanes=4|r=7,c=7,pack=1,interleave=0|r=8,c=8,align=1}", ON_GPU, 0, 0 },
    { "bellpack:{r=1,c=2|r=2,c=2|r=2,c=3|r=3,c=2|r=3,c=3|r=3,c=4},chunk={32|64|128|256}", VARIANT | SAMPLED, 600, 0 },
    { "bellpack:{r=4,c=4|r=5,c=5|r=6,c=6|r=7,c=7|r=8,c=8},chunk={32|64|128|256}", VARIANT | SAMPLED, 600, 0 },
    { "bellpack:r={1,c=2,lanes=1|2,c=2,chunk=32,lanes=8|2,c=3,chunk=256|3,c=2,chunk=128,lanes=4}", ON_GPU, 0, 0 },
    { "bellpack:r={3,c=4,chunk=256,lanes=8|4,c=4,chunk=32,lanes=1|5,c=5,lanes=4}", ON_GPU, 0, 0 },
    { "bellpack:r={6,c=6,chunk=256,lanes=4|7,c=7,chunk=128,lanes=8|8,c=8,chunk=64,lanes=8}", ON_GPU, 0, 0 },
    { "brc:value={const|dict1|dict8|dict16|narrow}", ON_CPU | ON_GPU, 0, 0 },
    { "brc:b1=64,b2=3,sigma=100,value={const|dict1|dict8|dict16|narrow},sum=atomic", ON_CPU | ON_GPU, 0, 0 },
    { "brc:b1={64,b2=none|128,b2=5},value={const|dict1|dict8|dict16|narrow},rep=2", ON_GPU, 0, 0 },
    /* without windows of rows the forecast of brc is exact */
    { "brc{|:b1=128,b2=5|:b1=64,b2=grow|:b2=none|:b2=7,sum=atomic}", VARIANT, 0, 1 },
    { "brc:{b2=4,sigma=64|b2=grow,sigma=1|b1=128,sigma=4000|b1=128,b2=1,sigma=3}", VARIANT, 0, 2 },
    { "brc:{b2=1,sigma=100,rep=3|b1=64,b2=3,sum=atomic,rep=2|b1=128,b2=grow,sigma=32}", ON_GPU, 0, 0 },
};

/* Calls take() with the text and with each alternative of its braces. */
static inline void each_alternative(const char *text, void (*take)(const char *text, void *arg), void *arg)
{
    const char *open = strchr(text, '{'), *close = open ? strchr(open, '}') : NULL;

    if (!close) {
        take(text, arg);
        return;
    }
    for (const char *at = open + 1; at <= close; at += strcspn(at, "|}") + 1) {
        char *one = xasprintf("%.*s%.*s%s", (int)(open - text), text, (int)strcspn(at, "|}"), at, close + 1);
        each_alternative(one, take, arg);
        free(one);
    }
}

static inline void each_case(int use, void (*take)(const char *text, void *arg), void *arg)
{
    for (size_t i = 0; i < sizeof layout_cases / sizeof layout_cases[0]; i++)
        if (layout_cases[i].use & use)
            each_alternative(layout_cases[i].text, take, arg);
}

static inline void each_swept(const char *sweep, enum device_kind kind, void (*take)(const char *text, void *arg),
                              void *arg)
{
    const char *const *list = config_sweep(sweep, kind);

    for (int i = 0; list[i]; i++)
        take(list[i], arg);
}
#endif
