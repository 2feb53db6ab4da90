/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes, reads and changes archives for the tests.
 *   archive write FILE N | write-old FILE N | write-lost FILE N | write-newer FILE | write-wrong FILE
 *     archives of kind samples, for which no table is required; -lost and -newer: of kind run, for which some are
 *   archive read FILE [KIND] | verify FILE | tables FILE | chain FROM TO | json | interrupted FILE | flips FILE STEP
 *   archive tamper FILE: changes a value in table samples, as a program without checksums would */
#include "archive/archive.h"
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "archive/h5.h"
#include "base/output.h"

struct sample {
    char name[40];
    int64_t count;
    double time_us;
    float parts[3];
    double late;
    char note[16];
    int64_t hue;
};
static const char *const hues[] = { "red", "green" };
static const struct wordlist hue_words = { 2, hues };
static const struct column columns[] = {
    COLUMN_TEXT_OF(struct sample, name, "what it is called"),
    COLUMN_OF(struct sample, count, COLUMN_I64, "", "how many"),
    COLUMN_OF(struct sample, time_us, COLUMN_F64, "us", "how long"),
    COLUMN_ARRAY_OF(struct sample, parts, COLUMN_F32, 3, "us", "in parts"),
    COLUMN_OF(struct sample, late, COLUMN_F64, "s", "a column that older files lack"),
    COLUMN_TEXT_OF(struct sample, note, "a text that older files lack"),
    COLUMN_WORD_OF(struct sample, hue, hue_words, 8, "a word that older files lack"),
};
static const struct schema schema = SCHEMA_OF(struct sample, "samples", columns);
static const struct schema old_schema = { "samples", sizeof(struct sample), 4, columns };

static const char samples[] = "samples";

struct wrong {
    double count;
};
static const struct column wrong_columns[] = { COLUMN_OF(struct wrong, count, COLUMN_F64, "",
                                                         "a count that is no integer") };
static const struct schema wrong_schema = SCHEMA_OF(struct wrong, "samples", wrong_columns);

static void sample_fill(struct sample *s, int64_t i)
{
    row_blank(&schema, s);
    snprintf(s->name, sizeof s->name, "row %" PRId64 " \xc3\xa4", i);
    s->count = i * i - 7;
    s->time_us = i % 5 == 4 ? (double)NAN : 1.0 / (double)(i + 3);
    for (int k = 0; k < 3; k++)
        s->parts[k] = (float)(i + k) / 3.0f;
    s->late = -0.0;
    snprintf(s->note, sizeof s->note, "%s", i % 2 ? "odd" : "");
    s->hue = i % 3 == 2 ? WORD_NONE : word_number(&hue_words, i % 3 == 1 ? "crimson" : "green");
    if (i % 3 == 0 && s->hue != 1)
        die("green is not the word 1");
}

static void write_file(const char *path, const char *kind, const struct schema *s, int64_t n)
{
    char why[ERRLEN];
    struct archive *a;
    struct sample *rows = xcalloc((unsigned long)n, sizeof *rows);

    for (int64_t i = 0; i < n; i++)
        sample_fill(&rows[i], i);
    if (archive_create(path, kind, &a, why) || archive_put(a, s, rows, n, why)
        || archive_put_text(a, "title", "a \"title\"", why)
        || archive_add_input(a, "/some/where/in.mtx", "0123", "matrix", why) || archive_commit(a, why))
        die("%s", why);
    free(rows);
}

static void write_raw(const char *path, const struct schema *s, int newer)
{
    char why[ERRLEN];
    struct archive *a;
    struct wrong row = { 1.5 };

    if (archive_create(path, newer ? "run" : samples, &a, why) || archive_put(a, s, &row, newer ? 0 : 1, why)
        || archive_commit(a, why))
        die("%s", why);
    if (newer) {
        hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
        H5Adelete(file, "schema");
        if (h5_put_int(file, "schema", ARCHIVE_SCHEMA + 1) || H5Fclose(file) < 0)
            die("cannot change %s", path);
    }
}

