/* SPDX-License-Identifier: BSD-3-Clause */
/* Choosers (forecast/chooser.h) compared with rankings of the same profile. "chooser PART,... PROFILE" prints
 * "ok PART,..., N checks" or fails with the check. */
#include "forecast/chooser.h"
#include <pthread.h>
#include "forecast/outlook.h"
#include "forecast/pick.h"
#include "formats/parts.h"
#include "input/matrix.h"
#include "matrix/estimates.h"
#include "models.h"
#include "parts.h"
#include "profile/learned.h"

static const char *const subjects[] = {
    "stencil:points=5,n=300",
    "stencil:points=27,n=30",
    "constant:rows=400000,cols=400000,p=24",
    "normal:rows=20000,cols=20000,p=20,sd=18,place=random",
    "rmat:scale=16,p=8", /* the pick adds atomically */
    "dense:rows=600,cols=600",
    "constant:rows=200,cols=50000,p=4000,place=random",
    "constant:rows=1,cols=100000,p=90000",
    "uniform:rows=100000,cols=100000,p=6,half=5",
    "constant:rows=132,cols=192,p=96", /* the lowest mean is not the pick */
};
enum { NSUBJECTS = sizeof subjects / sizeof subjects[0], NTERMSETS = 6 };
static const struct chooser_terms term_sets[NTERMSETS] = {
    { .products = 0, .location = ON_GPU, .risk = 0.2, .max_bytes = -1 },
    { .products = 10, .location = ON_GPU, .risk = 0.2, .max_bytes = -1 },
    { .products = 100, .location = ON_HOST, .risk = 0.2, .max_bytes = -1 },
    { .products = 1000, .location = ON_GPU, .risk = 0, .max_bytes = -1 },
    { .products = 100000, .location = ON_GPU, .risk = 0.2, .max_bytes = -1 },
    { .products = 0, .location = ON_HOST, .risk = 0, .max_bytes = -1 },
};

static const char *profile_path;
static struct profile profile;
static struct features features[NSUBJECTS];

/* Reads the profile and the first n subjects, once for all parts. */
static void load(int n)
{
    static int loaded;
    char why[ERRLEN];
    if (!profile.learned && profile_load(profile_path, &profile, why) != 0)
        die("%s", why);
    for (; loaded < n; loaded++) {
        struct matrix m;
        if (matrix_read(subjects[loaded], &m, why) != 0)
            die("%s", why);
        features_of(&m.csr, &features[loaded]);
        matrix_free(&m);
    }
}

static struct chooser *open_chooser(const struct target *t, bool (*usable)(const struct config *))
{
    struct chooser *c;
    char why[ERRLEN];
    if (chooser_open(&profile, t, usable, &c, why) != 0)
        die("%s", why);
    return c;
}

static struct target target_at(enum precision precision, int index)
{
    struct target t = learned_target_at(index, precision);
    t.device = profile.device;
    return t;
}

/* ---- the same as the ranking */
static void same_row(const struct chosen *c, const struct outlook_row *r)
{
    CHECK(r && r->place > 0);
    CHECK(within(c->time_s, r->forecast.time_s, 1e-4) && within(c->low_s, r->forecast.low_s, 1e-3)
          && within(c->high_s, r->forecast.high_s, 1e-3));
    CHECK(isnan(r->convert_s) ? isnan(c->convert_s) : fabs(c->convert_s - r->convert_s) <= 1e-9 * r->convert_s);
    CHECK(isnan(r->prepare_s) ? isnan(c->prepare_s) : fabs(c->prepare_s - r->prepare_s) <= 1e-9 * r->prepare_s);
    CHECK(c->free == r->free);
}

static double weighed(const struct chosen *c, const struct chooser_terms *terms)
{
    const struct pick_row r = {
        .time_s = c->time_s, .low_s = c->low_s, .high_s = c->high_s, .setup_s = c->convert_s + c->prepare_s
    };
    return pick_weighed(&r, terms->products, terms->risk);
}

static double value(const struct chosen *c, const struct chooser_terms *terms)
{
    return weighed(c, &(struct chooser_terms){ .products = terms->products });
}

static void compare(const struct chooser *c, struct outlook *o, const struct features *f,
                    const struct chooser_terms *terms, int *same)
{
    enum { MOST = 5 };
    struct chosen row[MOST], exact;
    char why[ERRLEN];
    outlook_rank(o, &(struct outlook_terms){ terms->products, terms->location, terms->risk });
    const struct outlook_row *pick = outlook_pick(o);
    const int n = chooser_ask(c, f, terms, row, MOST);
    CHECK(n == MOST);
    for (int i = 0; i < n; i++) {
        const struct outlook_row *r = outlook_find(o, row[i].text);
        same_row(&row[i], r);
        CHECK(i < 2 || value(&row[i - 1], terms) <= value(&row[i], terms));
        CHECK(chooser_forecast(c, f, terms, row[i].text, &exact, why) == 0);
        CHECK(exact.time_s == r->forecast.time_s && exact.high_s == r->forecast.high_s);
        CHECK(strcmp(exact.text, row[i].text) == 0 && exact.free == row[i].free);
    }
    const struct outlook_row *chosen = outlook_find(o, row[0].text);
    const double ours = outlook_value(o, chosen), best = outlook_value(o, pick);
    CHECK(ours <= 1.02 * best);
    *same += chosen == pick;
    CHECK(chooser_ask(c, f, terms, &exact, 1) == 1 && strcmp(exact.text, row[0].text) == 0);
}

