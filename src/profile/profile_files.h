/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of profiles, with the facts by which one is chosen. */
#ifndef SPMVCAST_PROFILE_PROFILE_FILES_H
#define SPMVCAST_PROFILE_PROFILE_FILES_H
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
    char stored[64];       /* after profiles_open: its name in the file */
};

struct profile_list {
    int n;
    struct profile_file *file; /* owned */
    char looked[2048];         /* the directories searched, separated by commas, for messages */
    char unread[1024];         /* those that cannot be read, "DIR (reason), ..."; "": none */
};

void profiles_scan(struct profile_list *);
void profiles_free(struct profile_list *);

/* Compares names of devices or profiles: "NVIDIA H200" and "nvidia-h200" are the same. */
bool profile_same_name(const char *, const char *);
/* If `asked` is a file or a directory with a profile, not a name: reads its facts (broken: why not) and returns true. */
bool profile_file_at(const char *asked, struct profile_file *);
#endif
