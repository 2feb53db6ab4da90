/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables in archives: a table is a group, a column is a dataset. Damage is distinguished from absence. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "archive/archive.h"
#include "archive/archive_inside.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/utf8.h"

enum { CHUNK = 64 * 1024 };

static const struct {
    H5T_class_t class;
    const char *name;
    size_t bytes;
} kinds[] = {
    [COLUMN_I64] = { H5T_INTEGER, "integers", 8 },
    [COLUMN_F64] = { H5T_FLOAT, "floating point numbers", 8 },
    [COLUMN_F32] = { H5T_FLOAT, "floating point numbers", 4 },
    [COLUMN_TEXT] = { H5T_STRING, "text", 1 },
    [COLUMN_WORD] = { H5T_STRING, "text", 1 },
};

/* Returns the type, which is the same in memory and in the file (both little-endian); close with H5Tclose. */
static hid_t type_of(const struct column *c, size_t text_bytes)
{
    return column_is_text(c) ? h5_text_type(text_bytes)
                             : H5Tcopy(c->type == COLUMN_I64   ? H5T_STD_I64LE
                                       : c->type == COLUMN_F64 ? H5T_IEEE_F64LE
                                                               : H5T_IEEE_F32LE);
}

/* ---- writing ---- */

/* Returns the column as one array (malloc'd); *element: bytes per row, for text those of its longest value. */
static char *gather(const struct schema *schema, const struct column *c, const char *rows, int64_t n, size_t *element)
{
    size_t bytes = column_is_text(c) ? 1 : kinds[c->type].bytes * (size_t)c->width;
    struct wordtext word;

    for (int64_t i = 0; i < n && column_is_text(c); i++) {
        size_t length = strnlen(row_text(c, rows + (size_t)i * schema->row_bytes, &word), (size_t)c->width);
        bytes = length > bytes ? length : bytes;
    }
    char *flat = xcalloc((unsigned long)n, bytes);
    for (int64_t i = 0; i < n; i++) {
        const char *row = rows + (size_t)i * schema->row_bytes;
        if (column_is_text(c)) {
            const char *text = row_text(c, row, &word);
            memcpy(flat + (size_t)i * bytes, text, strnlen(text, bytes));
            utf8_mend(flat + (size_t)i * bytes, bytes);
        } else
            memcpy(flat + (size_t)i * bytes, row + c->offset, bytes);
    }
    *element = bytes;
    return flat;
}

/* Returns the rows per chunk such that all chunks are about equal: every read would inflate even a nearly empty last chunk
 * in full. */
static hsize_t chunk_rows(int64_t n)
{
    const int64_t chunks = (n + CHUNK - 1) / CHUNK;
    return chunks > 0 ? (hsize_t)((n + chunks - 1) / chunks) : 0;
}

static hid_t create_dataset(hid_t group, const struct column *c, hid_t type, int64_t n)
{
    hsize_t dims[2] = { (hsize_t)n, (hsize_t)c->width }, chunk[2] = { chunk_rows(n), (hsize_t)c->width };
    int rank = !column_is_text(c) && c->width > 1 ? 2 : 1;
    hid_t space = H5Screate_simple(rank, dims, NULL), creation = H5Pcreate(H5P_DATASET_CREATE), dataset = -1;

    if (space < 0 || creation < 0 || H5Pset_obj_track_times(creation, false) < 0)
        goto out;
    if (n
        && (H5Pset_chunk(creation, rank, chunk) < 0 || (!column_is_text(c) && H5Pset_shuffle(creation) < 0)
            || H5Pset_deflate(creation, 6) < 0))
        goto out;
    dataset = H5Dcreate2(group, c->name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
out:
    if (space >= 0)
        H5Sclose(space);
    if (creation >= 0)
        H5Pclose(creation);
    return dataset;
}

static int put_column(hid_t group, const struct schema *schema, const struct column *c, const void *rows, int64_t n,
                      struct hash *hash)
{
    size_t element;
    char *flat = gather(schema, c, rows, n, &element);
    hid_t type = type_of(c, element), dataset = -1;
    int status = -1;

    hash_add(hash, c->name, strlen(c->name));
    hash_add(hash, flat, (size_t)n * element);
    if (type >= 0)
        dataset = create_dataset(group, c, type, n);
    if (dataset >= 0 && (!n || H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, flat) >= 0)
        && h5_put_text(dataset, "unit", c->unit) == 0 && h5_put_text(dataset, "about", c->about) == 0)
        status = 0;
    if (dataset >= 0 && H5Dclose(dataset) < 0)
        status = -1;
    if (type >= 0)
        H5Tclose(type);
    free(flat);
    return status;
}

