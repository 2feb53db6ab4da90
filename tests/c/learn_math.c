/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares the arithmetic of the physics-gp fit with slower or known results: nonnegative least squares with a search
 * of all subsets of columns, physics with the coefficients that generated the times, mean and variance of the process
 * with a dense solution, hyper-parameters with those of a sampled process, the launch curve with one computed by hand.
 * Prints each difference; exits with 1 if there is one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fit/learn_inside.h"

static int failures;
#define CHECK(what, ...)              \
    do {                              \
        if (!(what)) {                \
            printf(__VA_ARGS__);      \
            printf(" (%s)\n", #what); \
            failures++;               \
        }                             \
    } while (0)

static double uniform(uint64_t stream, uint64_t i)
{
    return (double)(learn_draw(stream, i) >> 11) / 9007199254740992.0;
}
static double normal(uint64_t stream, uint64_t i)
{
    return sqrt(-2 * log(1 - uniform(stream, 2 * i))) * cos(6.283185307179586 * uniform(stream, 2 * i + 1));
}

/* Solves a y' = y in place by Gaussian elimination; positive definite matrices need no pivoting. */
static void solve(int n, double *a, double *y)
{
    for (int i = 0; i < n; i++)
        for (int r = i + 1; r < n; r++) {
            const double f = a[r * n + i] / a[i * n + i];
            for (int c = i; c < n; c++)
                a[r * n + c] -= f * a[i * n + c];
            y[r] -= f * y[i];
        }
    for (int i = n - 1; i >= 0; i--) {
        for (int c = i + 1; c < n; c++)
            y[i] -= a[i * n + c] * y[c];
        y[i] /= a[i * n + i];
    }
}

enum { COLUMNS = 6, ROWS = 20 };
static void check_nnls(void)
{
    for (uint64_t trial = 0; trial < 200; trial++) {
        double x[ROWS][COLUMNS], y[ROWS], ata[COLUMNS * COLUMNS] = { 0 }, aty[COLUMNS] = { 0 }, b[COLUMNS],
                                                        best = INFINITY, mine = 0;
        for (int i = 0; i < ROWS; i++) {
            y[i] = normal(trial, (uint64_t)i);
            for (int k = 0; k < COLUMNS; k++) {
                x[i][k] = uniform(1000 + trial, (uint64_t)(i * COLUMNS + k));
                y[i] += k % 2 ? x[i][k] : -x[i][k];
            }
        }
        for (int i = 0; i < ROWS; i++)
            for (int k = 0; k < COLUMNS; k++) {
                aty[k] += x[i][k] * y[i];
                for (int j = 0; j < COLUMNS; j++)
                    ata[k * COLUMNS + j] += x[i][k] * x[i][j];
            }
        for (int subset = 0; subset < 1 << COLUMNS; subset++) {
            double a[COLUMNS * COLUMNS], s[COLUMNS], error = 0;
            int at[COLUMNS], n = 0;
            bool positive = true;
            for (int k = 0; k < COLUMNS; k++)
                if (subset >> k & 1)
                    at[n++] = k;
            for (int k = 0; k < n; k++) {
                s[k] = aty[at[k]];
                for (int j = 0; j < n; j++)
                    a[k * n + j] = ata[at[k] * COLUMNS + at[j]];
            }
            solve(n, a, s);
            for (int k = 0; k < n; k++)
                positive = positive && s[k] >= 0;
            for (int i = 0; i < ROWS; i++) {
                double v = y[i];
                for (int k = 0; k < n; k++)
                    v -= s[k] * x[i][at[k]];
                error += v * v;
            }
            best = positive ? fmin(best, error) : best;
        }
        nnls(COLUMNS, ata, aty, b);
        for (int i = 0; i < ROWS; i++) {
            double v = y[i];
            for (int k = 0; k < COLUMNS; k++)
                v -= b[k] * x[i][k];
            mine += v * v;
        }
        for (int k = 0; k < COLUMNS; k++)
            CHECK(b[k] >= 0, "nnls %d: coefficient %d is %g", (int)trial, k, b[k]);
        CHECK(mine <= best * (1 + 1e-9), "nnls %d: %g, the best subset has %g", (int)trial, mine, best);
    }
}

enum { CASES = 120 };
static void check_physics(void)
{
    static struct learn_case c[CASES];
    const struct learn_case *at[CASES];
    double base[CASES], weight[CASES], b[NTERMS];
    bool use[NTERMS];
    for (int i = 0; i < CASES; i++) {
        at[i] = &c[i];
        weight[i] = 1;
        base[i] = 2;
        c[i].term[TERM_constant] = 1;
        c[i].term[TERM_bytes_memory] = (float)exp(8 * uniform(7, (uint64_t)i));
        c[i].term[TERM_path] = (float)(10 * uniform(8, (uint64_t)i));
        c[i].us = base[i] + 0.5 + 3.0 * (double)c[i].term[TERM_bytes_memory] + 0.25 * (double)c[i].term[TERM_path];
        c[i].term[TERM_missed_l2] = 1e-9f * (float)(i % 2 * c[i].us); /* a remainder that goes with slower cases */
        c[i].us *= 1 + 0.02 * (i % 2);
    }
    c[5].us *= 3; /* an outlier, whose weight decreases with each iteration */
    double least[NTERMS] = { 0 };
    const struct physics_fit f = { CASES, at, base, weight, least };
    learn_terms_of(0, use);
    learn_physics(&f, use, b);
    CHECK(fabs(b[TERM_bytes_memory] - 3.0) < 0.05, "bytes: %g, expected 3", b[TERM_bytes_memory]);
    CHECK(fabs(b[TERM_path] - 0.25) < 0.05, "path: %g, expected 0.25", b[TERM_path]);
    CHECK(fabs(b[TERM_constant] - 0.5) < 0.3, "constant: %g, expected 0.5", b[TERM_constant]);
    CHECK(b[TERM_missed_l2] == 0, "missed by the L2: %g, expected 0", b[TERM_missed_l2]);
    for (int k = 0; k < NTERMS; k++)
        CHECK(b[k] >= 0, "term %d: %g", k, b[k]);
}

/* Terms of x read again from the L2 (l1) or from memory (l2), as shares of all that is read again, by rows of 16 columns each at random
 * places of `near` times the width. */
static void check_reuse(double x_mb, double near, double l1, double l2)
{
    const struct target t = { .device = { .shared_sm = 200000, .l2_bytes = 50000000 }, .precision = F64 };
    struct features f = { .rows = 1000000, .nnz = 16000000, .row_mean = 16, .spread = near / 3 };
    struct physics_matrix m;
    const double again = 32e-6 * 16e6 - x_mb;
    for (int k = 0; k < SECTORS_ALL; k++)
        f.sectors[F64][k] = f.nnz;
    f.sectors[F64][SECTORS_ALL] = (int64_t)(x_mb / 32e-6);
    physics_matrix_of(&f, &t, &m);
    const double by_l1 = m.term[TERM_missed_l1] * 5 / again, by_l2 = m.term[TERM_missed_l2] * 4 / again;
    CHECK(fabs(by_l1 - l1) < 0.02, "x of %g MB: %g missed by the L1, expected %g", x_mb, by_l1, l1);
    CHECK(fabs(by_l2 - l2) < 0.02, "x of %g MB: %g missed by the L2, expected %g", x_mb, by_l2, l2);
}

enum { POINTS = LEARNED_NEAR };
static void check_process(void)
{
    struct learned_hyper h = { .amplitude = 0.3, .linear = 0.01, .noise = 0.02 };
    static struct learned_point p[POINTS];
    double k[POINTS * POINTS], r[POINTS], v[POINTS], mean = 0, variance;
    float z[NFEATURES] = { 0 };
    struct gp_answer a;
    h.scale[FEATURE_rows] = 0.7;
    h.scale[FEATURE_path] = 1.3;
    for (int i = 0; i < POINTS; i++) {
        p[i].z[FEATURE_rows] = (float)normal(21, (uint64_t)i);
        p[i].z[FEATURE_path] = (float)normal(22, (uint64_t)i);
        p[i].z[FEATURE_cols] = 5; /* a feature without a length scale is ignored */
        r[i] = normal(23, (uint64_t)i);
    }
    for (int i = 0; i < POINTS; i++)
        for (int j = 0; j < POINTS; j++)
            k[i * POINTS + j] = gp_covariance(&h, p[i].z, p[j].z) + (i == j ? h.noise : 0);
    double once[POINTS * POINTS];
    memcpy(once, k, sizeof once);
    solve(POINTS, once, r);
    for (int i = 0; i < POINTS; i++)
        p[i].alpha[3] = (float)r[i];
    z[FEATURE_rows] = 0.4f;
    z[FEATURE_path] = -0.3f;
    for (int i = 0; i < POINTS; i++) {
        v[i] = gp_covariance(&h, p[i].z, z);
        mean += r[i] * v[i];
    }
    double u[POINTS];
    memcpy(u, v, sizeof u);
    solve(POINTS, k, u);
    variance = gp_covariance(&h, z, z) + h.noise;
    for (int i = 0; i < POINTS; i++)
        variance -= v[i] * u[i];
    gp_ask(&h, p, POINTS, 3, z, &a);
    CHECK(fabs(a.mean - mean) < 1e-5, "mean %g, expected %g", a.mean, mean);
    CHECK(fabs(a.variance - variance) < 1e-9, "variance %g, expected %g", a.variance, variance);
    z[FEATURE_rows] = z[FEATURE_path] = 100;
    gp_ask(&h, p, POINTS, 3, z, &a);
    CHECK(a.variance > h.amplitude, "far away the variance is %g, below the process's %g", a.variance, h.amplitude);
    for (int i = 0; i < POINTS; i++)
        CHECK(gp_covariance(&h, p[i].z, p[i].z) > h.amplitude, "covariance of point %d with itself", i);
}

/* The values depend on one of two features: its length scale becomes short, that of the other becomes long, and the
 * noise is recovered. */
static void check_hyper(void)
{
    enum { N = 150 };
    static float z[N][NFEATURES];
    double r[N];
    for (int i = 0; i < N; i++) {
        z[i][FEATURE_rows] = (float)(2 * normal(31, (uint64_t)i));
        z[i][FEATURE_cols] = (float)(2 * normal(32, (uint64_t)i));
        r[i] = 0.5 * sin(1.5 * (double)z[i][FEATURE_rows]) + 0.05 * normal(33, (uint64_t)i);
    }
    static double known[N]; /* noise of some points that is known and must not be attributed to the process */
    const struct hyper_group g = { N, (const float(*)[NFEATURES])z, r, known };
    struct learned_hyper h = { .variant = 0 };
    h.scale[FEATURE_rows] = h.scale[FEATURE_cols] = 1;
    learn_hyper(&g, 1, 0.1, &h);
    CHECK(h.scale[FEATURE_rows] > 5 * h.scale[FEATURE_cols], "scales %g and %g", h.scale[FEATURE_rows],
          h.scale[FEATURE_cols]);
    CHECK(h.noise > 0.0012 && h.noise < 0.005, "noise %g, drawn with 0.0025", h.noise);
    CHECK(h.scale[FEATURE_path] == 0, "a feature that is not used got a scale of %g", h.scale[FEATURE_path]);
    for (int i = 0; i < N; i += 2) {
        r[i] += 0.3 * normal(34, (uint64_t)i);
        known[i] = 0.3 * 0.3;
    }
    learn_hyper(&g, 1, 0.1, &h);
    CHECK(h.noise > 0.0012 && h.noise < 0.005, "noise %g beside what is known, drawn with 0.0025", h.noise);
}

static void check_launch(void)
{
    const struct learned_launch v[] = {
        { 64, 0, 1.0 }, { 64, 4, 1.4 }, { 64, 8, 3.0 }, { 256, 0, 2.0 }, { 256, 10, 4.0 }
    };
    const struct {
        struct grid grid;
        double us;
    } want[] = { { { 1, 64 }, 1.0 },       { { 4, 64 }, 1.2 },   { { 16, 64 }, 1.4 }, { { 64, 64 }, 2.2 },
                 { { 1 << 20, 64 }, 3.0 }, { { 32, 256 }, 3.0 }, { { 1, 512 }, 2.0 }, { { 1, 96 }, 1.0 } };
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        const double us = learned_t0(v, sizeof v / sizeof v[0], &want[i].grid);
        CHECK(fabs(us - want[i].us) < 1e-12, "grid %zu: %g us, expected %g", i, us, want[i].us);
    }
}

