/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices of type mpiaijspmvcast, compared with MPIAIJ on any number of ranks: prints "ok N checks" or raises a PETSc error. PETSc's
 * options load the library. */
#include <petsc/private/petscimpl.h>
#include <petscksp.h>

#define TYPE "mpiaijspmvcast"
#define EXPECT(condition, ...) PetscCheck(condition, PETSC_COMM_SELF, PETSC_ERR_PLIB, __VA_ARGS__)

static int checks;
static char plain[64] = MATSEQAIJ; /* the type of AIJ blocks: that of -mat_seqaij_type, where it is given */

static PetscErrorCode difference(Vec a, Vec b, const char *what)
{
    PetscReal norm, of;
    PetscFunctionBegin;
    PetscCall(VecNorm(b, NORM_INFINITY, &of));
    PetscCall(VecAXPY(a, -1, b));
    PetscCall(VecNorm(a, NORM_INFINITY, &norm));
    EXPECT(norm <= 1e-13 * (of + 1), "%s differs by %g", what, norm);
    checks++;
    PetscFunctionReturn(0);
}

static PetscErrorCode expect_types(Mat A, const char *what)
{
    Mat diagonal, off;
    PetscBool ours, block, rest;
    PetscMPIInt ranks;
    PetscFunctionBegin;
    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
    PetscCall(PetscObjectTypeCompare((PetscObject)A, "seqaijspmvcast", &ours));
    if (ranks == 1 && ours) /* MatPermute on one rank */
        PetscFunctionReturn(0);
    PetscCall(PetscObjectTypeCompare((PetscObject)A, TYPE, &ours));
    EXPECT(ours, "%s: the type is %s", what, ((PetscObject)A)->type_name);
    PetscCall(MatMPIAIJGetSeqAIJ(A, &diagonal, &off, NULL));
    PetscCall(PetscObjectTypeCompare((PetscObject)diagonal, "seqaijspmvcast", &block));
    PetscCall(PetscObjectTypeCompare((PetscObject)off, plain, &rest));
    EXPECT(block && rest, "%s: the blocks are %s and %s", what, ((PetscObject)diagonal)->type_name,
           ((PetscObject)off)->type_name);
    PetscFunctionReturn(0);
}

/* Types of the blocks; A x, y + A x, A' y: of A and of the same MPIAIJ matrix. */
static PetscErrorCode agree(Mat A, Mat aij, const char *what)
{
    Vec x, y, z, w, t;
    PetscInt first, n;
    PetscScalar *a;
    PetscFunctionBegin;
    PetscCall(expect_types(A, what));
    PetscCall(MatCreateVecs(aij, &x, &y));
    PetscCall(VecDuplicate(y, &z));
    PetscCall(VecDuplicate(y, &w));
    PetscCall(VecDuplicate(x, &t));
    PetscCall(VecGetOwnershipRange(x, &first, &n));
    PetscCall(VecGetArray(x, &a));
    for (PetscInt j = first; j < n; j++)
        a[j - first] = (j % 2 ? -1.0 : 1.0) * (1.0 + j % 11);
    PetscCall(VecRestoreArray(x, &a));
    PetscCall(MatMult(A, x, y));
    PetscCall(MatMult(aij, x, z));
    PetscCall(difference(y, z, what));
    PetscCall(MatMultAdd(A, x, z, y));
    PetscCall(MatMultAdd(aij, x, z, w));
    PetscCall(difference(y, w, what));
    PetscCall(MatMultTranspose(A, z, t));
    PetscCall(MatMultTranspose(aij, z, x));
    PetscCall(difference(t, x, what));
    for (int i = 0; i < 5; i++)
        PetscCall(VecDestroy((Vec *[]){ &x, &y, &z, &w, &t }[i]));
    PetscFunctionReturn(0);
}

/* Row i has entries in columns i, i - 1, i + 1 and i + reach of its rank (`far`: of the matrix). local: rows of this rank. */
static PetscErrorCode fill(Mat A, PetscInt reach, PetscBool far, InsertMode mode)
{
    PetscInt first, end, all;
    PetscFunctionBegin;
    PetscCall(MatGetOwnershipRange(A, &first, &end));
    PetscCall(MatGetSize(A, &all, NULL));
    for (PetscInt i = first; i < end; i++) {
        const PetscInt low = far ? 0 : first, high = far ? all : end;
        const PetscInt col[] = { i, i > low ? i - 1 : -1, i + 1 < high ? i + 1 : -1,
                                 i + reach < high ? i + reach : -1 };
        const PetscScalar val[] = { 5 + i % 3, -1, -1.25, 0.5 + 1.0 / (1 + i) };
        PetscCall(MatSetValues(A, 1, &i, 4, col, val, mode));
    }
    PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(0);
}

