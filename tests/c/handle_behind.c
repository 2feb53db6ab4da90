/* SPDX-License-Identifier: BSD-3-Clause */
/* Trials in the caller's products on a device whose stream is behind the caller, as a GPU's is: a CPU device whose marks are reached when
 * the test says so, and whose times are the test's. Prints "ok behind, N checks" or what is wrong. */
#include "library/library_device.h"
#include "library_products.h"

static struct backend behind;
static bool arrived, asked; /* has the stream got to where the slower candidate is left? was that asked? */
static double last_s, growth = 1.5;
static bool unmarked; /* marks of where a slower candidate is left fail */
static const struct mark *products;

/* The marks of products are one array. */
static int mark(struct device *d, struct mark *m, struct stream *stream)
{
    (void)d, (void)stream;
    products = products ? products : m;
    return unmarked && (m < products || m >= products + 2 * 17) ? FAIL : 0;
}

/* Each time is longer than the one before, so that the second candidate is soon given up; or shorter, so that the last one stays. */
static bool reached(struct device *d, const struct mark *from, const struct mark *to, double *time_s)
{
    (void)d;
    asked = asked || from == to;
    *time_s = last_s *= growth;
    return from != to || arrived;
}

/* Puts `behind`, with marks that are reached when the test says so, in place of the device's back-end. */
static void take_device(void)
{
    behind = *device->device->backend;
    behind.reached = reached;
    device->device->backend = &behind;
}

static spmvcast_matrix_options in_products(void)
{
    spmvcast_matrix_options o = SPMVCAST_MATRIX_OPTIONS_INIT;
    o.trial_when = SPMVCAST_TRIAL_IN_PRODUCTS;
    o.trial_products = 200;
    o.products = SPMVCAST_UNLIMITED;
    return o;
}

static void many(const struct problem *q, spmvcast_matrix *m, const bool *until)
{
    for (int i = 0; i < 200 && !*until; i++)
        check_product(q, m, SPMVCAST_F64, 1, 0, "behind");
}

/* New values reach a matrix while the stream may still use a candidate that was given up. */
static void updates(void)
{
    struct problem q = problem_make(MADE_STENCIL);
    struct arrays v = arrays_of(&q, SPMVCAST_F64, FORM_BASE);
    spmvcast_matrix_options o = in_products();
    spmvcast_trial slow = SPMVCAST_TRIAL_INIT;
    spmvcast_matrix *m;
    bool never = false;
    take_device();
    o.copy = o.updates = 1;
    for (int updated = 0; updated < 2; updated++) {
        last_s = 1e-6;
        asked = arrived = false;
        must(context, spmvcast_matrix_create(context, device, &v.csr, &o, &m), "create");
        many(&q, m, &asked);
        must(context, spmvcast_matrix_get_trial(m, 1, &slow), "trial");
        expect(asked && slow.products == 4, "behind", "the second candidate is given up early");
        if (updated) {
            problem_values(&q, 1);
            must(context, spmvcast_update_values(context, m, q.val), "update");
        }
        for (int i = 0; i < 3; i++)
            check_product(&q, m, SPMVCAST_F64, 1, 0, updated ? "new values, behind" : "behind");
        arrived = true;
        many(&q, m, &never);
        must(context, spmvcast_matrix_get_trial(m, 1, &slow), "trial");
        expect(!info_of(m).trying && slow.products == 4, "behind", "the trials are over");
        spmvcast_matrix_free(m);
    }
    arrays_free(&v);
    problem_free(&q);
}

/* Candidates that are kept, as it is not known when the stream has left them, count against the memory limit. */
static void limit(void)
{
    struct problem q = problem_make(MADE_STENCIL);
    struct arrays v = arrays_of(&q, SPMVCAST_F64, 0);
    spmvcast_matrix_options o = in_products();
    spmvcast_trial t[3] = { SPMVCAST_TRIAL_INIT, SPMVCAST_TRIAL_INIT, SPMVCAST_TRIAL_INIT };
    spmvcast_matrix *m;
    bool never = false;
    take_device();
    behind.mark = mark;
    for (int kept = 0; kept < 2; kept++) {
        last_s = 1e-6;
        arrived = true;
        products = NULL;
        unmarked = kept;
        must(context, spmvcast_matrix_create(context, device, &v.csr, &o, &m), "create");
        many(&q, m, &never);
        for (size_t i = 0; i < 3; i++)
            must(context, spmvcast_matrix_get_trial(m, i, &t[i]), "trial");
        expect(!info_of(m).trying && t[1].products > 0 && t[1].extra_bytes > 0, "limit", "the second is converted");
        expect(kept ? t[2].reason && strstr(t[2].reason, "memory_limit") : t[2].products > 0, "limit",
               "the third is converted if the second is not kept");
        o.memory_limit = t[1].extra_bytes + t[2].extra_bytes - 1;
        spmvcast_matrix_free(m);
    }
    arrays_free(&v);
    problem_free(&q);
}

