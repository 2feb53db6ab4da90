/* SPDX-License-Identifier: BSD-3-Clause */
/* PETSc's matrix type mpiaijspmvcast: MPIAIJ whose diagonal block is seqaijspmvcast (docs/petsc.md). The off-diagonal block stays AIJ, which
 * skips empty rows, unless -mat_seqaij_type says otherwise. MPIAIJ makes its blocks itself, as seqaij, wherever it is preallocated or
 * assembled; so what does that is followed by settle(), which converts the block in place. Public functions only: mpiaij.h is not installed
 * with PETSc. */
#include <petsc/private/matimpl.h>
#include "petsc_types.h"

#define TO_AIJ "MatConvert_mpiaijspmvcast_mpiaij_C"
#define FROM_AIJ "MatConvert_mpiaij_mpiaijspmvcast_C"
#define PREALLOCATE "MatMPIAIJSetPreallocation_C"
#define PREALLOCATE_COO "MatSetPreallocationCOO_C"

typedef PetscErrorCode (*preallocate_function)(Mat, PetscInt, const PetscInt *, PetscInt, const PetscInt *);
typedef PetscErrorCode (*coo_function)(Mat, PetscCount, PetscInt *, PetscInt *);

struct parallel_mat { /* Mat->spptr: what MPIAIJ does */
    PetscErrorCode (*destroy)(Mat);
    PetscErrorCode (*assemblyend)(Mat, MatAssemblyType);
    PetscErrorCode (*permute)(Mat, IS, IS, Mat *);
    preallocate_function preallocate;
    coo_function preallocate_coo;
};

static struct parallel_mat *of(Mat A) { return A->spptr; }

