/* SPDX-License-Identifier: BSD-3-Clause */
/* What the choice of a profile shares with the search for the files. */
#ifndef SPMVCAST_PROFILE_PROFILE_FILES_H
#define SPMVCAST_PROFILE_PROFILE_FILES_H
#include "profile/profiles.h"

/* Compares names of devices or profiles: "NVIDIA H200" and "nvidia-h200" are the same. */
bool profile_same_name(const char *, const char *);
/* If `asked` is a file or a directory with a profile, not a name: reads its facts (broken: why not) and returns true. */
bool profile_file_at(const char *asked, struct profile_file *);
#endif
