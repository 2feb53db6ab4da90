/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of spmv-merge. */
#include <inttypes.h>
#include <string.h>
#include "base/output.h"
#include "run/left_out.h"
#include "run/merge.h"
#include "table/textout.h"

const struct column merge_left_columns[] = {
    TEXT_COLUMN("archive", "archive, as given to spmv-merge"),
    INT_COLUMN("archive_row", "", "number of the row in it, from 0"),
    COLUMNS_END,
};

static const struct column columns[] = {
    TEXT_COLUMN("archive", "run archive that was merged"),
    TEXT_COLUMN("device", "device of the rows: name, SMs, memory, L2, ECC, MIG, power cap"),
    INT_COLUMN("rows", "", "rows of this device in the archive and the logs of its unfinished run"),
    INT_COLUMN("ok", "", "rows with a valid time"),
    INT_COLUMN("na", "", "rows not measured: not applicable, or skipped by the sweep"),
    INT_COLUMN("oom", "", "rows without a time because memory ran out"),
    INT_COLUMN("crashed", "", "rows without a time because the kernel crashed"),
    INT_COLUMN("wrong", "", "rows with a wrong result"),
    INT_COLUMN("kept", "", "rows written to the merged archive"),
    INT_COLUMN("replaced", "", "rows dropped: for another row with the same key, or by --newest or --leave-out"),
    INT_COLUMN("noisy", "", "rows with a noisy time"),
    COLUMNS_END,
};

static void put_rows_of(struct table *out, const struct merge_input *in, const char *device_key)
{
    int64_t rows = 0, of[NOUTCOMES] = { 0 }, kept = 0;

    for (int64_t i = 0; i < in->nrows; i++) {
        if (device_key && strcmp(in->rows[i].device_key, device_key) != 0)
            continue;
        rows++;
        kept += in->kept[i];
        const enum row_outcome o = row_outcome(&in->rows[i]);
        if (o < NOUTCOMES)
            of[o]++;
    }
    if (!rows && device_key)
        return;
    table_put_text(out, "archive", in->path);
    table_put_text(out, "device", device_key);
    table_put_int(out, "rows", rows);
    for (enum row_outcome o = 0; o < NOUTCOMES; o++)
        if (o != OUTCOME_NOISY)
            table_put_int(out, row_outcome_name(o), of[o]);
    table_put_int(out, "kept", kept);
    table_put_int(out, "replaced", rows - kept);
    table_put_int(out, "noisy", of[OUTCOME_NOISY]);
    table_row_end(out);
}

void merge_print(const struct merge *m, const char *output, bool json)
{
    struct table *out = textout_begin(json, columns);
    textout_view(out, "archive rows ok noisy na oom crashed wrong kept replaced device");
    struct strlist devices = { 0 };

    run_rows_devices(m->runs.rows, m->runs.nrows, &devices);
    for (int i = 0; i < m->ninputs; i++) {
        const struct merge_input *in = &m->input[i];
        if (!in->nrows)
            put_rows_of(out, in, NULL);
        for (int d = 0; d < devices.n && in->nrows; d++)
            put_rows_of(out, in, devices.v[d]);
    }
    for (int i = 0; i < m->ninputs; i++)
        if (m->input[i].of_logs)
            table_note(
                out,
                "%s: the run is unfinished; read %s from its logs, which are kept. Resume the run with spmv-run, then merge again",
                m->input[i].path, counted(m->input[i].of_logs, "row").text);
    if (m->alike)
        table_note(out, "duplicates dropped: %s", counted(m->alike, "row").text);
    if (m->conflicts)
        table_note(out, "%s measured more than once, with different times; the latest is kept",
                   counted(m->conflicts, "configuration").text);
    files_put(out, &m->runs);
    for (int d = 0; d < devices.n && devices.n > 1; d++)
        table_note(out, "device %d of %d: %s", d + 1, devices.n, devices.v[d]);
    if (devices.n > 1)
        table_note(out, "rows of %s are kept separate; spmv-fit --device NAME fits those of one",
                   counted(devices.n, "device").text);
    table_note(out, "%s: %s, %s, %s, from %s", output, counted(m->runs.nrows, "row").text,
               counted(m->runs.nmatrices, "matrix").text, counted(devices.n, "device").text,
               counted(m->ninputs, "archive").text);
    strlist_free(&devices);
    textout_end(out);
}
