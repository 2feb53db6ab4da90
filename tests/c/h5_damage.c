/* SPDX-License-Identifier: BSD-3-Clause */
/* Changes files for the tests of damage.
 *   h5_damage older FILE            makes the archive one of schema 1, which has no digest
 *   h5_damage sign FILE             after changes by another program: updates the lists of columns of the tables, the
 *                                   checksums and the digest
 *   h5_damage digest FILE           updates only the digest; tables keep their old checksums
 *   h5_damage header FILE OBJECT    XORs with 0xff the byte at 6 bytes after the start of the object's header
 *   h5_damage flip FILE BYTE        XORs that byte with 0xff
 *   h5_damage foreign FILE N        writes Binsparse as another program would: CSR of N rows, in HDF5's oldest format,
 *                                   without any checksums
 *   h5_damage checked FILE N        the same in HDF5's newest format, in a group, with checksums of everything and a
 *                                   text of fixed length
 *   h5_damage matlab FILE N         the same as field A of a structure of MATLAB, with a field Zeros
 *   h5_damage anndata FILE N        the same as X of AnnData */
#include <fcntl.h>
#include <hdf5.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "archive/digest.h"
#include "archive/h5.h"
#include "base/hash.h"

static void older(const char *path)
{
    const int schema = 1;
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT),
                attribute = file < 0 ? -1 : H5Aopen(file, "schema", H5P_DEFAULT);

    if (attribute < 0 || H5Awrite(attribute, H5T_NATIVE_INT, &schema) < 0 || H5Aclose(attribute) < 0
        || H5Fclose(file) < 0)
        die("cannot change %s", path);
}

/* Adds every value of a column to the hash. */
static void add_column(struct hash *hash, hid_t table, const char *name)
{
    const hid_t set = H5Dopen2(table, name, H5P_DEFAULT), type = H5Dget_type(set), space = H5Dget_space(set);
    const size_t bytes = H5Tget_size(type) * (size_t)H5Sget_simple_extent_npoints(space);
    char *values = xmalloc(bytes);

    if (bytes && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
        die("cannot read column %s", name);
    hash_add(hash, name, strlen(name));
    hash_add(hash, values, bytes);
    free(values);
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(set);
}

static herr_t sign_table(hid_t file, const char *name, const H5L_info_t *info, void *unused)
{
    char all[4096], *rest = all, *column, sha256[65], *there = xstrdup("");
    const hid_t table = H5Gopen2(file, name, H5P_DEFAULT);

    (void)info;
    (void)unused;
    if (table < 0 || h5_get_text(table, "columns", all, sizeof all)) {
        free(there);
        return table < 0 ? 0 : H5Gclose(table); /* a group left open keeps the file open */
    }
    struct hash *hash = hash_begin();
    while ((column = strsep(&rest, ","))) {
        if (H5Lexists(table, column, H5P_DEFAULT) <= 0)
            continue;
        add_column(hash, table, column);
        char *longer = xasprintf("%s%s%s", there, *there ? "," : "", column);
        free(there);
        there = longer;
    }
    hash_end(hash, sha256);
    if (H5Adelete(table, "columns") < 0 || h5_put_text(table, "columns", there) || H5Adelete(table, "sha256") < 0
        || h5_put_text(table, "sha256", sha256))
        die("cannot sign table %s", name);
    free(there);
    return H5Gclose(table);
}

static void add_digest(const char *path)
{
    char line[DIGEST_BYTES + 1];
    FILE *f = fopen(path, "r+");
    if (!f || fseek(f, 0, SEEK_END))
        die("cannot read %s:", path);
    const size_t bytes = (size_t)ftell(f);
    void *data = xmalloc(bytes);
    rewind(f);
    if (fread(data, 1, bytes, f) != bytes)
        die("cannot read %s:", path);
    digest_line(data, bytes, line);
    if (fseek(f, 0, SEEK_END) || fwrite(line, 1, DIGEST_BYTES, f) != DIGEST_BYTES || fclose(f))
        die("cannot write %s:", path);
    free(data);
}

static void sign(const char *path)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);

    if (file < 0 || H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, NULL, sign_table, NULL) < 0 || H5Fclose(file) < 0)
        die("cannot change %s", path);
    add_digest(path);
}

static void flip(const char *path, off_t at)
{
    unsigned char byte;
    const int fd = open(path, O_RDWR);

    if (fd < 0 || pread(fd, &byte, 1, at) != 1)
        die("%s: cannot read byte %ld", path, (long)at);
    byte ^= 0xff;
    if (pwrite(fd, &byte, 1, at) != 1 || close(fd))
        die("%s: cannot write byte %ld:", path, (long)at);
}

static void header(const char *path, const char *object)
{
    H5G_stat_t facts;
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);

    if (file < 0 || H5Gget_objinfo(file, object, true, &facts) < 0 || H5Fclose(file) < 0)
        die("%s: no object %s", path, object);
    flip(path, (off_t)facts.objno[0] + 6);
}

static void put_text(hid_t at, const char *name, const char *value, bool varying)
{
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);

    H5Tset_size(type, varying ? H5T_VARIABLE : strlen(value));
    const hid_t attribute = H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute < 0 || H5Awrite(attribute, type, varying ? (const void *)&value : value) < 0
        || H5Aclose(attribute) < 0)
        die("cannot write attribute %s", name);
    H5Sclose(space);
    H5Tclose(type);
}