static PetscErrorCode make(MatType type, PetscInt local, PetscBool far, Mat *A)
{
    PetscFunctionBegin;
    PetscCall(MatCreate(PETSC_COMM_WORLD, A));
    PetscCall(MatSetSizes(*A, local, local, PETSC_DETERMINE, PETSC_DETERMINE));
    PetscCall(MatSetType(*A, type));
    PetscCall(MatMPIAIJSetPreallocation(*A, 4, NULL, 3, NULL));
    PetscCall(MatSetOption(*A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    PetscCall(fill(*A, 17, far, INSERT_VALUES));
    PetscFunctionReturn(0);
}

static PetscErrorCode make_coo(Mat A)
{
    PetscInt first, end, all, i[4000], j[4000];
    PetscScalar v[4000];
    PetscCount n = 0;
    PetscFunctionBegin;
    PetscCall(MatGetOwnershipRange(A, &first, &end));
    PetscCall(MatGetSize(A, &all, NULL));
    for (PetscInt k = first; k < end; k++)
        for (PetscInt c = 0; c < 2; c++, n++) {
            i[n] = (k + c * 9) % all; /* some rows are of other ranks */
            j[n] = (k + c * 5) % all;
            v[n] = 1.0 / (3 + k + c);
        }
    PetscCall(MatSetPreallocationCOO(A, n, i, j));
    PetscCall(MatSetValuesCOO(A, v, INSERT_VALUES));
    PetscFunctionReturn(0);
}

/* Changes both matrices alike, and compares after each change. */
static PetscErrorCode changes(Mat A, Mat aij)
{
    Mat both[] = { A, aij };
    PetscInt all;
    PetscFunctionBegin;
    PetscCall(MatGetSize(A, &all, NULL));
    for (int change = 0; change < 7; change++) {
        for (int k = 0; k < 2; k++)
            switch (change) {
            case 0: PetscCall(fill(both[k], 17, PETSC_TRUE, ADD_VALUES)); break;
            case 1: PetscCall(MatScale(both[k], -0.75)); break;
            case 2: PetscCall(MatShift(both[k], 2)); break;
            case 3: PetscCall(fill(both[k], 31, PETSC_TRUE, INSERT_VALUES)); break; /* new nonzeros, in both blocks */
            case 4: PetscCall(MatZeroRows(both[k], 1, (PetscInt[]){ all / 2 }, 6, NULL, NULL)); break;
            case 5:
                PetscCall(MatMPIAIJSetPreallocation(both[k], 4, NULL, 4, NULL));
                PetscCall(fill(both[k], 5, PETSC_TRUE, INSERT_VALUES));
                break;
            default: PetscCall(make_coo(both[k]));
            }
        PetscCall(agree(A, aij,
                        (const char *[]){ "added values", "MatScale", "MatShift", "new nonzeros", "MatZeroRows",
                                          "another preallocation", "COO" }[change]));
    }
    PetscFunctionReturn(0);
}

/* Rows and columns in reverse order. */
static PetscErrorCode reverse(Mat A, Mat *B)
{
    PetscInt first, end, all;
    IS order;
    PetscFunctionBegin;
    PetscCall(MatGetOwnershipRange(A, &first, &end));
    PetscCall(MatGetSize(A, &all, NULL));
    PetscCall(ISCreateStride(PETSC_COMM_WORLD, end - first, all - 1 - first, -1, &order));
    PetscCall(ISSetPermutation(order));
    PetscCall(MatPermute(A, order, order, B));
    PetscCall(ISDestroy(&order));
    PetscFunctionReturn(0);
}

/* Matrices made from these have their type. */
static PetscErrorCode made(Mat A, Mat aij)
{
    Mat B[2], from[] = { A, aij };
    PetscFunctionBegin;
    for (int kind = 0; kind < 5; kind++) {
        for (int k = 0; k < 2; k++)
            switch (kind) {
            case 0: PetscCall(MatDuplicate(from[k], MAT_COPY_VALUES, &B[k])); break;
            case 1: PetscCall(MatMatMult(from[k], from[k], MAT_INITIAL_MATRIX, PETSC_DEFAULT, &B[k])); break;
            case 2: PetscCall(MatTranspose(from[k], MAT_INITIAL_MATRIX, &B[k])); break;
            case 3: PetscCall(MatPtAP(from[k], from[k], MAT_INITIAL_MATRIX, 2, &B[k])); break;
            default: PetscCall(reverse(from[k], &B[k]));
            }
        PetscCall(agree(B[0], B[1],
                        (const char *[]){ "duplicate", "MatMatMult", "MatTranspose", "MatPtAP", "MatPermute" }[kind]));
        for (int k = 0; k < 2; k++)
            PetscCall(MatDestroy(&B[k]));
    }
    PetscCall(agree(A, aij, "unchanged"));
    PetscFunctionReturn(0);
}

static PetscErrorCode conversions(Mat aij)
{
    Mat there, back, diagonal;
    PetscBool same, rest;
    PetscFunctionBegin;
    PetscCall(MatConvert(aij, TYPE, MAT_INITIAL_MATRIX, &there));
    PetscCall(agree(there, aij, "converted"));
    PetscCall(MatConvert(there, MATMPIAIJ, MAT_INITIAL_MATRIX, &back));
    PetscCall(MatEqual(back, aij, &same));
    PetscCall(MatMPIAIJGetSeqAIJ(back, &diagonal, NULL, NULL));
    PetscCall(PetscObjectTypeCompare((PetscObject)diagonal, plain, &rest));
    EXPECT(same && rest, "converted there and back");
    PetscCall(MatConvert(back, TYPE, MAT_INPLACE_MATRIX, &back));
    PetscCall(agree(back, aij, "converted in place"));
    PetscCall(MatDestroy(&there));
    PetscCall(MatDestroy(&back));
    PetscFunctionReturn(0);
}

/* A matrix over arrays of the caller: the diagonal block is a diagonal, the other has the first column of the next rank. */
static PetscErrorCode split_arrays(void)
{
    enum { N = 40 };
    PetscInt i[N + 1], j[N], oi[N + 1], oj[N], first;
    PetscScalar a[N], oa[N];
    PetscMPIInt ranks;
    Mat aij, A;
    PetscFunctionBegin;
    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
    PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &first));
    for (int k = 0; k <= N; k++)
        i[k] = oi[k] = k;
    for (int k = 0; k < N; k++) {
        j[k] = k;
        oj[k] = (first + 1) % ranks * N;
        a[k] = 1 + k;
        oa[k] = -1;
    }
    if (ranks == 1)
        oi[N] = 0, PetscArrayzero(oi, N);
    PetscCall(MatCreateMPIAIJWithSplitArrays(PETSC_COMM_WORLD, N, N, PETSC_DETERMINE, PETSC_DETERMINE, i, j, a, oi, oj,
                                             oa, &aij));
    PetscCall(MatConvert(aij, TYPE, MAT_INITIAL_MATRIX, &A));
    PetscCall(agree(A, aij, "split arrays"));
    PetscCall(MatDestroy(&A));
    PetscCall(MatDestroy(&aij));
    PetscFunctionReturn(0);
}

