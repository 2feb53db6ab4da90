/* SPDX-License-Identifier: BSD-3-Clause */
/* guo2014-regimes with the profile of a real device: composites and their parts, the blocks of plans and their floors,
 * plans by both algorithms. "regimes_blocks PART,... PROFILE [all]" prints "ok PART,..., N
 * checks" or fails with the check; all: with every pair of precision and cache state. */
#include <inttypes.h>
#include "forecast/block_costs.h"
#include "models.h"
#include "parts.h"
#include "real_profile.h"
#include "stack.h"

static const char model[] = "guo2014-regimes";

static uint64_t state = 2014;
static int64_t draw(int64_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((state >> 33) % (uint64_t)below);
}

struct subject {
    struct csr csr;
    struct features features; /* of subject_with_features */
    struct sketch sketch;
};

/* Recipes of the parts of each matrix, stacked on one another; NULL ends a list. */
static const char *const subjects[][4] = {
    { "constant:rows=40000,cols=40000,p=12", NULL },
    { "normal:rows=30000,cols=30000,p=20,sd=18,place=random", NULL },
    { "stencil:points=5,n=150", "constant:rows=600,cols=22500,p=2500,place=random", "stencil:points=7,n=25", NULL },
    { "constant:rows=400,cols=60000,p=6000", "constant:rows=60000,cols=60000,p=3", NULL },
    /* larger than the L2 */
    { "constant:rows=200000,cols=200000,p=40,values=ones",
      "uniform:rows=20000,cols=200000,p=60,half=59,place=random,values=ones", NULL },
};
enum { NSUBJECTS = sizeof subjects / sizeof subjects[0], BEYOND = NSUBJECTS - 1 };

static void subject_make(int i, int64_t strip_rows, struct subject *s)
{
    static struct csr made[NSUBJECTS]; /* for all parts */
    if (!made[i].row_ptr)
        stack_recipes(subjects[i], &made[i]);
    s->csr = made[i];
    s->features = (struct features){ 0 };
    sketch_of(&s->csr, strip_rows, &s->sketch);
}

static void subject_with_features(int i, int64_t strip_rows, struct subject *s)
{
    subject_make(i, strip_rows, s);
    features_of(&s->csr, &s->features);
}

static void subject_free(struct subject *s)
{
    features_free(&s->features);
    sketch_free(&s->sketch);
}

static const char *const configs[] = { "csr-scalar", "csr-vector:lanes=4", "csr-vector:lanes=32", "csr-block",
                                       "ell",        "coo:sum=segmented",  "coo:sum=atomic",      "hyb" };
enum { NCONFIGS = sizeof configs / sizeof configs[0], FEW = 3 }; /* configs[FEW] and the next: csr-block, ell */

/* The forecast of a composite is the sum of those of its parts as separate matrices if all are in one regime. */
static void test_parts(void)
{
    struct profile p;
    struct target t = open_profile(&p, F64, WARM);
    for (int i = 0; i < BEYOND; i++) {
        struct subject s;
        subject_with_features(i, 256, &s);
        if (footprint_bytes(s.features.rows, s.features.cols, s.features.nnz, F64) < t.device.l2_bytes * 2 / 3)
            for (int64_t k = 0; k <= 20; k += 4) {
                char text[64];
                double sum = 0.0;
                snprintf(text, sizeof text, "hyb:k=%" PRId64, k);
                struct config hyb = config_for(text, &s.features, &t), part;
                for (int q = 0; q < 2; q++) {
                    struct features f;
                    struct forecast one;
                    CHECK(hyb.kernel->layout->part(&s.features, &hyb, q, &part, &f) == 0);
                    if (f.nnz > 0) {
                        model_find(model)->predict(&p, &f, &part, &t, &one);
                        CHECK(one.status != FORECAST_REFUSED);
                        sum += one.time_s;
                    }
                    features_free(&f);
                }
                CHECK(near(forecast_of(&p, model, &s.features, text, &t).time_s, sum));
            }
        subject_free(&s);
    }
    /* A matrix with more rows and bytes than any cell is extrapolated, also for a composite. */
    const int64_t length = 200, count = 20000000;
    struct features large = features_constant(count, length);
    struct forecast beyond = forecast_of(&p, model, &large, "hyb:k=200", &t);
    CHECK(beyond.status == FORECAST_EXTRAPOLATED && strstr(beyond.why, "working set") && beyond.distance > 0.0);
    features_free(&large);
    profile_free(&p);
}

