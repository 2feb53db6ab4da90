/* SPDX-License-Identifier: BSD-3-Clause */
/* Binsparse 0.1 (GraphBLAS/binsparse-specification) in HDF5, written by any tool: CSR, CSC, DCSR, DCSC, COO, COOR or
 * COOC of any structure. The attribute `binsparse` (on the root, on a single group at any depth, or on the group
 * INSIDE) is JSON and describes the datasets. It is trusted only after the sizes of the datasets and the contents of
 * the arrays agree with it. bint8 is 0 or 1. Duplicate entries are summed in file order. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "input/binsparse_inside.h"
#include "input/reader.h"

enum { JSON_BYTES = 1 << 20, LISTED = 200 };

static const struct bsp_format formats[] = {
    { "CSR", BSP_COMPRESSED, false },  { "CSC", BSP_COMPRESSED, true },   { "DCSR", BSP_DOUBLY, false },
    { "DCSC", BSP_DOUBLY, true },      { "COO", BSP_COORDINATES, false }, { "COOR", BSP_COORDINATES, false },
    { "COOC", BSP_COORDINATES, true }, { NULL, BSP_COMPRESSED, false },
};

static const struct {
    const char *name, *what;
} others[] = {
    { "DVEC", "a dense vector" }, { "VEC", "a sparse vector" },  { "CVEC", "a sparse vector" },
    { "DMAT", "a dense matrix" }, { "DMATR", "a dense matrix" }, { "DMATC", "a dense matrix" },
};

static const struct bsp_names names = { "pointers_to_1", "indices_0", "indices_1", "values",
                                        "number_of_stored_values" };

/* The real part of a Hermitian matrix is symmetric. */
static const struct bsp_structure structures[] = {
    { "general", BSP_BOTH, COO_GENERAL },
    { "symmetric_lower", BSP_LOWER, COO_SYMMETRIC },
    { "symmetric_upper", BSP_UPPER, COO_SYMMETRIC },
    { "hermitian_lower", BSP_LOWER, COO_SYMMETRIC },
    { "hermitian_upper", BSP_UPPER, COO_SYMMETRIC },
    { "skew_symmetric_lower", BSP_LOWER, COO_SKEW },
    { "skew_symmetric_upper", BSP_UPPER, COO_SKEW },
    { NULL, BSP_BOTH, COO_GENERAL },
};

/* ---- opening ----------------------------------------------------------------------------------------------------- */
struct search {
    int found;
    char name[256], names[LISTED + 8];
};

static bool is_matrix(hid_t root, const char *name)
{
    hid_t object = H5Oopen(root, name, H5P_DEFAULT);
    bool is = object >= 0 && H5Iget_type(object) == H5I_GROUP && H5Aexists(object, "binsparse") > 0;
    if (object >= 0)
        H5Oclose(object);
    return is;
}

static herr_t visit(hid_t root, const char *name, const H5L_info_t *info, void *data)
{
    struct search *s = data;
    if (info->type != H5L_TYPE_HARD || !is_matrix(root, name))
        return 0;
    size_t n = strlen(s->names);
    if (s->found++ == 0)
        matrix_text(s->name, sizeof s->name, name);
    if (n < 5 || strcmp(s->names + n - 5, ", ...") != 0)
        snprintf(s->names + n, sizeof s->names - n, "%s%s", n ? ", " : "",
                 n + strlen(name) + 2 <= LISTED ? name : "...");
    return 0;
}

/* Finds the matrices of a file. A matrix on the root hides those in groups, which belong to it. */
static void find_groups(hid_t file, bool root_hides, struct search *s)
{
    *s = (struct search){ 0 };
    if (H5Aexists(file, "binsparse") > 0) {
        *s = (struct search){ 1, "/", "/" };
        if (root_hides)
            return;
    }
    H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, visit, s);
}

/* Opens the requested group, or the only one. */
static int open_group(struct bsp *b, const struct input *in, char why[ERRLEN])
{
    struct search s;
    const bool picked = in->inside[0] && is_matrix(b->file, in->inside);
    find_groups(b->file, !in->inside[0], &s);
    if (s.found == 0)
        return fail(why, "%s: HDF5 file without attribute 'binsparse'; expected a Binsparse matrix", in->file);
    if (in->inside[0] && !picked)
        return fail(why, "%s: Binsparse matrix '%.64s' not found; the file holds: %s", in->file, in->inside, s.names);
    if (!in->inside[0] && s.found > 1)
        return fail(why, "%s holds %d Binsparse matrices: %s; name one as %s:GROUP", in->file, s.found, s.names,
                    in->file);
    b->group = H5Gopen2(b->file, picked ? in->inside : s.name, H5P_DEFAULT);
    return b->group >= 0 ? 0 : h5_fail(why, "%s: cannot open group '%s'", in->file, picked ? in->inside : s.name);
}

