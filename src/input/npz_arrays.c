/* SPDX-License-Identifier: BSD-3-Clause */
/* The arrays in a zip archive of NumPy. libarchive makes one pass over the stream. */
#include <archive.h>
#include <archive_entry.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "input/npz_inside.h"

enum { FOLD = 1 << 15, HEADER = 4096 }; /* how much zip expands at most; bytes of the header of an array */

static const struct {
    const char *name;
    enum binary_as as;
} members[ARRAYS] = { { "data", AS_DOUBLE }, { "indices", AS_INT32 }, { "indptr", AS_INT64 }, { "row", AS_INT32 },
                      { "col", AS_INT32 },   { "offsets", AS_INT64 }, { "shape", AS_INT64 },  { "format", AS_INT32 } };

const char *npz_array_name(int k) { return members[k].name; }

/* ---- an array ---------------------------------------------------------------------------------------------------- */
/* Returns what follows 'key': in the header, which is a Python dictionary. */
static const char *value_of(const char *header, const char *key)
{
    char quoted[32];
    snprintf(quoted, sizeof quoted, "'%s':", key);
    const char *at = strstr(header, quoted);
    return at ? at + strlen(quoted) + strspn(at + strlen(quoted), " ") : "";
}

/* Parses '<f8' and the like. Returns false for other types. */
static bool parse_type(const char *p, struct npz_array *a)
{
    int n;
    const char order = *p == '\'' ? p[1] : 0, kind = order ? p[2] : 0;
    if (!order || !strchr("<>|=", order) || !kind || sscanf(p + 3, "%2d", &n) != 1 || n < 1)
        return false;
    a->text = kind == 'S' && n <= NPZ_TEXT;
    a->complex = kind == 'c' && (n == 8 || n == 16);
    a->type.swapped = order == '>';
    a->type.pair = a->complex;
    a->type.bytes = a->complex ? n / 2 : a->text ? 1 : n;
    a->type.kind = kind == 'i'                             ? NUMBER_SIGNED
                   : kind == 'u' || kind == 'b' || a->text ? NUMBER_UNSIGNED
                   : kind == 'f' || a->complex             ? NUMBER_REAL
                                                           : NUMBER_NONE;
    if (a->text)
        a->n = n;
    const int size = a->type.bytes;
    return a->type.kind != NUMBER_NONE
           && (size == 8 || size == 4 || (size < 4 && size != 3 && a->type.kind != NUMBER_REAL));
}

/* Parses "(3, 4)": at most NPZ_DIMS numbers. */
static bool parse_shape(const char *p, struct npz_array *a)
{
    int64_t total = a->text ? a->n : 1;
    if (*p++ != '(')
        return false;
    for (a->rank = 0; *p >= '0' && *p <= '9' && a->rank < NPZ_DIMS; a->rank++) {
        char *end;
        a->dims[a->rank] = strtoll(p, &end, 10);
        if (a->dims[a->rank] < 0 || __builtin_mul_overflow(total, a->dims[a->rank], &total) || total > INT64_MAX / 16)
            return false;
        p = end + strspn(end, "L, "); /* L: of Python 2 */
    }
    a->n = total;
    return *p == ')';
}

static int read_npy_header(struct binary *b, struct npz_array *a, char why[ERRLEN])
{
    enum { LEAD = 10 };
    static const char magic[] = "\x93NUMPY";
    unsigned char lead[LEAD + 2];
    char header[HEADER + 1] = "";
    int status = binary_read(b, lead, LEAD, "the header of an array", why);
    if (status)
        return status;
    if (memcmp(lead, magic, strlen(magic)) != 0 || lead[6] < 1 || lead[6] > 3)
        return fail(why, "%s: no array in NumPy's format", b->path);
    int64_t n = lead[8] | lead[9] << 8;
    if (lead[6] > 1) {
        status = binary_read(b, lead + LEAD, 2, "the header of an array", why);
        n |= (int64_t)lead[LEAD] << 16 | (int64_t)lead[LEAD + 1] << 24;
    }
    if (!status && n > HEADER)
        return fail(why, "%s: the header of an array has %" PRId64 " bytes, expected at most %d", b->path, n, HEADER);
    if (!status)
        status = binary_read(b, header, n, "the header of an array", why);
    if (status)
        return status;
    const char *type = value_of(header, "descr"), *shape = value_of(header, "shape");
    a->by_columns = strncmp(value_of(header, "fortran_order"), "True", 4) == 0;
    if (!parse_type(type, a))
        return fail(why, "%s: an array of type %.20s, expected integers, bool, float32, float64 or complex", b->path,
                    type);
    if (!parse_shape(shape, a))
        return fail(why, "%s: an array of shape %.40s, expected up to %d dimensions", b->path, shape, NPZ_DIMS);
    return 0;
}

