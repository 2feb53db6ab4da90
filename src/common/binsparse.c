/* SPDX-License-Identifier: BSD-3-Clause */
/* Binsparse 0.1 (GraphBLAS/binsparse-specification) in HDF5: reading CSR. The attribute `binsparse` is JSON and says what the
 * three datasets hold; nothing it says is believed before the datasets' sizes and the arrays' contents agree with it. */
#include <cJSON.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/coo.h"
#include "common/h5.h"
#include "common/matrix.h"

enum { JSON_BYTES = 1 << 20 };

struct bsp {
    const char *path;
    hid_t file, group;
    cJSON *root;                    /* the attribute */
    const cJSON *about;             /* its member "binsparse", or itself where a writer left that level out */
    const cJSON *ours;              /* its member "spmvcast", or NULL */
    int64_t rows, cols, nnz;
    bool iso;                       /* one value for all entries */
};

/* ---- opening ----------------------------------------------------------------------------------------------------- */
struct search { int found; char name[256]; };

static herr_t visit(hid_t root, const char *name, const H5L_info_t *info, void *data)
{
    (void)info;
    struct search *s = data;
    hid_t object = H5Oopen(root, name, H5P_DEFAULT);
    if (object < 0)
        return 0;
    if (H5Iget_type(object) == H5I_GROUP && H5Aexists(object, "binsparse") > 0 && s->found++ == 0)
        matrix_text(s->name, sizeof s->name, name);
    H5Oclose(object);
    return 0;
}

/* Number of matrices in the file; group of the first. */
static int find_group(hid_t file, hid_t *group)
{
    struct search s = { 0, "/" };
    if (H5Aexists(file, "binsparse") > 0)
        s.found = 1;
    else
        H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, NULL, visit, &s);
    if (s.found > 0)
        *group = H5Gopen2(file, s.name, H5P_DEFAULT);
    return s.found;
}

bool binsparse_is(const char *path)
{
    h5_quiet();
    hid_t file = h5_open(path), group = H5I_INVALID_HID;
    if (file < 0)
        return true;                /* damaged: the reader says how */
    int found = find_group(file, &group);
    if (group >= 0)
        H5Gclose(group);
    H5Fclose(file);
    return found > 0;
}

static void bsp_close(struct bsp *b)
{
    cJSON_Delete(b->root);
    if (b->group >= 0)
        H5Gclose(b->group);
    if (b->file >= 0)
        H5Fclose(b->file);
}

static const char *json_text(const cJSON *object, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
    return text ? text : "";
}

/* A whole number from 0 to limit. */
static int json_count(const struct bsp *b, const cJSON *item, const char *what, double limit, int64_t *out, char why[ERRLEN])
{
    double v = cJSON_IsNumber(item) ? item->valuedouble : -1;
    if (!(v >= 0 && v <= limit) || v != (double)(int64_t)v)
        return fail(why, "%s: attribute binsparse: %s is %s, expected an integer from 0 to %.0f", b->path, what,
                    cJSON_IsNumber(item) ? "out of range" : "missing or no number", limit);
    *out = (int64_t)v;
    return 0;
}

static int check_header(struct bsp *b, char why[ERRLEN])
{
    const char *version = json_text(b->about, "version"), *format = json_text(b->about, "format");
    const char *structure = json_text(b->about, "structure");
    if (strcmp(version, "0.1") != 0 && strncmp(version, "0.1.", 4) != 0)
        return fail(why, "%s: attribute binsparse: version '%.20s', expected 0.1 or 0.1.*", b->path, version);
    if (strcasecmp(format, "CSR") != 0)
        return fail(why, "%s: attribute binsparse: format '%.20s' is not read yet; expected CSR", b->path, format[0] ? format : "(custom)");
    if (structure[0] && strcmp(structure, "general") != 0)
        return fail(why, "%s: attribute binsparse: structure '%.30s' is not read yet; write all entries as a general matrix", b->path, structure);
    const cJSON *types = cJSON_GetObjectItemCaseSensitive(b->about, "data_types");
    const char *values = json_text(types, "values");
    b->iso = strncmp(values, "iso[", 4) == 0;
    if (strncmp(values + (b->iso ? 4 : 0), "complex", 7) == 0)
        return fail(why, "%s: attribute binsparse: complex values are not read yet; write the real part", b->path);
    const cJSON *shape = cJSON_GetObjectItemCaseSensitive(b->about, "shape");
    if (cJSON_GetArraySize(shape) != 2)
        return fail(why, "%s: attribute binsparse: shape has %d numbers, expected 2", b->path, cJSON_GetArraySize(shape));
    if (json_count(b, cJSON_GetArrayItem(shape, 0), "shape[0]", INT32_MAX, &b->rows, why) ||
        json_count(b, cJSON_GetArrayItem(shape, 1), "shape[1]", INT32_MAX, &b->cols, why) ||
        json_count(b, cJSON_GetObjectItemCaseSensitive(b->about, "number_of_stored_values"), "number_of_stored_values", 0x1p53, &b->nnz, why))
        return FAIL;
    return 0;
}

