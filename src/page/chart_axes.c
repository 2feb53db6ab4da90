/* SPDX-License-Identifier: BSD-3-Clause */
/* Scales of charts: ranges and ticks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "page/chart_inside.h"
#include "page/svg.h"

static double to_scale(const struct scale *s, double value) { return s->log ? log10(value) : value; }

double scale_at(const struct scale *s, double value)
{
    if (!isfinite(value) || (s->log && value <= 0))
        return NAN;
    const double low = to_scale(s, s->low), high = to_scale(s, s->high);
    return s->from + (s->to - s->from) * (to_scale(s, value) - low) / (high - low);
}

double scale_band(const struct scale *s, long n)
{
    return fabs(s->to - s->from) / (double)(s->category ? s->ncategories : n > 1 ? n : 2);
}

/* The least of 1, 2, 5 times a power of ten that is at least `value`. */
static double nice(double value)
{
    const double power = pow(10, floor(log10(value) + 1e-9)), digit = value / power;

    return power * (digit <= 1 + 1e-9 ? 1 : digit <= 2 + 1e-9 ? 2 : digit <= 5 + 1e-9 ? 5 : 10);
}

/* 10^e, exact where a double can be. */
static double power10(int e) { return e < 0 ? 1 / pow(10, -e) : pow(10, e); }

static void add_tick(struct scale *s, double at, bool minor)
{
    const double slack = 1e-9;

    if (s->nticks == NTICKS)
        return;
    if (s->log ? at < s->low * (1 - slack) || at > s->high * (1 + slack)
               : at < s->low - slack * (s->high - s->low) || at > s->high + slack * (s->high - s->low))
        return;
    s->tick[s->nticks++] = (struct tick){ .at = at, .minor = minor };
}

/* ---- do the labels fit? ---- */

double label_at(const struct scale *s, const struct tick *t)
{
    const double at = scale_at(s, t->at);

    return s->across ? fmin(at, CHART_WIDTH - 2 - text_units(t->text, FONT) / 2) : at;
}

/* Whether the labelled ticks (in the order of their values) leave room between each other. */
static bool labels_fit(const struct scale *s)
{
    double end = -INFINITY;

    for (int i = 0; i < s->nticks; i++) {
        const struct tick *t = &s->tick[i];
        if (!*t->text)
            continue;
        const double half = s->across ? text_units(t->text, FONT) / 2 + 4 : 9;
        const double at = fabs(label_at(s, t) - s->from);
        if (at - half < end)
            return false;
        end = at + half;
    }
    return true;
}

static int labelled(const struct scale *s)
{
    int n = 0;

    for (int i = 0; i < s->nticks; i++)
        n += *s->tick[i].text != 0;
    return n;
}

/* ---- ticks at multiples of a step ---- */

/* Labels of ticks at multiples of `step`: all with an exponent (from 1e5 on), or none, which is shorter if there
 * are many digits. */
static void label_linear(struct scale *s, double step)
{
    const double largest = fmax(fabs(s->low), fabs(s->high));
    const int digits = (int)(floor(log10(largest) + 1e-9) - floor(log10(step) + 1e-9)) + 1;
    const int decimals = (int)-floor(log10(step) + 1e-9);
    const bool plain = largest >= 1e-3 && largest < (digits > 3 ? 1e9 : 1e5);

    for (int i = 0; i < s->nticks; i++) {
        struct tick *t = &s->tick[i];
        if (fabs(t->at) < 1e-9 * step)
            snprintf(t->text, sizeof t->text, "0");
        else if (plain)
            snprintf(t->text, sizeof t->text, "%.*f", decimals > 0 ? decimals : 0, t->at);
        else { /* 1.5e5, also below 1e5, as the others on this axis */
            const int e = (int)floor(log10(fabs(t->at)) + 1e-9);
            char mantissa[24];
            brief_number(t->at / power10(e), digits > 0 ? digits : 1, mantissa, sizeof mantissa);
            snprintf(t->text, sizeof t->text, "%.15se%d", mantissa, e);
        }
    }
}

