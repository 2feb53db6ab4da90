/* SPDX-License-Identifier: BSD-3-Clause */
/* Damages copies of an archive many times and compares spmv-check and the programs that read it with h5dump, which
 * does not use our code.
 *     damage LABEL FILE N SEED EVERY [COMMAND...]
 * LABEL names the row and, with SEED, determines the random numbers; a label ending in "-plain" marks a file whose
 * values have no checksums. Each COMMAND is a line of words with @ for the file; it runs on every EVERY-th damaged
 * copy. Works in the current directory and leaves the missed and crashing copies there. Prints for each sort of damage:
 *   n          damaged copies
 *   caught     rejected by spmv-check
 *   same       accepted, and h5dump prints the same as for the intact file
 *   unseen     accepted, and data without checksums differ (-plain)
 *   missed     accepted, but the file differs; or spmv-check and a program disagree about it
 *   crashed    one of our programs ended with a signal or a status of at least 128, or did not end within 60 s
 *   in_child   caught because HDF5 or the reader crashed in the child process that inspects the file
 * Exits with 1 if a copy was missed or crashed a program. */
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/hash.h"

enum { FLIP, CUT, ZERO, SORTS, BATCH = 64, WORDS = 40, PAGE = 4096, SECONDS = 60 };
static const char *const sorts[SORTS] = { "flip", "cut", "zero" };

struct damage {
    int sort;
    bool passed, crashed_inside, identical;
    char file[32];
};

static const char *label;
static bool plain;
static unsigned char *whole;
static size_t size;
static char dumped[65]; /* hash of h5dump's output for the undamaged file */
static long count[SORTS], caught[SORTS], same[SORTS], unseen[SORTS], missed[SORTS], crashed[SORTS], inside[SORTS];

/* ---- random numbers: splitmix64 ---- */
static uint64_t state;
static uint64_t draw(void)
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* ---- programs ---- */

/* Runs a command with its output in the file `to` (NULL: discarded). Returns the exit status, or 128 + the signal. */
static int run(char *const *words, const char *to)
{
    fflush(stdout);
    const pid_t pid = fork();
    if (pid < 0)
        die("fork:");
    if (pid == 0) {
        const int out = open(to ? to : "/dev/null", O_WRONLY | O_CREAT | O_TRUNC, 0666),
                  in = open("/dev/null", O_RDONLY);
        dup2(in, STDIN_FILENO);
        dup2(out, STDOUT_FILENO);
        dup2(out, STDERR_FILENO);
        alarm(SECONDS);
        execvp(words[0], words);
        _exit(127);
    }
    int status;
    if (waitpid(pid, &status, 0) != pid)
        die("waitpid:");
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Gives the SHA-256 of the output of h5dump without the line with the file name; "" if h5dump fails. */
static void dump(const char *file, char sha256[65])
{
    char *words[] = { "h5dump", (char *)(uintptr_t)file, NULL }, line[1 << 12];
    sha256[0] = 0;
    if (run(words, "dumped"))
        return;
    FILE *f = fopen("dumped", "r");
    struct hash *hash = hash_begin();
    for (bool first = true; f && fgets(line, sizeof line, f);) {
        if (!first)
            hash_add(hash, line, strlen(line));
        first &= !strchr(line, '\n');
    }
    hash_end(hash, sha256);
    if (f)
        fclose(f);
}

/* Runs a command with @ at the end of a word replaced by the file; returns its status as run() does. out.h5, which
 * commands may write, does not exist before. */
static int run_command(const char *command, const char *file)
{
    char *text = xstrdup(command), *words[WORDS + 1] = { NULL };
    int n = 0;
    for (char *word = strtok(text, " "); word && n < WORDS; word = strtok(NULL, " ")) {
        const size_t at = strcspn(word, "@");
        words[n++] = xasprintf("%.*s%s", (int)at, word, word[at] ? file : "");
    }
    unlink("out.h5");
    const int status = run(words, NULL);
    for (int i = 0; i < n; i++)
        free(words[i]);
    free(text);
    return status;
}

/* ---- a damaged copy ---- */

static void write_copy(struct damage *d)
{
    unsigned char *copy = xmalloc(size);
    size_t n = size;
    memcpy(copy, whole, size);
    if (d->sort == FLIP)
        copy[draw() % size] ^= (unsigned char)(1 + draw() % 255);
    else if (d->sort == CUT)
        n = draw() % size;
    else {
        const size_t at = draw() % ((size + PAGE - 1) / PAGE) * PAGE;
        memset(copy + at, 0, size - at < PAGE ? size - at : PAGE);
    }
    d->identical = n == size && memcmp(copy, whole, size) == 0;
    FILE *f = fopen(d->file, "w");
    if (!f || fwrite(copy, 1, n, f) != n || fclose(f))
        die("cannot write %s:", d->file);
    free(copy);
}

static void keep(const struct damage *d, const char *what)
{
    static int kept;
    char *name = xasprintf("%s-%s-%d.h5", what, sorts[d->sort], kept++);
    if (kept < 20 && rename(d->file, name) == 0)
        complain("%s: %s, kept as %s", label, what, name);
    free(name);
}

/* Takes the verdict on a damaged copy from its line in the output of spmv-check. */
static void take_verdict(struct damage *d, const char *output)
{
    char line[2048], status[32];
    FILE *f = fopen(output, "r");
    const size_t n = strlen(d->file);
    bool found = false;
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, d->file, n) == 0 && line[n] == '\t'
            && sscanf(line + n, "%*s %*s %*s %*s %31s", status) == 1) {
            found = true;
            d->passed = strcmp(status, "ok") == 0;
            d->crashed_inside = strstr(line, "crashes") != NULL;
        }
    if (f)
        fclose(f);
    if (!found)
        die("spmv-check printed no line for %s", d->file);
}

