/* SPDX-License-Identifier: BSD-3-Clause */
/* Provenance of an archive: a row for each program that contributed, and the files it read, by hash. Contains no
 * directories or user names: command lines keep base names only. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "archive/archive.h"
#include "archive/archive_inside.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "base/version.h"

#define TEXT(member, about) COLUMN_TEXT_OF(struct provenance_row, member, about)
static const struct column provenance_columns[] = {
    TEXT(program, "program that wrote the archive or contributed to it"),
    TEXT(version, "version of the program, then + and the commit of its build, then the processors of its build"),
    TEXT(command, "command line of the program; files by base name"),
    TEXT(host, "host name; empty with --anonymous"),
    TEXT(date, "completion time, UTC, ISO 8601"),
    TEXT(slurm_job, "Slurm job ID, if run in a job"),
    TEXT(device_key, "measured device: name, SMs, memory, L2, ECC, MIG, power cap"),
    TEXT(uuid, "UUID of the device"),
    TEXT(driver, "driver of the device"),
    TEXT(cuda, "version of CUDA"),
    TEXT(cusparse, "version of cuSPARSE"),
    TEXT(host_cpu, "processor of the host"),
};
const struct schema provenance_schema = SCHEMA_OF(struct provenance_row, "provenance", provenance_columns);

static const struct column input_columns[] = {
    COLUMN_TEXT_OF(struct input_row, name, "base name of the input file"),
    COLUMN_TEXT_OF(struct input_row, sha256, "SHA-256 of the file, or matrix_id of a matrix"),
    COLUMN_TEXT_OF(struct input_row, role, "role of the input"),
};
const struct schema input_schema = SCHEMA_OF(struct input_row, "inputs", input_columns);

static struct provenance_row self; /* the row of this process */
static bool hosts_left_out;        /* --anonymous: no host names, not even of inherited steps */

/* Copies text as UTF-8; if it does not fit, truncates it with "...". NULL counts as "". */
static void set_cut(char *to, size_t bytes, const char *text)
{
    const size_t room = (text ? 4 * strlen(text) : 0) + 1;
    char *whole = xmalloc(room);

    memset(to, 0, bytes);
    utf8_put(whole, room, text ? text : "", UTF8_STORED);
    utf8_put(to, strlen(whole) < bytes ? bytes : bytes - 3, whole, UTF8_STORED);
    if (strlen(whole) >= bytes)
        memcpy(to + strlen(to), "...", 4);
    free(whole);
}
#define SET_CUT(member, text) set_cut((member), sizeof(member), (text))

static const char *base_name(const char *path, size_t *length)
{
    size_t n = *length, start;

    while (n > 1 && path[n - 1] == '/')
        n--;
    for (start = n; start && path[start - 1] != '/'; start--)
        ;
    if (n == 1 && path[0] == '/')
        start = 0;
    *length = n - start;
    return path + start;
}

/* Appends an argument without directories: each piece after '=' or between commas by its base name; "-o/x/y" keeps
 * the option letter. The value K/N of --share is no path. */
static void add_argument(char *to, size_t bytes, const char *argument, bool share)
{
    size_t used = strlen(to), n;
    bool quote = argument[strcspn(argument, " \t\n'\"\\$&|;<>()*?`")] || !*argument;

    used += (size_t)snprintf(to + used, bytes - used, "%s%s", used ? " " : "", quote ? "'" : "");
    for (const char *c = argument; *c && used + 1 < bytes; c += n) {
        n = strcspn(c, "=,");
        const bool whole = share || strncmp(argument, "--share=", 8) == 0;
        size_t head = c == argument && c[0] == '-' && c[1] && c[1] != '-' && c[2] == '/' ? 2 : 0, length = n - head;
        const char *base = whole ? c + head : base_name(c + head, &length);
        used += (size_t)snprintf(to + used, bytes - used, "%.*s%.*s", (int)head, c, (int)length, base);
        if (c[n] && used + 1 < bytes)
            used += (size_t)snprintf(to + used, bytes - used, "%c", c[n++]);
        else if (c[n])
            n++;
    }
    if (quote && used + 1 < bytes)
        snprintf(to + used, bytes - used, "'");
}