/* Writes the attributes, which list the columns in the order of hashing, and closes the group. */
static int finish_group(hid_t group, const struct schema *schema, int64_t n, const char *sha256)
{
    char names[COLUMN_NAMES] = "";
    size_t used = 0;

    for (int i = 0; i < schema->ncolumns && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? "," : "", schema->columns[i].name);
    if (used >= sizeof names)
        bug("table %s: column names exceed %d bytes", schema->name, COLUMN_NAMES);
    int status =
        h5_put_int(group, "rows", n) || h5_put_text(group, "columns", names) || h5_put_text(group, "sha256", sha256)
            ? -1
            : 0;
    return H5Gclose(group) < 0 ? -1 : status;
}

int archive_put(struct archive *a, const struct schema *schema, const void *rows, int64_t n, char why[ERRLEN])
{
    hid_t creation = H5Pcreate(H5P_GROUP_CREATE), group = -1;
    char sha256[65];

    if (creation >= 0 && H5Pset_obj_track_times(creation, false) >= 0)
        group = H5Gcreate2(a->file, schema->name, H5P_DEFAULT, creation, H5P_DEFAULT);
    if (creation >= 0)
        H5Pclose(creation);
    if (group < 0)
        return h5_fail(why, "%s: cannot create table %s", a->path, schema->name);
    struct hash *hash = hash_begin();
    for (int i = 0; i < schema->ncolumns; i++)
        if (put_column(group, schema, &schema->columns[i], rows, n, hash)) {
            h5_fail(why, "%s: cannot write table %s, column %s", a->path, schema->name, schema->columns[i].name);
            hash_end(hash, sha256);
            H5Gclose(group);
            return FAIL;
        }
    hash_end(hash, sha256);
    return finish_group(group, schema, n, sha256) ? h5_fail(why, "%s: cannot complete table %s", a->path, schema->name)
                                                  : 0;
}

/* ---- reading ---- */

bool columns_have(const char *names, const char *column)
{
    const size_t n = strlen(column);

    for (const char *at = names; (at = strstr(at, column)); at += n)
        if ((at == names || at[-1] == ',') && (at[n] == ',' || at[n] == 0))
            return n > 0;
    return false;
}

/* Does not use H5Oget_info, whose arguments differ between HDF5 1.10 and 1.12. */
int table_there(const struct archive *a, const char *name)
{
    const htri_t linked = H5Lexists(a->file, name, H5P_DEFAULT);
    const hid_t object = linked > 0 ? H5Oopen(a->file, name, H5P_DEFAULT) : H5I_INVALID_HID;
    const int is = linked == 0 ? 0 : object < 0 ? -1 : H5Iget_type(object) == H5I_GROUP;

    if (object >= 0)
        H5Oclose(object);
    return is;
}

hid_t table_open(struct archive *a, const char *name, int64_t *n, char names[COLUMN_NAMES], char why[ERRLEN])
{
    const int there = table_there(a, name);
    hid_t group = there > 0 ? H5Gopen2(a->file, name, H5P_DEFAULT) : -1;

    if (group < 0)
        return h5_fail(why, there ? "%s is damaged: table %s cannot be opened" : "%s is damaged: table %s is missing",
                       a->path, name);
    if (h5_get_int(group, "rows", n) || *n < 0 || h5_get_text(group, "columns", names, COLUMN_NAMES)) {
        h5_fail(why, "%s is damaged: table %s lacks its attribute rows or columns", a->path, name);
        H5Gclose(group);
        return -1;
    }
    return group;
}

