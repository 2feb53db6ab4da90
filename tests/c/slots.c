/* SPDX-License-Identifier: BSD-3-Clause */
/* ashari2014-slots: times follow T = o + max(lambda steps + cut + round rounds, bytes / B + sectors / G) with known
 * coefficients; what the formula needs is computed here from row lengths, piece by piece. "slots PART" prints "ok PART, N
 * checks"; "slots profile FILE DEVICE" writes a profile with the coefficients. */
#include "models.h"
#include "parts.h"

static const char slots[] = "ashari2014-slots";

/* ---- the formula, from row lengths */
static const double o_s = 1.25e-6, lambda_s = 80e-9, cut_s = 1.5e-6, round_s = 0.25e-6;
static const double byte_s[2] = { 1 / 8e12, 1 / 4e12 }, sector_s[2] = { 1 / 150e9, 1 / 40e9 };

struct duty {
    double steps, rounds, bytes, sectors;
};

static int compare_down(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x < y) - (x > y);
}

/* Widest of the pieces from `first` of the queue of rows of one length, which never widen. */
static double width_at(int64_t rows, int64_t length, int64_t b2, int64_t first)
{
    const int64_t rest = length - first / rows * b2;
    return (double)(rest < b2 ? rest : b2);
}

/* Makes the queue of pieces of sorted rows and lets each turn of the grid wait for its widest block. */
static double steps_of(const struct features *f, int64_t b2, int64_t b1, int64_t warps, enum precision precision)
{
    const struct histogram *h = &f->lengths[0];
    const double batch = precision == F32 ? 8 : 6;
    const bool constant = h->n == 1;
    const int64_t levels = (f->row_max + b2 - 1) / b2;
    int64_t *length = xmalloc((unsigned long)(f->rows + 1) * sizeof *length), n = 0, pieces = 0;
    double *width = xmalloc((unsigned long)(constant ? 1 : f->rows * levels + 1) * sizeof *width), steps = 0;
    for (int i = 0; i < h->n && !constant; i++)
        for (int64_t k = 0; k < h->count[i]; k++)
            length[n++] = h->value[i];
    qsort(length, (size_t)n, sizeof *length, compare_down);
    for (int64_t start = 0; start < f->row_max && !constant; start += b2)
        for (int64_t k = 0; k < n && length[k] > start; k++)
            width[pieces++] = (double)(length[k] - start < b2 ? length[k] - start : b2);
    if (constant)
        pieces = f->rows * levels;
    for (int64_t first = 0; first < pieces; first += 32 * warps) {
        double most = constant ? width_at(f->rows, f->row_max, b2, first - first % b1) : 0;
        for (int64_t k = first - first % b1; k < first + 32 * warps && k < pieces && !constant; k++)
            most = fmax(most, width[k]);
        steps += batch * ceil(most / batch);
    }
    free(length);
    free(width);
    return steps;
}

/* A thread adds up to 16 pieces, 4 at a time; a warp adds more, 128 at a time, of up to 32 rows one after another. The
 * lengths here have different numbers of pieces. */
static double rounds_of(const struct features *f, int64_t b2)
{
    double most = 0;
    for (int i = 0; i < f->lengths[0].n; i++) {
        const double pieces = ceil((double)f->lengths[0].value[i] / (double)b2), rows = (double)f->lengths[0].count[i];
        if (pieces > 1)
            most = fmax(most, pieces <= 16 ? ceil(pieces / 4) : fmin(rows, 32) * ceil(pieces / 128));
    }
    return most;
}