static void bsp_close(struct bsp *b)
{
    cJSON_Delete(b->root);
    if (b->group >= 0)
        H5Gclose(b->group);
}

static const char *json_text(const cJSON *object, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
    return text ? text : "";
}

/* Parses an integer from 0 to limit. */
static int json_count(const struct bsp *b, const cJSON *item, const char *what, double limit, int64_t *out,
                      char why[ERRLEN])
{
    double v = cJSON_IsNumber(item) ? item->valuedouble : -1;
    if (!(v >= 0 && v <= limit) || v != (double)(int64_t)v)
        return fail(why, "%s: attribute binsparse: %s is %s, expected an integer from 0 to %.0f", b->path, what,
                    cJSON_IsNumber(item) ? "out of range" : "missing or not a number", limit);
    *out = (int64_t)v;
    return 0;
}

static int find_format(struct bsp *b, char why[ERRLEN])
{
    const char *format = json_text(b->about, "format");
    for (b->format = formats; b->format->name; b->format++)
        if (strcasecmp(format, b->format->name) == 0)
            return 0;
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (strcasecmp(format, others[k].name) == 0)
            return fail(
                why,
                "%s: attribute binsparse: format '%s' is %s; expected a sparse matrix (CSR, CSC, DCSR, DCSC, COO, COOR, COOC)",
                b->path, others[k].name, others[k].what);
    return fail(why,
                "%s: attribute binsparse: unknown format '%.20s'; expected CSR, CSC, DCSR, DCSC, COO, COOR or COOC",
                b->path, format[0] ? format : "(custom)");
}

static int find_structure(struct bsp *b, char why[ERRLEN])
{
    const char *structure = json_text(b->about, "structure");
    for (b->structure = structures; structure[0] && b->structure->name && strcmp(structure, b->structure->name) != 0;)
        b->structure++;
    if (!b->structure->name)
        return fail(
            why,
            "%s: attribute binsparse: unknown structure '%.30s'; expected general, or symmetric, hermitian or skew_symmetric "
            "with _lower or _upper",
            b->path, structure);
    if (b->structure->triangle != BSP_BOTH && b->rows != b->cols)
        return fail(why,
                    "%s: attribute binsparse: a %" PRId64 " x %" PRId64
                    " matrix cannot be %s; expected a square matrix or 'general'",
                    b->path, b->rows, b->cols, structure);
    return 0;
}

/* Parses "int32", "iso[float64]", "complex[float32]", "iso[complex[float64]]", "bint8" ... The type of the numbers
 * itself is taken from the dataset. */
static int find_values(struct bsp *b, bool real_part, char why[ERRLEN])
{
    const char *values = json_text(cJSON_GetObjectItemCaseSensitive(b->about, "data_types"), "values");
    b->iso = strncmp(values, "iso[", 4) == 0;
    values += b->iso ? 4 : 0;
    b->complex = strncmp(values, "complex", 7) == 0 ? BSP_PAIRS : BSP_REAL;
    b->boolean = strncmp(values, "bint8", 5) == 0;
    b->fill = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(b->about, "fill"));
    if (b->complex && !real_part)
        return fail(why, "%s: attribute binsparse: complex values are not supported; --real-part keeps the real parts",
                    b->path);
    return 0;
}

static int check_header(struct bsp *b, bool real_part, char why[ERRLEN])
{
    const char *version = json_text(b->about, "version");
    if (strcmp(version, "0.1") != 0 && strncmp(version, "0.1.", 4) != 0)
        return fail(why, "%s: attribute binsparse: version '%.20s', expected 0.1 or 0.1.*", b->path, version);
    const cJSON *shape = cJSON_GetObjectItemCaseSensitive(b->about, "shape");
    if (find_format(b, why))
        return FAIL;
    if (cJSON_GetArraySize(shape) != 2)
        return fail(why, "%s: attribute binsparse: shape has %d numbers, expected 2", b->path,
                    cJSON_GetArraySize(shape));
    if (json_count(b, cJSON_GetArrayItem(shape, 0), "shape[0]", INT32_MAX, &b->rows, why)
        || json_count(b, cJSON_GetArrayItem(shape, 1), "shape[1]", INT32_MAX, &b->cols, why)
        || json_count(b, cJSON_GetObjectItemCaseSensitive(b->about, "number_of_stored_values"),
                      "number_of_stored_values", 0x1p53, &b->nnz, why))
        return FAIL;
    return find_structure(b, why) || find_values(b, real_part, why) ? FAIL : 0;
}

