/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks through MPI. */
#include <mpi.h>
#include "common/error.h"
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

void comm_begin(int *argc, char ***argv)
{
    MPI_CHECK(MPI_Init(argc, argv));
    MPI_CHECK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
}

void comm_end(void) { MPI_CHECK(MPI_Finalize()); }

int comm_rank(void)
{
    int rank = 0;
    MPI_CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    return rank;
}

int comm_size(void)
{
    int size = 1;
    MPI_CHECK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    return size;
}

void comm_local(int *rank, int *size)
{
    MPI_Comm host;

    MPI_CHECK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host));
    MPI_CHECK(MPI_Comm_rank(host, rank));
    MPI_CHECK(MPI_Comm_size(host, size));
    MPI_CHECK(MPI_Comm_free(&host));
}

void comm_barrier(void) { MPI_CHECK(MPI_Barrier(MPI_COMM_WORLD)); }

void comm_gather_all(const void *mine, size_t bytes, void *all)
{
    MPI_CHECK(MPI_Allgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, MPI_COMM_WORLD));
}

void comm_sum(int64_t *values, int n)
{
    MPI_CHECK(MPI_Allreduce(MPI_IN_PLACE, values, n, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD));
}
