/* SPDX-License-Identifier: BSD-3-Clause */
/* Schemas of rows in logs, and run_row_id. */
#include "runs/log_rows.h"
#include <inttypes.h>
#include <stdio.h>
#include "base/hash.h"
#include "runs/rows.h"

static const struct column round_columns[] = {
    COLUMN_TEXT_OF(struct round_row, row, "SHA-256 of the key of the measured row"),
    COLUMN_OF(struct round_row, number, COLUMN_I64, "", "number of the round, from 0"),
    COLUMN_OF(struct round_row, samples, COLUMN_I64, "", "number of samples"),
    COLUMN_ARRAY_OF(struct round_row, sample_us, COLUMN_F64, ROUND_SAMPLES, "us", "T of each sample"),
    COLUMN_OF(struct round_row, disturbed, COLUMN_I64, "",
              "bit i is 1: other processes used the processors during sample i"),
    COLUMN_OF(struct round_row, throttled, COLUMN_I64, "", "1: the device was throttled during the round"),
    COLUMN_OF(struct round_row, begun_s, COLUMN_F64, "s", "start of the round, seconds since 1970"),
    COLUMN_OF(struct round_row, ended_s, COLUMN_F64, "s", "end of the round, seconds since 1970"),
    COLUMN_OF(struct round_row, took_s, COLUMN_F64, "s", "duration of the round"),
    COLUMN_OF(struct round_row, clock_mhz, COLUMN_F64, "MHz", "SM clock at the end of the round"),
    COLUMN_OF(struct round_row, alpha, COLUMN_I64, "", "launches of the shorter sequence"),
    COLUMN_OF(struct round_row, beta, COLUMN_I64, "", "launches of the longer sequence"),
    COLUMN_OF(struct round_row, stream_us, COLUMN_F64, "us", "time per launch of plain back-to-back launches"),
    COLUMN_OF(struct round_row, t0_us, COLUMN_F64, "us", "time of an empty kernel with the same grid"),
};
const struct schema round_schema = SCHEMA_OF(struct round_row, "rounds", round_columns);

static const struct column again_columns[] = {
    COLUMN_TEXT_OF(struct again_row, what, "value of --again"),
    COLUMN_TEXT_OF(struct again_row, since,
                   "time of the first such request; rows measured later are not measured again"),
};
const struct schema again_schema = SCHEMA_OF(struct again_row, "again", again_columns);

void run_row_id(const struct run_row *r, char id[ID_LEN])
{
    const struct wordtext precision = word_text(&precision_words, r->precision),
                          cache = word_text(&cache_words, r->cache);
    char key[sizeof r->source_id + sizeof r->config + sizeof precision + sizeof cache + sizeof r->part
             + sizeof r->device_key + sizeof r->driver + sizeof r->build + 32];

    snprintf(key, sizeof key, "%s|%s|%s|%s|%s|%s|%" PRId64 "|%s|%s", r->source_id, r->config, precision.text,
             cache.text, r->part, r->device_key, r->revision, r->driver, r->build);
    hash_string(key, id);
}
