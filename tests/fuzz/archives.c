/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 archives and Binsparse files: a child changes values, attributes or links of FILES files KIND*.h5 of the current directory as
 * the input, taken as a random number, says, renews checksums and digest, and reads them as programs do, but judges one in four
 * only, and in the same process (base/isolate.h); if that crashes, they are read again as by programs. Prints at the end how many were read and how many refused. */
#include <glob.h>
#include <math.h>
#include <omp.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#define main h5_damage_main
#include "../c/h5_damage.c"
#undef main
#include "archive/archive.h"
#include "base/isolate.h"
#include "formats/format.h"
#include "fuzz.h"
#include "input/matrix.h"
#include "matrix/features.h"
#include "models/costs.h"
#include "models/model.h"
#include "profile/profile.h"
#include "runs/rows.h"
#include "verify/contents.h"

enum { OBJECTS = 1024, FILES = 32, LARGE = 40000, SECONDS = 60, ROWS = 1 << 14 };
void __lsan_do_leak_check(void) __attribute__((weak));
char *__llvm_profile_begin_counters(void) __attribute__((weak));
char *__llvm_profile_end_counters(void) __attribute__((weak));

static uint64_t state;
static uint64_t draw(uint64_t below)
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (z ^ z >> 31) % below;
}

/* ---- changes */

struct objects {
    int n;
    char *name[OBJECTS];
};

static herr_t note_object(hid_t root, const char *name, const H5O_info_t *info, void *all)
{
    struct objects *o = all;
    (void)root;
    (void)info;
    if (o->n < OBJECTS)
        o->name[o->n++] = xstrdup(name);
    return 0;
}

static void change_integer(char *at, size_t bytes)
{
    static const int64_t values[] = { 0,     -1,        1,         2,         127,       255,
                                      65536, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, INT64_C(1) << 40 };
    int64_t v;
    if (bytes > sizeof v)
        return;
    memcpy(&v, at, bytes);
    if (draw(3))
        v = values[draw(sizeof values / sizeof values[0])];
    else
        v = (int64_t)((uint64_t)v + draw(7) - 3);
    memcpy(at, &v, bytes);
}

static void change_real(char *at, size_t bytes)
{
    static const double values[] = { 0, -1, 1, 1e-320, 1e308, -1e308, 0x1p63, 1e20, INFINITY, -INFINITY, NAN, 0.5 };
    const double v = values[draw(sizeof values / sizeof values[0])];
    const float f = (float)v;
    if (bytes == sizeof v)
        memcpy(at, &v, bytes);
    else if (bytes == sizeof f)
        memcpy(at, &f, bytes);
}

static void change_text(char *at, size_t bytes)
{
    static const char *const values[] = { "",           "auto",     "nan",     "-1",   "99999999999",
                                          "csr-scalar", "\xff\xfe", "a:b=c,d", "../x", "\t\n" };
    const size_t n = strnlen(at, bytes), k = draw(bytes);
    const char *v = values[draw(sizeof values / sizeof values[0])];
    switch (draw(5)) {
    case 0: memset(at, 'A', bytes); break; /* no NUL */
    case 1: at[n ? draw(n) : 0] = (char)draw(256); break;
    case 2: at[n ? draw(n) : 0] = (char)('0' + draw(10)); break;
    case 3: memset(at + k, 0, bytes - k); break;
    default: memset(at, 0, bytes); memcpy(at, v, strlen(v) < bytes ? strlen(v) : bytes);
    }
}

static void change_element(hid_t type, char *data, size_t elements)
{
    const size_t bytes = H5Tget_size(type);
    char *at = data + bytes * draw(elements), *other = data + bytes * draw(elements);
    if (draw(4) == 0)
        memmove(at, other, bytes);
    else if (H5Tget_class(type) == H5T_INTEGER)
        change_integer(at, bytes);
    else if (H5Tget_class(type) == H5T_FLOAT)
        change_real(at, bytes);
    else if (H5Tget_class(type) == H5T_STRING)
        change_text(at, bytes);
}

