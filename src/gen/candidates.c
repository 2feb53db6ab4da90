/* SPDX-License-Identifier: BSD-3-Clause */
/* Candidates (candidates.h). Each draw is number `used` of the candidate's Philox stream, so `used` is the only
 * state. Parameters that span decades are uniform in their logarithm; docs/method.md, "Recipes", describes each kind.
 * */
#include "gen/candidates.h"

#include <Random123/philox.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { SEED = 20261 };

struct draws {
    uint32_t number, used;
    double nnz; /* approximate number of nonzeros */
};

static double uniform(struct draws *d)
{
    const philox4x32_ctr_t counter = { { d->number, d->used++, 0, 0 } };
    const philox4x32_key_t key = { { SEED, 0 } };
    return philox4x32_R(10, counter, key).v[0] / 4294967296.0;
}
static double between(struct draws *d, double low, double high) { return low * exp(uniform(d) * log(high / low)); }
static int choose(struct draws *d, int n) { return (int)(uniform(d) * n); }
static double one_of(struct draws *d, const double *v, int n) { return v[choose(d, n)]; }
#define ONE_OF(d, ...) one_of(d, (const double[]){ __VA_ARGS__ }, sizeof(double[]){ __VA_ARGS__ } / sizeof(double))

static int64_t whole(double v, int64_t least) { return v < (double)least ? least : (int64_t)llround(v); }
static const char *place(struct draws *d) { return choose(d, 2) ? "band" : "random"; }

static void fem(struct draws *d, char *text, size_t bytes)
{
    const double unknowns = ONE_OF(d, 1, 1, 2, 2, 3, 3, 3, 4, 5, 6, 8, 12);
    snprintf(text, bytes, "fem:n=%" PRId64 ",d=%.0f,order=%s", whole(cbrt(d->nnz / (27 * unknowns * unknowns)), 2),
             unknowns, choose(d, 3) ? "natural" : "shuffled");
}

static void stencil(struct draws *d, char *text, size_t bytes)
{
    const double points = ONE_OF(d, 5, 7, 27);
    snprintf(text, bytes, "stencil:points=%.0f,n=%" PRId64, points,
             whole(points == 5 ? sqrt(d->nnz / points) : cbrt(d->nnz / points), 3));
}

static void lp(struct draws *d, char *text, size_t bytes)
{
    const double p = round(between(d, 2, 20)), share = between(d, 0.0005, 0.2), q = round(p * between(d, 8, 400)),
                 rows = fmax(30, d->nnz / (p + share * q));
    snprintf(text, bytes, "lp:rows=%.0f,cols=%.0f,p=%.0f,long=%" PRId64 ",q=%.0f,place=%s", rows,
             fmax(fmax(rows * between(d, 0.5, 40), 3 * q), 64), p, whole(rows * share, 1), q,
             choose(d, 4) ? "random" : "band");
}

/* An lp matrix of few rows, most of them short; a few rows have most of the entries. */
static void lp_few(struct draws *d, char *text, size_t bytes)
{
    const double p = round(between(d, 2, 40)), rows = round(between(d, 100, 5000)), beside = d->nnz - p * rows;
    const int64_t count = whole(rows * between(d, 0.002, 0.1), 1),
                  q = whole(beside > 0.3 * p * rows ? beside / (double)count : 20 * p, (int64_t)p + 1);
    snprintf(text, bytes, "lp:rows=%.0f,cols=%.0f,p=%.0f,long=%" PRId64 ",q=%" PRId64, rows,
             fmax(rows * between(d, 1, 100), 3 * (double)q), p, count, q);
}

static void rmat(struct draws *d, char *text, size_t bytes)
{
    static const int corner[][3] = { { 146, 49, 49 }, { 128, 64, 48 }, { 115, 50, 50 }, { 160, 40, 40 },
                                     { 100, 52, 52 }, { 146, 60, 30 }, { 180, 30, 30 } };
    const int *c = corner[choose(d, sizeof corner / sizeof corner[0])];
    const double p = between(d, 2, 48);
    const int64_t scale = whole(log2(d->nnz / p), 6);
    snprintf(text, bytes, "rmat:scale=%" PRId64 ",p=%" PRId64 ",a=%.8f,b=%.8f,c=%.8f", scale,
             whole(ldexp(d->nnz, -(int)scale), 1), c[0] / 256.0, c[1] / 256.0, c[2] / 256.0);
}

