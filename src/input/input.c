/* SPDX-License-Identifier: BSD-3-Clause */
/* Splits the name of an input, opens the file and reads its bytes. */
#include "input/input.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/files.h"
#include "base/strings.h"

/* ---- the name ---------------------------------------------------------------------------------------------------- */
static enum input_form form_of(const char *file)
{
    struct stat st;
    if (stream_is_standard(file))
        return INPUT_BYTES;
    if (stat(file, &st) != 0)
        return INPUT_WORDS;
    return S_ISREG(st.st_mode) && h5_is(file) ? INPUT_HDF5 : INPUT_BYTES;
}

int input_look(const char *path, size_t n, struct input *in, char why[ERRLEN])
{
    memset(in, 0, sizeof *in);
    in->path = path;
    in->inside = path[n] ? path + n + 1 : "";
    in->h5 = H5I_INVALID_HID;
    if (n >= sizeof in->file)
        return fail(why, "%.64s...: the path has %zu characters, expected at most %zu", path, n, sizeof in->file - 1);
    memcpy(in->file, path, n);
    in->form = form_of(in->file);
    if (in->form != INPUT_WORDS)
        files_read(stream_is_standard(in->file) ? "/dev/stdin" : in->file);
    return 0;
}

/* ---- the bytes --------------------------------------------------------------------------------------------------- */
static int next(struct input *in, void *to, int64_t bytes, int64_t *got, char why[ERRLEN])
{
    *got = 0;
    if (in->ended)
        return 0;
    int status = in->more      ? in->more(in->holder, to, bytes, got, why)
                 : !in->stream ? stream_open(in->file, &in->stream, why)
                               : 0;
    if (!status && in->stream)
        status = stream_read(in->stream, to, bytes, got, why);
    in->broken |= status != 0;
    in->ended = !status && *got == 0;
    if (in->ended) {
        stream_close(in->stream); /* frees its decoder, which may use much memory */
        in->stream = NULL;
    }
    return status;
}

static int fill_head(struct input *in, char why[ERRLEN])
{
    int status = 0;
    while (!status && !in->ended && in->head_bytes < INPUT_HEAD) {
        int64_t got;
        status = next(in, in->head + in->head_bytes, INPUT_HEAD - in->head_bytes, &got, why);
        in->head_bytes += got;
    }
    return status;
}

int input_begin(struct input *in, char why[ERRLEN])
{
    static const char mark[] = "\xef\xbb\xbf";
    const int64_t n = (int64_t)strlen(mark);
    in->head_bytes = in->head_taken = 0;
    in->ended = false;
    memset(in->head, 0, sizeof in->head);
    int status = fill_head(in, why);
    if (!status && memcmp(in->head, mark, (size_t)n) == 0) {
        in->head_bytes -= n;
        memmove(in->head, in->head + n, (size_t)in->head_bytes);
        memset(in->head + in->head_bytes, 0, (size_t)n);
        status = fill_head(in, why);
    }
    return status;
}

int input_open(struct input *in, char why[ERRLEN])
{
    if (in->form == INPUT_HDF5)
        in->unopened = h5_open(in->file, !in->look, &in->h5, in->why);
    if (in->form != INPUT_BYTES)
        return 0;
    const int status = stream_open(in->file, &in->stream, why);
    in->packed = !status && !stream_is_plain(in->stream);
    return status ? status : input_begin(in, why);
}

int input_read(struct input *in, void *to, int64_t bytes, int64_t *got, char why[ERRLEN])
{
    const int64_t left = in->head_bytes - in->head_taken;
    if (left == 0)
        return next(in, to, bytes, got, why);
    *got = bytes < left ? bytes : left;
    memcpy(to, in->head + in->head_taken, (size_t)*got);
    in->head_taken += *got;
    return 0;
}

void input_blame(struct input *in, char why[ERRLEN])
{
    enum { PIECE = 1 << 16, LIMIT = 1 << 28 };
    if (!in->stream || !in->packed || in->broken)
        return;
    char *piece = xmalloc(PIECE), damage[ERRLEN];
    int64_t read = 0, got = 1;
    int status = 0;
    for (; !status && got > 0 && read < LIMIT; read += got)
        status = next(in, piece, PIECE, &got, damage);
    if (status)
        memcpy(why, damage, ERRLEN);
    free(piece);
}

/* ---- what it is -------------------------------------------------------------------------------------------------- */
/* Returns true if the head has the HDF5 signature, at its start or after a user block of 512, 1024, 2048, ... bytes. */
static bool holds_hdf5(const struct input *in)
{
    static const char signature[] = "\x89HDF\r\n\x1a\n";
    const int64_t n = (int64_t)strlen(signature);
    for (int64_t at = 0; at + n <= in->head_bytes; at = at ? 2 * at : 512)
        if (memcmp(in->head + at, signature, (size_t)n) == 0)
            return true;
    return false;
}

