/* SPDX-License-Identifier: BSD-3-Clause */
/* An input named by the user, opened once. Cheap facts are determined before any reader is asked. The reader that
 * takes the input reads it once, from the first byte to the last. The input is never held in memory as a whole. */
#ifndef SPMVCAST_INPUT_INPUT_H
#define SPMVCAST_INPUT_INPUT_H
#include <stdbool.h>
#include "archive/h5.h"
#include "input/stream.h"

enum { INPUT_HEAD = 4096, INPUT_PADDING = 64 };

enum input_form {
    INPUT_WORDS, /* no such file: a recipe, or a wrong path */
    INPUT_HDF5,  /* a regular file with the signature of HDF5 */
    INPUT_BYTES  /* any other file, or standard input: its decompressed bytes; or an archive member */
};

struct input {
    const char *path;   /* as given: FILE, FILE:INSIDE or words */
    char file[4096];    /* without :INSIDE; "-" is standard input */
    const char *inside; /* "" if not given */
    bool real_part;     /* keep the real parts of complex values, which are refused otherwise */
    enum input_form form;
    bool look; /* values will not be read: an HDF5 file without a digest is checked by its structure only (h5_open) */
    /* INPUT_HDF5: open for reading; negative if it is damaged or cannot be opened, with the status in `unopened` and
     * the reason in why. Negative in other forms. */
    hid_t h5;
    int unopened;
    char why[ERRLEN];
    /* INPUT_BYTES: the first INPUT_HEAD bytes (all, if there are fewer) after a UTF-8 byte-order mark, followed by
     * INPUT_PADDING zeros. */
    char head[INPUT_HEAD + INPUT_PADDING];
    int64_t head_bytes, head_taken; /* taken: returned by input_read */
    bool packed;                    /* compressed, or an archive member */
    bool broken;                    /* input_read failed and described the damage in its `why` */
    bool ended;                     /* input_read reached the end, and all checksums matched */
    char member[256];               /* name in the archive (truncated to fit), else "" */
    struct stream *stream;          /* source of further bytes: NULL at the end, and for a member */
    /* For a member: source of further bytes, provided by the reader of its archive; same contract as stream_read. */
    int (*more)(void *holder, void *to, int64_t bytes, int64_t *got, char why[ERRLEN]);
    void *holder;
};

/* Fills only what follows from the name, stat and the HDF5 signature: path, file (the first n_file characters of path),
 * inside, form. Reads no byte of a pipe. FAIL: the path is too long. */
int input_look(const char *path, size_t n_file, struct input *, char why[ERRLEN]);
/* Opens what input_look filled and reads the head. FAIL: a directory, empty, cut short, damaged; OOM. INPUT_WORDS is
 * not a failure: input_read reports that there is no such file. Call input_close even after a failure, including one
 * of input_look. */
int input_open(struct input *, char why[ERRLEN]);
/* Reads the head from a stream or a holder that is at its start. */
int input_begin(struct input *, char why[ERRLEN]);
/* Reads the next bytes (starting with the head), at most `bytes`. *got = 0 only at the end, and in every later call.
 * One thread at a time. FAIL: no such file, cut short (how far), damaged; OOM. */
int input_read(struct input *, void *to, int64_t bytes, int64_t *got, char why[ERRLEN]);
/* Call after a parse failure: if the stream is compressed and the rest of it shows damage, `why` reports that instead. It
 * reads on for a few seconds at most. */
void input_blame(struct input *, char why[ERRLEN]);
/* For an input that no reader claims: FAIL if its format is known but unreadable here (HDF5 in a stream, UTF-16),
 * else 0. */
int input_foreign(const struct input *, char why[ERRLEN]);
/* Returns how many entries of at least `least` bytes the file can hold, also compressed; 0 if its size is unknown. */
double input_holds(const struct input *, int least);
void input_close(struct input *);
/* Formats the name of the input for messages: FILE, or FILE:MEMBER for a member. */
void input_label(const struct input *, char *label, size_t bytes);
/* Prints a note if n > 0 values of the file with this label are integers of 2^53 or more. */
void input_note_rounded(const char *label, int64_t n);
/* Returns the file or member name that names a matrix without a name of its own (matrix_base_name). */
const char *input_named(const struct input *);
#endif
