/* SPDX-License-Identifier: BSD-3-Clause */
/* Finding profiles. Looked for, in this order: --profile (a file or a name), results/local (what was measured in the
 * tree), the user's $XDG_DATA_HOME/spmvcast/profiles, PREFIX/share/spmvcast/profiles and results/NAME in the tree; the
 * last two are seen from the program's own folder. Asked for none, a profile of this machine's GPU goes before one of
 * its CPU, and this before the first of another GPU that is not of results/local; of equal ones a quick trial
 * (NAME-quick) comes last. What was chosen is said. GPUs are read from /proc, so that nothing here needs CUDA. */
#ifndef SPMVCAST_MODELS_PROFILES_H
#define SPMVCAST_MODELS_PROFILES_H
#include <stdbool.h>
#include "models/model.h"

struct profile_file {
    char path[512], origin[16]; /* origin: local | user | share | results | file */
    char name[64], device[64], date[32];
    enum device_kind kind;
    bool mine;           /* of a device of this machine */
    char broken[ERRLEN]; /* why it cannot be used; "" if it can */
    int status;          /* as of archive_open, where it is broken */
};

struct profile_list {
    int n;
    struct profile_file *file; /* owned */
    char looked[2048];         /* the folders, comma separated, for messages */
};

void profiles_scan(struct profile_list *);
void profiles_free(struct profile_list *);

/* asked NULL: the best by the order above, and a note on stderr which and why. FAIL: where was looked, what there is, the way out. */
int profiles_find(const struct profile_list *, const char *asked, struct profile_file *, char why[ERRLEN]);

/* Scan, find, load; warns of another driver than this machine's. FAIL as above, or the archive is empty; what
 * archive_open returns. */
int profiles_open(const char *asked, struct profile *, struct profile_file *, char why[ERRLEN]);

/* "profile h200: NVIDIA H200, made 2026-01-31, not your machine" */
void profiles_describe(const struct profile_file *, char text[256]);
#endif
