/* SPDX-License-Identifier: BSD-3-Clause */
/* One-line HDF5 errors, and attributes. */
#include "archive/h5.h"
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/files.h"
#include "base/utf8.h"

void h5_quiet(void)
{
    if (H5Eset_auto2(H5E_DEFAULT, NULL, NULL) < 0)
        die("cannot initialize HDF5");
}

static _Thread_local int trouble;

int h5_trouble(void) { return trouble; }

/* HDF5 reports the errno of a system call in the text: "..., errno = 24, error message = ...". A file name may come before. */
static int trouble_of(const H5E_error2_t *e)
{
    int number = 0;

    for (const char *at = e->desc; (at = strstr(at, ", errno = ")); at++)
        number = (int)strtol(at + sizeof ", errno = " - 1, NULL, 10);
    return e->maj_num == H5E_RESOURCE && e->min_num == H5E_NOSPACE ? ENOMEM : number;
}

static herr_t innermost(unsigned n, const H5E_error2_t *e, void *text)
{
    if (n == 0 && e->desc) {
        snprintf(text, ERRLEN / 2, "%s", e->desc);
        trouble = trouble_of(e);
    }
    return 0;
}

int h5_fail(char why[ERRLEN], const char *fmt, ...)
{
    char text[ERRLEN], detail[ERRLEN / 2] = "";
    va_list args;

    trouble = 0;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, innermost, detail);
    H5Eclear2(H5E_DEFAULT);
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return fail(why, "%s%s%s%s", text, *detail ? " (HDF5: " : "", detail, *detail ? ")" : "");
}

int h5_blame(const char *path, char why[ERRLEN])
{
    errno = trouble;
    return trouble ? fail(why, "cannot read %s:", path) : 0;
}

hid_t h5_text_type(size_t bytes)
{
    hid_t type = H5Tcopy(H5T_C_S1);

    if (type >= 0
        && (H5Tset_size(type, bytes ? bytes : 1) < 0 || H5Tset_strpad(type, H5T_STR_NULLPAD) < 0
            || H5Tset_cset(type, H5T_CSET_UTF8) < 0)) {
        H5Tclose(type);
        type = -1;
    }
    return type;
}

static int put(hid_t object, const char *name, hid_t type, hid_t memory_type, const void *value)
{
    hid_t space = H5Screate(H5S_SCALAR), attribute = -1;
    int status = -1;

    if (space < 0 || type < 0)
        goto out;
    attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute >= 0 && H5Awrite(attribute, memory_type, value) >= 0)
        status = 0;
out:
    if (attribute >= 0 && H5Aclose(attribute) < 0)
        status = -1;
    if (space >= 0)
        H5Sclose(space);
    return status;
}

int h5_put_text(hid_t object, const char *name, const char *value)
{
    char *text = xstrdup(value);
    utf8_mend(text, strlen(text));
    hid_t type = h5_text_type(strlen(text));
    int status = put(object, name, type, type, text); /* an empty text is stored as one NUL */

    free(text);
    if (type >= 0)
        H5Tclose(type);
    return status;
}

int h5_put_int(hid_t object, const char *name, int64_t value)
{
    return put(object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, &value);
}

H5Z_filter_t h5_filter(hid_t creation, int i)
{
    unsigned flags, config;
    size_t values = 0;

    return H5Pget_filter2(creation, (unsigned)i, &flags, &values, NULL, 0, NULL, &config);
}

hsize_t h5_chunk_bytes(hid_t creation, size_t size)
{
    hsize_t chunk[H5S_MAX_RANK], bytes = size;
    const int rank = H5Pget_layout(creation) == H5D_CHUNKED ? H5Pget_chunk(creation, H5S_MAX_RANK, chunk) : 0;

    for (int d = 0; d < rank; d++)
        if (__builtin_mul_overflow(bytes, chunk[d], &bytes))
            return UINT64_MAX;
    return rank > 0 ? bytes : 0;
}

/* Returns an upper bound for the compression ratio of a dataset's filters (deflate reaches 1032). */
static double most_compressed(hid_t dataset)
{
    const hid_t creation = H5Dget_create_plist(dataset);
    const int n = creation < 0 ? 0 : H5Pget_nfilters(creation);
    double fold = n > 0 ? 1100 : 1;

    for (int i = 0; i < n; i++) {
        const H5Z_filter_t filter = h5_filter(creation, i);
        if (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE && filter != H5Z_FILTER_FLETCHER32)
            fold = 1 << 15; /* zstd on repeated bytes */
    }
    if (creation >= 0)
        H5Pclose(creation);
    return fold;
}

/* Returns the descriptor of the file of an open dataset; -1: it has none. */
static int fd_of(hid_t dataset)
{
    int *fd;
    const hid_t file = H5Iget_file_id(dataset);
    const bool has = file >= 0 && H5Fget_vfd_handle(file, H5P_DEFAULT, (void **)&fd) >= 0;

    if (file >= 0)
        H5Fclose(file);
    return has ? *fd : -1;
}

/* Is the file of a dataset mostly holes, with less than `bytes` elsewhere? What HDF5 has allocated may be a hole. */
static bool is_in_holes(hid_t dataset, double bytes)
{
    int64_t stored;

    return files_sparse(fd_of(dataset), &stored) && bytes > (double)stored;
}