static struct duty duty_of(const struct features *f, const char *text, const struct target *t)
{
    const struct config c = config_for(text, f, t);
    const bool whole = strcmp(config_word(&c, "b2"), "none") == 0,
               atomic = strcmp(config_word(&c, "sum"), "atomic") == 0;
    const int64_t b2 = whole ? f->row_max : config_int(&c, "b2"), b1 = config_int(&c, "b1"),
                  pieces = (f->row_max + b2 - 1) / b2;
    struct traffic traffic = { 0 };
    struct grid grid;
    c.kernel->layout->traffic(f, &c, t, &traffic);
    if (kernel_grid(f, &c, t, &grid) != 0)
        die("no grid");
    return (struct duty){ .steps = steps_of(f, b2, b1, grid.blocks * grid.threads / 32, t->precision),
                          .rounds = pieces == 1 ? 0
                                    : atomic    ? (double)pieces - 1
                                                : rounds_of(f, b2),
                          .bytes = (double)traffic_stored(&traffic),
                          .sectors =
                              (double)(f->sectors[t->precision][SECTORS_32] - f->sectors[t->precision][SECTORS_ALL]) };
}

static double time_of(const struct features *f, const char *text, const struct target *t)
{
    const struct duty w = duty_of(f, text, t);
    const bool cold = t->cache == COLD;
    const int64_t bytes = footprint_bytes(f->rows, f->cols, f->nnz, t->precision);
    const double l2 = (double)t->device.l2_bytes, resident = byte_s[0] * w.bytes + sector_s[0] * w.sectors,
                 streaming = byte_s[1] * w.bytes + sector_s[1] * w.sectors;
    double share = log((double)bytes / (l2 * 2 / 3)) / log(3);
    share = cold || share > 1 ? 1 : share < 0 ? 0 : share;
    const double traffic = exp((1 - share) * log(resident) + share * log(streaming)),
                 path = lambda_s * w.steps + (w.rounds > 0 ? cut_s + round_s * w.rounds : 0);
    return o_s + fmax(path, traffic);
}

/* Every fourth entry of x is the first touch of its sector. */
static struct features scattered(int64_t rows, int64_t p)
{
    struct features f = features_constant(rows, p);
    for (int q = 0; q < NPRECISIONS; q++)
        f.sectors[q][SECTORS_ALL] = f.nnz / 4;
    return f;
}

static const char *const configs[] = { "brc", "brc:b2=none", "brc:b2=16", "brc:b2=32" };
enum { NCONFIGS = 4 };

static void add_cell(struct runs *runs, const struct target *t, struct features f, const char *keys)
{
    char text[64];
    for (int k = 0; k < NCONFIGS; k++) {
        snprintf(text, sizeof text, "%s%s%s", configs[k], strchr(configs[k], ':') ? "," : ":", keys);
        add_row(runs, "benchmark", "", &f, text, t, time_of(&f, text, t));
    }
    features_free(&f);
}

/* The cells of spmv-gen ashari2014, fewer of them. */
static void add_slots_grid(struct runs *runs, const struct target *t, const char *keys)
{
    static const int64_t widths[] = { 4, 24, 48, 96, 192, 512 }, sizes[] = { 1500000, 3000000, 60000000, 90000000 };
    for (int i = 0; i < 6; i++) {
        add_cell(runs, t, features_constant(32, widths[i]), keys);
        add_cell(runs, t, features_constant(4224, widths[i]), keys);
    }
    for (int64_t p = 1024; p <= 65536; p *= 4)
        add_cell(runs, t, features_constant(4, p), keys);
    for (int i = 0; i < 4; i++)
        for (int64_t p = 4; p <= 16; p *= 4) {
            add_cell(runs, t, features_constant(sizes[i] / p, p), keys);
            add_cell(runs, t, scattered(sizes[i] / p, p), keys);
        }
}

static void close_to(const struct profile *p, const struct target *t, struct features f, const char *text)
{
    const struct forecast h = forecast_of(p, slots, &f, text, t);
    const double expected = time_of(&f, text, t);
    checks++;
    if (h.status == FORECAST_REFUSED || !within(h.time_s, expected, 1e-9))
        die("%s, %" PRId64 " rows of at most %" PRId64 ": %.12g s, not %.12g (%s)", text, f.rows, f.row_max, h.time_s,
            expected, h.why);
    features_free(&f);
}

