/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles. One file is read at a time in a process, since HDF5 is not thread-safe as most systems build it. */
#include <hdf5.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "archive/archive.h"
#include "archive/h5.h"
#include "formats/format.h"
#include "library/library.h"

static pthread_mutex_t reading = PTHREAD_MUTEX_INITIALIZER;

struct request {
    const char *name;
    const char *key; /* of a device: its profile, whatever its name; NULL: the profile named */
    spmvcast_profile *profile;
};

static spmvcast_status open_profile(void *arguments, char why[ERRLEN])
{
    const struct request *r = arguments;
    spmvcast_profile *p = r->profile;
    int status = profiles_open(r->name, &p->profile, &p->file, why);
    if (status == 0)
        status = profile_load_trained(&p->profile, why);
    return status == 0 ? SPMVCAST_OK : status == ARCHIVE_DAMAGED ? SPMVCAST_DAMAGED_FILE : SPMVCAST_NO_PROFILE;
}

static spmvcast_status open_of_device(void *arguments, char why[ERRLEN])
{
    const struct request *r = arguments;
    struct profile_list list;
    profiles_scan(&list);
    for (int i = 0; i < list.n; i++) {
        const struct profile_file *f = &list.file[i];
        const struct request candidate = { f->path, NULL, r->profile };
        if (f->broken[0] || !f->mine || open_profile((void *)&candidate, why) != SPMVCAST_OK)
            continue;
        if (strcmp(r->profile->profile.device_key, r->key) == 0) {
            profiles_free(&list);
            return SPMVCAST_OK;
        }
        profile_free(&r->profile->profile);
        r->profile->profile = (struct profile){ 0 };
    }
    fail(why, "no profile of this device (%.200s); spmv-profile makes one; searched %s", r->key, list.looked);
    profiles_free(&list);
    return SPMVCAST_NO_PROFILE;
}

/* Makes the tables that all calls share. */
static spmvcast_status make_tables(void *unused, char why[ERRLEN])
{
    (void)unused, (void)why;
    for (int kind = 0; kind < NDEVICE_KINDS; kind++)
        config_sweep("default", (enum device_kind)kind);
    return SPMVCAST_OK;
}

spmvcast_status library_read(spmvcast_context *c, struct arena *arena,
                             spmvcast_status (*body)(void *arguments, char why[ERRLEN]), void *arguments)
{
    H5E_auto2_t report;
    void *data;
    pthread_mutex_lock(&reading);
    spmvcast_status status = library_call(c, NULL, make_tables, NULL);
    /* The rest of the program turns HDF5's own messages off. */
    const bool saved = H5Eget_auto2(H5E_DEFAULT, &report, &data) >= 0;
    if (status == SPMVCAST_OK)
        status = library_call(c, arena, body, arguments);
    h5_forget();
    if (saved)
        H5Eset_auto2(H5E_DEFAULT, report, data);
    pthread_mutex_unlock(&reading);
    return status;
}

static spmvcast_status open_one(spmvcast_context *c, struct request *request, spmvcast_profile **out)
{
    *out = NULL;
    spmvcast_profile *p = request->profile = calloc(1, sizeof *p);
    if (!p)
        return library_refuse(c, SPMVCAST_OUT_OF_MEMORY, "out of memory");
    const spmvcast_status status = library_read(c, &p->arena, request->key ? open_of_device : open_profile, request);
    if (status == SPMVCAST_OK)
        *out = p;
    else
        free(p);
    return status;
}

spmvcast_status spmvcast_profile_open(spmvcast_context *c, const char *name, spmvcast_profile **out)
{
    struct request request = { name, NULL, NULL };
    if (out)
        *out = NULL;
    if (!c)
        return SPMVCAST_INVALID_ARGUMENT;
    library_begin(c);
    if (!out)
        return library_refuse(c, SPMVCAST_INVALID_ARGUMENT, "spmvcast_profile_open: no place for the profile");
    return open_one(c, &request, out);
}

spmvcast_status library_profile_of_device(spmvcast_context *c, const char *key, spmvcast_profile **out)
{
    struct request request = { NULL, key, NULL };
    library_begin(c);
    return open_one(c, &request, out);
}

void spmvcast_profile_free(spmvcast_profile *p)
{
    if (!p)
        return;
    arena_free(&p->arena);
    free(p);
}

spmvcast_status spmvcast_profile_get_info(const spmvcast_profile *p, spmvcast_profile_info *info)
{
    const size_t bytes = p && info ? library_size(info->size, sizeof *info, sizeof *info) : 0;
    if (bytes == 0)
        return SPMVCAST_INVALID_ARGUMENT;
    const spmvcast_profile_info ours = { .size = info->size,
                                         .name = p->file.name,
                                         .device = p->file.device,
                                         .date = p->file.date,
                                         .path = p->file.path,
                                         .this_machine = p->file.mine,
                                         .default_model = model_of_profile(&p->profile, false)->name };
    memcpy(info, &ours, bytes);
    return SPMVCAST_OK;
}
