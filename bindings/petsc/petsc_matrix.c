/* SPDX-License-Identifier: BSD-3-Clause */
/* libspmvcast_petsc.so: PETSc's matrix type seqaijspmvcast, which is SEQAIJ but multiplies with a kernel of spmvcast in the configuration
 * that a forecast picks (docs/petsc.md). PETSc loads it with -dll_append. The matrix keeps its AIJ data, and all operations but those set
 * in SeqAdopt() are AIJ's; factorizations are found since the name of the type begins with seqaij. */
#include <inttypes.h>
#include <petsc/private/matimpl.h>
#include "petsc_runtime.h"

#define TO_AIJ "MatConvert_seqaijspmvcast_seqaij_C"
#define FROM_AIJ "MatConvert_seqaij_seqaijspmvcast_C"
#define RETRIEVE "MatRetrieveValues_C"

enum { PRODUCTS = SPMVCAST_PRODUCTS };

struct aij { /* what AIJ does */
    PetscErrorCode (*destroy)(Mat);
    PetscErrorCode (*duplicate)(Mat, MatDuplicateOption, Mat *);
    PetscErrorCode (*assemblyend)(Mat, MatAssemblyType);
    PetscErrorCode (*mult)(Mat, Vec, Vec);
    PetscErrorCode (*multadd)(Mat, Vec, Vec, Vec);
    PetscErrorCode (*retrieve)(Mat);
};

struct spmvcast_mat { /* Mat->spptr */
    struct aij aij;
    struct runtime_options options;
    PetscBool view;
    char *prefix; /* of the options; NULL: that of the matrix. Preconditioners change that of a block. */
    struct handle handle;
    PetscObjectState state, pattern; /* of the matrix whose values and pattern the handle has */
    PetscLogDouble flops;            /* of a product */
    /* configuration of the matrix that this one is a duplicate of, for the same pattern and device; "": none */
    char inherited[CONFIG_MOST];
    PetscObjectState inherited_pattern;
    PetscBool inherited_gpu;
    /* sums over all handles of the matrix but products and costs, which are without the present one's */
    PetscInt choices;
    int64_t products, updates;
    double upload_s, choice_s, convert_s, update_s;
    struct gpu_costs costs;
};

static PetscLogEvent setup_event;

static struct spmvcast_mat *of(Mat A) { return A->spptr; }

