/* SPDX-License-Identifier: BSD-3-Clause */
/* Advice as text (advice.h): the configuration to use, its time and interval, its gain, set-up cost and break-even. */
#include "forecast/advice.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/strings.h"
#include "forecast/pick.h"
#include "formats/format.h"
#include "table/textout.h"

/* Formats a time as microseconds with three significant digits. */
static struct digits us(double seconds) { return textout_digits(seconds * 1e6, 3); }

/* Appends to *text, which is malloc'd and replaced. */
static void add(char **text, const char *fmt, ...) PRINTF_LIKE(2, 3);
static void add(char **text, const char *fmt, ...)
{
    char more[2 * CONFIG_LEN + ERRLEN];
    va_list args;
    va_start(args, fmt);
    vsnprintf(more, sizeof more, fmt, args);
    va_end(args);
    char *both = xasprintf("%s%s", *text, more);
    free(*text);
    *text = both;
}

/* ---- parts of the line ---- */

/* Appends "2.40 us (2.20 to 2.70)"; with --iterations, the total and the time per product. */
static void add_time(char **text, const struct outlook *o, const struct outlook_row *r)
{
    const bool total = o->terms.products > 0 && !isnan(r->total_s);
    const double low = total ? r->total_low_s : r->forecast.low_s, high = total ? r->total_high_s : r->forecast.high_s;
    add(text, "%s us", us(total ? r->total_s : r->forecast.time_s).text);
    if (!isnan(low))
        add(text, " (%s to %s)", us(low).text, us(high).text);
    if (total)
        add(text, " for %s", counted(o->terms.products, "product").text);
    if (total && o->terms.products > 1)
        add(text, ", %s us each", us(r->forecast.time_s).text);
}

/* Appends ", 1.90x as fast as cusparse-csr:alg=1,pre=1". */
static void add_gain(char **text, const struct outlook *o, const struct outlook_row *r)
{
    const struct outlook_row *library = outlook_library(o);
    if (!library && !kernel_runs_on(kernel_baseline(), o->target.device.kind))
        return;
    if (!library) {
        add(text, "; %s has no forecast to compare with", kernel_baseline()->name);
        return;
    }
    if (r->config.kernel->baseline)
        return;
    const double gain = outlook_value(o, library) / outlook_value(o, r);
    if (isnan(gain))
        return;
    add(text, ", %.2fx as fast as %s", gain, library->text);
    if (library->status == OUTLOOK_EXTRAPOLATED)
        add(text, " (extrapolated)");
    if (outlook_alike(o, library, r))
        add(text, " (within the uncertainty)");
    if (library->model != o->model)
        add(text, " (forecast of %s)", library->model->name);
}

/* Appends "; no conversion, preparation takes 38.0 us". */
static void add_cost(char **text, const struct outlook *o, const struct outlook_row *r)
{
    if (r->free && r->convert_s == 0) {
        add(text, "; no conversion or preparation");
        return;
    }
    if (isnan(r->convert_s))
        add(text, "; the conversion was never timed");
    else if (r->convert_s == 0)
        add(text, "; no conversion");
    else
        add(text, "; %s takes %s us", r->csr ? "copying to the GPU" : "conversion", us(r->convert_s).text);
    if (!o->preparations)
        return;
    if (isnan(r->prepare_s))
        add(text, ", the preparation was never timed");
    else if (outlook_sets_up(r->config.kernel))
        add(text, ", preparation %s%s us", r->convert_s > 0 ? "" : "takes ", us(r->prepare_s).text);
}

static void add_breakeven(char **text, double n, const char *against)
{
    if (n == 0)
        add(text, "immediately against %s", against);
    else
        add(text, "after %s against %s", counted((int64_t)fmin(n, 9e18), "product").text, against);
}

/* Appends "; pays off after 17 products against csr-vector:..., after 3 products against cusparse-csr:...". These numbers do
 * not depend on --iterations. */