static void coefficient(const struct profile *p, const struct target *t, const char *family, const char *key,
                        int64_t index, double expected)
{
    const double value = coefs_value(&p->coefs, slots, family, t, key, index);
    checks++;
    if (!within(value, expected, 1e-9))
        die("%s, %s %" PRId64 ": %.12g, not %.12g", family, key, index, value, expected);
}

/* Known coefficients are recovered, and the forecasts of other matrices are exact. */
static void test_fit(void)
{
    static const int64_t mixed[] = { 1, 5, 40, 900 }, counts[] = { 7000, 3000, 400, 3 };
    static const struct {
        const char *keys, *family;
    } fits[] = { { "sum=partials", "brc:b1=32,b2=auto,sigma=all,value=full,sum=partials,rep=auto,block=128" },
                 { "sum=partials", "brc:b1=32,b2=auto,sigma=all,value=full,sum=partials,rep=auto,block=128" },
                 { "sum=atomic", "brc:b1=32,b2=auto,sigma=all,value=full,sum=atomic,rep=auto,block=128" },
                 { "sum=atomic", "brc:b1=32,b2=auto,sigma=all,value=full,sum=atomic,rep=auto,block=128" },
                 { "b1=128,block=64", "brc:b1=128,b2=auto,sigma=all,value=full,sum=partials,rep=auto,block=64" } };
    for (int k = 0; k < 5; k++) {
        struct target t = target_of("h200", k % 2 ? F64 : F32);
        const char *keys = fits[k].keys, *family = fits[k].family;
        char text[96];
        struct runs runs = { 0 };
        struct profile p;
        t.cache = k == 3 ? COLD : WARM;
        add_slots_grid(&runs, &t, keys);
        fit_profile(&runs, slots, &t, &p);
        coefficient(&p, &t, family, "o", 0, o_s);
        coefficient(&p, &t, family, "lambda", 0, lambda_s);
        coefficient(&p, &t, family, "cut", 0, cut_s);
        coefficient(&p, &t, family, "round", 0, round_s);
        for (int r = t.cache == COLD; r < 2; r++) {
            coefficient(&p, &t, family, "byte", r, byte_s[r]);
            coefficient(&p, &t, family, "sector", r, sector_s[r]);
        }
        check_given_back(&p, &runs, slots, &t, 1e-9, 0);
        static const char *const others[] = { "b2=7",        "b2=none",     "b2=auto",
                                              "b2=16,rep=3", "b2=8,rep=40", "b2=none,rep=164" };
        for (int i = 0; i < 6; i++) {
            snprintf(text, sizeof text, "brc:%s,%s", others[i], keys);
            close_to(&p, &t, features_constant(3000, 45), text);
            close_to(&p, &t, features_constant(2500000, 5), text);
            close_to(&p, &t, scattered(420000, 11), text);
            close_to(&p, &t, features_with(mixed, counts, 4), text);
        }
        struct features f = features_constant(3000, 45);
        const struct forecast h = forecast_of(&p, slots, &f, "brc:b2=7,block=256", &t); /* another family */
        CHECK(h.status == FORECAST_REFUSED && strstr(h.why, "spmv-gen ashari2014") && strstr(h.why, "block=256"));
        features_free(&f);
        profile_free(&p);
        runs_free(&runs);
    }
}

