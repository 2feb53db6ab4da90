/* SPDX-License-Identifier: BSD-3-Clause */
/* Advice as text (advice.h): the configuration to use, its time and interval, its gain, set-up cost and break-even. */
#include "forecast/advice.h"
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/strings.h"
#include "formats/format.h"
#include "table/textout.h"

static struct digits duration(double seconds) { return textout_time(seconds, 3); }

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

char *advice_time(const struct pick_row *r, int64_t products)
{
    const bool total = products > 0 && !isnan(r->setup_s);
    const double time_s = pick_value(r, total ? products : 0), unit = time_unit_of(time_s).per_s;
    const struct pick_ends ends = pick_interval(r, total ? products : 0);
    char *text = xstrdup(duration(time_s).text);
    if (!isnan(ends.low))
        add(&text, " (%s to %s)", textout_digits(ends.low * unit, 3).text, textout_digits(ends.high * unit, 3).text);
    if (total)
        add(&text, " for %s", counted(products, "product").text);
    if (total && products > 1)
        add(&text, ", %s each", duration(r->time_s).text);
    if (!total)
        add(&text, " per product, %s", products > 0 ? "the set-up was never timed" : "set-up not counted");
    return text;
}

static int decimals(double ratio) { return ratio < 0.01 ? 4 : ratio < 0.1 ? 3 : 2; }

char *advice_ratio(const struct pick_gain *g)
{
    const int n = decimals(g->ratio);
    return isnan(g->low) ? xasprintf("%.*fx", n, g->ratio)
                         : xasprintf("%.*fx (%.*f to %.*f)", n, g->ratio, n, g->low, n, g->high);
}

static void add_time(char **text, const struct outlook *o, const struct outlook_row *r)
{
    const struct pick_row row = outlook_pick_row(r);
    char *time = advice_time(&row, o->terms.products);
    add(text, "%s", time);
    free(time);
}

/* Appends "1.90x (1.70 to 2.10) as fast as csr-vector:...". */
static void add_ratio(char **text, const struct outlook *o, const struct pick_gain *gain,
                      const struct outlook_row *other)
{
    char *ratio = advice_ratio(gain);
    add(text, ", %s as fast as %s", ratio, other->text);
    free(ratio);
    if (other->status == OUTLOOK_EXTRAPOLATED)
        add(text, " (extrapolated)");
    if (other->model != o->model)
        add(text, " (forecast of %s)", other->model->name);
}

/* Appends the gain over the best configuration that leaves CSR as it is, and over the library. */
static void add_gain(char **text, const struct outlook *o, const struct outlook_row *r)
{
    const struct outlook_row *library = o->library, *stay = o->stay;
    if (stay && stay != library && stay != r && (!outlook_stays(r) || o->named == 1) && !isnan(r->gain_stay.ratio))
        add_ratio(text, o, &r->gain_stay, stay);
    if (library && !r->config.kernel->library && !isnan(r->gain_library.ratio))
        add_ratio(text, o, &r->gain_library, library);
    if (!library && kernel_runs_on(kernel_baseline(), o->target.device.kind))
        add(text, "; %s has no forecast to compare with", kernel_baseline()->name);
}

/* Appends "; no conversion, preparation takes 38.0 us". */
static void add_cost(char **text, const struct outlook *o, const struct outlook_row *r)
{
    if (r->free && r->convert_s <= 0 && !(r->prepare_s > 0)) {
        add(text, "; no conversion or preparation");
        return;
    }
    if (isnan(r->convert_s))
        add(text, "; the conversion was never timed");
    else if (r->convert_s == 0)
        add(text, "; no conversion");
    else
        add(text, "; %s takes %s", r->csr ? "copying to the GPU" : "conversion", duration(r->convert_s).text);
    if (!o->preparations)
        return;
    if (isnan(r->prepare_s))
        add(text, ", the preparation was never timed");
    else if (r->prepare_s > 0)
        add(text, ", preparation %s%s", r->convert_s > 0 ? "" : "takes ", duration(r->prepare_s).text);
}

static struct digits products_digits(double n)
{
    struct digits d;
    if (isinf(n))
        snprintf(d.text, sizeof d.text, "never");
    else
        snprintf(d.text, sizeof d.text, "%" PRId64, (int64_t)fmin(n, 9e18));
    return d;
}