/* The time of the block of all strips equals the forecast of the matrix, except that gathers are counted per strip (and
 * divided among the parts of a composite by nonzeros). */
static void check_whole(const struct model *m, struct block_cost *b, const struct subject *s, const char *text,
                        const struct profile *p, const struct target *t)
{
    struct config c = config_for(text, &s->features, t);
    char why[ERRLEN];
    const double e = m->block_time(b, 0, s->sketch.n - 1);
    if (c.kernel->work != WORK_PARTS && kernel_applicable(&s->features, &c, t, why) != 0)
        CHECK(isinf(e));
    else
        CHECK(
            within(e, forecast_of(p, model, &s->features, text, t).time_s, c.kernel->work == WORK_PARTS ? 0.05 : 0.01));
}

/* Checks that the floor of a block is at most its time, and at most the time and the floor of any block that contains
 * it. */
static void check_floors(const struct model *m, struct block_cost *b, int n)
{
    for (int i = 0; i < share_of(1000); i++) {
        int first = (int)draw(n), last = first + (int)draw(n - first), from = (int)draw(first + 1),
            to = last + (int)draw(n - last);
        if (i % 4 == 0) { /* a block only one strip longer on each side */
            from = first - (first > 0);
            to = last + (last + 1 < n);
        }
        const double floor = m->block_floor(b, first, last);
        CHECK(isfinite(floor) && floor >= 0.0 && floor <= m->block_time(b, first, last));
        CHECK(floor <= m->block_time(b, from, to));
        CHECK(floor <= m->block_floor(b, from, to));
    }
}

static void test_blocks(void)
{
    const struct model *m = model_find(model);
    struct subject s[NSUBJECTS];
    for (int i = 0; i < NSUBJECTS; i++)
        subject_with_features(i, i % 2 ? 256 : 768, &s[i]);
    struct profile p;
    struct target t = open_profile(&p, F32, WARM);
    for (int v = 0; v < variants; v++) {
        variant(v, &t);
        for (int i = 0; i < NSUBJECTS; i++) {
            for (int k = 0; k < NCONFIGS; k++) {
                struct config c = config_for(configs[k], &s[i].features, &t);
                char why[ERRLEN];
                struct block_cost *b = m->blocks_open(&p, &s[i].sketch, &c, &t, why);
                CHECK(b != NULL);
                check_whole(m, b, &s[i], configs[k], &p, &t);
                check_floors(m, b, s[i].sketch.n);
                m->blocks_close(b);
            }
        }
    }
    profile_free(&p);
    for (int i = 0; i < NSUBJECTS; i++)
        subject_free(&s[i]);
}

/* Strips without entries alone form no block, since the forecast of such a matrix is refused. */
static void test_empty(void)
{
    struct profile p;
    struct target t = open_profile(&p, F64, WARM);
    const struct model *m = model_find(model);
    struct subject s;
    char why[ERRLEN];
    stack_recipes(subjects[0], &s.csr);
    for (int64_t i = 10240; i <= s.csr.rows; i++) /* rows 10240 .. 20479 become empty */
        if (i <= 20480)
            s.csr.row_ptr[i] = s.csr.row_ptr[10239];
    for (int64_t i = 20481; i <= s.csr.rows; i++)
        s.csr.row_ptr[i] = s.csr.row_ptr[10239] + 12 * (i - 20480);
    s.csr.nnz = s.csr.row_ptr[s.csr.rows];
    sketch_of(&s.csr, 256, &s.sketch);
    struct config c = config_for("csr-vector:lanes=32", &s.sketch.whole, &t);
    struct block_cost *b = m->blocks_open(&p, &s.sketch, &c, &t, why);
    CHECK(b && s.sketch.strip[45].nnz == 0 && s.sketch.strip[30].nnz > 0);
    CHECK(isinf(m->block_time(b, 45, 50)) && isfinite(m->block_time(b, 30, 50))
          && isfinite(m->block_time(b, 0, s.sketch.n - 1)));
    CHECK(isfinite(m->block_floor(b, 45, 50)) && m->block_floor(b, 45, 50) <= m->block_floor(b, 30, 50));
    m->blocks_close(b);
    sketch_free(&s.sketch);
    csr_free(&s.csr);
    profile_free(&p);
}