/* Two lengths: sectors are those of 32 rows, weighted by the squares of the shares, and those of single rows. */
static void test_sectors(void)
{
    static const int64_t length[] = { 10, 20 }, count[] = { 300000, 100000 };
    struct target t = target_of("h200", F64);
    struct runs runs = { 0 };
    struct profile p;
    add_slots_grid(&runs, &t, "sum=partials");
    fit_profile(&runs, slots, &t, &p);
    struct features f = features_with(length, count, 2);
    f.sectors[F64][SECTORS_ROW] = 4000000;
    f.sectors[F64][SECTORS_32] = 1600000;
    f.sectors[F64][SECTORS_ALL] = 100000;
    CHECK(footprint_class(&t.device, footprint_bytes(f.rows, f.cols, f.nnz, F64)) == MIXED);
    t.cache = WARM;
    const struct config c = config_for("brc:b2=none", &f, &t);
    struct traffic traffic = { 0 };
    c.kernel->layout->traffic(&f, &c, &t, &traffic);
    /* shares 3/4 and 1/4: together 10/16 */
    const double extra = 4e6 * 6 / 16 + 1.6e6 * 10 / 16 - 1e5, bytes = (double)traffic_stored(&traffic),
                 share = log((double)footprint_bytes(f.rows, f.cols, f.nnz, F64) / (62914560 * 2.0 / 3)) / log(3),
                 expected = o_s
                            + pow(byte_s[0] * bytes + sector_s[0] * extra, 1 - share)
                                  * pow(byte_s[1] * bytes + sector_s[1] * extra, share);
    CHECK(within(forecast_of(&p, slots, &f, "brc:b2=none", &t).time_s, expected, 1e-9));
    features_free(&f);
    profile_free(&p);
    runs_free(&runs);
}

/* Times that no coefficients fit: the squares of the relative errors are least. */
static void test_relative(void)
{
    static const int64_t steps[] = { 12, 48, 510 };
    static const double times_s[] = { 2e-6, 7e-6, 40e-6 };
    const char family[] = "brc:b1=32,b2=auto,sigma=all,value=full,sum=partials,rep=auto,block=128";
    struct target t = target_of("h200", F64);
    struct runs runs = { 0 };
    struct profile p;
    double uu = 0, uv = 0, vv = 0, u = 0, v = 0;
    for (int i = 0; i < 3; i++) {
        struct features f = features_constant(32, steps[i]);
        const double x = 1 / times_s[i], y = (double)steps[i] / times_s[i];
        add_row(&runs, "benchmark", "", &f, "brc:b2=none", &t, times_s[i]);
        uu += x * x;
        uv += x * y;
        vv += y * y;
        u += x;
        v += y;
        features_free(&f);
    }
    for (int64_t p4 = 1024; p4 <= 16384; p4 *= 4) {
        struct features f = features_constant(4, p4), large = features_constant(100000 * p4, 8);
        add_row(&runs, "benchmark", "", &f, "brc:b2=16", &t, 1e-6 * (double)p4);
        add_row(&runs, "benchmark", "", &large, "brc:b2=none", &t, 1e-6 * (double)p4);
        features_free(&f);
        features_free(&large);
    }
    fit_profile(&runs, slots, &t, &p);
    coefficient(&p, &t, family, "o", 0, (u * vv - v * uv) / (uu * vv - uv * uv));
    coefficient(&p, &t, family, "lambda", 0, (v * uu - u * uv) / (uu * vv - uv * uv));
    profile_free(&p);
    runs_free(&runs);
}

/* ---- the rule of the slots */
static void chooses(const struct profile *p, const struct target *t, struct features f, const char *choice)
{
    const struct forecast h = forecast_of(p, slots, &f, "brc", t);
    char expected[96];
    snprintf(expected, sizeof expected, "the rule of the slots chooses %s", choice);
    checks++;
    if (strcmp(h.note, expected) != 0)
        die("'%s', not '%s' (%s)", h.note, expected, h.why);
    features_free(&f);
}