static void add_pays(char **text, const struct outlook *o, const struct outlook_row *r)
{
    const bool beside_free = o->free && o->free != r && !isnan(r->breakeven_free),
               beside_library = o->csr && o->csr != r && !isnan(r->breakeven_library);
    const bool at_once = (!beside_free || r->breakeven_free == 0) && (!beside_library || r->breakeven_library == 0);
    if (r->free || (!beside_free && !beside_library) || (at_once && r->csr))
        return;
    if (at_once) {
        add(text, "; pays off immediately");
        return;
    }
    add(text, "; pays off ");
    if (beside_free)
        add_breakeven(text, r->breakeven_free, o->free->text);
    if (beside_library) {
        add(text, beside_free ? ", " : "");
        add_breakeven(text, r->breakeven_library, o->csr->text);
    }
}

/* Appends why the fastest configuration per product is not the pick, unless the pick is as fast (within pick_tie). Composites that equal
 * one of their parts are never picked beside others (outlook_pick). */
static void add_passed_over(char **text, const struct outlook *o, const struct outlook_row *pick)
{
    const struct outlook_row *fastest = NULL;
    for (int i = 0; i < o->n && o->row[i].place; i++)
        if (o->row[i].shown && (!o->row[i].one_part || pick->one_part)
            && (!fastest || o->row[i].forecast.time_s < fastest->forecast.time_s))
            fastest = &o->row[i];
    if (!fastest || pick->forecast.time_s < pick_tie * fastest->forecast.time_s)
        return;
    const double ratio = pick->forecast.time_s / fastest->forecast.time_s, pays = outlook_breakeven(fastest, pick);
    if (isnan(fastest->setup_s) && o->terms.products > 0)
        add(text, "; %s is forecast to be %.2fx as fast, but its set-up was never timed", fastest->text, ratio);
    else if (o->terms.products > 0 && outlook_value(o, fastest) >= outlook_value(o, pick))
        add(text, "; %s is %.2fx as fast per product, but pays off only after %s", fastest->text, ratio,
            counted((int64_t)fmin(pays, 9e18), "product").text);
    else
        add(text, "; %s is forecast to be %.2fx as fast, but with less certainty (%s to %s us)", fastest->text, ratio,
            us(fastest->forecast.low_s).text, us(fastest->forecast.high_s).text);
}

int advice_alike(const struct outlook *o, const struct outlook_row *pick)
{
    int n = 0;
    for (int i = 0; i < o->n && o->row[i].place; i++)
        n += &o->row[i] != pick && o->row[i].shown && !o->row[i].one_part && outlook_alike(o, &o->row[i], pick);
    return n;
}

static void add_alike(char **text, const struct outlook *o, const struct outlook_row *pick)
{
    enum { TUNED = 5 };
    const int n = advice_alike(o, pick);
    if (n == 0)
        return;
    add(text, "; %s %s within its uncertainty", counted(n, "other").text, n == 1 ? "is" : "are");
    if (n < TUNED)
        add(text, "; --tune %d on that device measures which is fastest", n + 1);
    else
        add(text, "; --tune %d on that device times the best %d", TUNED, TUNED);
}

static void add_status(char **text, const struct outlook_row *r)
{
    if (r->status == OUTLOOK_EXTRAPOLATED)
        add(text, "; extrapolated: %s", r->reason);
}

/* Appends whose forecast it is if the model of the others refuses it. */
static void add_model(char **text, const struct outlook *o, const struct outlook_row *r)
{
    if (r->model != o->model)
        add(text, "; this forecast is that of %s: %s does not forecast %s", r->model->name, o->model->name,
            r->config.kernel->name);
}

/* ---- the line of one target ---- */
const struct outlook_row *advice_recommended(const struct outlook *o)
{
    const struct outlook_row *pick = outlook_pick(o), *library = outlook_library(o);
    if (!pick || o->named == 1)
        return NULL;
    /* With -c the library may not be among the rows shown; otherwise the pick was already compared with it. */
    return o->named > 0 && library && !(outlook_value(o, pick) <= outlook_value(o, library)) ? NULL : pick;
}

static void count_statuses(const struct outlook *o, int *ranked, int *refused)
{
    *ranked = *refused = 0;
    for (int i = 0; i < o->n; i++) {
        *ranked += o->row[i].shown && o->row[i].place > 0;
        *refused += o->row[i].shown && o->row[i].status == OUTLOOK_REFUSED;
    }
}

