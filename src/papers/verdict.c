/* SPDX-License-Identifier: BSD-3-Clause */
/* The rule for verdicts on claims. */
#include "papers/verdict.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/samples.h"
#include "base/stats.h"

enum { DRAWS = 2000, FAMILIES = 5 };

const char *verdict_name(enum claim_verdict v)
{
    static const char *const names[VERDICTS] = { "",           "holds",           "does not hold",
                                                 "as printed", "smaller here",    "larger here",
                                                 "undecided",  "cannot be tested" };
    return names[v];
}

/* ---- parsing */

/* Parses "A|B|..." or "A..B" into least and greatest. */
static int parse_size(const char *text, struct rule *r, bool *spread, char why[ERRLEN])
{
    const char *dots = strstr(text, "..");
    char *copy = dots ? xasprintf("%.*s|%s", (int)(dots - text), text, dots + 2) : xstrdup(text), *rest = copy, *item;
    int status = 0;
    double v;

    *spread = dots != NULL;
    r->low = INFINITY;
    r->high = -INFINITY;
    while (status == 0 && (item = strsep(&rest, "|"))) {
        if (parse_real(item, -INFINITY, INFINITY, &v) != 0)
            status =
                fail(why, "size \"%s\": expected a number, \"A|B\" of several devices, or a spread \"A..B\"", text);
        r->low = fmin(r->low, v);
        r->high = fmax(r->high, v);
    }
    free(copy);
    return status;
}

static int parse_margin(const char *text, struct rule *r, char why[ERRLEN])
{
    const char *points = strstr(text, " points");
    char *number = xasprintf("%.*s", points ? (int)(points - text) : (int)strlen(text), text);
    double m;
    const int status = parse_real(number, points ? 0 : 1, INFINITY, &m);

    free(number);
    if (status != 0 || (points && points[7]))
        return fail(why, "margin \"%s\": expected a factor of at least 1, or \"N points\"", text);
    if (!points && !(r->low > 0))
        return fail(why, "margin \"%s\": a size that is not positive needs \"N points\"", text);
    r->points = points != NULL;
    r->low = points ? r->low - m : r->low / m;
    r->high = points ? r->high + m : r->high * m;
    return 0;
}

int rule_parse(const char *direction, const char *size, const char *margin, struct rule *r, char why[ERRLEN])
{
    bool spread = false;

    *r = (struct rule){ .compares = *direction, .sized = *size };
    if (!*direction && !*size)
        return fail(why, "a claim with a figure needs a direction or a size");
    if (*direction && condition_parse(direction, &r->direction, why) != 0)
        return FAIL;
    if (*direction && r->direction.relation != ABOVE && r->direction.relation != BELOW)
        return fail(why, "direction \"%s\": expected \"> N\" or \"< N\"", direction);
    if (*size && parse_size(size, r, &spread, why) != 0)
        return FAIL;
    if (*size && !spread)
        return *margin ? parse_margin(margin, r, why) : fail(why, "size \"%s\" needs a margin", size);
    return *margin ? fail(why, "margin \"%s\": a spread, or a claim without a size, has none", margin) : 0;
}

/* ---- verdict on a value or an interval */

static enum claim_verdict direction_of(const struct rule *r, double low, double high)
{
    const bool a = condition_holds(&r->direction, low), b = condition_holds(&r->direction, high);

    return a && b ? HOLDS : !a && !b ? DOES_NOT_HOLD : UNDECIDED;
}

static enum claim_verdict size_of(const struct rule *r, double low, double high)
{
    return low >= r->low && high <= r->high ? AS_PRINTED : high < r->low ? SMALLER : low > r->high ? LARGER : UNDECIDED;
}

static enum claim_verdict headline_of(const struct rule *r, double low, double high)
{
    return r->compares ? direction_of(r, low, high) : size_of(r, low, high);
}

/* ---- uncertainty */