static void test_choice(void)
{
    static const int64_t three[] = { 3, 5 }, half[] = { 600000, 600000 }, longs[] = { 4, 4000 },
                         few[] = { 2000000, 5000 }, fewer[] = { 600000, 1500 }, one[] = { 100000, 250 },
                         most[] = { 12000000, 60000 };
    struct target t = target_of("h200", F64);
    struct runs runs = { 0 };
    struct profile p;
    add_slots_grid(&runs, &t, "sum=partials");
    fit_profile(&runs, slots, &t, &p);
    /* round(mean + sd) = 5 is below 8 and stays */
    chooses(&p, &t, features_with(three, half, 2), "brc:b2=5,rep=1");
    /* few rows of 100: o / (2 lambda) = 7.8, so 8 */
    chooses(&p, &t, features_constant(1000, 100), "brc:b2=8,rep=1");
    /* 0.35 x 132 x 2048 = 94618 pieces: 12000 rows of 70 need 8 levels, b2 = 9; 11000 have too few with 8 */
    chooses(&p, &t, features_constant(12000, 70), "brc:b2=9,rep=1");
    chooses(&p, &t, features_constant(10500, 70), "brc:b2=8,rep=1");
    /* 30000 rows of 70: most 31; b2 = 23 makes 4 levels, 120000 pieces, and 24 makes 3 */
    chooses(&p, &t, features_constant(30000, 70), "brc:b2=23,rep=1");
    /* 10^6 rows of 20: enough pieces; traffic of 60 us, so mean + sd decides */
    chooses(&p, &t, features_constant(1000000, 20), "brc:b2=20,rep=1");
    /* sd > mean: 13.99 + 199.4 -> 213; 2020000 + 18 x 5000 pieces fill 7.8 turns: at most 4 */
    chooses(&p, &t, features_with(longs, few, 2), "brc:b2=213,rep=4");
    chooses(&p, &t, features_with(longs, fewer, 2), "brc:b2=213,rep=2"); /* 19641 blocks: 2.3 turns */
    chooses(&p, &t, features_with(longs, one, 2), "brc:b2=57,rep=1");    /* 0.4; 9.15 us / (2 lambda) */
    chooses(&p, &t, features_with(longs, most, 2), "brc:b2=305,rep=4");
    profile_free(&p);
    runs_free(&runs);
}