static bool captures, refuses; /* is the stream capturing a graph? do kernels fail to be prepared? */
static struct device_memory memory;
static const struct device_memory *memory_before;
static bool capturing(struct stream *stream)
{
    (void)stream;
    return captures;
}
static int alloc(struct device *d, int64_t bytes, void **p, char why[ERRLEN])
{
    expect(!captures, "capture", "no memory is allocated");
    return memory_before->alloc(d, bytes, p, why);
}

/* Factors that took memory in one candidate take none in another, which may be captured. */
static void capture(void)
{
    struct problem q = problem_make(MADE_STENCIL);
    struct arrays v = arrays_of(&q, SPMVCAST_F64, 0);
    spmvcast_matrix_options o = in_products();
    spmvcast_matrix *m;
    bool never = false;
    take_device();
    behind.capturing = capturing;
    memory_before = device->device->memory;
    memory = *memory_before;
    memory.alloc = alloc;
    device->device->memory = &memory;
    growth = 0.9;
    arrived = true;
    for (int before = 0; before < 40; before += 20) { /* CSR is the candidate that is timed, or the fastest so far */
        last_s = 1;
        must(context, spmvcast_matrix_create(context, device, &v.csr, &o, &m), "create");
        for (int i = 0; i < before; i++)
            check_product(&q, m, SPMVCAST_F64, 1, 0, "before");
        check_product(&q, m, SPMVCAST_F64, 2.5, -1, "first");
        for (int i = 0; i < 60; i++) {
            captures = i % 3 == 0;
            check_product(&q, m, SPMVCAST_F64, captures ? 2.5 : 1, captures ? -1 : 0, "captured");
        }
        captures = false;
        many(&q, m, &never);
        expect(!info_of(m).trying && info_of(m).extra_bytes > 0, "capture", "another candidate stays");
        captures = true;
        check_product(&q, m, SPMVCAST_F64, 2.5, -1, "captured at the end");
        captures = false;
        spmvcast_matrix_free(m);
    }
    arrays_free(&v);
    problem_free(&q);
}

static int prepare(struct device *d, const struct storage *s, const struct config *c, struct launch *l,
                   char why[ERRLEN])
{
    return refuses ? fail(why, "not prepared") : backend_cpu.prepare(d, s, c, l, why);
}

/* Kernels that cannot be prepared again are not the fault of the new values. */
static void unprepared(void)
{
    struct problem q = problem_make(MADE_STENCIL);
    struct arrays v = arrays_of(&q, SPMVCAST_F64, 0);
    spmvcast_matrix_options o = SPMVCAST_MATRIX_OPTIONS_INIT;
    spmvcast_matrix *m;
    take_device();
    behind.prepare = prepare;
    o.updates = 1;
    must(context, spmvcast_matrix_create(context, device, &v.csr, &o, &m), "create");
    refuses = true;
    expect(spmvcast_update_values(context, m, q.val) == SPMVCAST_DEVICE_ERROR, "unprepared", "the device failed");
    expect(spmvcast_multiply(m, 1, q.x, 0, v.val, NULL) != SPMVCAST_OK, "unprepared", "no product");
    refuses = false;
    must(context, spmvcast_update_values(context, m, q.val), "update");
    check_product(&q, m, SPMVCAST_F64, 1, 0, "after the next update");
    spmvcast_matrix_free(m);
    arrays_free(&v);
    problem_free(&q);
}

int main(int argc, char **argv)
{
    static const struct handle_part parts[] = {
        { "behind", updates }, { "limit", limit }, { "capture", capture }, { "unprepared", unprepared }
    };
    return run_parts(parts, sizeof parts / sizeof *parts, argc, argv);
}
