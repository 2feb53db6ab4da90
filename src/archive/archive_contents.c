/* SPDX-License-Identifier: BSD-3-Clause */
/* The kinds of archives and their guaranteed contents. */
#include "archive/archive_contents.h"
#include <inttypes.h>
#include <string.h>
#include "archive/archive.h"
#include "archive/archive_inside.h"

static const char every_kind[] = "*";

/* since: the first schema that guarantees the table or attribute; 0: optional. columns: the required columns; a table may
 * have others (its attribute `columns` lists all). */
static const struct {
    const char *kind, *table;
    int since;
    const char *columns;
} tables[] = {
    { "recipes", "recipes", 1, "recipe" },
    { "run", "rows", 1, "source_id,matrix,config,precision,cache,device_key,outcome,reason,time_us" },
    { "run", "matrices", 1, "source_id,matrix,rows,cols,nnz" },
    { "run", "histogram", 1, "source_id,log2_group,value,count" },
    { "run", "geometry", 0, "device_key,name,sms" },
    { "run", "branches", 0, "device_key,branches,time_us" },
    { "run", "files", 0, "file,source_id,reason" },
    { "run", "plan", 0, "plan_id,matrix_id,device_key,rows,blocks,time_us" },
    { "run", "blocks", 0, "plan_id,first_row,rows,nnz,config,time_us" },
    { "profile", "coefficients", 1, "model,config,precision,cache,key,index,value" },
    { "profile", "geometry", 1, "device_key,name,sms" },
    { "profile", "matrices", 0, "source_id,matrix,rows,cols,nnz" },
    { "plan", "plan", 1, "plan_id,matrix_id,device_key,rows,blocks,time_us" },
    { "plan", "blocks", 1, "plan_id,first_row,rows,nnz,config,time_us" },
    { "plan", "singles", 2, "config,time_us" },
    { "forecasts", "cases", 1,
      "source_id,matrix,family,config,kernel,precision,cache,launch,footprint,sealed,measured_us,state_us" },
    { "forecasts", "forecasts", 1, "case_index,model,training,seed,status,time_us,low_us,high_us" },
    { every_kind, "provenance", 1, "program,version,command,date" },
    { every_kind, "inputs", 1, "name,sha256,role" },
};
static const struct {
    const char *kind, *attribute;
    int since;
} attributes[] = {
    { "matrix", "binsparse", 1 },   { "recipes", "model", 1 },
    { "recipes", "geometry", 1 },   { "profile", "name", 1 },
    { "profile", "device_key", 1 }, { "profile", "date", 1 },
    { "profile", "host_cpu", 1 },   { "profile", "cusparse", 1 },
    { "profile", "driver", 1 },     { "forecasts", "state_more_frequent_us", 1 },
    { "forecasts", "seeds", 1 },    { "forecasts", "folds", 1 },
    { "profile", "scope", 0 },
};
enum { NTABLES = sizeof tables / sizeof tables[0], NATTRIBUTES = sizeof attributes / sizeof attributes[0] };

static bool is_of(const char *row, const char *kind) { return row == every_kind || strcmp(row, kind) == 0; }

static int damaged(char why[ERRLEN], const char *path, const char *what, const char *name, const char *how)
{
    h5_fail(why, "%s is damaged: %s %s %s", path, what, name, how);
    return ARCHIVE_DAMAGED;
}

/* Checks that all required columns are listed and that every listed column exists. */
static int check_columns(hid_t group, const char *path, const char *table, const char *needed, char why[ERRLEN])
{
    char names[COLUMN_NAMES], list[COLUMN_NAMES], what[80], *rest = names, *column;

    if (h5_get_text(group, "columns", names, sizeof names))
        return damaged(why, path, "table", table, "lacks its attribute columns");
    while (needed && *needed) {
        const size_t n = strcspn(needed, ",");
        snprintf(list, sizeof list, "%.*s", (int)n, needed);
        if (!columns_have(names, list)) {
            snprintf(what, sizeof what, "table %s: column", table);
            return damaged(why, path, what, list, "is missing");
        }
        needed += n + (needed[n] == ',');
    }
    while ((column = strsep(&rest, ",")))
        if (H5Lexists(group, column, H5P_DEFAULT) <= 0) {
            snprintf(what, sizeof what, "table %s: column", table);
            return damaged(why, path, what, column, "is missing");
        }
    return 0;
}

