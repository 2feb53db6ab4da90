/* SPDX-License-Identifier: BSD-3-Clause */
/* Verifies tables of archives against their checksums. */
#include <stdlib.h>
#include <string.h>
#include "archive/archive.h"
#include "archive/archive_inside.h"
#include "base/hash.h"

static int verify_column(struct archive *a, hid_t group, const char *table, const char *column, int64_t n,
                         struct hash *hash, char why[ERRLEN])
{
    hid_t dataset = H5Lexists(group, column, H5P_DEFAULT) > 0 ? H5Dopen2(group, column, H5P_DEFAULT) : -1;
    hid_t type = dataset < 0 ? -1 : H5Dget_type(dataset);
    int64_t width = 1;
    char *flat = NULL;
    int status;

    if (type < 0) {
        status = h5_fail(why, "%s is damaged: table %s, column %s is missing", a->path, table, column);
        goto out;
    }
    if (H5Aexists(dataset, "unit") <= 0 || H5Aexists(dataset, "about") <= 0) {
        status = h5_fail(why, "%s is damaged: table %s, column %s has no unit or description", a->path, table, column);
        goto out;
    }
    status = column_shape(a, table, column, dataset, n, &width, why);
    if (status)
        goto out;
    size_t bytes = H5Tget_size(type) * (size_t)width;
    flat = calloc((size_t)n + 1, bytes ? bytes : 1);
    if (!flat) {
        fail(why, "%s: out of memory: cannot check table %s, column %s", a->path, table, column);
        status = OOM;
        goto out;
    }
    if (H5Tget_class(type) == H5T_VLEN || H5Tis_variable_str(type) > 0
        || (n && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, flat) < 0)) {
        status = h5_fail(why, "%s is damaged: table %s, column %s cannot be read", a->path, table, column);
        goto out;
    }
    hash_add(hash, column, strlen(column));
    hash_add(hash, flat, (size_t)n * bytes);
out:
    free(flat);
    if (type >= 0)
        H5Tclose(type);
    if (dataset >= 0)
        H5Dclose(dataset);
    return status;
}

static hsize_t columns_count(const char *names)
{
    hsize_t n = 1;

    while ((names = strchr(names, ',')))
        names++, n++;
    return n;
}

static int verify_table(struct archive *a, const char *table, char why[ERRLEN])
{
    int64_t n;
    H5G_info_t facts;
    char names[COLUMN_NAMES], expected[65], found[65], *rest = names, *column;
    hid_t group = table_open(a, table, &n, names, why);
    int status = 0;

    if (group < 0)
        return FAIL;
    struct hash *hash = hash_begin();
    if (h5_get_text(group, "sha256", expected, sizeof expected))
        status = h5_fail(why, "%s is damaged: table %s has no checksum", a->path, table);
    else if (H5Gget_info(group, &facts) < 0 || facts.nlinks != columns_count(names))
        status = h5_fail(why, "%s is damaged: table %s contains columns other than those it lists", a->path, table);
    while (!status && (column = strsep(&rest, ",")))
        status = verify_column(a, group, table, column, n, hash, why);
    hash_end(hash, found);
    H5Gclose(group);
    if (!status && strcmp(expected, found) != 0)
        status = fail(why, "%s is damaged: table %s has checksum %.12s..., expected %.12s...", a->path, table, found,
                      expected);
    return status;
}

int archive_verify(struct archive *a, char why[ERRLEN])
{
    char name[64];
    int64_t rows;
    int status = 0, found;

    for (int i = 0; (status = archive_table(a, i, name, &rows, why)) == 0; i++)
        if ((found = verify_table(a, name, why)))
            return found == OOM ? OOM : ARCHIVE_DAMAGED;
    return status == FAIL ? 0 : status; /* FAIL: past the last one */
}
