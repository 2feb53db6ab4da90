/* SPDX-License-Identifier: BSD-3-Clause */
/* Datasets of sparse matrices → CSR. General CSR is read in place; other formats are converted to entries, then to CSR. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "archive/archive.h"
#include "archive/h5_stored.h"
#include "base/strings.h"
#include "input/binsparse_inside.h"

/* ---- datasets ---------------------------------------------------------------------------------------------------- */
struct dataset {
    hid_t set, type, space;
};

static void dataset_close(const struct dataset *d)
{
    if (d->space >= 0)
        H5Sclose(d->space);
    if (d->type >= 0)
        H5Tclose(d->type);
    if (d->set >= 0)
        H5Dclose(d->set);
}

/* Opens a one-dimensional dataset of integers, or of any numbers. *n: its length. Call dataset_close even after
 * FAIL. */
static int dataset_open(const struct bsp *b, const char *name, bool integers, struct dataset *d, int64_t *n,
                        char why[ERRLEN])
{
    *d = (struct dataset){ H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID };
    if (H5Lexists(b->group, name, H5P_DEFAULT) > 0)
        d->set = H5Dopen2(b->group, name, H5P_DEFAULT);
    if (d->set < 0)
        return fail(why, "%s: missing dataset '%s', required by format %s", b->path, name, b->format->name);
    d->type = H5Dget_type(d->set);
    d->space = H5Dget_space(d->set);
    H5T_class_t class = H5Tget_class(d->type);
    /* h5py stores bool as an enumeration */
    if (class != H5T_INTEGER
        && (integers
            || (class != H5T_FLOAT && class != H5T_ENUM && (class != H5T_COMPOUND || b->complex != BSP_COMPOUND))))
        return fail(why, "%s: dataset %s does not contain %s", b->path, name, integers ? "integers" : "numbers");
    *n = H5Sget_simple_extent_npoints(d->space);
    if (H5Sget_simple_extent_ndims(d->space) != 1)
        return fail(why, "%s: dataset %s has %d dimensions, expected 1", b->path, name,
                    H5Sget_simple_extent_ndims(d->space));
    if (!h5_holds(d->set))
        return fail(why, "%s: dataset %s declares %" PRId64 " elements, more than the file can hold", b->path, name,
                    *n);
    return 0;
}

/* Checks that dataset `name` has n elements, without reading them. */
static int check_length(const struct bsp *b, const char *name, int64_t n, bool integers, char why[ERRLEN])
{
    struct dataset d;
    int64_t found = 0;
    int status = dataset_open(b, name, integers, &d, &found, why);
    if (!status && found != n)
        status = fail(why, "%s: dataset %s has %" PRId64 " elements, expected %" PRId64, b->path, name, found, n);
    dataset_close(&d);
    return status;
}

/* Returns a type for the real parts of a compound of two numbers; close with H5Tclose. */
static hid_t real_part_type(hid_t type)
{
    char *name = H5Tget_nmembers(type) > 0 ? H5Tget_member_name(type, 0) : NULL;
    const hid_t part = H5Tcreate(H5T_COMPOUND, sizeof(double));
    if (name)
        H5Tinsert(part, name, 0, H5T_NATIVE_DOUBLE);
    H5free_memory(name);
    return part;
}

/* Reads the selected elements; all n, if `all`. Returns a negative number on failure. */
static int read_elements(const struct dataset *d, hid_t memory_type, int64_t n, bool all, hid_t memory, void *to)
{
    const hid_t creation = H5Dget_create_plist(d->set);
    const size_t size = H5Tget_size(d->type);
    bool read;
    int status = 1;
    if (creation >= 0 && H5Tequal(d->type, memory_type) > 0 && h5_is_deflated(d->set, creation, d->type, d->space))
        status = all ? h5_read_deflated(d->set, creation, size, (hsize_t)n, to)
                 : h5_stored_wrong(d->set, creation, size, d->space, &read) ? FAIL
                                                                            : 1;
    if (status > 0)
        status = H5Dread(d->set, memory_type, memory, d->space, H5P_DEFAULT, to);
    if (creation >= 0)
        H5Pclose(creation);
    return status;
}

