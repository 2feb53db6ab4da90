/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of physics-gp with the profile of a real device: merged features of strips, blocks and their floors, the
 * memory regime of blocks, plans by both algorithms, and splits with a new forecast of each block. "physics_blocks PART
 * PROFILE [all]" prints "ok PART, N checks" or fails with the check; all: with every pair of precision and cache state. */
#include "forecast/split.h"
#include "models.h"
#include "models/physics_gp/learned_ask.h"
#include "parts.h"
#include "real_profile.h"
#include "stack.h"

static const char model[] = "physics-gp";

static uint64_t state = 2006;
static int draw(int below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (uint64_t)below);
}

/* Recipes of the parts of each matrix, stacked on one another; NULL ends a list. */
static const char *const subjects[][4] = {
    { "normal:rows=20000,cols=20000,p=20,sd=18,place=random", NULL },
    { "stencil:points=27,n=26", "rmat:scale=13,p=8", NULL },
    { "constant:rows=300,cols=30000,p=5000,place=random", "constant:rows=30000,cols=30000,p=3", NULL },
    /* larger than the L2 */
    { "constant:rows=200000,cols=200000,p=40,values=ones",
      "uniform:rows=20000,cols=200000,p=60,half=59,place=random,values=ones", NULL },
};
enum { NSUBJECTS = sizeof subjects / sizeof subjects[0], BEYOND = NSUBJECTS - 1 };

struct subject {
    struct csr csr;
    struct sketch sketch;
};
static void subject_make(const char *const *parts, int strips, int64_t unit, struct subject *s)
{
    stack_recipes(parts, &s->csr);
    const int64_t rows = (s->csr.rows + strips - 1) / strips;
    sketch_of(&s->csr, (rows + unit - 1) / unit * unit, &s->sketch);
}
static void subject_free(struct subject *s)
{
    sketch_free(&s->sketch);
    csr_free(&s->csr);
}

/* ---- features */

static void same_histogram(const struct histogram *a, const struct histogram *b)
{
    CHECK(a->n == b->n);
    for (int i = 0; i < a->n; i++)
        CHECK(a->value[i] == b->value[i] && a->count[i] == b->count[i]);
}

/* Compares merged features of strips with those of features_of_rows. They are equal if strips are whole groups of every
 * feature, except for the features that strips lack. */
static void same_features(const struct features *a, const struct features *b)
{
    CHECK(a->rows == b->rows && a->cols == b->cols && a->nnz == b->nnz && a->bandwidth == b->bandwidth);
    CHECK(a->row_min == b->row_min && a->row_max == b->row_max && a->row_mode == b->row_mode);
    CHECK(a->row_empty == b->row_empty && a->hyb_k == b->hyb_k);
    CHECK(near(a->row_mean, b->row_mean) && within(a->row_sd + 1, b->row_sd + 1, 1e-9));
    CHECK(within(a->spread + 1, b->spread + 1, 1e-9));
    CHECK(a->rest_rows == b->rest_rows && a->rest_nnz == b->rest_nnz);
    for (int k = 0; k < GROUPS; k++)
        same_histogram(&a->lengths[k], &b->lengths[k]);
    CHECK(memcmp(a->heaviest, b->heaviest, sizeof a->heaviest) == 0);
    for (int p = 0; p < NPRECISIONS; p++) {
        for (int k = 0; k < SECTORS_ALL; k++)
            CHECK(a->sectors[p][k] == b->sectors[p][k]);
        CHECK(a->sectors[p][SECTORS_ALL] >= b->sectors[p][SECTORS_ALL]);
    }
    CHECK(a->diagonals <= b->diagonals);
    CHECK(a->block_fill_2 >= 1 && a->block_fill_2 <= 4 && a->block_fill_6 >= 1 && a->block_fill_6 <= 36);
}

/* The last of them with a tenth of its rows. */
static const char *const few_rows[] = { "constant:rows=20000,cols=20000,p=40",
                                        "uniform:rows=2000,cols=20000,p=60,half=59,place=random", NULL };

static void test_features(void)
{
    for (int i = 0; i < NSUBJECTS; i++) {
        struct subject s;
        subject_make(i < BEYOND ? subjects[i] : few_rows, 20, 1024, &s);
        const int n = s.sketch.n;
        CHECK(sketch_block(&s.sketch, 0, n - 1) == &s.sketch.whole);
        for (int k = 0; k < share_of(20); k++) {
            const int first = draw(n), last = first + draw(n - first);
            const int64_t row = first * s.sketch.strip_rows, end = (last + 1) * s.sketch.strip_rows;
            struct features f;
            features_of_rows(&s.csr, row, end < s.csr.rows ? end : s.csr.rows, &f);
            same_features(sketch_block(&s.sketch, first, last), &f);
            features_free(&f);
        }
        subject_free(&s);
    }
}

/* ---- blocks */

