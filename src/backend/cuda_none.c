/* SPDX-License-Identifier: BSD-3-Clause */
/* The CUDA back-end of builds without CUDA: reports that there is no device. Its other functions are never called. */
#include <stddef.h>
#include "backend/backend.h"

static int refuse(char why[ERRLEN])
{
    return error_in_program()
               ? fail(why, "this build has no CUDA support (built without nvcc); set CUDA_HOME and run make again")
               : fail(why, "this library is built without CUDA and has no GPUs; with nvcc (CUDA_HOME), make builds "
                           "libspmvcast_cuda, which has them, and make petsc PETSc's; or use the CPU (SPMVCAST_CPU; "
                           "in Python and PETSc: cpu)");
}

static int none_count(char why[ERRLEN])
{
    (void)refuse(why);
    return 0;
}

static bool none_has_kernel(const struct kernel *k)
{
    (void)k;
    return false;
}

static int none_open(int index, struct device **out, char why[ERRLEN])
{
    (void)index;
    *out = NULL;
    return refuse(why);
}

const struct backend backend_cuda = {
    .kind = DEVICE_CUDA, .count = none_count, .open = none_open, .has_kernel = none_has_kernel
};

const struct layout_cuda *layout_cuda_find(const char *name)
{
    (void)name;
    return NULL;
}

const struct kernel_cuda *kernel_cuda_find(const char *name)
{
    (void)name;
    return NULL;
}