void archive_set_command(int argc, char **argv, bool anonymous)
{
    char command[4 * sizeof self.command] = "", host[256] = "";
    const char *job = getenv("SLURM_JOB_ID");
    size_t length = strlen(argv[0]);

    for (int i = 0; i < argc && strlen(command) + 2 < sizeof command; i++)
        add_argument(command, sizeof command, argv[i], i > 0 && strcmp(argv[i - 1], "--share") == 0);
    hosts_left_out = anonymous;
    if (!anonymous && gethostname(host, sizeof host - 1))
        host[0] = 0;
    SET_CUT(self.program, base_name(argv[0], &length));
    SET_CUT(self.command, command);
    SET_CUT(self.host, host);
    SET_CUT(self.slurm_job, job);
    const bool commit_known = spmvcast_git && *spmvcast_git;
    snprintf(self.version, sizeof self.version, "%s%s%s, %s", SPMVCAST_VERSION, commit_known ? "+" : "",
             commit_known ? spmvcast_git : "", spmvcast_arch);
}

bool archive_same_step(const struct provenance_row *row)
{
    return strcmp(row->program, self.program) == 0 && strcmp(row->version, self.version) == 0
           && strcmp(row->command, self.command) == 0;
}

void archive_set_device(const char *key, const char *uuid, const char *driver, const char *cuda, const char *cusparse,
                        const char *host_cpu)
{
    SET_CUT(self.device_key, key);
    SET_CUT(self.uuid, uuid);
    SET_CUT(self.driver, driver);
    SET_CUT(self.cuda, cuda);
    SET_CUT(self.cusparse, cusparse);
    SET_CUT(self.host_cpu, host_cpu);
}

static void add_step(struct archive *a, const struct provenance_row *row)
{
    for (int64_t i = 0; i < a->nprovenance; i++)
        if (memcmp(&a->provenance[i], row, sizeof *row) == 0)
            return;
    a->provenance = xrealloc(a->provenance, (size_t)(a->nprovenance + 1) * sizeof *row);
    a->provenance[a->nprovenance++] = *row;
}

static void add_input(struct archive *a, const struct input_row *row)
{
    for (int64_t i = 0; i < a->ninputs; i++)
        if (memcmp(&a->inputs[i], row, sizeof *row) == 0)
            return;
    a->inputs = xrealloc(a->inputs, (size_t)(a->ninputs + 1) * sizeof *row);
    a->inputs[a->ninputs++] = *row;
}

int archive_inherit(struct archive *to, struct archive *from, char why[ERRLEN])
{
    void *rows;
    int64_t n;
    int status = archive_get(from, &provenance_schema, &rows, &n, why);

    if (status)
        return status;
    for (int64_t i = 0; i < n; i++) {
        struct provenance_row *row = (struct provenance_row *)rows + i;
        if (hosts_left_out)
            memset(row->host, 0, sizeof row->host);
        add_step(to, row);
    }
    free(rows);
    if ((status = archive_get(from, &input_schema, &rows, &n, why)))
        return status;
    for (int64_t i = 0; i < n; i++)
        add_input(to, (struct input_row *)rows + i);
    free(rows);
    return 0;
}

int archive_add_input(struct archive *a, const char *name, const char *sha256, const char *role, char why[ERRLEN])
{
    struct input_row row;
    size_t length = strlen(name);

    if (strlen(sha256) >= sizeof row.sha256 || strlen(role) >= sizeof row.role)
        return fail(why, "%s: checksum or role of input %s is too long", a->path, name);
    memset(&row, 0, sizeof row); /* rows are compared bytewise */
    const char *base = base_name(name, &length);
    char *whole = xasprintf("%.*s", (int)length, base);
    utf8_put(row.name, sizeof row.name, whole, UTF8_STORED);
    free(whole);
    TEXT_SET(row.sha256, sha256);
    TEXT_SET(row.role, role);
    add_input(a, &row);
    return 0;
}

int archive_add_archive(struct archive *a, const char *path, char why[ERRLEN])
{
    struct archive *input;
    char sha256[65];
    int status = hash_file(path, sha256, why);

    if (!status)
        status = archive_open(path, NULL, &input, why);
    if (status)
        return status;
    status = archive_inherit(a, input, why);
    if (!status)
        status = archive_add_input(a, path, sha256, archive_kind(input), why);
    archive_close(input);
    return status;
}

int provenance_put(struct archive *a, char why[ERRLEN])
{
    struct provenance_row row = self;

    if (!*row.program)
        bug("archive_set_command was not called before archive_commit");
    utc_now(row.date);
    if (!*row.date)
        return fail(why, "cannot determine the date");
    add_step(a, &row);
    if (archive_put(a, &provenance_schema, a->provenance, a->nprovenance, why))
        return FAIL;
    return archive_put(a, &input_schema, a->inputs, a->ninputs, why);
}
