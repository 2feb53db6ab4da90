/* SPDX-License-Identifier: BSD-3-Clause */
/* Binary matrix files, from memory, made of a description. The first character says of which kind: p: PETSc, m, M: MATLAB of either byte
 * order, c: MATLAB with one compressed variable, n: SciPy's npz. In the rest, #5; is an integer of 4 bytes, %1.5; a number of 8, ~ff a
 * byte, [14...] an element of MATLAB of type 14, and a line @NAME TYPE SHAPE begins an array of NumPy. A capital R after the kind asks for
 * real parts. What is read is valid CSR, and agrees with its header. */
#include <archive.h>
#include <archive_entry.h>
#include <zlib.h>
#include "fuzz.h"
#include "input/reader.h"

enum { ROOM = 1 << 16, ROWS = 1 << 14, DEPTH = 8 };

struct made {
    size_t n;
    bool big;
    char at[ROOM];
};

static void put(struct made *m, const void *bytes, size_t n)
{
    if (m->n + n <= ROOM) {
        memcpy(m->at + m->n, bytes, n);
        m->n += n;
    }
}

/* Puts a number of 4 or 8 bytes in the byte order of the file. */
static void put_number(struct made *m, const void *value, size_t n)
{
    char bytes[8];
    for (size_t k = 0; k < n; k++)
        bytes[k] = ((const char *)value)[m->big ? n - 1 - k : k];
    put(m, bytes, n);
}

/* Makes bytes of a description up to `end`, or to the bracket that ends an element. Returns where it stopped. */
static const char *make(struct made *m, const char *p, const char *end, int depth)
{
    while (p < end && !(depth > 0 && *p == ']')) {
        char *next;
        unsigned byte;
        if (*p == '#') {
            const int32_t v = (int32_t)strtoll(p + 1, &next, 10);
            put_number(m, &v, sizeof v);
            p = *next == ';' ? next + 1 : next;
        } else if (*p == '%') {
            const double v = strtod(p + 1, &next);
            put_number(m, &v, sizeof v);
            p = *next == ';' ? next + 1 : next;
        } else if (*p == '~' && sscanf(p + 1, "%2x", &byte) == 1) {
            const char c = (char)byte;
            put(m, &c, 1);
            p += p + 3 < end ? 3 : end - p;
        } else if (*p == '[' && depth < DEPTH) {
            const int32_t type = (int32_t)strtol(p + 1, &next, 10), none = 0;
            put_number(m, &type, sizeof type);
            const size_t size_at = m->n;
            put_number(m, &none, sizeof none);
            p = make(m, next + (*next == ' '), end, depth + 1);
            p += p < end;
            struct made size = { .big = m->big };
            const uint32_t bytes = (uint32_t)(m->n - size_at - sizeof none);
            put_number(&size, &bytes, sizeof bytes);
            if (size_at + sizeof bytes <= m->n)
                memcpy(m->at + size_at, size.at, sizeof bytes);
            put(m, "\0\0\0\0\0\0\0", -bytes & 7);
        } else
            put(m, p++, 1);
    }
    return p;
}

static void make_matlab(struct made *m, const char *p, const char *end, bool compressed)
{
    static struct made inner;
    char header[128];
    snprintf(header, sizeof header, "%-124s", "MATLAB 5.0 MAT-file");
    memcpy(header + 124, m->big ? "\1\0MI" : "\0\1IM", 4);
    put(m, header, sizeof header);
    if (!compressed) {
        make(m, p, end, 0);
        return;
    }
    static Bytef packed[2 * ROOM];
    uLongf n = sizeof packed;
    const uint32_t type = 15;
    inner.n = 0;
    inner.big = m->big;
    make(&inner, p, end, 0);
    compress2(packed, &n, (const Bytef *)inner.at, inner.n, 1);
    const uint32_t bytes = (uint32_t)n;
    put_number(m, &type, sizeof type);
    put_number(m, &bytes, sizeof bytes);
    put(m, packed, n);
}

static void add_member(struct archive *a, const char *name, const struct made *content)
{
    struct archive_entry *entry = archive_entry_new();
    archive_entry_set_pathname(entry, name);
    archive_entry_set_size(entry, (la_int64_t)content->n);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_write_header(a, entry);
    archive_write_data(a, content->at, content->n);
    archive_entry_free(entry);
}

static void make_npz(struct made *m, const char *p, const char *end)
{
    static struct made array;
    struct archive *a = archive_write_new();
    archive_write_set_format_zip(a);
    archive_write_set_bytes_in_last_block(a, 1);
    archive_write_open_memory(a, m->at, ROOM, &m->n);
    for (const char *next; p < end && *p == '@'; p = next) {
        char name[24] = "", type[24] = "", shape[24] = "", header[200], named[40];
        const char *line = memchr(p, '\n', (size_t)(end - p));
        line = line ? line + 1 : end;
        next = memmem(line, (size_t)(end - line), "\n@", 2);
        next = next ? next + 1 : end;
        sscanf(p + 1, "%23s %23s %23[^\n]", name, type, shape);
        const int n =
            snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n", type, shape);
        array.n = 0;
        put(&array, "\x93NUMPY\1", 8);
        put(&array, (char[2]){ (char)n, 0 }, 2);
        put(&array, header, (size_t)n);
        make(&array, line, next > line && next < end ? next - 1 : next, 0);
        snprintf(named, sizeof named, "%s.npy", name);
        add_member(a, named, &array);
    }
    archive_write_close(a);
    archive_write_free(a);
}

void fuzz_binary(const uint8_t *data, size_t size)
{
    static struct made m;
    struct matrix_header h;
    struct matrix matrix;
    char why[ERRLEN];
    const bool real_part = size > 1 && data[1] == 'R';
    if (size < 2 + (size_t)real_part || size > ROOM / 16)
        return;
    char *text = fuzz_text(data, size);
    const char *from = text + 1 + real_part, *end = text + size;
    m.n = 0;
    m.big = text[0] == 'p' || text[0] == 'M';
    if (text[0] == 'p')
        make(&m, from, end, 0);
    else if (text[0] == 'n')
        make_npz(&m, from, end);
    else
        make_matlab(&m, from, end, text[0] == 'c');
    const char *path = fuzz_file(m.at, m.n);
    matrix_real_part = real_part;
    if (m.n > 0 && !memmem(m.at, m.n, "\x89HDF", 4) && matrix_peek(path, &h, why) == 0 && h.rows <= ROWS
        && h.cols <= ROWS && matrix_read(path, &matrix, why) == 0) {
        FUZZ_MUST(csr_check(&matrix.csr, why) == 0, "%s", why);
        FUZZ_MUST(matrix.csr.rows == h.rows && matrix.csr.cols == h.cols, "header");
        FUZZ_MUST(matrix.csr.nnz + matrix.repeats.summed <= h.nnz_stored, "%ld stored", (long)h.nnz_stored);
        matrix_free(&matrix);
    }
    matrix_real_part = false;
    free(text);
}
