/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses command lines of spmv-run for options.c. */
#include "fuzz.h"
#define main run_main
#include "run/run.c"
#undef main

int fuzz_run_parse(int argc, char **argv);
int fuzz_run_parse(int argc, char **argv)
{
    static struct run_options o;
    static char **operands; /* freed in the next call, since usage_die does not return */
    free(operands);
    operands = NULL;
    run_options_free(&o);
    o = run_options_initial();
    const int n = parse(&o, argc, argv, &operands);
    parse_share(&o);
    run_options_finish(&o);
    FUZZ_MUST(o.gpu >= -1 && o.share >= 0 && o.share <= SHARES_MAX, "gpu %ld, share %ld", (long)o.gpu, (long)o.share);
    return n;
}
