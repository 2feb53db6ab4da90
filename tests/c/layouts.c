/* SPDX-License-Identifier: BSD-3-Clause */
/* Layouts on the CPU: rejected inputs, parts of composites, contents of arrays, and the table of kernels. "layouts
 * PART" prints "ok PART, N checks" or fails with the reason. */
#include <inttypes.h>
#include "cpu.h"
#include "device/cpu_memory.h"
#include "formats/csr/csr.h"
#include "formats/ell/ell.h"
#include "formats/hyb/hyb.h"
#include "formats/l2_policy.h"
#include "parts.h"

/* ---- facts and rejected inputs ---- */
static void expect(const char *config, const struct features *f, const char *words)
{
    const struct target t = target_of(F32, DEVICE_CUDA);
    struct config c;
    char why[ERRLEN] = "applicable";

    config_for(config, f, &t, &c);
    if (kernel_applicable(f, &c, &t, why) == 0 || !strstr(why, words))
        die("%s: '%s' has no '%s'", config, why, words);
    checks++;
}

static void test_refusals(void)
{
    static const char *const of_csr[] = { "coo", "csr-packed", "coo-packed", "sell", "sell:index=narrow", "esb" };
    const struct target gpu = target_of(F32, DEVICE_CUDA), cpu = target_of(F32, DEVICE_CPU);
    int64_t length[1] = { 3 }, count[1] = { 1000000000 };
    struct features f = {
        .rows = 1000000000, .cols = 1000000000, .nnz = 3000000000, .row_min = 3, .row_max = 3, .row_mean = 3, .hyb_k = 3
    };
    struct features wide = { .rows = 1, .cols = 58109, .nnz = 1000, .row_max = 1000 },
                    at_most = { .rows = 1, .cols = 58064, .nnz = 1000, .row_max = 1000 },
                    long_row = { .rows = 2, .cols = 40000, .nnz = 132 * 128 * 9000, .row_max = 40000 };
    const struct features many = { .rows = 9, .cols = 9, .nnz = 70000, .values_f32 = 65537, .values_f64 = 70000 };
    struct features padded = { .rows = 1000, .cols = 1000, .nnz = 1000, .row_max = 41 };

    for (int g = 0; g < GROUPS; g++)
        f.lengths[g] = (struct histogram){ 1, length, count };
    expect("csr-scalar", &f,
           "3000000000 nonzeros exceed the 32-bit offset limit 2147483647; split the rows with spmv-plan");
    for (size_t i = 0; i < sizeof of_csr / sizeof of_csr[0]; i++)
        expect(of_csr[i], &f, "3000000000 nonzeros");
    expect("ell", &f, "3000000000 slots with padding");
    expect("hyb", &f, "head (ell): 3000000000 slots");
    expect("hyb:k=0,tail=csr-vector", &f, "tail (csr-vector): 3000000000 nonzeros");
    expect("ell", &padded, "padding 41x (1000 rows of mean length 1 padded to 41), limit 10x");
    expect("csr-staged", &wide,
           "x of 232436 bytes does not fit the 232448 bytes of shared memory that a thread block can have");
    expect(
        "csr-staged", &long_row,
        "x of 160000 bytes and sums of 73252 bytes (longest row: 40000) do not fit the 232448 bytes of shared memory");
    applicable_tells("csr-staged", &at_most, &gpu, NULL);
    applicable_tells("csr-staged", &wide, &cpu, NULL);
    expect("csr-packed", &many,
           "no fewer bits hold these values (65537 distinct ones; 0: not known, as for a pattern and "
           "with the option updates); use csr-split");
    expect("coo-packed", &many,
           "no fewer bits hold these values (65537 distinct ones; 0: not known, as for a pattern and "
           "with the option updates); use coo");
}

