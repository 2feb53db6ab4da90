/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes archives: built in memory, put at their place atomically, only where an archive of the same kind may be replaced. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "archive/archive.h"
#include "archive/archive_contents.h"
#include "archive/archive_inside.h"
#include "archive/digest.h"
#include "base/output.h"
#include "base/pipes.h"

/* HDF5 builds the file in memory and never writes to disk, because it does not survive a full disk (1.10 crashes in
 * its own exit handler). The 1.10 format has checksums on all metadata and little overhead for small columns. */
static hid_t create_in_memory(const char *name)
{
    static hid_t access = -1, creation = -1; /* kept: closing them would clear the HDF5 error stack */

    if (access < 0 || creation < 0) {
        access = H5Pcreate(H5P_FILE_ACCESS);
        creation = H5Pcreate(H5P_FILE_CREATE);
        if (access < 0 || creation < 0 || H5Pset_fapl_core(access, 1 << 20, false) < 0
            || H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) < 0 || H5Pset_obj_track_times(creation, false) < 0)
            return -1;
#if H5_VERSION_GE(1, 10, 2)
        if (H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110) < 0)
#else
        if (H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST) < 0)
#endif
            return -1;
    }
    return H5Fcreate(name, H5F_ACC_TRUNC, creation, access);
}

/* Opens the archive at a->path as one that an archive of this kind may replace. Returns as h5_open. */
static int open_replaced(struct archive *a, const char *kind, char why[ERRLEN])
{
    static const char foreign[] = "it exists and is not a spmvcast archive; use another name or remove it";
    int status = archive_look_at(a->path, why);

    if (status == FAIL && access(a->path, R_OK) == 0)
        return fail(why, "%s", foreign);
    if (status || (status = h5_open(a->path, false, &a->file, why)) || (status = archive_read_kind(a, why)))
        return status == ARCHIVE_FOREIGN ? fail(why, "%s", foreign) : status;
    if (strcmp(a->kind, kind) != 0)
        return fail(why, "it exists and is an archive of kind %s, not %s; use another name or remove it", a->kind,
                    kind);
    return a->schema < ARCHIVE_DIGESTS ? archive_contents_only(a->file, a->kind, why) : 0;
}

/* Protects files from a mistyped command (-o with the name of the matrix or of the measurements): only archives of the
 * same kind that can be read are replaced. */
static int may_replace(const char *path, const void *kind, char why[ERRLEN])
{
    char unread[ERRLEN];
    struct archive *a = archive_new(path);
    const int status = open_replaced(a, kind, unread);

    if (status == ARCHIVE_DAMAGED)
        fail(why, "cannot write %s: %.300s; keep it by 'mv %.80s %.80s.damaged', or remove it", path, unread, path,
             path);
    else if (status)
        fail(why, "cannot write %s: %.300s", path, unread);
    archive_close(a);
    return status ? FAIL : 0;
}

int archive_output(const char *path, const char *kind, const char **tmp, char why[ERRLEN])
{
    const struct output_kind output = { may_replace, kind, true };
    return output_begin(path, &output, tmp, why);
}

int archive_create(const char *path, const char *kind, struct archive **out, char why[ERRLEN])
{
    struct archive *a = archive_new(path);

    if (archive_output(path, kind, &a->tmp, why)) {
        archive_close(a);
        return FAIL;
    }
    TEXT_SET(a->kind, kind);
    a->schema = ARCHIVE_SCHEMA;
    a->file = create_in_memory(a->tmp);
    if (a->file < 0 || h5_put_text(a->file, "spmvcast_kind", kind) || h5_put_int(a->file, "schema", ARCHIVE_SCHEMA)) {
        h5_fail(why, "cannot create archive %s", path);
        archive_abandon(a);
        return FAIL;
    }
    *out = a;
    return 0;
}

int archive_put_text(struct archive *a, const char *name, const char *value, char why[ERRLEN])
{
    return h5_put_text(a->file, name, value) ? h5_fail(why, "%s: cannot write attribute %s", a->path, name) : 0;
}

/* Writes the bytes, followed by the digest. Returns -1 and sets errno on failure. */
static int write_file(const char *path, const unsigned char *data, size_t bytes)
{
    const int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    char line[DIGEST_BYTES + 1];

    if (fd < 0)
        return -1;
    digest_line(data, bytes, line);
    const int err = pipe_write(fd, data, bytes) || pipe_write(fd, line, DIGEST_BYTES) ? errno : 0;
    if (close(fd) && !err)
        return -1;
    errno = err;
    return err ? -1 : 0;
}

static uint32_t rotate(uint32_t x, int k) { return x << k | x >> (32 - k); }

/* Bob Jenkins' lookup3 (public domain) over 44 bytes as little-endian words, the checksum of HDF5 superblocks 2 and
 * 3. */
static uint32_t checksum44(const unsigned char *data)
{
    uint32_t w[11], a = 0xdeadbeef + 44, b = a, c = a;

    memcpy(w, data, sizeof w);
    for (int i = 0; i < 9; i += 3) {
        a += w[i], b += w[i + 1], c += w[i + 2];
        a = (a - c) ^ rotate(c, 4), c += b;
        b = (b - a) ^ rotate(a, 6), a += c;
        c = (c - b) ^ rotate(b, 8), b += a;
        a = (a - c) ^ rotate(c, 16), c += b;
        b = (b - a) ^ rotate(a, 19), a += c;
        c = (c - b) ^ rotate(b, 4), b += a;
    }
    a += w[9], b += w[10];
    c = (c ^ b) - rotate(b, 14);
    a = (a ^ c) - rotate(c, 11);
    b = (b ^ a) - rotate(a, 25);
    c = (c ^ b) - rotate(b, 16);
    a = (a ^ c) - rotate(c, 4);
    b = (b ^ a) - rotate(a, 14);
    return (c ^ b) - rotate(b, 24);
}

/* Returns the file as bytes (malloc'd), NULL on failure. HDF5 clears the "open for writing" flag in a superblock of version
 * 2 or 3 without updating its checksum, so this computes it anew. The superblock: 8 bytes of signature, version, two sizes,
 * flags, four addresses of 8 bytes, checksum. */
static unsigned char *image_of(hid_t file, size_t *bytes)
{
    ssize_t n;
    unsigned char *image;
    uint32_t sum;

    if (H5Fflush(file, H5F_SCOPE_LOCAL) < 0 || (n = H5Fget_file_image(file, NULL, 0)) < 48)
        return NULL;
    image = xmalloc((unsigned long)n);
    if (H5Fget_file_image(file, image, (size_t)n) != n) {
        free(image);
        return NULL;
    }
    if (image[8] >= 2 && image[9] == 8) {
        sum = checksum44(image);
        memcpy(image + 44, &sum, sizeof sum);
    }
    *bytes = (size_t)n;
    return image;
}

static int write_whole(struct archive *a, char why[ERRLEN])
{
    size_t bytes;
    unsigned char *image = image_of(a->file, &bytes);

    if (!image)
        return h5_fail(why, "%s: cannot complete the archive", a->path);
    int status = write_file(a->tmp, image, bytes);
    free(image);
    if (status)
        return fail(why, "cannot write %s (%zu bytes):", a->path, bytes);
    const char *tmp = a->tmp;
    a->tmp = NULL; /* output_commit removes it even on failure */
    return output_commit(tmp, why);
}

int archive_commit(struct archive *a, char why[ERRLEN])
{
    int status = provenance_put(a, why);

    if (!status)
        status = write_whole(a, why);
    archive_abandon(a);
    return status;
}

void archive_abandon(struct archive *a) { archive_close(a); }
