/* SPDX-License-Identifier: BSD-3-Clause */
/* The closing line of a forecast: which configuration to use, what it gains over cusparse-csr, when converting pays. */
#include "forecast/advice.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/strings.h"
#include "base/textout.h"
#include "formats/format.h"

/* Seconds of n multiplications with their conversion; where that is not known it cannot be promised to pay. */
static double total_s(const struct outlook_row *r, int64_t n)
{
    return n == 0 ? r->forecast.time_s : isnan(r->convert_s) ? INFINITY : r->convert_s + (double)n * r->forecast.time_s;
}

const struct outlook_row *advice_pick(const struct outlook *o, int64_t iterations)
{
    const struct outlook_row *best = NULL;
    for (int i = 0; i < o->n && o->row[i].place; i++)
        if (o->row[i].shown && (!best || total_s(&o->row[i], iterations) < total_s(best, iterations)))
            best = &o->row[i];
    return best;
}

/* ", 1.40x cusparse-csr": what the pick gains over the baseline. */
static char *gain_text(const struct outlook *o, const struct outlook_row *pick)
{
    if (!o->csr)
        return xasprintf(", forecast %s us (no forecast of %s to compare with)",
                         textout_digits(pick->forecast.time_s * 1e6, 4).text, kernel_baseline()->name);
    if (pick->config.kernel->baseline)
        return xstrdup(", nothing here is forecast to be faster");
    return xasprintf(", %.2fx %s", o->csr->forecast.time_s / pick->forecast.time_s, kernel_baseline()->name);
}

/* ", pays after 63 SpMVs": what converting costs. */
static char *cost_text(const struct outlook *o, const struct outlook_row *pick, int64_t iterations)
{
    if (pick->csr)
        return xstrdup(pick->config.kernel->baseline ? "" : ", nothing to convert");
    if (isnan(pick->convert_s))
        return xstrdup(", its conversion was never timed");
    if (isnan(pick->breakeven))
        return xasprintf(", converting takes %s us", textout_digits(pick->convert_s * 1e6, 4).text);
    if (iterations > 0 && o->csr)
        return xasprintf(", pays after %.0f SpMV%s: %.2fx with its conversion", pick->breakeven,
                         plural_s(pick->breakeven),
                         (double)iterations * o->csr->forecast.time_s / total_s(pick, iterations));
    return xasprintf(", pays after %.0f SpMV%s", pick->breakeven, plural_s(pick->breakeven));
}

/* "; hyb... would be 1.40x, but pays after 63 only": where counting the conversion changed the pick. */
static char *passed_over_text(const struct outlook *o, const struct outlook_row *pick, int64_t iterations)
{
    const struct outlook_row *fastest = advice_pick(o, 0);
    /* as fast, in the figures printed */
    if (iterations == 0 || pick->forecast.time_s < 1.005 * fastest->forecast.time_s)
        return xstrdup("");
    if (isnan(fastest->convert_s))
        return xasprintf("; %s is forecast to be faster, but its conversion was never timed", fastest->text);
    double gain = pick->forecast.time_s - fastest->forecast.time_s, more = fastest->convert_s - pick->convert_s,
           pays = ceil(more / gain);
    return xasprintf("; %s is %.2fx as fast, but would pay after %.0f SpMV%s only", fastest->text,
                     pick->forecast.time_s / fastest->forecast.time_s, pays, plural_s(pays));
}

/* One configuration was asked for: nothing is compared. */
static char *forecast_text(const struct outlook *o, const struct outlook_row *r, int64_t iterations)
{
    char *cost = cost_text(o, r, iterations),
         *times = r->config.kernel->baseline || !o->csr ? xstrdup("") : gain_text(o, r);
    char *text = xasprintf("%s is forecast to take %s us%s%s", r->text,
                           textout_digits(r->forecast.time_s * 1e6, 4).text, times, cost);

    free(cost);
    free(times);
    return text;
}

static char *slower_text(const struct outlook *o, const struct outlook_row *fastest, int64_t iterations)
{
    return xasprintf("none of %s is forecast to be faster than %s%s; the fastest is %s, %.2fx %s",
                     counted(o->named, "configuration").text, kernel_baseline()->name,
                     iterations > 0 ? ", conversion counted" : "", fastest->text,
                     (iterations > 0 ? (double)iterations : 1) * o->csr->forecast.time_s / total_s(fastest, iterations),
                     kernel_baseline()->name);
}

static char *use_text(const struct outlook *o, const struct outlook_row *pick, int64_t iterations)
{
    char *gain = gain_text(o, pick), *cost = cost_text(o, pick, iterations),
         *passed = passed_over_text(o, pick, iterations);
    char *text = xasprintf("use %s%s%s%s", pick->text, gain, cost, passed);

    free(gain);
    free(cost);
    free(passed);
    return text;
}

const struct outlook_row *advice_recommended(const struct outlook *o, int64_t iterations)
{
    const struct outlook_row *pick = advice_pick(o, iterations);

    if (!pick || o->named == 1)
        return NULL;
    /* never where all are shown: the baseline itself is among them */
    return o->csr && total_s(pick, iterations) > total_s(o->csr, iterations) ? NULL : pick;
}

char *advice_text(const struct outlook *o, int64_t iterations)
{
    const struct target_words target = target_words(&o->target);
    const struct outlook_row *pick = advice_pick(o, iterations);

    if (!pick)
        return xasprintf("%s: nothing can be recommended, no configuration has a forecast", target.text);
    char *times = iterations > 0 ? xasprintf(", %s", counted(iterations, "SpMV").text) : xstrdup("");
    char *text = o->named == 1                       ? forecast_text(o, pick, iterations)
                 : advice_recommended(o, iterations) ? use_text(o, pick, iterations)
                                                     : slower_text(o, pick, iterations);
    char *extrapolated = pick->status == OUTLOOK_EXTRAPOLATED ? xstrdup("; extrapolated, see its reason")
                         : o->csr && o->csr->status == OUTLOOK_EXTRAPOLATED
                             ? xasprintf("; that of %s is extrapolated", kernel_baseline()->name)
                             : xstrdup("");
    char *line = xasprintf("%s%s: %s%s", target.text, times, text, extrapolated);

    free(extrapolated);
    free(times);
    free(text);
    return line;
}