static int read_file(const char *path, const char *kind)
{
    char why[ERRLEN], title[64];
    struct archive *a;
    void *rows;
    int64_t n;
    int status = archive_open(path, kind, &a, why);

    if (status)
        die_code(status == ARCHIVE_DAMAGED ? EXIT_WRONG : EXIT_FAILED, "%s", why);
    status = archive_get(a, &schema, &rows, &n, why);
    if (status)
        die_code(archive_exit(status), "%s", why);
    for (int64_t i = 0; i < n; i++) {
        char *json = row_to_json(&schema, (struct sample *)rows + i);
        puts(json);
        free(json);
    }
    if (archive_get_text(a, "title", title, sizeof title, why))
        die("%s", why);
    printf("title %s kind %s\n", title, archive_kind(a));
    free(rows);
    archive_close(a);
    return 0;
}

static int verify(const char *path)
{
    char why[ERRLEN];
    struct archive *a;
    int status = archive_open(path, NULL, &a, why);

    if (!status) {
        status = archive_verify(a, why);
        archive_close(a);
    }
    if (status)
        die_code(EXIT_WRONG, "%s", why);
    return 0;
}

/* Returns the content as text, like the output of read; NULL if it cannot be read. */
static char *content(const char *path)
{
    char why[ERRLEN], title[64], *text;
    struct archive *a;
    void *rows;
    int64_t n;

    if (archive_open(path, samples, &a, why))
        return NULL;
    if (archive_verify(a, why) || archive_get(a, &schema, &rows, &n, why)
        || archive_get_text(a, "title", title, sizeof title, why)) {
        archive_close(a);
        return NULL;
    }
    text = xstrdup("");
    for (int64_t i = 0; i <= n; i++) {
        char *json = i < n ? row_to_json(&schema, (struct sample *)rows + i) : xstrdup(title),
             *longer = xasprintf("%s%s\n", text, json);
        free(json);
        free(text);
        text = longer;
    }
    free(rows);
    archive_close(a);
    return text;
}

/* Flips one bit of every STEPth byte, each in a new copy: the copy must be found damaged or be read like the
 * original. */
static void flips(const char *path, long step)
{
    char *copy = xasprintf("%s.flipped", path), *before = content(path), *after;
    FILE *from = fopen(path, "rb"), *to;
    long bytes, found = 0, harmless = 0;

    if (!from || !before || fseek(from, 0, SEEK_END) || (bytes = ftell(from)) < 0)
        die("cannot read %s", path);
    rewind(from);
    char *data = xmalloc((unsigned long)bytes);
    if (fread(data, 1, (size_t)bytes, from) != (size_t)bytes || fclose(from))
        die("cannot read %s", path);
    for (long at = 0; at < bytes; at += step) {
        data[at] ^= 4;
        to = fopen(copy, "wb");
        if (!to || fwrite(data, 1, (size_t)bytes, to) != (size_t)bytes || fclose(to))
            die("cannot write %s:", copy);
        data[at] ^= 4;
        after = content(copy);
        if (after && strcmp(after, before) != 0)
            die("byte %ld of %ld flipped: the damage was not detected", at, bytes);
        found += !after;
        harmless += after != NULL;
        free(after);
    }
    printf("%ld found, %ld harmless\n", found, harmless);
    free(data);
    free(before);
    free(copy);
}

static int tables(const char *path)
{
    char why[ERRLEN], name[64];
    struct archive *a;
    int64_t n;

    if (archive_open(path, NULL, &a, why))
        die("%s", why);
    for (int i = 0; archive_table(a, i, name, &n, why) == 0; i++)
        printf("%s %" PRId64 "\n", name, n);
    archive_close(a);
    return 0;
}

static void chain(const char *from, const char *to)
{
    char why[ERRLEN];
    struct archive *a, *b;

    if (archive_open(from, samples, &a, why) || archive_create(to, "chained", &b, why) || archive_inherit(b, a, why)
        || archive_inherit(b, a, why) || archive_add_input(b, from, "4567", "runs", why) || archive_commit(b, why))
        die("%s", why);
    archive_close(a);
}