/* A value in percent is r = T1 / T2 of two times. An error of a forecast that is too short, and time saved, are 100 (1 - r): */
static bool is_below(const struct statistic_side *s, double over)
{
    return strcmp(s->unit, UNIT_SAVED) == 0 || over < 1;
}

/* Returns a value after r has become `times` as long. */
static double with_time(const struct statistic_side *s, double v, double over, double times)
{
    const double sign = is_below(s, over) ? -1 : 1;
    const bool percent = strcmp(s->unit, "%") == 0 || strcmp(s->unit, UNIT_SAVED) == 0;

    return percent ? sign * 100 * ((1 + sign * v / 100) * times - 1) : v * times;
}

/* Sets low and high to a value of one measurement as another run might give it. A whole number and a word are exact; an error ends at 0, a
 * share of the best speed at 100. */
static void set_repeatable(const struct statistic_side *s, double v, double over, double *low, double *high)
{
    const double times = s->whole || s->condition.text[0] ? 1 : 1 + REPEATABILITY;
    const double a = with_time(s, v, over, 1 / times), b = with_time(s, v, over, times);

    *low = fmin(a, b);
    *high = fmax(a, b);
    if (strcmp(s->unit, "%") == 0 && v >= 0)
        *low = fmax(*low, 0);
    if (strcmp(s->unit, UNIT_BEST) == 0)
        *high = fmin(*high, 100);
}

/* Sets low and high to one side of a statistic if the times of its units change, each by itself. */
static void side_repeatability(const struct statistic *s, const struct units *u, int side, double *low, double *high)
{
    struct units least = units_copy(u), most = units_copy(u);

    for (long i = 0; i < u->n; i++)
        set_repeatable(&s->side[side], u->unit[i].value[side], u->unit[i].over[side], &least.unit[i].value[side],
                       &most.unit[i].value[side]);
    *low = statistic_side(s, &least, side);
    *high = statistic_side(s, &most, side);
    units_free(&least);
    units_free(&most);
}

/* Of a maximum, a minimum or one matrix. The sides of a ratio move by themselves, also two errors of one measured time: each forecast is made
 * of measured times, too. */
static void repeatability(const struct statistic *s, const struct units *u, struct finding *f)
{
    double low, high;

    side_repeatability(s, u, 0, &f->low, &f->high);
    if (s->nsides == 1)
        return;
    side_repeatability(s, u, 1, &low, &high);
    f->low /= high;
    f->high = low > 0 ? f->high / low : (double)INFINITY;
}

/* The units of each family, one family after the other. */
struct by_family {
    int64_t n;
    int64_t *first, *unit; /* [n + 1], [units] */
};

static void sort_families(const struct units *u, struct by_family *b)
{
    int64_t *number = xmalloc(sizeof *number * ((unsigned long)u->n + 1)),
            *seen = xcalloc((unsigned long)u->n + 1, sizeof *seen);

    *b = (struct by_family){ .first = xcalloc((unsigned long)u->n + 2, sizeof *b->first),
                             .unit = xmalloc(sizeof *b->unit * ((unsigned long)u->n + 1)) };
    for (long i = 0; i < u->n; i++) {
        int64_t *of = &seen[u->unit[i].family];
        *of = *of ? *of : ++b->n;
        number[i] = *of - 1;
        b->first[*of]++;
    }
    for (int64_t k = 0; k < b->n; k++)
        b->first[k + 1] += b->first[k];
    int64_t *next = xmalloc(sizeof *next * ((unsigned long)b->n + 1));
    memcpy(next, b->first, sizeof *next * ((unsigned long)b->n + 1));
    for (long i = 0; i < u->n; i++)
        b->unit[next[number[i]]++] = i;
    free(next);
    free(number);
    free(seen);
}

