/* SPDX-License-Identifier: BSD-3-Clause */
/* A reader converts one kind of file (or of words) to a matrix. It is a row of a table (readers.def) and the only
 * place that knows this kind by name. docs/adding-a-reader.md is based on this file. */
#ifndef SPMVCAST_INPUT_READER_H
#define SPMVCAST_INPUT_READER_H
#include "input/input.h"
#include "input/matrix.h"

/* How strongly a reader claims an input. The strongest claim wins; among equal ones, the first in readers.def. */
enum claim {
    CLAIM_NO,     /* not mine */
    CLAIM_REST,   /* only if no one else claims it: to report what was expected, or what is wrong */
    CLAIM_LIKELY, /* looks like mine, or like a damaged one */
    CLAIM_SURE    /* a signature */
};

/* File name extensions. Case matters only when choosing files in directories. */
struct ending {
    const char *text; /* ".mtx" */
    enum {
        ENDING_STREAM, /* also followed by .gz, .xz, .zst; also used by archive members */
        ENDING_WHOLE,  /* used alone: implies a compression, or none */
        ENDING_NAME    /* as _WHOLE, but does not select files in directories */
    } kind;
};

struct reader {
    const char *name;             /* "matrix-market" */
    const char *about;            /* for --help: "A matrix is ABOUT, ABOUT or ABOUT." */
    const char *begins;           /* first words of its text format, for messages; NULL: none */
    const char *inside;           /* meaning of INSIDE in FILE:INSIDE, for messages; NULL: FILE:INSIDE is refused */
    bool container;               /* its members are read by the readers that claim them */
    bool import;                  /* imports are such files: none is kept of them */
    const struct ending *endings; /* ends with .text = NULL; NULL: none */
    /* Judges by the form, the name and the first bytes alone (input.h); for INPUT_HDF5 also by the contents of h5.
     * Called for every file: must not read further or print. */
    enum claim (*recognises)(const struct input *);
    /* Fills the header from as few bytes as possible; `name` as in read. Returns 0, FAIL (reason in why), OOM, or
     * ARCHIVE_DAMAGED (archive.h) if HDF5 cannot read the file. */
    int (*peek)(struct input *, struct matrix_header *, char why[ERRLEN]);
    /* Fills csr (sorted, duplicates summed in file order), name and field; also group, source and recipe if the file
     * has them. The struct is zeroed beforehand and freed by the caller, even after a failure. matrix_read sets the
     * ids. The reader must not trust the file: it reports damage with file, line or dataset, what was found, and what
     * was expected. Returns as peek does. */
    int (*read)(struct input *, struct matrix *, char why[ERRLEN]);
    /* For a file in a directory that this reader claims: true to skip it silently, because it is stored next to
     * matrices but is not one (a right-hand side, an archive of runs). NULL: never. False if unknown. */
    bool (*left_out)(struct input *);
};

/* Returns the reader of the input. Never NULL: some reader claims any input. */
const struct reader *reader_of(const struct input *, enum claim *claim);

/* Returns true if the file or member has an extension of this reader, ignoring case. A text reader may then return
 * CLAIM_LIKELY, so that a damaged file gets its own message. */
bool reader_named(const struct reader *, const struct input *);

/* Returns the length of the extension of a file or member name if it is one (ignoring case) that members of archives may
 * have: ENDING_STREAM, of a reader that is not a container. 0: no such extension. */
size_t reader_member_ending(const char *name);

/* For messages, built from the table. Both return `to`. */
char *readers_insides(const char *last, char *to, size_t bytes);          /* "A, B" + last + "C" */
char *readers_member_endings(const char *before, char *to, size_t bytes); /* ".mtx", with `before` before each */
#endif
