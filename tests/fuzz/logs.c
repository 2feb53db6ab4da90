/* SPDX-License-Identifier: BSD-3-Clause */
/* Logs of runs. Each line is the JSON of a record, whose head is renewed here; a line that begins with '!' is added as bytes, without a
 * head. A row that can be read has the same text when it is written and read again. */
#include <sys/stat.h>
#include <zlib.h>
#include "fuzz.h"
#include "run/store.h"
#include "runs/runlog.h"

enum { ROOM = 1 << 18 };

/* Copies the lines as records behind those in `to`; returns the bytes used. */
static size_t records(const uint8_t *data, size_t size, char *to, size_t used)
{
    for (const uint8_t *line = data, *end = data + size, *next; line < end; line = next) {
        const uint8_t *stop = memchr(line, '\n', (size_t)(end - line));
        next = stop ? stop + 1 : end;
        const uint32_t n = (uint32_t)((stop ? stop : end) - line), crc = (uint32_t)crc32(0, line, n);
        if (n && *line == '!') {
            memcpy(to + used, line + 1, n - 1);
            used += n - 1;
            continue;
        }
        memcpy(to + used, "SPL1", 4);
        memcpy(to + used + 4, &n, 4);
        memcpy(to + used + 8, &crc, 4);
        memcpy(to + used + 12, line, n);
        used += 12 + n;
    }
    return used;
}

static void read_again(const struct schema *schema, const char *json)
{
    char why[ERRLEN], *row = xmalloc(schema->row_bytes);
    if (row_from_json(schema, json, row, why) == 0) {
        char *text = row_to_json(schema, row);
        FUZZ_MUST(row_from_json(schema, text, row, why) == 0, "%s: %s", why, text);
        char *twice = row_to_json(schema, row);
        FUZZ_MUST(strcmp(text, twice) == 0, "%s and %s", text, twice);
        free(twice);
        free(text);
    }
    free(row);
}

static int each(const char *table, const char *json, void *seen)
{
    static const struct schema *const schemas[] = { &run_schema,      &matrix_schema, &histogram_schema,
                                                    &geometry_schema, &plan_schema,   &block_schema,
                                                    &branch_schema,   &round_schema,  &again_schema };
    ++*(int64_t *)seen;
    for (size_t i = 0; i < sizeof schemas / sizeof schemas[0]; i++)
        if (strcmp(schemas[i]->name, table) == 0)
            read_again(schemas[i], json);
    return 0;
}

void fuzz_logs(const uint8_t *data, size_t size)
{
    static const char first[] = "{\"table\":\"again\",\"what\":\"noisy\",\"since\":\"2026-01-02T03:04:05Z\"}";
    static char bytes[ROOM], run[80], log[128];
    char why[ERRLEN];
    struct runs runs = { 0 };
    int64_t of_logs, seen = 0;
    if (size > ROOM / 16)
        return;
    if (!run[0]) {
        snprintf(run, sizeof run, "%s/fuzz.h5", fuzz_folder());
        snprintf(log, sizeof log, "%s.log", run);
        mkdir(log, 0777);
        snprintf(log, sizeof log, "%s.log/0123456789abcdef.log", run);
    }
    FILE *f = fopen(log, "w");
    const size_t n = records(data, size, bytes, records((const uint8_t *)first, sizeof first - 1, bytes, 0));
    if (!f || fwrite(bytes, 1, n, f) != n || fclose(f))
        die("cannot write %s:", log);
    FUZZ_MUST(runlog_look(run, each, &seen, why) || seen, "the log was not read");
    (void)store_look(run, &runs, &of_logs, why);
    runs_free(&runs);
}
