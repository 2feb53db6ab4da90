/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads any matrix a user names: finds the reader and adds the facts that no reader knows (ids, group, source). */
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/strings.h"
#include "input/imports.h"
#include "input/reader.h"

/* Returns the name of the file (FILE of FILE:INSIDE) without directories. */
static const char *file_part(const char *path)
{
    const char *slash = memrchr(path, '/', matrix_file_length(path));
    return slash ? slash + 1 : path;
}

bool matrix_read_again(const char *path)
{
    struct stat st;
    const size_t n = matrix_file_length(path);
    char *file = strndup(path, n);
    const bool again =
        file && !stream_is_standard(file) && (stat(file, &st) != 0 || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));
    free(file);
    return again;
}

bool matrix_real_part;

/* ---- reading ----------------------------------------------------------------------------------------------------- */
static void fill_facts(const char *path, struct matrix *m)
{
    const char *slash = strchr(m->name, '/');
    if (!m->group[0] && !m->recipe[0] && slash)
        snprintf(m->group, sizeof m->group, "%.*s", (int)(slash - m->name), m->name);
    if (!m->source[0] && matrix_file_length(path) == 1 && path[0] == '-')
        snprintf(m->source, sizeof m->source, "stdin%s", path + 1);
    else if (!m->source[0])
        matrix_text(m->source, sizeof m->source, file_part(path));
#pragma omp parallel sections
    {
#pragma omp section
        csr_matrix_id(&m->csr, m->matrix_id);
#pragma omp section
        csr_pattern_id(&m->csr, m->pattern_id);
    }
}

static int look(const char *path, struct input *in, char why[ERRLEN])
{
    char insides[ERRLEN];
    const size_t n = matrix_file_length(path);
    const int status = input_look(path, n, in, why);
    if (!status && path[n] && !in->inside[0])
        return fail(why, "%s: missing INSIDE after ':'; expected FILE or FILE:INSIDE (%s)", path,
                    readers_insides(", ", insides, sizeof insides));
    return status;
}

/* Opens the input and finds its reader. Call input_close even after a failure. */
static int find_reader(const char *path, bool look_only, struct input *in, const struct reader **reader,
                       char why[ERRLEN])
{
    enum claim claim;
    int status = look(path, in, why);
    in->look = look_only;
    in->real_part = matrix_real_part;
    if (!status)
        status = input_open(in, why);
    if (status)
        return status;
    *reader = reader_of(in, &claim);
    if (claim < CLAIM_SURE && (status = input_foreign(in, why)))
        return status;
    if (in->inside[0] && !(*reader)->inside) {
        char label[512];
        input_label(in, label, sizeof label);
        return fail(why, "%s is not an archive and cannot contain '%.64s'; name the file alone", label, in->inside);
    }
    return 0;
}

static void note_repeats(const struct input *in, const struct matrix *m)
{
    const struct coo_repeats *r = &m->repeats;
    const char *done = strcmp(m->field, "pattern") == 0 ? "merged" : "summed";
    char label[512];
    input_label(in, label, sizeof label);
    if (r->both_triangles > 0)
        note("%s: symmetric, but %" PRId64
             " off-diagonal entr%s stored in both triangles; each is %s with its mirror image (a file that "
             "stores both triangles should be 'general')",
             label, r->both_triangles, r->both_triangles == 1 ? "y is" : "ies are", done);
    if (r->summed > 0)
        note("%s: %" PRId64 " duplicate entr%s %s", label, r->summed, r->summed == 1 ? "y" : "ies", done);
}

static void note_not_finite(const struct input *in, const struct matrix *m)
{
    char label[512];
    int64_t n = 0;
    if (m->recipe[0] || m->import_key[0] || strcmp(m->field, "pattern") == 0) /* an import: its reader notes it */
        return;
#pragma omp parallel for reduction(+ : n)
    for (int64_t k = 0; k < m->csr.nnz; k++)
        n += !isfinite(m->csr.val[k]);
    if (n == 0)
        return;
    input_label(in, label, sizeof label);
    note("%s: %s %s not finite (NaN or Inf), nor are the elements of y that need them; times do not depend on it",
         label, counted(n, "value").text, n == 1 ? "is" : "are");
}