/* Opens the blocks of configuration i of the profile; NULL: it has another precision or is of a library kernel. */
static struct block_cost *open_at(const struct profile *p, const struct subject *s, const struct target *t, int64_t i,
                                  struct config *c)
{
    const struct learned_config *l = &p->learned->config[i];
    char why[ERRLEN];
    if (l->precision != t->precision || config_parse(l->config, c, why) != 0 || c->kernel->library)
        return NULL;
    struct block_cost *b = model_find(model)->blocks_open(p, &s->sketch, c, t, why);
    CHECK(b != NULL || l->families[t->cache] == 0);
    return b;
}

static void check_whole(const struct profile *p, const struct subject *s, const struct target *t,
                        const struct config *c, struct block_cost *b)
{
    const struct model *m = model_find(model);
    struct config resolved;
    struct forecast f;
    char why[ERRLEN];
    const double e = m->block_time(b, 0, s->sketch.n - 1);
    const struct features *whole = &s->sketch.whole;
    if (config_resolve(c, whole, t, &resolved, why) != 0 || kernel_applicable(whole, &resolved, t, why) != 0) {
        CHECK(isinf(e));
        return;
    }
    m->predict(p, whole, &resolved, t, &f);
    CHECK(f.status == FORECAST_REFUSED ? isinf(e) : within(e, f.time_s, 1e-9));
}

/* Checks that the floor of a block is at most its time, and at most the time and the floor of any block that contains
 * it. */
static void check_floors(struct block_cost *b, int n)
{
    const struct model *m = model_find(model);
    for (int i = 0; i < share_of(40); i++) {
        int first = draw(n), last = first + draw(n - first), from = draw(first + 1), to = last + draw(n - last);
        if (i % 4 == 0) { /* a block only one strip longer on each side */
            from = first - (first > 0);
            to = last + (last + 1 < n);
        }
        const double least = m->block_floor(b, first, last);
        CHECK(isfinite(least) && least > 0 && least <= m->block_time(b, first, last));
        CHECK(least <= m->block_time(b, from, to) && least <= m->block_floor(b, from, to));
        CHECK(m->block_launch(b) <= m->block_time(b, first, last));
    }
}

static void test_blocks(void)
{
    struct subject s[NSUBJECTS];
    for (int i = 0; i < NSUBJECTS; i++)
        subject_make(subjects[i], 24, i % 2 ? 1024 : 32, &s[i]);
    struct profile p;
    struct target t = open_profile(&p, F32, WARM);
    for (int v = 0; v < variants; v++) {
        variant(v, &t);
        for (int i = 0; i < NSUBJECTS; i++) {
            int opened = 0;
            for (int64_t k = 0; k < p.learned->nconfigs; k++) {
                struct config c;
                struct block_cost *b = open_at(&p, &s[i], &t, k, &c);
                if (!b)
                    continue;
                opened++;
                check_whole(&p, &s[i], &t, &c, b);
                check_floors(b, s[i].sketch.n);
                model_find(model)->blocks_close(b);
            }
            CHECK(opened > 60);
        }
    }
    profile_free(&p);
    for (int i = 0; i < NSUBJECTS; i++)
        subject_free(&s[i]);
}

/* A part of a matrix larger than the L2 is read from memory, even if the part alone would fit into the L2. */
static void test_regime(void)
{
    struct profile p;
    struct target t = open_profile(&p, F64, WARM);
    struct subject s;
    struct physics whole, piece, alone;
    char why[ERRLEN];
    subject_make(subjects[BEYOND], 24, 1024, &s);
    struct features of_rows, own;
    struct csr_view view = csr_view_rows(&s.csr, 0, 10240);
    features_of_rows(&s.csr, 0, 10240, &of_rows);
    features_of_view(&view, &own);
    struct config c = config_for("csr-vector:lanes=8", &s.sketch.whole, &t);
    CHECK(physics_of(&s.sketch.whole, &c, &t, 32, 0, &whole, why) == 0);
    CHECK(physics_of(&of_rows, &c, &t, 32, 0, &piece, why) == 0 && physics_of(&own, &c, &t, 32, 0, &alone, why) == 0);
    CHECK(whole.memory_share > 0.7 && alone.memory_share <= 0);
    CHECK(fabs(piece.memory_share - whole.memory_share) < 0.01);
    struct forecast f, g;
    model_find(model)->predict(&p, &of_rows, &c, &t, &f);
    model_find(model)->predict(&p, &own, &c, &t, &g);
    CHECK(f.time_s > g.time_s);
    features_free(&of_rows);
    features_free(&own);
    subject_free(&s);
    profile_free(&p);
}

/* ---- plans */

static const char *const configs[] = { "csr-split:lanes=4",   "dia", "coo:sum=atomic,items=8",
                                       "csr-vector:lanes=32", "ell", "hyb:tail=coo" };
enum { NCONFIGS = sizeof configs / sizeof configs[0] };

static void open_blocks(const struct profile *p, const struct target *t, const struct subject *s, struct blocks *b)
{
    char why[ERRLEN];
    blocks_open(b, model_find(model), NULL);
    for (int k = 0; k < NCONFIGS; k++) {
        struct config c = config_for(configs[k], &s->sketch.whole, t);
        if (blocks_add(b, p, &s->sketch, &c, t, why) != 0)
            die("%s: %s", configs[k], why);
    }
}