/* Finds the states of sources measured by two processes, one of which adds 0.18 us to every launch. Every fifth source
 * has only large grids and is assigned by its minute. */
static void check_states(double added, double noise, bool told)
{
    enum { SOURCES = 60, GRIDS = 8 };
    static struct learn_empty e[SOURCES * GRIDS];
    static double state[SOURCES * GRIDS];
    struct learn_data d = { .device = { .kind = DEVICE_CUDA } };
    int wrong = 0;
    for (int s = 0; s < SOURCES; s++)
        for (int g = 0; g < GRIDS; g++) {
            struct learn_empty *x = &e[s * GRIDS + g];
            const bool slow = s / 6 % 3 == 0, large = s % 5 == 4;
            snprintf(x->key, sizeof x->key, "%064d 2026-11-22T10:%02d", s, s / 6);
            x->grid = (struct grid){ (int64_t)1 << (large ? 10 + g : g), 128 };
            x->log2_blocks = large ? 10 + g : g;
            x->us = 1.2 + 0.02 * g + (slow ? added : 0) + noise * (2 * uniform(41, (uint64_t)(s * GRIDS + g)) - 1);
        }
    memset(state, 0, sizeof state);
    learn_find_states(&d, e, SOURCES * GRIDS, state);
    for (int s = 0; s < SOURCES; s++)
        for (int g = 0; g < GRIDS; g++)
            wrong += (state[s * GRIDS + g] > 0) != (told && s / 6 % 3 == 0);
    CHECK(wrong == 0, "states %g apart in noise of %g: %d of %d wrong", added, noise, wrong, SOURCES * GRIDS);
    CHECK(told ? fabs(d.state_us[1] - added) < 0.02 : d.state_us[1] == 0, "the slower state adds %g us, made with %g",
          d.state_us[1], added);
    CHECK(!d.slower_more_frequent, "the slower state is that of a third");
}