/* Builds the layout with the defaults of its first kernel. */
static void check_overflow(const struct layout *l, const struct csr_view *a, const struct features *f, enum precision p,
                           const char *words)
{
    const struct target t = target_of(p, DEVICE_CPU);
    const struct kernel *k = NULL;
    struct config c;
    struct storage *s;
    char why[ERRLEN] = "";

    for (int j = 0; kernel_at(j) && !k; j++)
        if (kernel_at(j)->layout == l)
            k = kernel_at(j);
    config_for(k->name, f, &t, &c);
    /* a layout with too much fill for this matrix has the other one */
    if (l->fills && l->applicable(f, &c, &t, why) != 0)
        return;
    const int rc = l->build(a, &c, &t, &s, why);
    if ((rc == FAIL) != (p == F32))
        die("%s, %s: build returns %d", k->name, precision_name(p), rc);
    if (rc != 0 && !strstr(why, words))
        die("%s: %s", k->name, why);
    if (rc == 0)
        storage_free(s);
    checks++;
}

/* A value beyond f32 in two rows, which different threads fill: the first of them is named. */
static void overflow_of(struct csr *a, int64_t first, int64_t second)
{
    struct features f;
    char *words = xasprintf("row %" PRId64 " (0-based) has a value that overflows f32; use f64", first);
    const struct csr_view view = csr_view_all(a);

    a->val[a->row_ptr[first]] = -1e300;
    a->val[a->row_ptr[second]] = 1e300;
    features_of(a, &f);
    for (enum precision p = F32; p <= F64; p++)
        for (int i = 0; layout_at(i); i++)
            check_overflow(layout_at(i), &view, &f, p, words);
    features_free(&f);
    csr_free(a);
    free(words);
}

static void test_overflow(void)
{
    struct csr a;
    long layouts = 0;

    shape_make(&shapes[NSHAPES - 1], &a);
    overflow_of(&a, 2000, 2000);
    while (layout_at((int)layouts))
        layouts++;
    checks = 0;
    matrix_of_recipe("banded:rows=2000,bandwidth=3,seed=7", &a);
    overflow_of(&a, 1500, 1999);
    if (checks != 2 * layouts)
        die("%ld checks of %ld layouts", checks, layouts);
}

/* ---- parts and arrays ---- */
static void same_histogram(const struct histogram *a, const struct histogram *b, const char *what)
{
    bool same = a->n == b->n;

    for (int i = 0; same && i < a->n; i++)
        same = a->value[i] == b->value[i] && a->count[i] == b->count[i];
    if (!same)
        die("%s: the histogram of the part differs from that of its view", what);
    checks++;
}

static void check_part(const struct csr *a, const struct features *f, int64_t k)
{
    const struct target t = target_of(F64, DEVICE_CPU);
    struct csr_view view[2] = { csr_view_all(a), csr_view_all(a) };
    int64_t *cut = xmalloc((unsigned long)(a->rows + 1) * sizeof *cut);
    struct config c, part;
    struct features pf, vf;
    char text[64];

    for (int64_t i = 0; i < a->rows; i++)
        cut[i] = a->row_ptr[i] + k < a->row_ptr[i + 1] ? a->row_ptr[i] + k : a->row_ptr[i + 1];
    view[0].end = view[1].begin = cut;
    snprintf(text, sizeof text, "hyb:k=%" PRId64 ",tail=csr-vector", k);
    config_for(text, f, &t, &c);
    for (int p = 0; p < 2; p++) {
        if (c.kernel->layout->part(f, &c, p, &part, &pf) != 0)
            die("%s: no part %d", text, p);
        features_of_view(&view[p], &vf);
        if (pf.nnz != vf.nnz || pf.row_max != vf.row_max || pf.row_empty != vf.row_empty || pf.row_mode != vf.row_mode)
            die("%s: features of %s differ from those of its view", text, parts_name(c.kernel->layout, p));
        for (int g = 0; g < GROUPS; g++)
            same_histogram(&pf.lengths[g], &vf.lengths[g], text);
        features_free(&pf);
        features_free(&vf);
    }
    if (c.kernel->layout->part(f, &c, 2, &part, &pf) != FAIL)
        die("%s: has a third part", text);
    free(cut);
}

static void test_parts(void)
{
    for (int i = 0; i < NSHAPES; i++) {
        struct csr a;
        struct features f;

        shape_make(&shapes[i], &a);
        features_of(&a, &f);
        for (int64_t k = 0; k < 6; k += 2)
            check_part(&a, &f, k);
        features_free(&f);
        csr_free(&a);
    }
}