/* Appends "after 17 products (12 to 40) against csr-vector:...", or "for fewer than 17 products ..." if `r` takes less set-up but longer
 * products. Returns whether `verb` was used. */
static bool add_breakeven(char **text, const char *verb, const struct outlook_row *r, const struct outlook_row *other,
                          bool named)
{
    const struct outlook_breakeven payoff = outlook_breakeven(r, other);
    const struct pick_breakeven b = payoff.at;
    const bool never = isinf(b.products);
    if (never)
        add(text, "never pays off");
    else if (b.products <= 0)
        add(text, "%simmediately", verb);
    else
        add(text, "%s%s %s", verb, payoff.fewer ? "for fewer than" : "after",
            counted((int64_t)fmin(b.products, 9e18), "product").text);
    if (b.products > 0 && !never && !isnan(b.low))
        add(text, payoff.fewer && isinf(b.high) ? " (surely for fewer than %s)" : " (%s to %s)",
            products_digits(b.low).text, products_digits(b.high).text);
    if (named)
        add(text, " against %s", other->text);
    return !never;
}

/* Appends "; pays off after 17 products (12 to 40) against csr-vector:..., immediately against cusparse-csr:...". */
static void add_pays(char **text, const struct outlook *o, const struct outlook_row *r)
{
    const bool stay = o->stay && o->stay != r && o->stay != o->library && !outlook_stays(r)
                      && !isnan(r->breakeven_stay.products),
               library = o->library && o->library != r && !isnan(r->breakeven_library.products);
    const bool at_once = (!stay || r->breakeven_stay.products <= 0) && (!library || r->breakeven_library.products <= 0);
    if ((!stay && !library) || (at_once && outlook_stays(r)))
        return;
    if (at_once) {
        add(text, "; pays off immediately");
        return;
    }
    add(text, "; ");
    const bool told = stay && add_breakeven(text, "pays off ", r, o->stay, true);
    if (library) {
        add(text, stay ? ", " : "");
        add_breakeven(text, told ? "" : "pays off ", r, o->library, true);
    }
}

const char *advice_verb(const struct outlook *o) { return o->choice.reason == PICK_STAY ? "stay with" : "use"; }

char *advice_reason(const struct outlook *o)
{
    const struct outlook_choice *c = &o->choice;
    if (!c->row || c->reason == PICK_LOWEST)
        return xstrdup("");
    const struct pick_gain gain = outlook_gain(o, c->passed, c->row);
    char *ratio = advice_ratio(&gain),
         *text = xasprintf(c->reason == PICK_STAY ? "no gain beyond the uncertainty: %s is forecast to be %s as fast"
                                                  : "%s is forecast to be %s as fast, but extrapolated",
                           c->passed->text, ratio);
    free(ratio);
    return text;
}

/* Can the row be passed over for the pick? Composites that equal one of their parts cannot, unless the pick is one. */
static bool is_rival(const struct outlook_row *r, const struct outlook_row *pick)
{
    return r->shown && (!r->one_part || pick->one_part);
}

/* Returns, of the rows that are faster per product than the pick (beyond pick_tie) but not in total, the one that pays off after the fewest
 * products against it; of several the fastest per product. NULL: there is none, or their set-up was never timed. */
static const struct outlook_row *pays_first(const struct outlook *o, const struct outlook_row *pick)
{
    const struct outlook_row *first = NULL;
    double least = INFINITY;
    for (int i = 0; i < o->n && o->row[i].place; i++) {
        const struct outlook_row *r = &o->row[i];
        const double time_s = r->forecast.time_s, n = outlook_breakeven(r, pick).at.products;
        if (!is_rival(r, pick) || pick->forecast.time_s < pick_tie * time_s
            || outlook_value(o, r) < outlook_value(o, pick))
            continue;
        if (n < least || (first && n <= least && time_s < first->forecast.time_s)) {
            least = n;
            first = r;
        }
    }
    return first;
}

/* Appends "; ell:... is 2.00x as fast per product, but pays off only after 75 products (12 to 139)". */
static void add_pays_later(char **text, const struct outlook_row *r, const struct outlook_row *pick)
{
    add(text, "; %s is %.2fx as fast per product, but pays off only ", r->text,
        pick->forecast.time_s / r->forecast.time_s);
    add_breakeven(text, "", r, pick, false);
}

