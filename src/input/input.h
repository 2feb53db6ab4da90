/* SPDX-License-Identifier: BSD-3-Clause */
/* What a user named, opened once: what is cheap to know of it is found out before any reader is asked, and the reader
 * that takes it reads on from there, once, from the first byte to the last. Nobody holds all of it. */
#ifndef SPMVCAST_INPUT_INPUT_H
#define SPMVCAST_INPUT_INPUT_H
#include <stdbool.h>
#include "archive/h5.h"
#include "input/stream.h"

enum { INPUT_HEAD = 4096, INPUT_PADDING = 64 };

enum input_form {
    INPUT_WORDS, /* there is no such file: a recipe, or a wrong path */
    INPUT_HDF5,  /* a regular file with the signature of HDF5 */
    INPUT_BYTES  /* any other file, or standard input: its decompressed bytes; or a member of an archive */
};

struct input {
    const char *path;   /* as it was named: FILE, FILE:INSIDE or words */
    char file[4096];    /* without :INSIDE; "-" is standard input */
    const char *inside; /* "" where nothing was said */
    bool real_part;     /* of complex values take the real parts; else they are refused */
    enum input_form form;
    bool look; /* values are not going to be read: a file without a digest is judged by its structure (h5_open) */
    /* INPUT_HDF5: open for reading; negative where it is damaged or cannot be opened: `unopened`, and why. Else negative. */
    hid_t h5;
    int unopened;
    char why[ERRLEN];
    /* INPUT_BYTES: the first INPUT_HEAD bytes, or all where there are fewer, INPUT_PADDING zeros behind them; without a
     * byte-order mark of UTF-8. */
    char head[INPUT_HEAD + INPUT_PADDING];
    int64_t head_bytes, head_taken; /* taken: by input_read */
    bool packed;                    /* compressed, or a member */
    bool broken;                    /* input_read failed: why told what is wrong with the file */
    bool ended;                     /* input_read met the end, and checksums were seen to hold */
    char member[256];               /* of an archive: its name (cut to what fits), else "" */
    struct stream *stream;          /* where more comes from: NULL once ended, and of a member */
    /* Of a member: where more comes from, by its archive's reader, as stream_read does. */
    int (*more)(void *holder, void *to, int64_t bytes, int64_t *got, char why[ERRLEN]);
    void *holder;
};

/* Only what the name, stat and the signature of HDF5 tell: path, file (its first n_file characters), inside, form. No byte
 * of a pipe is read. FAIL: the path is too long. */
int input_look(const char *path, size_t n_file, struct input *, char why[ERRLEN]);
/* What input_look filled is opened, and the head read. FAIL: a folder, empty, cut short, damaged; OOM. INPUT_WORDS is no
 * failure: input_read says that there is no such file. input_close also after a failure, of input_look too. */
int input_open(struct input *, char why[ERRLEN]);
/* The head, from a stream or holder at its beginning. */
int input_begin(struct input *, char why[ERRLEN]);
/* The next bytes, the head's among them, at most `bytes`; *got = 0 at the end only, and again after it. One thread at a
 * time. FAIL: no such file, cut short (how far), damaged; OOM. */
int input_read(struct input *, void *to, int64_t bytes, int64_t *got, char why[ERRLEN]);
/* After a failure to make sense of a compressed stream: its checksums say whether the file is damaged, then why says that
 * instead. Reads at most a few seconds' worth. */
void input_blame(struct input *, char why[ERRLEN]);
/* For whom no reader claims: FAIL where it is known what it is (HDF5 where it cannot be read, UTF-16), else 0. */
int input_foreign(const struct input *, char why[ERRLEN]);
void input_close(struct input *);
/* What messages call it: FILE, of a member FILE:MEMBER. */
void input_label(const struct input *, char *label, size_t bytes);
/* The name of the file or member that gives a matrix its name where nothing in it does (matrix_base_name). */
const char *input_named(const struct input *);
#endif
