/* SPDX-License-Identifier: BSD-3-Clause */
/* Launches the parts of a composite separately on the CPU back-end: the head sets y, the tail adds to it, and the
 * result equals the product of the whole. "hyb parts" prints "ok parts, N checks" or fails. */
#include "backend/backend.h"
#include "layout_cases.h"

static long checks;
#define CHECK(what)                                        \
    do {                                                   \
        checks++;                                          \
        if (!(what))                                       \
            die("%s: line %d: %s", text, __LINE__, #what); \
    } while (0)

static void launch(const struct launch *l, const double *x, double *y, enum y_mode mode)
{
    if (l->run(l->prepared, x, y, mode, NULL) != 0)
        die("a launch failed");
}

/* All values are small integers, so that sums are exact in any order. */
static void check(const struct csr *a, const char *text, bool head, bool tail)
{
    const struct csr_view view = csr_view_all(a);
    const struct target t = target_of(F64, DEVICE_CPU);
    struct features f;
    struct config c;
    struct device *d;
    struct storage *l;
    struct launch prepared = { 0 };
    double x[100], whole[200], y[200];
    char why[ERRLEN];

    features_of(a, &f);
    config_for(text, &f, &t, &c);
    struct storage *s = storage_build(text, &view, &c, &t);
    if (backend_cpu.open(0, &d, why) || backend_cpu.upload(d, s, &l, why)
        || backend_cpu.prepare(d, l, &c, &prepared, why))
        die("%s", why);
    for (int64_t j = 0; j < a->cols; j++)
        x[j] = (double)(j % 5 + 1);
    launch(&prepared, x, whole, Y_SET);
    CHECK((backend_cpu.part(&c, &prepared, 0) == 0) == head);
    if (head)
        launch(&prepared, x, y, Y_SET);
    else
        memset(y, 0, sizeof y);
    CHECK(head == false || !tail || memcmp(y, whole, (size_t)a->rows * sizeof *y) != 0);
    CHECK((backend_cpu.part(&c, &prepared, 1) == 0) == tail);
    if (tail)
        launch(&prepared, x, y, head ? Y_SET : Y_ADD); /* after a head the tail adds even with Y_SET */
    CHECK(memcmp(y, whole, (size_t)a->rows * sizeof *y) == 0);
    CHECK(backend_cpu.part(&c, &prepared, 2) == FAIL);
    CHECK(backend_cpu.part(&c, &prepared, -1) == 0);
    memset(y, 0, sizeof y);
    launch(&prepared, x, y, Y_SET);
    CHECK(memcmp(y, whole, (size_t)a->rows * sizeof *y) == 0);
    backend_cpu.unprepare(&c, &prepared);
    CHECK(l == s);
    storage_free(l);
    backend_cpu.close(d);
    storage_free(s);
    features_free(&f);
}

int main(int argc, char **argv)
{
    static const struct shape uneven = { "gaps", 200, 100, gaps, false, false };
    struct csr a;

    error_program("hyb");
    if (argc != 2 || strcmp(argv[1], "parts") != 0)
        die("hyb parts");
    shape_make(&uneven, &a);
    for (int64_t k = 0; k < a.nnz; k++)
        a.val[k] = (double)(k % 7 - 3);
    check(&a, "hyb:k=2", true, true);
    check(&a, "hyb:k=1,head=csr-scalar,tail=csr-vector", true, true);
    check(&a, "hyb:k=0,tail=csr-vector", false, true);
    check(&a, "hyb:k=9", true, false);
    csr_free(&a);
    printf("ok parts, %ld checks\n", checks);
    return EXIT_OK;
}
