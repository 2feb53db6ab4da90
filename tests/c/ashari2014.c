/* SPDX-License-Identifier: BSD-3-Clause */
/* ashari2014: the rule of the paper. "ashari2014 PART" prints "ok PART, N checks". */
#include "models.h"
#include "parts.h"

static const char literal[] = "ashari2014", slots[] = "ashari2014-slots";

/* ---- the literal rule */
static void expect(const struct profile *p, const struct features *f, const struct target *t, const char *config,
                   const char *refused)
{
    const struct forecast got = forecast_of(p, literal, f, config, t), time = forecast_of(p, "bandwidth", f, config, t);
    checks++;
    if (refused ? got.status != FORECAST_REFUSED || !strstr(got.why, refused)
                : got.status != time.status || got.time_s != time.time_s || !(got.time_s > 0))
        die("%s: status %d, %g s, '%s'", config, (int)got.status, got.time_s, got.why);
}

static void add_streams(struct runs *runs, const struct target *t)
{
    for (int64_t rows = 1000; rows <= 10000000; rows *= 10) {
        struct features f = features_constant(rows, 16);
        add_row(runs, "benchmark", "", &f, "csr-scalar", t, 1e-6 + (double)(rows * 16 * 12) / 4e12);
        features_free(&f);
    }
}

static void test_literal(void)
{
    static const int64_t even[] = { 0, 2, 4 }, count[] = { 1000, 6000, 6000 }, skew[] = { 1, 1000 },
                         many[] = { 50000000, 100000 };
    struct target t = target_of("h200", F64);
    struct runs runs = { 0 };
    struct profile p;
    add_streams(&runs, &t);
    fit_profile(&runs, "bandwidth", &t, &p);
    struct features f = features_with(even, count, 3), s = features_with(skew, many, 2);
    /* mean 3 and sd 1 of the nonempty rows; K = 4 */
    CHECK(f.hyb_k == 4);
    expect(&p, &f, &t, "brc", NULL);
    expect(&p, &f, &t, "brc:b2=4", NULL);
    expect(&p, &f, &t, "brc:b2=4,rep=1,sum=atomic", NULL);
    expect(&p, &f, &t, "brc:b2=3", "the rule chooses brc:b2=4,rep=1");
    expect(&p, &f, &t, "brc:b2=auto/2", "the rule chooses brc:b2=4,rep=1");
    expect(&p, &f, &t, "brc:b2=none", "the rule chooses brc:b2=4,rep=1");
    expect(&p, &f, &t, "brc:b1=64", "the rule chooses brc:b2=4,rep=1");
    expect(&p, &f, &t, "brc:sigma=64", "the rule chooses brc:b2=4,rep=1");
    expect(&p, &f, &t, "brc:rep=2", "the rule chooses brc:b2=4,rep=1");
    expect(&p, &f, &t, "brc:block=256", "the rule chooses brc:b2=4,rep=1");
    expect(&p, &f, &t, "csr-scalar", "of brc, alone or as a part of hyb, not of csr-scalar");
    expect(&p, &f, &t, "hyb:head=ell,tail=coo", "not of hyb without a part in brc");
    expect(&p, &f, &t, "hyb:tail=coo", "not of hyb");
    /* sd 44.6 > mean 2.99: 52100000 pieces in blocks of 32, 132 x 64 warps */
    expect(&p, &s, &t, "brc", NULL);
    expect(&p, &s, &t, "brc:b2=48,rep=193", NULL);
    expect(&p, &s, &t, "brc:rep=1", "the rule chooses brc:b2=48,rep=193");
    /* parts: the head has rows of 1 (K = 1: 12000 of 13000 rows have an entry), the rest follows from the lengths */
    expect(&p, &f, &t, "hyb:head=brc", NULL);
    expect(&p, &f, &t, "hyb:head=brc,head.b2=2", "the rule chooses hyb:k=4,head=brc,head.b2=4");
    expect(&p, &f, &t, "hyb:k=1,head=brc", "the rule chooses hyb:k=4,head=brc,head.b2=4");
    expect(&p, &s, &t, "hyb:tail=brc", NULL);
    expect(&p, &s, &t, "hyb:tail=brc,tail.b2=7", "the rule chooses hyb:k=1,tail=brc,tail.b2=200");
    const struct forecast explained = forecast_of(&p, literal, &f, "brc", &t);
    CHECK(strcmp(explained.note, "b2 = min(round(mean 3 + sd 1), longest row 4, 200) = 4; sd <= mean: rep = 1") == 0);
    CHECK(explained.nterms == 2);
    profile_free(&p);
    /* without a bandwidth; without entries */
    struct profile empty = { .name = "none", .device = t.device };
    expect(&empty, &f, &t, "brc", "fit it with this one: spmv-fit -m ashari2014 RUN.h5... -o PROFILE.h5");
    f.nnz = 0;
    expect(&empty, &f, &t, "brc", "no entries");
    features_free(&f);
    features_free(&s);
    runs_free(&runs);
}

/* On the CPU device rep and block do not exist. */
static void test_cpu(void)
{
    static const int64_t length[] = { 2, 4 }, count[] = { 6000, 6000 };
    struct target t = { .device = { .kind = DEVICE_CPU, .sms = 4, .threads_sm = 1024, .l2_bytes = 1 << 25 } };
    struct runs runs = { 0 };
    struct profile p;
    char why[ERRLEN];
    snprintf(t.device.name, sizeof t.device.name, "a processor");
    add_streams(&runs, &t);
    fit_profile(&runs, "bandwidth", &t, &p);
    struct features f = features_with(length, count, 2);
    expect(&p, &f, &t, "brc", NULL);
    expect(&p, &f, &t, "brc:b2=3", "the rule chooses brc:b1=32,b2=4,sigma=all,value=full,sum=partials");
    const struct forecast h = forecast_of(&p, slots, &f, "brc", &t);
    CHECK(h.status == FORECAST_REFUSED && strstr(h.why, "is for GPUs"));
    CHECK(model_find(slots)->fit(&runs, &t, &p.coefs, why) == FAIL && strstr(why, "is for GPUs"));
    features_free(&f);
    profile_free(&p);
    runs_free(&runs);
}

int main(int argc, char **argv)
{
    static const struct part parts[] = { { "literal", test_literal }, { "cpu", test_cpu } };
    return parts_main("ashari2014", parts, sizeof parts / sizeof *parts, argc, argv, &checks);
}
