/* SPDX-License-Identifier: BSD-3-Clause */
/* The CPU device and the profile, opened at the first product, and operators made from AIJ's arrays (petsc_runtime.h). */
#include "petsc_runtime.h"

static struct {
    spmvcast_context *context;
    struct device *device;
    PetscBool asked;               /* whether the profile `name` was opened, or looked for */
    char name[PETSC_MAX_PATH_LEN]; /* as in struct runtime_options */
    spmvcast_profile *profile;     /* NULL: none */
} runtime;

/* ---- errors ---- */
static PetscErrorCode error_of(spmvcast_status status)
{
    return status == SPMVCAST_OUT_OF_MEMORY      ? PETSC_ERR_MEM
           : status == SPMVCAST_INVALID_ARGUMENT ? PETSC_ERR_ARG_WRONG
           : status == SPMVCAST_NO_PROFILE       ? PETSC_ERR_FILE_OPEN
           : status == SPMVCAST_DAMAGED_FILE     ? PETSC_ERR_FILE_UNEXPECTED
                                                 : PETSC_ERR_LIB;
}
/* Raises the error of a call that failed; the message may not have '%' expanded again. */
#define RUNTIME_CHECK(status)                                                                  \
    do {                                                                                       \
        const spmvcast_status status_ = (status);                                              \
        PetscCheck(status_ == SPMVCAST_OK, PETSC_COMM_SELF, error_of(status_), "spmvcast: %s", \
                   spmvcast_message(runtime.context));                                         \
    } while (0)

/* ---- device and profile ---- */
static PetscErrorCode open_all(const char *name)
{
    PetscBool none, same;
    PetscFunctionBegin;
    if (!runtime.context)
        PetscCheck(spmvcast_context_create(NULL, &runtime.context) == SPMVCAST_OK, PETSC_COMM_SELF, PETSC_ERR_MEM,
                   "spmvcast: out of memory");
    if (!runtime.device)
        RUNTIME_CHECK(operator_open_device(runtime.context, &backend_cpu, 0, &runtime.device));
    PetscCall(PetscStrcmp(name, "none", &none));
    PetscCall(PetscStrcmp(name, runtime.name, &same));
    if (runtime.asked && same)
        PetscFunctionReturn(PETSC_SUCCESS);
    spmvcast_profile_free(runtime.profile);
    runtime.profile = NULL;
    runtime.asked = PETSC_FALSE;
    if (!name[0]) { /* no profile of this CPU: a default configuration will do */
        const spmvcast_status status = operator_open_profile(runtime.context, runtime.device, &runtime.profile);
        if (status != SPMVCAST_NO_PROFILE)
            RUNTIME_CHECK(status);
    } else if (!none)
        RUNTIME_CHECK(spmvcast_profile_open(runtime.context, name, &runtime.profile));
    PetscCall(PetscStrncpy(runtime.name, name, sizeof runtime.name));
    runtime.asked = PETSC_TRUE;
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RuntimeClose(void)
{
    PetscFunctionBegin;
    spmvcast_profile_free(runtime.profile);
    if (runtime.device)
        backend_cpu.close(runtime.device);
    spmvcast_context_free(runtime.context);
    PetscCall(PetscMemzero(&runtime, sizeof runtime));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- operators ---- */
struct arrays {
    struct csr_view view;
    int64_t *wide; /* row pointers of 64 bits */
    const PetscInt *ia, *ja;
    const PetscScalar *a;
};

static PetscErrorCode arrays_get(Mat A, struct arrays *r)
{
    PetscInt rows, cols, n;
    PetscBool done;
    PetscFunctionBegin;
    PetscCall(MatGetSize(A, &rows, &cols));
    PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &r->ia, &r->ja, &done));
    PetscCheck(done && n == rows, PETSC_COMM_SELF, PETSC_ERR_PLIB, "spmvcast: no row pointers of the matrix");
    PetscCall(MatSeqAIJGetArrayRead(A, &r->a));
    PetscCall(PetscMalloc1((size_t)rows + 1, &r->wide));
    r->wide[0] = 0;
    for (PetscInt i = 0; rows > 0 && i <= rows; i++)
        r->wide[i] = r->ia[i];
    r->view = (struct csr_view){ rows, cols, r->wide, r->wide + 1, r->ja, r->a, 0 };
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode arrays_restore(Mat A, struct arrays *r)
{
    PetscInt n;
    PetscBool done;
    PetscFunctionBegin;
    PetscCall(PetscFree(r->wide));
    PetscCall(MatSeqAIJRestoreArrayRead(A, &r->a));
    PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &r->ia, &r->ja, &done));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RuntimeCreate(Mat A, const struct runtime_options *asked, const char *inherited,
                             struct spmv_operator **o)
{
    struct arrays r;
    PetscFunctionBegin;
    PetscCall(open_all(asked->profile));
    PetscCall(arrays_get(A, &r));
    const struct operator_options options = { .precision = F64,
                                              .profile = runtime.profile,
                                              .config = asked->config[0] ? asked->config
                                                        : inherited[0]   ? inherited
                                                                         : NULL,
                                              .products = asked->products };
    const spmvcast_status status = operator_create(runtime.context, runtime.device, &r.view, &options, o);
    PetscCall(arrays_restore(A, &r));
    RUNTIME_CHECK(status);
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RuntimeUpdate(Mat A, struct spmv_operator *o, PetscBool *same)
{
    struct arrays r;
    PetscFunctionBegin;
    PetscCall(arrays_get(A, &r));
    const spmvcast_status status = operator_update(runtime.context, o, &r.view);
    PetscCall(arrays_restore(A, &r));
    *same = status == SPMVCAST_INVALID_MATRIX ? PETSC_FALSE : PETSC_TRUE;
    if (*same)
        RUNTIME_CHECK(status);
    PetscFunctionReturn(PETSC_SUCCESS);
}
