/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests the wrapping and shortening of text (base/terminal.h) and the short form of configurations
 * (formats/config.h). */
#include "base/terminal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "formats/config.h"

static int failures;

static void same(const char *what, char *found, const char *expected)
{
    if (strcmp(found, expected) != 0) {
        printf("%s:\n<%s>\nexpected:\n<%s>\n", what, found, expected);
        failures++;
    }
    free(found);
}

/* Checks for every configuration of a sweep that its short form has the same meaning and no key that could be left
 * out. */
static void check_briefs(const char *sweep)
{
    int shorter = 0;
    const char *const *list = config_sweep(sweep, DEVICE_CUDA);
    for (int i = 0; list[i]; i++) {
        char full[CONFIG_LEN], again[CONFIG_LEN], why[ERRLEN];
        struct config c;
        if (config_parse(list[i], &c, why) != 0) {
            printf("%s: %s\n", list[i], why);
            failures++;
            continue;
        }
        config_print(&c, full);
        char *brief = config_brief(full);
        if (config_parse(brief, &c, why) != 0) {
            printf("%s: %s\n", brief, why);
            failures++;
        } else {
            config_print(&c, again);
            if (strcmp(again, full) != 0) {
                printf("%s: short form %s means %s\n", full, brief, again);
                failures++;
            }
        }
        shorter += strlen(brief) < strlen(full);
        free(brief);
    }
    if (shorter == 0) {
        printf("%s: no configuration has a shorter form\n", sweep);
        failures++;
    }
}

int main(void)
{
    same("fits", text_wrapped("one two", "# ", "#   ", 9, WRAP_CLAUSES), "# one two\n");
    same("wraps", text_wrapped("one two", "# ", "#   ", 8, WRAP_CLAUSES), "# one\n#   two\n");
    same("clauses", text_wrapped("a b; c; d", "# ", "#   ", 10, WRAP_CLAUSES), "# a b;\n#   c;\n#   d\n");
    same("no clauses", text_wrapped("a b; c; d", "# ", "#   ", 10, WRAP_WORDS), "# a b; c;\n#   d\n");
    same("clauses that fit", text_wrapped("a; b", "# ", "#   ", 10, WRAP_CLAUSES), "# a; b\n");
    same("a long word", text_wrapped("x a,bb,ccc,dddd", "", "  ", 8, WRAP_WORDS), "x\n  a,bb,\n  ccc,\n  dddd\n");
    same("a word that must be cut", text_wrapped("x abcdefghij y", "", " ", 5, WRAP_WORDS), "x\n abcd\n efgh\n ij y\n");
    same("cut between characters", text_wrapped("\u00e9\u00e9\u00e9", "", "", 2, WRAP_WORDS), "\u00e9\u00e9\n\u00e9\n");
    same("no room at all", text_wrapped("ab", "long: ", "long: ", 3, WRAP_WORDS), "long: ab\n");
    same("paths stay whole", text_wrapped("at /a/long/path it fails", "", "  ", 8, WRAP_BLANKS),
         "at\n  /a/long/path\n  it\n  fails\n");
    same("empty", text_wrapped("", "# ", "", 5, WRAP_CLAUSES), "# \n");
    same("UTF-8", text_wrapped("\u00e9\u00e9 \u00e9\u00e9", "", "", 5, WRAP_WORDS), "\u00e9\u00e9 \u00e9\u00e9\n");
    same("short enough", text_shortened("abcdef", 6), "abcdef");
    same("shortened", text_shortened("abcdefg", 6), "abc...");
    same("shortened UTF-8", text_shortened("\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9", 6), "\u00e9\u00e9\u00e9...");
    check_briefs("default");
    check_briefs("exhaustive");
    same("not a configuration", config_brief("none:at=all"), "none:at=all");
    return failures > 0;
}