static int check_table(hid_t file, const char *path, const char *table, bool promised, const char *needed,
                       char why[ERRLEN])
{
    const htri_t there = H5Lexists(file, table, H5P_DEFAULT);

    if (there == 0 && !promised)
        return 0;
    if (there == 0)
        return damaged(why, path, "table", table, "is missing");
    hid_t object = there > 0 ? H5Oopen(file, table, H5P_DEFAULT) : H5I_INVALID_HID;
    int status = 0;
    if (object < 0)
        status = damaged(why, path, "table", table, "cannot be opened");
    else if (H5Iget_type(object) != H5I_GROUP)
        status = damaged(why, path, "table", table, "is not a group of columns");
    else
        status = check_columns(object, path, table, needed, why);
    if (object >= 0)
        H5Oclose(object);
    return status;
}

int archive_contents_check(hid_t file, const char *path, char why[ERRLEN])
{
    char kind[KIND_BYTES];
    int64_t schema;
    int status = 0;
    const htri_t ours = H5Aexists(file, "spmvcast_kind");

    if (ours == 0)
        return 0;
    if (ours < 0 || h5_get_text(file, "spmvcast_kind", kind, sizeof kind) || h5_get_int(file, "schema", &schema)) {
        h5_fail(why, "%s is damaged: its attributes spmvcast_kind and schema cannot be read", path);
        return ARCHIVE_DAMAGED;
    }
    if (schema > ARCHIVE_SCHEMA)
        return 0;
    for (int k = 0; k < NATTRIBUTES && !status; k++)
        if (strcmp(attributes[k].kind, kind) == 0 && attributes[k].since > 0 && attributes[k].since <= schema
            && H5Aexists(file, attributes[k].attribute) <= 0)
            status = damaged(why, path, "attribute", attributes[k].attribute, "is missing");
    for (int k = 0; k < NTABLES && !status; k++)
        if (is_of(tables[k].kind, kind))
            status = check_table(file, path, tables[k].table, tables[k].since > 0 && tables[k].since <= schema,
                                 tables[k].columns, why);
    return status;
}

/* ---- contents of others ---- */

struct only {
    const char *kind, *at; /* the object */
    char *why;
};

static herr_t check_attribute(hid_t object, const char *name, const H5A_info_t *info, void *data)
{
    const struct only *o = data;
    const char *slash = strchr(o->at, '/');
    bool ours = false;

    (void)object, (void)info;
    if (!*o->at) {
        ours = strcmp(name, "spmvcast_kind") == 0 || strcmp(name, "schema") == 0;
        for (int k = 0; k < NATTRIBUTES && !ours; k++)
            ours = strcmp(attributes[k].kind, o->kind) == 0 && strcmp(attributes[k].attribute, name) == 0;
    } else if (slash)
        ours = strcmp(name, "unit") == 0 || strcmp(name, "about") == 0;
    else
        ours = strcmp(name, "rows") == 0 || strcmp(name, "columns") == 0 || strcmp(name, "sha256") == 0;
    return ours ? 0 : fail(o->why, "attribute %.100s of /%.100s would be lost; use another name", name, o->at);
}

/* Tables with a checksum have no other columns than those they list (archive_verify). */
static herr_t check_link(hid_t root, const char *name, const H5L_info_t *link, void *data)
{
    struct only *o = data;
    const hid_t object = link->type == H5L_TYPE_HARD ? H5Oopen(root, name, H5P_DEFAULT) : H5I_INVALID_HID;
    const bool matrix =
        strcmp(o->kind, "matrix") == 0
        && (strcmp(name, "pointers_to_1") == 0 || strcmp(name, "indices_1") == 0 || strcmp(name, "values") == 0);
    hsize_t at = 0;
    herr_t status = 0;

    o->at = name;
    if (object < 0 || (!strchr(name, '/') && !matrix && H5Aexists(object, "sha256") <= 0))
        status = fail(o->why, "/%.200s would be lost; use another name", name);
    else if (H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, &at, check_attribute, o) < 0)
        status = FAIL;
    if (object >= 0)
        H5Oclose(object);
    return status;
}

int archive_contents_only(hid_t file, const char *kind, char why[ERRLEN])
{
    struct only o = { .kind = kind, .at = "", .why = why };
    hsize_t at = 0;

    fail(why, "its contents cannot be listed");
    return H5Aiterate2(file, H5_INDEX_NAME, H5_ITER_INC, &at, check_attribute, &o) < 0
                   || H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, check_link, &o) < 0
               ? FAIL
               : 0;
}