/* Returns true and fills the matrix, as its reader and read_by would have, if the import is there. A damaged one is removed, with a note. */
static bool read_import(const struct import *i, struct matrix *m)
{
    char why[ERRLEN];
    struct stat before, now;
    if (!i->path || stat(i->path, &before))
        return false;
    int status = matrix_read(i->path, m, why);
    if (!status && strcmp(m->import_key, i->key) != 0) {
        status = fail(why, "%s is the import of another file", i->path);
        matrix_free(m);
    }
    if (status) {
        memset(m, 0, sizeof *m);
        /* else another process replaced or removed it */
        if (status != OOM && stat(i->path, &now) == 0 && files_same(&before, &now)) {
            note("%s; the matrix is imported anew", why);
            unlink(i->path);
        }
        return false;
    }
    /* the time of access alone: other readers watch that of modification */
    utimensat(AT_FDCWD, i->path, (struct timespec[]){ { .tv_nsec = UTIME_NOW }, { .tv_nsec = UTIME_OMIT } }, 0);
    m->import_key[0] = 0;
    m->repeats = m->before;
    m->before = (struct coo_repeats){ 0 };
    return true;
}

static int read_by(const struct reader *reader, struct input *in, struct matrix *m, char why[ERRLEN])
{
    struct import kept = { .path = NULL };
    if (!reader->import)
        import_find(in, &kept);
    if (read_import(&kept, m)) {
        import_free(&kept);
        return 0;
    }
    const long notes = error_notes();
    int status = reader->read(in, m, why);
    if (status == FAIL && !reader->container)
        input_blame(in, why);
    if (!status)
        fill_facts(in->path, m);
    if (!status && error_notes() == notes) /* a note on the values is for each reading */
        import_write(&kept, in, m);
    import_free(&kept);
    return status;
}

static int read_matrix(const char *path, bool real_part, struct matrix *m, char why[ERRLEN])
{
    const struct reader *reader;
    struct input in;
    memset(m, 0, sizeof *m);
    int status = find_reader(path, false, &in, &reader, why);
    in.real_part |= real_part;
    if (!status)
        status = read_by(reader, &in, m, why);
    if (!status) {
        note_repeats(&in, m);
        note_not_finite(&in, m);
    }
    input_close(&in);
    if (status)
        matrix_free(m);
    return status;
}

int matrix_read(const char *path, struct matrix *m, char why[ERRLEN]) { return read_matrix(path, false, m, why); }

int matrix_read_real_part(const char *path, struct matrix *m, char why[ERRLEN])
{
    return read_matrix(path, true, m, why);
}

int matrix_peek(const char *path, struct matrix_header *h, char why[ERRLEN])
{
    const struct reader *reader;
    struct input in;
    memset(h, 0, sizeof *h);
    int status = find_reader(path, true, &in, &reader, why);
    if (!status)
        status = reader->peek(&in, h, why);
    input_close(&in);
    return status;
}

/* ---- what a file is ---------------------------------------------------------------------------------------------- */
/* Returns true for an HDF5 file in which no reader finds a matrix. */
static bool is_archive(struct input *in)
{
    enum claim claim;
    if (in->form != INPUT_HDF5 || in->inside[0])
        return false;
    in->look = true;
    char unread[ERRLEN];
    if (input_open(in, unread))
        return false;
    reader_of(in, &claim);
    return claim < CLAIM_LIKELY;
}

bool matrix_is_archive(const char *path)
{
    struct input in;
    char unread[ERRLEN];
    const bool archive = look(path, &in, unread) == 0 && is_archive(&in);
    input_close(&in);
    return archive;
}

/* Judges by the first bytes. The magic bytes of compressed formats, even those without a decoder, do not pass as text. */
static bool looks_like_text(const struct input *in)
{
    enum { SHOWN = 8 };
    const unsigned char *head = (const unsigned char *)in->head;
    bool text = in->head_bytes > 0;
    for (int64_t i = 0; i < SHOWN && i < in->head_bytes; i++)
        text &= (head[i] >= ' ' || (head[i] && strchr("\t\r\n", head[i]))) && head[i] != 0x8b && head[i] != 0xfd;
    return text;
}

enum matrix_guess matrix_guess(const char *path)
{
    struct input in;
    enum claim claim = CLAIM_NO;
    char unread[ERRLEN];
    enum matrix_guess guess = MATRIX_UNKNOWN;
    if (look(path, &in, unread) == 0 && in.form == INPUT_HDF5)
        guess = is_archive(&in) ? MATRIX_ARCHIVE : MATRIX_FILE;
    else if (in.form == INPUT_BYTES && stream_open(in.file, &in.stream, unread) == 0 && stream_is_plain(in.stream)
             && input_begin(&in, unread) == 0) {
        reader_of(&in, &claim);
        guess = claim >= CLAIM_LIKELY ? MATRIX_FILE : looks_like_text(&in) ? MATRIX_TEXT : MATRIX_UNKNOWN;
    }
    input_close(&in);
    return guess;
}

bool matrix_left_out(const char *path)
{
    struct input in;
    const struct reader *reader;
    char unread[ERRLEN];
    const bool left_out =
        find_reader(path, true, &in, &reader, unread) == 0 && reader->left_out && reader->left_out(&in);
    input_close(&in);
    return left_out;
}