int npz_length(const struct npz *z, int k, int64_t n, char why[ERRLEN])
{
    return z->array[k].n == n ? 0
                              : fail(why, "%s: %s has %" PRId64 " elements, expected %" PRId64, z->path,
                                     npz_array_name(k), z->array[k].n, n);
}

/* Compares the data, whose header was read, with indices, and drops what is unused of these (save_npz writes data last). *keep: the elements
 * of array k that are used. */
static int compare(struct npz *z, int k, int64_t *keep, char why[ERRLEN])
{
    struct npz_array *a = &z->array[k], *indices = &z->array[INDICES], *indptr = &z->array[INDPTR];
    const bool blocks = z->format[0] == 'b', compressed = z->format[1] == 's';
    const int of = compressed ? INDICES : z->format[0] == 'd' ? OFFSETS : COL;
    const int64_t used = compressed && indptr->wide && indptr->n > 0 ? indptr->wide[indptr->n - 1] : -1;
    *keep = a->n;
    if (k == DATA && z->format[0] && z->array[of].n >= 0
        && (a->rank > 1 ? npz_length(z, of, a->dims[0], why) : npz_length(z, DATA, z->array[of].n, why)))
        return FAIL;
    if (used >= 0 && indices->n > used && (k == INDICES || (k == DATA && !(blocks && a->by_columns)))) {
        if (indices->ints)
            indices->ints = xrealloc(indices->ints, ((size_t)used + 1) * sizeof *indices->ints);
        *keep = used * (k == DATA && blocks ? a->dims[1] * a->dims[2] : 1);
    }
    return 0;
}

static int read_array(struct npz *z, struct binary *b, int k, char why[ERRLEN])
{
    struct npz_array *a = &z->array[k];
    int64_t n;
    const enum binary_as as = members[k].as;
    if (a->n >= 0)
        return fail(why, "%s: the archive has two arrays of this name", b->path);
    int status = read_npy_header(b, a, why);
    if (status)
        return status;
    if (k != DATA && k != FORMAT && (a->rank != 1 || a->type.kind == NUMBER_REAL))
        return fail(why, "%s: expected one dimension of integers", b->path);
    if (k == FORMAT && (!a->text || a->n > NPZ_TEXT))
        return fail(why, "%s: expected a short text", b->path);
    if (z->header && k < SHAPE)
        return 0;
    if (binary_hold(b, a->n, a->type.bytes, "elements", why) || compare(z, k, &n, why))
        return FAIL;
    const size_t each = as == AS_INT32 ? sizeof(int32_t) : sizeof(double);
    status = memory_check((double)n * (double)each, memory_limit(), why,
                          "%s: not enough memory for %" PRId64 " elements", b->path, n);
    if (status)
        return status;
    void *to = malloc(((size_t)n + 1) * each);
    if (as == AS_DOUBLE)
        a->reals = to;
    else if (as == AS_INT32)
        a->ints = to;
    else
        a->wide = to;
    if (!to)
        return memory_failed(((double)n + 1) * (double)each, why, "%s: not enough memory for %" PRId64 " elements",
                             b->path, n);
    status = binary_numbers(b, a->type, n, as, to, "an array", why);
    if (!status)
        status = binary_skip(b, (a->n - n) * a->type.bytes * (a->type.pair ? 2 : 1), "an array", why);
    z->rounded += b->rounded;
    for (int64_t i = 0; !status && k == FORMAT && i < a->n; i++)
        z->format[i] = (char)a->ints[i];
    return status;
}

