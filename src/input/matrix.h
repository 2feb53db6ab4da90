/* SPDX-License-Identifier: BSD-3-Clause */
/* Any matrix a user may name: a file that a reader supports (readers.def), in a supported compression (stream.h), "-"
 * for standard input, or words (a recipe string, "stencil:points=5,n=100"). Detected by content, not by name.
 * FILE:INSIDE selects one of several: the group INSIDE of an HDF5 file, or the member INSIDE of a tar archive. */
#ifndef SPMVCAST_INPUT_MATRIX_H
#define SPMVCAST_INPUT_MATRIX_H
#include <stddef.h>
#include "matrix/coo_matrix.h"
#include "matrix/features.h"

/* Returns the last paragraph of --help for programs that take a matrix, built from the table of readers, wrapped. */
const char *matrix_help(void);
const char *matrix_help_files(void); /* for programs that read a matrix twice (matrix_read_again) */

struct matrix {
    struct csr csr;
    char name[128]; /* Group/Name if known, else the file name without directories and extensions */
    char group[64];
    char source[256]; /* origin: base name of the file, or the recipe */
    char recipe[256]; /* canonical recipe string; "" if not generated from one */
    char field[16];   /* real | integer | pattern, as declared by the file */
    /* Summed duplicates: by this reading (reported in a note), and before the file was written (as it records). */
    struct coo_repeats repeats, before;
    char matrix_id[ID_LEN], pattern_id[ID_LEN]; /* set by matrix_read */
    char import_key[ID_LEN];                    /* key of the import that this file is (imports.h), else "" */
};

/* Facts from the header alone, which cost little, for work estimates. nnz_stored: stored entries (if symmetric, of one
 * triangle). */
struct matrix_header {
    int64_t rows, cols, nnz_stored;
    bool symmetric;
    char name[128];
};

/* Return 0; ARCHIVE_DAMAGED (archive.h): HDF5 that cannot be read; FAIL: `why` gives file, line (Matrix Market) or dataset
 * (HDF5), what was found, what was expected, and what to do; OOM. A note (error.h) reports summed duplicates. Complex values are
 * refused, or their imaginary parts dropped: if matrix_real_part, or by matrix_read_real_part. */
extern bool matrix_real_part;      /* option --real-part */
extern const char *imports_folder; /* option --imports (imports.h); NULL: none */
extern int64_t imports_max;        /* option --imports-max, in bytes; 0: no limit */
/* The rows of these and of --max-memory in a table of options. */
#define MATRIX_OPTIONS                                                                         \
    option_max_memory(), option_real_part(&matrix_real_part), option_imports(&imports_folder), \
        option_imports_max(&imports_max)
int matrix_read(const char *path, struct matrix *, char why[ERRLEN]);
int matrix_read_real_part(const char *path, struct matrix *, char why[ERRLEN]);
int matrix_peek(const char *path, struct matrix_header *, char why[ERRLEN]);
void matrix_free(struct matrix *);
/* Computes the features of a matrix, values_* included. matrix_values: sets values_* alone, from row lengths: 0 for a pattern; for a recipe
 * what its values= guarantees. */
void matrix_features(const struct matrix *, struct features *);
void matrix_values(const struct matrix *, struct features *);

/* Classifies a file by its first bytes; never reports an error. */
enum matrix_guess {
    MATRIX_FILE,    /* a reader supports it */
    MATRIX_ARCHIVE, /* HDF5 without a matrix; matrix_read accepts it only as an archive with one recipe */
    MATRIX_TEXT,    /* other text, e.g. a list */
    MATRIX_UNKNOWN  /* compressed (not examined), or anything else; matrix_read reports what it is */
};
enum matrix_guess matrix_guess(const char *path);
/* Returns true for MATRIX_ARCHIVE. Reads nothing from a pipe. */
bool matrix_is_archive(const char *path);

/* For files in directories. matrix_file_name: returns true if the name has the extension of a reader. matrix_left_out:
 * returns true for a file that a reader recognizes but that is not a matrix: a right-hand side, an archive of runs, profiles
 * or plans. */
bool matrix_file_name(const char *name);
bool matrix_left_out(const char *path);
/* Returns true if the name has the extension, in any case, of a format that is read but not written. */
bool matrix_unwritten_name(const char *name);
/* Gets the i-th of these extensions, with its compression: ".mtx", ".mtx.gz", ... Returns false past the last. */
bool matrix_ending(int i, char *to, size_t bytes);
/* For messages: format the extensions of such names, and the first words of text formats. Both return `to`. */
char *matrix_endings(char *to, size_t bytes);
char *matrix_begins(char *to, size_t bytes);

/* Returns the length of the file part of `path`: up to the first ':' that ends the name of an existing file, where INSIDE
 * follows; the whole length if `path` itself is a file or a recipe, or if there is no such ':'. */
size_t matrix_file_length(const char *path);
/* Returns false for pipes and standard input, which can be read only once. */
bool matrix_read_again(const char *path);

/* Writes Binsparse 0.1.0 in HDF5, deflated unless it is an import, with provenance attributes; written as .tmp and renamed. */
int matrix_write(const char *path, const struct matrix *, char why[ERRLEN]);

/* Gets the file name without directories, compression and format extensions: "a/b/cant.mtx.gz" → "cant". FILE:INSIDE
 * yields the name of INSIDE, standard input "stdin". */
void matrix_base_name(const char *path, char *name, size_t bytes);
/* Copies as UTF-8, truncated to fit; bytes that are not UTF-8 become \xNN (base/utf8.h). */
void matrix_text(char *to, size_t bytes, const char *text);
#endif
