/* SPDX-License-Identifier: BSD-3-Clause */
/* Sparse matrices in MATLAB's files of version 7.3, which are HDF5: a variable is a group with attribute MATLAB_class; of a sparse one
 * MATLAB_sparse is the number of rows, and jc, ir and data are its columns. Chosen as in files of version 5 (mat5.c). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/binary.h"
#include "input/binsparse_inside.h"
#include "input/matlab.h"
#include "input/reader.h"

static const struct bsp_format by_columns = { "sparse", BSP_COMPRESSED, true };
static const struct bsp_structure general = { "general", BSP_BOTH, COO_GENERAL };
static const struct bsp_names names = { "jc", "", "ir", "data", "the number of elements of ir" };

struct mat73 {
    const struct input *in;
    struct matlab_choice choice;
    hid_t file;
    char place[2 * MATLAB_NAME]; /* path of the matrix in the file */
    bool of_struct;
};

static bool is_class(hid_t object, const char *wanted)
{
    char class[32];
    return h5_get_text(object, "MATLAB_class", class, sizeof class) == 0 && (!wanted || strcmp(class, wanted) == 0);
}

static bool is_sparse(hid_t object)
{
    return H5Iget_type(object) == H5I_GROUP && H5Aexists(object, "MATLAB_sparse") > 0;
}

static hid_t open_at(hid_t at, const char *name)
{
    return H5Lexists(at, name, H5P_DEFAULT) > 0 ? H5Oopen(at, name, H5P_DEFAULT) : H5I_INVALID_HID;
}

static void close_object(hid_t object)
{
    if (object >= 0)
        H5Oclose(object);
}

/* Looks at one variable. */
static herr_t visit(hid_t root, const char *name, const H5L_info_t *info, void *data)
{
    struct mat73 *m = data;
    const hid_t object = info->type == H5L_TYPE_HARD ? H5Oopen(root, name, H5P_DEFAULT) : H5I_INVALID_HID;
    struct matlab_array a = { .kind = MATLAB_OTHER };
    if (object < 0)
        return 0;
    snprintf(a.name, sizeof a.name, "%s", name);
    if (is_sparse(object))
        a.kind = MATLAB_SPARSE;
    else if (H5Iget_type(object) == H5I_GROUP && is_class(object, "struct"))
        a.kind = MATLAB_STRUCT;
    if (matlab_wants(&m->choice, &a)) {
        const hid_t field = a.kind == MATLAB_STRUCT ? open_at(object, m->choice.field) : H5I_INVALID_HID;
        m->of_struct = a.kind == MATLAB_STRUCT;
        m->choice.taken = !m->of_struct || (field >= 0 && is_sparse(field));
        if (m->choice.taken)
            snprintf(m->place, sizeof m->place, m->of_struct ? "%s/%s" : "%s", a.name, m->choice.field);
        matlab_took(&m->choice, &a);
        close_object(field);
    } else if (is_class(object, NULL))
        matlab_list(&m->choice, &a);
    H5Oclose(object);
    return 0;
}

static int find(struct mat73 *m, const struct input *in, char why[ERRLEN])
{
    *m = (struct mat73){ .in = in };
    matlab_choose(in->inside, &m->choice);
    const int status = bsp_file(in, &m->file, why);
    if (status)
        return status;
    H5Literate(m->file, H5_INDEX_NAME, H5_ITER_INC, NULL, visit, m);
    return matlab_chosen(&m->choice, in->file, why);
}