/* Returns the statistic over the units of as many families as there are, drawn with replacement. family, unit: room for their numbers. */
static double draw(const struct statistic *s, const struct units *u, const struct by_family *b, uint32_t number,
                   int64_t *family, int64_t **unit, long *room)
{
    long n = 0;

    resample(b->n, number, family);
    for (int64_t k = 0; k < b->n; k++) {
        const int64_t from = b->first[family[k]], end = b->first[family[k] + 1];
        if (n + end - from > *room) {
            *room = 2 * (n + end - from);
            *unit = xrealloc(*unit, sizeof **unit * (unsigned long)*room);
        }
        for (int64_t i = from; i < end; i++)
            (*unit)[n++] = b->unit[i];
    }
    return statistic_value(s, u, *unit, n);
}

/* Of a share of 0 or 100 %, which every draw has: the exact 95 % interval of a share of which all families or none were seen (Clopper and
 * Pearson 1934). */
static void exact_share(struct finding *f)
{
    const double least = 100 * pow(0.025, 1 / (double)f->families);

    if (f->value >= 100)
        f->low = least;
    else if (f->value <= 0)
        f->high = 100 - least;
}

static void bootstrap(const struct rule *r, const struct statistic *s, const struct units *u, const struct by_family *b,
                      struct finding *f)
{
    const enum claim_verdict whole = headline_of(r, f->value, f->value);
    int64_t *family = xmalloc(sizeof *family * (unsigned long)b->n), *unit = NULL;
    double *value = xmalloc(sizeof *value * DRAWS);
    long room = 0, other = 0;

    for (uint32_t i = 0; i < DRAWS; i++) {
        value[i] = draw(s, u, b, i, family, &unit, &room);
        other += headline_of(r, value[i], value[i]) != whole;
    }
    stats_sort(value, DRAWS);
    f->low = stats_quantile(value, DRAWS, 0.025);
    f->high = stats_quantile(value, DRAWS, 0.975);
    f->flip = (double)other / DRAWS;
    if (statistic_is(s, "share") && f->low == f->high)
        exact_share(f);
    free(family);
    free(unit);
    free(value);
}

/* Returns the least number of families for which a limit leaves the interval, if the distance of its end from the value shrinks with the
 * root of their number; 0: the limit is outside. */
static double needed_for(const struct finding *f, double limit)
{
    const double end = limit < f->value ? f->low : f->high;
    const bool log_scale = f->low > 0;
    const double ratio =
        log_scale ? log(end / f->value) / log(limit / f->value) : (end - f->value) / (limit - f->value);

    return limit < f->low || limit > f->high ? 0
           : limit == f->value               ? (double)INFINITY
                                             : floor((double)f->families * ratio * ratio) + 1;
}

/* Returns how many families would decide. */
static double needed(const struct rule *r, const struct finding *f)
{
    return r->compares ? needed_for(f, r->direction.value) : fmax(needed_for(f, r->low), needed_for(f, r->high));
}

void verdict_make(const struct rule *r, const struct statistic *s, const struct units *u, struct finding *f)
{
    const bool alone = statistic_is(s, "max") || statistic_is(s, "min") || statistic_is_single(s);
    struct by_family families;

    sort_families(u, &families);
    *f = (struct finding){
        .matrices = u->n, .families = families.n, .low = NAN, .high = NAN, .needed = NAN, .flip = NAN
    };
    f->value = statistic_value(s, u, NULL, u->n);
    if (u->n > 0 && alone)
        repeatability(s, u, f);
    else if (families.n >= FAMILIES)
        bootstrap(r, s, u, &families, f);
    const bool known = !isnan(f->low);
    const enum claim_verdict unknown = u->n > 0 ? UNDECIDED : UNTESTED;
    f->direction = !r->compares ? VERDICT_NONE : known ? direction_of(r, f->low, f->high) : unknown;
    f->size = !r->sized ? VERDICT_NONE : known ? size_of(r, f->low, f->high) : unknown;
    f->headline = r->compares ? f->direction : f->size;
    if (f->headline == UNDECIDED) {
        f->doubt = !known  ? "fewer than five families"
                   : alone ? "two runs differ by more than the distance to the limit"
                           : "the interval contains the limit";
        f->needed = known && !alone ? needed(r, f) : (double)NAN;
    }
    free(families.first);
    free(families.unit);
}
