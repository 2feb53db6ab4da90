/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes, reads and changes logs and locks for the tests.
 *   runlog write RUN FIRST N | endless RUN | read RUN | cut RUN | keep RUN | remove RUN | lock RUN | hold RUN | number RUN */
#include "runs/runlog.h"
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct sample {
    char name[24];
    int64_t count;
    double time_us;
};
static const struct column columns[] = {
    COLUMN_TEXT_OF(struct sample, name, "a name"),
    COLUMN_OF(struct sample, count, COLUMN_I64, "", "a count"),
    COLUMN_OF(struct sample, time_us, COLUMN_F64, "us", "a time"),
};
static const struct schema schema = SCHEMA_OF(struct sample, "samples", columns);

static void check(int status, const char *why)
{
    if (status)
        die("%s", why);
}

static void write_rows(const char *run, int64_t first, int64_t n)
{
    char why[ERRLEN];
    struct runlog *log;

    check(runlog_open(run, &log, why), why);
    for (int64_t i = first; i < first + n; i++) {
        struct sample s = { .count = i, .time_us = (double)i / 3 };
        snprintf(s.name, sizeof s.name, "row\n\"%" PRId64 "\"", i % 1000000);
        check(runlog_write(log, &schema, &s, why), why);
    }
    check(runlog_close(log, why), why);
}

struct seen {
    int64_t n;
    int print;
};

static int see(const char *table, const char *json, void *arg)
{
    struct seen *seen = arg;
    struct sample s;
    char why[ERRLEN], name[24];

    if (strcmp(table, "samples") != 0 || row_from_json(&schema, json, &s, why))
        return -1;
    snprintf(name, sizeof name, "row\n\"%" PRId64 "\"", s.count);
    if (strcmp(name, s.name) != 0 || s.time_us < (double)s.count / 3 || s.time_us > (double)s.count / 3)
        return -1;
    seen->n++;
    if (seen->print)
        printf("%" PRId64 "\n", s.count);
    return 0;
}

static struct seen read_rows(const char *run, int print)
{
    struct seen seen = { .print = print };
    char why[ERRLEN];

    check(runlog_read(run, see, &seen, why), why);
    return seen;
}

static char *slurp(const char *path, long *bytes)
{
    FILE *f = fopen(path, "rb");

    if (!f || fseek(f, 0, SEEK_END) || (*bytes = ftell(f)) < 0)
        die("cannot read %s:", path);
    rewind(f);
    char *data = xmalloc((unsigned long)*bytes);
    if (fread(data, 1, (size_t)*bytes, f) != (size_t)*bytes || fclose(f))
        die("cannot read %s:", path);
    return data;
}

static void spill(const char *path, const char *data, long bytes)
{
    FILE *f = fopen(path, "wb");

    if (!f || fwrite(data, 1, (size_t)bytes, f) != (size_t)bytes || fclose(f))
        die("cannot write %s:", path);
}

static long size_of(const char *path)
{
    long bytes;

    free(slurp(path, &bytes));
    return bytes;
}

/* Gives the path of the only log of a run. */
static void find_log(const char *run, char path[512])
{
    glob_t found;
    char *pattern = xasprintf("%s.log/*.log", run);

    if (glob(pattern, 0, NULL, &found) || found.gl_pathc != 1)
        die("not one log as %s", pattern);
    snprintf(path, 512, "%s", found.gl_pathv[0]);
    globfree(&found);
    free(pattern);
}

static bool keep_none(const char *table, const char *json, void *arg)
{
    (void)table, (void)json, (void)arg;
    return false;
}

/* Returns true for records with even numbers, which are to be kept. */
static bool keep_even(const char *table, const char *json, void *arg)
{
    struct sample s;
    char why[ERRLEN];

    (void)arg;
    return strcmp(table, schema.name) == 0 && !row_from_json(&schema, json, &s, why) && s.count % 2 == 0;
}

/* Truncates the log of one process at every byte of its last record, then flips each byte of a record in the middle:
 * only the damaged record is lost. */
static void cut_everywhere(const char *run)
{
    char path[512], why[ERRLEN];
    long all, two, one;

    write_rows(run, 0, 1);
    find_log(run, path);
    one = size_of(path);
    check(runlog_keep(run, keep_none, NULL, why), why);
    check(access(path, F_OK) == 0, "the log is still there");

    write_rows(run, 0, 3); /* all records have the same length */
    find_log(run, path);
    char *data = slurp(path, &all);
    two = one + (all - one) / 2;
    error_silence(1);
    for (long bytes = two; bytes <= all; bytes++) {
        int64_t expected = bytes == all ? 3 : 2;
        spill(path, data, bytes);
        if (read_rows(run, 0).n != expected)
            die("cut at %ld of %ld bytes: not %" PRId64 " rows", bytes, all, expected);
        if (size_of(path) != (bytes == all ? all : two))
            die("cut at %ld of %ld bytes: %ld bytes are left", bytes, all, size_of(path));
    }
    for (long at = one; at < two; at++) {
        char *copy = xmalloc((unsigned long)all);
        memcpy(copy, data, (size_t)all);
        copy[at] ^= 1;
        spill(path, copy, all);
        if (read_rows(run, 0).n != 2)
            die("byte %ld flipped: not 2 rows", at);
        free(copy);
    }
    free(data);
}

int main(int argc, char **argv)
{
    const char *verb = argc > 1 ? argv[1] : "", *run = argc > 2 ? argv[2] : "";
    char why[ERRLEN];

    error_program("runlog");
    if (strcmp(verb, "write") == 0 && argc == 5)
        write_rows(run, atol(argv[3]), atol(argv[4]));
    else if (strcmp(verb, "endless") == 0)
        write_rows(run, 0, INT64_MAX);
    else if (strcmp(verb, "read") == 0)
        read_rows(run, 1);
    else if (strcmp(verb, "cut") == 0)
        cut_everywhere(run);
    else if (strcmp(verb, "remove") == 0)
        check(runlog_keep(run, keep_none, NULL, why), why);
    else if (strcmp(verb, "keep") == 0)
        check(runlog_keep(run, keep_even, NULL, why), why);
    else if (strcmp(verb, "lock") == 0) {
        check(runlock_take(run, why), why);
        runlock_release(run);
    } else if (strcmp(verb, "hold") == 0) {
        check(runlock_take(run, why), why);
        puts("held");
        fflush(stdout);
        pause();
    } else if (strcmp(verb, "number") == 0) {
        struct sample s;
        puts(row_from_json(&schema, "{\"name\":\"a\",\"count\":1e999,\"time_us\":1}", &s, why) ? "refused" : "taken");
    } else
        usage_die("unknown verb '%s'", verb);
    return 0;
}
