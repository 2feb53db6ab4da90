/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles: archives of kind "profile" with root attributes name, device_key, date, host_cpu, cusparse, driver, of quick ones scope, and the
 * tables geometry (one device), coefficients (of all models, sorted), matrices (the measured ones), times and
 * times_configs (profile/times.h), families (of every source that the profile was fitted on), learned_*
 * (profile/learned.h), and trained_* and effort (profile/trained.h), which are read only if a trained model is asked. */
#include <stdlib.h>
#include <string.h>
#include "archive/pack.h"
#include "profile/learned.h"
#include "profile/profile.h"
#include "profile/times.h"
#include "profile/trained.h"

static const struct {
    const char *name;
    size_t offset, bytes;
} attributes[] = {
#define ATTRIBUTE(member)                                                                \
    {                                                                                    \
#member, offsetof(struct profile, member), sizeof(((struct profile *)0)->member) \
    }
    ATTRIBUTE(name),     ATTRIBUTE(device_key), ATTRIBUTE(date),
    ATTRIBUTE(host_cpu), ATTRIBUTE(cusparse),   ATTRIBUTE(driver),
#undef ATTRIBUTE
};
const char profile_quick[] = "quick";
enum { NATTRIBUTES = sizeof attributes / sizeof attributes[0] };

static int load_device(struct archive *a, struct profile *p, char why[ERRLEN])
{
    const int status = runs_load_devices(&p->measured, a, why);
    if (status != 0)
        return status;
    if (!runs_geometry(&p->measured, p->device_key, &p->device))
        return fail(why, "%s: missing geometry of device %s; fit the profile again with spmv-fit", archive_path(a),
                    p->device_key);
    return 0;
}

static int load_tables(struct archive *a, struct profile *p, char why[ERRLEN])
{
    int status = 0;
    for (int i = 0; i < NATTRIBUTES && status == 0; i++)
        status = archive_get_text(a, attributes[i].name, (char *)p + attributes[i].offset, attributes[i].bytes, why);
    if (status == 0)
        status = archive_get_text_any(a, "scope", p->scope, sizeof p->scope, why);
    if (status == 0)
        status = load_device(a, p, why);
    if (status == 0)
        status = archive_get(a, &coef_schema, (void **)&p->coefs.row, &p->coefs.n, why);
    if (status != 0)
        return status;
    p->coefs.room = p->coefs.n;
    for (int64_t i = 0; i < p->coefs.n; i++) {
        config_complete(p->coefs.row[i].config);
        if (p->coefs.row[i].launch == WORD_NONE)
            p->coefs.row[i].launch = GRAPH;
    }
    coefs_sort(&p->coefs);
    status = archive_get_any(a, &matrix_schema, (void **)&p->measured.matrices, &p->measured.nmatrices, why);
    if (status == 0)
        status = learned_load(a, &p->learned, why);
    if (status == 0)
        status = times_load(a, p, why);
    if (status != 0)
        return status;
    if (p->coefs.n == 0 && !p->learned && p->times.n == 0)
        return fail(why, "%s: missing coefficients; fit the profile again with spmv-fit", archive_path(a));
    times_pack(p); /* older profiles hold the times as coefficients */
    /* Features stay zeroed: histograms are only in run archives. */
    if (p->measured.matrices)
        p->measured.features = xcalloc((unsigned long)p->measured.nmatrices + 1, sizeof *p->measured.features);
    return families_load(a, &p->measured, &p->families, why);
}

int profile_load(const char *path, struct profile *p, char why[ERRLEN])
{
    struct archive *a;
    memset(p, 0, sizeof *p);
    int rc = archive_open_packed(path, "profile", &a, why);
    if (rc != 0)
        return rc;
    TEXT_SET(p->path, path);
    rc = load_tables(a, p, why);
    archive_close(a);
    if (rc != 0)
        profile_free(p);
    return rc;
}

static int pack_tables(struct archive *a, struct pack_writer *w, const struct schema *const *schemas, int n,
                       char why[ERRLEN])
{
    int status = 0;

    for (int i = 0; i < n && status == 0; i++) {
        void *rows = NULL;
        int64_t nrows = 0;
        status = archive_get_any(a, schemas[i], &rows, &nrows, why);
        if (status == 0)
            pack_put(w, schemas[i], rows, nrows);
        free(rows);
    }
    return status;
}

