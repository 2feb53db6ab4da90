/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices of type seqaijspmvcast, compared with AIJ. "matrix products FILE..." multiplies the matrices of files, "matrix type" tests the
 * operations of the type; both print "ok N checks" or raise a PETSc error. PETSc's options load the library. */
#include "input/matrix.h"
#include <inttypes.h>
#include <petscksp.h>

#define TYPE "seqaijspmvcast"
#define EXPECT(condition, ...) PetscCheck(condition, PETSC_COMM_SELF, PETSC_ERR_PLIB, __VA_ARGS__)

static int checks;

/* ---- comparison ---- */
/* x_j = 1 + j mod 11, alternating in sign */
static PetscErrorCode fill(Vec v)
{
    PetscScalar *a;
    PetscInt n;
    PetscFunctionBegin;
    PetscCall(VecGetSize(v, &n));
    PetscCall(VecGetArray(v, &a));
    for (PetscInt j = 0; j < n; j++)
        a[j] = (j % 2 ? -1.0 : 1.0) * (1.0 + j % 11);
    PetscCall(VecRestoreArray(v, &a));
    PetscFunctionReturn(0);
}

/* Each row may differ by the rounding of its sum. */
static PetscErrorCode compare(Mat reference, Vec x, Vec before, Vec got, Vec expected, const char *what)
{
    const PetscScalar *xs, *b, *g, *e;
    PetscInt rows;
    PetscFunctionBegin;
    PetscCall(MatGetSize(reference, &rows, NULL));
    PetscCall(VecGetArrayRead(x, &xs));
    PetscCall(VecGetArrayRead(before, &b));
    PetscCall(VecGetArrayRead(got, &g));
    PetscCall(VecGetArrayRead(expected, &e));
    for (PetscInt i = 0; i < rows; i++) {
        PetscInt n;
        const PetscInt *col;
        const PetscScalar *val;
        PetscCall(MatGetRow(reference, i, &n, &col, &val));
        PetscReal bound = fabs(b[i]);
        for (PetscInt k = 0; k < n; k++)
            bound += fabs(val[k] * xs[col[k]]);
        bound *= 2 * PETSC_MACHINE_EPSILON * (n + 2);
        PetscCall(MatRestoreRow(reference, i, &n, &col, &val));
        EXPECT(fabs(g[i] - e[i]) <= bound, "%s: row %" PetscInt_FMT " is %.17g, but %.17g with AIJ", what, i, g[i],
               e[i]);
    }
    PetscCall(VecRestoreArrayRead(expected, &e));
    PetscCall(VecRestoreArrayRead(got, &g));
    PetscCall(VecRestoreArrayRead(before, &b));
    PetscCall(VecRestoreArrayRead(x, &xs));
    checks++;
    PetscFunctionReturn(0);
}

static PetscErrorCode expect_type(Mat A, MatType expected, const char *what)
{
    MatType got;
    PetscBool same;
    PetscFunctionBegin;
    PetscCall(MatGetType(A, &got));
    PetscCall(PetscStrcmp(got, expected, &same));
    EXPECT(same, "%s: the type is %s, expected %s", what, got, expected);
    PetscFunctionReturn(0);
}

/* A x, y + A x into another vector and into y, A' y: of A and of the same AIJ matrix. */
static PetscErrorCode agree(Mat A, Mat aij, const char *what)
{
    Vec x, xt, y, before, expected;
    PetscReal difference;
    PetscFunctionBegin;
    PetscCall(expect_type(A, TYPE, what));
    PetscCall(MatCreateVecs(aij, &x, &y));
    PetscCall(VecDuplicate(x, &xt));
    PetscCall(VecDuplicate(y, &before));
    PetscCall(VecDuplicate(y, &expected));
    PetscCall(fill(x));
    PetscCall(VecSet(y, PETSC_INFINITY)); /* must not be read */
    PetscCall(MatMult(A, x, y));
    PetscCall(MatMult(aij, x, expected));
    PetscCall(compare(aij, x, before, y, expected, what));
    PetscCall(fill(before));
    PetscCall(MatMultAdd(A, x, before, y));
    PetscCall(MatMultAdd(aij, x, before, expected));
    PetscCall(compare(aij, x, before, y, expected, what));
    PetscCall(VecCopy(before, y));
    PetscCall(MatMultAdd(A, x, y, y));
    PetscCall(compare(aij, x, before, y, expected, what));
    PetscCall(MatMultTranspose(A, before, x));
    PetscCall(MatMultTranspose(aij, before, xt));
    PetscCall(VecAXPY(xt, -1, x));
    PetscCall(VecNorm(xt, NORM_INFINITY, &difference));
    EXPECT(difference <= 0, "%s: the transposed product differs by %g", what, difference);
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&xt));
    PetscCall(VecDestroy(&y));
    PetscCall(VecDestroy(&before));
    PetscCall(VecDestroy(&expected));
    PetscFunctionReturn(0);
}

