/* SPDX-License-Identifier: BSD-3-Clause */
/* Any matrix a user may name: Matrix Market (.mtx, plain or as .gz, .xz, .zst, or in a .tar of any of these), Binsparse
 * in HDF5, a recipe file with one recipe (materialised on the host) or a recipe string ("stencil:points=5,n=100"). Told
 * apart by content, not by name. FILE:INSIDE is one of several: the group INSIDE of an HDF5 file, the member INSIDE of
 * a tar archive. */
#ifndef SPMVCAST_INPUT_MATRIX_H
#define SPMVCAST_INPUT_MATRIX_H
#include <stddef.h>
#include "matrix/csr_matrix.h"

/* The last paragraph of --help's text, for programs that take a matrix. */
#define MATRIX_HELP                                                                                                                   \
    "A matrix is Matrix Market (plain, .gz, .xz or .zst), a tar archive with NAME/NAME.mtx in it (.tar.gz and so on), Binsparse in\n" \
    "HDF5 or a recipe (KIND:key=value,...). FILE:INSIDE is a group of an HDF5 file or a member of a tar archive that holds several."

struct matrix {
    struct csr csr;
    char name[128]; /* Group/Name where known, else the file's name without folders and extensions */
    char group[64];
    char source[256];                           /* where it came from: base name of the file, or the recipe */
    char recipe[256];                           /* canonical recipe string, "" if not made from one */
    char field[16];                             /* real | integer | pattern: what the file declared */
    char matrix_id[ID_LEN], pattern_id[ID_LEN]; /* filled by matrix_read */
};

/* What the header alone tells, cheaply; nnz_stored is the stored entries (symmetric: one triangle). For work
 * estimates. */
struct matrix_header {
    int64_t rows, cols, nnz_stored;
    bool symmetric;
    char name[128];
};

/* ARCHIVE_DAMAGED (archive.h): HDF5 that cannot be read.
 * FAIL: why names file, line (Matrix Market) or dataset (HDF5), what was found, what was expected, the way out.
 * Complex values are refused; _real_part leaves their imaginary parts away and reads real matrices as they are. */
int matrix_read(const char *path, struct matrix *, char why[ERRLEN]);
int matrix_read_real_part(const char *path, struct matrix *, char why[ERRLEN]);
int matrix_peek(const char *path, struct matrix_header *, char why[ERRLEN]);
void matrix_free(struct matrix *);
/* An HDF5 file that holds no Binsparse matrix: matrix_read takes it only if it is a recipes archive with one recipe. */
bool matrix_is_archive(const char *path);

/* How many characters of `path` name the file: all where it exists (or nothing does), else those before the first ':'
 * that make an existing file; INSIDE follows the ':'. */
size_t matrix_file_length(const char *path);

/* Binsparse 0.1.0 in HDF5, deflated; written as .tmp and renamed. provenance attributes included. */
int matrix_write(const char *path, const struct matrix *, char why[ERRLEN]);

/* The readers behind matrix_read, each in its own file; ids are left to matrix_read. *_peek: the same for matrix_peek.
 *
 * Matrix Market: coordinate files, real, integer, pattern or (real_part) complex, general, symmetric (either triangle;
 * the other is made), skew-symmetric or Hermitian. Values are kept as they are, nan and inf too; those of a pattern are
 * csr_pattern_value(i, j). Repeated entries are summed in file order (of a pattern: are one entry). */
/* inside: "" where nothing was said */
struct matrix_operand {
    char file[4096];
    const char *inside;
    bool real_part;
};
int mtx_read(const struct matrix_operand *, struct matrix *, char why[ERRLEN]);
int mtx_peek(const struct matrix_operand *, struct matrix_header *, char why[ERRLEN]);
/* Binsparse 0.1: CSR, CSC, DCSR, DCSC, COO, COOR or COOC of any structure; attribute `binsparse` on the root, or on one
 * group at any depth, or on the group `inside`. bint8 is 0 or 1. Entries that stand several times are summed in the
 * order of the file. */
int binsparse_read(const struct matrix_operand *, struct matrix *, char why[ERRLEN]);
int binsparse_peek(const struct matrix_operand *, struct matrix_header *, char why[ERRLEN]);
bool binsparse_is(const char *path); /* an HDF5 file that holds such an attribute */

/* The file's name without folders, compression and format extensions: "a/b/cant.mtx.gz" → "cant"; of FILE:INSIDE that
 * of INSIDE. */
void matrix_base_name(const char *path, char *name, size_t bytes);
/* Copies what fits. */
void matrix_text(char *to, size_t bytes, const char *text);
#endif
