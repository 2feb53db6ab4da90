/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads everything in an HDF5 file once, in passes: links, where the values are, then everything. */
#include "archive/h5_walk.h"
#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include "archive/archive.h"
#include "archive/h5_stored.h"
#include "base/memory.h"

enum { PIECE = 4 << 20, RANKS = H5S_MAX_RANK, DEPTH = 100 /* HDF5 takes 40 s for 1000 levels */ };
static const hsize_t largest_chunk = 64 << 20; /* of our programs, in bytes; the largest now: 2^16 texts of 512 bytes */

struct walk {
    const char *path, *name; /* of the file; of the current object */
    enum h5_values values;
    const H5L_info_t *link; /* to it */
    bool left, again;       /* values are to be read; they are read now */
    bool tables;            /* of ours: archive_verify compares values of its tables with their checksums */
    void *objects;          /* addresses of those whose values were read: a tree of tsearch(3) */
    int status;
    char *why;
};

static int unreadable(struct walk *w, const char *what)
{
    h5_fail(w->why, "%s is damaged: %s%s %s", w->path, w->name[0] == '/' ? "" : "/", w->name, what);
    return w->status = ARCHIVE_DAMAGED;
}

/* ---- what is outside the file ---- */

static int outside(struct walk *w, const char *name, const char *what)
{
    return w->status =
               fail(w->why, "%s: /%s %s; only values inside the file are read: copy them into it", w->path, name, what);
}

static herr_t check_link(hid_t root, const char *name, const H5L_info_t *info, void *data)
{
    struct walk *walk = data;
    int depth = 0;

    (void)root;
    for (const char *c = name; *c; c++)
        depth += *c == '/';
    if (depth >= DEPTH)
        return walk->status =
                   fail(walk->why, "%s: groups are nested more than %d deep, beyond what is read", walk->path, DEPTH);
    return info->type == H5L_TYPE_HARD || info->type == H5L_TYPE_SOFT
               ? 0
               : outside(walk, name,
                         info->type == H5L_TYPE_EXTERNAL ? "is a link to another file" : "is a user-defined link");
}

static int check_creation(struct walk *w, hid_t creation)
{
    if (H5Pget_external_count(creation) > 0)
        return outside(w, w->name, "has its values in another file");
    if (H5Pget_layout(creation) == H5D_VIRTUAL)
        return outside(w, w->name, "is a virtual dataset");
    return 0;
}

/* ---- what is inside ---- */

/* Converts n elements as readers do. Errors are ignored here, since readers report them. */
static void convert(hid_t type, const void *raw, size_t n)
{
    const hid_t to[] = { H5T_NATIVE_INT64, H5T_NATIVE_INT32, H5T_NATIVE_DOUBLE, H5T_NATIVE_FLOAT };
    const H5T_class_t class = H5Tget_class(type);
    const size_t size = H5Tget_size(type);

    if (class != H5T_INTEGER && class != H5T_FLOAT && class != H5T_ENUM)
        return;
    char *buffer = malloc(n * (size > 8 ? size : 8));
    for (int k = 0; k < 4 && buffer; k++) {
        memcpy(buffer, raw, n * size);
        H5Tconvert(type, to[k], n, buffer, NULL, H5P_DEFAULT);
    }
    free(buffer);
}

/* Do the elements of this type have a variable length, or do they refer to others? Each of many may be the same large one. */
static bool is_variable(hid_t type)
{
    return H5Tdetect_class(type, H5T_VLEN) != 0 || H5Tdetect_class(type, H5T_REFERENCE) != 0
           || H5Tis_variable_str(type) != 0
           || (H5Tget_class(type) != H5T_STRING && H5Tdetect_class(type, H5T_STRING) != 0);
}