/* Converts rows to JSON and back; every bit must be the same. */
static void json(void)
{
    static const double awkward[] = { 0.1, -0.0, 5e-324, 1.7976931348623157e308, INFINITY, -INFINITY, 1.0 / 3, NAN };
    struct sample a, b;
    char why[ERRLEN];

    for (int i = 0; i < 8; i++) {
        sample_fill(&a, i);
        a.time_us = awkward[i];
        a.parts[1] = (float)awkward[i];
        a.count = i == 1 ? INT64_MAX : i == 2 ? INT64_MIN + 1 : i == 3 ? INT64_MIN : i;
        snprintf(a.note, sizeof a.note, "\"\\\t\n%c", i + 1);
        char *text = row_to_json(&schema, &a);
        if (strchr(text, '\n') || row_from_json(&schema, text, &b, why) || memcmp(&a, &b, sizeof a) != 0)
            die("row %d differs: %s", i, text);
        free(text);
    }
    if (row_from_json(&schema, "{\"count\": \"many\", \"name\": 3}", &b, why) == 0 || !strstr(why, "name"))
        die("a number was accepted as a text");
    static const char *const no_count[] = {
        "1e300", "0.5", "-1e19", "9007199254740994", "\"7x\"", "\"99999999999999999999\"", "\"\""
    };
    for (size_t i = 0; i < sizeof no_count / sizeof no_count[0]; i++) {
        char *text = xasprintf("{\"count\": %s}", no_count[i]);
        if (row_from_json(&schema, text, &b, why) == 0 || !strstr(why, "count"))
            die("%s was accepted as an integer", text);
        free(text);
    }
    if (row_from_json(&schema, "{\"time_us\": \"soon\"}", &b, why) == 0 || !strstr(why, "time_us"))
        die("a word was accepted as a number");
    if (row_from_json(&schema, "{\"note\": \"longer than fits into it\"}", &b, why) == 0 || !strstr(why, "note"))
        die("a text longer than its column was accepted");
    if (row_from_json(&schema, "{\"other\": 1}", &b, why) || b.count != INT64_MIN || !isnan(b.time_us) || b.name[0])
        die("missing keys are not blank");
}

static void tamper(const char *path)
{
    int64_t count[6];
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT),
          column = file < 0 ? -1 : H5Dopen2(file, "samples/count", H5P_DEFAULT);

    if (column < 0 || H5Dread(column, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, count) < 0)
        die("cannot read %s", path);
    count[2]++;
    if (H5Dwrite(column, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, count) < 0 || H5Dclose(column) < 0
        || H5Fclose(file) < 0)
        die("cannot change %s", path);
}

int main(int argc, char **argv)
{
    const char *verb = argc > 1 ? argv[1] : "", *path = argc > 2 ? argv[2] : "", *third = argc > 3 ? argv[3] : NULL;

    error_program("archive");
    archive_set_command(argc, argv, false);
    if (strcmp(verb, "write") == 0)
        write_file(path, samples, &schema, atol(third));
    else if (strcmp(verb, "write-lost") == 0)
        write_file(path, "run", &schema, atol(third));
    else if (strcmp(verb, "write-old") == 0)
        write_file(path, samples, &old_schema, atol(third));
    else if (strcmp(verb, "write-newer") == 0)
        write_raw(path, &wrong_schema, 1);
    else if (strcmp(verb, "write-wrong") == 0)
        write_raw(path, &wrong_schema, 0);
    else if (strcmp(verb, "read") == 0)
        return read_file(path, third);
    else if (strcmp(verb, "verify") == 0)
        return verify(path);
    else if (strcmp(verb, "tables") == 0)
        return tables(path);
    else if (strcmp(verb, "chain") == 0)
        chain(path, third);
    else if (strcmp(verb, "flips") == 0)
        flips(path, atol(third));
    else if (strcmp(verb, "tamper") == 0)
        tamper(path);
    else if (strcmp(verb, "json") == 0)
        json();
    else if (strcmp(verb, "interrupted") == 0) {
        char why[ERRLEN];
        struct archive *a;
        output_signals();
        if (archive_create(path, samples, &a, why))
            die("%s", why);
        raise(SIGTERM);
    } else
        usage_die("unknown verb '%s'", verb);
    return 0;
}
