/* SPDX-License-Identifier: BSD-3-Clause */
/* A paper as data: the tables of a directory papers/NAME (papers/README.md describes them). */
#ifndef SPMVCAST_PAPERS_PAPER_H
#define SPMVCAST_PAPERS_PAPER_H
#include "table/tsv.h"

struct paper {
    char name[64];
    /* fill, causes and sweeps: optional, without rows if there is no such file */
    struct table about, devices, matrices, fill, formats, values, figures, claims, causes, sweeps;
};

/* Factors of causes.tsv: one thing is changed; several are, so it is evidence, but no cause; another reading of the paper, which must come
 * out alike; what there must be, so that the claim says anything. */
#define CAUSES "regime|device|matrices|kernel|model"
#define SEVERAL "several"
#define READING "reading"
#define PREMISE "premise"
#define FACTORS CAUSES "|" SEVERAL "|" READING "|" PREMISE

/* Reads the tables of a paper; paper_check checks what they say. FAIL: why names the file and the line. */
int paper_read(struct paper *, const char *directory, const char *name, char why[ERRLEN]);
void paper_free(struct paper *);
/* Returns the value of a key of paper.tsv; "" if there is none. */
const char *paper_about(const struct paper *, const char *key);
/* Returns the row of a figure in paper.figures, or -1. */
long paper_figure(const struct paper *, const char *id);

/* Returns the directory of the papers that come with the program (malloc'd): PREFIX/share/spmvcast/papers, or papers/ of the source
 * tree. */
char *papers_directory(void);
/* The names of the papers in a directory, sorted. FAIL: it cannot be read, or holds no paper. */
int papers_list(const char *directory, struct strlist *names, char why[ERRLEN]);
#endif
