/* SPDX-License-Identifier: BSD-3-Clause */
/* Trees of lehnert2016 on synthetic runs, and models that cannot be fitted. "learn_gbrt PART [FILE]" prints "ok PART, N
 * checks"; parts that need XGBoost print "skipped" in a build without it. */
#include "lehnert.h"
#include "parts.h"

static const char *file;

static void test_trees(void)
{
    /* x0 < 2 ? 1 : (x1 < 5 ? 10 : 100); then the leaf 0.5; then x1 < 1 ? -1 : 1 */
    static const struct trained_node node[] = { { 0, 2, 2 },   { -1, 0, 1 },   { 1, 2, 5 },
                                                { -1, 0, 10 }, { -1, 0, 100 }, { -1, 0, 0.5f },
                                                { 1, 2, 1 },   { -1, 0, -1 },  { -1, 0, 1 } };
    enum { N = sizeof node / sizeof node[0] };
    CHECK(trees_value(node, N, 3, (const float[]){ 1, 9 }) == 2.5f);
    CHECK(trees_value(node, N, 3, (const float[]){ 2, 4 }) == 11.5f);
    CHECK(trees_value(node, N, 3, (const float[]){ 2, 5 }) == 101.5f);
    CHECK(trees_value(node, N, 3, (const float[]){ 0, 0 }) == 0.5f);
    CHECK(trees_value(node, N, 2, (const float[]){ 0, 0 }) == 1.5f);
    CHECK(trees_value(node, N, 1, (const float[]){ 3, 0 }) == 10.0f);
    CHECK(trees_value(node, N, 0, (const float[]){ 3, 0 }) == 0.0f);
}

static uint64_t state = 12345;
static double draw(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) / 9007199254740992.0;
}

static void need_boost(void)
{
    if (boost_library)
        return;
    puts("skipped: built without XGBoost");
    exit(EXIT_OK);
}

/* Our evaluation equals XGBoost's; the same data give the same trees. */
static void test_boost(void)
{
    enum { N = 400, M = 5 };
    static float x[N * M], y[N], fitted[N];
    need_boost();
    for (int depth = 1; depth <= 6; depth++) {
        struct forest f, again;
        char why[ERRLEN];
        double worst = 0, error = 0, spread = 0;
        for (int i = 0; i < N; i++) {
            for (int k = 0; k < M; k++)
                x[i * M + k] = (float)(k % 2 ? floor(20 * draw()) : exp(18 * draw()));
            y[i] = (float)(0.3 * log1p(x[i * M]) + sin(x[i * M + 1]) + 0.1 * draw() - 2.5);
        }
        CHECK(boost_library(x, y, N, M, depth, 60, 0.3, &f, fitted, why) == 0);
        for (int i = 0; i < N; i++) {
            const double ours = (double)trees_value(f.node, f.n, 60, x + i * M);
            worst = fmax(worst, fabs(ours - (double)fitted[i]) / fmax(1, fabs((double)fitted[i])));
            error += fabs(ours - (double)y[i]);
            spread += fabs((double)y[i]);
        }
        CHECK(worst <= 1e-6);
        CHECK(error < 0.5 * spread);
        CHECK(boost_library(x, y, N, M, depth, 60, 0.3, &again, NULL, why) == 0);
        CHECK(again.n == f.n);
        for (int64_t i = 0; i < f.n; i++)
            CHECK(again.node[i].trait == f.node[i].trait && again.node[i].right == f.node[i].right
                  && again.node[i].value == f.node[i].value);
        free(f.node);
        free(again.node);
    }
}

