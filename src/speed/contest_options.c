/* SPDX-License-Identifier: BSD-3-Clause */
/* Options of programs that compare times: which contests and rows count (struct speed_choice). */
#include "speed/speed.h"

struct option option_min_nnz(int64_t *value, const char *about)
{
    return (struct option){
        .name = "min-nnz", .type = OPTION_INT, .value = value, .arg = "N", .min = 0, .max = 1e15, .about = about
    };
}

struct option option_max_row(int64_t *value, const char *about)
{
    return (struct option){
        .name = "max-row", .type = OPTION_INT, .value = value, .arg = "N", .min = 0, .max = 1e15, .about = about
    };
}

struct option option_within(double *hours, const char *about)
{
    return (struct option){
        .name = "within", .type = OPTION_REAL, .value = hours, .arg = "HOURS", .min = 0, .max = 1e6, .about = about
    };
}