/* Fills b up to the header; bsp_close also after FAIL. */
static int bsp_open(const char *path, struct bsp *b, char why[ERRLEN])
{
    h5_quiet();
    *b = (struct bsp){ .path = path, .group = H5I_INVALID_HID };
    b->file = h5_open(path);
    if (b->file < 0)
        return h5_fail(why, "%s: not a whole HDF5 file (cut short or damaged); get or make it again", path);
    int found = find_group(b->file, &b->group);
    if (found != 1 || b->group < 0)
        return fail(why, "%s holds %d Binsparse matrices, expected one (attribute 'binsparse' on the root or on one group)", path, found);
    char *text = xmalloc(JSON_BYTES);
    b->root = h5_get_text(b->group, "binsparse", text, JSON_BYTES) ? NULL : cJSON_Parse(text);
    free(text);
    if (!b->root)
        return fail(why, "%s: attribute binsparse is no text of JSON", path);
    b->about = cJSON_GetObjectItemCaseSensitive(b->root, "binsparse");
    if (!cJSON_IsObject(b->about))
        b->about = b->root;
    b->ours = cJSON_GetObjectItemCaseSensitive(b->root, "spmvcast");
    return check_header(b, why);
}

/* ---- arrays ------------------------------------------------------------------------------------------------------ */
/* Dataset `name` of exactly n numbers (of integers where `integers`), converted into memory type. to NULL: only checked.
 * HDF5 clips what does not fit into the memory type, so out of range stays out of range. */
static int read_array(const struct bsp *b, const char *name, int64_t n, bool integers, hid_t memory, void *to, char why[ERRLEN])
{
    hid_t set = H5Lexists(b->group, name, H5P_DEFAULT) > 0 ? H5Dopen2(b->group, name, H5P_DEFAULT) : H5I_INVALID_HID;
    if (set < 0)
        return fail(why, "%s: no dataset '%s', expected pointers_to_1, indices_1 and values", b->path, name);
    hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    H5T_class_t class = H5Tget_class(type);
    int64_t found = H5Sget_simple_extent_npoints(space);
    int status = 0;
    if (class != H5T_INTEGER && (integers || class != H5T_FLOAT))
        status = fail(why, "%s: dataset %s holds no %s", b->path, name, integers ? "integers" : "numbers");
    else if (H5Sget_simple_extent_ndims(space) != 1 || found != n)
        status = fail(why, "%s: dataset %s has %" PRId64 " elements, expected a line of %" PRId64, b->path, name, found, n);
    else if (to && n > 0 && H5Dread(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, to) < 0)
        status = h5_fail(why, "%s: dataset %s cannot be read (cut short, damaged, or compressed in a way this HDF5 does not know)", b->path, name);
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(set);
    return status;
}

/* Sizes of all three first, so that nothing is allocated for a header that the datasets do not bear out. */
static int read_arrays(const struct bsp *b, struct csr *a, char why[ERRLEN])
{
    int64_t nvalues = b->iso ? 1 : b->nnz;
    char inner[ERRLEN];
    if (read_array(b, "pointers_to_1", b->rows + 1, true, H5T_NATIVE_INT64, NULL, why) ||
        read_array(b, "indices_1", b->nnz, true, H5T_NATIVE_INT32, NULL, why) ||
        read_array(b, "values", nvalues, false, H5T_NATIVE_DOUBLE, NULL, why))
        return FAIL;
    int status = csr_alloc(a, b->rows, b->cols, b->nnz, inner);
    if (status) {
        fail(why, "%s: %s", b->path, inner);
        return status;
    }
    double one;
    if (read_array(b, "pointers_to_1", b->rows + 1, true, H5T_NATIVE_INT64, a->row_ptr, why) ||
        read_array(b, "indices_1", b->nnz, true, H5T_NATIVE_INT32, a->col, why) ||
        read_array(b, "values", nvalues, false, H5T_NATIVE_DOUBLE, b->iso ? &one : a->val, why))
        return FAIL;
    if (b->iso)
        for (int64_t k = 0; k < b->nnz; k++)
            a->val[k] = one;
    if (csr_check_bounds(a, inner))
        return fail(why, "%s: pointers_to_1, indices_1: %s", b->path, inner);
    coo_tidy_rows(a);
    return 0;
}

static void fill_name(const struct bsp *b, char *name, size_t bytes)
{
    if (json_text(b->ours, "name")[0])
        matrix_text(name, bytes, json_text(b->ours, "name"));
    else
        matrix_base_name(b->path, name, bytes);
}

int binsparse_read(const char *path, struct matrix *m, char why[ERRLEN])
{
    struct bsp b;
    memset(m, 0, sizeof *m);
    int status = bsp_open(path, &b, why);
    if (!status)
        status = read_arrays(&b, &m->csr, why);
    if (!status) {
        const char *field = json_text(b.ours, "field");
        fill_name(&b, m->name, sizeof m->name);
        matrix_text(m->group, sizeof m->group, json_text(b.ours, "group"));
        matrix_text(m->source, sizeof m->source, json_text(b.ours, "source"));
        matrix_text(m->recipe, sizeof m->recipe, json_text(b.ours, "recipe"));
        matrix_text(m->field, sizeof m->field, field[0] ? field : "real");
    }
    bsp_close(&b);
    return status;
}

int binsparse_peek(const char *path, struct matrix_header *h, char why[ERRLEN])
{
    struct bsp b;
    int status = bsp_open(path, &b, why);
    if (!status) {
        *h = (struct matrix_header){ b.rows, b.cols, b.nnz, false, "" };
        fill_name(&b, h->name, sizeof h->name);
    }
    bsp_close(&b);
    return status;
}
