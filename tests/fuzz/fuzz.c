/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs fuzz targets. With FUZZ=name: the entry of libFuzzer for that target. Without:
 *   fuzz list                      prints name, share and sources of each target
 *   fuzz split SEEDS FOLDER        writes each seed of a file to a file of its own; lines "====" separate seeds
 *   fuzz TARGET SEEDS N SEED       runs each seed, then N inputs that mutations make of them; prints their number
 *   fuzz TARGET -r FILE...         runs each file
 * An input that ends the process is left in crash-TARGET, in the current directory. */
#include "fuzz.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/strings.h"

/* ---- for the targets */

const char *fuzz_file(const void *data, size_t size)
{
    static char path[64];
    static int fd = -1;
    if (fd < 0) {
        fd = memfd_create("fuzz", MFD_CLOEXEC);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    }
    if (fd < 0 || ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
        die("cannot write a file in memory:");
    return path;
}

static char folder[64];
static void remove_folder(void)
{
    char *command = xasprintf("rm -rf %s", folder);
    if (system(command))
        complain("cannot remove %s", folder);
    free(command);
}

const char *fuzz_folder(void)
{
    if (!folder[0]) {
        snprintf(folder, sizeof folder, "%s", access("/dev/shm", W_OK) ? "/tmp/fuzz.XXXXXX" : "/dev/shm/fuzz.XXXXXX");
        if (!mkdtemp(folder) || atexit(remove_folder))
            die("cannot make %s:", folder);
    }
    return folder;
}

/* ---- running one input */

typedef void target(const uint8_t *, size_t);

static void run(target *of, const uint8_t *data, size_t size)
{
    static struct error_trap trap; /* warnings and notes are silent */
    memset(&trap, 0, sizeof trap);
    if (setjmp(trap.back)) {
        error_set_trap(NULL);
        FUZZ_MUST(trap.code == OOM || trap.code == EXIT_USAGE, "%s", trap.why);
        return;
    }
    error_set_trap(&trap);
    of(data, size);
    error_set_trap(NULL);
}

#ifdef FUZZ
#define CALLED(name) fuzz_##name
#define CALL(name) CALLED(name)
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    run(CALL(FUZZ), data, size);
    return 0;
}
#else

/* ---- without libFuzzer: seeds and mutations of them */

enum { SEEDS = 1024, LONGEST = 1 << 16 };
static struct {
    const char *name, *sources;
    int share;
    target *run;
} targets[] = {
#define FUZZ_TARGET(name, share, sources) { #name, sources, share, fuzz_##name },
#include "targets.def"
#undef FUZZ_TARGET
};
enum { TARGETS = sizeof targets / sizeof targets[0] };

struct input {
    size_t size;
    uint8_t data[LONGEST];
};
static struct input now; /* the one that runs */
static char crash[64];

static uint64_t state; /* of splitmix64 */
static uint64_t draw(uint64_t below)
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (z ^ z >> 31) % below;
}

/* Replaces n bytes at `at` by m others, if they fit. */
static void replace(struct input *in, size_t at, size_t n, const void *with, size_t m)
{
    if (in->size - n + m > LONGEST)
        return;
    memmove(in->data + at + m, in->data + at + n, in->size - at - n);
    memcpy(in->data + at, with, m);
    in->size += m - n;
}

static void mutate(struct input *in, const char *const *seed, int seeds)
{
    static const char *const words[] = { "0",
                                         "-1",
                                         "1",
                                         "2147483647",
                                         "2147483648",
                                         "9223372036854775807",
                                         "18446744073709551616",
                                         "1e308",
                                         "nan",
                                         "inf",
                                         "1e-320",
                                         "-0",
                                         "0.5",
                                         "",
                                         " ",
                                         "\t",
                                         "\n",
                                         "\r",
                                         ",",
                                         "=",
                                         ":",
                                         "auto",
                                         "-",
                                         "%",
                                         "*",
                                         "..",
                                         "\xff",
                                         "99999999999999999999" };
    static uint8_t piece[LONGEST + 1];
    const size_t at = draw(in->size + 1), left = in->size - at, n = left ? draw(left < 24 ? left : 24) : 0;
    const char *other = seed[draw((uint64_t)seeds)], *word = words[draw(sizeof words / sizeof words[0])];
    const uint8_t byte = (uint8_t)draw(256);
    switch (draw(6)) {
    case 0: replace(in, at, left > 0, &byte, 1); break;
    case 1: replace(in, at, n, "", 0); break;
    case 2: replace(in, at, draw(2) ? n : 0, word, strlen(word)); break;
    case 3: /* a number, or what looks like one */
        memcpy(piece, in->data + at, left);
        piece[left] = 0;
        replace(in, at, strspn((const char *)piece, "0123456789.e+-"), word, strlen(word));
        break;
    case 4: /* a part of itself, again */
        memcpy(piece, in->data + at, n);
        replace(in, draw(in->size + 1), 0, piece, n);
        break;
    default: { /* a part of another seed */
        const size_t length = strlen(other), from = draw(length + 1), m = draw(length - from + 1);
        replace(in, at, n, other + from, m < 200 ? m : 200);
    }
    }
}