static void test_plans(void)
{
    int split = 0;
    struct subject s[NSUBJECTS];
    for (int i = 0; i < NSUBJECTS; i++)
        subject_make(subjects[i], 40, 32, &s[i]);
    struct profile p;
    struct target t = open_profile(&p, F32, WARM);
    for (int v = 0; v < variants; v++) {
        variant(v, &t);
        for (int i = 0; i < NSUBJECTS; i++) {
            struct blocks b;
            struct dp_partition full, pruned;
            open_blocks(&p, &t, &s[i], &b);
            struct dp_cost cost = blocks_cost(&b);
            CHECK(cost.floor != NULL);
            dp_full(s[i].sketch.n, &cost, &full);
            dp_pruned(s[i].sketch.n, &cost, &pruned);
            CHECK(isfinite(full.time_s) && full.time_s == pruned.time_s && full.n == pruned.n);
            for (int k = 0; k < full.n; k++)
                CHECK(full.last[k] == pruned.last[k]);
            split += full.n > 1;
            dp_free(&full);
            dp_free(&pruned);
            blocks_close(&b);
        }
    }
    profile_free(&p);
    for (int i = 0; i < NSUBJECTS; i++)
        subject_free(&s[i]);
    CHECK(split >= variants);
}

/* Returns the forecast time of what is recommended for some rows alone. */
static double time_of_rows(const struct profile *p, const struct target *t, const struct csr *m, int64_t row,
                           int64_t end, const struct strlist *asked, const struct outlook_terms *terms)
{
    struct features f;
    struct outlook o;
    char why[ERRLEN];
    features_of_rows(m, row, end, &f);
    if (outlook_make(p, model_find(model), &f, t, asked, &o, why) != 0)
        return NAN;
    outlook_rank(&o, terms);
    const double time_s = outlook_pick(&o)->forecast.time_s;
    outlook_free(&o);
    features_free(&f);
    return time_s;
}

/* A matrix of two unlike parts cut into six blocks of 4 or 5 strips: each block has what is recommended for its rows,
 * intervals add up, and similar blocks are merged. */
static void test_split(void)
{
    struct profile p;
    struct target t = open_profile(&p, F64, WARM);
    struct subject s;
    struct blocks b;
    struct strlist asked = { 0 };
    subject_make(subjects[1], 24, 32, &s);
    CHECK(s.sketch.n == 24);
    open_blocks(&p, &t, &s, &b);
    for (int k = 0; k < NCONFIGS; k++)
        strlist_add(&asked, configs[k]);
    int last[] = { 4, 8, 12, 16, 20, s.sketch.n - 1 };
    const struct dp_partition plan = { .n = 6, .last = last };
    struct outlook whole;
    char why[ERRLEN];
    CHECK(outlook_make(&p, model_find(model), &s.sketch.whole, &t, &asked, &whole, why) == 0);
    outlook_rank(&whole, &(struct outlook_terms){ 0 });
    const struct split_terms terms = { &p, &s.csr, &s.sketch, &whole, &asked, &b };
    struct split split;
    split_make(&terms, &plan, &split);
    CHECK(split.n < 6 && split.n >= 2);
    double time_s = 0, low_s = 0, high_s = 0;
    for (int i = 0; i < split.n; i++) {
        const struct split_block *k = &split.block[i];
        const int64_t row = k->first * s.sketch.strip_rows, end = (k->last + 1) * s.sketch.strip_rows;
        CHECK(k->first == (i ? split.block[i - 1].last + 1 : 0));
        CHECK(near(k->time_s,
                   time_of_rows(&p, &t, &s.csr, row, end < s.csr.rows ? end : s.csr.rows, &asked, &whole.terms)));
        CHECK(k->low_s <= k->time_s && k->time_s < k->high_s);
        time_s += k->time_s;
        low_s += k->low_s;
        high_s += k->high_s;
    }
    CHECK(split.block[split.n - 1].last == s.sketch.n - 1);
    CHECK(near(split.time_s, time_s) && near(split.low_s, low_s) && near(split.high_s, high_s));
    /* a sum of the costs of the blocks, none of which the profile knows */
    CHECK(isnan(split.setup_s) == isnan(split.block[0].convert_s + split.block[0].prepare_s));
    outlook_free(&whole);
    split_free(&split);
    strlist_free(&asked);
    blocks_close(&b);
    subject_free(&s);
    profile_free(&p);
}

int main(int argc, char **argv)
{
    static const struct part parts[] = { { "features", test_features },
                                         { "blocks", test_blocks },
                                         { "regime", test_regime },
                                         { "plans", test_plans },
                                         { "split", test_split } };
    if (argc != 3 && (argc != 4 || strcmp(argv[3], "all") != 0))
        die("usage: physics_blocks PART PROFILE [all]");
    profile_path = argv[2];
    if (argc == 4)
        variants = NPRECISIONS * NCACHES;
    return parts_main("physics_blocks", parts, sizeof parts / sizeof *parts, 2, argv, &checks);
}