/* ---- products with matrices of files ---- */
static PetscErrorCode products(int n, char **file)
{
    PetscFunctionBegin;
    for (int f = 0; f < n; f++) {
        struct matrix m;
        char why[ERRLEN];
        PetscInt *row_ptr;
        Mat aij, A;
        EXPECT(matrix_read(file[f], &m, why) == 0, "%s", why);
        PetscCall(PetscMalloc1((size_t)m.csr.rows + 1, &row_ptr));
        for (int64_t i = 0; i <= m.csr.rows; i++)
            row_ptr[i] = (PetscInt)m.csr.row_ptr[i];
        PetscCall(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, (PetscInt)m.csr.rows, (PetscInt)m.csr.cols, row_ptr,
                                            m.csr.col, m.csr.val, &aij));
        PetscCall(MatConvert(aij, TYPE, MAT_INITIAL_MATRIX, &A));
        PetscCall(agree(A, aij, m.name));
        PetscCall(MatDestroy(&A));
        PetscCall(MatDestroy(&aij));
        PetscCall(PetscFree(row_ptr));
        matrix_free(&m);
    }
    PetscFunctionReturn(0);
}

/* ---- operations of the type ---- */
/* Row i has entries in columns i, i - 1, i + 1, and i + reach, where they exist; n x n. */
static PetscErrorCode make(MatType type, PetscInt n, PetscInt reach, Mat *A)
{
    PetscFunctionBegin;
    PetscCall(MatCreate(PETSC_COMM_SELF, A));
    PetscCall(MatSetSizes(*A, n, n, n, n));
    PetscCall(MatSetType(*A, type));
    PetscCall(MatSeqAIJSetPreallocation(*A, 4, NULL));
    PetscCall(MatSetOption(*A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    for (PetscInt i = 0; i < n; i++) {
        const PetscInt col[] = { i, i > 0 ? i - 1 : -1, i + 1 < n ? i + 1 : -1, i + reach < n ? i + reach : -1 };
        const PetscScalar val[] = { 5 + i % 3, -1, -1.25, 0.5 + 1.0 / (1 + i) };
        PetscCall(MatSetValues(*A, 1, &i, 4, col, val, INSERT_VALUES));
    }
    PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(0);
}

static PetscErrorCode set_one(Mat A, PetscInt row, PetscInt col, PetscScalar value)
{
    PetscFunctionBegin;
    PetscCall(MatSetValues(A, 1, &row, 1, &col, &value, INSERT_VALUES));
    PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(0);
}

/* Makes a matrix anew: row i has entries in columns i and i + reach, around the end; all rows are equally long whatever the reach. */
static PetscErrorCode make_anew(Mat A, PetscInt reach)
{
    PetscInt n;
    PetscFunctionBegin;
    PetscCall(MatGetSize(A, &n, NULL));
    PetscCall(MatSeqAIJSetPreallocation(A, 2, NULL));
    for (PetscInt i = 0; i < n; i++) {
        const PetscInt col[] = { i, (i + reach) % n };
        const PetscScalar val[] = { 3, 1.0 / (2 + i) };
        PetscCall(MatSetValues(A, 1, &i, 2, col, val, INSERT_VALUES));
    }
    PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(0);
}

/* The same pattern in new arrays. */
static PetscErrorCode make_coo(Mat A, PetscInt reach)
{
    static PetscInt n, i[20000], j[20000];
    static PetscScalar v[20000];
    PetscFunctionBegin;
    PetscCall(MatGetSize(A, &n, NULL));
    for (PetscInt k = 0; k < n; k++) {
        i[2 * k] = i[2 * k + 1] = j[2 * k] = k;
        j[2 * k + 1] = (k + reach) % n;
        v[2 * k] = v[2 * k + 1] = 1.0 / (3 + k);
    }
    PetscCall(MatSetPreallocationCOO(A, 2 * n, i, j));
    PetscCall(MatSetValuesCOO(A, v, INSERT_VALUES));
    PetscFunctionReturn(0);
}

/* Changes both matrices alike, and compares after each change. */
static PetscErrorCode changes(Mat A, Mat aij)
{
    const PetscInt rows[] = { 3, 70 };
    PetscScalar *values;
    Mat both[] = { A, aij };
    PetscFunctionBegin;
    for (int change = 0; change < 11; change++) {
        for (int i = 0; i < 2; i++)
            switch (change) {
            case 0: PetscCall(set_one(both[i], 5, 5, 42)); break;
            case 1:
                PetscCall(MatSetOption(both[i], MAT_NEW_NONZERO_LOCATIONS, PETSC_FALSE));
                PetscCall(MatStoreValues(both[i]));
                PetscCall(MatScale(both[i], -0.75));
                break;
            case 2:
                PetscCall(MatRetrieveValues(both[i]));
                PetscCall(MatSetOption(both[i], MAT_NEW_NONZERO_LOCATIONS, PETSC_TRUE));
                break;
            case 3: PetscCall(MatShift(both[i], 2)); break;
            case 4:
                PetscCall(MatSeqAIJGetArray(both[i], &values));
                values[7] = 1234;
                PetscCall(MatSeqAIJRestoreArray(both[i], &values));
                break;
            case 5: PetscCall(set_one(both[i], 9, 50, 3)); break; /* another pattern */
            case 6: PetscCall(MatZeroRows(both[i], 2, rows, 6, NULL, NULL)); break;
            case 7: PetscCall(make_anew(both[i], 5)); break;
            case 8: PetscCall(make_anew(both[i], 9)); break;
            case 9: PetscCall(make_coo(both[i], 9)); break;
            default: PetscCall(MatZeroEntries(both[i]));
            }
        PetscCall(agree(A, aij, "after a change"));
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode conversions(Mat A, Mat aij)
{
    Mat there, back;
    PetscBool same;
    PetscFunctionBegin;
    PetscCall(MatConvert(aij, TYPE, MAT_INITIAL_MATRIX, &there));
    PetscCall(agree(there, aij, "converted"));
    PetscCall(MatConvert(there, MATSEQAIJ, MAT_INITIAL_MATRIX, &back));
    PetscCall(expect_type(back, MATSEQAIJ, "converted back"));
    PetscCall(MatEqual(back, aij, &same));
    EXPECT(same, "the matrix converted there and back differs");
    PetscCall(MatScale(aij, 4));
    PetscCall(MatConvert(aij, TYPE, MAT_REUSE_MATRIX, &there));
    PetscCall(agree(there, aij, "converted into an existing matrix"));
    PetscCall(MatConvert(there, MATSEQAIJ, MAT_REUSE_MATRIX, &back));
    PetscCall(MatConvert(back, TYPE, MAT_INPLACE_MATRIX, &back));
    PetscCall(agree(back, aij, "converted in place"));
    PetscCall(MatSetType(back, MATSEQAIJ));
    PetscCall(expect_type(back, MATSEQAIJ, "after MatSetType"));
    PetscCall(MatScale(aij, 0.25));
    PetscCall(MatDestroy(&there));
    PetscCall(MatDestroy(&back));
    PetscCall(agree(A, aij, "unconverted"));
    PetscFunctionReturn(0);
}

static PetscErrorCode duplicates(Mat A, Mat aij)
{
    Mat copy, aij_copy;
    PetscFunctionBegin;
    PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &copy));
    PetscCall(agree(copy, aij, "duplicate"));
    PetscCall(MatScale(copy, 2));
    PetscCall(agree(A, aij, "after its duplicate changed"));
    PetscCall(MatDestroy(&copy));
    PetscCall(MatDuplicate(A, MAT_DO_NOT_COPY_VALUES, &copy));
    PetscCall(MatDuplicate(aij, MAT_DO_NOT_COPY_VALUES, &aij_copy));
    PetscCall(agree(copy, aij_copy, "duplicate without values"));
    PetscCall(MatCopy(A, copy, SAME_NONZERO_PATTERN));
    PetscCall(agree(copy, aij, "copied values"));
    PetscCall(set_one(copy, 11, 90, 1)); /* another pattern, before the next product */
    PetscCall(MatDestroy(&aij_copy));
    PetscCall(MatDuplicate(aij, MAT_COPY_VALUES, &aij_copy));
    PetscCall(set_one(aij_copy, 11, 90, 1));
    PetscCall(agree(copy, aij_copy, "duplicate with another pattern"));
    PetscCall(MatDestroy(&copy));
    PetscCall(MatDestroy(&aij_copy));
    PetscFunctionReturn(0);
}

/* F is a factorization of A. */
static PetscErrorCode solves(Mat A, Mat F)
{
    Vec x, b;
    PetscReal norm;
    PetscFunctionBegin;
    PetscCall(MatCreateVecs(A, &x, &b));
    PetscCall(fill(b));
    PetscCall(MatSolve(F, b, x));
    PetscCall(VecScale(b, -1));
    PetscCall(MatMultAdd(A, x, b, b));
    PetscCall(VecNorm(b, NORM_INFINITY, &norm));
    EXPECT(norm < 1e-12, "the residual of LU is %g", norm);
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&b));
    checks++;
    PetscFunctionReturn(0);
}

