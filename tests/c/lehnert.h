/* SPDX-License-Identifier: BSD-3-Clause */
/* Synthetic matrices and training for the tests of lehnert2016's models. */
#ifndef SPMVCAST_TESTS_LEHNERT_H
#define SPMVCAST_TESTS_LEHNERT_H
#include "fit/boost.h"
#include "fit/train.h"
#include "models.h"

enum { MATRICES = 40 };
static inline bool exact(double a, double b) { return fabs(a - b) <= 1e-9 * fabs(b); }

/* A name that shares its stem with no other, since digits end the stem. */
static inline const char *name_of(int i)
{
    static char name[8];
    snprintf(name, sizeof name, "%c%c%c", 'a' + i / 676 % 26, 'a' + i / 26 % 26, 'a' + i % 26);
    return name;
}

/* Matrix i of a varied collection: rows of two lengths. */
static inline struct features varied(int i)
{
    const int64_t length[] = { 2 + i % 5, 9 + 3 * (i % 7) + i / 3 },
                  count[] = { (int64_t)(700 * pow(1.31, i % 23)) + 64 * i, 300 + 450 * (i % 11) };
    return features_with(length, count, 2);
}

/* Fits "nearest" and the trained models named in the list to runs. why: of each model. */
static inline void train_profile(struct runs *runs, const char *models, const struct target *t, struct profile *p,
                                 struct reason *why)
{
    struct training training;
    struct strlist wanted = { 0 };
    struct targets targets = { 1, { *t } };
    fit_profile(runs, "nearest", t, p);
    take_matrices(runs, p);
    for (const char *at = models; *at; at += strcspn(at, ","), at += *at == ',') {
        char name[32];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ","), at);
        strlist_add(&wanted, name);
    }
    fit_want_needed(&wanted, NULL);
    p->trained = xcalloc(1, sizeof *p->trained);
    training_make(&training, runs, p, &targets);
    train_models(&training, NULL, &wanted, p->trained, why);
    training_free(&training);
    strlist_free(&wanted);
}
static struct reason reasons[64];

/* us 0: times that grow with the rows. */
static inline void add_varied(struct runs *runs, const char *config, const struct target *t, int n, double us)
{
    for (int i = 0; i < n; i++) {
        struct features f = varied(i);
        add_row(runs, "matrix", name_of(i), &f, config, t, 1e-6 * (us > 0 ? us : 1 + 1e-3 * (double)f.rows));
        features_free(&f);
    }
}
#endif
