/* SPDX-License-Identifier: BSD-3-Clause */
/* Packed archives. The file: struct head, its tables, its texts, the sum of these; then the rows of each table, at multiples of
 * ALIGNMENT. Numbers are as this machine stores them, which the layouts cover. Sums are CRC-32s: they find what an accident changes, in
 * a third of the time of SHA-256, and against intent a sum in the same file is none. */
#include "archive/pack.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include "archive/digest.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/output.h"

enum { TABLES = 32, TEXTS = 16, ALIGNMENT = 64 };
static const char magic[16] = "spmvcast pack 2";

struct packed_table {
    char name[40];
    uint64_t sum, layout;
    int64_t rows, at; /* rows -1: the archive does not have it */
};
struct packed_text {
    char name[32], value[256]; /* "": the archive does not have it */
};
struct head {
    char magic[sizeof magic], kind[32], source[DIGEST_BYTES + 1]; /* source: the digest of the archive */
    int64_t tables, texts, bytes;                                 /* bytes: of the file */
    struct packed_table table[TABLES];
    struct packed_text text[TEXTS];
};
struct pack {
    int fd;
    struct head head;
};

static uint64_t sum_of(const void *data, size_t bytes) { return crc32_z(0, data, bytes); }

/* Hash of all that the bytes of a row depend on. */
static uint64_t layout_of(const struct schema *s)
{
    const int64_t one = 1;
    uint64_t h = hash_text(*(const unsigned char *)&one, s->name);
    char text[64];

    snprintf(text, sizeof text, "%zu %d", s->row_bytes, s->ncolumns);
    h = hash_text(h, text);
    for (const struct column *c = s->columns; c < s->columns + s->ncolumns; c++) {
        snprintf(text, sizeof text, "%d %zu %d", (int)c->type, c->offset, c->width);
        h = hash_text(hash_text(h, c->name), text);
        for (int i = 0; c->words && i < c->words->n; i++)
            h = hash_text(h, c->words->word[i]);
    }
    return h;
}

static char *name_of(const char *path)
{
    const size_t n = strlen(path);

    return n > 3 && strcmp(path + n - 3, ".h5") == 0 ? xasprintf("%.*s.pack", (int)(n - 3), path)
                                                     : xasprintf("%s.pack", path);
}

/* ---- writing ---- */

static int is_pack(const char *path, const void *what, char why[ERRLEN])
{
    char start[sizeof magic] = "";
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const bool ours = fd >= 0 && files_read_at(fd, start, sizeof start, 0)
                      && memcmp(start, magic, strcspn(magic, "123456789")) == 0; /* also an older one */

    (void)what;
    if (fd >= 0)
        close(fd);
    return ours ? 0 : fail(why, "cannot write %s: the file exists and is no packed archive; move or remove it", path);
}
static const struct output_kind kind_of_pack = { .check = is_pack };

struct pack_writer {
    char *name;
    const char *tmp;
    FILE *f;
    bool failed; /* a write */
    struct head head;
};

