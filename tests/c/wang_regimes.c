/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares wang2017-regimes with times from a formula that it reproduces exactly. "wang_regimes PART" prints "ok PART, N
 * checks" or fails with the check. */
#include "models.h"
#include "parts.h"

static const char *const name = "wang2017-regimes";
static const double t0 = 1e-6; /* of add_row */
enum { NROWS = 5, NP = 5 };
static const int64_t rows_of[NROWS] = { 528, 4224, 33792, 270336, 2162688 }, p_of[NP] = { 4, 16, 64, 256, 1024 };

/* Times less the launch; all straight lines in logarithms. */
static double random_s(double p, double rows) { return 2e-9 * pow(p, 0.7) * pow(rows, 0.5); }
static double band_s(double p, double rows) { return random_s(p, rows) * 0.5 * pow(p / 4.0, 0.1); }
static double spread(double u) { return u < 0.5 ? exp(0.6 * u) : exp(0.3 + 0.2 * (u - 0.5)); }
static double slower(double bytes) { return bytes > 62914560 ? 3.0 : 1.0; } /* than in the L2 of an H200 */

/* Square features of mean p and relative deviation 0, 1/2 (lengths p/2, 3p/2) or 3/2 (0 and 13p/4). Each entry touches
 * a sector of its own, as at random columns; band: none. */
static struct features features_drawn(int64_t rows, int64_t p, double u, bool band)
{
    const int64_t half[] = { p / 2, 3 * p / 2 }, halves[] = { rows / 2, rows - rows / 2 };
    const int64_t wide[] = { 0, 13 * p / 4 }, shares[] = { rows - 4 * rows / 13, 4 * rows / 13 };
    struct features f = u == 0.0   ? features_constant(rows, p)
                        : u == 0.5 ? features_with(half, halves, 2)
                                   : features_with(wide, shares, 2);
    f.cols = rows;
    for (int k = 0; k < NPRECISIONS; k++)
        for (int s = 0; s < NSECTORS; s++)
            f.sectors[k][s] = band ? 0 : f.nnz;
    return f;
}

static void add_cell(struct runs *runs, const char *config, const struct target *t, int64_t rows, int64_t p, double u,
                     bool band, double work_s)
{
    struct features f = features_drawn(rows, p, u, band);
    char recipe[RECIPE_LEN];
    const char *place = band ? "band" : "random";
    if (u == 0.0)
        snprintf(recipe, sizeof recipe, "constant:rows=%" PRId64 ",cols=%" PRId64 ",p=%" PRId64 ",place=%s,seed=1",
                 rows, rows, p, place);
    else if (u == 0.5)
        snprintf(recipe, sizeof recipe,
                 "normal:rows=%" PRId64 ",cols=%" PRId64 ",p=%" PRId64 ",sd=%" PRId64 ",place=%s,seed=1", rows, rows, p,
                 p / 2, place);
    else
        snprintf(recipe, sizeof recipe,
                 "like:rows=%" PRId64 ",cols=%" PRId64 ",nnz=%" PRId64 ",sd=%g,max=%" PRId64 ",place=%s,seed=1", rows,
                 rows, rows * p, 1.5 * (double)p, 8 * p, place);
    add_row(runs, "benchmark", recipe, &f, config, t, t0 + work_s);
    TEXT_SET(runs->matrices[runs->nmatrices - 1].recipe, recipe);
    TEXT_SET(runs->matrices[runs->nmatrices - 1].place, place);
    features_free(&f);
}

/* The deviation of the drawn cell; rows that do not divide are a little off. */
static double deviation(int64_t rows, int64_t p, double u)
{
    struct features f = features_drawn(rows, p, u, false);
    const double v = f.row_sd / f.row_mean;
    features_free(&f);
    return v;
}