int archive_table(struct archive *a, int i, char name[64], int64_t *rows, char why[ERRLEN])
{
    char member[64], names[COLUMN_NAMES];
    H5G_info_t facts;
    bool damaged = H5Gget_info(a->file, &facts) < 0;

    for (hsize_t k = 0; !damaged && k < facts.nlinks; k++) {
        damaged =
            H5Lget_name_by_idx(a->file, ".", H5_INDEX_NAME, H5_ITER_INC, k, member, sizeof member, H5P_DEFAULT) < 0;
        const int is = damaged ? -1 : table_there(a, member);
        damaged |= is < 0;
        if (is <= 0 || i--)
            continue;
        const hid_t group = table_open(a, member, rows, names, why);
        if (group < 0)
            return ARCHIVE_DAMAGED;
        H5Gclose(group);
        snprintf(name, 64, "%s", member);
        return 0;
    }
    if (!damaged)
        return FAIL;
    h5_fail(why, "%s is damaged: its tables cannot be listed", a->path);
    return ARCHIVE_DAMAGED;
}

int column_shape(const struct archive *a, const char *table, const char *column, hid_t dataset, int64_t n,
                 int64_t *width, char why[ERRLEN])
{
    hid_t space = H5Dget_space(dataset);
    hsize_t dims[2] = { 0, 1 };
    int rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);

    if (rank == 1 || rank == 2)
        H5Sget_simple_extent_dims(space, dims, NULL);
    if (space >= 0)
        H5Sclose(space);
    if (rank != 1 && rank != 2)
        return fail(why, "%s is damaged: table %s, column %s has %d dimensions, expected 1 or 2", a->path, table,
                    column, rank);
    if ((int64_t)dims[0] != n)
        return fail(why, "%s is damaged: table %s, column %s has %" PRId64 " rows, expected %" PRId64, a->path, table,
                    column, (int64_t)dims[0], n);
    if (!h5_holds(dataset))
        return fail(why, "%s is damaged: table %s, column %s declares %" PRId64 " rows, more than the file can hold",
                    a->path, table, column, n);
    *width = (int64_t)dims[1];
    return 0;
}

static int scatter_texts(const struct schema *schema, const struct column *c, const char *flat, size_t bytes, int64_t n,
                         char *rows)
{
    int status = 0;

    for (int64_t i = 0; i < n && !status; i++) {
        const char *text = flat + (size_t)i * bytes;
        status = row_set_text(c, rows + (size_t)i * schema->row_bytes, text, strnlen(text, bytes));
    }
    return status;
}

static int read_column(const struct archive *a, hid_t dataset, const struct schema *schema, const struct column *c,
                       int64_t n, char *rows, char why[ERRLEN])
{
    hid_t stored = H5Dget_type(dataset), type = -1;
    bool text = column_is_text(c);
    int64_t width;
    char *flat = NULL;
    int status = column_shape(a, schema->name, c->name, dataset, n, &width, why);

    if (status)
        goto out;
    if (stored < 0 || H5Tget_class(stored) != kinds[c->type].class || (text && H5Tis_variable_str(stored) != 0)
        || width != (text ? 1 : c->width)) {
        status = fail(why, "%s is damaged: table %s, column %s does not contain %s%s (%d per row)", a->path,
                      schema->name, c->name, text ? "fixed-length " : "", kinds[c->type].name, text ? 1 : c->width);
        goto out;
    }
    size_t bytes = text ? H5Tget_size(stored) : kinds[c->type].bytes * (size_t)c->width;
    type = type_of(c, bytes);
    flat = calloc((size_t)n + 1, bytes);
    if (!flat) {
        fail(why, "%s: out of memory: cannot read table %s, column %s", a->path, schema->name, c->name);
        status = OOM;
        goto out;
    }
    if (type < 0 || (n && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, flat) < 0)) {
        h5_fail(why, "%s is damaged: table %s, column %s cannot be read", a->path, schema->name, c->name);
        status = h5_blame(a->path, why) ? OOM : FAIL;
    } else if (text && scatter_texts(schema, c, flat, bytes, n, rows))
        status = fail(why, "%s: table %s, column %s has a text longer than %d bytes", a->path, schema->name, c->name,
                      c->width - 1);
    for (int64_t i = 0; i < n && !status && !text; i++)
        memcpy(rows + (size_t)i * schema->row_bytes + c->offset, flat + (size_t)i * bytes, bytes);