static void change_dataset(hid_t set)
{
    const hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    const hssize_t n = H5Sget_simple_extent_npoints(space);
    if (n > 0 && H5Tis_variable_str(type) <= 0) {
        char *data = xcalloc((unsigned long)n, H5Tget_size(type));
        if (H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0) {
            for (uint64_t k = 1 + draw(3); k > 0; k--)
                change_element(type, data, (size_t)n);
            H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
        }
        free(data);
    }
    if (draw(16) == 0 && H5Sget_simple_extent_ndims(space) == 1) {
        const hsize_t other = (hsize_t)n + draw(3) - 1;
        H5Dset_extent(set, &other);
    }
    H5Sclose(space);
    H5Tclose(type);
}

static void change_attribute(hid_t object)
{
    const int n = H5Aget_num_attrs(object);
    if (n <= 0)
        return;
    const hid_t a =
        H5Aopen_by_idx(object, ".", H5_INDEX_NAME, H5_ITER_INC, draw((uint64_t)n), H5P_DEFAULT, H5P_DEFAULT);
    const hid_t type = H5Aget_type(a), space = H5Aget_space(a);
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    char *data = xcalloc((count > 0 ? (size_t)count : 0) * H5Tget_size(type) + 1, 1), *text = NULL;
    if (H5Tis_variable_str(type) > 0) {
        if (count == 1 && H5Aread(a, type, &text) >= 0 && text) {
            if (*text)
                change_text(text, strlen(text));
            H5Awrite(a, type, &text);
            H5free_memory(text);
        }
    } else if (count > 0 && H5Tdetect_class(type, H5T_VLEN) == 0 && H5Aread(a, type, data) >= 0) {
        change_element(type, data, 1);
        H5Awrite(a, type, data);
    }
    free(data);
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(a);
}

static void change(hid_t file, const struct objects *o)
{
    const char *name = o->name[draw((uint64_t)o->n)];
    const hid_t object = H5Oopen(file, name, H5P_DEFAULT);
    const H5I_type_t kind = H5Iget_type(object);
    if (draw(40) == 0 && strcmp(name, ".") != 0)
        H5Ldelete(file, name, H5P_DEFAULT);
    else if (kind == H5I_DATASET && draw(8))
        change_dataset(object);
    else
        change_attribute(object);
    H5Oclose(object);
}

static herr_t visit_objects(hid_t file, struct objects *o)
{
#if H5_VERSION_GE(1, 12, 0)
    return H5Ovisit3(file, H5_INDEX_NAME, H5_ITER_INC, note_object, o, H5O_INFO_BASIC);
#else
    return H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, note_object, o);
#endif
}

static void copy(const char *from, const char *to)
{
    static char data[1 << 20];
    FILE *in = fopen(from, "r"), *out = fopen(to, "w");
    const size_t n = in ? fread(data, 1, sizeof data, in) : 0;
    if (!out || fwrite(data, 1, n, out) != n || fclose(out) || fclose(in))
        die("cannot copy %s:", from);
}

/* Returns false if the input changed nothing that HDF5 accepts. */
static bool make(const char *from, const char *to)
{
    struct objects o = { 0 };
    const bool is_signed = digest_there(from);
    copy(from, to);
    h5_quiet();
    hid_t file = H5Fopen(to, H5F_ACC_RDWR, H5P_DEFAULT);
    if (file < 0 || visit_objects(file, &o) < 0)
        return false;
    for (uint64_t k = 1 + draw(3); k > 0; k--)
        change(file, &o);
    for (int i = 0; i < o.n; i++)
        free(o.name[i]);
    H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, NULL, sign_table, NULL);
    if (H5Fclose(file) < 0)
        return false;
    if (is_signed)
        add_digest(to);
    return true;
}

/* ---- readers: 0 or a negative status */