/* ---- the archive ------------------------------------------------------------------------------------------------- */
static int member_of(const char *name)
{
    static const char ending[] = ".npy";
    const size_t n = strlen(name), e = strlen(ending);
    for (int k = 0; k < ARRAYS && n > e; k++)
        if (strlen(members[k].name) == n - e && strncmp(name, members[k].name, n - e) == 0
            && strcmp(name + n - e, ending) == 0)
            return k;
    return ARRAYS;
}

/* Reads one member, or notes its name. */
static int take(struct npz *z, const char *name, struct binary *b, char why[ERRLEN])
{
    const int k = member_of(name);
    if (k < ARRAYS)
        return read_array(z, b, k, why);
    const size_t n = strlen(z->others);
    if (n + strlen(name) + 3 < sizeof z->others)
        snprintf(z->others + n, sizeof z->others - n, "%s%s", n ? ", " : "", name);
    return 0;
}

struct zip {
    struct binary file;
    struct archive *archive;
    bool broken; /* the input failed, for the reason in `why` */
    char why[ERRLEN], piece[1 << 16];
};

static la_ssize_t more(struct archive *a, void *data, const void **buffer)
{
    struct zip *zip = data;
    int64_t got;
    if (binary_some(&zip->file, zip->piece, sizeof zip->piece, &got, zip->why)) {
        zip->broken = true;
        archive_set_error(a, -1, "%s", zip->why);
        return -1;
    }
    *buffer = zip->piece;
    return (la_ssize_t)got;
}

static int damaged(const struct zip *zip, char why[ERRLEN])
{
    const char *text = archive_error_string(zip->archive);
    if (zip->broken)
        memcpy(why, zip->why, ERRLEN);
    return zip->broken ? FAIL
                       : fail(why, "%s is cut short or damaged: zip says '%s'; get the file again", zip->file.path,
                              text ? text : "broken archive");
}

/* As input_read, of the current member. */
static int member_more(void *from, void *to, int64_t bytes, int64_t *got, char why[ERRLEN])
{
    struct zip *zip = from;
    const la_ssize_t n = archive_read_data(zip->archive, to, (size_t)bytes);
    *got = n > 0 ? (int64_t)n : 0;
    return n < 0 ? damaged(zip, why) : 0;
}

static int each_member(struct npz *z, struct zip *zip, char why[ERRLEN])
{
    struct archive_entry *entry;
    int rc, status = 0;
    const struct npz_array *a = z->array;
    while (!status && (rc = archive_read_next_header(zip->archive, &entry)) != ARCHIVE_EOF) {
        const char *name = rc == ARCHIVE_OK || rc == ARCHIVE_WARN ? archive_entry_pathname(entry) : NULL;
        struct binary b = { .source = member_more, .from = zip, .holds = zip->file.holds };
        if (rc != ARCHIVE_OK && rc != ARCHIVE_WARN)
            return damaged(zip, why);
        snprintf(b.path, sizeof b.path, "%.350s:%.100s", z->path, name ? name : "?");
        status = archive_entry_is_encrypted(entry) ? fail(why, "%s is encrypted; write it without a password", b.path)
                                                   : take(z, name ? name : "?", &b, why);
        if (!status && !z->header)
            status = binary_drain(&b, why); /* its checksum */
        if (!status && z->header && a[DATA].n >= 0 && a[SHAPE].n >= 0 && a[FORMAT].n >= 0)
            return 0;
    }
    return status ? status : binary_drain(&zip->file, why);
}

int npz_read_arrays(struct npz *z, char why[ERRLEN])
{
    struct zip *zip = xcalloc(1, sizeof *zip);
    int status;
    binary_open(z->in, z->in->packed ? 1 : FOLD, &zip->file);
    memcpy(z->path, zip->file.path, sizeof z->path);
    zip->archive = archive_read_new();
    if (!zip->archive || archive_read_support_format_zip_streamable(zip->archive) != ARCHIVE_OK)
        status = fail(why, "%s: cannot initialize libarchive for zip", z->path);
    else if (archive_read_open(zip->archive, zip, NULL, more, NULL) != ARCHIVE_OK)
        status = damaged(zip, why);
    else
        status = each_member(z, zip, why);
    archive_read_free(zip->archive);
    free(zip);
    return status;
}

void npz_free(struct npz *z)
{
    for (int k = 0; k < ARRAYS; k++) {
        free(z->array[k].ints);
        free(z->array[k].wide);
        free(z->array[k].reals);
    }
}