/* A part of a matrix larger than the L2 is read from memory, but for what the L2 keeps of it: it takes at least about as long as a
 * separate matrix with cold caches. */
static void test_streaming(void)
{
    const struct model *m = model_find(model);
    struct profile p;
    struct target t = open_profile(&p, F64, WARM), cold = t;
    struct subject s;
    char why[ERRLEN];
    enum { FIRST = 1, STEP = 7, END = 100 }; /* the last strips of the blocks */
    struct features of_rows[END];
    cold.cache = COLD;
    subject_make(BEYOND, 1024, &s);
    for (int last = FIRST; last < END; last += STEP) {
        const struct csr_view view = csr_view_rows(&s.csr, 0, (last + 1) * 1024);
        features_of_view(&view, &of_rows[last]);
    }
    for (int k = 0; k < NCONFIGS; k++) {
        struct config c = config_for(configs[k], &s.sketch.whole, &t);
        struct block_cost *b = c.kernel->work == WORK_PARTS ? NULL : m->blocks_open(&p, &s.sketch, &c, &t, why);
        for (int last = FIRST; b && last < END; last += STEP)
            CHECK(m->block_time(b, 0, last) > 0.9 * forecast_of(&p, model, &of_rows[last], configs[k], &cold).time_s);
        if (b)
            m->blocks_close(b);
    }
    for (int last = FIRST; last < END; last += STEP)
        features_free(&of_rows[last]);
    subject_free(&s);
    profile_free(&p);
}

static void plan_both_ways(const struct profile *p, const struct target *t, const struct subject *s, int from, int n,
                           int *split)
{
    struct blocks b;
    struct dp_partition full, pruned;
    char why[ERRLEN];
    blocks_open(&b, model_find(model), NULL);
    for (int k = from; k < from + n; k++) {
        struct config c = config_for(configs[k], &s->sketch.whole, t);
        if (blocks_add(&b, p, &s->sketch, &c, t, why) != 0)
            die("%s: %s", configs[k], why);
    }
    struct dp_cost cost = blocks_cost(&b);
    CHECK(cost.floor != NULL && isfinite(cost.floor(cost.self, 0, s->sketch.n - 1)));
    dp_full(s->sketch.n, &cost, &full);
    dp_pruned(s->sketch.n, &cost, &pruned);
    CHECK(isfinite(full.time_s) && full.time_s == pruned.time_s && full.n == pruned.n);
    for (int k = 0; k < full.n; k++)
        CHECK(full.last[k] == pruned.last[k]);
    *split += full.n > 1;
    dp_free(&full);
    dp_free(&pruned);
    blocks_close(&b);
}

/* With all configurations a single block is usually best; with two that each suit few matrices the plan has several
 * blocks. */
static void test_plans(void)
{
    int split = 0;
    struct subject s[NSUBJECTS];
    for (int i = 0; i < NSUBJECTS; i++)
        subject_make(i, i == BEYOND ? 1024 : 512, &s[i]);
    struct profile p;
    struct target t = open_profile(&p, F32, WARM);
    for (int v = 0; v < variants; v++) {
        variant(v, &t);
        for (int i = 0; i < NSUBJECTS; i++) {
            plan_both_ways(&p, &t, &s[i], 0, NCONFIGS, &split);
            plan_both_ways(&p, &t, &s[i], FEW, 2, &split);
        }
    }
    profile_free(&p);
    for (int i = 0; i < NSUBJECTS; i++)
        subject_free(&s[i]);
    CHECK(split >= 2 * variants);
}

int main(int argc, char **argv)
{
    static const struct part parts[] = { { "parts", test_parts },
                                         { "blocks", test_blocks },
                                         { "empty", test_empty },
                                         { "plans", test_plans },
                                         { "streaming", test_streaming } };
    if (argc != 3 && (argc != 4 || strcmp(argv[3], "all") != 0))
        die("usage: regimes_blocks PART PROFILE [all]");
    profile_path = argv[2];
    if (argc == 4)
        variants = NPRECISIONS * NCACHES;
    return parts_main("regimes_blocks", parts, sizeof parts / sizeof *parts, 2, argv, &checks);
}