/* ---- copies, and memory that runs out ---- */
/* A device whose memory is the host's, in which the n-th array from now on is out of memory. */
static struct {
    int held, until_oom;
} lent;

static int lend(struct device *d, int64_t bytes, void **p, char why[ERRLEN])
{
    if (lent.until_oom > 0 && --lent.until_oom == 0)
        return OOM;
    lent.held++;
    return cpu_memory.alloc(d, bytes, p, why);
}

static void take_back(struct device *d, void *p)
{
    lent.held--;
    cpu_memory.release(d, p);
}

struct sample {
    struct csr_view view;
    struct features f;
};

/* Beside a part there are the other parts, and what is beside the whole. */
static void check_beside(const char *text, struct storage *s, int64_t more)
{
    const struct parts *parts = s->layout->part ? (const struct parts *)s : NULL;

    for (int p = 0; parts && p < parts->n; p++)
        if (parts->part[p].storage && parts->part[p].storage->beside + parts->part[p].storage->bytes != s->bytes + more)
            die("%s: part %d does not know what is beside it", text, p);
}

/* Out of memory at any array, a build and an upload fail and leave nothing; a copy of a copy equals the original. */
static void check_copies(const char *text, void *arg)
{
    const struct sample *q = arg;
    const struct target t = target_of(F64, DEVICE_CPU);
    const struct device_memory memory = { lend, take_back, cpu_memory.put, cpu_memory.get, NULL, NULL };
    struct device d = { .memory = &memory };
    struct config c;
    struct storage *s = NULL, *there = NULL, *back;
    char why[ERRLEN];
    int rc = OOM, at;

    config_for(text, &q->f, &t, &c);
    if (kernel_applicable(&q->f, &c, &t, why) != 0)
        return;
    for (at = 1; rc == OOM; at++) {
        why[0] = 0;
        arrays.until_oom = at;
        rc = c.kernel->layout->build(&q->view, &c, &t, &s, why);
        if (rc == OOM && (arrays.n > 0 || !strstr(why, "out of memory; ")))
            die("%s: array %d is out of memory: %d arrays are left, %s", text, at, arrays.n, why);
        checks++;
    }
    arrays.until_oom = 0;
    if (rc == FAIL) /* too much fill */
        return;
    for (at = 1, rc = OOM; rc == OOM; at++) {
        lent.until_oom = at;
        rc = storage_upload(&d, s, &there, why);
        if (rc == OOM && (there || lent.held > 0))
            die("%s: array %d is out of memory on the device: %d arrays are left", text, at, lent.held);
        checks++;
    }
    if (rc != 0 || storage_download(there, &back, why) != 0)
        die("%s: %s", text, why);
    storages_compare("copies", text, back, s);
    check_beside(text, there, 0);
    storage_beside(there, 1000);
    check_beside(text, there, 1000);
    storage_free(storage_keep(s));
    storages_compare("copies", text, back, s);
    storage_free(there);
    storage_free(back);
    storage_free(s);
    if (arrays.n > 0 || lent.held > 0)
        die("%s: %d arrays are left, %d on the device", text, arrays.n, lent.held);
}

/* Arrays of another are not released. */
static void check_borrowed(void)
{
    const struct device_memory memory = { lend, take_back, cpu_memory.put, cpu_memory.get, NULL, NULL };
    struct device d = { .memory = &memory, .geometry = { .l2_bytes = 50000000 } };
    const struct device_csr csr = { .rows = 3, .cols = 3, .nnz = 5, .precision = F64 };
    struct csr_storage *s = storage_on(&d, &csr_layout, &csr);
    struct storage *out;
    char why[ERRLEN];
    void *col;

    if (lend(&d, 5 * 4, &col, why) != 0)
        die("%s", why);
    storage_borrow(&s->base, &s->col, col);
    if (storage_done(storage_arrays(&s->base, why), &s->base, &out) != 0 || out->bytes != 4 * 4 + 5 * (4 + 8)
        || lent.held != 3)
        die("csr: %d arrays", lent.held);
    if (out->target.device.l2_bytes != d.geometry.l2_bytes)
        die("csr: built on a device, whose geometry it does not have");
    storage_free(out);
    if (lent.held != 1)
        die("csr: %d arrays are left, expected the borrowed one", lent.held);
    take_back(&d, col);
    checks++;
}