/* Finds the effects of three sessions. Session 0 measured the first 40 of 60 matrices, session 1 the last 40 (20 of
 * them the same), session 2 the first 40 again. Session 1 adds 0.5 us to coo in a graph, and its times scatter. */
static void check_sessions(void)
{
    enum { MATRICES = 60, SESSIONS = 3, TARGETS = 3, CONFIGS = 2 };
    static const char *const date[SESSIONS] = { "2026-11-22T10:00:00Z", "2026-11-22T14:00:00Z",
                                                "2026-11-22T18:00:00Z" };
    static const int first[SESSIONS] = { 0, 20, 0 }, end[SESSIONS] = { 40, 60, 40 };
    static const double noise[SESSIONS] = { 0.01, 0.1, 0.01 };
    static struct learn_case at[CONFIGS * TARGETS * MATRICES * SESSIONS];
    static double made[CONFIGS * TARGETS * MATRICES * SESSIONS];
    struct learned_config config[CONFIGS] = { { .config = "coo", .kernel = "coo" },
                                              { .config = "csr-scalar", .kernel = "csr-scalar" } };
    struct learn_data d = { .device = { .kind = DEVICE_CUDA }, .at = at, .config = config, .nconfigs = CONFIGS };
    for (int c = 0; c < CONFIGS; c++)
        for (int t = 0; t < TARGETS; t++)
            for (int m = 0; m < MATRICES; m++)
                for (int s = 0; s < SESSIONS; s++) {
                    struct learn_case *x = &at[d.n];
                    if (m < first[s] || m >= end[s])
                        continue;
                    *x = (struct learn_case){ .matrix = m, .config = c, .target = t };
                    TEXT_SET(x->measured, date[s]);
                    x->us = 3 + 0.05 * m + noise[s] * normal(51, (uint64_t)d.n);
                    made[d.n++] = x->us;
                    if (c == 0 && s == 1 && t < 2)
                        x->us += 0.5;
                }
    learn_take_sessions_off(&d);
    double noise_us2[SESSIONS] = { 0 }, kept = 0;
    for (int64_t i = 0; i < d.n; i++) {
        const struct learn_case *x = &at[i];
        const int s = strcmp(x->measured, date[1]) == 0 ? 1 : strcmp(x->measured, date[2]) == 0 ? 2 : 0;
        const double off = x->us - made[i];
        CHECK(fabs(off) < 0.08, "case %d: %g us left of what its session added", (int)i, off);
        CHECK(x->target < 2 || off == 0, "a time in a stream changed by %g us", off);
        if (x->config == 0 && s == 1 && x->target < 2)
            CHECK(fabs(x->state_us - 0.5) < 0.08, "state of %g us", x->state_us);
        kept += fabs(x->us + x->state_us - made[i] - (x->config == 0 && s == 1 && x->target < 2 ? 0.5 : 0));
        if (x->target == 0)
            noise_us2[s] = x->noise_us2;
    }
    CHECK(kept < 1e-9, "times as measured are off by %g us", kept);
    CHECK(noise_us2[1] > 0.004 && noise_us2[1] < 0.03, "variance %g, drawn with 0.01", noise_us2[1]);
    CHECK(noise_us2[0] < 0.001 && noise_us2[2] < 0.001, "variances %g and %g, drawn with 0.0001", noise_us2[0],
          noise_us2[2]);
}