/* Turns a block or a matrix, if there is one and it is of type `from`, into the other type. */
static PetscErrorCode turn(Mat block, MatType from, PetscErrorCode (*into)(Mat))
{
    PetscBool same;
    PetscFunctionBegin;
    if (!block)
        PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(PetscObjectTypeCompare((PetscObject)block, from, &same));
    if (same)
        PetscCall((*into)(block));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Turns a block of SEQ_TYPE back into AIJ, unless -mat_seqaij_type (of blocks, which have no prefix when they are made) names a type. With it
 * PETSc makes every matrix of that type, and frees the arrays of the transpose of one that is plain AIJ: MatTransposeSymbolic sets the type
 * again, and MatSetType frees what it has where the new type is not derived from the old one. */
static PetscErrorCode turn_back(Mat block)
{
    PetscBool named;
    PetscFunctionBegin;
    PetscCall(PetscOptionsHasName(NULL, NULL, "-mat_seqaij_type", &named));
    if (!named)
        PetscCall(turn(block, SEQ_TYPE, SeqDismiss));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_prefix(Mat block, const char *prefix)
{
    PetscBool ours = PETSC_FALSE;
    PetscFunctionBegin;
    if (block)
        PetscCall(PetscObjectTypeCompare((PetscObject)block, SEQ_TYPE, &ours));
    if (ours)
        PetscCall(SeqSetPrefix(block, prefix));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* The options of blocks have the prefix of the matrix. MPIAIJ gives both blocks of a matrix from COO our type. */
static PetscErrorCode settle(Mat A)
{
    Mat diagonal = NULL, off = NULL;
    const char *prefix;
    PetscFunctionBegin;
    PetscCall(MatMPIAIJGetSeqAIJ(A, &diagonal, &off, NULL));
    PetscCall(turn(diagonal, MATSEQAIJ, SeqAdopt));
    PetscCall(turn_back(off));
    PetscCall(MatGetOptionsPrefix(A, &prefix));
    PetscCall(set_prefix(diagonal, prefix));
    PetscCall(set_prefix(off, prefix));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatMPIAIJSetPreallocation_Spmvcast(Mat A, PetscInt dn, const PetscInt *d, PetscInt on,
                                                         const PetscInt *o)
{
    PetscFunctionBegin;
    PetscCall((*of(A)->preallocate)(A, dn, d, on, o));
    PetscCall(settle(A));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatSetPreallocationCOO_Spmvcast(Mat A, PetscCount n, PetscInt *i, PetscInt *j)
{
    PetscFunctionBegin;
    PetscCall((*of(A)->preallocate_coo)(A, n, i, j));
    PetscCall(settle(A));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatAssemblyEnd_MPIAIJSpmvcast(Mat A, MatAssemblyType type)
{
    PetscFunctionBegin;
    PetscCall((*of(A)->assemblyend)(A, type));
    PetscCall(settle(A));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode adopt(Mat);

/* MPIAIJ makes the permuted matrix by MatCreateAIJ: of the type mpiaij, on one rank seqaij. */
static PetscErrorCode MatPermute_MPIAIJSpmvcast(Mat A, IS rows, IS cols, Mat *B)
{
    PetscFunctionBegin;
    PetscCall((*of(A)->permute)(A, rows, cols, B));
    PetscCall(turn(*B, MATMPIAIJ, adopt));
    PetscCall(turn(*B, MATSEQAIJ, SeqAdopt));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode compose(Mat A, preallocate_function preallocate, coo_function coo)
{
    PetscFunctionBegin;
    PetscCall(PetscObjectComposeFunction((PetscObject)A, PREALLOCATE, preallocate));
    PetscCall(PetscObjectComposeFunction((PetscObject)A, PREALLOCATE_COO, coo));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes it MPIAIJ again, but for its blocks. */
static PetscErrorCode forget(Mat A)
{
    struct parallel_mat *s = of(A);
    PetscFunctionBegin;
    A->ops->destroy = s->destroy;
    A->ops->assemblyend = s->assemblyend;
    A->ops->permute = s->permute;
    PetscCall(compose(A, s->preallocate, s->preallocate_coo));
    PetscCall(PetscFree(s));
    A->spptr = NULL;
    PetscCall(PetscObjectComposeFunction((PetscObject)A, TO_AIJ, NULL));
    PetscCall(PetscObjectComposeFunction((PetscObject)A, FROM_AIJ, NULL));
    PetscCall(PetscObjectChangeTypeName((PetscObject)A, MATMPIAIJ));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode dismiss(Mat A)
{
    Mat diagonal = NULL;
    PetscFunctionBegin;
    PetscCall(forget(A));
    PetscCall(MatMPIAIJGetSeqAIJ(A, &diagonal, NULL, NULL));
    PetscCall(turn_back(diagonal));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatDestroy_MPIAIJSpmvcast(Mat A)
{
    PetscFunctionBegin;
    PetscCall(forget(A));
    PetscCall((*A->ops->destroy)(A));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatConvert_MPIAIJSpmvcast_MPIAIJ(Mat A, MatType type, MatReuse reuse, Mat *B)
{
    (void)type;
    return TypeConvert(A, reuse, B, dismiss);
}

static PetscErrorCode MatConvert_MPIAIJ_MPIAIJSpmvcast(Mat A, MatType type, MatReuse reuse, Mat *B)
{
    (void)type;
    return TypeConvert(A, reuse, B, adopt);
}

static PetscErrorCode adopt(Mat A)
{
    struct parallel_mat *s;
    PetscFunctionBegin;
    PetscCall(PetscNew(&s));
    s->destroy = A->ops->destroy;
    s->assemblyend = A->ops->assemblyend;
    s->permute = A->ops->permute;
    PetscCall(PetscObjectQueryFunction((PetscObject)A, PREALLOCATE, &s->preallocate));
    PetscCall(PetscObjectQueryFunction((PetscObject)A, PREALLOCATE_COO, &s->preallocate_coo));
    A->spptr = s;
    A->ops->destroy = MatDestroy_MPIAIJSpmvcast;
    A->ops->assemblyend = MatAssemblyEnd_MPIAIJSpmvcast;
    A->ops->permute = MatPermute_MPIAIJSpmvcast;
    PetscCall(
        compose(A, MatMPIAIJSetPreallocation_Spmvcast, s->preallocate_coo ? MatSetPreallocationCOO_Spmvcast : NULL));
    PetscCall(PetscObjectComposeFunction((PetscObject)A, TO_AIJ, MatConvert_MPIAIJSpmvcast_MPIAIJ));
    PetscCall(PetscObjectComposeFunction((PetscObject)A, FROM_AIJ, MatConvert_MPIAIJ_MPIAIJSpmvcast));
    PetscCall(PetscObjectChangeTypeName((PetscObject)A, MPI_TYPE));
    PetscCall(settle(A));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatCreate_MPIAIJSpmvcast(Mat A)
{
    PetscFunctionBegin;
    PetscCall(MatSetType(A, MATMPIAIJ));
    PetscCall(adopt(A));
    PetscFunctionReturn(PETSC_SUCCESS);
}
