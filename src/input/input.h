/* SPDX-License-Identifier: BSD-3-Clause */
/* What a user named, opened once: what is cheap to know of it is found out before any reader is asked, and the reader
 * that takes it goes on from there. */
#ifndef SPMVCAST_INPUT_INPUT_H
#define SPMVCAST_INPUT_INPUT_H
#include <stdbool.h>
#include "archive/h5.h"
#include "input/stream.h"

enum { INPUT_HEAD = 512 };

enum input_form {
    INPUT_WORDS, /* there is no such file: a recipe, or a wrong path */
    INPUT_HDF5,  /* a regular file with the signature of HDF5 */
    INPUT_BYTES  /* any other file: its decompressed bytes; or a member of an archive */
};

struct input {
    const char *path;   /* as it was named: FILE, FILE:INSIDE or words */
    char file[4096];    /* without :INSIDE */
    const char *inside; /* "" where nothing was said */
    bool real_part;     /* of complex values take the real parts; else they are refused */
    enum input_form form;
    bool look; /* values are not going to be read: a file without a digest is judged by its structure (h5_open) */
    /* INPUT_HDF5: open for reading; negative where it is damaged or cannot be opened: `unopened`, and why. Else negative. */
    hid_t h5;
    int unopened;
    char why[ERRLEN];
    /* INPUT_BYTES. input_open reads the first INPUT_HEAD bytes at least, or all where there are fewer; input_load goes
     * on. text.bytes of them are there, with STREAM_PADDING zeros behind them. */
    struct stream_text text;
    bool whole;            /* text is all there is, and its checksums were seen to hold */
    char member[256];      /* of an archive: its name (cut to what fits), else "" */
    struct stream *stream; /* where more comes from, NULL once whole */
    int (*load)(struct input *, int64_t limit, char why[ERRLEN]); /* of a member: input_load, by its archive's reader */
    struct input *archive;                                        /* of a member: what holds it */
};

/* Only what the name, stat and the signature of HDF5 tell: path, file (its first n_file characters), inside, form. No byte
 * of a pipe is read. FAIL: the path is too long. */
int input_look(const char *path, size_t n_file, struct input *, char why[ERRLEN]);
/* What input_look filled is opened, and the head read. FAIL: a folder, empty, cut short, damaged; OOM. INPUT_WORDS is no
 * failure: input_load says that there is no such file. input_close also after a failure, of input_look too. */
int input_open(struct input *, char why[ERRLEN]);
/* At least `limit` bytes of text, or all; limit 0: all, checked to the end. What was loaded before stays, but may move.
 * FAIL: no such file, cut short (how far), damaged; OOM. */
int input_load(struct input *, int64_t limit, char why[ERRLEN]);
/* Closes the stream and opens it anew, with the head loaded: for a reader that passes over the stream more than once. */
int input_again(struct input *, char why[ERRLEN]);
void input_free_text(struct input *); /* before work that needs the memory */
void input_close(struct input *);
/* What messages call it: FILE, of a member FILE:MEMBER. */
void input_label(const struct input *, char *label, size_t bytes);
/* The name of the file or member that gives a matrix its name where nothing in it does (matrix_base_name). */
const char *input_named(const struct input *);
#endif