/* Reads every `stride`-th of n * stride elements, converted to the memory type. HDF5 clips values that do not fit, so
 * an index out of range stays out of range. */
static int read_array(const struct bsp *b, const char *name, int64_t n, int stride, hid_t memory_type, void *to,
                      char why[ERRLEN])
{
    struct dataset d;
    int64_t found;
    int status = dataset_open(b, name, false, &d, &found, why);
    if (!status)
        status = h5_decodes(d.set, b->path, name, why);
    if (!status && !h5_written(d.set))
        note("%s: not all elements of dataset %s are stored; the others are read as its fill value", b->path, name);
    if (!status && n > 0) {
        hsize_t start = 0, step = (hsize_t)stride, count = (hsize_t)n;
        hid_t memory = H5Screate_simple(1, &count, NULL);
        const bool compound = H5Tget_class(d.type) == H5T_COMPOUND;
        if (compound)
            memory_type = real_part_type(d.type);
        if ((stride > 1 && H5Sselect_hyperslab(d.space, H5S_SELECT_SET, &start, &step, &count, NULL) < 0)
            || read_elements(&d, memory_type, n, stride == 1, memory, to) < 0) {
            h5_fail(why,
                    "%s: cannot read dataset %s (cut short, damaged, or its compression is not supported by this HDF5)",
                    b->path, name);
            status = h5_blame(b->path, why) ? FAIL : ARCHIVE_DAMAGED;
        }
        H5Sclose(memory);
        if (compound)
            H5Tclose(memory_type);
    }
    dataset_close(&d);
    return status;
}

/* ---- checks ------------------------------------------------------------------------------------------------------ */
/* Checks that no major is listed twice: its entries would be summed silently. */
static int check_listed(const struct bsp *b, const struct arrays *r, char why[ERRLEN])
{
    for (int64_t k = 1; k < r->listed; k++)
        if (r->majors[k] <= r->majors[k - 1])
            return fail(why,
                        "%s: dataset %s: %" PRId32 " follows %" PRId32 " (element %" PRId64
                        ", counted from 0), expected increasing indices",
                        b->path, b->names->majors, r->majors[k], r->majors[k - 1], k);
    return 0;
}

static int check_fill(const struct bsp *b, char why[ERRLEN])
{
    double fill = 0;
    if (!b->fill)
        return 0;
    if (check_length(b, "fill_value", 1, false, why)
        || read_array(b, "fill_value", 1, 1, H5T_NATIVE_DOUBLE, &fill, why))
        return FAIL;
    return fill == 0 ? 0 : fail(why, "%s: dataset fill_value is %g, expected 0 for a sparse matrix", b->path, fill);
}

/* Checks all sizes first, so that nothing is allocated for a header that contradicts the datasets. */
static int check_lengths(const struct bsp *b, struct arrays *r, char why[ERRLEN])
{
    struct dataset d;
    const int64_t majors = b->format->by_columns ? b->cols : b->rows;
    r->listed = b->format->kind == BSP_COORDINATES ? -1 : majors;
    if (b->format->kind == BSP_DOUBLY) {
        int status = dataset_open(b, b->names->majors, true, &d, &r->listed, why);
        dataset_close(&d);
        if (status)
            return status;
        if (r->listed > majors)
            return fail(why, "%s: dataset %s has %" PRId64 " elements, expected at most %" PRId64, b->path,
                        b->names->majors, r->listed, majors);
    }
    if (b->format->kind == BSP_COORDINATES ? check_length(b, b->names->majors, b->nnz, true, why)
                                           : check_length(b, b->names->pointers, r->listed + 1, true, why))
        return FAIL;
    return check_length(b, b->names->minors, b->nnz, true, why)
                   || check_length(b, b->names->values, (b->iso ? 1 : b->nnz) * (b->complex == BSP_PAIRS ? 2 : 1),
                                   false, why)
                   || check_fill(b, why)
               ? FAIL
               : 0;
}

