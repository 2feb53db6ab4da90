/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of an outlook in tables (outlook_table.h). */
#include "forecast/outlook_table.h"
#include <math.h>

const char outlook_table_columns[] =
    "place\tconfig\tprecision\tcache\ttime_us\tlow_us\thigh_us\tspeedup_vs_csr\tbandwidth_gbs\tstorage_mb\t"
    "convert_us\tprepare_us\ttotal_us\tbreakeven_spmv\tbreakeven_free_spmv\tmodel\tstatus\treason";

static void print_count(struct textout *out, const char *column, double n)
{
    if (isnan(n))
        textout_none(out, column);
    else
        textout_int(out, column, (int64_t)fmin(n, 9e18));
}

void outlook_table_cells(struct textout *out, const struct outlook *o, const struct outlook_row *r)
{
    const double time_s = r->place ? r->forecast.time_s : NAN;
    print_count(out, "place", r->place ? (double)r->place : NAN);
    textout_text(out, "config", r->text);
    textout_text(out, "precision", precision_name(o->target.precision));
    textout_text(out, "cache", cache_name(o->target.cache));
    textout_us(out, "time_us", time_s * 1e6, 4);
    textout_us(out, "low_us", r->forecast.low_s * 1e6, 4);
    textout_us(out, "high_us", r->forecast.high_s * 1e6, 4);
    textout_real(out, "speedup_vs_csr", o->csr ? o->csr->forecast.time_s / time_s : NAN, 3);
    textout_real(out, "bandwidth_gbs", r->least_bytes > 0 ? (double)r->least_bytes / time_s * 1e-9 : NAN, 4);
    textout_real(out, "storage_mb", r->least_bytes > 0 ? (double)r->storage_bytes * 1e-6 : NAN, 4);
    textout_us(out, "convert_us", r->convert_s * 1e6, 4);
    textout_us(out, "prepare_us", o->preparations ? r->prepare_s * 1e6 : NAN, 4);
    textout_us(out, "total_us", r->place ? r->total_s * 1e6 : NAN, 4);
    print_count(out, "breakeven_spmv", r->breakeven_library);
    print_count(out, "breakeven_free_spmv", r->breakeven_free);
    textout_text(out, "model", r->model->name);
    textout_text(out, "status", outlook_status_name(r->status));
    textout_text(out, "reason", r->reason);
}
