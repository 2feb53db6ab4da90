/* SPDX-License-Identifier: BSD-3-Clause */
/* Sparse matrices in AnnData files (.h5ad; anndata, "On-disk format"): X, or FILE:GROUP any other group of encoding csr_matrix or
 * csc_matrix, such as layers/counts. Rows are observations (cells), columns are variables (genes). */
#include <inttypes.h>
#include <string.h>

#include "input/binsparse_inside.h"
#include "input/reader.h"

static const struct bsp_format by_rows = { "csr_matrix", BSP_COMPRESSED, false },
                               by_columns = { "csc_matrix", BSP_COMPRESSED, true };
static const struct bsp_structure general = { "general", BSP_BOTH, COO_GENERAL };
static const struct bsp_names names = { "indptr", "", "indices", "data", "the number of indices" };

static bool has_encoding(hid_t object, const char *wanted)
{
    char encoding[64];
    return h5_get_text(object, "encoding-type", encoding, sizeof encoding) == 0 && strcmp(encoding, wanted) == 0;
}

/* Reads the attribute `shape`. */
static int read_shape(struct bsp *b, char why[ERRLEN])
{
    int64_t shape[2] = { -1, -1 };
    const hid_t attribute = H5Aexists(b->group, "shape") > 0 ? H5Aopen(b->group, "shape", H5P_DEFAULT) : -1,
                space = attribute < 0 ? -1 : H5Aget_space(attribute),
                type = attribute < 0 ? -1 : H5Aget_type(attribute);
    if (space >= 0 && H5Sget_simple_extent_npoints(space) == 2 && H5Tget_class(type) == H5T_INTEGER)
        H5Aread(attribute, H5T_NATIVE_INT64, shape);
    if (type >= 0)
        H5Tclose(type);
    if (space >= 0)
        H5Sclose(space);
    if (attribute >= 0)
        H5Aclose(attribute);
    b->rows = shape[0];
    b->cols = shape[1];
    return b->rows >= 0 && b->rows <= INT32_MAX && b->cols >= 0 && b->cols <= INT32_MAX
               ? 0
               : fail(why, "%s: attribute shape: expected two integers from 0 to 2147483647", b->path);
}

static int anndata_open(const struct input *in, struct bsp *b, char why[ERRLEN])
{
    const char *group = in->inside[0] ? in->inside : "X";
    *b = (struct bsp){ .group = H5I_INVALID_HID, .names = &names, .structure = &general };
    bsp_label(b, in, group);
    const int status = bsp_file(in, &b->file, why);
    if (status)
        return status;
    b->group = H5Oopen(b->file, group, H5P_DEFAULT);
    if (b->group < 0)
        return fail(why, "%s: AnnData file without a group '%.64s'", in->file, group);
    if (H5Iget_type(b->group) == H5I_GROUP)
        b->format = has_encoding(b->group, by_rows.name)      ? &by_rows
                    : has_encoding(b->group, by_columns.name) ? &by_columns
                                                              : NULL;
    if (!b->format)
        return fail(why,
                    "%s: not a sparse matrix of AnnData (csr_matrix, csc_matrix); convert a dense X with "
                    "scipy.sparse.csr_matrix, or name another group as %s:GROUP",
                    b->path, in->file);
    return read_shape(b, why) || bsp_length(b, names.minors, &b->nnz, why) ? FAIL : 0;
}

static void anndata_close(const struct bsp *b)
{
    if (b->group >= 0)
        H5Oclose(b->group);
}

static void fill_name(const struct input *in, char *name, size_t bytes)
{
    matrix_base_name(in->inside[0] ? in->inside : in->file, name, bytes);
}

static int anndata_read(struct input *in, struct matrix *m, char why[ERRLEN])
{
    struct bsp b;
    int status = anndata_open(in, &b, why);
    if (!status)
        status = bsp_read_arrays(&b, &m->csr, &m->repeats, why);
    fill_name(in, m->name, sizeof m->name);
    matrix_text(m->field, sizeof m->field, "real");
    anndata_close(&b);
    return status;
}

static int anndata_peek(struct input *in, struct matrix_header *h, char why[ERRLEN])
{
    struct bsp b;
    const int status = anndata_open(in, &b, why);
    if (!status) {
        *h = (struct matrix_header){ .rows = b.rows, .cols = b.cols, .nnz_stored = b.nnz };
        fill_name(in, h->name, sizeof h->name);
    }
    anndata_close(&b);
    return status;
}

static enum claim anndata_recognises(const struct input *in)
{
    return in->form == INPUT_HDF5 && in->h5 >= 0 && has_encoding(in->h5, "anndata") ? CLAIM_SURE : CLAIM_NO;
}

const struct reader anndata_reader = {
    .name = "anndata",
    .about = "an AnnData file with a sparse X (.h5ad)",
    .endings = (const struct ending[]){ { ".h5ad", ENDING_WHOLE }, { NULL, ENDING_WHOLE } },
    .inside = "a group of an HDF5 file",
    .recognises = anndata_recognises,
    .peek = anndata_peek,
    .read = anndata_read,
};