/* Reads its value, unless it is of variable length, of which readers read a single text only. */
static herr_t walk_attribute(hid_t object, const char *name, const H5A_info_t *info, void *data)
{
    struct walk *w = data;
    const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT), type = attribute < 0 ? -1 : H5Aget_type(attribute),
                space = attribute < 0 ? -1 : H5Aget_space(attribute);
    const hssize_t n = space < 0 ? -1 : H5Sget_simple_extent_npoints(space);
    const size_t size = type < 0 ? 0 : H5Tget_size(type);
    const bool text = n == 1 && type >= 0 && H5Tis_variable_str(type) > 0;
    char *value = NULL;

    (void)info;
    if (n >= 0 && size > 0 && !text && is_variable(type))
        ;
    else if (n < 0 || size == 0 || (size_t)n > SIZE_MAX / 2 / size || !(value = calloc((size_t)n + 1, size))
             || (n > 0 && H5Aread(attribute, type, value) < 0))
        unreadable(w, "has an attribute that cannot be read");
    else
        convert(type, value, (size_t)n);
    if (text && value)
        H5free_memory(*(char **)(void *)value);
    free(value);
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    if (attribute >= 0)
        H5Aclose(attribute);
    return w->status;
}

/* Returns true if the chunks take more bytes in the file than uncompressed, beyond what filters may add: deflate would inflate them
 * without regard to the size of a chunk. */
static bool overflows(hid_t dataset, hid_t creation, hid_t type, hid_t space)
{
    hsize_t dims[RANKS], chunk[RANKS];
    const int rank = H5Pget_layout(creation) == H5D_CHUNKED ? H5Pget_chunk(creation, RANKS, chunk) : 0;
    double chunks = 1;

    if (rank <= 0 || rank != H5Sget_simple_extent_ndims(space) || H5Sget_simple_extent_dims(space, dims, NULL) < 0)
        return false;
    for (int d = 0; d < rank; d++)
        chunks *= chunk[d] > 0 ? ceil((double)dims[d] / (double)chunk[d]) : 1;
    const double bytes = (double)h5_chunk_bytes(creation, H5Tget_size(type));
    return (double)H5Dget_storage_size(dataset) > chunks * (1.02 * bytes + 4096);
}

/* Returns true for types and chunks as our programs write them. */
static bool is_ours(hid_t creation, hid_t type)
{
    const hid_t types[] = { H5T_STD_I64LE, H5T_STD_I32LE, H5T_IEEE_F64LE, H5T_IEEE_F32LE };
    bool ours = H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0;

    for (int k = 0; k < 4 && !ours; k++)
        ours = H5Tequal(type, types[k]) > 0;
    return ours && h5_chunk_bytes(creation, H5Tget_size(type)) <= largest_chunk;
}

/* Returns the number of rows (first dimension) to read at once: about PIECE bytes, whole chunks. */
static hsize_t rows_at_once(hid_t creation, const hsize_t *dims, hsize_t row_bytes)
{
    hsize_t chunk[RANKS], rows = row_bytes > PIECE ? 1 : PIECE / (row_bytes ? row_bytes : 1);

    if (H5Pget_layout(creation) == H5D_CHUNKED && H5Pget_chunk(creation, RANKS, chunk) > 0 && chunk[0])
        rows = (rows + chunk[0] - 1) / chunk[0] * chunk[0];
    return rows < dims[0] ? rows : dims[0];
}

