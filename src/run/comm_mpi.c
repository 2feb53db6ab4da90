/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks through MPI if a launcher started the program. Without a launcher there is one rank, and MPI is not initialized:
 * MPI_Init may fail on login nodes. */
#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "run/comm.h"

#define MPI_CHECK(call) check((call), #call, __LINE__)

static void check(int code, const char *what, int line)
{
    char text[MPI_MAX_ERROR_STRING];
    int n = 0;

    if (code == MPI_SUCCESS)
        return;
    if (MPI_Error_string(code, text, &n) != MPI_SUCCESS)
        text[0] = 0;
    die("comm_mpi.c:%d: %s: %s", line, what, text);
}

/* Environment variables set by launchers: Open MPI, PMIx, Hydra and its relatives, Slurm, Cray PALS, Flux, MVAPICH.
 * Under a launcher that is not listed, every rank acts as the only one, and all but one find the output locked. */
static bool launched(void)
{
    static const char *const names[] = {
        "OMPI_COMM_WORLD_RANK", "PMIX_RANK",   "PMI_RANK",       "PMI_ID",
        "SLURM_PROCID",         "PALS_RANKID", "FLUX_TASK_RANK", "MV2_COMM_WORLD_RANK"
    };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (getenv(names[i]))
            return true;
    return false;
}

static bool begun;

void comm_begin(int *argc, char ***argv)
{
    if (!launched())
        return;
    begun = true;
    MPI_CHECK(MPI_Init(argc, argv));
    MPI_CHECK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
}

void comm_end(void)
{
    if (begun)
        MPI_CHECK(MPI_Finalize());
}

int comm_rank(void)
{
    int rank = 0;
    if (begun)
        MPI_CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    return rank;
}

int comm_size(void)
{
    int size = 1;
    if (begun)
        MPI_CHECK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    return size;
}

int comm_gather_local(const void *mine, size_t bytes, void **all, int *rank)
{
    MPI_Comm host;
    int size = 1;

    *rank = 0;
    if (begun) {
        MPI_CHECK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host));
        MPI_CHECK(MPI_Comm_rank(host, rank));
        MPI_CHECK(MPI_Comm_size(host, &size));
    }
    *all = xcalloc((unsigned long)size, bytes);
    if (!begun) {
        memcpy(*all, mine, bytes);
        return size;
    }
    MPI_CHECK(MPI_Allgather(mine, (int)bytes, MPI_BYTE, *all, (int)bytes, MPI_BYTE, host));
    MPI_CHECK(MPI_Comm_free(&host));
    return size;
}

void comm_barrier(void)
{
    if (begun)
        MPI_CHECK(MPI_Barrier(MPI_COMM_WORLD));
}

void comm_gather_all(const void *mine, size_t bytes, void *all)
{
    if (!begun)
        memcpy(all, mine, bytes);
    else
        MPI_CHECK(MPI_Allgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, MPI_COMM_WORLD));
}

void comm_from_first(void *values, size_t bytes)
{
    if (begun)
        MPI_CHECK(MPI_Bcast(values, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD));
}

void comm_sum(int64_t *values, int n)
{
    if (begun)
        MPI_CHECK(MPI_Allreduce(MPI_IN_PLACE, values, n, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD));
}