int pack_begin(const char *path, const char *kind, struct pack_writer **out, char why[ERRLEN])
{
    struct pack_writer *w = xcalloc(1, sizeof *w);
    int status = 0;

    w->name = name_of(path);
    memcpy(w->head.magic, magic, sizeof magic);
    TEXT_SET(w->head.kind, kind);
    w->head.bytes = (int64_t)(sizeof w->head + sizeof(uint64_t) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (!digest_of(path, w->head.source))
        status = fail(why, "%s has no digest at its end; fit it again with spmv-fit", path);
    if (!status)
        status = output_begin(w->name, &kind_of_pack, &w->tmp, why);
    if (!status) {
        w->f = fopen(w->tmp, "wb");
        if (!w->f || fseek(w->f, (long)w->head.bytes, SEEK_SET))
            status = fail(why, "cannot write %s:", w->name);
    }
    if (status)
        pack_abandon(w);
    *out = status ? NULL : w;
    return status;
}

void pack_put(struct pack_writer *w, const struct schema *s, const void *rows, int64_t n)
{
    static const char zeros[ALIGNMENT];
    const size_t bytes = rows ? (size_t)n * s->row_bytes : 0, rest = (ALIGNMENT - bytes % ALIGNMENT) % ALIGNMENT;

    if (w->head.tables == TABLES)
        bug("%s: too many tables to pack", w->name);
    struct packed_table *t = &w->head.table[w->head.tables++];
    *t = (struct packed_table){
        .sum = sum_of(rows ? rows : "", bytes), .layout = layout_of(s), .rows = rows ? n : -1, .at = w->head.bytes
    };
    TEXT_SET(t->name, s->name);
    w->failed |= (bytes > 0 && fwrite(rows, 1, bytes, w->f) != bytes) || fwrite(zeros, 1, rest, w->f) != rest;
    w->head.bytes += (int64_t)(bytes + rest);
}

void pack_put_text(struct pack_writer *w, const char *name, const char *value)
{
    if (w->head.texts == TEXTS)
        bug("%s: too many texts to pack", w->name);
    struct packed_text *t = &w->head.text[w->head.texts++];
    TEXT_SET(t->name, name);
    TEXT_SET(t->value, value);
}

int pack_commit(struct pack_writer *w, char why[ERRLEN])
{
    const uint64_t sum = sum_of(&w->head, sizeof w->head);

    w->failed |= fseek(w->f, 0, SEEK_SET) || fwrite(&w->head, sizeof w->head, 1, w->f) != 1
                 || fwrite(&sum, sizeof sum, 1, w->f) != 1;
    w->failed |= fclose(w->f) != 0;
    w->f = NULL;
    const int status = w->failed ? fail(why, "cannot write %s:", w->name) : output_commit(w->tmp, why);
    if (!w->failed)
        w->tmp = NULL;
    pack_abandon(w);
    return status;
}

void pack_abandon(struct pack_writer *w)
{
    if (w->f)
        fclose(w->f);
    if (w->tmp)
        output_discard(w->tmp);
    free(w->name);
    free(w);
}

/* ---- reading ---- */

static bool ends(const char *text, size_t bytes) { return memchr(text, 0, bytes) != NULL; }

/* Reads the head and checks that it is of this archive, and all numbers and texts in it. */
static bool read_head(struct pack *p, const char *path, const char *kind)
{
    struct head *h = &p->head;
    struct stat facts;
    char source[DIGEST_BYTES + 1];
    uint64_t sum;

    if (fstat(p->fd, &facts) || !S_ISREG(facts.st_mode) || !files_read_at(p->fd, h, sizeof *h, 0)
        || !files_read_at(p->fd, &sum, sizeof sum, sizeof *h))
        return false;
    if (memcmp(h->magic, magic, sizeof magic) != 0 || sum != sum_of(h, sizeof *h) || h->bytes != facts.st_size
        || h->tables < 0 || h->tables > TABLES || h->texts < 0 || h->texts > TEXTS
        || strncmp(h->kind, kind, sizeof h->kind) != 0 || !digest_of(path, source)
        || memcmp(source, h->source, sizeof source) != 0)
        return false;
    for (int i = 0; i < h->tables; i++)
        if (!ends(h->table[i].name, sizeof h->table[i].name) || h->table[i].at < 0 || h->table[i].at > h->bytes)
            return false;
    for (int i = 0; i < h->texts; i++)
        if (!ends(h->text[i].name, sizeof h->text[i].name) || !ends(h->text[i].value, sizeof h->text[i].value))
            return false;
    return true;
}

static void close_file(void *p) { close(((const struct pack *)p)->fd); }

bool pack_at(int fd)
{
    char head[sizeof magic];

    return pread(fd, head, sizeof head, 0) == sizeof head && memcmp(head, magic, sizeof head) == 0;
}

struct pack *pack_open(const char *path, const char *kind)
{
    char *name = name_of(path);
    struct pack *p = xcalloc(1, sizeof *p);

    p->fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    free(name);
    if (p->fd < 0)
        return free(p), NULL;
    error_undo(close_file, p);
    if (read_head(p, path, kind))
        return p;
    pack_close(p);
    return NULL;
}

void pack_close(struct pack *p)
{
    if (!p)
        return;
    error_undone(p);
    close_file(p);
    free(p);
}

/* Are these rows that an archive could hold? */
static bool rows_hold(const struct schema *s, const char *rows, int64_t n)
{
    for (const struct column *c = s->columns; c < s->columns + s->ncolumns; c++)
        for (int64_t i = 0; i < n && column_is_text(c); i++) {
            const char *member = rows + (size_t)i * s->row_bytes + c->offset;
            if (c->type == COLUMN_TEXT ? member[c->width - 1] != 0
                                       : *(const int64_t *)(const void *)member >= c->words->n)
                return false;
        }
    return true;
}

bool pack_table(const struct pack *p, const struct schema *s, void **rows, int64_t *n)
{
    const struct packed_table *t = p->head.table, *end = t + p->head.tables;

    while (t < end && strcmp(t->name, s->name) != 0)
        t++;
    *rows = NULL;
    *n = 0;
    if (t == end || t->layout != layout_of(s) || t->rows > (p->head.bytes - t->at) / (int64_t)s->row_bytes)
        return false;
    if (t->rows < 0)
        return true;
    const size_t bytes = (size_t)t->rows * s->row_bytes;
    char *copy = memory_array(bytes + s->row_bytes);
    bool good = copy && files_read_at(p->fd, copy, bytes, t->at);
    if (good) {
        memset(copy + bytes, 0, s->row_bytes);
        good = sum_of(copy, bytes) == t->sum && rows_hold(s, copy, t->rows);
    }
    if (!good) {
        free(copy);
        return false;
    }
    *rows = copy;
    *n = t->rows;
    return true;
}

bool pack_text(const struct pack *p, const char *name, char *value, size_t bytes)
{
    for (const struct packed_text *t = p->head.text; t < p->head.text + p->head.texts; t++)
        if (strcmp(t->name, name) == 0 && strlen(t->value) < bytes) {
            memcpy(value, t->value, strlen(t->value) + 1);
            return true;
        }
    return false;
}
