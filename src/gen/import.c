/* SPDX-License-Identifier: BSD-3-Clause */
/* spmv-import: converts any matrix file or recipe to Binsparse in HDF5, which reads faster and has provenance. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/archive.h"
#include "base/common_options.h"
#include "base/output.h"
#include "base/printable.h"
#include "input/matrix.h"

static const char *output;

static int parse(int argc, char **argv, char ***operands)
{
    const struct option options[] = {
        option_output(&output, "OUT.h5",
                      "file to write (default: the base name of MATRIX with .h5, unless that file exists)"),
        MATRIX_OPTIONS,
        { .name = NULL },
    };
    const struct program program = {
        .name = "spmv-import",
        .operands = "MATRIX",
        .about = "Reads a matrix and writes it as Binsparse CSR in HDF5.",
        .about_more = matrix_help,
        .example = "  spmv-import -o cant.h5 cant.tar.gz\n  spmv-import -o rhs.h5 cant.tar.gz:cant/cant_b.mtx",
        .min_operands = 1,
        .max_operands = 1,
        .options = options
    };

    return options_parse(&program, argc, argv, operands);
}

/* Returns ", in place of NAME" (malloc'd) if the output exists and holds a matrix of another name, else "". */
static char *replaced(const struct matrix *m)
{
    struct matrix_header old;
    char why[ERRLEN];
    const bool other = access(output, F_OK) == 0 && matrix_read_again(output) && matrix_peek(output, &old, why) == 0
                       && strcmp(old.name, m->name) != 0;

    return xasprintf("%s%s", other ? ", in place of " : "", other ? old.name : "");
}

int main(int argc, char **argv)
{
    char **operand, why[ERRLEN], beside[160], *before = NULL;
    struct matrix m;
    parse(argc, argv, &operand);
    archive_set_command(argc, argv, false);
    output_signals();
    if (output && matrix_unwritten_name(output))
        die("cannot write %s: a matrix is written as Binsparse in HDF5; use a name that ends in .h5", output);
    if (!output) {
        char base[128];
        matrix_base_name(operand[0], base, sizeof base);
        snprintf(beside, sizeof beside, "%s.h5", base);
        if (access(beside, F_OK) == 0)
            usage_die("%s exists; give an output file with -o", beside);
        output = beside;
    }
    int status = matrix_read(operand[0], &m, why);
    if (status == 0) {
        before = replaced(&m);
        status = matrix_write(output, &m, why);
    }
    if (status)
        die_code(archive_exit(status), "%s", why);
    char *line = xasprintf("# wrote %s: %s, %" PRId64 " x %" PRId64 ", %s, matrix_id %s%s", output, m.name, m.csr.rows,
                           m.csr.cols, counted(m.csr.nnz, "nonzero").text, m.matrix_id, before);
    char *shown = printable(line);
    puts(shown);
    free(shown);
    free(line);
    free(before);
    matrix_free(&m);
    free(operand);
    output_stdout();
    return EXIT_OK;
}
