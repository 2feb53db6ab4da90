/* SPDX-License-Identifier: BSD-3-Clause */
/* libspmvcast_petsc.so: PETSc's matrix type seqaijspmvcast, which is SEQAIJ but multiplies with a kernel of spmvcast in the configuration
 * that a forecast picks (docs/petsc.md). PETSc loads it with -dll_append. The matrix keeps its AIJ data, and all operations but those set
 * in adopt() are AIJ's; factorizations are found since the name of the type begins with seqaij. */
#include <petsc/private/matimpl.h>
#include "petsc_runtime.h"

#define TYPE "seqaijspmvcast"
#define TO_AIJ "MatConvert_seqaijspmvcast_seqaij_C"
#define FROM_AIJ "MatConvert_seqaij_seqaijspmvcast_C"

enum { PRODUCTS = 1000 };

struct spmvcast_mat { /* Mat->spptr */
    PetscErrorCode (*destroy)(Mat);
    PetscErrorCode (*duplicate)(Mat, MatDuplicateOption, Mat *);
    PetscErrorCode (*assemblyend)(Mat, MatAssemblyType);
    PetscErrorCode (*mult)(Mat, Vec, Vec);
    PetscErrorCode (*multadd)(Mat, Vec, Vec, Vec);
    struct runtime_options options;
    PetscBool view;
    struct spmv_operator *ready;
    PetscObjectState state; /* of the matrix whose values the operator has */
    PetscLogDouble flops;   /* of a product */
    /* configuration of the matrix that this one is a duplicate of, while the pattern is the same; "": none */
    char inherited[CONFIG_LEN];
    PetscObjectState inherited_pattern;
    /* sums over all operators of the matrix */
    PetscInt choices;
    int64_t products, updates;
    double choice_s, convert_s, update_s;
};

static PetscLogEvent setup_event;

static struct spmvcast_mat *of(Mat A) { return A->spptr; }

/* ---- the operator ---- */
static PetscErrorCode read_options(Mat A, struct spmvcast_mat *s)
{
    struct runtime_options *o = &s->options;
    PetscFunctionBegin;
    o->products = PRODUCTS;
    PetscObjectOptionsBegin((PetscObject)A);
    PetscCall(PetscOptionsString("-mat_spmvcast_profile", "Profile of this CPU: name, file or none", NULL, o->profile,
                                 o->profile, sizeof o->profile, NULL));
    PetscCall(PetscOptionsBoundedInt("-mat_spmvcast_products",
                                     "Expected number of products; 0: ignore the cost of conversion", NULL, o->products,
                                     &o->products, NULL, 0));
    PetscCall(PetscOptionsString("-mat_spmvcast_config", "Configuration, instead of the forecast's pick", NULL,
                                 o->config, o->config, sizeof o->config, NULL));
    PetscCall(PetscOptionsBool("-mat_spmvcast_view",
                               "Print the configuration and its costs when the matrix is destroyed", NULL, s->view,
                               &s->view, NULL));
    PetscOptionsEnd();
    PetscFunctionReturn(PETSC_SUCCESS);
}

static void release(struct spmvcast_mat *s)
{
    struct operator_report r;
    if (!s->ready)
        return;
    operator_get_report(s->ready, &r);
    s->products += r.products;
    operator_free(s->ready);
    s->ready = NULL;
}

