/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds profiles. Order of search: --profile (a file or a name), results/local (measured in the tree), the user's
 * $XDG_DATA_HOME/spmvcast/profiles, PREFIX/share/spmvcast/profiles, and results/NAME in the tree; PREFIX and the tree
 * are found relative to the program, or to libspmvcast.so. Without --profile, the first profile of this machine's GPU is chosen, else of its
 * CPU with the threads of this process, else of another GPU (not from results/local; of those in one folder the largest file, which is
 * fitted to most measurements); in each of these groups quick trials (profile_quick) come last. A note reports the choice. This machine's
 * GPUs are read from /proc, so CUDA is not needed. */
#ifndef SPMVCAST_PROFILE_PROFILES_H
#define SPMVCAST_PROFILE_PROFILES_H
#include <stdbool.h>
#include "profile/profile.h"

struct profile_file {
    char path[512], origin[16]; /* origin: local | user | share | results | file */
    char name[64], device[64], date[32];
    enum device_kind kind;
    bool mine;             /* the device is in this machine; a CPU: with as many threads as this process has */
    int64_t other_threads; /* this machine's CPU with another number of threads; else 0 */
    bool quick;            /* its scope is profile_quick */
    int64_t bytes;         /* size of the file; -1: there is none */
    char broken[ERRLEN];   /* why the profile cannot be used; "": it can */
    int status;            /* if broken: as returned by archive_open */
};

struct profile_list {
    int n;
    struct profile_file *file; /* owned */
    char looked[2048];         /* the directories searched, separated by commas, for messages */
    char unread[1024];         /* those that cannot be read, "DIR (reason), ..."; "": none */
};

void profiles_scan(struct profile_list *);
void profiles_free(struct profile_list *);

/* Finds a profile by file or name. asked NULL: chooses the best in the above order, and a note on stderr says which and
 * why. FAIL: there is none; why lists the directories searched, the profiles found and what to do. */
int profiles_find(const struct profile_list *, const char *asked, struct profile_file *, char why[ERRLEN]);

/* Returns the index of the profile that a name selects; good: of those that are not broken. -1: there is none. */
int profiles_named(const struct profile_list *, const char *name, bool good);

/* Scans, finds and loads a profile; warns if this machine has another driver. Returns 0, FAIL as profiles_find or if
 * the archive has no coefficients, or what archive_open returns. */
int profiles_open(const char *asked, struct profile *, struct profile_file *, char why[ERRLEN]);

/* Writes "profile h200: NVIDIA H200, made 2026-01-31, not your machine". */
void profiles_describe(const struct profile_file *, char text[256]);
#endif
