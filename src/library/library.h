/* SPDX-License-Identifier: BSD-3-Clause */
/* The objects behind include/spmvcast.h, and the way in which its functions call the rest of the program. */
#ifndef SPMVCAST_LIBRARY_LIBRARY_H
#define SPMVCAST_LIBRARY_LIBRARY_H
#include <spmvcast.h>

#include "forecast/outlook.h"
#include "library/library_memory.h"
#include "profile/profiles.h"

struct spmvcast_context {
    size_t memory_limit, memory_used;
    size_t held, most; /* by the arenas of this call's earlier parts, which go on; at a time, in any of its parts */
    char message[ERRLEN], warning[ERRLEN];
};

struct spmvcast_profile {
    struct arena arena;
    struct profile profile;
    struct profile_file file;
};

struct spmvcast_pattern {
    struct arena arena;
    struct features features;
    char name[128], group[64], recipe[RECIPE_LEN], pattern_id[ID_LEN];
};

struct spmvcast_ranking {
    struct arena arena;
    struct outlook outlook;
    char *advice;
    const struct outlook_row *recommended; /* NULL: none */
};

/* Runs `body` with a trap and an arena: die(), bug() and exhausted memory end the call with a status, and the context gets the message.
 * body returns a status, with the reason in `why` unless it is SPMVCAST_OK. Everything that it allocated belongs to the arena, which is
 * freed unless it returns SPMVCAST_OK. arena NULL: what it allocates outlives the call. */
spmvcast_status library_call(spmvcast_context *, struct arena *,
                             spmvcast_status (*body)(void *arguments, char why[ERRLEN]), void *arguments);
/* library_profile.c: library_call for a body that reads HDF5 files; one runs at a time in the process. */
spmvcast_status library_read(spmvcast_context *, struct arena *,
                             spmvcast_status (*body)(void *arguments, char why[ERRLEN]), void *arguments);
/* Sets the message of a call that failed before it did anything; returns the status. */
spmvcast_status library_refuse(spmvcast_context *, spmvcast_status, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* Begins a call: forgets the message and the warning of the last one. */
void library_begin(spmvcast_context *);

/* Opens the first profile in the order of profile/profiles.h that was measured on the device with this key (struct device_facts).
 * SPMVCAST_NO_PROFILE: there is none. */
spmvcast_status library_profile_of_device(spmvcast_context *, const char *key, spmvcast_profile **);

/* library_pattern.c. After library_take_csr: checks that the arrays are there. The row pointers are in host memory. */
spmvcast_status library_check_arrays(spmvcast_context *, const spmvcast_csr *);
/* library_pattern.c. Sets values_* of features whose nnz is set, if the values are given. */
void library_count_values(const spmvcast_csr *, struct features *);
/* library_pattern.c. Returns row pointers of 64 bits and base 0: the caller's, which are in host memory, or a copy in *copy, to be
 * freed. */
const int64_t *library_wide_pointers(const spmvcast_csr *, int64_t **copy);
/* library_pattern.c. csr_view_check of the caller's arrays; `why` also names a base or row_ptr_bits that does not fit them. */
int library_check_view(const spmvcast_csr *, const struct csr_view *, char why[ERRLEN]);
/* Copies the caller's structure, with its defaults. Sets the message and returns a status unless the members are valid, apart from what
 * the arrays hold. */
spmvcast_status library_take_csr(spmvcast_context *, const spmvcast_csr *, spmvcast_csr *copy);

/* library_ranking.c: refuses configurations that are NULL or invalid. */
spmvcast_status library_check_configs(const char *const *configs, size_t n, char why[ERRLEN]);
/* Enumerations and numbers of the interface, where 0 is the default, as the rest of the program has them. */
static inline enum precision library_precision(spmvcast_precision p) { return p == SPMVCAST_F32 ? F32 : F64; }
static inline bool library_knows_precision(spmvcast_precision p) { return p == SPMVCAST_F64 || p == SPMVCAST_F32; }
/* library_ranking.c: takes a number of products, 0: unlimited; false: out of range. */
bool library_take_products(int64_t given, int64_t *products);
/* library_ranking.c: takes the terms of a ranking or plan; refuses values out of range. */
spmvcast_status library_take_terms(spmvcast_place, int64_t products, double risk, struct outlook_terms *,
                                   char why[ERRLEN]);

/* Returns the bytes of a caller's structure that the library may read or write: those that both versions have; 0 if its size is
 * none that any version had. */
size_t library_size(size_t callers, size_t least, size_t ours);
#endif
