/* SPDX-License-Identifier: BSD-3-Clause */
/* Devices of include/spmvcast.h. */
#ifndef SPMVCAST_LIBRARY_LIBRARY_DEVICE_H
#define SPMVCAST_LIBRARY_LIBRARY_DEVICE_H
#include <pthread.h>
#include "backend/backend.h"
#include "forecast/chooser.h"
#include "library/library.h"

struct spmvcast_device {
    int users;            /* the caller and the matrices; changed atomically */
    pthread_mutex_t busy; /* held while a matrix is created or changed */
    struct device *device;
    spmvcast_profile *profile; /* NULL: none */
    char reason[ERRLEN];       /* why there is none */
    struct device_chooser {
        struct arena arena;
        struct chooser *chooser; /* NULL: not opened yet, or the profile has no learned forecasts */
        bool tried;
    } chooser[NPRECISIONS][NLAUNCHES][2]; /* [1]: only formats that the device converts to */
};

/* Gets the chooser for a precision and launch, made by the first call; NULL: the profile has none. quick: without formats that are
 * converted on the host of a device with its own memory. `busy` is held. */
spmvcast_status device_chooser(spmvcast_context *, spmvcast_device *, enum precision, enum launching, bool quick,
                               const struct chooser **);
/* Makes it the calling thread's current device, if its kind has that. Returns 0, FAIL or OOM. */
int device_use(const spmvcast_device *, char why[ERRLEN]);
void device_keep(spmvcast_device *); /* one more user; spmvcast_device_free takes one away */
#endif
