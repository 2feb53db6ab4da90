/* SPDX-License-Identifier: BSD-3-Clause */
/* A reader turns one kind of file (or of words) into a matrix: a row of a table (readers.def) that states its own facts.
 * Nothing else knows a kind of file by name. docs/adding-a-reader.md follows this page. */
#ifndef SPMVCAST_INPUT_READER_H
#define SPMVCAST_INPUT_READER_H
#include "input/input.h"
#include "input/matrix.h"

/* How strongly a reader claims an input; the strongest claim has it, of equal ones the first in readers.def. */
enum claim {
    CLAIM_NO,     /* not mine */
    CLAIM_REST,   /* if nobody's, mine: to say what was expected, or what is wrong */
    CLAIM_LIKELY, /* it looks like mine, or is a damaged one */
    CLAIM_SURE    /* a signature */
};

/* What names of its files end with. Case matters for the choice of files in folders only. */
struct ending {
    const char *text; /* ".mtx" */
    enum {
        ENDING_STREAM, /* also with .gz, .xz, .zst behind it; members of archives have it, too */
        ENDING_WHOLE,  /* as it is: says its compression itself, or has none */
        ENDING_NAME    /* as _WHOLE, but files of folders are not taken for it */
    } kind;
};

struct reader {
    const char *name;             /* "matrix-market" */
    const char *about;            /* for --help: "A matrix is ABOUT, ABOUT or ABOUT." */
    const char *begins;           /* what its texts begin with, for messages; NULL */
    const char *inside;           /* what INSIDE of FILE:INSIDE is, for messages; NULL: FILE:INSIDE is refused */
    bool container;               /* its members are read by the readers that claim them */
    const struct ending *endings; /* ends with .text = NULL; NULL: none */
    /* From the form, the name and the first bytes alone (input.h); of INPUT_HDF5 also from what h5 holds. Called for
     * every file: it reads no further, and says nothing. */
    enum claim (*recognises)(const struct input *);
    /* Fills the header, from as few bytes as tell it; `name` as read does. 0, FAIL (why says it), OOM, or ARCHIVE_DAMAGED
     * (archive.h) where HDF5 cannot read its own file. */
    int (*peek)(struct input *, struct matrix_header *, char why[ERRLEN]);
    /* Fills csr (sorted, entries that stand several times summed in the order of the file), name and field; and group,
     * source and recipe where the file says them. The struct is zeroed beforehand, and freed by the caller, also after
     * a failure. Ids are matrix_read's work. Nothing is taken for granted that the file says: damage is a failure that
     * names file, line or dataset, what was found, what was expected. Returns as peek does. */
    int (*read)(struct input *, struct matrix *, char why[ERRLEN]);
    /* Of a file in a folder that this reader claims: left out without a word, because it lies beside matrices and is
     * none (a right-hand side, an archive of runs)? NULL: never. False where that cannot be told. */
    bool (*left_out)(struct input *);
};

/* Who reads it: never NULL, since the table's rows take between them whatever nobody knows. */
const struct reader *reader_of(const struct input *, enum claim *claim);
const struct reader *reader_at(int i); /* NULL past the end; order of readers.def */

/* The file or member is named as this reader's files are: what a reader that knows its texts by their beginning may claim
 * as CLAIM_LIKELY, so that a damaged one gets its own message. Case does not matter. */
bool reader_named(const struct reader *, const struct input *);

/* A file's or member's name ends as those of a reader of streams that is no container do (case does not matter). */
size_t reader_member_ending(const char *name); /* the ending's length; 0: no such ending */

/* For messages, from the table; each returns `to`. */
char *readers_insides(const char *last, char *to, size_t bytes);          /* "A, B" + last + "C" */
char *readers_member_endings(const char *before, char *to, size_t bytes); /* ".mtx", with `before` before each */
#endif