/* Runs spmv-check on n copies in one call, or on each separately if that call crashes. */
static void check(struct damage *d, int n)
{
    char *words[BATCH + 2] = { "spmv-check" };
    for (int i = 0; i < n; i++)
        words[i + 1] = d[i].file;
    words[n + 1] = NULL;
    const int status = run(words, "checked");
    if (status < 128) {
        for (int i = 0; i < n; i++)
            take_verdict(&d[i], "checked");
    } else if (n > 1) {
        for (int i = 0; i < n; i++)
            check(d + i, 1);
    } else {
        crashed[d->sort]++;
        keep(d, "crashed");
    }
}

static void judge(const struct damage *d)
{
    char sha256[65];
    inside[d->sort] += d->crashed_inside;
    if (!d->passed) {
        caught[d->sort]++;
        return;
    }
    if (!d->identical)
        dump(d->file, sha256);
    if (d->identical || strcmp(sha256, dumped) == 0)
        same[d->sort]++;
    else if (plain)
        unseen[d->sort]++;
    else {
        missed[d->sort]++;
        keep(d, "missed");
    }
}

static void give_to(const struct damage *d, const char *command)
{
    const int status = run_command(command, d->file);
    if (status >= 127) {
        crashed[d->sort]++;
        complain("%s: status %d of %s", label, status, command);
        keep(d, "crashed");
    } else if ((status == 0) != d->passed) {
        missed[d->sort]++;
        complain("%s: spmv-check %s it, status %d of %s", label, d->passed ? "passes" : "refuses", status, command);
        keep(d, "missed");
    }
}

static void read_whole(const char *path)
{
    FILE *f = fopen(path, "r");
    struct stat facts;
    if (!f || fstat(fileno(f), &facts) || facts.st_size < 1)
        die("cannot read %s:", path);
    size = (size_t)facts.st_size;
    whole = xmalloc(size);
    if (fread(whole, 1, size, f) != size || fclose(f))
        die("cannot read %s:", path);
    dump(path, dumped);
    if (!dumped[0])
        die("h5dump does not read %s", path);
}

int main(int argc, char **argv)
{
    struct damage d[BATCH];
    char hex[65];
    long worst = 0;

    error_program("damage");
    if (argc < 6)
        usage_die("usage: damage LABEL FILE N SEED EVERY [COMMAND...]");
    label = argv[1];
    plain = strlen(label) > 6 && strcmp(label + strlen(label) - 6, "-plain") == 0;
    const long n = atol(argv[3]), every = atol(argv[5]);
    char *seed = xasprintf("%s %s", argv[4], label);
    hash_string(seed, hex);
    free(seed);
    hex[16] = 0;
    state = strtoull(hex, NULL, 16);
    read_whole(argv[2]);
    for (int k = 6; k < argc; k++)
        if (run_command(argv[k], argv[2]))
            die("%s: the whole file is refused by %s", label, argv[k]);
    for (long done = 0; done < n;) {
        int batch = 0;
        for (; batch < BATCH && done + batch < n; batch++) {
            d[batch] = (struct damage){ .sort = (int)((done + batch) % SORTS) };
            snprintf(d[batch].file, sizeof d[batch].file, "d%02d.h5", batch);
            write_copy(&d[batch]);
        }
        check(d, batch);
        for (int i = 0; i < batch; i++) {
            count[d[i].sort]++;
            judge(&d[i]);
            for (int k = 6; k < argc && (done + i) % every == 0 && !access(d[i].file, F_OK); k++)
                give_to(&d[i], argv[k]);
            unlink(d[i].file);
        }
        done += batch;
    }
    for (int s = 0; s < SORTS; s++) {
        printf("%s\t%s\t%ld\t%ld\t%ld\t%ld\t%ld\t%ld\t%ld\t%s\n", label, sorts[s], count[s], caught[s], same[s],
               unseen[s], missed[s], crashed[s], inside[s], argv[4]);
        worst += missed[s] + crashed[s];
    }
    free(whole);
    return worst > 0;
}