static void walk_values(struct walk *w, hid_t dataset, hid_t creation, hid_t type, hid_t space, int rank)
{
    hsize_t dims[RANKS] = { 1 }, start[RANKS] = { 0 }, count[RANKS], row = H5Tget_size(type);
    const bool scalar = rank == 0;

    if (!scalar && H5Sget_simple_extent_dims(space, dims, NULL) < 0) {
        unreadable(w, "has no dimensions");
        return;
    }
    memcpy(count, dims, sizeof count);
    for (int d = 1; d < rank; d++)
        if (__builtin_mul_overflow(row, dims[d], &row)) {
            unreadable(w, "has dimensions too large for any memory");
            return;
        }
    if (dims[0] == 0 || row == 0)
        return;
    const hsize_t rows = rows_at_once(creation, dims, row);
    const hsize_t chunk = h5_chunk_bytes(creation, H5Tget_size(type));
    hsize_t bytes;
    const bool fits = !__builtin_mul_overflow(row, rows, &bytes);
    if (fits) /* HDF5 holds a chunk twice while it inflates it */
        w->status = memory_check((double)bytes + 2 * (double)(chunk > bytes ? chunk : bytes), memory_limit(), w->why,
                                 "%s: not enough memory to read /%s", w->path, w->name);
    char *piece = fits && !w->status ? malloc(bytes) : NULL;
    if (fits && !w->status && !piece) {
        fail(w->why, "%s: out of memory: cannot read /%s", w->path, w->name);
        w->status = OOM;
    }
    for (; start[0] < dims[0] && !w->status; start[0] += rows) {
        count[0] = dims[0] - start[0] < rows ? dims[0] - start[0] : rows;
        const hid_t memory = scalar ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, count, NULL);
        if (!piece || memory < 0
            || (!scalar && H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) < 0)
            || H5Dread(dataset, type, memory, space, H5P_DEFAULT, piece) < 0)
            unreadable(w, "cannot be read (damaged, or its compression is not supported by this HDF5)");
        else
            convert(type, piece, (size_t)(row / H5Tget_size(type) * count[0]));
        if (memory >= 0)
            H5Sclose(memory);
    }
    free(piece);
}

/* Is the current object a column of a table? */
static bool in_table(const struct walk *w)
{
    const char *slash = strchr(w->name, '/');

    return w->tables && slash && !strchr(slash + 1, '/');
}

/* Is the current dataset an array of a matrix of ours, of the type that its reader reads it as? */
static bool in_matrix(const struct walk *w, hid_t type)
{
    const char *const names[] = { "pointers_to_1", "indices_1", "values" };
    const hid_t types[] = { H5T_STD_I64LE, H5T_STD_I32LE, H5T_IEEE_F64LE };

    for (int k = 0; k < 3; k++)
        if (strcmp(w->name, names[k]) == 0)
            return w->tables && H5Tequal(type, types[k]) > 0;
    return false;
}

enum need { LEAVE, MEASURE, READ };
/* What is to be done with the values of a dataset. Readers refuse one that the file cannot hold, and read none of variable length. */
static enum need needs(const struct walk *w, hid_t dataset, hid_t creation, hid_t type, hid_t space)
{
    H5D_space_status_t stored;
    const bool read = w->values == H5_VALUES_ALL || (w->values == H5_VALUES_ROOT && !in_table(w))
                      || (w->values == H5_VALUES_FOREIGN && !is_ours(creation, type));

    if (w->values == H5_VALUES_NONE || (!read && in_table(w)) || is_variable(type)
        || H5Sget_simple_extent_type(space) == H5S_NULL
        || (H5Dget_space_status(dataset, &stored) >= 0 && stored == H5D_SPACE_STATUS_NOT_ALLOCATED)
        || !h5_holds(dataset))
        return LEAVE;
    /* That reader compares the sizes. */
    return read ? READ : in_matrix(w, type) && h5_is_deflated(dataset, creation, type, space) ? LEAVE : MEASURE;
}

static int compare_addresses(const void *a, const void *b) { return memcmp(a, b, sizeof(haddr_t)); }

/* Have the values of the current object been read by another hard link? */
static bool was_read(struct walk *w)
{
    haddr_t *address = xmalloc(sizeof *address);

    memcpy(address, &w->link->u, sizeof *address); /* or a token, of HDF5 1.12 and later */
    haddr_t **found = tsearch(address, &w->objects, compare_addresses);
    if (found && *found == address)
        return false;
    free(address);
    return true;
}