static int read_matrix(const char *path, char why[ERRLEN])
{
    struct matrix_header h;
    struct matrix m;
    int status = matrix_peek(path, &h, why);
    if (status == 0 && h.rows <= ROWS && h.cols <= ROWS && (status = matrix_read(path, &m, why)) == 0) {
        FUZZ_MUST(csr_check(&m.csr, why) == 0, "%s", why);
        FUZZ_MUST(m.csr.rows == h.rows && m.csr.cols == h.cols, "header");
        matrix_free(&m);
    }
    return status;
}

static int read_runs(const char *path, char why[ERRLEN])
{
    struct runs runs = { 0 };
    const int status = runs_load(path, &runs, why);
    if (status == 0) {
        runs_newest(&runs, NEWEST_OF_ALL);
        runs_index(&runs);
        for (int64_t i = 0; i < runs.nrows; i++)
            (void)runs_plan_of(&runs, &runs.rows[i]);
        free(runs_rank_matrices(&runs, true));
    }
    runs_free(&runs);
    return status;
}

static void forecast_all(const struct profile *p)
{
    static const char *const configs[] = { "csr-vector:lanes=4", "ell", "coo", "sell", "hyb", "cusparse-csr" };
    int64_t length[] = { 3, 70 }, count[] = { 4000, 17 };
    struct features f = { .rows = 4017, .cols = 5000, .nnz = 13190, .lengths = { { 2, length, count } } };
    const struct model *m;
    char why[ERRLEN];
    for (int g = 1; g < GROUPS; g++)
        f.lengths[g] = f.lengths[0];
    features_derive(&f);
    for (int key = 0; key < TARGET_KEYS; key++) {
        struct target t = { .device = p->device };
        struct config c;
        struct forecast forecast;
        double cost_s[NCOSTS];
        if (!target_of_key(key, &t))
            continue;
        for (size_t i = 0; i < sizeof configs / sizeof configs[0]; i++) {
            if (config_resolve_text(configs[i], &f, &t, &c, why) || c.kernel->layout->applicable(&f, &c, &t, why))
                continue;
            profile_costs(p, &f, &c, &t, cost_s);
            for (int k = 0; (m = model_at(k)); k++) {
                memset(&forecast, 0, sizeof forecast);
                model_forecast(m, p, &f, &c, &t, &forecast);
                FUZZ_MUST(forecast.status == FORECAST_REFUSED || (isfinite(forecast.time_s) && forecast.time_s > 0),
                          "%s of %s: %g s", m->name, configs[i], forecast.time_s);
            }
        }
    }
}

static int read_profile(const char *path, char why[ERRLEN])
{
    static struct profile p;
    int status = profile_load(path, &p, why);
    if (status)
        return status;
    status = profile_load_trained(&p, why);
    if (status == 0)
        forecast_all(&p);
    profile_free(&p);
    return status;
}

static int read_kind(const char *name, const char *path, char why[ERRLEN])
{
    char kind[32];
    snprintf(kind, sizeof kind, "%.*s", (int)strcspn(name, "-.0123456789"), name);
    return strcmp(kind, "matrix") == 0    ? read_matrix(path, why)
           : strcmp(kind, "run") == 0     ? read_runs(path, why)
           : strcmp(kind, "profile") == 0 ? read_profile(path, why)
                                          : contents_load(kind, path, why);
}

/* ---- children */

static struct shared {
    bool alone;         /* no child judges files */
    long seen, refused; /* files */
} * shared;             /* with children */

int __real_isolate(void (*body)(void *), void *job, size_t bytes, const struct isolate_limits *, char why[ERRLEN]);
int __wrap_isolate(void (*body)(void *), void *job, size_t bytes, const struct isolate_limits *, char why[ERRLEN]);
int __wrap_isolate(void (*body)(void *), void *job, size_t bytes, const struct isolate_limits *limits, char why[ERRLEN])
{
    if (!shared || !shared->alone)
        return __real_isolate(body, job, bytes, limits, why);
    if (draw(4) == 0)
        body(job);
    return 0;
}
int __real_setrlimit(__rlimit_resource_t, const struct rlimit *);
int __wrap_setrlimit(__rlimit_resource_t, const struct rlimit *);
int __wrap_setrlimit(__rlimit_resource_t resource, const struct rlimit *limit)
{
    return shared && shared->alone ? 0 : __real_setrlimit(resource, limit);
}