/* Rows with a given mean length, a deviation from nearly 0 to several means, and a longest row some deviations above
 * the mean. */
static void like_of(struct draws *d, double rows, double widest, char *text, size_t bytes)
{
    const double mean = fmax(d->nnz / rows, 1.5), sd = mean * between(d, 0.15, 6),
                 most = fmax(fmin(mean + sd * between(d, 2.5, 40), d->nnz / 3), ceil(mean) + 1),
                 entries = fmin(fmax(d->nnz, most + rows / 4), most + (rows - 1) * (most - 1));
    /* the mean and the longest row limit the deviation to about sqrt((most - mean) mean) */
    snprintf(text, bytes, "like:rows=%.0f,cols=%.0f,nnz=%.0f,sd=%.8f,max=%.0f,place=%s", rows,
             fmax(rows * between(d, 0.1, widest), 2 * most), entries,
             round(256 * fmin(sd, 0.7 * sqrt((most - mean) * mean))) / 256, most, place(d));
}
static void like(struct draws *d, char *text, size_t bytes)
{
    like_of(d, fmax(20, round(d->nnz / between(d, 1.5, 80))), 8, text, bytes);
}
static void like_few(struct draws *d, char *text, size_t bytes)
{
    like_of(d, round(between(d, 50, 4000)), 200, text, bytes);
}
/* Short rows and one row that covers many of the columns. */
static void like_one(struct draws *d, char *text, size_t bytes)
{
    const double mean = between(d, 2, 10), rows = fmax(100, round(d->nnz / mean)),
                 most = round(rows * between(d, 0.05, 0.9));
    snprintf(text, bytes, "like:rows=%.0f,cols=%.0f,nnz=%.0f,sd=%.8f,max=%.0f,place=random", rows, 2 * rows,
             round(rows * mean) + most, round(256 * 1.02 * most / sqrt(rows)) / 256, most);
}

static void kkt(struct draws *d, char *text, size_t bytes)
{
    static const int points[] = { 1, 7, 27 }, entries[] = { 56, 68, 108 };
    const int h = choose(d, 3);
    snprintf(text, bytes, "kkt:n=%" PRId64 ",h=%d", whole(cbrt(d->nnz / entries[h]), 2), points[h]);
}

static void markov(struct draws *d, char *text, size_t bytes)
{
    const double n = sqrt(d->nnz / 4), ratio = between(d, 0.5, 2);
    snprintf(text, bytes, "markov:n=%" PRId64 ",m=%" PRId64, whole(n / sqrt(ratio), 5), whole(n * sqrt(ratio), 5));
}

static void lattice(struct draws *d, char *text, size_t bytes)
{
    const int unknowns = choose(d, 2) ? 12 : 3;
    const double sites = d->nnz / (unknowns * (unknowns == 12 ? 39 : 24));
    const int64_t side = whole(sqrt(sqrt(sites)), 3);
    snprintf(text, bytes, "lattice:x=%" PRId64 ",y=%" PRId64 ",z=%" PRId64 ",t=%" PRId64 ",d=%d", side, side, side,
             whole(sites / (double)(side * side * side), 3), unknowns);
}

static void constant(struct draws *d, char *text, size_t bytes)
{
    const double p = round(between(d, 1, 100)), rows = fmax(8, round(d->nnz / p));
    snprintf(text, bytes, "constant:rows=%.0f,cols=%.0f,p=%.0f,place=%s", rows,
             fmax(2 * p, rows * ONE_OF(d, 0.05, 0.2, 1, 1, 6)), p, place(d));
}