int profile_pack(const char *path, char why[ERRLEN])
{
    static const struct schema *const alone[] = { &geometry_schema, &coef_schema, &matrix_schema, &family_schema };
    struct archive *a;
    struct pack_writer *w = NULL;
    char text[256];
    int status = archive_open(path, "profile", &a, why);

    if (status != 0)
        return status;
    status = pack_begin(path, "profile", &w, why);
    for (int i = 0; i <= NATTRIBUTES && status == 0; i++) {
        const char *name = i < NATTRIBUTES ? attributes[i].name : "scope";
        status = (i < NATTRIBUTES ? archive_get_text : archive_get_text_any)(a, name, text, sizeof text, why);
        if (status == 0)
            pack_put_text(w, name, text);
    }
    status = status ? status : pack_tables(a, w, alone, sizeof alone / sizeof *alone, why);
    status = status ? status : pack_tables(a, w, learned_schemas, LEARNED_TABLES, why);
    status = status ? status : pack_tables(a, w, times_schemas, TIMES_TABLES, why);
    status = status ? status : pack_tables(a, w, trained_schemas, TRAINED_TABLES, why);
    if (status == 0)
        status = pack_commit(w, why);
    else if (w)
        pack_abandon(w);
    archive_close(a);
    return status;
}

int profile_load_trained(struct profile *p, char why[ERRLEN])
{
    struct archive *a;
    if (p->trained)
        return 0;
    int status = archive_open_packed(p->path, "profile", &a, why);
    if (status != 0)
        return status;
    status = trained_load(a, p->measured.nmatrices, &p->trained, why);
    archive_close(a);
    return status;
}

void profile_ask_about(struct profile *p, const char *matrix, const char *group, const char *recipe,
                       const char *pattern_id)
{
    const bool same = strcmp(p->query.pattern_id, pattern_id) == 0 && strcmp(p->query.recipe, recipe) == 0;
    const int64_t n = p->learned && *pattern_id ? p->learned->nmatrices : 0;
    TEXT_SET(p->query.matrix, matrix);
    TEXT_SET(p->query.group, group);
    TEXT_SET(p->query.recipe, recipe);
    TEXT_SET(p->query.pattern_id, pattern_id);
    if (same)
        return;
    p->query.learned = NULL;
    for (int64_t i = 0; i < n && !p->query.learned; i++) {
        const struct learned_matrix *m = &p->learned->matrix[i];
        if (*m->pattern_id && (strcmp(m->pattern_id, pattern_id) == 0 || strcmp(m->matrix, recipe) == 0))
            p->query.learned = m;
    }
}

int profile_has_launch(const struct profile *p, enum launching launch, char why[ERRLEN])
{
    for (int64_t i = 0; i < p->coefs.n; i++)
        if (p->coefs.row[i].launch == launch)
            return 0;
    for (int64_t i = 0; i < p->times.nconfigs; i++)
        if (p->times.config[i].launch == launch)
            return 0;
    for (int64_t i = 0; p->learned && i < p->learned->nbounds; i++)
        if (p->learned->bound[i].launch == launch)
            return 0;
    return fail(why, "%s: no coefficients for %s %s; fit the profile again with `spmv-fit RUN.h5... -o PROFILE.h5`",
                p->path, error_in_program() ? "--launch" : "launch", launch_name(launch));
}

static int store_tables(struct archive *a, const struct profile *p, char why[ERRLEN])
{
    for (int i = 0; i < NATTRIBUTES; i++)
        if (archive_put_text(a, attributes[i].name, (const char *)p + attributes[i].offset, why) != 0)
            return FAIL;
    if (p->scope[0] && archive_put_text(a, "scope", p->scope, why) != 0)
        return FAIL;
    struct runs device = { 0 };
    runs_add_device(&device, p->device_key, &p->device);
    int rc = runs_store_devices(a, &device, why);
    free(device.devices);
    if (rc != 0 || archive_put(a, &coef_schema, p->coefs.row, p->coefs.n, why) != 0)
        return FAIL;
    if ((p->learned && learned_store(a, p->learned, why) != 0) || times_store(a, p, why) != 0)
        return FAIL;
    if (p->trained && trained_store(a, p->trained, why) != 0)
        return FAIL;
    if (p->families.n && archive_put(a, &family_schema, p->families.row, p->families.n, why) != 0)
        return FAIL;
    return p->measured.nmatrices ? archive_put(a, &matrix_schema, p->measured.matrices, p->measured.nmatrices, why) : 0;
}

int profile_store(const char *path, const struct profile *p, char *const *inputs, int ninputs, char why[ERRLEN])
{
    struct archive *a;
    if (archive_create(path, "profile", &a, why) != 0)
        return FAIL;
    int rc = 0;
    for (int i = 0; i < ninputs && rc == 0; i++)
        rc = archive_add_archive(a, inputs[i], why);
    if (rc == 0)
        rc = store_tables(a, p, why);
    if (rc == 0)
        return archive_commit(a, why);
    archive_abandon(a);
    return rc;
}

void profile_free(struct profile *p)
{
    coefs_free(&p->coefs);
    families_free(&p->families);
    for (int64_t i = 0; i < p->measured.nmatrices && p->measured.features; i++)
        features_free(&p->measured.features[i]);
    free(p->measured.features);
    free(p->measured.matrices);
    free(p->measured.rows);
    free(p->measured.devices);
    learned_free(p->learned);
    trained_free(p->trained);
    times_free(p);
    memset(p, 0, sizeof *p);
}