/* Opens a sparse array. Call close_object on b->group even after a failure. */
static int open_sparse(const struct mat73 *m, const char *place, struct bsp *b, char why[ERRLEN])
{
    int64_t pointers = 0;
    *b = (struct bsp){ .file = m->file, .names = &names, .structure = &general, .format = &by_columns };
    bsp_label(b, m->in, place);
    b->group = H5Oopen(m->file, place, H5P_DEFAULT);
    if (b->group < 0)
        return h5_fail(why, "%s: cannot open it", b->path);
    if (h5_get_int(b->group, "MATLAB_sparse", &b->rows) || b->rows < 0 || b->rows > INT32_MAX)
        return fail(why, "%s: attribute MATLAB_sparse: expected the number of rows, from 0 to 2147483647", b->path);
    int status = bsp_length(b, names.pointers, &pointers, why);
    if (!status && (pointers < 1 || pointers - 1 > INT32_MAX))
        return fail(why, "%s: dataset jc has %" PRId64 " elements, expected 1 to 2147483648", b->path, pointers);
    b->cols = pointers - 1;
    if (!status && H5Lexists(b->group, names.minors, H5P_DEFAULT) > 0) /* there is none without entries */
        status = bsp_length(b, names.minors, &b->nnz, why);
    return status;
}

/* Finds out whether the values are complex. */
static int check_values(struct bsp *b, bool real_part, char why[ERRLEN])
{
    const hid_t set = open_at(b->group, names.values),
                type = set >= 0 && H5Iget_type(set) == H5I_DATASET ? H5Dget_type(set) : H5I_INVALID_HID;
    if (type >= 0 && H5Tget_class(type) == H5T_COMPOUND && H5Tget_nmembers(type) == 2)
        b->complex = BSP_COMPOUND;
    if (type >= 0)
        H5Tclose(type);
    close_object(set);
    return b->complex ? binary_complex(b->path, real_part, why) : 0;
}

/* Returns the path of the field Zeros, if the matrix has one: a sparse array of its explicit zeros. */
static const char *zeros_of(const struct mat73 *m, char place[2 * MATLAB_NAME])
{
    char *slash = strchr(memcpy(place, m->place, sizeof m->place), '/');
    if (!slash || !m->choice.problem || slash - place > MATLAB_NAME)
        return NULL;
    snprintf(slash, 8, "/Zeros");
    if (H5Lexists(m->file, place, H5P_DEFAULT) <= 0)
        return NULL;
    const hid_t object = H5Oopen(m->file, place, H5P_DEFAULT);
    const bool sparse = object >= 0 && is_sparse(object);
    close_object(object);
    return sparse ? place : NULL;
}

/* Reads the field `name`, characters of 16 bits. */
static void stated_name(const struct mat73 *m, char name[128])
{
    char place[2 * MATLAB_NAME];
    uint16_t c[127] = { 0 };
    char *slash = strchr(memcpy(place, m->place, sizeof m->place), '/');
    name[0] = 0;
    if (!slash || !m->choice.problem || slash - place > MATLAB_NAME)
        return;
    snprintf(slash, 8, "/name");
    const hid_t set = H5Lexists(m->file, place, H5P_DEFAULT) > 0 ? H5Oopen(m->file, place, H5P_DEFAULT) : -1;
    if (set >= 0 && H5Iget_type(set) == H5I_DATASET && is_class(set, "char")) {
        const hid_t space = H5Dget_space(set);
        const hssize_t n = H5Sget_simple_extent_npoints(space);
        if (n > 0 && n <= 127 && h5_decodes(set, "", "", NULL) == 0
            && H5Dread(set, H5T_NATIVE_UINT16, H5S_ALL, H5S_ALL, H5P_DEFAULT, c) >= 0)
            for (hssize_t k = 0; k <= n; k++)
                name[k] = k == n ? 0 : c[k] > 0 && c[k] < 0x80 ? (char)c[k] : '?';
        H5Sclose(space);
    }
    close_object(set);
}

/* Appends the entries of an array, as zeros if `zeros`. A matrix without entries has no datasets but jc. */
static int append(const struct bsp *b, bool zeros, struct coo_list *list, char why[ERRLEN])
{
    const int64_t first = list->pieces;
    const int status = b->nnz > 0 ? bsp_append_arrays(b, list, why)
                                  : arrays_fit(b->path, b->rows, b->cols, 0, COO_GENERAL, false, why);
    for (int64_t p = first; !status && zeros && p < list->pieces; p++) {
        struct coo_entry *e = list->piece[p].entry;
        for (int64_t k = 0; k < list->piece[p].n; k++)
            e[k].val = 0;
    }
    return status;
}

