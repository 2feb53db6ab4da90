/* SPDX-License-Identifier: BSD-3-Clause */
/* Command lines, a word per line, of spmv-verify and, after a first line "run", of spmv-run: the values are in their ranges. */
#include "fuzz.h"
#define main verify_main
#include "verify/verify.c"
#undef main

enum { WORDS = 64 };
int fuzz_run_parse(int argc, char **argv); /* run_options.c: returns the number of operands */

/* --help and --version, which the linker lets end here (make/fuzz.mk), are options like all others. */
_Noreturn void __wrap_options_help(const struct program *, const struct option *);
_Noreturn void __wrap_options_help(const struct program *p, const struct option *o)
{
    (void)o;
    usage_die("%s --help", p->name);
}
_Noreturn void __wrap_options_version(const struct program *);
_Noreturn void __wrap_options_version(const struct program *p) { usage_die("%s --version", p->name); }

static void check_words(const struct strlist *list, const char *legal)
{
    for (int i = 0; i < list->n; i++)
        FUZZ_MUST(words_have(legal, list->v[i]), "%s", list->v[i]);
}

static void of_verify(int argc, char **argv)
{
    static char **operands; /* freed in the next call, since usage_die does not return */
    free(operands);
    operands = NULL;
    strlist_free(&models);
    strlist_free(&precisions);
    strlist_free(&caches);
    strlist_free(&launches);
    profile = by = table = set = matrix_on = collection = device = NULL;
    role = "matrix";
    risk = NAN;
    json = false;
    const int n = parse(argc, argv, &operands);
    for (int i = 0; i < n; i++)
        FUZZ_MUST(*operands[i], "operand %d is empty", i);
    FUZZ_MUST(n >= 1 && n < argc, "%d operands", n);
    FUZZ_MUST(isnan(risk) || (risk >= 0 && risk <= 100), "risk %g", risk);
    check_words(&precisions, precision_names());
    check_words(&caches, cache_names());
    check_words(&launches, launch_names());
    launch_check_caches(&launches, &caches);
}

void fuzz_options(const uint8_t *data, size_t size)
{
    static char *kept; /* freed in the next call, since usage_die does not return */
    char *argv[WORDS + 2] = { (char *)(uintptr_t) "spmv-verify" }, *rest, *word;
    int argc = 1;
    free(kept);
    rest = kept = fuzz_text(data, size);
    while (argc <= WORDS && (word = strsep(&rest, "\n")))
        argv[argc++] = word;
    if (argc > 1 && strcmp(argv[1], "run") == 0)
        (void)fuzz_run_parse(argc - 1, argv + 1);
    else
        of_verify(argc, argv);
}
