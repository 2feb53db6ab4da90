/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints a table of awkward cells, with --json as JSON; a number N adds N rows. --times prints limits of times,
 * --counted numbers with plurals, --empty notes around an empty table. --columns CASE prints two rows of four columns;
 * each CASE except "good" is a mistake that must abort the program. */
#include "table/textout.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/strings.h"

static const struct column good_columns[] = {
    TEXT_COLUMN("name", "always empty"),
    REAL_COLUMN("us", "us", "always unknown"),
    INT_COLUMN("near_n", "", "number of the row"),
    INT_COLUMN("far_n", "", "number of the row"),
    COLUMNS_END,
};
static const struct column twice_columns[] = {
    TEXT_COLUMN("name", "always empty"),
    REAL_COLUMN("us", "us", "always unknown"),
    INT_COLUMN("far_n", "", "number of the row"),
    INT_COLUMN("far_n", "", "number of the row"),
    COLUMNS_END,
};
static const struct column times_columns[] = {
    REAL_COLUMN("low_us", "us", "times below zero and at zero"),
    REAL_COLUMN("high_us", "us", "times that are unknown or infinite"),
    COLUMNS_END,
};
static const struct column empty_columns[] = {
    TEXT_COLUMN("name", "a text"),
    INT_COLUMN("count", "", "a number"),
    COLUMNS_END,
};
static const struct column columns[] = {
    TEXT_COLUMN("name", "awkward texts"),
    INT_COLUMN("count", "", "awkward integers"),
    REAL_COLUMN("time_us", "us", "awkward reals, also unknown and infinite"),
    COLUMNS_END,
};

static int print_columns(const char *wrong)
{
    const bool twice = strcmp(wrong, "twice") == 0, swapped = strcmp(wrong, "swapped") == 0;
    struct table *out = textout_begin(false, twice ? twice_columns : good_columns);

    for (int i = 0; i < 2; i++) {
        table_put_text(out, strcmp(wrong, "misnamed") != 0 ? "name" : "names", NULL);
        table_put_none(out, "us");
        table_prefix(out, swapped ? "far_" : "near_");
        table_put_int(out, "n", i);
        table_prefix(out, swapped ? "near_" : strcmp(wrong, "bare") != 0 ? "far_" : "");
        if (strcmp(wrong, "text") == 0)
            table_put_text(out, "n", "7");
        else if (strcmp(wrong, "missing") != 0)
            table_put_int(out, "n", i);
        if (strcmp(wrong, "one_more") == 0)
            table_put_int(out, "m", i);
        if (i == 0 || strcmp(wrong, "unended") != 0)
            table_row_end(out);
    }
    textout_end(out);
    return 0;
}

int main(int argc, char **argv)
{
    static const double values[] = { 0,        1.0 / 3, 9.9996, 0.00123456, 0.000123456, 1234567.8,
                                     12345678, -2.5e-9, NAN,    INFINITY,   123456 };
    bool json = argc > 1 && strcmp(argv[1], "--json") == 0;
    struct table *out;

    error_program("textout");
    if (argc > 2 && strcmp(argv[1], "--columns") == 0)
        return print_columns(argv[2]);
    if (argc > 1 && strcmp(argv[1], "--times") == 0) {
        out = textout_begin(argc > 2, times_columns);
        for (int i = 0; i < 4; i++) {
            table_put_us(out, "low_us", (double[]){ -3.5, -1e-30, 0, 1.25 }[i], 4);
            table_put_us(out, "high_us", (double[]){ NAN, 2, 3, INFINITY }[i], 4);
            table_row_end(out);
        }
        textout_object(out, "list");
        textout_field_text(out, "name", NULL);
        textout_field_int(out, "n", 3);
        textout_field_real(out, "us", NAN);
        textout_object_end(out);
        textout_end(out);
        return 0;
    }
    if (argc > 1 && strcmp(argv[1], "--counted") == 0) {
        static const char *const words[] = { "row", "matrix", "index", "part without a time" };
        for (int k = 0; k < 4; k++)
            for (int i = 0; i < 3; i++)
                printf("%s%s", counted(i, words[k]).text, i < 2 ? ", " : "\n");
        return 0;
    }
    if (argc > 1 && strcmp(argv[1], "--empty") == 0) {
        out = textout_begin(argc > 2, empty_columns);
        table_note(out, "before");
        textout_head(out);
        textout_head(out);
        table_note(out, "behind");
        textout_end(out);
        return 0;
    }
    out = textout_begin(json, columns);
    table_note(out, "before, %d", 1);
    for (int i = 0; i < (int)(sizeof values / sizeof values[0]); i++) {
        table_put_text(out, "name", i == 1 ? "" : i == 2 ? "tab\there \"and\" \xc3\xa4" : "x");
        table_put_int(out, "count", i == 3 ? INT64_MIN : i * 1000);
        table_put_real(out, "time_us", values[i], 4);
        table_row_end(out);
        if (i == 4)
            textout_flush_rows(out);
    }
    for (long i = 0; argc > 1 && !json && i < strtol(argv[1], NULL, 10); i++) {
        table_put_text(out, "name", "more");
        table_put_int(out, "count", i);
        table_put_real(out, "time_us", 1, 1);
        table_row_end(out);
    }
    table_note(out, "behind\nit");
    textout_end(out);
    return 0;
}