static bool begins_with(const struct input *in, const char *bytes, int64_t n)
{
    return in->head_bytes >= n && memcmp(in->head, bytes, (size_t)n) == 0;
}

/* Formats that no reader has, and what makes of them one that a reader has. */
static const struct {
    const char *begins;
    int bytes;
    const char *what, *way;
} foreign[] = {
    { "\x93NUMPY", 6, "a NumPy file of a dense array",
      "scipy.sparse.save_npz of a csr_matrix of it writes a sparse one" },
    { "\x80\2", 2, "a Python pickle", "scipy.sparse.save_npz writes a sparse matrix" },
    { "\x80\3", 2, "a Python pickle", "scipy.sparse.save_npz writes a sparse matrix" },
    { "\x80\4", 2, "a Python pickle", "scipy.sparse.save_npz writes a sparse matrix" },
    { "\x80\5", 2, "a Python pickle", "scipy.sparse.save_npz writes a sparse matrix" },
    { "RDX2\n", 5, "an R workspace", "Matrix::writeMM writes a sparse matrix" },
    { "RDX3\n", 5, "an R workspace", "Matrix::writeMM writes a sparse matrix" },
    { "X\n\0\0\0", 5, "an R object", "Matrix::writeMM writes a sparse matrix" },
    { "# Created by Octave", 19, "a text file of Octave", "save('-v7', FILE, VARIABLE) writes a MATLAB file" },
    { "PAR1", 4, "a Parquet table", "write the matrix as Matrix Market" },
    { "7z\xbc\xaf\x27\x1c", 6, "a 7-Zip archive", "unpack it first" },
    { "Rar!\x1a\7", 6, "a RAR archive", "unpack it first" },
    { "\x1f\x9d", 2, "a file packed by compress", "unpack it by gzip -d first" },
    { "\4\x22\x4d\x18", 4, "a file packed by lz4", "unpack it first" },
    { "<!DOCTYPE", 9, "a page of the Web", "get the file again" },
    { "<html", 5, "a page of the Web", "get the file again" },
    { "%PDF", 4, "a PDF document", "expected a matrix file" },
};

int input_foreign(const struct input *in, char why[ERRLEN])
{
    char label[512];
    input_label(in, label, sizeof label);
    if (in->form != INPUT_BYTES)
        return 0;
    if (holds_hdf5(in)) {
        return fail(why, "%s: HDF5 %s; %s", label,
                    in->packed ? "cannot be read from a compressed file or an archive"
                               : "cannot be read from a pipe or standard input (it needs random access)",
                    in->packed ? "unpack it first" : "name the file instead");
    }
    if (begins_with(in, "\xff\xfe", 2) || begins_with(in, "\xfe\xff", 2) || begins_with(in, "%\0%", 3)
        || begins_with(in, "\0%\0%", 4) || begins_with(in, "\0\0\xfe\xff", 4))
        return fail(why,
                    "%s: text in UTF-16 or UTF-32, expected ASCII or UTF-8; convert it with iconv -f UTF-16 -t UTF-8",
                    label);
    for (size_t k = 0; k < sizeof foreign / sizeof *foreign; k++)
        if (begins_with(in, foreign[k].begins, foreign[k].bytes))
            return fail(why, "%s: %s; %s", label, foreign[k].what, foreign[k].way);
    return 0;
}

double input_holds(const struct input *in, int least)
{
    static const double fold = 0x1p15; /* of zstd on repeated bytes; others compress less */
    struct stat st;
    if (stream_is_standard(in->file) || stat(in->file, &st) != 0 || !S_ISREG(st.st_mode))
        return 0;
    return (double)st.st_size * (in->packed ? fold : 1) / least;
}

void input_close(struct input *in)
{
    stream_close(in->stream);
    in->stream = NULL;
    if (in->h5 >= 0)
        H5Fclose(in->h5);
    in->h5 = H5I_INVALID_HID;
}

/* ---- what it is called ------------------------------------------------------------------------------------------- */
void input_label(const struct input *in, char *label, size_t bytes)
{
    const char *file = stream_is_standard(in->file) ? stream_standard_name : in->file;
    snprintf(label, bytes, in->member[0] ? "%s:%s" : "%s", file, in->member);
}

void input_note_rounded(const char *label, int64_t n)
{
    if (n > 0)
        note("%s: %s of the values: integers of 2^53 or more; read as the nearest float64", label,
             counted(n, "element").text);
}

const char *input_named(const struct input *in) { return in->member[0] ? in->member : in->file; }