/* drawn: with rows of 13p/4; else only those up to a deviation of 1/2. */
static void add_grid_of(struct runs *runs, const char *config, const struct target *t, bool drawn)
{
    for (int i = 0; i < NROWS; i++)
        for (int k = 0; k < NP; k++) {
            const int64_t rows = rows_of[i], p = p_of[k];
            if (rows * p > 150000000 || 8 * p > rows)
                continue;
            const double factor =
                t->cache == COLD ? 1.0 : slower((double)footprint_bytes(rows, rows, rows * p, t->precision));
            add_cell(runs, config, t, rows, p, 0.0, false, factor * random_s((double)p, (double)rows));
            add_cell(runs, config, t, rows, p, 0.0, true, factor * band_s((double)p, (double)rows));
            add_cell(runs, config, t, rows, p, 0.5, false,
                     factor * random_s((double)p, (double)rows) * spread(deviation(rows, p, 0.5)));
            if (drawn && rows % 13 == 0)
                add_cell(runs, config, t, rows, p, 1.5, false,
                         factor * random_s((double)p, (double)rows) * spread(deviation(rows, p, 1.5)));
        }
}

static struct forecast ask(const struct profile *p, const struct features *f, const char *config,
                           const struct target *t)
{
    return forecast_of(p, name, f, config, t);
}

/* Any size between the cells: linear in the logarithms of P and R; less than the spread of constant rows; v. */
static void test_terms(void)
{
    struct target t = target_of("h200", F32);
    const char *config = "csr-vector:lanes=8,rows=1,block=128";
    struct runs runs = { 0 };
    struct profile p;
    add_grid_of(&runs, config, &t, false);
    fit_profile(&runs, name, &t, &p);
    check_given_back(&p, &runs, name, &t, 1e-9, 6); /* the times of 6 are between resident and streaming */
    CHECK(near(coefs_value(&p.coefs, name, config, &t, "t0", 0), t0));
    static const struct {
        int64_t rows, p;
        double factor;
    } at[] = { { 528, 4, 1.0 },    { 4224, 16, 1.0 },   { 1000, 10, 1.0 },   { 30000, 40, 1.0 },
               { 250000, 9, 1.0 }, { 300000, 64, 3.0 }, { 2162688, 60, 3.0 } };
    for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
        const double rows = (double)at[i].rows, mean = (double)at[i].p;
        struct features f = features_drawn(at[i].rows, at[i].p, 0.0, false);
        struct forecast h = ask(&p, &f, config, &t);
        CHECK(within(h.time_s, t0 + at[i].factor * random_s(mean, rows), 1e-9) && h.status == FORECAST_OK);
        CHECK(h.nterms == 3 && within(h.terms[0].time_s + h.terms[1].time_s + h.terms[2].time_s, h.time_s, 1e-12));
        features_free(&f);
        f = features_drawn(at[i].rows, at[i].p, 0.0, true);
        h = ask(&p, &f, config, &t);
        CHECK(within(h.time_s, t0 + at[i].factor * band_s(mean, rows), 1e-9));
        features_free(&f);
        if (at[i].p % 2)
            continue;
        f = features_drawn(at[i].rows, at[i].p, 0.5, false);
        h = ask(&p, &f, config, &t);
        CHECK(within(h.time_s, t0 + at[i].factor * random_s(mean, rows) * spread(0.5), 1e-9)
              && h.status == FORECAST_OK);
        CHECK(h.terms[2].time_s > 0.0);
        f.row_sd *= 0.3;
        h = ask(&p, &f, config, &t);
        CHECK(within(h.time_s, t0 + at[i].factor * random_s(mean, rows) * spread(0.15), 1e-9));
        features_free(&f);
    }
    /* Half of the sectors that lie between a band and random columns. */
    struct features f = features_drawn(4224, 16, 0.0, false);
    const double all = (double)f.cols / 8.0, low = (2.0 * 16.0 + 32.0) / 8.0 / 32.0,
                 high = all * (1.0 - pow(1.0 - 1.0 / all, 32.0 * 16.0)) / 32.0;
    f.sectors[F32][SECTORS_32] = llround(4224.0 * 0.5 * (low + high));
    struct forecast h = ask(&p, &f, config, &t);
    CHECK(within(h.time_s, t0 + 0.5 * (random_s(16, 4224) + band_s(16, 4224)), 1e-4));
    features_free(&f);
    profile_free(&p);
    runs_free(&runs);
}

