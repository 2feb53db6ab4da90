/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of an outlook in tables (outlook_table.h). */
#include "forecast/outlook_table.h"
#include <math.h>

const struct column outlook_table_columns[] = {
    INT_COLUMN("place", "", "rank by forecast time, or by total time with --iterations; -: not ranked"),
    TEXT_COLUMN("config", "configuration: kernel and all its parameters"),
    TEXT_COLUMN("precision", "precision of values, x and y: f32 or f64"),
    TEXT_COLUMN("cache",
                "warm (the same buffers every time) or cold (caches filled with other data before each product)"),
    REAL_COLUMN("time_us", "us", "forecast time of one product"),
    REAL_COLUMN("low_us", "us", "lower end of the 90 % interval of the forecast time; -: the model has no intervals"),
    REAL_COLUMN("high_us", "us", "upper end of the 90 % interval of the forecast time; -: the model has no intervals"),
    REAL_COLUMN("speedup_vs_csr", "", "forecast time of the fastest cusparse-csr / forecast time"),
    REAL_COLUMN("bandwidth_gbs", "GB/s",
                "minimum bytes moved / forecast time; above the memory's bandwidth if the L2 serves part"),
    REAL_COLUMN("storage_mb", "MB", "size of the matrix in this format, in 10^6 bytes"),
    REAL_COLUMN("convert_us", "us",
                "time to convert from CSR, on the device if possible, else on the host with the copy"),
    REAL_COLUMN("prepare_us", "us", "time to set up the kernel before its first launch"),
    REAL_COLUMN("total_us", "us", "convert_us + prepare_us + N time_us, with --iterations N"),
    INT_COLUMN("breakeven_spmv", "", "products after which it pays off against cusparse-csr; 0: at once; -: never"),
    INT_COLUMN("breakeven_free_spmv", "",
               "the same against the fastest configuration without conversion and preparation"),
    TEXT_COLUMN("model", "model that made the forecast"),
    TEXT_COLUMN("status", "ok, extrapolated, refused (no forecast) or na (the configuration cannot store the matrix)"),
    TEXT_COLUMN("reason", "what is outside the measured range, why there is no forecast, or \"in training\""),
    COLUMNS_END,
};

static void print_count(struct table *out, const char *column, double n)
{
    if (isnan(n))
        table_put_none(out, column);
    else
        table_put_int(out, column, (int64_t)fmin(n, 9e18));
}

void outlook_table_cells(struct table *out, const struct outlook *o, const struct outlook_row *r)
{
    const double time_s = r->place ? r->forecast.time_s : NAN;
    print_count(out, "place", r->place ? (double)r->place : NAN);
    table_put_text(out, "config", r->text);
    table_put_text(out, "precision", precision_name(o->target.precision));
    table_put_text(out, "cache", cache_name(o->target.cache));
    table_put_us(out, "time_us", time_s * 1e6, 4);
    table_put_us(out, "low_us", r->forecast.low_s * 1e6, 4);
    table_put_us(out, "high_us", r->forecast.high_s * 1e6, 4);
    table_put_real(out, "speedup_vs_csr", o->csr ? o->csr->forecast.time_s / time_s : NAN, 3);
    table_put_real(out, "bandwidth_gbs", r->least_bytes > 0 ? (double)r->least_bytes / time_s * 1e-9 : NAN, 4);
    table_put_real(out, "storage_mb", r->least_bytes > 0 ? (double)r->storage_bytes * 1e-6 : NAN, 4);
    table_put_us(out, "convert_us", r->convert_s * 1e6, 4);
    table_put_us(out, "prepare_us", o->preparations ? r->prepare_s * 1e6 : NAN, 4);
    table_put_us(out, "total_us", r->place ? r->total_s * 1e6 : NAN, 4);
    print_count(out, "breakeven_spmv", r->breakeven_library);
    print_count(out, "breakeven_free_spmv", r->breakeven_free);
    table_put_text(out, "model", r->model->name);
    table_put_text(out, "status", outlook_status_name(r->status));
    table_put_text(out, "reason", r->reason);
}