bool h5_holds(hid_t dataset)
{
    static const double small = 0x1p28;
    const hid_t space = H5Dget_space(dataset), type = H5Dget_type(dataset);
    const double bytes = space < 0 || type < 0
                             ? INFINITY
                             : (double)H5Sget_simple_extent_npoints(space) * (double)H5Tget_size(type),
                 fold = most_compressed(dataset), stored = (double)H5Dget_storage_size(dataset);

    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    return (bytes <= small || bytes <= fold * stored) && !is_in_holes(dataset, bytes / fold);
}

/* Opens a scalar attribute. Returns -1 if it is missing, of another class, or has several elements. */
static hid_t open_scalar(hid_t object, const char *name, H5T_class_t class, hid_t *type)
{
    hid_t attribute = H5Aexists(object, name) > 0 ? H5Aopen(object, name, H5P_DEFAULT) : -1;
    hid_t space = attribute < 0 ? -1 : H5Aget_space(attribute);

    *type = attribute < 0 ? -1 : H5Aget_type(attribute);
    if (space >= 0 && *type >= 0 && H5Sget_simple_extent_npoints(space) == 1 && H5Tget_class(*type) == class) {
        H5Sclose(space);
        return attribute;
    }
    if (space >= 0)
        H5Sclose(space);
    if (*type >= 0)
        H5Tclose(*type);
    if (attribute >= 0)
        H5Aclose(attribute);
    return -1;
}

int h5_get_int(hid_t object, const char *name, int64_t *value)
{
    hid_t type, attribute = open_scalar(object, name, H5T_INTEGER, &type);

    if (attribute < 0)
        return -1;
    int status = H5Aread(attribute, H5T_NATIVE_INT64, value) < 0 ? -1 : 0;
    H5Tclose(type);
    H5Aclose(attribute);
    return status;
}

int h5_get_text(hid_t object, const char *name, char *value, size_t bytes)
{
    hid_t type, attribute = open_scalar(object, name, H5T_STRING, &type);
    char *text = NULL;
    int status = -1;

    if (attribute < 0)
        return -1;
    if (H5Tis_variable_str(type) > 0) {
        if (H5Aread(attribute, type, &text) < 0)
            text = NULL;
    } else {
        text = calloc(H5Tget_size(type) + 1, 1);
        if (text && H5Aread(attribute, type, text) < 0)
            goto out;
    }
    if (text)
        status = strlen(text) < bytes ? 0 : -2;
    if (status == 0)
        memcpy(value, text, strlen(text) + 1);
out:
    if (H5Tis_variable_str(type) > 0)
        H5free_memory(text);
    else
        free(text);
    H5Tclose(type);
    H5Aclose(attribute);
    return status;
}

static bool has_chunks(hid_t dataset, hid_t creation, hid_t space)
{
    hsize_t dims[H5S_MAX_RANK], chunk[H5S_MAX_RANK], all = 1, n = 0;
    const int rank = H5Sget_simple_extent_dims(space, dims, NULL);

    if (rank < 1 || H5Pget_chunk(creation, H5S_MAX_RANK, chunk) != rank)
        return true;
    for (int d = 0; d < rank; d++)
        all *= (dims[d] + chunk[d] - 1) / chunk[d];
#if H5_VERSION_GE(1, 10, 5)
    return H5Dget_num_chunks(dataset, space, &n) < 0 || n >= all;
#else
    return n <= all;
#endif
}

/* Of a contiguous dataset: does a hole of the file begin in it? */
static bool has_hole(hid_t dataset)
{
    const haddr_t start = H5Dget_offset(dataset);

    return start != HADDR_UNDEF && files_hole(fd_of(dataset), (int64_t)start, (int64_t)H5Dget_storage_size(dataset));
}

bool h5_written(hid_t dataset)
{
    const hid_t creation = H5Dget_create_plist(dataset), space = H5Dget_space(dataset);
    const bool filled = creation >= 0 && space >= 0 && H5Sget_simple_extent_npoints(space) > 0;
    const H5D_layout_t layout = filled ? H5Pget_layout(creation) : H5D_LAYOUT_ERROR;
    const bool written = layout == H5D_CHUNKED      ? has_chunks(dataset, creation, space)
                         : layout == H5D_CONTIGUOUS ? H5Dget_storage_size(dataset) > 0 && !has_hole(dataset)
                                                    : true;

    if (creation >= 0)
        H5Pclose(creation);
    if (space >= 0)
        H5Sclose(space);
    return written;
}

int h5_decodes(hid_t dataset, const char *path, const char *name, char why[ERRLEN])
{
    const hid_t creation = H5Dget_create_plist(dataset);
    const int n = creation < 0 ? 0 : H5Pget_nfilters(creation);
    int status = 0;

    for (int i = 0; i < n && !status; i++) {
        unsigned flags, config;
        size_t values = 0;
        char filter[64] = "";
        const H5Z_filter_t id =
            H5Pget_filter2(creation, (unsigned)i, &flags, &values, NULL, sizeof filter, filter, &config);
        if (id == H5Z_FILTER_DEFLATE || id == H5Z_FILTER_SHUFFLE || id == H5Z_FILTER_FLETCHER32)
            continue;
        if (!*filter)
            snprintf(filter, sizeof filter, "filter %d", (int)id);
        status = fail(why,
                      "%s: dataset %s is compressed by %.63s, whose chunks cannot be checked; convert the file by "
                      "'h5repack -f GZIP=4', where HDF5 has that filter",
                      path, name, filter);
    }
    if (creation >= 0)
        H5Pclose(creation);
    return status;
}