/* Two deviations: between them and beyond the greater. */
static void test_levels(void)
{
    struct target t = target_of("h200", F64);
    const char *config = "csr-scalar:block=256";
    struct runs runs = { 0 };
    struct profile p;
    for (int64_t rows = 520; rows <= 33280; rows *= 8)
        for (int64_t length = 4; length <= 64; length *= 4)
            for (int u = 0; u <= 3; u += u ? 2 : 1)
                add_cell(&runs, config, &t, rows, length, 0.5 * u, false,
                         random_s((double)length, (double)rows) * spread(0.5 * u));
    /* The same deviation again, drawn from another distribution: averaged. */
    struct features f = features_drawn(520, 4, 0.5, false);
    add_row(&runs, "benchmark", "again", &f, config, &t, t0 + 4.0 * random_s(4, 520) * spread(0.5));
    TEXT_SET(runs.matrices[runs.nmatrices - 1].recipe, "uniform:rows=520,cols=520,p=4,half=3.5,place=random,seed=1");
    features_free(&f);
    fit_profile(&runs, name, &t, &p);
    f = features_drawn(520, 4, 0.5, false);
    CHECK(within(ask(&p, &f, config, &t).time_s, t0 + 2.0 * random_s(4, 520) * spread(0.5), 1e-9));
    features_free(&f);
    static const double u_of[] = { 0.2, 0.5, 0.9, 1.4, 1.5, 3.0 };
    for (size_t i = 0; i < sizeof u_of / sizeof u_of[0]; i++) {
        f = features_drawn(5000, 20, 0.0, false);
        f.row_sd = u_of[i] * 20.0;
        struct forecast h = ask(&p, &f, config, &t);
        CHECK(within(h.time_s, t0 + random_s(20, 5000) * spread(fmin(u_of[i], 1.5)), 1e-9));
        CHECK(h.status == (u_of[i] > 1.6 ? FORECAST_EXTRAPOLATED : FORECAST_OK) || u_of[i] == 1.5);
        if (u_of[i] > 1.6)
            CHECK(strstr(h.why, "deviation / mean of the row lengths") && within(h.distance, log(2.0), 1e-9));
        features_free(&f);
    }
    profile_free(&p);
    runs_free(&runs);
}

/* Padded rows: P is the longest row, of cells and matrices, so constant rows forecast any rows of the same maximum. */
static void test_padded(void)
{
    struct target t = target_of("h200", F32);
    const char *config = "ell:lanes=1,block=256";
    struct runs runs = { 0 };
    struct profile p;
    for (int64_t rows = 528; rows <= 33792; rows *= 8)
        for (int64_t length = 4; length <= 256; length *= 4) {
            add_cell(&runs, config, &t, rows, length, 0.0, false, random_s((double)length, (double)rows));
            add_cell(&runs, config, &t, rows, length, 0.5, false, random_s(1.5 * (double)length, (double)rows));
        }
    fit_profile(&runs, name, &t, &p);
    const int64_t length[] = { 6, 50 }, count[] = { 999, 1 };
    struct features f = features_with(length, count, 2);
    CHECK(within(ask(&p, &f, config, &t).time_s, t0 + random_s(50, 1000), 1e-9));
    features_free(&f);
    f = features_constant(1000, 1024);
    struct forecast h = ask(&p, &f, config, &t);
    CHECK(h.status == FORECAST_EXTRAPOLATED && strstr(h.why, "longest row") && near(h.distance, log(4.0)));
    CHECK(within(h.time_s, t0 + 4.0 * random_s(256, 1000), 1e-9)); /* proportional beyond the cells */
    features_free(&f);
    profile_free(&p);
    runs_free(&runs);
}

/* Between the regimes: interpolated in log bytes. Cold: one set. */
static void test_regimes(void)
{
    struct target t = target_of("h200", F32), cold = t;
    const char *config = "csr-vector:lanes=8,rows=1,block=128";
    struct runs runs = { 0 };
    struct profile p;
    cold.cache = COLD;
    add_grid_of(&runs, config, &t, false);
    fit_profile(&runs, name, &t, &p);
    /* 62914560 bytes of L2: 2/3 and 2 of it are the ends. */
    struct features f = features_drawn(500000, 16, 0.0, false);
    const double bytes = (double)footprint_bytes(500000, 500000, 8000000, F32),
                 w = log(bytes / (62914560.0 * 2.0 / 3.0)) / log(3.0),
                 expected = exp((1.0 - w) * log(t0 + random_s(16, 270336) * 500000.0 / 270336.0)
                                + w * log(t0 + 3.0 * random_s(16, 2162688) * 500000.0 / 2162688.0));
    CHECK(w > 0.3 && w < 0.7);
    CHECK(within(ask(&p, &f, config, &t).time_s, expected, 1e-9));
    profile_free(&p);
    runs_free(&runs);
    add_grid_of(&runs, config, &cold, false);
    fit_profile(&runs, name, &cold, &p);
    CHECK(within(ask(&p, &f, config, &cold).time_s, t0 + random_s(16, 500000), 1e-9));
    features_free(&f);
    profile_free(&p);
    runs_free(&runs);
}