/* What an L2 of 60 MB keeps: all of 40 MB (two thirds), else what leaves two fifths (24 MB) with x and y, and nothing where these need
 * more. Of a part, the other parts count, too. */
static void check_l2_policy(void)
{
    static const struct {
        int64_t rows, bytes, beside;
        int64_t kept;
    } of[] = { { 1, 39000000, 0, L2_POLICY_ALL },
               { 500000, 31900000, 0, L2_POLICY_ALL },
               { 500000, 32100000, 0, 7 },
               { 1, 41000000, 0, 9 },
               { 1, 20000000, 21000000, 9 },
               { 1, 200000000, 0, 1 },
               { 1, 500000000, 0, 0 },
               { 2000000, 41000000, 0, 0 },
               { INT64_C(1) << 40, INT64_C(1) << 44, 0, 0 } };

    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++, checks++) {
        struct storage s = { .rows = of[i].rows, .cols = of[i].rows, .bytes = of[i].bytes, .beside = of[i].beside };
        s.target.precision = F64;
        s.target.device.l2_bytes = 60000000;
        if (l2_policy(&s) != l2_policy_keeping(of[i].kept))
            die("l2_policy: case %zu keeps another part than %" PRId64 " sixteenths", i, of[i].kept);
    }
    if (l2_policy_keeping(0) != UINT64_C(0x12f) << 52 || l2_policy_keeping(16) != UINT64_C(0x16f) << 52
        || l2_policy_keeping(4) != UINT64_C(0x173) << 52)
        die("l2_policy: not the policies that createpolicy makes");
}

static void test_copies(void)
{
    struct sample q;
    struct csr a;

    check_borrowed();
    check_l2_policy();

    for (int i = 0; i < 2; i++) {
        matrix_of_recipe(i ? "banded:rows=200,bandwidth=3,seed=7" : "normal:rows=300,p=6,sd=3,seed=2", &a);
        q.view = csr_view_all(&a);
        features_of(&a, &q.f);
        each_swept("default", DEVICE_CUDA, check_copies, &q);
        each_case(ON_CPU, check_copies, &q);
        features_free(&q.f);
        csr_free(&a);
    }
}

static void aligned(const void *p, const char *what)
{
    if ((uintptr_t)p % 256 != 0)
        die("%s is not 256-byte aligned", what);
    checks++;
}

/* Checks arrays that are copied to the device: offsets, sentinels, missing parts. */
static void test_arrays(void)
{
    const struct target t = target_of(F32, DEVICE_CPU);
    struct csr a;
    struct features f;
    struct config c;
    struct storage *s;
    char why[ERRLEN];

    shape_make(&shapes[NSHAPES - 1], &a);
    features_of(&a, &f);
    const struct csr_view all_rows = csr_view_all(&a), few = csr_view_rows(&a, 1, 34);
    config_for("csr-scalar", &f, &t, &c);
    if (c.kernel->layout->build(&all_rows, &c, &t, &s, why) != 0)
        die("%s", why);
    const struct csr_storage *csr = (const struct csr_storage *)s;
    for (int64_t i = 0; i <= a.rows; i++)
        if (csr->row_ptr[i] != a.row_ptr[i])
            die("csr: offset %" PRId64, i);
    if (csr->row_max != f.row_max)
        die("csr: longest row %" PRId64 ", expected %" PRId64, csr->row_max, f.row_max);
    aligned(csr->row_ptr, "csr's row_ptr");
    aligned(csr->col, "csr's col");
    aligned(csr->val, "csr's val");
    storage_free(s);

    config_for("ell", &f, &t, &c);
    if (c.kernel->layout->build(&few, &c, &t, &s, why) != 0)
        die("%s", why);
    const struct ell_storage *ell = (const struct ell_storage *)s;
    if (ell->height != 64)
        die("ell: height %" PRId64, ell->height);
    for (int64_t e = 0; e < ell->width; e++)
        for (int64_t i = 0; i < ell->height; i++) {
            const bool entry = i < few.rows && e < few.end[i] - few.begin[i];
            if (ell->col[e * ell->height + i] != (entry ? a.col[few.begin[i] + e] : -1))
                die("ell: column of (%" PRId64 ", %" PRId64 ")", i, e);
        }
    aligned(ell->col, "ell's col");
    aligned(ell->val, "ell's val");
    storage_free(s);

    config_for("hyb:k=1000", &f, &t, &c);
    if (c.kernel->layout->build(&all_rows, &c, &t, &s, why) != 0)
        die("%s", why);
    const struct parts *parts = (const struct parts *)s;
    if (parts->n != 2 || !parts->part[0].storage || parts->part[1].storage)
        die("hyb: an empty tail has a storage");
    storage_free(s);
    features_free(&f);
    csr_free(&a);
}