static PetscErrorCode choose(Mat A, struct spmvcast_mat *s)
{
    struct operator_report r;
    MatInfo info;
    PetscInt kept = 0, rows;
    const PetscInt *ia, *ja;
    PetscBool done;
    PetscFunctionBegin;
    PetscCall(read_options(A, s));
    if (s->inherited_pattern != A->nonzerostate)
        s->inherited[0] = 0;
    PetscCall(RuntimeCreate(A, &s->options, s->inherited, &s->ready));
    operator_get_report(s->ready, &r);
    s->choices++;
    s->choice_s += r.features_s + r.ranking_s;
    s->convert_s += r.convert_s + r.prepare_s;
    PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
    PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &rows, &ia, &ja, &done));
    for (PetscInt i = 0; i < rows; i++)
        kept += ia[i + 1] > ia[i];
    PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &rows, &ia, &ja, &done));
    s->flops = 2.0 * info.nz_used - (PetscLogDouble)kept; /* as AIJ counts */
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes the operator hold the matrix as it is now. */
static PetscErrorCode make_ready(Mat A)
{
    struct spmvcast_mat *s = of(A);
    struct operator_report r;
    PetscObjectState state;
    PetscBool same = PETSC_FALSE;
    PetscFunctionBegin;
    PetscCall(PetscObjectStateGet((PetscObject)A, &state));
    if (s->ready && s->state == state)
        PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(PetscLogEventBegin(setup_event, A, 0, 0, 0));
    if (s->ready) {
        const PetscErrorCode error = RuntimeUpdate(A, s->ready, &same);
        if (error != PETSC_SUCCESS)
            release(s);
        PetscCall(error);
        operator_get_report(s->ready, &r);
        s->updates += same == PETSC_TRUE;
        s->update_s += same ? r.update_s : 0;
    }
    if (!same) {
        release(s);
        PetscCall(choose(A, s));
    }
    s->state = state;
    PetscCall(PetscLogEventEnd(setup_event, A, 0, 0, 0));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- products ---- */
static PetscErrorCode multiply(Mat A, Vec x, double beta, Vec y)
{
    const PetscScalar *from;
    PetscScalar *to;
    char why[ERRLEN];
    PetscFunctionBegin;
    PetscCall(make_ready(A));
    PetscCall(VecGetArrayRead(x, &from));
    PetscCall(beta > 0 ? VecGetArray(y, &to) : VecGetArrayWrite(y, &to));
    const int status = operator_multiply(of(A)->ready, 1, from, beta, to, NULL, why);
    PetscCall(beta > 0 ? VecRestoreArray(y, &to) : VecRestoreArrayWrite(y, &to));
    PetscCall(VecRestoreArrayRead(x, &from));
    PetscCheck(status == 0, PETSC_COMM_SELF, status == OOM ? PETSC_ERR_MEM : PETSC_ERR_LIB, "spmvcast: %s", why);
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatMult_SeqAIJSpmvcast(Mat A, Vec x, Vec y)
{
    PetscFunctionBegin;
    PetscCall(multiply(A, x, 0, y));
    PetscCall(PetscLogFlops(of(A)->flops));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* z = y + A x */
static PetscErrorCode MatMultAdd_SeqAIJSpmvcast(Mat A, Vec x, Vec y, Vec z)
{
    PetscFunctionBegin;
    if (y != z)
        PetscCall(VecCopy(y, z));
    PetscCall(multiply(A, x, 1, z));
    PetscCall(PetscLogFlops(of(A)->flops + A->rmap->n));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the type ---- */
static PetscErrorCode adopt(Mat);

/* Values or pattern may have changed; a changed state tells the next product. */
static PetscErrorCode MatAssemblyEnd_SeqAIJSpmvcast(Mat A, MatAssemblyType type)
{
    PetscFunctionBegin;
    PetscCall((*of(A)->assemblyend)(A, type));
    if (type == MAT_FINAL_ASSEMBLY)
        PetscCall(PetscObjectStateIncrease((PetscObject)A));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatDuplicate_SeqAIJSpmvcast(Mat A, MatDuplicateOption option, Mat *B)
{
    struct operator_report r;
    PetscFunctionBegin;
    PetscCall((*of(A)->duplicate)(A, option, B)); /* calls the constructor */
    if (of(A)->ready) {
        operator_get_report(of(A)->ready, &r);
        PetscCall(PetscStrncpy(of(*B)->inherited, r.config, sizeof r.config));
        of(*B)->inherited_pattern = (*B)->nonzerostate = A->nonzerostate;
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode print_view(Mat A, const struct spmvcast_mat *s)
{
    struct operator_report r;
    const MPI_Comm comm = PetscObjectComm((PetscObject)A);
    const char *name = ((PetscObject)A)->name ? ((PetscObject)A)->name : "matrix";
    PetscFunctionBegin;
    if (!s->ready) {
        PetscCall(PetscPrintf(comm, "spmvcast: %s, %" PetscInt_FMT " x %" PetscInt_FMT ": no products\n", name,
                              A->rmap->n, A->cmap->n));
        PetscFunctionReturn(PETSC_SUCCESS);
    }
    operator_get_report(s->ready, &r);
    PetscCall(PetscPrintf(comm, "spmvcast: %s, %" PetscInt_FMT " x %" PetscInt_FMT ": %s (%s)\n", name, A->rmap->n,
                          A->cmap->n, r.config,
                          r.picked               ? "picked by the forecast"
                          : s->options.config[0] ? "set by -mat_spmvcast_config"
                          : s->inherited[0]      ? "as in the matrix that it is a duplicate of"
                          : r.profile[0]         ? "default: the profile ranks nothing"
                                                 : "default: no profile of this CPU"));
    if (r.time_s > 0)
        PetscCall(PetscPrintf(comm, "  forecast of a product %.3g us (%.3g to %.3g), profile %s\n", 1e6 * r.time_s,
                              1e6 * r.low_s, 1e6 * r.high_s, r.profile));
    PetscCall(PetscPrintf(comm,
                          "  %" PetscInt_FMT " choice%s took %.3g ms, conversion and preparation %.3g ms, %" PRId64
                          " update%s of values %.3g ms\n",
                          s->choices, s->choices == 1 ? "" : "s", 1e3 * s->choice_s, 1e3 * s->convert_s, s->updates,
                          s->updates == 1 ? "" : "s", 1e3 * s->update_s));
    PetscCall(PetscPrintf(comm, "  %" PRId64 " products, %" PRId64 " bytes of matrix data besides AIJ's\n",
                          s->products + r.products, r.bytes));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes it a plain AIJ matrix again. */
static PetscErrorCode dismiss(Mat A)
{
    struct spmvcast_mat *s = of(A);
    PetscFunctionBegin;
    if (s->view)
        PetscCall(print_view(A, s));
    release(s);
    A->ops->destroy = s->destroy;
    A->ops->duplicate = s->duplicate;
    A->ops->assemblyend = s->assemblyend;
    A->ops->mult = s->mult;
    A->ops->multadd = s->multadd;
    PetscCall(PetscFree(s));
    A->spptr = NULL;
    PetscCall(PetscObjectComposeFunction((PetscObject)A, TO_AIJ, NULL));
    PetscCall(PetscObjectComposeFunction((PetscObject)A, FROM_AIJ, NULL));
    PetscCall(PetscObjectChangeTypeName((PetscObject)A, MATSEQAIJ));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatDestroy_SeqAIJSpmvcast(Mat A)
{
    PetscFunctionBegin;
    PetscCall(dismiss(A));
    PetscCall((*A->ops->destroy)(A));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Both conversions: makes, fills or takes *B, then `turn` changes its type. */
static PetscErrorCode convert(Mat A, MatReuse reuse, Mat *B, PetscErrorCode (*turn)(Mat))
{
    PetscFunctionBegin;
    if (reuse == MAT_REUSE_MATRIX) {
        PetscCall(MatCopy(A, *B, SAME_NONZERO_PATTERN));
        PetscFunctionReturn(PETSC_SUCCESS);
    }
    if (reuse == MAT_INITIAL_MATRIX)
        PetscCall(MatDuplicate(A, MAT_COPY_VALUES, B));
    PetscCall((*turn)(reuse == MAT_INPLACE_MATRIX ? A : *B));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatConvert_SeqAIJSpmvcast_SeqAIJ(Mat A, MatType type, MatReuse reuse, Mat *B)
{
    (void)type;
    return convert(A, reuse, B, dismiss);
}

static PetscErrorCode MatConvert_SeqAIJ_SeqAIJSpmvcast(Mat A, MatType type, MatReuse reuse, Mat *B)
{
    (void)type;
    return convert(A, reuse, B, adopt);
}

static PetscErrorCode adopt(Mat A)
{
    struct spmvcast_mat *s;
    PetscFunctionBegin;
    PetscCall(PetscNew(&s));
    s->destroy = A->ops->destroy;
    s->duplicate = A->ops->duplicate;
    s->assemblyend = A->ops->assemblyend;
    s->mult = A->ops->mult;
    s->multadd = A->ops->multadd;
    A->spptr = s;
    A->ops->destroy = MatDestroy_SeqAIJSpmvcast;
    A->ops->duplicate = MatDuplicate_SeqAIJSpmvcast;
    A->ops->assemblyend = MatAssemblyEnd_SeqAIJSpmvcast;
    A->ops->mult = MatMult_SeqAIJSpmvcast;
    A->ops->multadd = MatMultAdd_SeqAIJSpmvcast;
    PetscCall(PetscObjectComposeFunction((PetscObject)A, TO_AIJ, MatConvert_SeqAIJSpmvcast_SeqAIJ));
    PetscCall(PetscObjectComposeFunction((PetscObject)A, FROM_AIJ, MatConvert_SeqAIJ_SeqAIJSpmvcast));
    PetscCall(PetscObjectChangeTypeName((PetscObject)A, TYPE));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatCreate_SeqAIJSpmvcast(Mat A)
{
    PetscFunctionBegin;
    PetscCall(MatSetType(A, MATSEQAIJ));
    PetscCall(adopt(A));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc calls this when it has loaded the library. */
PETSC_EXTERN PetscErrorCode PetscDLLibraryRegister_spmvcast_petsc(void);
PetscErrorCode PetscDLLibraryRegister_spmvcast_petsc(void)
{
    PetscFunctionBegin;
    PetscCall(MatInitializePackage());
    PetscCall(PetscLogEventRegister("SpmvcastSetUp", MAT_CLASSID, &setup_event));
    PetscCall(MatRegister(TYPE, MatCreate_SeqAIJSpmvcast));
    PetscCall(PetscRegisterFinalize(RuntimeClose));
    PetscFunctionReturn(PETSC_SUCCESS);
}