static void run_same(void)
{
    const struct strlist none = { 0 };
    char why[ERRLEN];
    int same = 0, all = 0;
    load(NSUBJECTS);
    for (int precision = 0; precision < NPRECISIONS; precision++)
        for (int index = 0; index < LEARNED_TARGETS; index++) {
            const struct target t = target_at((enum precision)precision, index);
            struct chooser *c = open_chooser(&t, NULL);
            for (int i = 0; i < NSUBJECTS; i++) {
                struct outlook o;
                if (outlook_make(&profile, model_find(model_default), &features[i], &t, &none, &o, why) != 0)
                    die("%s", why);
                for (int k = 0; k < NTERMSETS; k++, all++)
                    compare(c, &o, &features[i], &term_sets[k], &same);
                outlook_free(&o);
            }
            chooser_free(c);
        }
    printf("%d of %d picks are those of the ranking\n", same, all);
    CHECK(same >= 0.97 * all);
}

/* ---- limits */
static bool csr_only(const struct config *c) { return strcmp(c->kernel->layout->name, "csr") == 0; }
static bool composites_only(const struct config *c) { return c->kernel->layout->part != NULL; }

/* What estimates depend on is the same with kept ones as without, also for a changed copy of the features. */
static void same_estimates(const struct features *f, const struct target *t)
{
    struct estimates estimates;
    const struct features *kept = estimates_begin(&estimates, f);
    struct features changed = *kept, plain = *f;
    changed.rows = plain.rows = f->rows + 1000;
    changed.nnz = plain.nnz = f->nnz + 1000;
    const struct features *const pair[][2] = { { f, kept }, { f, kept }, { &plain, &changed } };
    const char *const *sweep = config_sweep("default", t->device.kind);
    for (int i = 0; sweep[i]; i++)
        for (size_t k = 0; k < sizeof pair / sizeof pair[0]; k++) {
            struct traffic bytes[2] = { { 0 } };
            struct grid grid[2] = { { 0 } };
            struct config c[2];
            int status[2][3];
            for (int j = 0; j < 2; j++) {
                status[j][0] = config_resolve(config_known(sweep[i], NULL), pair[k][j], t, &c[j], NULL);
                status[j][1] = status[j][0] ? 0 : c[j].kernel->layout->traffic(pair[k][j], &c[j], t, &bytes[j]);
                status[j][2] = status[j][0] ? 0 : kernel_grid(pair[k][j], &c[j], t, &grid[j]);
            }
            CHECK(memcmp(status[0], status[1], sizeof status[0]) == 0 && memcmp(&c[0], &c[1], sizeof c[0]) == 0);
            CHECK(memcmp(&bytes[0], &bytes[1], sizeof bytes[0]) == 0 && grid[0].blocks == grid[1].blocks);
        }
    CHECK(estimates.n > 10 && estimates.n < ESTIMATES_MOST);
}

