/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes CSR as Binsparse 0.1.0 in HDF5. The root holds the matrix (attribute `binsparse`, three datasets, deflated,
 * each chunk with a checksum; of an import neither). The file is also an archive of kind "matrix" with provenance. */
#include <cjson/cJSON.h>
#include <stdlib.h>

#include "archive/archive.h"
#include "archive/archive_inside.h"
#include "input/matrix.h"

enum { CHUNK = 1 << 17, DEFLATE = 1 };

/* Returns the text of the attribute `binsparse` (malloc'd). */
static char *describe(const struct matrix *m)
{
    const struct {
        const char *key, *value;
    } facts[] = {
        { "name", m->name },     { "group", m->group }, { "source", m->source },
        { "recipe", m->recipe }, { "field", m->field }, { "import_key", m->import_key },
    };
    const struct {
        const char *key;
        int64_t value;
    } counts[] = { { "summed", m->repeats.summed + m->before.summed },
                   { "both_triangles", m->repeats.both_triangles + m->before.both_triangles } };
    cJSON *root = cJSON_CreateObject(), *about = cJSON_AddObjectToObject(root, "binsparse");
    cJSON_AddStringToObject(about, "version", "0.1.0");
    cJSON_AddStringToObject(about, "format", "CSR");
    cJSON *shape = cJSON_AddArrayToObject(about, "shape");
    cJSON_AddItemToArray(shape, cJSON_CreateNumber((double)m->csr.rows));
    cJSON_AddItemToArray(shape, cJSON_CreateNumber((double)m->csr.cols));
    cJSON_AddNumberToObject(about, "number_of_stored_values", (double)m->csr.nnz);
    cJSON *types = cJSON_AddObjectToObject(about, "data_types");
    cJSON_AddStringToObject(types, "pointers_to_1", "int64");
    cJSON_AddStringToObject(types, "indices_1", "int32");
    cJSON_AddStringToObject(types, "values", "float64");
    cJSON *ours = cJSON_AddObjectToObject(root, "spmvcast");
    for (size_t k = 0; k < sizeof facts / sizeof *facts; k++)
        if (facts[k].value[0])
            cJSON_AddStringToObject(ours, facts[k].key, facts[k].value);
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
        if (counts[k].value > 0)
            cJSON_AddNumberToObject(ours, counts[k].key, (double)counts[k].value);
    char *text = cJSON_Print(root);
    if (!text)
        die("out of memory while formatting JSON");
    cJSON_Delete(root);
    return text;
}

static int put_array(hid_t at, const char *name, hid_t file_type, hid_t memory_type, const void *data, int64_t n,
                     bool deflate)
{
    hsize_t length = (hsize_t)n, chunk = length < CHUNK ? length : CHUNK;
    hid_t space = H5Screate_simple(1, &length, NULL), how = H5Pcreate(H5P_DATASET_CREATE);
    if (n > 0 && deflate) {
        H5Pset_chunk(how, 1, &chunk);
        H5Pset_shuffle(how);
        H5Pset_deflate(how, DEFLATE);
        H5Pset_fletcher32(how);
    }
    H5Pset_obj_track_times(how, false); /* the same matrix gives the same bytes */
    hid_t set = H5Dcreate2(at, name, file_type, space, H5P_DEFAULT, how, H5P_DEFAULT);
    int status =
        set >= 0 && (n == 0 || H5Dwrite(set, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0) ? 0 : FAIL;
    if (set >= 0 && H5Dclose(set) < 0)
        status = FAIL;
    H5Pclose(how);
    H5Sclose(space);
    return status;
}

int matrix_write(const char *path, const struct matrix *m, char why[ERRLEN])
{
    const struct csr *a = &m->csr;
    const bool deflate = !m->import_key[0];
    struct archive *archive;
    if (archive_create(path, "matrix", &archive, why))
        return FAIL;
    char *text = describe(m);
    int status =
        h5_put_text(archive->file, "binsparse", text)
        || put_array(archive->file, "pointers_to_1", H5T_STD_I64LE, H5T_NATIVE_INT64, a->row_ptr, a->rows + 1, deflate)
        || put_array(archive->file, "indices_1", H5T_STD_I32LE, H5T_NATIVE_INT32, a->col, a->nnz, deflate)
        || put_array(archive->file, "values", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, a->val, a->nnz, deflate);
    free(text);
    if (!status)
        return archive_commit(archive, why);
    h5_fail(why, "cannot write %s: HDF5 cannot store the matrix", path);
    archive_abandon(archive);
    return FAIL;
}
