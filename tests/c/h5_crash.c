/* SPDX-License-Identifier: BSD-3-Clause */
/* h5_crash FILE: opens an archive with an HDF5 that crashes on every file, as the real HDF5 does on some damaged
 * files. */
#include <hdf5.h>
#include <signal.h>
#include <stdio.h>
#include "archive/archive.h"
#include "base/error.h"

/* Replaces the function of HDF5. */
hid_t H5Fopen(const char *path, unsigned flags, hid_t access)
{
    (void)path, (void)flags, (void)access;
    raise(SIGSEGV);
    return H5I_INVALID_HID;
}

int main(int argc, char **argv)
{
    struct archive *a;
    char why[ERRLEN];

    error_program("h5_crash");
    const int status = archive_open(argc > 1 ? argv[1] : "", NULL, &a, why);
    if (status)
        die_code(archive_exit(status), "%s", why);
    archive_close(a);
    puts("opened");
    return 0;
}
