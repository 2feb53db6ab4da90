/* SPDX-License-Identifier: BSD-3-Clause */
/* Compressed files and tar archives. The first character says what becomes of the rest: r: the file itself; g, x, z, b: compressed by gzip,
 * xz, zstd, bzip2; t, G: a member of a tar archive, of a compressed one; i: of a zip archive. A capital D after it: the byte at the position that the two next bytes
 * give is changed. What is undamaged must read as the plain text does. */
#include <archive.h>
#include <archive_entry.h>
#include "fuzz.h"
#include "input/matrix.h"

enum { ROWS = 1 << 14, ROOM = 1 << 18 };

static size_t pack(char how, const uint8_t *data, size_t size, char *to)
{
    struct archive *a = archive_write_new();
    struct archive_entry *entry = archive_entry_new();
    size_t used = 0;
    if (how == 't' || how == 'G')
        archive_write_set_format_ustar(a);
    else if (how == 'i')
        archive_write_set_format_zip(a);
    else
        archive_write_set_format_raw(a);
    if (how == 'g' || how == 'G')
        archive_write_add_filter_gzip(a);
    else if (how == 'x')
        archive_write_add_filter_xz(a);
    else if (how == 'z')
        archive_write_add_filter_zstd(a);
    else if (how == 'b')
        archive_write_add_filter_bzip2(a);
    if (how == 'x')
        archive_write_set_filter_option(a, "xz", "compression-level", "0");
    archive_write_set_bytes_in_last_block(a, 1);
    archive_write_open_memory(a, to, ROOM, &used);
    archive_entry_set_pathname(entry, "fuzz/fuzz.mtx");
    archive_entry_set_size(entry, (la_int64_t)size);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_write_header(a, entry);
    archive_write_data(a, data, size);
    archive_entry_free(entry);
    archive_write_close(a);
    archive_write_free(a);
    return used;
}

static int read_small(const void *data, size_t size, struct matrix *m)
{
    char why[ERRLEN];
    struct matrix_header h;
    const char *path = fuzz_file(data, size);
    memset(m, 0, sizeof *m);
    if (size % 4 == 0)
        (void)matrix_guess(path);
    if (matrix_peek(path, &h, why) || h.rows > ROWS || h.cols > ROWS || matrix_read(path, m, why))
        return FAIL;
    FUZZ_MUST(csr_check(&m->csr, why) == 0, "%s", why);
    return 0;
}

void fuzz_stream(const uint8_t *data, size_t size)
{
    static char packed[ROOM];
    struct matrix m, plain;
    if (size < 5 || size > ROOM / 4)
        return;
    const char how = (char)data[0];
    const bool damage = data[1] == 'D', packs = how && strchr("gxzbtGi", how);
    const size_t head = damage ? 4 : 1, rest = size - head;
    size_t n = rest;
    if (packs)
        n = pack(how, data + head, rest, packed);
    else
        memcpy(packed, data + head, rest);
    if (n == 0 || memmem(packed, n, "\x89HDF", 4))
        return;
    if (damage)
        packed[(size_t)(data[2] << 8 | data[3]) % n] ^= (char)0x55;
    const int status = read_small(packed, n, &m);
    if (packs && !damage && size % 4 == 0) {
        const int expected = read_small(data + head, rest, &plain);
        const bool text = data[head] != 0x1f && data[head] != 0xfd && data[head] != 0x28 && data[head] != 'B'
                          && data[head] != 'P' && rest < 257;
        FUZZ_MUST(!text || status == expected, "%c: status %d, plain %d", how, status, expected);
        FUZZ_MUST(status || expected || strcmp(m.matrix_id, plain.matrix_id) == 0, "%c: other matrix", how);
        matrix_free(&plain);
    }
    matrix_free(&m);
}