/* Fits two configurations of a kernel, the second of which takes twice as long per byte and was measured only on matrices first .. end - 1
 * of 40, ordered by size. The last six are read from memory, with gathers that take as long in both. On the largest ones alone it has no
 * constant, without the last six no gathers. Its physics for the matrix that it lacks is close to the truth because it is drawn towards that
 * of the first configuration; its forecasts of those measured are close because its own times count, however few there are. */
enum { MATRICES = 40, FROM_MEMORY = 34 };
static void check_few_families(int first, int end, int lacks)
{
    enum { CONFIGS = 3 };
    static struct matrix_row matrix[MATRICES];
    static struct learn_case at[CONFIGS * MATRICES];
    static int family[MATRICES];
    static const char *name[MATRICES];
    static bool use[MATRICES], sealed[MATRICES];
    const struct runs runs = { .nmatrices = MATRICES, .matrices = matrix };
    struct learned_config config[CONFIGS] = { { .config = "j", .kernel = "j", .precision = F64 }, /* much faster */
                                              { .config = "k:a=1", .kernel = "k", .precision = F64 },
                                              { .config = "k:a=2", .kernel = "k", .precision = F64 } };
    struct learn_data d = { .runs = &runs,
                            .family = family,
                            .sealed = sealed,
                            .nfamilies = MATRICES,
                            .family_name = name,
                            .device = { .kind = DEVICE_CUDA },
                            .at = at,
                            .nconfigs = CONFIGS,
                            .config = config };
    const struct learn_case *lacking = &at[lacks];
    for (int m = 0; m < MATRICES; m++) {
        snprintf(matrix[m].source_id, sizeof matrix[m].source_id, "%064d", m);
        family[m] = m;
        name[m] = matrix[m].source_id;
        use[m] = true;
    }
    for (int c = 0; c < CONFIGS; c++)
        for (int m = c < 2 ? 0 : first; m < (c < 2 ? MATRICES : end); m++) {
            struct learn_case *x = &at[d.n];
            const double size = exp(0.25 * m), gathers = m < FROM_MEMORY ? 0 : 0.3 * size; /* size: from 1 to 17 000 */
            *x = (struct learn_case){ .matrix = m,
                                      .config = c,
                                      .effective = c,
                                      .grid = { 64, 128 },
                                      .t0_measured_us = 1,
                                      .least_bytes = 5e6 * size, /* bytes of term bytes_l2 */
                                      .memory_share = m >= FROM_MEMORY };
            x->term[TERM_constant] = 1;
            x->term[TERM_bytes_l2] = (float)size;
            x->term[TERM_missed_l2] = (float)gathers;
            x->term[TERM_path_log] = (float)log2(1 + size);
            x->feature[FEATURE_bytes] = (float)log(size);
            x->us = (c == 0 ? 1.05 + 0.001 * size : 1 + 2 + 0.05 * size * c + gathers)
                    * exp(0.02 * normal(61, (uint64_t)d.n));
            x->best_us = x->us;
            d.n++;
        }
    struct learned *l = learn_fit_once(&d, use, NULL);
    const double truth = 1 + 2 + 0.1 * (double)lacking->term[TERM_bytes_l2] + (double)lacking->term[TERM_missed_l2];
    for (int v = 0; v < LEARNED_VARIANTS; v++) {
        const double us =
            learn_physics_us(lacking, 1 + learn_bound(&d, l, lacking)->floor_us, l->config[2].b + v * NTERMS);
        CHECK(fabs(us / truth - 1) < 0.25, "variant %d: %g us of matrix %d, expected about %g", v, us, lacks, truth);
    }
    for (int64_t i = d.n - (end - first); i < d.n; i++) {
        struct learned_answer a;
        CHECK(learn_ask(&d, l, &at[i], &a), "case %d has no forecast", (int)i);
        const bool few = (at[i].memory_share > 0 ? end - FROM_MEMORY : (end < FROM_MEMORY ? end : FROM_MEMORY) - first)
                         < LEARNED_FAMILIES;
        CHECK(a.few == few, "case %d of %d to %d: few is %d", (int)i, first, end, a.few);
        CHECK(fabs(a.log_us - log(at[i].us)) < 0.15, "case %d: forecast %g us, measured %g", (int)i, exp(a.log_us),
              at[i].us);
    }
    learned_free(l);
}

int main(void)
{
    check_nnls();
    check_physics();
    check_reuse(0.05, 1, 0, 0);
    check_reuse(10, 1, 0.986, 0);
    check_reuse(140, 1, 0.999, 0.75);
    check_reuse(140, 0.1, 0.999, 0);
    check_process();
    check_hyper();
    check_launch();
    check_sessions();
    check_few_families(22, MATRICES, 0);
    check_few_families(37, MATRICES, 0);
    check_few_families(0, FROM_MEMORY, MATRICES - 1);
    check_states(0.18, 0.01, true);
    check_states(0, 0.02, false);
    check_states(0.18, 0.3, false);
    printf("%d failures\n", failures);
    return failures > 0;
}
