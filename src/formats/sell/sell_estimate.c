/* SPDX-License-Identifier: BSD-3-Clause */
/* Estimates sell's padding and bytes from features. */
#include <inttypes.h>
#include <math.h>
#include "formats/sell/sell.h"
#include "matrix/estimates.h"

enum { PADDING_LIMIT = 10, LENGTHS_OF_32 = 5 };

/* Returns the expected maximum of n draws from the maxima of groups of 32 rows. */
static double expected_longest(const struct histogram *h, double n)
{
    double all = 0, below = 0, before = 0, sum = 0;

    for (int i = 0; i < h->n; i++)
        all += (double)h->count[i];
    for (int i = 0; i < h->n; i++) {
        below += (double)h->count[i];
        const double here = pow(below / all, n);
        sum += (double)h->value[i] * (here - before);
        before = here;
    }
    return sum;
}

/* Unsorted slices of more than 32 rows: assumes that their groups of 32 are drawn at random. A single slice always
 * has the longest row. */
static double slots_drawn(const struct features *f, int64_t c, double *steps)
{
    const int64_t whole = f->rows / c, rest = sell_strips(f->rows) * SELL_STRIP - whole * c;
    const struct histogram *h = &f->lengths[LENGTHS_OF_32];
    const double width = whole > 0 ? expected_longest(h, (double)(c / SELL_STRIP)) : 0;
    const double last = whole == 0 ? (double)f->row_max
                        : rest > 0 ? expected_longest(h, (double)(rest / SELL_STRIP))
                                   : 0;

    *steps = (double)whole * width + last;
    return (double)(whole * c) * width + (double)rest * last;
}

/* Assumes that the rows of each window are an even sample of all rows: slice q of a window begins with the length at
 * share q c / sigma of all sorted rows. */
static double slots_sorted(const struct features *f, int64_t c, int64_t sigma, double *steps)
{
    const int64_t rows = sigma < f->rows ? sigma : f->rows;
    const double windows = (double)f->rows / (double)rows, scale = (double)rows / (double)f->rows;
    const struct histogram *h = &f->lengths[0];
    double position = 0, sum = 0, last = 0;

    *steps = 0;
    for (int i = h->n - 1; i >= 0; i--) {
        const double end = position + (double)h->count[i];
        const double starts = ceil((end * scale - 0.5) / (double)c) - ceil((position * scale - 0.5) / (double)c);
        *steps += starts * (double)h->value[i] * windows;
        if (starts > 0)
            last = (double)h->value[i];
        position = end;
    }
    sum = *steps * (double)c;
    if (sigma >= f->rows)
        sum -= last * (double)(c - sell_height(f->rows, c, sell_slices(f->rows, c) - 1));
    return sum;
}

/* Are the slots those that lengths[] state: of slices of one strip? Sorting within a slice does not change its width. */
static bool is_exact(int64_t c, int64_t sigma) { return c == SELL_STRIP && c % sigma == 0; }

static void slots_and_steps(const struct features *f, int64_t c, int64_t sigma, int64_t *slots, int64_t *steps)
{
    const double most = (double)(sell_strips(f->rows) * SELL_STRIP) * (double)f->row_max,
                 least = fmin((double)f->nnz, most);
    double n = 0, m = 0;

    if (f->nnz == 0) {
        *slots = *steps = 0;
        return;
    }
    if (is_exact(c, sigma)) {
        const struct histogram *h = &f->lengths[LENGTHS_OF_32];
        for (int i = 0; i < h->n; i++)
            m += (double)h->value[i] * (double)h->count[i];
        n = m * (double)c;
    } else if (sigma > c) {
        n = slots_sorted(f, c, sigma, &m);
    } else {
        n = slots_drawn(f, c, &m);
    }
    *slots = (int64_t)ceil(fmin(fmax(n, least), most) / SELL_STRIP) * SELL_STRIP;
    *steps = (int64_t)ceil(m);
}

