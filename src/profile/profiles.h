/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds profiles. Order of search: --profile (a file or a name), results/local (measured in the tree), the user's
 * $XDG_DATA_HOME/spmvcast/profiles, PREFIX/share/spmvcast/profiles, and results/NAME in the tree; PREFIX and the tree
 * are found relative to the program, or to libspmvcast.so. Without --profile, the first profile of this machine's GPU is chosen, else of its
 * CPU with the threads of this process, else of another GPU (not from results/local; of those in one folder the largest file, which is
 * fitted to most measurements); in each of these groups quick trials (profile_quick) come last. A note reports the choice. This machine's
 * GPUs are read from /proc, so CUDA is not needed. */
#ifndef SPMVCAST_PROFILE_PROFILES_H
#define SPMVCAST_PROFILE_PROFILES_H
#include "profile/profile_files.h"

/* Returns the index of the profile that a name selects; good: of those that are not broken. -1: there is none. */
int profiles_named(const struct profile_list *, const char *name, bool good);

/* Scans, finds and loads a profile, and names it as it is found; warns if this machine has another driver. Returns 0,
 * FAIL as profiles_find or if the archive has no coefficients, or what archive_open returns. */
int profiles_open(const char *asked, struct profile *, struct profile_file *, char why[ERRLEN]);

/* Writes "profile h200: NVIDIA H200, made 2026-01-31, not your machine". */
void profiles_describe(const struct profile_file *, char text[256]);
#endif