static void read_changed(const char *from)
{
    char why[ERRLEN] = "nothing that HDF5 accepts", *to = xasprintf("%s/x.h5", fuzz_folder());
    struct archive *a;
    unlink(to); /* the same file was judged before */
    alarm(SECONDS);
    bool read = make(from, to);
    if (read) {
        if (draw(8) == 0 && archive_open(to, NULL, &a, why) == 0) {
            (void)archive_verify(a, why);
            archive_close(a);
        }
        read = read_kind(from, to, why) == 0;
    }
    if (getenv("FUZZ_SHOW"))
        fprintf(stderr, "%s: %s\n", from, read ? "read" : why);
    free(to);
    shared->seen++;
    shared->refused += !read;
}

/* Of large files, which take ten times as long, one in four. */
static const char *draw_file(const glob_t *files)
{
    struct stat facts;
    const char *path;
    do
        path = files->gl_pathv[draw(files->gl_pathc)];
    while (stat(path, &facts) == 0 && facts.st_size > LARGE && draw(4));
    return path;
}

/* Returns the status of a child that reads the files of this state. */
static int in_child(const glob_t *files, bool alone)
{
    int status;
    shared->alone = alone;
    fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0) {
        error_set_trap(NULL);
        for (int i = 0; i < FILES; i++)
            read_changed(draw_file(files));
        if (__lsan_do_leak_check && draw(4) == 0)
            __lsan_do_leak_check();
        _exit(0);
    }
    FUZZ_MUST(pid > 0 && waitpid(pid, &status, 0) == pid, "no child");
    return status;
}

static void *share(void *at, size_t bytes)
{
    void *p = mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | (at ? MAP_FIXED : 0), -1, 0);
    if (p == MAP_FAILED)
        die("cannot share memory:");
    return p;
}

/* Has children count the lines that they reach in memory of this process, which writes the profile: all pages of counters but the
 * first and the last. */
static void share_counters(void)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    if (__llvm_profile_begin_counters && __llvm_profile_end_counters) {
        const uintptr_t from = ((uintptr_t)__llvm_profile_begin_counters() + page - 1) / page * page,
                        to = (uintptr_t)__llvm_profile_end_counters() / page * page;
        share((void *)from, to - from);
    }
}

static void report(void)
{
    fprintf(stderr, "archives: %ld changed files, %ld refused\n", shared->seen, shared->refused);
}

/* Also reads all files, so that children begin with what that leaves in memory. */
static void prepare(glob_t *files)
{
    char why[ERRLEN];
    if (glob("*.h5", 0, NULL, files))
        die("no file *.h5 in the current directory");
    (void)fuzz_folder();
    share_counters();
    shared = share(NULL, sizeof *shared);
    atexit(report);
    H5set_free_list_limits(-1, -1, -1, -1, -1, -1); /* what HDF5 frees is used again: fewer page faults */
    omp_set_num_threads(1);                         /* others would be missing in children */
    for (size_t i = 0; i < files->gl_pathc; i++)
        (void)read_kind(files->gl_pathv[i], files->gl_pathv[i], why);
}

void fuzz_archives(const uint8_t *data, size_t size)
{
    static glob_t files;
    if (!files.gl_pathc)
        prepare(&files);
    state = 1469598103934665603u; /* FNV-1a */
    for (size_t i = 0; i < size; i++)
        state = (state ^ data[i]) * 1099511628211u;
    int status = in_child(&files, true);
    if (status)
        status = in_child(&files, false);
    FUZZ_MUST(status == 0, "a child: status %#x", (unsigned)status);
}