void sell_estimate(const struct features *f, int64_t c, int64_t sigma, int64_t *slots, int64_t *steps)
{
    const int64_t key[ESTIMATE_KEYS] = { c, sigma };
    int64_t n[2];

    if (!estimate_known(f, ESTIMATE_SELL, key, n, sizeof n)) {
        slots_and_steps(f, c, sigma, &n[0], &n[1]);
        estimate_keep(f, ESTIMATE_SELL, key, n, sizeof n);
    }
    *slots = n[0];
    *steps = n[1];
}

/* Estimates the bytes per code: 0 if there are no more diagonals than entries in the longest row; otherwise the width
 * that holds twice the bandwidth, or four times the mean distance from the diagonal if that is less. */
static double code_bytes(const struct features *f)
{
    const double mean = 4 * f->spread * (double)f->cols, range = fmin(2.0 * (double)f->bandwidth, mean);

    if (f->diagonals <= f->row_max)
        return 0;
    return range < UINT8_MAX ? 1 : range < UINT16_MAX ? 2 : 4;
}

/* Rows that pad the last warp do not count towards the limit. */
int sell_applicable(const struct features *f, const struct config *c, const struct target *t, char why[ERRLEN])
{
    const int64_t height = config_int(c, "c"), fill = (sell_strips(f->rows) * SELL_STRIP - f->rows) * f->row_max;
    int64_t slots, steps;

    sell_estimate(f, height, config_int(c, "sigma"), &slots, &steps);
    if (f->nnz > 0 && (double)(slots - fill) > PADDING_LIMIT * (double)f->nnz)
        return fail(why,
                    "padding %.6gx (%" PRId64 " rows of mean length %.4g and maximum length %" PRId64
                    ", slices of %" PRId64 " rows), limit %dx",
                    (double)(slots - fill) / (double)f->nnz, f->rows, (double)f->nnz / (double)f->rows, f->row_max,
                    height, PADDING_LIMIT);
    if (sell_narrow(c) && sell_narrow_reaches(slots, why) != 0)
        return FAIL;
    if (!sell_narrow(c) && values_as(c) != AS_FULL)
        return fail(why, "value=%s is stored with index=narrow only", config_word(c, "value"));
    if (values_applicable(values_as(c), false, f, t, why) != 0)
        return FAIL;
    if (offsets_reach(f->nnz, "nonzeros", why) != 0)
        return FAIL;
    return offsets_reach(steps, "steps of slices", why);
}

int sell_traffic(const struct features *f, const struct config *c, const struct target *t, struct traffic *out)
{
    const int64_t bytes = precision_bytes(t->precision), height = config_int(c, "c"), sigma = config_int(c, "sigma");
    const double code = sell_narrow(c) ? code_bytes(f) : (double)sizeof(int32_t);
    const enum values_as as = values_as(c);
    const int64_t table = values_entries(as, false, f, t->precision) * bytes;
    int64_t slots, steps;

    sell_estimate(f, height, sigma, &slots, &steps);
    if ((double)slots > (double)(INT64_MAX / 16))
        return FAIL;
    memset(out, 0, sizeof *out);
    out->values = values_bytes(as, t->precision, slots);
    out->indices = (int64_t)((double)slots * code);
    if (sell_narrow(c))
        out->indices += slots / SELL_STRIP * (int64_t)sizeof(struct sell_step) + SELL_UNIT;
    out->pointers = (sell_slices(f->rows, height) + 1) * (int64_t)sizeof(int32_t)
                    + (sigma > 1 ? f->rows * (int64_t)sizeof(int32_t) : 0);
    out->padding = (int64_t)((double)(slots - f->nnz) * (values_bits(as, t->precision) / 8.0 + code));
    out->skipped = height > SELL_STRIP ? out->padding : 0;
    const int64_t sure = is_exact(height, sigma) ? slots : f->nnz; /* the bytes of codes are a guess */
    out->unsure =
        out->values - sure * values_bits(as, t->precision) / 8 + table + out->indices
        - (sell_narrow(c) ? sure / SELL_STRIP * (int64_t)sizeof(struct sell_step) : sure * (int64_t)sizeof(int32_t));
    out->values += table;
    traffic_vectors(f, t, out);
    return 0;
}