/* What the type leaves to AIJ. */
static PetscErrorCode fallbacks(Mat A, Mat aij)
{
    Mat B, aij_B, F;
    IS rows, cols;
    PetscReal norm;
    PetscFunctionBegin;
    PetscCall(MatTranspose(A, MAT_INITIAL_MATRIX, &B));
    PetscCall(MatTranspose(aij, MAT_INITIAL_MATRIX, &aij_B));
    PetscCall(agree(B, aij_B, "transpose"));
    PetscCall(MatAXPY(B, 2, A, DIFFERENT_NONZERO_PATTERN));
    PetscCall(MatAXPY(aij_B, 2, aij, DIFFERENT_NONZERO_PATTERN));
    PetscCall(MatConvert(B, TYPE, MAT_INPLACE_MATRIX, &B));
    PetscCall(agree(B, aij_B, "MatAXPY"));
    PetscCall(MatDestroy(&B));
    PetscCall(MatDestroy(&aij_B));
    PetscCall(MatMatMult(A, A, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &B));
    PetscCall(MatMatMult(aij, aij, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &aij_B));
    PetscCall(MatAXPY(aij_B, -1, B, SAME_NONZERO_PATTERN));
    PetscCall(MatNorm(aij_B, NORM_FROBENIUS, &norm));
    EXPECT(norm <= 0, "MatMatMult differs by %g", norm);
    PetscCall(MatDestroy(&B));
    PetscCall(MatDestroy(&aij_B));
    PetscCall(ISCreateStride(PETSC_COMM_SELF, 40, 7, 2, &rows));
    PetscCall(MatCreateSubMatrix(A, rows, rows, MAT_INITIAL_MATRIX, &B));
    PetscCall(MatCreateSubMatrix(aij, rows, rows, MAT_INITIAL_MATRIX, &aij_B));
    PetscCall(agree(B, aij_B, "submatrix"));
    PetscCall(ISDestroy(&rows));
    PetscCall(MatDestroy(&B));
    PetscCall(MatDestroy(&aij_B));
    PetscCall(MatGetFactor(A, MATSOLVERPETSC, MAT_FACTOR_LU, &F));
    PetscCall(MatGetOrdering(A, MATORDERINGNATURAL, &rows, &cols));
    PetscCall(MatLUFactorSymbolic(F, A, rows, cols, NULL));
    PetscCall(MatLUFactorNumeric(F, A, NULL));
    PetscCall(solves(A, F));
    PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &B));
    PetscCall(MatLUFactor(B, rows, cols, NULL)); /* in place */
    PetscCall(solves(A, B));
    PetscCall(MatDestroy(&B));
    PetscCall(ISDestroy(&rows));
    PetscCall(ISDestroy(&cols));
    PetscCall(MatDestroy(&F));
    checks++;
    PetscFunctionReturn(0);
}

static PetscErrorCode type(void)
{
    static const PetscInt sizes[] = { 100, 3000 };
    PetscFunctionBegin;
    for (int i = 0; i < 2; i++) {
        Mat A, aij;
        PetscCall(make(TYPE, sizes[i], 17, &A));
        PetscCall(make(MATSEQAIJ, sizes[i], 17, &aij));
        PetscCall(agree(A, aij, "made"));
        PetscCall(conversions(A, aij));
        PetscCall(duplicates(A, aij));
        PetscCall(fallbacks(A, aij));
        PetscCall(changes(A, aij));
        PetscCall(MatDestroy(&A));
        PetscCall(MatDestroy(&aij));
    }
    PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
    char part[16] = "";
    PetscFunctionBeginUser;
    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    if (argc > 1)
        PetscCall(PetscStrncpy(part, argv[1], sizeof part));
    int files = 0;
    while (2 + files < argc && argv[2 + files][0] != '-')
        files++;
    if (strcmp(part, "products") == 0)
        PetscCall(products(files, argv + 2));
    else if (strcmp(part, "type") == 0)
        PetscCall(type());
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "ok %d checks\n", checks));
    PetscCall(PetscFinalize());
    return checks > 0 ? 0 : 1;
}