/* MatHeaderMerge, as in in-place LU, leaves a matrix its functions but takes all else from a plain one: it is adopted again. */
static PetscErrorCode have_state(Mat A)
{
    PetscFunctionBegin;
    if (!A->spptr)
        PetscCall(SeqAdopt(A));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the handle ---- */
static PetscErrorCode read_options(Mat A, struct spmvcast_mat *s)
{
    static const char *const devices[] = { "cpu", "gpu" };
    struct runtime_options *o = &s->options;
    PetscInt device = o->gpu ? 1 : 0;
    PetscFunctionBegin;
    o->products = PRODUCTS;
    PetscOptionsBegin(PetscObjectComm((PetscObject)A), s->prefix ? s->prefix : ((PetscObject)A)->prefix, "spmvcast",
                      "Mat");
    PetscCall(PetscOptionsEList("-mat_spmvcast_device", "Where products run", NULL, devices, 2, devices[device],
                                &device, NULL));
    PetscCall(PetscOptionsString("-mat_spmvcast_profile", "Profile of the device: name, file or none", NULL, o->profile,
                                 o->profile, sizeof o->profile, NULL));
    PetscCall(PetscOptionsBoundedInt("-mat_spmvcast_products",
                                     "Expected number of products; 0: ignore the cost of conversion", NULL, o->products,
                                     &o->products, NULL, 0));
    PetscCall(PetscOptionsBoundedInt("-mat_spmvcast_trial", "Time to spend on timing candidates, in products", NULL,
                                     o->trial, &o->trial, NULL, 0));
    PetscCall(PetscOptionsString("-mat_spmvcast_config", "Configuration, instead of the forecast's pick", NULL,
                                 o->config, o->config, sizeof o->config, NULL));
    PetscCall(PetscOptionsBool("-mat_spmvcast_view",
                               "Print the configuration and its costs when the matrix is destroyed", NULL, s->view,
                               &s->view, NULL));
    PetscOptionsEnd();
    o->gpu = device == 1 ? PETSC_TRUE : PETSC_FALSE;
    PetscFunctionReturn(PETSC_SUCCESS);
}

static void release(struct spmvcast_mat *s)
{
    struct handle *h = &s->handle;
    if (!h->matrix)
        return;
    s->products += h->products;
    s->costs.multiply_s += h->costs.multiply_s;
    s->costs.copy_s += h->costs.copy_s;
    s->costs.copies += h->costs.copies;
    s->costs.bytes += h->costs.bytes;
    RuntimeFree(h);
}

static PetscErrorCode choose(Mat A, struct spmvcast_mat *s)
{
    const spmvcast_matrix_info *i = &s->handle.info;
    MatInfo info;
    PetscInt kept = 0, rows;
    const PetscInt *ia, *ja;
    PetscBool done;
    PetscFunctionBegin;
    PetscCall(read_options(A, s));
    if (s->inherited_pattern != A->nonzerostate || s->inherited_gpu != s->options.gpu)
        s->inherited[0] = 0;
    PetscCall(RuntimeCreate(A, &s->options, s->inherited, &s->handle));
    s->pattern = A->nonzerostate;
    s->choices++;
    s->upload_s += i->upload_s;
    s->choice_s += i->examine_s + i->choose_s + i->try_s;
    s->convert_s += i->convert_s + i->prepare_s;
    PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
    PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &rows, &ia, &ja, &done));
    for (PetscInt k = 0; k < rows; k++)
        kept += ia[k + 1] > ia[k];
    PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &rows, &ia, &ja, &done));
    s->flops = 2.0 * info.nz_used - (PetscLogDouble)kept; /* as AIJ counts */
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode update(Mat A, struct spmvcast_mat *s)
{
    PetscFunctionBegin;
    const PetscErrorCode error = RuntimeUpdate(A, &s->handle);
    if (error != PETSC_SUCCESS)
        release(s);
    PetscCall(error);
    s->updates++;
    s->update_s += s->handle.info.update_s;
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes the handle hold the matrix as it is now. */
static PetscErrorCode make_ready(Mat A)
{
    PetscObjectState state;
    PetscFunctionBegin;
    PetscCall(have_state(A));
    struct spmvcast_mat *s = of(A);
    PetscCall(PetscObjectStateGet((PetscObject)A, &state));
    if (s->handle.matrix && s->state == state)
        PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(PetscLogEventBegin(setup_event, A, 0, 0, 0));
    if (s->handle.matrix && s->pattern == A->nonzerostate)
        PetscCall(update(A, s));
    else {
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
    PetscFunctionBegin;
    PetscCall(make_ready(A));
    PetscCall(VecGetArrayRead(x, &from));
    PetscCall(beta > 0 ? VecGetArray(y, &to) : VecGetArrayWrite(y, &to));
    PetscCall(RuntimeMultiply(&of(A)->handle, from, beta, to));
    PetscCall(beta > 0 ? VecRestoreArray(y, &to) : VecRestoreArrayWrite(y, &to));
    PetscCall(VecRestoreArrayRead(x, &from));
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
/* Values or pattern may have changed; a changed state tells the next product. */
static PetscErrorCode MatAssemblyEnd_SeqAIJSpmvcast(Mat A, MatAssemblyType type)
{
    PetscFunctionBegin;
    PetscCall(have_state(A));
    PetscCall((*of(A)->aij.assemblyend)(A, type));
    if (type == MAT_FINAL_ASSEMBLY)
        PetscCall(PetscObjectStateIncrease((PetscObject)A));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc raises no state for it. */
static PetscErrorCode MatRetrieveValues_SeqAIJSpmvcast(Mat A)
{
    PetscFunctionBegin;
    PetscCall((*of(A)->aij.retrieve)(A));
    PetscCall(PetscObjectStateIncrease((PetscObject)A));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatDuplicate_SeqAIJSpmvcast(Mat A, MatDuplicateOption option, Mat *B)
{
    struct spmvcast_mat *copy;
    PetscFunctionBegin;
    PetscCall(have_state(A));
    PetscCall((*of(A)->aij.duplicate)(A, option, B)); /* calls the constructor */
    copy = of(*B);
    if (of(A)->handle.matrix && of(A)->pattern == A->nonzerostate) {
        PetscCall(PetscStrncpy(copy->inherited, of(A)->handle.info.config, sizeof copy->inherited));
        copy->inherited_gpu = of(A)->options.gpu;
        copy->inherited_pattern = (*B)->nonzerostate = A->nonzerostate;
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

static const char *why_chosen(const struct spmvcast_mat *s)
{
    switch (s->handle.info.choice) {
    case SPMVCAST_BY_FORECAST: return "picked by the forecast";
    case SPMVCAST_BY_TRIAL: return "the fastest of a trial";
    case SPMVCAST_BY_NAME:
        return s->options.config[0] ? "set by -mat_spmvcast_config" : "as in the matrix that it is a duplicate of";
    case SPMVCAST_BY_PLAN: /* not asked for */
    case SPMVCAST_BY_RULE: break;
    }
    return s->handle.device.profile ? "default: few products, or the profile ranks nothing"
           : s->options.gpu         ? "default: no profile of this GPU"
                                    : "default: no profile of this CPU";
}

static PetscErrorCode say_gpu(const struct spmvcast_mat *s, char *text, size_t bytes)
{
    const struct gpu_costs *before = &s->costs, *c = &s->handle.costs;
    PetscFunctionBegin;
    PetscCall(PetscSNPrintf(text, bytes,
                            "  %s: products %.3g ms, %" PRId64 " copies of x and y (%" PRId64
                            " bytes) %.3g ms, copies of the matrix %.3g ms\n",
                            s->handle.device.name, 1e3 * (before->multiply_s + c->multiply_s),
                            before->copies + c->copies, before->bytes + c->bytes, 1e3 * (before->copy_s + c->copy_s),
                            1e3 * s->upload_s));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode print_view(Mat A, const struct spmvcast_mat *s)
{
    const struct handle *h = &s->handle;
    const spmvcast_matrix_info *i = &h->info;
    const MPI_Comm comm = PetscObjectComm((PetscObject)A);
    const char *name = ((PetscObject)A)->name ? ((PetscObject)A)->name : "matrix";
    PetscFunctionBegin;
    if (!h->matrix) {
        PetscCall(PetscPrintf(comm, "spmvcast: %s, %" PetscInt_FMT " x %" PetscInt_FMT ": no products\n", name,
                              A->rmap->n, A->cmap->n));
        PetscFunctionReturn(PETSC_SUCCESS);
    }
    char forecast[256] = "", gpu[512] = "";
    if (i->time_s > 0)
        PetscCall(PetscSNPrintf(forecast, sizeof forecast,
                                "  forecast of a product %.3g us (%.3g to %.3g), profile %s\n", 1e6 * i->time_s,
                                1e6 * i->low_s, 1e6 * i->high_s, h->device.profile));
    if (s->options.gpu)
        PetscCall(say_gpu(s, gpu, sizeof gpu));
    /* in one piece: blocks of several ranks are printed at once */
    PetscCall(PetscPrintf(
        comm,
        "spmvcast: %s, %" PetscInt_FMT " x %" PetscInt_FMT ": %s (%s)\n%s  %" PetscInt_FMT
        " choice%s took %.3g ms, conversion and preparation %.3g ms, %" PRId64 " update%s of values %.3g ms\n  %" PRId64
        " products, %" PRId64 " bytes of matrix data besides AIJ's\n%s",
        name, A->rmap->n, A->cmap->n, i->config, why_chosen(s), forecast, s->choices, s->choices == 1 ? "" : "s",
        1e3 * s->choice_s, 1e3 * s->convert_s, s->updates, s->updates == 1 ? "" : "s", 1e3 * s->update_s,
        s->products + h->products, i->extra_bytes, gpu));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SeqDismiss(Mat A)
{
    PetscFunctionBegin;
    PetscCall(have_state(A));
    struct spmvcast_mat *s = of(A);
    if (s->view)
        PetscCall(print_view(A, s));
    release(s);
    A->ops->destroy = s->aij.destroy;
    A->ops->duplicate = s->aij.duplicate;
    A->ops->assemblyend = s->aij.assemblyend;
    A->ops->mult = s->aij.mult;
    A->ops->multadd = s->aij.multadd;
    PetscCall(PetscObjectComposeFunction((PetscObject)A, RETRIEVE, s->aij.retrieve));
    PetscCall(PetscFree(s->prefix));
    PetscCall(PetscFree(s));
    A->spptr = NULL;
    PetscCall(PetscObjectComposeFunction((PetscObject)A, TO_AIJ, NULL));
    PetscCall(PetscObjectComposeFunction((PetscObject)A, FROM_AIJ, NULL));
    PetscCall(PetscObjectChangeTypeName((PetscObject)A, MATSEQAIJ));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SeqSetPrefix(Mat A, const char *prefix)
{
    PetscFunctionBegin;
    PetscCall(have_state(A));
    PetscCall(PetscFree(of(A)->prefix));
    PetscCall(PetscStrallocpy(prefix ? prefix : "", &of(A)->prefix));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatDestroy_SeqAIJSpmvcast(Mat A)
{
    PetscFunctionBegin;
    PetscCall(SeqDismiss(A));
    PetscCall((*A->ops->destroy)(A));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TypeConvert(Mat A, MatReuse reuse, Mat *B, PetscErrorCode (*turn)(Mat))
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
    return TypeConvert(A, reuse, B, SeqDismiss);
}

static PetscErrorCode MatConvert_SeqAIJ_SeqAIJSpmvcast(Mat A, MatType type, MatReuse reuse, Mat *B)
{
    (void)type;
    return TypeConvert(A, reuse, B, SeqAdopt);
}

PetscErrorCode SeqAdopt(Mat A)
{
    static struct aij aij; /* of the matrix adopted last */
    struct spmvcast_mat *s;
    PetscFunctionBegin;
    PetscCall(PetscNew(&s));
    if (A->ops->destroy != MatDestroy_SeqAIJSpmvcast) {
        aij = (struct aij){ .destroy = A->ops->destroy,
                            .duplicate = A->ops->duplicate,
                            .assemblyend = A->ops->assemblyend,
                            .mult = A->ops->mult,
                            .multadd = A->ops->multadd };
        PetscCall(PetscObjectQueryFunction((PetscObject)A, RETRIEVE, &aij.retrieve));
    }
    s->aij = aij;
    A->spptr = s;
    A->ops->destroy = MatDestroy_SeqAIJSpmvcast;
    A->ops->duplicate = MatDuplicate_SeqAIJSpmvcast;
    A->ops->assemblyend = MatAssemblyEnd_SeqAIJSpmvcast;
    A->ops->mult = MatMult_SeqAIJSpmvcast;
    A->ops->multadd = MatMultAdd_SeqAIJSpmvcast;
    PetscCall(PetscObjectComposeFunction((PetscObject)A, TO_AIJ, MatConvert_SeqAIJSpmvcast_SeqAIJ));
    PetscCall(PetscObjectComposeFunction((PetscObject)A, FROM_AIJ, MatConvert_SeqAIJ_SeqAIJSpmvcast));
    PetscCall(PetscObjectComposeFunction((PetscObject)A, RETRIEVE, MatRetrieveValues_SeqAIJSpmvcast));
    PetscCall(PetscObjectChangeTypeName((PetscObject)A, SEQ_TYPE));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatCreate_SeqAIJSpmvcast(Mat A)
{
    PetscFunctionBegin;
    PetscCall(MatSetType(A, MATSEQAIJ));
    if (!A->spptr) /* else -mat_seqaij_type did it */
        PetscCall(SeqAdopt(A));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc calls this when it has loaded the library. */
PETSC_EXTERN PetscErrorCode PetscDLLibraryRegister_spmvcast_petsc(void);
PetscErrorCode PetscDLLibraryRegister_spmvcast_petsc(void)
{
    PetscFunctionBegin;
    PetscCall(MatInitializePackage());
    PetscCall(PetscLogEventRegister("SpmvcastSetUp", MAT_CLASSID, &setup_event));
    PetscCall(RuntimeOpen());
    PetscCall(MatRegisterRootName(ROOT_TYPE, SEQ_TYPE, MPI_TYPE));
    PetscCall(MatRegister(SEQ_TYPE, MatCreate_SeqAIJSpmvcast));
    PetscCall(MatRegister(MPI_TYPE, MatCreate_MPIAIJSpmvcast));
    PetscCall(MatSeqAIJRegister(SEQ_TYPE, MatConvert_SeqAIJ_SeqAIJSpmvcast));
    PetscCall(PetscRegisterFinalize(RuntimeClose));
    PetscFunctionReturn(PETSC_SUCCESS);
}