static void leave(int signal)
{
    const int fd = open(crash, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (fd < 0 || write(fd, now.data, now.size) < 0)
        _exit(128 + signal);
    _exit(128 + signal);
}

static void read_input(const char *path, struct input *in)
{
    FILE *f = fopen(path, "r");
    in->size = f ? fread(in->data, 1, LONGEST, f) : 0;
    if (!f || ferror(f))
        die("cannot read %s:", path);
    fclose(f);
}

/* Cuts the file in place into texts, at lines "====". */
static int read_seeds(const char *path, const char *seed[SEEDS])
{
    struct stat facts;
    FILE *f = fopen(path, "r");
    if (!f || fstat(fileno(f), &facts))
        die("cannot read %s:", path);
    char *text = xcalloc((unsigned long)facts.st_size + 1, 1), *next = text;
    int n = 0;
    if (fread(text, 1, (size_t)facts.st_size, f) != (size_t)facts.st_size || fclose(f))
        die("cannot read %s:", path);
    while (next && n < SEEDS) {
        seed[n++] = next;
        if ((next = strstr(next, "====\n"))) {
            *next = 0;
            next += strlen("====\n");
        }
    }
    return n;
}

static void split(const char *path, const char *to)
{
    const char *seed[SEEDS];
    const int n = read_seeds(path, seed);
    for (int i = 0; i < n; i++) {
        char *name = xasprintf("%s/%04d", to, i);
        FILE *f = fopen(name, "w");
        if (!f || fputs(seed[i], f) < 0 || fclose(f))
            die("cannot write %s:", name);
        free(name);
    }
    free((void *)(uintptr_t)seed[0]);
}

static void sample(target *of, const char *name, const char *path, int64_t n, int64_t from)
{
    const char *seed[SEEDS];
    const int seeds = read_seeds(path, seed);
    state = (uint64_t)from;
    for (int64_t i = 0; i < seeds + n; i++) {
        const char *text = seed[i < seeds ? (uint64_t)i : draw((uint64_t)seeds)];
        now.size = strlen(text) < LONGEST ? strlen(text) : LONGEST;
        memcpy(now.data, text, now.size);
        for (uint64_t k = i < seeds ? 0 : 1 + draw(4); k > 0; k--)
            mutate(&now, seed, seeds);
        run(of, now.data, now.size);
    }
    printf("%s\t%ld\n", name, (long)(seeds + n));
    free((void *)(uintptr_t)seed[0]);
}

int main(int argc, char **argv)
{
    int64_t n, from;
    error_program("fuzz");
    if (argc == 2 && strcmp(argv[1], "list") == 0)
        for (int i = 0; i < TARGETS; i++)
            printf("%s\t%d\t%s\n", targets[i].name, targets[i].share, targets[i].sources);
    else if (argc == 4 && strcmp(argv[1], "split") == 0)
        split(argv[2], argv[3]);
    else {
        int k = 0;
        while (k < TARGETS && argc > 2 && strcmp(targets[k].name, argv[1]) != 0)
            k++;
        if (argc < 4 || k == TARGETS)
            usage_die("unknown arguments");
        snprintf(crash, sizeof crash, "crash-%s", argv[1]);
        signal(SIGABRT, leave);
        if (strcmp(argv[2], "-r") == 0)
            for (int i = 3; i < argc; i++) {
                read_input(argv[i], &now);
                run(targets[k].run, now.data, now.size);
            }
        else if (argc == 5 && parse_int(argv[3], 0, INT64_MAX, &n) == 0 && parse_int(argv[4], 0, INT64_MAX, &from) == 0)
            sample(targets[k].run, argv[1], argv[2], n, from);
        else
            usage_die("unknown arguments");
    }
    return 0;
}
#endif