/* Appends what pays off for more products: first of all, then as the fastest per product, if that is another, against both. */
static void add_later(char **text, const struct outlook *o, const struct outlook_row *fastest,
                      const struct outlook_row *pick)
{
    const struct outlook_row *first = pays_first(o, pick);
    const bool timed = !isnan(fastest->setup_s);
    if (first && first != fastest)
        add_pays_later(text, first, pick);
    if (!timed)
        add(text, "; %s is forecast to be %.2fx as fast, but its set-up was never timed", fastest->text,
            pick->forecast.time_s / fastest->forecast.time_s);
    else
        add_pays_later(text, fastest, pick);
    if (timed && first && first != fastest) {
        add(text, ", and ");
        add_breakeven(text, "", fastest, first, true);
    }
}

/* Appends why the fastest configuration per product is not the pick, unless the pick is as fast (within pick_tie), or has another reason. */
static void add_passed_over(char **text, const struct outlook *o, const struct outlook_choice *c)
{
    const struct outlook_row *fastest = NULL, *pick = c->row;
    for (int i = 0; i < o->n && o->row[i].place; i++)
        if (is_rival(&o->row[i], pick) && (!fastest || o->row[i].forecast.time_s < fastest->forecast.time_s))
            fastest = &o->row[i];
    if (!fastest || fastest == c->passed || pick->forecast.time_s < pick_tie * fastest->forecast.time_s)
        return;
    const double ratio = pick->forecast.time_s / fastest->forecast.time_s;
    if (o->terms.products > 0 && !(outlook_value(o, fastest) < outlook_value(o, pick)))
        add_later(text, o, fastest, pick);
    else if (c->reason != PICK_LOWEST && o->terms.products > 0) {
        const struct pick_gain gain = outlook_gain(o, fastest, pick);
        char *total = advice_ratio(&gain);
        add(text, "; %s is %.2fx as fast per product, but %s in total", fastest->text, ratio, total);
        free(total);
    } else
        add(text, "; %s is forecast to be %.2fx as fast, but with less certainty (%s to %s)", fastest->text, ratio,
            duration(fastest->forecast.low_s).text, duration(fastest->forecast.high_s).text);
}

static bool is_alike(const struct outlook *o, const struct outlook_row *r, const struct outlook_row *pick)
{
    return r != pick && r->shown && !r->one_part && outlook_alike(o, r, pick);
}

int advice_alike(const struct outlook *o, const struct outlook_row *pick)
{
    int n = 0;
    for (int i = 0; i < o->n && o->row[i].place; i++)
        n += is_alike(o, &o->row[i], pick);
    return n;
}

/* Does --tune count the row among the best? Composites that equal one of their parts only if -c names configurations. */
static bool is_counted(const struct outlook *o, const struct outlook_row *r)
{
    return r->place > 0 && r->shown && (o->named > 0 || !r->one_part);
}

bool advice_tried(const struct outlook *o, const struct outlook_row *r, int64_t most)
{
    int64_t before = 0;
    for (int i = 0; i < o->n && &o->row[i] != r; i++)
        before += is_counted(o, &o->row[i]);
    return r->place > 0 && r->shown && (r == outlook_pick(o) || (before < most && is_counted(o, r)));
}

/* Returns the least K, from 2 on, with which --tune K times all rows that are alike. */
static int tunes_alike(const struct outlook *o, const struct outlook_row *pick)
{
    int counted_rows = 0, k = 2;
    for (int i = 0; i < o->n && o->row[i].place; i++) {
        counted_rows += is_counted(o, &o->row[i]);
        if (counted_rows > k && is_alike(o, &o->row[i], pick))
            k = counted_rows;
    }
    return k;
}