/* Opens the group and parses its header. Call bsp_close even after FAIL. */
static int bsp_open(const struct input *in, struct bsp *b, char why[ERRLEN])
{
    h5_quiet();
    *b = (struct bsp){ .group = H5I_INVALID_HID, .names = &names };
    bsp_label(b, in, in->inside);
    const int status = bsp_file(in, &b->file, why);
    if (status || open_group(b, in, why))
        return status ? status : FAIL;
    char *text = xmalloc(JSON_BYTES);
    b->root = h5_get_text(b->group, "binsparse", text, JSON_BYTES) ? NULL : cJSON_ParseWithOpts(text, NULL, true);
    free(text);
    if (!cJSON_IsObject(b->root))
        return fail(why, "%s: attribute binsparse is not JSON text", b->path);
    b->about = cJSON_GetObjectItemCaseSensitive(b->root, "binsparse");
    if (!cJSON_IsObject(b->about))
        b->about = b->root;
    b->ours = cJSON_GetObjectItemCaseSensitive(b->root, "spmvcast");
    return check_header(b, in->real_part, why);
}

/* ---- reader interface -------------------------------------------------------------------------------------------- */
static void fill_name(const struct bsp *b, const struct input *in, char *name, size_t bytes)
{
    matrix_text(name, bytes, json_text(b->ours, "name"));
    if (!name[0])
        matrix_base_name(in->inside, name, bytes);
    if (!name[0])
        matrix_base_name(in->file, name, bytes);
}

/* Returns the field that spmv-import recorded, else the one that follows from the type of the values. */
static const char *field_of(const struct bsp *b)
{
    const char *ours = json_text(b->ours, "field");
    const char *type = json_text(cJSON_GetObjectItemCaseSensitive(b->about, "data_types"), "values");
    return ours[0] ? ours : !b->complex && strstr(type, "int") ? "integer" : "real";
}

/* Returns a count of struct coo_repeats that was recorded when the file was written; 0: none. */
static int64_t counted_before(const struct bsp *b, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(b->ours, key);
    const double n = cJSON_IsNumber(item) ? item->valuedouble : 0;
    return n > 0 && n < 0x1p53 ? (int64_t)n : 0;
}

static int binsparse_read(struct input *in, struct matrix *m, char why[ERRLEN])
{
    struct bsp b;
    int status = bsp_open(in, &b, why);
    if (!status)
        status = bsp_read_arrays(&b, &m->csr, &m->repeats, why);
    if (!status) {
        fill_name(&b, in, m->name, sizeof m->name);
        matrix_text(m->group, sizeof m->group, json_text(b.ours, "group"));
        matrix_text(m->source, sizeof m->source, json_text(b.ours, "source"));
        matrix_text(m->recipe, sizeof m->recipe, json_text(b.ours, "recipe"));
        matrix_text(m->field, sizeof m->field, field_of(&b));
        matrix_text(m->import_key, sizeof m->import_key, json_text(b.ours, "import_key"));
        m->before.summed = counted_before(&b, "summed");
        m->before.both_triangles = counted_before(&b, "both_triangles");
    }
    bsp_close(&b);
    return status;
}

static int binsparse_peek(struct input *in, struct matrix_header *h, char why[ERRLEN])
{
    struct bsp b;
    int status = bsp_open(in, &b, why);
    if (!status) {
        *h = (struct matrix_header){ b.rows, b.cols, b.nnz, b.structure->mirror != COO_GENERAL, "" };
        fill_name(&b, in, h->name, sizeof h->name);
    }
    bsp_close(&b);
    return status;
}

static enum claim binsparse_recognises(const struct input *in)
{
    struct search s;
    if (in->form != INPUT_HDF5)
        return CLAIM_NO;
    if (in->h5 < 0)
        return CLAIM_LIKELY; /* damaged; binsparse_read reports how */
    find_groups(in->h5, true, &s);
    /* CLAIM_REST: the requested group is missing; binsparse_read reports it */
    return s.found > 0 ? CLAIM_SURE : in->inside[0] ? CLAIM_REST : CLAIM_NO;
}

const struct reader binsparse_reader = {
    .name = "binsparse",
    .import = true,
    .about = "a Binsparse file in HDF5",
    .inside = "a group of an HDF5 file",
    .endings =
        (const struct ending[]){
            { ".h5", ENDING_WHOLE }, { ".hdf5", ENDING_WHOLE }, { ".bsp", ENDING_NAME }, { NULL, ENDING_WHOLE } },
    .recognises = binsparse_recognises,
    .peek = binsparse_peek,
    .read = binsparse_read,
};
