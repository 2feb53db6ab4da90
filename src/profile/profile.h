/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles: what programs know of a device, stored in an archive. */
#ifndef SPMVCAST_PROFILE_PROFILE_H
#define SPMVCAST_PROFILE_PROFILE_H
#include "profile/coefs.h"
#include "profile/families.h"
#include "runs/rows.h"
#ifdef __cplusplus
extern "C" {
#endif

struct learned;
struct learned_matrix;
struct trained;
struct times_config;
struct measured_time;

/* The scope of a profile of few small matrices (spmv-profile --quick); "" is that of all others. */
extern const char profile_quick[];

/* A profile: one device, its coefficients, and the measured times in which rival "nearest" searches. */
struct profile {
    char name[64], path[512], device_key[160], date[32], host_cpu[96], cusparse[32], driver[32], scope[12];
    struct geometry device;
    struct coefs coefs;
    /* the facts of the measured matrices, by source_id (features are zeroed; their times are in times.h) */
    struct runs measured;
    struct {
        int64_t nconfigs, n;
        struct times_config *config;
        struct measured_time *time;
    } times;
    struct learned *learned;  /* of physics-gp (profile/learned.h); NULL: none */
    struct trained *trained;  /* of trained models (profile/trained.h); NULL: none, or not loaded */
    struct families families; /* of all sources that it was fitted on, including the measured ones */
    /* Matrix of the next forecasts (profile_ask_about); "": unknown. "nearest" leaves out it and its family. */
    struct {
        char matrix[128], group[64], recipe[RECIPE_LEN], pattern_id[ID_LEN];
        const struct learned_matrix *learned; /* that physics-gp was fitted to, of this pattern or recipe; NULL: none */
    } query;
};

/* Sets the matrix of the next forecasts; texts that are too long are cut. */
void profile_ask_about(struct profile *, const char *matrix, const char *group, const char *recipe,
                       const char *pattern_id);

/* Both return 0, FAIL, or what archive_open and archive_get return (profile_store: for its inputs). */
int profile_load(const char *path, struct profile *, char why[ERRLEN]);
int profile_store(const char *path, const struct profile *, char *const *inputs, int ninputs, char why[ERRLEN]);
/* Writes the packed form of a profile beside it (archive/pack.h), from which it is loaded in a fraction of the time. Returns what archive_open
 * and pack_begin return. */
int profile_pack(const char *path, char why[ERRLEN]);
/* Reads what trained models need from the profile's file, once. Returns what profile_load returns. */
int profile_load_trained(struct profile *, char why[ERRLEN]);
void profile_free(struct profile *);
/* Returns FAIL if the profile has no coefficient, measured time or learned forecast for that way of launching; why says
 * how to add them. Profiles fitted by older programs have none for streams. */
int profile_has_launch(const struct profile *, enum launching, char why[ERRLEN]);
#ifdef __cplusplus
}
#endif
#endif