static void put_array(hid_t at, const char *name, hid_t type, hid_t memory, const void *data, hsize_t n, bool checked)
{
    const hsize_t chunk = n < 256 ? n : 256;
    const hid_t space = H5Screate_simple(1, &n, NULL), how = H5Pcreate(H5P_DATASET_CREATE);

    if (checked) {
        H5Pset_chunk(how, 1, &chunk);
        H5Pset_deflate(how, 4);
        H5Pset_fletcher32(how);
    }
    const hid_t set = H5Dcreate2(at, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
    if (set < 0 || H5Dwrite(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0 || H5Dclose(set) < 0)
        die("cannot write dataset %s", name);
    H5Pclose(how);
    H5Sclose(space);
}

/* Compressed rows, or columns, of a tridiagonal matrix. */
static void tridiagonal(int n, int **pointers, int **indices, double **values)
{
    *pointers = xcalloc((unsigned long)n + 1, sizeof **pointers);
    *indices = xcalloc(3UL * (unsigned long)n, sizeof **indices);
    *values = xcalloc(3UL * (unsigned long)n, sizeof **values);
    for (int i = 0, k = 0; i < n; (*pointers)[++i] = k)
        for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < n; j++) {
            (*indices)[k] = j;
            (*values)[k++] = 1.0 / (1 + i + 2 * j);
        }
}

static void put_arrays(hid_t at, const char *const names[3], int n, bool checked)
{
    int *pointers, *indices;
    double *values;

    tridiagonal(n, &pointers, &indices, &values);
    put_array(at, names[0], H5T_STD_I32LE, H5T_NATIVE_INT, pointers, (hsize_t)n + 1, checked);
    put_array(at, names[1], H5T_STD_I32LE, H5T_NATIVE_INT, indices, (hsize_t)pointers[n], checked);
    put_array(at, names[2], H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values, (hsize_t)pointers[n], checked);
    free(pointers);
    free(indices);
    free(values);
}

static hid_t create(const char *path, hid_t access)
{
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    if (file < 0)
        die("cannot write %s", path);
    return file;
}

/* Writes a tridiagonal matrix as a Binsparse file of another program. */
static void foreign(const char *path, int n, bool checked)
{
    static const char *const names[] = { "pointers_to_1", "indices_1", "values" };
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    char about[512];

    if (checked)
        H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    const hid_t file = create(path, access),
                at = checked ? H5Gcreate2(file, "matrix", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) : file;
    if (at < 0)
        die("cannot write %s", path);
    snprintf(
        about, sizeof about,
        "{\"binsparse\": {\"version\": \"0.1\", \"format\": \"CSR\", \"shape\": [%d, %d], \"number_of_stored_values\": %d, "
        "\"data_types\": {\"pointers_to_1\": \"int32\", \"indices_1\": \"int32\", \"values\": \"float64\"}}}",
        n, n, n > 1 ? 3 * n - 2 : n);
    put_text(at, "binsparse", about, !checked);
    put_arrays(at, names, n, checked);
    if (checked)
        H5Gclose(at);
    if (H5Fclose(file) < 0)
        die("cannot write %s", path);
    H5Pclose(access);
}

static hid_t group(hid_t at, const char *name, const char *attribute, const char *value)
{
    const hid_t made = H5Gcreate2(at, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    put_text(made, attribute, value, false);
    return made;
}

static void matlab(const char *path, int n)
{
    static const char *const names[] = { "jc", "ir", "data" }, *const fields[] = { "A", "Zeros" };
    const hid_t file = create(path, H5P_DEFAULT), problem = group(file, "Problem", "MATLAB_class", "struct");
    for (int k = 0; k < 2; k++) {
        const hid_t field = group(problem, fields[k], "MATLAB_class", "double");
        if (h5_put_int(field, "MATLAB_sparse", n))
            die("cannot write %s", path);
        put_arrays(field, names, n, false);
        H5Gclose(field);
    }
    H5Gclose(problem);
    if (H5Fclose(file) < 0)
        die("cannot write %s", path);
}

static void anndata(const char *path, int n)
{
    static const char *const names[] = { "indptr", "indices", "data" };
    const hid_t file = create(path, H5P_DEFAULT), x = group(file, "X", "encoding-type", "csr_matrix");
    const int64_t shape[] = { n, n };
    const hsize_t two = 2;
    const hid_t space = H5Screate_simple(1, &two, NULL),
                attribute = H5Acreate2(x, "shape", H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT);
    put_text(file, "encoding-type", "anndata", false);
    put_arrays(x, names, n, false);
    if (H5Awrite(attribute, H5T_NATIVE_INT64, shape) < 0 || H5Aclose(attribute) < 0 || H5Sclose(space) < 0
        || H5Gclose(x) < 0 || H5Fclose(file) < 0)
        die("cannot write %s", path);
}

int main(int argc, char **argv)
{
    error_program("h5_damage");
    if (argc == 3 && strcmp(argv[1], "older") == 0)
        older(argv[2]);
    else if (argc == 3 && strcmp(argv[1], "sign") == 0)
        sign(argv[2]);
    else if (argc == 3 && strcmp(argv[1], "digest") == 0)
        add_digest(argv[2]);
    else if (argc == 4 && strcmp(argv[1], "header") == 0)
        header(argv[2], argv[3]);
    else if (argc == 4 && strcmp(argv[1], "flip") == 0)
        flip(argv[2], atol(argv[3]));
    else if (argc == 4 && (strcmp(argv[1], "foreign") == 0 || strcmp(argv[1], "checked") == 0))
        foreign(argv[2], atoi(argv[3]), argv[1][0] == 'c');
    else if (argc == 4 && strcmp(argv[1], "matlab") == 0)
        matlab(argv[2], atoi(argv[3]));
    else if (argc == 4 && strcmp(argv[1], "anndata") == 0)
        anndata(argv[2], atoi(argv[3]));
    else
        usage_die("unknown arguments");
    return 0;
}