/* Opens the matrix and its zeros; reads them into the list, if there is one. */
static int get(const struct mat73 *m, struct bsp *b, int64_t *zeros, struct coo_list *list, char why[ERRLEN])
{
    char place[2 * MATLAB_NAME];
    struct bsp z = { .group = H5I_INVALID_HID };
    int status = open_sparse(m, m->place, b, why);
    if (!status)
        status = check_values(b, m->in->real_part, why);
    if (!status && list)
        status = append(b, false, list, why);
    const char *at = status ? NULL : zeros_of(m, place);
    *zeros = 0;
    if (at) {
        status = open_sparse(m, at, &z, why);
        z.complex = BSP_REAL;
        if (!status && (z.rows != b->rows || z.cols != b->cols))
            status = fail(why, "%s is %" PRId64 " x %" PRId64 ", expected %" PRId64 " x %" PRId64, z.path, z.rows,
                          z.cols, b->rows, b->cols);
        if (!status && list)
            status = append(&z, true, list, why);
        *zeros = z.nnz;
        close_object(z.group);
    }
    close_object(b->group);
    return status;
}

static bool all_ones(const struct coo_list *list)
{
    bool ones = true;
    for (int p = 0; ones && p < list->pieces; p++) {
        const struct coo_entry *e = list->piece[p].entry;
        for (int64_t k = 0; ones && k < list->piece[p].n; k++)
            ones = e[k].val == 1;
    }
    return ones;
}

static int mat73_read(struct input *in, struct matrix *to, char why[ERRLEN])
{
    struct mat73 m;
    struct bsp b;
    struct coo_list list = { 0 };
    char name[128];
    int64_t zeros;
    int status = find(&m, in, why);
    if (!status)
        status = get(&m, &b, &zeros, &list, why);
    const bool ones = !status && m.of_struct && all_ones(&list);
    if (!status)
        status = coo_list_to_csr(&list, COO_GENERAL, b.rows, b.cols, &to->csr, &to->repeats, why);
    coo_list_free(&list);
    if (status)
        return status;
    stated_name(&m, name);
    matlab_fill(in, name, ones, to);
    return 0;
}

static int mat73_peek(struct input *in, struct matrix_header *h, char why[ERRLEN])
{
    struct mat73 m;
    struct bsp b;
    char name[128];
    int64_t zeros;
    int status = find(&m, in, why);
    if (!status)
        status = get(&m, &b, &zeros, NULL, why);
    if (status)
        return status;
    *h = (struct matrix_header){ .rows = b.rows, .cols = b.cols, .nnz_stored = b.nnz + zeros };
    stated_name(&m, name);
    matlab_name(in, name, h->name, sizeof h->name);
    return 0;
}

static herr_t find_class(hid_t root, const char *name, const H5L_info_t *info, void *found)
{
    const hid_t object = info->type == H5L_TYPE_HARD ? H5Oopen(root, name, H5P_DEFAULT) : H5I_INVALID_HID;
    *(bool *)found |= object >= 0 && is_class(object, NULL);
    close_object(object);
    return *(bool *)found;
}

static enum claim mat73_recognises(const struct input *in)
{
    bool found = false;
    if (in->form != INPUT_HDF5 || in->h5 < 0)
        return CLAIM_NO;
    H5Literate(in->h5, H5_INDEX_NAME, H5_ITER_INC, NULL, find_class, &found);
    return found ? CLAIM_SURE : CLAIM_NO;
}

const struct reader mat73_reader = {
    .name = "mat73",
    .recognises = mat73_recognises,
    .peek = mat73_peek,
    .read = mat73_read,
    .inside = "a variable of a MATLAB file",
};