/* The iterations of both are within 1 of each other. */
static PetscErrorCode solve(Mat A, Mat aij, PCType type)
{
    Mat both[] = { A, aij };
    PetscInt its[2];
    Vec x, b;
    PetscFunctionBegin;
    for (int k = 0; k < 2; k++) {
        KSP ksp;
        PC pc;
        PetscCall(MatCreateVecs(both[k], &x, &b));
        PetscCall(VecSet(b, 1));
        PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
        PetscCall(KSPSetOperators(ksp, both[k], both[k]));
        PetscCall(KSPGetPC(ksp, &pc));
        PetscCall(PCSetType(pc, type));
        PetscCall(KSPSetTolerances(ksp, 1e-10, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
        PetscCall(KSPSolve(ksp, b, x));
        PetscCall(KSPGetIterationNumber(ksp, &its[k]));
        PetscCall(KSPDestroy(&ksp));
        PetscCall(VecDestroy(&x));
        PetscCall(VecDestroy(&b));
    }
    EXPECT(PetscAbs(its[0] - its[1]) <= 1 && its[0] > 0, "%s: %" PetscInt_FMT " and %" PetscInt_FMT " iterations", type,
           its[0], its[1]);
    checks++;
    PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
    PetscMPIInt rank;
    PetscFunctionBeginUser;
    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
    PetscCall(PetscOptionsGetString(NULL, NULL, "-mat_seqaij_type", plain, sizeof plain, NULL));
    /* all ranks alike; the last one most, rank 1 without rows; without entries off the diagonal */
    for (int kind = 0; kind < 3; kind++) {
        const PetscInt local = kind == 1 ? (rank == 1 ? 0 : 60 + 20 * rank) : 100;
        const PetscBool far = kind < 2 ? PETSC_TRUE : PETSC_FALSE;
        Mat A, aij;
        PetscCall(make(TYPE, local, far, &A));
        PetscCall(make(MATMPIAIJ, local, far, &aij));
        PetscCall(agree(A, aij, "made"));
        PetscCall(conversions(aij));
        PetscCall(made(A, aij));
        PetscCall(solve(A, aij, PCBJACOBI));
        PetscCall(solve(A, aij, PCGAMG));
        PetscCall(changes(A, aij));
        PetscCall(MatDestroy(&A));
        PetscCall(MatDestroy(&aij));
    }
    PetscCall(split_arrays());
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "ok %d checks\n", checks));
    PetscCall(PetscFinalize());
    return 0;
}
