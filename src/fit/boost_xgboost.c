/* SPDX-License-Identifier: BSD-3-Clause */
/* XGBoost's C API (Chen and Guestrin, KDD 2016): fits trees and reads them back from the model that the library saves as
 * JSON. Exact splits, one thread, base score 0: the trees depend on the data only. */
#include "fit/boost.h"
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xgboost/c_api.h>

static int failed(char why[ERRLEN], const char *what)
{
    return fail(why, "XGBoost: %s: %.300s", what, XGBGetLastError());
}

/* ---- reading the trees */
struct tree {
    const int *left, *right, *split; /* left -1: leaf */
    const double *condition;         /* threshold; leaf: its value */
    int n;
};

/* Copies an array of numbers; NULL: it is not one of n numbers. */
static double *numbers(const cJSON *tree, const char *name, int n)
{
    const cJSON *array = cJSON_GetObjectItemCaseSensitive(tree, name), *item;
    double *v =
        cJSON_IsArray(array) && cJSON_GetArraySize(array) == n ? xmalloc(((unsigned long)n + 1) * sizeof *v) : NULL;
    int i = 0;
    if (v)
        cJSON_ArrayForEach(item, array) v[i++] = cJSON_IsNumber(item) ? item->valuedouble : NAN;
    return v;
}

static int *integers(const cJSON *tree, const char *name, int n)
{
    double *v = numbers(tree, name, n);
    int *out = v ? xmalloc(((unsigned long)n + 1) * sizeof *out) : NULL;
    for (int i = 0; v && i < n; i++)
        out[i] = v[i] >= -1 && v[i] < n + 1e6 ? (int)v[i] : -2;
    free(v);
    return out;
}

/* Appends node i and what is below it in preorder. Returns false if the tree is not one. */
static bool append(const struct tree *t, int i, int depth, struct forest *f, int64_t *room)
{
    enum { DEEPEST = 32 };
    if (i < 0 || i >= t->n || depth > DEEPEST || isnan(t->condition[i]))
        return false;
    if (f->n == *room) {
        *room = 2 * *room + 64;
        f->node = xrealloc(f->node, (unsigned long)*room * sizeof *f->node);
    }
    const int64_t at = f->n++;
    f->node[at] = (struct trained_node){ -1, 0, (float)t->condition[i] };
    if (t->left[i] < 0)
        return true;
    f->node[at].trait = t->split[i];
    if (!append(t, t->left[i], depth + 1, f, room))
        return false;
    f->node[at].right = (int)(f->n - at);
    return append(t, t->right[i], depth + 1, f, room);
}

static bool read_tree(const cJSON *json, struct forest *f, int64_t *room)
{
    const int n = cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(json, "left_children"));
    int *left = integers(json, "left_children", n), *right = integers(json, "right_children", n),
        *split = integers(json, "split_indices", n);
    double *condition = numbers(json, "split_conditions", n);
    const struct tree t = { left, right, split, condition, n };
    const bool read = left && right && split && condition && append(&t, 0, 0, f, room);
    free(left);
    free(right);
    free(split);
    free(condition);
    return read;
}

static int read_forest(const char *text, size_t length, struct forest *f, char why[ERRLEN])
{
    static const char *const path[] = { "learner", "gradient_booster", "model", "trees" };
    cJSON *json = cJSON_ParseWithLength(text, length);
    const cJSON *at = json, *tree;
    int64_t room = 0;
    bool read = true;
    for (size_t i = 0; i < sizeof path / sizeof path[0]; i++)
        at = cJSON_GetObjectItemCaseSensitive(at, path[i]);
    read = cJSON_IsArray(at);
    if (read)
        cJSON_ArrayForEach(tree, at) read = read && read_tree(tree, f, &room);
    cJSON_Delete(json);
    return read ? 0 : fail(why, "XGBoost: cannot read the trees of the saved model");
}

/* ---- fitting */
static int set_parameters(BoosterHandle b, int depth, double rate, char why[ERRLEN])
{
    char deep[16], eta[32];
    snprintf(deep, sizeof deep, "%d", depth);
    snprintf(eta, sizeof eta, "%.9g", rate);
    const char *const set[][2] = { { "objective", "reg:squarederror" },
                                   { "booster", "gbtree" },
                                   { "tree_method", "exact" },
                                   { "base_score", "0" },
                                   { "nthread", "1" },
                                   { "seed", "0" },
                                   { "verbosity", "0" },
                                   { "max_depth", deep },
                                   { "eta", eta } };
    for (size_t i = 0; i < sizeof set / sizeof set[0]; i++)
        if (XGBoosterSetParam(b, set[i][0], set[i][1]) != 0)
            return failed(why, set[i][0]);
    return 0;
}

static int fit(BoosterHandle b, DMatrixHandle points, int rounds, int64_t n, struct forest *f, float *fitted,
               char why[ERRLEN])
{
    const char *text;
    bst_ulong length;
    for (int i = 0; i < rounds; i++)
        if (XGBoosterUpdateOneIter(b, i, points) != 0)
            return failed(why, "XGBoosterUpdateOneIter");
    if (fitted) {
        const float *values;
        if (XGBoosterPredict(b, points, 0, 0, 0, &length, &values) != 0)
            return failed(why, "XGBoosterPredict");
        if ((int64_t)length != n)
            return fail(why, "XGBoost: unexpected number of values");
        memcpy(fitted, values, (size_t)n * sizeof *fitted);
    }
    if (XGBoosterSaveModelToBuffer(b, "{\"format\": \"json\"}", &length, &text) != 0)
        return failed(why, "XGBoosterSaveModelToBuffer");
    return read_forest(text, (size_t)length, f, why);
}

static int boost(const float *x, const float *y, int64_t n, int m, int depth, int rounds, double rate, struct forest *f,
                 float *fitted, char why[ERRLEN])
{
    DMatrixHandle points = NULL;
    BoosterHandle booster = NULL;
    int status = 0;
    *f = (struct forest){ 0 };
    if (XGDMatrixCreateFromMat(x, (bst_ulong)n, (bst_ulong)m, NAN, &points) != 0
        || XGDMatrixSetFloatInfo(points, "label", y, (bst_ulong)n) != 0 || XGBoosterCreate(&points, 1, &booster) != 0)
        status = failed(why, "cannot create the model");
    status = status ? status : set_parameters(booster, depth, rate, why);
    status = status ? status : fit(booster, points, rounds, n, f, fitted, why);
    if (booster)
        XGBoosterFree(booster);
    if (points)
        XGDMatrixFree(points);
    if (status != 0) {
        free(f->node);
        *f = (struct forest){ 0 };
    }
    return status;
}

boost_trees *const boost_library = boost;