static void read_values(struct walk *w, hid_t dataset, hid_t creation, hid_t type, hid_t space, enum need need)
{
    bool read;
    const double chunk = (double)h5_chunk_bytes(creation, H5Tget_size(type));
    w->status = memory_check(2 * chunk, memory_limit(), w->why, "%s: not enough memory to read /%s", w->path, w->name);
    if (w->status)
        return;
    const char *wrong = h5_stored_wrong(dataset, creation, H5Tget_size(type), space, &read);
    if (wrong)
        unreadable(w, wrong);
    else if (need == READ && !(read && is_ours(creation, type)))
        walk_values(w, dataset, creation, type, space, H5Sget_simple_extent_ndims(space));
}

/* Checks a dataset; reads its values, if wanted, only in the second walk. */
static void walk_dataset(struct walk *w, hid_t dataset)
{
    const hid_t creation = H5Dget_create_plist(dataset);

    if (creation < 0
        || check_creation(w, creation)) { /* before H5Dget_space, which opens the files of virtual datasets */
        if (creation < 0)
            unreadable(w, "has no properties");
        else
            H5Pclose(creation);
        return;
    }
    const hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
    if (type < 0 || space < 0 || H5Tget_class(type) == H5T_NO_CLASS)
        unreadable(w, "has no type or shape");
    else if (overflows(dataset, creation, type, space))
        unreadable(w, "has chunks that take more bytes in the file than uncompressed");
    else {
        const int status = h5_decodes(dataset, w->path, w->name, in_table(w) ? w->why : NULL);
        const enum need need = status ? LEAVE : needs(w, dataset, creation, type, space);
        if (status && in_table(w)) /* readers of matrices say so */
            w->status = status;
        if (need != LEAVE && w->again && !was_read(w))
            read_values(w, dataset, creation, type, space, need);
        w->left |= need != LEAVE;
    }
    H5Pclose(creation);
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
}

static void walk_object(struct walk *w, hid_t object)
{
    hsize_t at = 0;

    if (!w->again && H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, &at, walk_attribute, w) < 0 && !w->status)
        unreadable(w, "has attributes that cannot be listed");
    if (!w->status && H5Iget_type(object) == H5I_DATASET)
        walk_dataset(w, object);
}

/* Visits one link. Soft links may dangle, and what they lead to has a hard link, too. */
static herr_t walk_link(hid_t root, const char *name, const H5L_info_t *info, void *data)
{
    struct walk *w = data;

    if (info->type != H5L_TYPE_HARD)
        return 0;
    const hid_t object = H5Oopen(root, name, H5P_DEFAULT);
    w->name = name;
    w->link = info;
    if (object >= 0) {
        walk_object(w, object);
        H5Oclose(object);
    } else
        unreadable(w, "cannot be opened");
    return w->status;
}

static void visit_links(struct walk *w, hid_t root, herr_t (*visit)(hid_t, const char *, const H5L_info_t *, void *))
{
    if (!w->status && H5Lvisit(root, H5_INDEX_NAME, H5_ITER_INC, visit, w) < 0 && !w->status) {
        w->name = "/";
        unreadable(w, "has links that cannot be followed");
    }
    tdestroy(w->objects, free);
    w->objects = NULL;
}

int h5_walk(hid_t file, const char *path, enum h5_values values, char why[ERRLEN])
{
    static const struct rlimit none = { 0, 0 };
    struct walk w = {
        .path = path, .name = "/", .values = values, .tables = H5Aexists(file, "spmvcast_kind") > 0, .why = why
    };
    const hid_t root = H5Gopen2(file, "/", H5P_DEFAULT);

    if (root < 0)
        return unreadable(&w, "cannot be opened");
    visit_links(&w, root, check_link);
    if (!w.status)
        walk_object(&w, root);
    visit_links(&w, root, walk_link);
    w.again = true;
    if (!error_is_trapped())
        setrlimit(RLIMIT_NOFILE, &none);
    if (w.left)
        visit_links(&w, root, walk_link);
    H5Gclose(root);
    return w.status;
}
