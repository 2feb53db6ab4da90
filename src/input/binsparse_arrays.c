/* SPDX-License-Identifier: BSD-3-Clause */
/* Binsparse datasets → CSR. General CSR is read in place; other formats are converted to entries, then to CSR. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "archive/archive.h"
#include "base/memory.h"
#include "base/strings.h"
#include "input/binsparse_inside.h"

struct arrays {
    int64_t majors, listed;  /* majors (rows or columns, binsparse_inside.h); majors that pointers_to_1 covers */
    int64_t *pointers;       /* [listed + 1], NULL for coordinates */
    int32_t *first, *second; /* indices_0 (NULL if absent), indices_1 */
    double *values;          /* [nnz] */
};

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
    if (class != H5T_INTEGER && (integers || (class != H5T_FLOAT && class != H5T_ENUM)))
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

/* Reads every `stride`-th of n * stride elements, converted to the memory type. HDF5 clips values that do not fit, so
 * an index out of range stays out of range. */
static int read_array(const struct bsp *b, const char *name, int64_t n, int stride, hid_t memory_type, void *to,
                      char why[ERRLEN])
{
    struct dataset d;
    int64_t found;
    char missing[64];
    int status = dataset_open(b, name, false, &d, &found, why);
    if (!status && !h5_decodes(d.set, missing))
        status = fail(
            why,
            "%s: dataset %s is compressed by %s, which this HDF5 does not have; install its plug-in, or convert the file by "
            "'h5repack -f GZIP=4' where it is",
            b->path, name, missing);
    if (!status && !h5_written(d.set))
        note("%s: not all elements of dataset %s are stored; the others are read as its fill value", b->path, name);
    if (!status && n > 0) {
        hsize_t start = 0, step = (hsize_t)stride, count = (hsize_t)n;
        hid_t memory = H5Screate_simple(1, &count, NULL);
        if ((stride > 1 && H5Sselect_hyperslab(d.space, H5S_SELECT_SET, &start, &step, &count, NULL) < 0)
            || H5Dread(d.set, memory_type, memory, d.space, H5P_DEFAULT, to) < 0) {
            h5_fail(why,
                    "%s: cannot read dataset %s (cut short, damaged, or its compression is not supported by this HDF5)",
                    b->path, name);
            status = h5_blame(b->path, why);
        }
        H5Sclose(memory);
    }
    dataset_close(&d);
    return status;
}

/* ---- checks ------------------------------------------------------------------------------------------------------ */
static int check_pointers(const struct bsp *b, const struct arrays *r, char why[ERRLEN])
{
    const int64_t *p = r->pointers;
    if (p[0] != 0)
        return fail(why, "%s: dataset pointers_to_1 starts at %" PRId64 ", expected 0", b->path, p[0]);
    int64_t bad = r->listed;
#pragma omp parallel for schedule(static) reduction(min : bad)
    for (int64_t i = 0; i < r->listed; i++)
        if (p[i + 1] < p[i] && i < bad)
            bad = i;
    if (bad < r->listed)
        return fail(why,
                    "%s: dataset pointers_to_1 decreases from %" PRId64 " to %" PRId64 " after element %" PRId64
                    " (counted from 0)",
                    b->path, p[bad], p[bad + 1], bad);
    if (p[r->listed] != b->nnz)
        return fail(why, "%s: dataset pointers_to_1 ends at %" PRId64 ", expected number_of_stored_values, %" PRId64,
                    b->path, p[r->listed], b->nnz);
    return 0;
}

static int check_indices(const struct bsp *b, const char *name, const int32_t *index, int64_t n, int64_t limit,
                         char why[ERRLEN])
{
    int64_t bad = n;
#pragma omp parallel for schedule(static) reduction(min : bad)
    for (int64_t k = 0; k < n; k++)
        if ((index[k] < 0 || index[k] >= limit) && k < bad)
            bad = k;
    if (bad < n)
        return fail(why,
                    "%s: dataset %s: element %" PRId64 " (counted from 0) is %" PRId32
                    ", expected an index below %" PRId64,
                    b->path, name, bad, index[bad], limit);
    return 0;
}