static void add_alike(char **text, const struct outlook *o, const struct outlook_row *pick, bool timed)
{
    enum { TUNED = 5 };
    const int n = advice_alike(o, pick);
    if (n == 0)
        return;
    add(text, "; %s %s within its uncertainty", counted(n, "other").text, n == 1 ? "is" : "are");
    if (timed || !error_in_program())
        return;
    const int k = tunes_alike(o, pick);
    if (k <= TUNED)
        add(text, "; --tune %d on that device measures which is fastest", k);
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
const struct outlook_row *advice_ahead(const struct outlook *o)
{
    const struct outlook_row *pick = outlook_pick(o), *left_out[] = { o->library, o->stay }, *ahead = NULL;
    for (int i = 0; i < 2 && pick && o->named > 0; i++) /* without -c the pick was already compared with them */
        if (left_out[i] && !left_out[i]->shown && !(outlook_value(o, pick) <= pick_tie * outlook_value(o, left_out[i]))
            && (!ahead || outlook_value(o, left_out[i]) < outlook_value(o, ahead)))
            ahead = left_out[i];
    return ahead;
}

const struct outlook_row *advice_recommended(const struct outlook *o)
{
    return o->named == 1 || advice_ahead(o) ? NULL : outlook_pick(o);
}

static void count_statuses(const struct outlook *o, int *ranked, int *refused)
{
    *ranked = *refused = 0;
    for (int i = 0; i < o->n; i++) {
        *ranked += o->row[i].shown && o->row[i].place > 0;
        *refused += o->row[i].shown && o->row[i].status == OUTLOOK_REFUSED;
    }
}

bool advice_none_faster(const struct outlook *o, const struct outlook_row *pick)
{
    bool none = true;
    for (int i = 0; i < o->n && o->row[i].place; i++)
        none =
            none && !(o->row[i].shown && !o->row[i].one_part && outlook_value(o, &o->row[i]) < outlook_value(o, pick));
    return none;
}

const char *advice_ahead_words(const struct outlook *o)
{
    return o->terms.products > 0 ? "take less in total" : "be faster";
}

static void add_use(char **text, const struct outlook *o, bool timed)
{
    const struct outlook_choice c = o->choice;
    const struct outlook_row *pick = c.row;
    int ranked, refused;
    count_statuses(o, &ranked, &refused);
    add(text, "%s %s; ", advice_verb(o), pick->text);
    add_time(text, o, pick);
    add_gain(text, o, pick);
    add_cost(text, o, pick);
    add_pays(text, o, pick);
    const bool fastest = pick == o->library && advice_none_faster(o, pick);
    if (fastest && ranked == 2)
        add(text, "; the other configuration is not forecast to %s", advice_ahead_words(o));
    else if (fastest && ranked > 2)
        add(text, "; none of the other %s is forecast to %s", counted(ranked - 1, "configuration").text,
            advice_ahead_words(o));
    if (pick == o->library && refused > 0)
        add(text, "; %s %s no forecast", counted(refused, "configuration").text, refused == 1 ? "has" : "have");
    char *reason = advice_reason(o);
    add(text, "%s%s", *reason ? "; " : "", reason);
    free(reason);
    add_passed_over(text, o, &c);
    add_alike(text, o, pick, timed);
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
    const struct outlook_row *ahead = advice_ahead(o);
    add(text, "none of the %s is forecast to be faster than %s (", counted(o->named, "configuration").text,
        ahead->text);
    add_time(text, o, ahead);
    add(text, "); the best is %s: ", fastest->text);
    add_time(text, o, fastest);
    add_cost(text, o, fastest);
}

/* Says that there is no forecast, and why the first one that was refused was, if no row will. */
static void add_none(char **text, const struct outlook *o, bool all)
{
    const struct outlook_row *refused = NULL;
    for (int i = 0; i < o->n && !refused; i++)
        if (o->row[i].status == OUTLOOK_REFUSED)
            refused = &o->row[i];
    add(text, "no recommendation: no configuration has a forecast");
    if (!all && o->named == 0)
        add(text, "%s%s%s%s (--all prints all reasons)", refused ? "; " : "", refused ? refused->text : "",
            refused ? ": " : "", refused ? refused->reason : "");
}

char *advice_text(const struct outlook *o, bool all, bool timed)
{
    const struct outlook_row *pick = outlook_pick(o);
    char *text = xasprintf("%s: ", target_words(&o->target).text);
    if (!pick)
        add_none(&text, o, all);
    else if (o->named == 1)
        add_forecast(&text, o, pick);
    else if (advice_recommended(o))
        add_use(&text, o, timed);
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