/* ---- refusals and ranges */
static void test_status(void)
{
    struct target t = target_of("h200", F64);
    struct runs runs = { 0 }, bad = { 0 };
    struct profile p;
    char why[ERRLEN];
    struct coefs none = { 0 };
    add_slots_grid(&runs, &t, "sum=partials");
    fit_profile(&runs, slots, &t, &p);
    struct features f = features_constant(5, 100000), g = features_constant(300000, 8);
    struct forecast h = forecast_of(&p, slots, &f, "brc:b2=none", &t);
    CHECK(h.status == FORECAST_EXTRAPOLATED && strstr(h.why, "steps of the slowest warp 100002 is outside"));
    h = forecast_of(&p, slots, &f, "brc:b2=4", &t);
    CHECK(h.status == FORECAST_EXTRAPOLATED && strstr(h.why, "pieces of the longest row 25000 is outside"));
    CHECK(forecast_of(&p, slots, &g, "brc", &t).status == FORECAST_OK);
    CHECK(forecast_of(&p, slots, &g, "brc", &t).nterms == 3);
    h = forecast_of(&p, slots, &g, "csr-scalar", &t);
    CHECK(h.status == FORECAST_REFUSED && strstr(h.why, "not csr-scalar"));
    h = forecast_of(&p, slots, &g, "hyb:tail=coo", &t);
    CHECK(h.status == FORECAST_REFUSED && strstr(h.why, "not hyb"));
    h = forecast_of(&p, slots, &g, "hyb:k=3,head=ell,tail=brc", &t); /* guo2014-regimes is not in this profile */
    CHECK(h.status == FORECAST_REFUSED && strstr(h.why, "head: profile synthetic has no guo2014-regimes"));
    t.cache = COLD;
    h = forecast_of(&p, slots, &g, "brc", &t);
    CHECK(h.status == FORECAST_REFUSED && strstr(h.why, "f64, cold; measure them: spmv-gen ashari2014"));
    t.cache = WARM;
    /* both parts in BRC: the sum */
    const struct forecast both = forecast_of(&p, slots, &g, "hyb:k=3,head=brc,tail=brc", &t);
    /* of two parts outside the range, the farther one is named */
    struct features l = features_constant(5, 300000);
    h = forecast_of(&p, slots, &l, "hyb:k=100000,head=brc,head.b2=none,tail=brc,tail.b2=none", &t);
    CHECK(h.status == FORECAST_EXTRAPOLATED && strstr(h.why, "tail: steps of the slowest warp 200004"));
    h = forecast_of(&p, slots, &l, "hyb:k=200000,head=brc,head.b2=none,tail=brc,tail.b2=none", &t);
    CHECK(h.status == FORECAST_EXTRAPOLATED && strstr(h.why, "head: steps of the slowest warp 200004"));
    features_free(&l);
    struct features three = features_constant(300000, 3), five = features_constant(300000, 5);
    for (int s = 0; s < NSECTORS; s++) {
        three.sectors[F64][s] = 3 * 300000;
        five.sectors[F64][s] = 5 * 300000;
    }
    three.cols = five.cols = g.cols;
    if (both.status != FORECAST_OK || both.nterms != 2)
        die("both parts: %s", both.why);
    CHECK(within(both.time_s,
                 forecast_of(&p, slots, &three, "brc", &t).time_s + forecast_of(&p, slots, &five, "brc", &t).time_s,
                 1e-9));
    /* too few cells: none at all, no few warps, no large cell, no cut row */
    CHECK(model_find(slots)->fit(&bad, &t, &none, why) == FAIL && strstr(why, "no benchmark rows of kernel brc"));
    add_row(&bad, "benchmark", "", &g, "brc", &t, 1e-5);
    runs_index(&bad);
    CHECK(model_find(slots)->fit(&bad, &t, &none, why) == FAIL && strstr(why, "at most one warp per SM"));
    for (int64_t p8 = 8; p8 <= 512; p8 *= 4) {
        struct features one = features_constant(32, p8);
        add_row(&bad, "benchmark", "", &one, "brc:b2=none", &t, time_of(&one, "brc:b2=none", &t));
        features_free(&one);
    }
    runs_index(&bad);
    CHECK(model_find(slots)->fit(&bad, &t, &none, why) == FAIL && strstr(why, "decided by the traffic"));
    for (int64_t rows = 2000000; rows <= 4000000; rows += 1000000) {
        struct features one = features_constant(rows, 8);
        add_row(&bad, "benchmark", "", &one, "brc:b2=none", &t, time_of(&one, "brc:b2=none", &t));
        features_free(&one);
    }
    runs_index(&bad);
    CHECK(model_find(slots)->fit(&bad, &t, &none, why) == FAIL && strstr(why, "a cut row"));
    CHECK(none.n == 0);
    g.nnz = 0;
    CHECK(forecast_of(&p, slots, &g, "brc", &t).status == FORECAST_REFUSED);
    features_free(&f);
    features_free(&g);
    features_free(&three);
    features_free(&five);
    profile_free(&p);
    runs_free(&runs);
    runs_free(&bad);
}

/* Writes a profile of the formula for the device of another test. */
static void write_profile(const char *path, const char *device_key)
{
    struct target t = target_of("h200", F64);
    struct runs runs = { 0 };
    struct profile p;
    char why[ERRLEN];
    add_slots_grid(&runs, &t, "sum=partials");
    fit_profile(&runs, slots, &t, &p);
    TEXT_SET(p.device_key, device_key);
    if (profile_store(path, &p, NULL, 0, why) != 0)
        die("%s", why);
    profile_free(&p);
    runs_free(&runs);
}

int main(int argc, char **argv)
{
    static const struct part parts[] = { { "fit", test_fit },
                                         { "sectors", test_sectors },
                                         { "relative", test_relative },
                                         { "choice", test_choice },
                                         { "status", test_status } };
    if (argc != 4 || strcmp(argv[1], "profile") != 0)
        return parts_main("slots", parts, sizeof parts / sizeof *parts, argc, argv, &checks);
    archive_set_command(argc, argv, true);
    write_profile(argv[2], argv[3]); /* slots profile FILE DEVICE */
    return EXIT_OK;
}