/* ---- table of kernels ---- */
/* A library kernel has the name of its library in its row and in its own name; one row is the baseline; our kernels run
 * on all devices, library kernels on the kinds of devices that have the library. */
static void test_kernels(void)
{
    const struct kernel *k;
    int baselines = 0, of_libraries = 0;

    for (int i = 0; (k = kernel_at(i)) != NULL; i++) {
        int kinds = 0;
        for (int d = 0; d < NDEVICE_KINDS; d++) {
            const char *library = kind_facts((enum device_kind)d)->library;
            const bool named = library && strncmp(k->name, library, strlen(library)) == 0,
                       says = library && k->library && strcmp(k->library, library) == 0;
            if (named != says)
                die("%s: its name and its row's library (%s) do not agree on %s", k->name,
                    k->library ? k->library : "none", library);
            if (kernel_runs_on(k, (enum device_kind)d) != (!k->library || says))
                die("%s: runs on %s?", k->name, kind_facts((enum device_kind)d)->about);
            kinds += kernel_runs_on(k, (enum device_kind)d);
            checks++;
        }
        if (kinds == 0)
            die("%s runs on no kind of device: none has %s", k->name, k->library);
        of_libraries += k->library != NULL;
        baselines += k->baseline;
    }
    if (baselines != 1 || !kernel_baseline()->library)
        die("%d kernels are the baseline; expected one, of a library", baselines);
    if (of_libraries < 4)
        die("%d kernels of libraries", of_libraries);
}

/* Names of kinds of devices map to the kinds and back; unknown names map to none. On devices without thread blocks the
 * grid has a block of one thread for each thread of the device. */
static void test_kinds(void)
{
    enum device_kind kind;
    char names[64] = "";

    for (int d = 0; d < NDEVICE_KINDS; d++) {
        const struct kind_facts *facts = kind_facts((enum device_kind)d);
        if (!kind_find(facts->name, &kind) || (int)kind != d || facts->warp < 1)
            die("%s is not found", facts->name);
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", d ? "|" : "", facts->name);
        checks++;
    }
    if (strcmp(names, kind_names()) != 0 || kind_find("cuda|cpu", &kind) || kind_find("", &kind))
        die("names of kinds: %s", kind_names());
    for (int i = 0; kernel_at(i); i++) {
        struct target t = target_of(F64, DEVICE_CPU);
        struct features f = { .rows = 5 };
        struct config c;
        struct grid g;
        char why[ERRLEN];
        t.device.sms = 7;
        if (config_parse(kernel_at(i)->name, &c, why) != 0 || kernel_grid(&f, &c, &t, &g) != 0)
            die("%s: no grid", kernel_at(i)->name);
        if (g.blocks != 7 || g.threads != 1)
            die("%s: %" PRId64 " blocks of %d on the CPU device", kernel_at(i)->name, g.blocks, g.threads);
        checks++;
    }
}

int main(int argc, char **argv)
{
    static const struct part parts[] = { { "refusals", test_refusals }, { "overflow", test_overflow },
                                         { "copies", test_copies },     { "parts", test_parts },
                                         { "arrays", test_arrays },     { "kernels", test_kernels },
                                         { "kinds", test_kinds } };
    return parts_main("layouts", parts, sizeof parts / sizeof *parts, argc, argv, &checks);
}
