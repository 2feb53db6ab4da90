/* SPDX-License-Identifier: BSD-3-Clause */
/* Binsparse 0.1.0 in HDF5: writing CSR. The root holds the matrix (attribute `binsparse`, three datasets, deflated, each chunk
 * with a checksum) and is an archive of kind "matrix" besides. */
#include <cJSON.h>
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

#include "common/archive.h"
#include "common/matrix.h"
#include "common/output.h"

enum { CHUNK = 1 << 17, DEFLATE = 1 };

/* The attribute's text, malloc'd. */
static char *describe(const struct matrix *m)
{
    const struct { const char *key, *value; } facts[] = {
        { "name", m->name }, { "group", m->group }, { "source", m->source }, { "recipe", m->recipe }, { "field", m->field },
    };
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
    char *text = cJSON_Print(root);
    if (!text)
        die("no memory to describe the matrix");
    cJSON_Delete(root);
    return text;
}

static int put_attribute(hid_t at, const char *name, hid_t type, const void *value)
{
    hid_t space = H5Screate(H5S_SCALAR), attribute = H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    int status = attribute >= 0 && H5Awrite(attribute, type, value) >= 0 ? 0 : FAIL;
    if (attribute >= 0 && H5Aclose(attribute) < 0)
        status = FAIL;
    H5Sclose(space);
    return status;
}

/* Fixed length: what the C readers of Binsparse take; h5py takes either. */
static int put_text(hid_t at, const char *name, const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, strlen(text) + 1);
    H5Tset_cset(type, H5T_CSET_UTF8);
    int status = put_attribute(at, name, type, text);
    H5Tclose(type);
    return status;
}

static int put_array(hid_t at, const char *name, hid_t file_type, hid_t memory_type, const void *data, int64_t n)
{
    hsize_t length = (hsize_t)n, chunk = length < CHUNK ? length : CHUNK;
    hid_t space = H5Screate_simple(1, &length, NULL), how = H5Pcreate(H5P_DATASET_CREATE);
    if (n > 0) {
        H5Pset_chunk(how, 1, &chunk);
        H5Pset_shuffle(how);
        H5Pset_deflate(how, DEFLATE);
        H5Pset_fletcher32(how);
    }
    hid_t set = H5Dcreate2(at, name, file_type, space, H5P_DEFAULT, how, H5P_DEFAULT);
    int status = set >= 0 && (n == 0 || H5Dwrite(set, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0) ? 0 : FAIL;
    if (set >= 0 && H5Dclose(set) < 0)
        status = FAIL;
    H5Pclose(how);
    H5Sclose(space);
    return status;
}

static int put_matrix(hid_t file, const struct matrix *m)
{
    const struct csr *a = &m->csr;
    const int schema = ARCHIVE_SCHEMA;
    char *text = describe(m);
    int status = put_text(file, "binsparse", text) || put_text(file, "spmvcast_kind", "matrix") ||
                 put_attribute(file, "schema", H5T_NATIVE_INT, &schema) ||
                 put_array(file, "pointers_to_1", H5T_STD_I64LE, H5T_NATIVE_INT64, a->row_ptr, a->rows + 1) ||
                 put_array(file, "indices_1", H5T_STD_I32LE, H5T_NATIVE_INT32, a->col, a->nnz) ||
                 put_array(file, "values", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, a->val, a->nnz) ? FAIL : 0;
    free(text);
    return status;
}

int matrix_write(const char *path, const struct matrix *m, char why[ERRLEN])
{
    const char *tmp;
    if (output_begin(path, &tmp, why))
        return FAIL;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t file = H5Fcreate(tmp, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    int status = file >= 0 ? put_matrix(file, m) : FAIL;
    if (file >= 0 && H5Fclose(file) < 0)
        status = FAIL;
    if (status) {
        output_discard(tmp);
        return fail(why, "cannot write %s: HDF5 could not store the matrix (disk full?)", path);
    }
    return output_commit(tmp, why);
}