/* Checks that no major is listed twice: its entries would be summed silently. */
static int check_listed(const struct bsp *b, const struct arrays *r, char why[ERRLEN])
{
    for (int64_t k = 1; k < r->listed; k++)
        if (r->first[k] <= r->first[k - 1])
            return fail(why,
                        "%s: dataset indices_0: %" PRId32 " follows %" PRId32 " (element %" PRId64
                        ", counted from 0), expected increasing indices",
                        b->path, r->first[k], r->first[k - 1], k);
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
    r->majors = r->listed = b->format->by_columns ? b->cols : b->rows;
    if (b->format->kind == BSP_DOUBLY) {
        int status = dataset_open(b, "indices_0", true, &d, &r->listed, why);
        dataset_close(&d);
        if (status)
            return status;
        if (r->listed > r->majors)
            return fail(why, "%s: dataset indices_0 has %" PRId64 " elements, expected at most %" PRId64, b->path,
                        r->listed, r->majors);
    }
    if (b->format->kind == BSP_COORDINATES ? check_length(b, "indices_0", b->nnz, true, why)
                                           : check_length(b, "pointers_to_1", r->listed + 1, true, why))
        return FAIL;
    return check_length(b, "indices_1", b->nnz, true, why)
                   || check_length(b, "values", (b->iso ? 1 : b->nnz) * (b->complex ? 2 : 1), false, why)
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
    const int status = dataset_open(b, "values", false, &d, &length, unread);
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
        note("%s: %s of dataset values: %s", b->path, counted(count, "element").text, texts[kind]);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */
static int read_all(const struct bsp *b, const struct arrays *r, char why[ERRLEN])
{
    const int64_t minors = b->format->by_columns ? b->rows : b->cols,
                  n_first = b->format->kind == BSP_COORDINATES ? b->nnz : r->listed;
    double one = 0;
    int status = r->pointers ? read_array(b, "pointers_to_1", r->listed + 1, 1, H5T_NATIVE_INT64, r->pointers, why) : 0;
    if (!status && r->first)
        status = read_array(b, "indices_0", n_first, 1, H5T_NATIVE_INT32, r->first, why);
    if (!status)
        status = read_array(b, "indices_1", b->nnz, 1, H5T_NATIVE_INT32, r->second, why);
    if (!status)
        status = read_array(b, "values", b->iso ? 1 : b->nnz, b->complex ? 2 : 1, H5T_NATIVE_DOUBLE,
                            b->iso ? &one : r->values, why);
    if (status)
        return status;
    note_values(b, b->iso ? &one : r->values, b->iso ? 1 : b->nnz);
    if (b->iso)
        for (int64_t k = 0; k < b->nnz; k++)
            r->values[k] = one;
    if (b->boolean)
        for (int64_t k = 0; k < b->nnz; k++)
            r->values[k] = r->values[k] != 0;
    if ((r->pointers && check_pointers(b, r, why))
        || (r->first && check_indices(b, "indices_0", r->first, n_first, r->majors, why)))
        return FAIL;
    if (b->format->kind == BSP_DOUBLY && check_listed(b, r, why))
        return FAIL;
    return check_indices(b, "indices_1", r->second, b->nnz, minors, why);
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

static void put(const struct bsp *b, const struct arrays *r, int64_t k, int32_t major, struct coo_entry *e)
{
    e[k] = b->format->by_columns ? (struct coo_entry){ r->second[k], major, r->values[k] }
                                 : (struct coo_entry){ major, r->second[k], r->values[k] };
}

static void fill_entries(const struct bsp *b, const struct arrays *r, struct coo_entry *e)
{
    if (!r->pointers) {
#pragma omp parallel for schedule(static)
        for (int64_t k = 0; k < b->nnz; k++)
            put(b, r, k, r->first[k], e);
        return;
    }
#pragma omp parallel for schedule(guided)
    for (int64_t i = 0; i < r->listed; i++)
        for (int64_t k = r->pointers[i]; k < r->pointers[i + 1]; k++)
            put(b, r, k, r->first ? r->first[i] : (int32_t)i, e);
}

static int read_entries(const struct bsp *b, struct arrays *r, struct csr *a, struct coo_repeats *repeats,
                        char why[ERRLEN])
{
    const size_t n = (size_t)b->nnz;
    const bool coordinates = b->format->kind == BSP_COORDINATES;
    struct coo_entry *e = malloc((n + 1) * sizeof *e);
    r->pointers = coordinates ? NULL : malloc((size_t)(r->listed + 1) * sizeof *r->pointers);
    r->first = b->format->kind == BSP_COMPRESSED
                   ? NULL
                   : malloc((coordinates ? n + 1 : (size_t)r->listed + 1) * sizeof *r->first);
    r->second = malloc((n + 1) * sizeof *r->second);
    r->values = malloc((n + 1) * sizeof *r->values);
    int status;
    if (!e || (!coordinates && !r->pointers) || (b->format->kind != BSP_COMPRESSED && !r->first) || !r->second
        || !r->values) {
        fail(why, "%s: not enough memory for %" PRId64 " entries", b->path, b->nnz);
        status = OOM;
    } else if (!(status = read_all(b, r, why))) {
        fill_entries(b, r, e);
        status = check_structure(b, e, why);
    }
    free(r->pointers);
    free(r->first);
    free(r->second);
    free(r->values);
    if (!status) {
        status = coo_to_csr(e, b->nnz, b->structure->mirror, b->rows, b->cols, a, repeats, why);
        e = NULL;
    }
    free(e);
    return status;
}

/* in_place: no entries are listed and sorted. */
static int check_memory(const struct bsp *b, bool in_place, char why[ERRLEN])
{
    const double rows = (double)b->rows, stored = (double)b->nnz * (b->structure->mirror == COO_GENERAL ? 1 : 2);
    return memory_check(in_place ? 8 * rows + 12 * stored : 32 * rows + 48 * stored, memory_limit(), why,
                        "%s: not enough memory for a matrix of %" PRId64 " x %" PRId64 " with %" PRId64 " entries",
                        b->path, b->rows, b->cols, b->nnz);
}

int bsp_read_arrays(const struct bsp *b, struct csr *a, struct coo_repeats *repeats, char why[ERRLEN])
{
    struct arrays r = { 0 };
    char inner[ERRLEN];
    if (check_lengths(b, &r, why))
        return FAIL;
    const bool in_place =
        b->format->kind == BSP_COMPRESSED && !b->format->by_columns && b->structure->triangle == BSP_BOTH;
    int status = check_memory(b, in_place, why);
    if (status)
        return status;
    if (!in_place)
        return read_entries(b, &r, a, repeats, why);
    status = csr_alloc(a, b->rows, b->cols, b->nnz, inner);
    if (status) {
        fail(why, "%s: %.*s", b->path, ERRLEN - 100, inner);
        return status;
    }
    r.pointers = a->row_ptr;
    r.second = a->col;
    r.values = a->val;
    status = read_all(b, &r, why);
    if (status)
        return status;
    coo_tidy_rows(a, repeats);
    return 0;
}
