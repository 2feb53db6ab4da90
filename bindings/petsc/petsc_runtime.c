/* SPDX-License-Identifier: BSD-3-Clause */
/* Devices and their profiles, opened at the first product, and handles made from AIJ's arrays (petsc_runtime.h). */
#include "petsc_runtime.h"
#include <omp.h>
#include <stdlib.h>

struct opened {
    spmvcast_device *device;       /* NULL: not yet */
    char name[PETSC_MAX_PATH_LEN]; /* of its profile, as in struct runtime_options */
};

static struct {
    spmvcast_context *context;
    struct opened cpu, gpu;
    int rank_of_node; /* among the ranks of this machine */
    int threads;      /* of the library's calls; 0: as the program has it */
} runtime;

/* Ranks share the cores of their machine, so a rank has one thread unless OMP_NUM_THREADS says otherwise. */
PetscErrorCode RuntimeOpen(void)
{
    MPI_Comm node;
    PetscMPIInt rank, ranks;
    PetscFunctionBegin;
    PetscCallMPI(MPI_Comm_split_type(PETSC_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
    PetscCallMPI(MPI_Comm_rank(node, &rank));
    PetscCallMPI(MPI_Comm_size(node, &ranks));
    PetscCallMPI(MPI_Comm_free(&node));
    runtime.rank_of_node = rank;
    runtime.threads = ranks > 1 && !getenv("OMP_NUM_THREADS") ? 1 : 0;
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets the threads of the calls that follow; returns those of the program, for threads_restore. */
static int threads_set(void)
{
    const int before = omp_get_max_threads();
    if (runtime.threads > 0)
        omp_set_num_threads(runtime.threads);
    return before;
}

static void threads_restore(int before)
{
    if (runtime.threads > 0)
        omp_set_num_threads(before);
}

/* ---- errors ---- */
static PetscErrorCode error_of(spmvcast_status status)
{
    return status == SPMVCAST_OUT_OF_MEMORY      ? PETSC_ERR_MEM
           : status == SPMVCAST_INVALID_ARGUMENT ? PETSC_ERR_ARG_WRONG
           : status == SPMVCAST_NO_PROFILE       ? PETSC_ERR_FILE_OPEN
           : status == SPMVCAST_DAMAGED_FILE     ? PETSC_ERR_FILE_UNEXPECTED
           : status == SPMVCAST_NO_DEVICE        ? PETSC_ERR_SUP
                                                 : PETSC_ERR_LIB;
}
/* Raises the error of a call that failed; the message may not have '%' expanded again. */
#define RUNTIME_CHECK(status)                                                                  \
    do {                                                                                       \
        const spmvcast_status status_ = (status);                                              \
        PetscCheck(status_ == SPMVCAST_OK, PETSC_COMM_SELF, error_of(status_), "spmvcast: %s", \
                   spmvcast_message(runtime.context));                                         \
    } while (0)

/* ---- devices ---- */
static PetscErrorCode open_device(const struct runtime_options *asked, spmvcast_device **device)
{
    struct opened *o = asked->gpu ? &runtime.gpu : &runtime.cpu;
    spmvcast_device_options options = SPMVCAST_DEVICE_OPTIONS_INIT;
    PetscBool none, same;
    PetscFunctionBegin;
    if (!runtime.context)
        PetscCheck(spmvcast_context_create(NULL, &runtime.context) == SPMVCAST_OK, PETSC_COMM_SELF, PETSC_ERR_MEM,
                   "spmvcast: out of memory");
    PetscCall(PetscStrcmp(asked->profile, "none", &none));
    PetscCall(PetscStrcmp(asked->profile, o->name, &same));
    if (!o->device || !same) {
        spmvcast_device_free(o->device); /* matrices keep it */
        o->device = NULL;
        options.kind = asked->gpu ? SPMVCAST_GPU : SPMVCAST_CPU;
        if (asked->gpu && gpu_count() > 0)
            options.index = runtime.rank_of_node % gpu_count();
        options.profile = none ? "" : asked->profile[0] ? asked->profile : NULL;
        const int before = threads_set();
        const spmvcast_status status = spmvcast_device_open(runtime.context, &options, &o->device);
        threads_restore(before);
        RUNTIME_CHECK(status);
        PetscCall(PetscStrncpy(o->name, asked->profile, sizeof o->name));
    }
    *device = o->device;
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RuntimeClose(void)
{
    PetscFunctionBegin;
    spmvcast_device_free(runtime.cpu.device);
    spmvcast_device_free(runtime.gpu.device);
    spmvcast_context_free(runtime.context);
    PetscCall(PetscMemzero(&runtime, sizeof runtime));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- handles ---- */
static PetscErrorCode create(Mat A, spmvcast_device *device, const spmvcast_matrix_options *options,
                             spmvcast_matrix **matrix)
{
    static const PetscInt no_rows = 0;
    spmvcast_csr csr = SPMVCAST_CSR_INIT;
    PetscInt rows, cols, n;
    const PetscInt *ia, *ja;
    const PetscScalar *a;
    PetscBool done;
    PetscFunctionBegin;
    PetscCall(MatGetSize(A, &rows, &cols));
    PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &ia, &ja, &done));
    PetscCheck(done && n == rows, PETSC_COMM_SELF, PETSC_ERR_PLIB, "spmvcast: no row pointers of the matrix");
    PetscCall(MatSeqAIJGetArrayRead(A, &a));
    csr.rows = rows;
    csr.cols = cols;
    csr.row_ptr = rows > 0 ? ia : &no_rows;
    csr.col = ja;
    csr.val = a;
    const int before = threads_set();
    const spmvcast_status status = spmvcast_matrix_create(runtime.context, device, &csr, options, matrix);
    threads_restore(before);
    PetscCall(MatSeqAIJRestoreArrayRead(A, &a));
    PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &ia, &ja, &done));
    RUNTIME_CHECK(status);
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RuntimeCreate(Mat A, const struct runtime_options *asked, const char *inherited, struct handle *h)
{
    spmvcast_matrix_options options = SPMVCAST_MATRIX_OPTIONS_INIT;
    spmvcast_device *device = NULL;
    PetscFunctionBegin;
    *h = (struct handle){ .device = SPMVCAST_DEVICE_INFO_INIT, .info = SPMVCAST_MATRIX_INFO_INIT };
    PetscCall(open_device(asked, &device));
    options.launch = asked->gpu ? SPMVCAST_STREAM : SPMVCAST_GRAPH;
    options.products = asked->products > 0 ? asked->products : SPMVCAST_UNLIMITED;
    options.config = asked->config[0] ? asked->config : inherited[0] ? inherited : NULL;
    options.trial_products = asked->trial;
    options.updates = 1;
    PetscCall(create(A, device, &options, &h->matrix));
    RUNTIME_CHECK(spmvcast_device_get_info(device, &h->device));
    RUNTIME_CHECK(spmvcast_matrix_get_info(h->matrix, &h->info));
    if (!asked->gpu)
        PetscFunctionReturn(PETSC_SUCCESS);
    const char *why = gpu_vectors_create(h->info.rows, h->info.cols, &h->vectors);
    if (why)
        RuntimeFree(h);
    PetscCheck(!why, PETSC_COMM_SELF, PETSC_ERR_MEM, "spmvcast: x and y in GPU memory: %s", why);
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RuntimeUpdate(Mat A, struct handle *h)
{
    const PetscScalar *a;
    PetscFunctionBegin;
    PetscCall(MatSeqAIJGetArrayRead(A, &a));
    const int before = threads_set();
    const spmvcast_status status = spmvcast_update_values(runtime.context, h->matrix, a);
    threads_restore(before);
    PetscCall(MatSeqAIJRestoreArrayRead(A, &a));
    RUNTIME_CHECK(status);
    RUNTIME_CHECK(spmvcast_matrix_get_info(h->matrix, &h->info));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RuntimeMultiply(struct handle *h, const PetscScalar *x, double beta, PetscScalar *y)
{
    const char *why = NULL;
    PetscFunctionBegin;
    const int before = threads_set();
    h->products++;
    if (h->vectors)
        why = gpu_multiply(h->vectors, h->matrix, x, beta, y, &h->costs);
    else if (spmvcast_multiply(h->matrix, 1, x, beta, y, NULL) != SPMVCAST_OK)
        why = spmvcast_matrix_message(h->matrix);
    threads_restore(before);
    PetscCheck(!why, PETSC_COMM_SELF, PETSC_ERR_LIB, "spmvcast: %s", why);
    PetscFunctionReturn(PETSC_SUCCESS);
}

void RuntimeFree(struct handle *h)
{
    gpu_vectors_free(h->vectors);
    spmvcast_matrix_free(h->matrix);
    h->vectors = NULL;
    h->matrix = NULL;
}
