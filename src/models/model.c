/* SPDX-License-Identifier: BSD-3-Clause */
/* Forecasts. */
#include "models/model.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void model_forecast(const struct model *m, const struct profile *p, const struct features *f, const struct config *c,
                    const struct target *t, struct forecast *forecast)
{
    m->predict(p, f, c, t, forecast);
    if (forecast->status != FORECAST_REFUSED && !(forecast->time_s > 0 && isfinite(forecast->time_s)))
        forecast_refuse(forecast, "the coefficients of the profile give the time %g s", forecast->time_s);
}

void forecast_refuse(struct forecast *f, const char *fmt, ...)
{
    va_list ap;
    memset(f, 0, sizeof *f);
    f->time_s = f->low_s = f->high_s = f->distance = NAN;
    f->status = FORECAST_REFUSED;
    va_start(ap, fmt);
    vsnprintf(f->why, sizeof f->why, fmt, ap);
    va_end(ap);
}

void forecast_begin(struct forecast *f)
{
    memset(f, 0, sizeof *f);
    f->low_s = f->high_s = NAN;
}

void forecast_add_term(struct forecast *f, const char *name, double time_s)
{
    if (f->nterms == (int)(sizeof f->terms / sizeof f->terms[0]))
        bug("forecast: more than %d terms", f->nterms);
    f->terms[f->nterms].name = name;
    f->terms[f->nterms++].time_s = time_s;
}

/* Prints six significant digits, but large numbers in full: 15728640, not 1.57286e+07. */
static const char *figure(double v, char text[32])
{
    snprintf(text, 32, fabs(v) >= 1e4 && fabs(v) < 1e15 ? "%.0f" : "%.6g", v);
    return text;
}

void forecast_box(struct forecast *f, const char *quantity, double value, double low, double high)
{
    if (isnan(low) || isnan(high) || (value >= low && value <= high))
        return;
    /* A quantity of 0 (an empty mode, no strips) counts as one half, so that the logarithm is finite. */
    double v = value > 0.0 ? value : 0.5, distance = v < low ? log(low / v) : log(v / high);
    if (distance <= 0.0)
        distance = 1e-9;
    if (f->status == FORECAST_OK || distance > f->distance) {
        f->distance = distance;
        char found[32], from[32], to[32];
        snprintf(f->why, sizeof f->why, "%s %s is outside the fitted range %s..%s", quantity, figure(value, found),
                 figure(low, from), figure(high, to));
    }
    f->status = FORECAST_EXTRAPOLATED;
}
