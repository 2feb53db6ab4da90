/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a dataset stores as many bytes as it declares. HDF5 does not compare them: of a chunk that holds fewer, it returns
 * what lies behind it in memory, and one that inflates to more takes as much memory as that. */
#include "archive/h5_stored.h"
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "base/error.h"

#if H5_VERSION_GE(2, 0, 0)
#define READ_CHUNK H5Dread_chunk1
#else
#define READ_CHUNK H5Dread_chunk
#endif

static const char few[] = "stores fewer bytes than it declares", many[] = "has chunks that hold more than they declare";

/* Inflates to no more than `capacity` bytes; n: their number. Returns false on an error, of which readers tell. */
static bool inflates(const void *data, hsize_t bytes, void *to, hsize_t capacity, hsize_t *n)
{
    z_stream z = { .next_in = (unsigned char *)(uintptr_t)data, .avail_in = (unsigned)bytes };
    int status = inflateInit(&z);

    for (*n = 0; status == Z_OK && *n < capacity; *n = z.total_out) {
        z.next_out = (unsigned char *)to + *n;
        z.avail_out = capacity - *n < UINT32_MAX ? (unsigned)(capacity - *n) : UINT32_MAX;
        status = inflate(&z, Z_NO_FLUSH);
    }
    inflateEnd(&z);
    return status == Z_OK || status == Z_STREAM_END;
}

/* A chunk. */
struct chunk {
    hsize_t bytes, stored; /* declared; in the file */
    unsigned char *raw;    /* as in the file */
    unsigned char *values; /* inflated, if it was deflated, with room for a checksum and another byte */
    uint32_t skipped;      /* filters that were not applied: a bit of each */
    bool deflated, known;  /* its filters are known, and without errors */
};
enum { SPARE = 5 };

/* Undoes the filters of a chunk but shuffle, which moves bytes only. */
static const char *undo_filters(hid_t creation, struct chunk *c)
{
    hsize_t n = c->stored;
    bool summed = false;

    for (int i = H5Pget_nfilters(creation) - 1; i >= 0; i--)
        switch (c->skipped & 1U << i ? H5Z_FILTER_SHUFFLE : h5_filter(creation, i)) {
        case H5Z_FILTER_SHUFFLE: break;
        case H5Z_FILTER_FLETCHER32:
            n -= n < 4 ? n : 4;
            summed = true;
            break;
        case H5Z_FILTER_DEFLATE:
            if (c->deflated)
                return many;
            if (!inflates(c->raw, n, c->values, c->bytes + SPARE, &n))
                return NULL;
            c->deflated = true;
            break;
        default: return NULL;
        }
    c->known = c->deflated || !summed; /* deflate has its own checksum */
    return n < c->bytes ? few : n > c->bytes ? many : NULL;
}

/* Is a chunk at the edge, and not filtered for that? */
static bool is_plain(hid_t creation, const hsize_t *at, const hsize_t *chunk, const hsize_t *dims, int rank)
{
    unsigned options = 0;

    if (H5Pget_chunk_opts(creation, &options) < 0 || !(options & H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS))
        return false;
    for (int d = 0; d < rank; d++)
        if (at[d] + chunk[d] > dims[d])
            return true;
    return false;
}

/* Reads and checks the filtered chunk that begins at element `at`. */
static const char *read_chunk(hid_t dataset, hid_t creation, const hsize_t *at, struct chunk *c)
{
    const char *wrong = NULL;

    c->known = c->deflated = false;
    if (c->stored > UINT32_MAX || (double)c->stored > 1.02 * (double)c->bytes + 4096)
        return many;
    c->raw = xrealloc(c->raw, c->stored);
    if (READ_CHUNK(dataset, H5P_DEFAULT, at, &c->skipped, c->raw) >= 0)
        wrong = undo_filters(creation, c);
    return wrong;
}