static void test_status(void)
{
    struct target t = target_of("h200", F32);
    const char *config = "csr-merge:items=7,search=stored,block=128";
    struct runs runs = { 0 }, few = { 0 };
    struct profile p;
    char why[ERRLEN];
    add_grid_of(&runs, config, &t, false);
    fit_profile(&runs, name, &t, &p);
    static const struct {
        int64_t rows, p;
        double distance, time_s;
        const char *why;
    } at[] = { { 264, 16, 0.6931471805599453, 528, "rows" }, /* as long as the fewest: one wave */
               { 4325376, 2, 0.6931471805599453, 4325376, "mean row length" },
               { 4224, 2, 0.6931471805599453, 4224, "mean row length" } };
    for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
        struct features f = features_drawn(at[i].rows, at[i].p, 0.0, false);
        struct forecast h = ask(&p, &f, config, &t);
        CHECK(h.status == FORECAST_EXTRAPOLATED && fabs(h.distance - at[i].distance) < 1e-9
              && strstr(h.why, at[i].why));
        if (i == 0)
            CHECK(within(h.time_s, t0 + random_s(16, 528), 1e-9));
        features_free(&f);
    }
    struct features f = features_drawn(4224, 16, 0.0, false), empty = features_constant(4224, 0);
    struct forecast h = ask(&p, &f, "hyb", &t);
    CHECK(h.status == FORECAST_REFUSED && strstr(h.why, "hyb is not supported by model wang2017-regimes"));
    h = ask(&p, &f, "ell", &t);
    CHECK(h.status == FORECAST_REFUSED
          && strstr(h.why,
                    "measure them: spmv-gen wang2017-regimes -o cells.h5, then spmv-run -c ell:lanes=1,block=256 "
                    "-o runs.h5 cells.h5, then spmv-fit -m wang2017-regimes runs.h5 -o profile.h5"));
    static const char *const formless[] = { "dia", "bellpack", "bcsr", "brc", "brc:b2=8" };
    for (size_t i = 0; i < sizeof formless / sizeof formless[0]; i++) {
        h = ask(&p, &f, formless[i], &t);
        CHECK(h.status == FORECAST_REFUSED && strstr(h.why, "has no form for") && !strstr(h.why, "measure"));
    }
    h = ask(&p, &empty, config, &t);
    CHECK(h.status == FORECAST_REFUSED && strstr(h.why, "no entries"));
    /* Constant rows alone, or a single P, do not suffice. */
    struct coefs none = { 0 };
    for (int i = 0; i < NROWS - 1; i++)
        for (int k = 0; k < 2; k++)
            add_cell(&few, config, &t, rows_of[i], p_of[k], 0.0, false, 1e-5);
    runs_index(&few);
    CHECK(model_find(name)->fit(&few, &t, &none, why) == FAIL && none.n == 0);
    CHECK(strstr(why, "8 sizes of constant rows, 0 of drawn rows") && strstr(why, "spmv-profile -m all"));
    runs_free(&few);
    for (int i = 0; i < NROWS - 1; i++)
        for (int k = 0; k < 2; k++)
            add_cell(&few, config, &t, rows_of[i], p_of[0], 0.5 * k, false, 1e-5);
    runs_index(&few);
    CHECK(model_find(name)->fit(&few, &t, &none, why) == FAIL && none.n == 0);
    features_free(&f);
    features_free(&empty);
    profile_free(&p);
    runs_free(&runs);
    runs_free(&few);
}

int main(int argc, char **argv)
{
    static const struct part parts[] = { { "terms", test_terms },
                                         { "levels", test_levels },
                                         { "padded", test_padded },
                                         { "regimes", test_regimes },
                                         { "status", test_status } };
    return parts_main("wang_regimes", parts, sizeof parts / sizeof *parts, argc, argv, &checks);
}