/* Says how many values are not what the file holds, before they are changed. */
static void note_values(const struct bsp *b, const double *value, int64_t n)
{
    enum { BOOLEAN, WIDE, WHOLE, KINDS };
    static const char *const texts[KINDS] = { [BOOLEAN] = "of type bint8 neither 0 nor 1; read as 1",
                                              [WIDE] = "infinite, or beyond the range of float64; read as infinite",
                                              [WHOLE] = "integers of 2^53 or more; read as the nearest float64" };
    struct dataset d;
    char unread[ERRLEN];
    int64_t length, count = 0;
    const int status = dataset_open(b, b->names->values, false, &d, &length, unread);
    const H5T_class_t class = status ? H5T_NO_CLASS : H5Tget_class(d.type);
    const int kind = status                                             ? KINDS
                     : b->boolean                                       ? BOOLEAN
                     : class == H5T_FLOAT && H5Tget_size(d.type) > 8    ? WIDE
                     : class == H5T_INTEGER && H5Tget_size(d.type) >= 8 ? WHOLE
                                                                        : KINDS;
    dataset_close(&d);
    for (int64_t k = 0; k < n && kind < KINDS; k++)
        count += kind == BOOLEAN ? value[k] != 0 && value[k] != 1
                 : kind == WIDE  ? isinf(value[k])
                                 : fabs(value[k]) >= 0x1p53;
    if (count > 0)
        note("%s: %s of dataset %s: %s", b->path, counted(count, "element").text, b->names->values, texts[kind]);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */
static int read_all(const struct bsp *b, const struct arrays *r, char why[ERRLEN])
{
    const int64_t n_majors = r->pointers ? r->listed : b->nnz;
    double one = 0;
    int status =
        r->pointers ? read_array(b, b->names->pointers, r->listed + 1, 1, H5T_NATIVE_INT64, r->pointers, why) : 0;
    if (!status && r->pointers)
        status = arrays_check_pointers(r, why);
    if (!status && r->majors)
        status = read_array(b, b->names->majors, n_majors, 1, H5T_NATIVE_INT32, r->majors, why);
    if (!status)
        status = read_array(b, b->names->minors, b->nnz, 1, H5T_NATIVE_INT32, r->minors, why);
    if (!status)
        status = read_array(b, b->names->values, b->iso ? 1 : b->nnz, b->complex == BSP_PAIRS ? 2 : 1,
                            H5T_NATIVE_DOUBLE, b->iso ? &one : r->values, why);
    if (status)
        return status;
    note_values(b, b->iso ? &one : r->values, b->iso ? 1 : b->nnz);
    if (b->iso)
        for (int64_t k = 0; k < b->nnz; k++)
            r->values[k] = one;
    if (b->boolean)
        for (int64_t k = 0; k < b->nnz; k++)
            r->values[k] = r->values[k] != 0;
    if (arrays_check(r, why))
        return FAIL;
    return b->format->kind == BSP_DOUBLY ? check_listed(b, r, why) : 0;
}

/* Checks that the structure allows every entry; reports the first that it does not allow. */
static int check_structure(const struct bsp *b, const struct coo_entry *e, char why[ERRLEN])
{
    const struct bsp_structure *s = b->structure;
    int64_t bad = b->nnz;
#pragma omp parallel for schedule(static) reduction(min : bad)
    for (int64_t k = 0; k < b->nnz; k++) {
        bool outside =
            (s->triangle == BSP_LOWER && e[k].row < e[k].col) || (s->triangle == BSP_UPPER && e[k].row > e[k].col);
        if ((outside || (s->mirror == COO_SKEW && e[k].row == e[k].col && e[k].val != 0)) && k < bad)
            bad = k;
    }
    if (bad < b->nnz)
        return fail(why,
                    "%s: entry %" PRId64 " (counted from 0) is %g at row %" PRId32 ", column %" PRId32
                    ", which structure %s does not allow",
                    b->path, bad, e[bad].val, e[bad].row, e[bad].col, s->name);
    return 0;
}

static struct arrays arrays_of(const struct bsp *b)
{
    return (struct arrays){ .path = b->path,
                            .kind = "dataset ",
                            .pointers_are = b->names->pointers,
                            .majors_are = b->names->majors,
                            .minors_are = b->names->minors,
                            .entries_are = b->names->entries,
                            .rows = b->rows,
                            .cols = b->cols,
                            .entries = b->nnz,
                            .by_columns = b->format->by_columns };
}

int bsp_append_arrays(const struct bsp *b, struct coo_list *list, char why[ERRLEN])
{
    struct arrays r = arrays_of(b);
    struct coo_entry *e = NULL;
    int status = check_lengths(b, &r, why);
    if (!status)
        status = arrays_fit(b->path, b->rows, b->cols, b->nnz, b->structure->mirror, false, why);
    if (!status)
        status = arrays_alloc(&r, b->format->kind != BSP_COMPRESSED, why);
    if (!status)
        status = read_all(b, &r, why);
    if (!status && b->nnz > 0 && !(e = coo_list_add(list, b->nnz)))
        status = arrays_no_memory(&r, why);
    if (!status && e) {
        arrays_entries(&r, e);
        status = check_structure(b, e, why);
    }
    arrays_free(&r);
    return status;
}

static int read_in_place(const struct bsp *b, struct csr *a, struct coo_repeats *repeats, char why[ERRLEN])
{
    struct arrays r = arrays_of(b);
    char inner[ERRLEN];
    int status = check_lengths(b, &r, why);
    if (!status)
        status = arrays_fit(b->path, b->rows, b->cols, b->nnz, COO_GENERAL, true, why);
    if (status)
        return status;
    status = csr_alloc(a, b->rows, b->cols, b->nnz, inner);
    if (status) {
        fail(why, "%s: %.*s", b->path, ERRLEN - 100, inner);
        return status;
    }
    r.pointers = a->row_ptr;
    r.minors = a->col;
    r.values = a->val;
    status = read_all(b, &r, why);
    if (!status)
        coo_tidy_rows(a, repeats);
    return status;
}

int bsp_read_arrays(const struct bsp *b, struct csr *a, struct coo_repeats *repeats, char why[ERRLEN])
{
    struct coo_list list = { 0 };
    if (b->format->kind == BSP_COMPRESSED && !b->format->by_columns && b->structure->triangle == BSP_BOTH)
        return read_in_place(b, a, repeats, why);
    int status = bsp_append_arrays(b, &list, why);
    if (!status)
        status = coo_list_to_csr(&list, b->structure->mirror, b->rows, b->cols, a, repeats, why);
    coo_list_free(&list);
    return status;
}

int bsp_length(const struct bsp *b, const char *name, int64_t *n, char why[ERRLEN])
{
    struct dataset d;
    const int status = dataset_open(b, name, false, &d, n, why);
    dataset_close(&d);
    return status;
}

void bsp_label(struct bsp *b, const struct input *in, const char *place)
{
    snprintf(b->path, sizeof b->path, place[0] ? "%s:%s" : "%s", in->file, place);
}

int bsp_file(const struct input *in, hid_t *file, char why[ERRLEN])
{
    h5_quiet();
    *file = in->h5;
    if (in->h5 >= 0)
        return 0;
    fail(why, "%.*s%s", ERRLEN - 40, in->why,
         in->unopened == ARCHIVE_DAMAGED ? "; download or create the file again" : "");
    return in->unopened;
}
