/* SPDX-License-Identifier: BSD-3-Clause */
/* Any matrix a user may name: a file that a reader takes (readers.def), in a compression that streams know (stream.h),
 * "-" for standard input, or words (a recipe string, "stencil:points=5,n=100"). Told apart by content, not by name. FILE:INSIDE is one of several:
 * the group INSIDE of an HDF5 file, the member INSIDE of a tar archive. */
#ifndef SPMVCAST_INPUT_MATRIX_H
#define SPMVCAST_INPUT_MATRIX_H
#include <stddef.h>
#include "matrix/coo_matrix.h"

/* The last paragraph of --help's text, for programs that take a matrix: made from the table of readers, in lines. */
const char *matrix_help(void);
const char *matrix_help_files(void); /* for programs that refuse what can be read once only (matrix_read_again) */

struct matrix {
    struct csr csr;
    char name[128]; /* Group/Name where known, else the file's name without folders and extensions */
    char group[64];
    char source[256]; /* where it came from: base name of the file, or the recipe */
    char recipe[256]; /* canonical recipe string, "" if not made from one */
    char field[16];   /* real | integer | pattern: what the file declared */
    /* What was added up: by this reading, of which a note tells; as the file tells, before it was written. */
    struct coo_repeats repeats, before;
    char matrix_id[ID_LEN], pattern_id[ID_LEN]; /* filled by matrix_read */
};

/* What the header alone tells, cheaply; nnz_stored is the stored entries (symmetric: one triangle). For work
 * estimates. */
struct matrix_header {
    int64_t rows, cols, nnz_stored;
    bool symmetric;
    char name[128];
};

/* A note (error.h) says what was added up.
 * ARCHIVE_DAMAGED (archive.h): HDF5 that cannot be read.
 * FAIL: why names file, line (Matrix Market) or dataset (HDF5), what was found, what was expected, the way out.
 * Complex values are refused; _real_part leaves their imaginary parts away and reads real matrices as they are. */
int matrix_read(const char *path, struct matrix *, char why[ERRLEN]);
int matrix_read_real_part(const char *path, struct matrix *, char why[ERRLEN]);
int matrix_peek(const char *path, struct matrix_header *, char why[ERRLEN]);
void matrix_free(struct matrix *);

/* What a file is by its beginning, without a word where it cannot be read. */
enum matrix_guess {
    MATRIX_FILE,    /* a reader knows it */
    MATRIX_ARCHIVE, /* HDF5 that no reader knows as a matrix: matrix_read takes it only as an archive with one recipe */
    MATRIX_TEXT,    /* text that no reader knows: a list, say */
    MATRIX_UNKNOWN  /* compressed (which is not looked into), or anything else: matrix_read says what it is */
};
enum matrix_guess matrix_guess(const char *path);
/* MATRIX_ARCHIVE; reads nothing of a pipe. */
bool matrix_is_archive(const char *path);

/* Files of folders: matrix_file_name: its name ends as those of a reader do. matrix_left_out: a reader knows it for
 * something that lies beside matrices and is none: a right-hand side, an archive of runs, profiles or plans. */
bool matrix_file_name(const char *name);
bool matrix_left_out(const char *path);
/* For messages: the endings of such names, and what texts that readers know begin with. Each returns `to`. */
char *matrix_endings(char *to, size_t bytes);
char *matrix_begins(char *to, size_t bytes);

/* How many characters of `path` name the file: all where it exists (or nothing does), else those before the first ':'
 * that make an existing file; INSIDE follows the ':'. */
size_t matrix_file_length(const char *path);
/* Not of pipes and standard input, which can be read once only. */
bool matrix_read_again(const char *path);

/* Binsparse 0.1.0 in HDF5, deflated; written as .tmp and renamed. provenance attributes included. */
int matrix_write(const char *path, const struct matrix *, char why[ERRLEN]);

/* The file's name without folders, compression and format extensions: "a/b/cant.mtx.gz" → "cant"; of FILE:INSIDE that
 * of INSIDE; of standard input "stdin". */
void matrix_base_name(const char *path, char *name, size_t bytes);
/* Copies what fits, as UTF-8: bytes that are not become \xNN (base/utf8.h). */
void matrix_text(char *to, size_t bytes, const char *text);
#endif