static void test_gbrt(void)
{
    struct target t = target_of("h200", F32);
    struct runs runs = { 0 };
    struct profile p;
    const int64_t length[] = { 3, 20 }, count[] = { 5000, 1300 };
    struct features f = features_with(length, count, 2);
    need_boost();
    add_varied(&runs, "sell", &t, MATRICES, 12.5); /* constant times are forecast exactly */
    add_varied(&runs, "bro", &t, MATRICES, 0);
    add_varied(&runs, "ell", &t, MATRICES, 40);
    add_varied(&runs, "dia", &t, MATRICES, 40);
    train_profile(&runs, "linear+gbrt", &t, &p, reasons);
    struct forecast h = forecast_of(&p, "gbrt", &f, "sell", &t);
    CHECK(h.status == FORECAST_OK && exact(1e6 * h.time_s, 12.5) && h.nterms == 2);
    CHECK(strstr(h.note, "trees of at most"));
    h = forecast_of(&p, "gbrt", &f, "bro", &t);
    CHECK(h.status == FORECAST_OK && within(1e6 * h.time_s, 1 + 6.3, 0.25));
    CHECK(near(h.terms[0].time_s + h.terms[1].time_s, h.time_s));
    const struct trained_fit *fit = trained_find(p.trained, "gbrt", "bro:h=256,bits=64,lanes=1,block=256", &t);
    CHECK(fit && (fit->rounds == 20 || fit->rounds == 40) && (fit->depth == 2 || fit->depth == 3) && fit->rate > 0);
    CHECK(fit->error_median < 0.05);
    /* the combination: a line for ELL, trees for SELL and BRO, nothing for other formats */
    h = forecast_of(&p, "linear+gbrt", &f, "ell", &t);
    CHECK(h.status == FORECAST_OK && exact(1e6 * h.time_s, 40) && strcmp(h.terms[0].name, "constant") == 0);
    h = forecast_of(&p, "linear+gbrt", &f, "sell", &t);
    CHECK(h.status == FORECAST_OK && strcmp(h.terms[1].name, "trees") == 0);
    h = forecast_of(&p, "linear+gbrt", &f, "dia", &t);
    CHECK(h.status == FORECAST_REFUSED && strstr(h.why, "no model of format dia"));
    CHECK(forecast_of(&p, "gbrt", &f, "dia", &t).status != FORECAST_REFUSED);
    /* what is stored gives the same forecasts; tables that do not fit together are refused */
    const double us = forecast_of(&p, "gbrt", &f, "bro", &t).time_s;
    struct profile again;
    char why[ERRLEN], *const none[] = { NULL };
    TEXT_SET(p.date, "2026-01-02");
    if (profile_store(file, &p, none, 0, why) != 0 || profile_load(file, &again, why) != 0)
        die("%s", why);
    CHECK(!again.trained && forecast_of(&again, "gbrt", &f, "bro", &t).status == FORECAST_REFUSED);
    CHECK(profile_load_trained(&again, why) == 0 && again.trained->nfits == p.trained->nfits);
    CHECK(forecast_of(&again, "gbrt", &f, "bro", &t).time_s == us);
    CHECK(again.trained->nefforts >= 2 && again.trained->effort[0].fit_s >= 0);
    profile_free(&again);
    for (int bad = 0; bad < 4; bad++) {
        struct trained *v = p.trained;
        int64_t at = v->fit[0].first; /* a node with a right child */
        while (v->node[at].trait < 0)
            at++;
        const struct trained_node kept = v->node[at];
        const struct trained_fit first = v->fit[0];
        v->node[at].trait = bad == 0 ? -1 : bad == 1 ? TRAITS_MAX : kept.trait;
        v->fit[0].nodes = bad == 2 ? v->nnodes + 1 : first.nodes;
        v->fit[0].rounds += bad == 3;
        if (profile_store(file, &p, none, 0, why) != 0 || profile_load(file, &again, why) != 0)
            die("%s", why);
        CHECK(profile_load_trained(&again, why) == ARCHIVE_DAMAGED && strstr(why, "table trained_fits")
              && !again.trained);
        profile_free(&again);
        v->node[at] = kept;
        v->fit[0] = first;
    }
    profile_free(&p);
    runs_free(&runs);
    features_free(&f);
}

/* A build without XGBoost, too few matrices, no examples at all. */
static void test_unfitted(void)
{
    struct target t = target_of("h200", F32);
    struct runs runs = { 0 };
    struct profile p;
    int gbrt = 0, linear = 0, knn = 0;
    for (int i = 0; model_at(i); i++) {
        gbrt = strcmp(model_at(i)->name, "gbrt") == 0 ? i : gbrt;
        linear = strcmp(model_at(i)->name, "linear") == 0 ? i : linear;
        knn = strcmp(model_at(i)->name, "knn") == 0 ? i : knn;
    }
    gbrt_use(NULL);
    add_varied(&runs, "ell", &t, MATRICES, 40);
    train_profile(&runs, "all", &t, &p, reasons);
    CHECK(strcmp(reasons[gbrt].text, "built without XGBoost (install-deps.sh boost)") == 0);
    CHECK(!reasons[linear].text[0] && !reasons[knn].text[0]);
    profile_free(&p);
    runs_free(&runs);
    gbrt_use(boost_library);
    add_varied(&runs, "ell", &t, 3, 40);
    train_profile(&runs, "all", &t, &p, reasons);
    CHECK(strstr(reasons[linear].text, "enough matrices") && strstr(reasons[knn].text, "enough matrices"));
    CHECK(strstr(reasons[gbrt].text, boost_library ? "enough matrices" : "XGBoost"));
    profile_free(&p);
    runs_free(&runs);
}

int main(int argc, char **argv)
{
    static const struct part parts[] = {
        { "trees", test_trees }, { "boost", test_boost }, { "gbrt", test_gbrt }, { "unfitted", test_unfitted }
    };
    archive_set_command(argc, argv, true);
    gbrt_use(boost_library);
    file = argc > 2 ? argv[2] : "";
    return parts_main("learn_gbrt", parts, sizeof parts / sizeof *parts, argc < 3 ? argc : 2, argv, &checks);
}