out:
    free(flat);
    if (type >= 0)
        H5Tclose(type);
    if (stored >= 0)
        H5Tclose(stored);
    return status;
}

/* Checks the declared number of rows against one column before any memory is allocated. */
static int check_rows(const struct archive *a, hid_t group, const char *names, const struct schema *schema, int64_t n,
                      char why[ERRLEN])
{
    for (int i = 0; i < schema->ncolumns; i++) {
        const char *name = schema->columns[i].name;
        int64_t width;
        if (!columns_have(names, name))
            continue;
        hid_t dataset = H5Dopen2(group, name, H5P_DEFAULT);
        if (dataset < 0)
            return h5_fail(why, "%s is damaged: table %s, column %s cannot be opened", a->path, schema->name, name);
        const int status = column_shape(a, schema->name, name, dataset, n, &width, why);
        H5Dclose(dataset);
        return status;
    }
    return n == 0
               ? 0
               : fail(why, "%s is damaged: table %s declares %" PRId64 " rows but lists none of the expected columns",
                      a->path, schema->name, n);
}

/* Reads a column into rows of zeros; if the table is older than the column, it is missing in all. FAIL: damaged; OOM: the fault is not the file's. */
static int get_column(struct archive *a, hid_t group, const char *names, const struct schema *schema,
                      const struct column *c, int64_t n, char *rows, char why[ERRLEN])
{
    if (!columns_have(names, c->name)) {
        for (int64_t i = 0; i < n; i++)
            row_blank_column(c, rows + (size_t)i * schema->row_bytes);
        return 0;
    }
    hid_t dataset = H5Dopen2(group, c->name, H5P_DEFAULT);
    if (dataset < 0)
        return h5_fail(why, "%s is damaged: table %s, column %s cannot be opened", a->path, schema->name, c->name);
    const int status = read_column(a, dataset, schema, c, n, rows, why);
    H5Dclose(dataset);
    return status;
}

int table_get(struct archive *a, const struct schema *schema, void **rows_out, int64_t *n_out, char why[ERRLEN])
{
    int64_t n;
    char names[COLUMN_NAMES];
    int status = 0;
    hid_t group = table_open(a, schema->name, &n, names, why);
    if (group < 0)
        return ARCHIVE_DAMAGED;
    if (check_rows(a, group, names, schema, n, why)) {
        H5Gclose(group);
        return ARCHIVE_DAMAGED;
    }
    if (memory_check((double)n * (double)schema->row_bytes, memory_limit(), why,
                     "%s: not enough memory for %" PRId64 " rows of table %s", a->path, n, schema->name)) {
        H5Gclose(group);
        return FAIL;
    }
    char *rows = calloc((size_t)n + 1, schema->row_bytes);
    if (!rows) {
        status = memory_failed((double)n * (double)schema->row_bytes, why,
                               "%s: not enough memory for %" PRId64 " rows of table %s", a->path, n, schema->name);
    }
    for (int i = 0; i < schema->ncolumns && !status; i++)
        status = get_column(a, group, names, schema, &schema->columns[i], n, rows, why);
    H5Gclose(group);
    if (status) {
        free(rows);
        return status == OOM ? FAIL : ARCHIVE_DAMAGED;
    }
    *rows_out = rows;
    *n_out = n;
    return 0;
}

int archive_lacks(struct archive *a, const struct schema *schema, char *text, size_t bytes, char why[ERRLEN])
{
    char names[COLUMN_NAMES];
    int64_t n;
    size_t used = (size_t)snprintf(text, bytes, "%s", schema->name);
    bool all = true;

    if (table_there(a, schema->name) == 0)
        return 0;
    const hid_t group = table_open(a, schema->name, &n, names, why);
    if (group < 0)
        return ARCHIVE_DAMAGED;
    H5Gclose(group);
    for (int i = 0; i < schema->ncolumns && used < bytes; i++)
        if (!columns_have(names, schema->columns[i].name)) {
            used += (size_t)snprintf(text + used, bytes - used, "%s%s", all ? " (" : ", ", schema->columns[i].name);
            all = false;
        }
    if (all)
        text[0] = 0;
    else if (used < bytes)
        snprintf(text + used, bytes - used, ")");
    return 0;
}