static void run_limits(void)
{
    char why[ERRLEN];
    int others = 0, limited = 0, split = 0, whole = 0;
    load(NSUBJECTS);
    const struct target t = target_at(F64, 0);
    struct chooser *all = open_chooser(&t, NULL), *csr = open_chooser(&t, csr_only),
                   *composites = open_chooser(&t, composites_only);
    for (int i = 0; i < NSUBJECTS; i++)
        same_estimates(&features[i], &t);
    for (int i = 0; i < NSUBJECTS; i++)
        for (int k = 0; k < NTERMSETS; k++) {
            struct chooser_terms terms = term_sets[k];
            struct chosen row[3], exact;
            struct traffic bytes;
            terms.deterministic = true;
            const int n = chooser_ask(all, &features[i], &terms, row, 3);
            CHECK(n == 3);
            for (int j = 0; j < n; j++)
                CHECK(kernel_deterministic(&row[j].config));
            terms.deterministic = false;
            CHECK(chooser_ask(all, &features[i], &terms, row, 3) == 3); /* completes more forecasts than for one row */
            CHECK(chooser_ask(all, &features[i], &terms, &exact, 1) == 1 && strcmp(exact.text, row[0].text) == 0
                  && exact.high_s == row[0].high_s);
            others += !kernel_deterministic(&row[0].config);
            const struct layout *layout = row[0].config.kernel->layout;
            CHECK(layout->traffic(&features[i], &row[0].config, &t, &bytes) == 0);
            if (!csr_only(&row[0].config)) {
                terms.max_bytes = traffic_storage(&bytes);
                CHECK(chooser_ask(all, &features[i], &terms, &exact, 1) == 1 && strcmp(exact.text, row[0].text) == 0);
                terms.max_bytes--;
                CHECK(chooser_ask(all, &features[i], &terms, &exact, 1) == 1 && strcmp(exact.text, row[0].text) != 0);
                limited++;
            }
            terms.max_bytes = 0;
            CHECK(chooser_ask(all, &features[i], &terms, row, 3) == 3);
            CHECK(csr_only(&row[0].config) && csr_only(&row[1].config) && csr_only(&row[2].config));
            CHECK(chooser_ask(csr, &features[i], &terms, &exact, 1) == 1 && strcmp(exact.text, row[0].text) == 0);
            terms.max_bytes = -1;
            CHECK(chooser_ask(composites, &features[i], &terms, row, 1) <= 1);
            if (chooser_ask(composites, &features[i], &terms, row, 1) == 1) {
                CHECK(composites_only(&row[0].config));
                split += !parts_all_in_one(&features[i], &row[0].config);
                whole += parts_all_in_one(&features[i], &row[0].config);
            }
            CHECK(chooser_forecast(csr, &features[i], &terms, "dia", &exact, why) != 0);
            CHECK(chooser_ask(all, &features[i], &terms, row, 0) == 0);
        }
    CHECK(others > 0 && limited > 0 && split > 0 && whole > 0);
    chooser_free(all);
    chooser_free(csr);
    chooser_free(composites);
}

/* ---- threads */
struct asker {
    pthread_t thread;
    const struct chooser *chooser;
    int differences;
};
static struct chosen expected[NSUBJECTS][NTERMSETS];

static void *ask_all(void *arguments)
{
    struct asker *a = arguments;
    struct chosen row;
    for (int round = 0; round < 5; round++)
        for (int i = 0; i < NSUBJECTS; i++)
            for (int k = 0; k < NTERMSETS; k++)
                a->differences += chooser_ask(a->chooser, &features[i], &term_sets[k], &row, 1) != 1
                                  || strcmp(row.text, expected[i][k].text) != 0 || row.time_s != expected[i][k].time_s
                                  || row.high_s != expected[i][k].high_s;
    return NULL;
}

static void run_threads(void)
{
    enum { THREADS = 4 };
    struct asker asker[THREADS];
    load(NSUBJECTS);
    const struct target t = target_at(F32, 0);
    struct chooser *c = open_chooser(&t, NULL);
    for (int i = 0; i < NSUBJECTS; i++)
        for (int k = 0; k < NTERMSETS; k++)
            CHECK(chooser_ask(c, &features[i], &term_sets[k], &expected[i][k], 1) == 1);
    for (int i = 0; i < THREADS; i++) {
        asker[i] = (struct asker){ .chooser = c };
        CHECK(pthread_create(&asker[i].thread, NULL, ask_all, &asker[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(asker[i].thread, NULL);
        CHECK(asker[i].differences == 0);
    }
    chooser_free(c);
}

/* ---- refusals */
static bool none_usable(const struct config *c)
{
    (void)c;
    return false;
}

static void run_refused(void)
{
    char why[ERRLEN];
    struct chooser *c;
    struct chosen row;
    const struct features empty = { .rows = 10, .cols = 10 };
    load(1);
    struct target t = target_at(F64, 0);
    struct learned *const learned = profile.learned;
    profile.learned = NULL;
    CHECK(chooser_open(&profile, &t, NULL, &c, why) == FAIL && !c && strstr(why, "learned forecasts"));
    profile.learned = learned;
    CHECK(chooser_open(&profile, &t, none_usable, &c, why) == FAIL && !c && strstr(why, "usable"));
    t.cache = COLD;
    t.launch = STREAM;
    CHECK(chooser_open(&profile, &t, NULL, &c, why) == FAIL && !c);
    t = target_at(F64, 0);
    c = open_chooser(&t, NULL);
    CHECK(chooser_ask(c, &empty, &term_sets[0], &row, 1) == 0);
    CHECK(chooser_forecast(c, &features[0], &term_sets[0], "no-such-kernel", &row, why) == FAIL);
    chooser_free(c);
}

static const struct part parts[] = {
    { "same", run_same }, { "limits", run_limits }, { "threads", run_threads }, { "refused", run_refused }
};

int main(int argc, char **argv)
{
    profile_path = argc == 3 ? argv[2] : NULL;
    return parts_main("chooser", parts, sizeof parts / sizeof parts[0], profile_path ? 2 : 0, argv, &checks);
}