static const char *check_chunks(hid_t dataset, hid_t creation, const hsize_t *dims, int rank, size_t size, bool *read)
{
    hsize_t chunk[H5S_MAX_RANK], at[H5S_MAX_RANK] = { 0 };
    struct chunk c = { .bytes = h5_chunk_bytes(creation, size) };
    const char *wrong = NULL;
    int d = 0;

    if (H5Pget_nfilters(creation) == 0 || H5Pget_chunk(creation, H5S_MAX_RANK, chunk) != rank)
        return NULL; /* without filters, see access_list() in guard.c */
    c.values = xmalloc(c.bytes + SPARE);
    for (*read = true; d >= 0 && !wrong;) {
        if (is_plain(creation, at, chunk, dims, rank))
            *read = false;
        else if (H5Dget_chunk_storage_size(dataset, at, &c.stored) >= 0 && c.stored > 0) {
            wrong = read_chunk(dataset, creation, at, &c);
            *read &= c.known;
        }
        for (d = rank - 1; d >= 0 && (at[d] += chunk[d]) >= dims[d]; d--)
            at[d] = 0;
    }
    free(c.raw);
    free(c.values);
    return wrong;
}

const char *h5_stored_wrong(hid_t dataset, hid_t creation, size_t size, hid_t space, bool *read)
{
    hsize_t dims[H5S_MAX_RANK];
    const int rank = H5Sget_simple_extent_dims(space, dims, NULL);
    const hssize_t n = H5Sget_simple_extent_npoints(space);

    *read = false;
    if (rank < 0 || n <= 0)
        return NULL;
    if (H5Pget_layout(creation) == H5D_CHUNKED)
        return check_chunks(dataset, creation, dims, rank, size, read);
    return (double)H5Dget_storage_size(dataset) < (double)n * (double)size ? few : NULL;
}

/* ---- reading ---- */

/* Are its filters shuffle, deflate and fletcher32, of which deflate is needed? */
static bool is_deflated(hid_t creation, size_t size)
{
    const int n = H5Pget_nfilters(creation);
    unsigned flags, config, width = 0;
    size_t values = 1;
    const bool shuffled =
        n > 0 && H5Pget_filter2(creation, 0, &flags, &values, &width, 0, NULL, &config) == H5Z_FILTER_SHUFFLE;
    const int at = shuffled;

    return n > at && h5_filter(creation, at) == H5Z_FILTER_DEFLATE && (!shuffled || (values == 1 && width == size))
           && (n == at + 1 || (n == at + 2 && h5_filter(creation, at + 1) == H5Z_FILTER_FLETCHER32));
}

bool h5_is_deflated(hid_t dataset, hid_t creation, hid_t type, hid_t space)
{
    const size_t size = H5Tget_size(type);
    unsigned options = 0;

    return H5Sget_simple_extent_ndims(space) == 1 && is_deflated(creation, size)
           && H5Pget_chunk_opts(creation, &options) >= 0 && options == 0 && h5_written(dataset);
}

/* Puts the first `wanted` of the n elements of a chunk. Shuffled, the first bytes of all elements come first, then the second ones... */
static void put_chunk(hid_t creation, const struct chunk *c, size_t size, size_t n, size_t wanted, unsigned char *to)
{
    const unsigned char *from = c->deflated ? c->values : c->raw;

    if (h5_filter(creation, 0) != H5Z_FILTER_SHUFFLE || (c->skipped & 1))
        memcpy(to, from, wanted * size);
    else
        for (size_t i = 0; i < wanted; i++)
            for (size_t k = 0; k < size; k++)
                to[i * size + k] = from[k * n + i];
}

int h5_read_deflated(hid_t dataset, hid_t creation, size_t size, hsize_t n, void *to)
{
    struct chunk c = { .bytes = h5_chunk_bytes(creation, size) };
    const hsize_t rows = c.bytes / size;
    int status = 0;

    c.values = xmalloc(c.bytes + SPARE);
    for (hsize_t at = 0; at < n && status >= 0; at += rows) {
        const hsize_t wanted = n - at < rows ? n - at : rows;
        const bool stored = H5Dget_chunk_storage_size(dataset, &at, &c.stored) >= 0 && c.stored > 0;
        if (!stored || read_chunk(dataset, creation, &at, &c))
            status = FAIL;
        else if (!c.known)
            status = 1;
        else
            put_chunk(creation, &c, size, rows, wanted, (unsigned char *)to + at * size);
    }
    free(c.raw);
    free(c.values);
    return status;
}