static void add_use(char **text, const struct outlook *o, const struct outlook_row *pick)
{
    int ranked, refused;
    count_statuses(o, &ranked, &refused);
    add(text, "use %s; ", pick->text);
    add_time(text, o, pick);
    add_gain(text, o, pick);
    add_cost(text, o, pick);
    add_pays(text, o, pick);
    if (pick->config.kernel->baseline && ranked == 2)
        add(text, "; the other configuration is not forecast to be faster");
    else if (pick->config.kernel->baseline && ranked > 2)
        add(text, "; none of the other %s is forecast to be faster", counted(ranked - 1, "configuration").text);
    if (pick->config.kernel->baseline && refused > 0)
        add(text, "; %s %s no forecast", counted(refused, "configuration").text, refused == 1 ? "has" : "have");
    add_passed_over(text, o, pick);
    add_alike(text, o, pick);
    add_status(text, pick);
    add_model(text, o, pick);
}

/* Appends the forecast of the only configuration requested; without a second one there is no recommendation. */
static void add_forecast(char **text, const struct outlook *o, const struct outlook_row *r)
{
    add(text, "%s: forecast ", r->text);
    add_time(text, o, r);
    add_gain(text, o, r);
    add_cost(text, o, r);
    add_pays(text, o, r);
    add_status(text, r);
    add_model(text, o, r);
}

static void add_slower(char **text, const struct outlook *o, const struct outlook_row *fastest)
{
    const struct outlook_row *library = outlook_library(o);
    add(text, "none of the %s is forecast to be faster than %s (", counted(o->named, "configuration").text,
        library->text);
    add_time(text, o, library);
    add(text, "); the best is %s: ", fastest->text);
    add_time(text, o, fastest);
    add_cost(text, o, fastest);
}

char *advice_text(const struct outlook *o, bool all)
{
    const struct outlook_row *pick = outlook_pick(o);
    char *text = xasprintf("%s: ", target_words(&o->target).text);
    if (!pick)
        add(&text, "no recommendation: no configuration has a forecast%s",
            all || o->named > 0 ? "" : " (--all prints the reasons)");
    else if (o->named == 1)
        add_forecast(&text, o, pick);
    else if (advice_recommended(o))
        add_use(&text, o, pick);
    else
        add_slower(&text, o, pick);
    return text;
}

/* ---- several devices ---- */
int advice_device(const struct outlook *o, int n, int preferred)
{
    int best = -1;
    for (int i = 0; i < n; i++) {
        const struct outlook_row *pick = outlook_pick(&o[i]);
        if (!pick || isnan(outlook_value(&o[i], pick)))
            continue;
        if (i == preferred)
            return i;
        if (best < 0 || outlook_value(&o[i], pick) < outlook_value(&o[best], outlook_pick(&o[best])))
            best = i;
    }
    return best;
}

char *advice_devices_text(const struct outlook *o, const char *const *name, int n, int preferred)
{
    const int best = advice_device(o, n, preferred), fastest = advice_device(o, n, -1);
    char *text = xasprintf("%s: ", target_words(&o[0].target).text);
    if (best < 0) {
        add(&text, "no device has a forecast");
        return text;
    }
    const struct outlook_row *pick = outlook_pick(&o[best]);
    add(&text, "%s device %s: %s: ", best == fastest ? "fastest" : "preferred", name[best], pick->text);
    add_time(&text, &o[best], pick);
    for (int i = 0; i < n; i++) {
        const struct outlook_row *other = i == best ? NULL : outlook_pick(&o[i]);
        if (other && !isnan(outlook_value(&o[i], other)))
            add(&text, "; %s takes %.2fx as long%s", name[i],
                outlook_value(&o[i], other) / outlook_value(&o[best], pick),
                outlook_alike(&o[i], other, pick) ? " (within the uncertainty)" : "");
        else if (i != best)
            add(&text, "; %s has no forecast", name[i]);
    }
    if (preferred >= 0 && best != preferred)
        add(&text, "; the preferred %s has no forecast", name[preferred]);
    return text;
}