static void uniform_rows(struct draws *d, double rows, double widest, char *text, size_t bytes)
{
    const double p = fmax(2, round(d->nnz / rows));
    snprintf(text, bytes, "uniform:rows=%.0f,cols=%.0f,p=%.0f,half=%.8f,place=%s", rows,
             fmax(2 * p, rows * between(d, 0.1, widest)), p, floor(256 * p * ONE_OF(d, 0.1, 0.25, 0.5, 1)) / 256,
             place(d));
}
static void uniform_kind(struct draws *d, char *text, size_t bytes)
{
    uniform_rows(d, fmax(10, round(d->nnz / between(d, 2, 60))), 5, text, bytes);
}
static void uniform_few(struct draws *d, char *text, size_t bytes)
{
    uniform_rows(d, round(between(d, 20, 3000)), 1000, text, bytes);
}

static void normal_rows(struct draws *d, double rows, double widest, char *text, size_t bytes)
{
    const double p = fmax(3, round(d->nnz / rows));
    snprintf(text, bytes, "normal:rows=%.0f,cols=%.0f,p=%.0f,sd=%.8f,place=%s", rows,
             fmax(4 * p, rows * between(d, 0.1, widest)), p, floor(256 * p * ONE_OF(d, 0.1, 0.25, 0.5)) / 256,
             place(d));
}
static void normal_kind(struct draws *d, char *text, size_t bytes)
{
    normal_rows(d, fmax(10, round(d->nnz / between(d, 3, 300))), 3, text, bytes);
}
static void normal_few(struct draws *d, char *text, size_t bytes)
{
    normal_rows(d, round(between(d, 20, 3000)), 1000, text, bytes);
}

static void halves(struct draws *d, char *text, size_t bytes)
{
    const double p = round(between(d, 1, 8)), q = round(between(d, 12, 200)),
                 rows = fmax(10, round(2 * d->nnz / (p + q)));
    snprintf(text, bytes, "halves:rows=%.0f,cols=%.0f,p=%.0f,q=%.0f,place=%s", rows, fmax(rows, 2 * q), p, q, place(d));
}

static void dense(struct draws *d, char *text, size_t bytes)
{
    const double ratio = between(d, 0.02, 30);
    snprintf(text, bytes, "dense:rows=%" PRId64 ",cols=%" PRId64, whole(sqrt(d->nnz * ratio), 8),
             whole(sqrt(d->nnz / ratio), 8));
}

static void banded(struct draws *d, char *text, size_t bytes)
{
    const double half = round(between(d, 1, 50));
    snprintf(text, bytes, "banded:rows=%" PRId64 ",bandwidth=%.0f", whole(d->nnz / (2 * half + 1), 2 * (int64_t)half),
             half);
}

/* Number of candidates of each kind per 100 candidates. */
static const struct {
    int share;
    void (*draw)(struct draws *, char *text, size_t bytes);
} shapes[] = {
    { 7, fem },        { 4, stencil },   { 8, lp },           { 6, lp_few },      { 7, rmat },
    { 14, like },      { 10, like_few }, { 4, like_one },     { 3, kkt },         { 2, markov },
    { 2, lattice },    { 8, constant },  { 4, uniform_kind }, { 5, uniform_few }, { 4, normal_kind },
    { 5, normal_few }, { 3, halves },    { 2, dense },        { 2, banded },
};

int candidate_shapes(void) { return (int)(sizeof shapes / sizeof shapes[0]); }

bool candidate_draw(int64_t number, int64_t nnz_max, struct recipe *r, int *shape)
{
    struct draws d = { .number = (uint32_t)number };
    char text[RECIPE_LEN], why[ERRLEN];
    int at = 0, total = 0;
    for (int i = 0; i < candidate_shapes(); i++)
        total += shapes[i].share;
    for (int left = choose(&d, total); left >= shapes[at].share; at++)
        left -= shapes[at].share;
    d.nnz = between(&d, CANDIDATE_NNZ_MIN, (double)nnz_max);
    shapes[at].draw(&d, text, sizeof text);
    *shape = at;
    if (recipe_parse(text, r, why) != 0 || r->cols > CANDIDATE_COLS)
        return false;
    const int64_t nnz = recipe_nnz(r);
    return nnz >= CANDIDATE_NNZ_MIN && nnz <= nnz_max;
}