static void linear(struct scale *s, const struct axis *axis, double low, double high)
{
    for (int count = s->across ? 8 : 6; count >= 1; count--) {
        const double step = nice((high - low) / count);
        s->low = isnan(axis->low) ? floor(low / step + 1e-9) * step : low;
        s->high = isnan(axis->high) ? ceil(high / step - 1e-9) * step : high;
        if (s->log && s->low <= 0)
            s->low = low;
        s->nticks = 0;
        const double first = ceil(s->low / step - 1e-9);
        for (int i = 0; i < NTICKS && (first + i) * step <= s->high + 1e-9 * step; i++)
            add_tick(s, (first + i) * step, false);
        label_linear(s, step);
        if (labels_fit(s))
            return;
    }
}

/* ---- ticks of logarithmic scales ---- */

/* Rounds down (up) to 1, 2 or 5 times a power of ten. */
static double round_125(double value, bool up)
{
    const int e = (int)floor(log10(value) + 1e-9);
    const double power = power10(e), digit = value / power, slack = 1e-9;

    if (up)
        return power * (digit <= 1 + slack ? 1 : digit <= 2 + slack ? 2 : digit <= 5 + slack ? 5 : 10);
    return power * (digit >= 5 - slack ? 5 : digit >= 2 - slack ? 2 : 1);
}

/* Ticks at digits 1..9 of each decade; labels at 1, 2 and 5 (every = 0), or at each `every`th power of ten. */
static void decades(struct scale *s, int every)
{
    const int first = (int)floor(log10(s->low) + 1e-9), last = (int)ceil(log10(s->high) - 1e-9);

    s->nticks = 0;
    for (int e = first; e <= last; e++)
        for (int digit = 1; digit < 10; digit++) {
            const bool is_125 = digit == 1 || digit == 2 || digit == 5, major = every ? digit == 1 : is_125;
            const double at = digit * power10(e);
            const int before = s->nticks;
            const bool named = major && (!every || e % every == 0);
            if (!named && (last - first > (major ? 40 : 6) || (every > 1 && !major)))
                continue;
            add_tick(s, at, !major);
            if (s->nticks > before && named)
                brief_number(at, 1, s->tick[before].text, sizeof s->tick[before].text);
        }
}

static void logarithmic(struct scale *s, const struct axis *axis, double low, double high)
{
    s->low = isnan(axis->low) ? round_125(low, false) : low;
    s->high = isnan(axis->high) ? round_125(high, true) : high;
    for (int every = 0; every < 700; every++) {
        decades(s, every);
        if (labelled(s) < 3 && every == 0)
            break;
        if (labelled(s) >= 2 && labels_fit(s))
            return;
    }
    linear(s, axis, low, high);
}

/* ---- ranges ---- */

void scale_fit(struct scale *s, const struct axis *axis, double least, double most)
{
    double low = isnan(axis->low) ? least : axis->low, high = isnan(axis->high) ? most : axis->high;

    s->log = axis->log && !axis->category;
    s->category = axis->category;
    s->ncategories = axis->category ? axis->ncategories : 0;
    if (s->category) {
        s->low = -0.5;
        s->high = (double)(s->ncategories > 0 ? s->ncategories : 1) - 0.5;
        return;
    }
    if (s->log && !(low > 0))
        low = high > 0 ? high / 10 : 1;
    if (isnan(low))
        low = isnan(high) ? 0 : fmin(0, high - 1);
    if (isnan(high))
        high = s->log ? 10 * low : low + 1;
    if (!(high > low)) { /* one value */
        const double spread = s->log ? 0 : low == 0 ? 1 : fabs(low) / 2;
        high = s->log ? low * 2 : low + spread;
        low = s->log ? low / 2 : low - spread;
    }
    if (s->log)
        logarithmic(s, axis, low, high);
    else
        linear(s, axis, low, high);
}
