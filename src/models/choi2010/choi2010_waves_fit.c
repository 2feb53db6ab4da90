/* SPDX-License-Identifier: BSD-3-Clause */
/* choi2010-waves: fits one configuration to dense cells. For every choice of the k up to which g is at its floor, the
 * model is linear in o, delta, and gamma, a1, a0 of both regimes; the choice with the least sum of squared relative
 * errors is kept. No coefficient is negative. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/strings.h"
#include "models/choi2010/choi2010_waves.h"

/* Columns of the linear problem. A column that depends on those before it is left out, so a0 is the last to be told
 * apart. */
enum {
    OF_LAUNCH,
    OF_BLOCKS,
    OF_FLOOR,
    OF_SLOPE = OF_FLOOR + NWAVES,
    OF_BASE = OF_SLOPE + NWAVES,
    NCOLUMNS = OF_BASE + NWAVES
};
enum { CELLS_MIN = 4, ABOVE = 2 };
static const double dependent = 1e-7; /* of a column's norm */

/* One fit: cells, their shares of each regime, and the last k at the floor in each. */
struct problem {
    const struct choi_cells *cells;
    const struct target *target;
    double (*share)[NWAVES]; /* [cells->n] */
    int64_t sms, resident, floor_until[NWAVES];
    double *q; /* [cells->n][NCOLUMNS], scratch */
};

static void fill_row(const struct problem *p, const struct choi_cell *c, const double share[NWAVES],
                     double row[NCOLUMNS])
{
    memset(row, 0, NCOLUMNS * sizeof *row);
    row[OF_LAUNCH] = 1.0 / c->time_s;
    row[OF_BLOCKS] = (double)(c->per_sm * p->sms) / c->time_s;
    for (int r = 0; r < NWAVES; r++) {
        const double n = share[r] * c->steps / c->time_s,
                     over = c->per_sm > p->resident ? (double)c->per_sm / (double)p->resident : 1.0;
        if (c->per_sm <= p->floor_until[r])
            row[OF_FLOOR + r] = n;
        else {
            row[OF_SLOPE + r] = n * (double)c->per_sm;
            row[OF_BASE + r] = n * over;
        }
    }
}

/* Least squares over the columns in `in` by modified Gram-Schmidt, each column orthogonalised twice; a dependent column
 * gets 0. */
static void solve(const struct problem *p, const bool in[NCOLUMNS], double x[NCOLUMNS])
{
    const int64_t n = p->cells->n;
    double r[NCOLUMNS][NCOLUMNS] = { { 0 } }, rhs[NCOLUMNS] = { 0 }, *q = p->q;
    bool used[NCOLUMNS] = { false };
    for (int64_t i = 0; i < n; i++)
        fill_row(p, &p->cells->cell[i], p->share[i], q + i * NCOLUMNS);
    for (int c = 0; c < NCOLUMNS; c++) {
        double before = 0, after = 0;
        for (int64_t i = 0; i < n; i++)
            before += q[i * NCOLUMNS + c] * q[i * NCOLUMNS + c];
        for (int pass = 0; pass < 2; pass++)
            for (int k = 0; k < c; k++) {
                double dot = 0;
                for (int64_t i = 0; used[k] && i < n; i++)
                    dot += q[i * NCOLUMNS + k] * q[i * NCOLUMNS + c];
                for (int64_t i = 0; used[k] && i < n; i++)
                    q[i * NCOLUMNS + c] -= dot * q[i * NCOLUMNS + k];
                r[k][c] += dot;
            }
        for (int64_t i = 0; i < n; i++)
            after += q[i * NCOLUMNS + c] * q[i * NCOLUMNS + c];
        used[c] = in[c] && after > dependent * dependent * before && after > 0;
        r[c][c] = sqrt(after);
        for (int64_t i = 0; used[c] && i < n; i++) {
            q[i * NCOLUMNS + c] /= r[c][c];
            rhs[c] += q[i * NCOLUMNS + c]; /* the measured times divided by themselves are 1 */
        }
    }
    for (int c = NCOLUMNS - 1; c >= 0; c--) {
        x[c] = 0;
        if (!used[c])
            continue;
        double v = rhs[c];
        for (int k = c + 1; k < NCOLUMNS; k++)
            v -= r[c][k] * x[k];
        x[c] = v / r[c][c];
    }
}

static void take(const struct problem *p, const double x[NCOLUMNS], struct waves *w)
{
    w->launch_s = x[OF_LAUNCH];
    w->block_s = x[OF_BLOCKS];
    w->sms = p->sms;
    w->resident = p->resident;
    for (int r = 0; r < NWAVES; r++)
        w->step[r] = (struct wave_step){ x[OF_FLOOR + r], x[OF_BASE + r], x[OF_SLOPE + r] };
    for (int r = 0; r < NWAVES; r++)
        if (!(w->step[r].floor_s + w->step[r].base_s + w->step[r].block_s > 0))
            w->step[r] = w->step[NWAVES - 1 - r]; /* no cells of this regime */
}

/* Solves without negative coefficients: the most negative one becomes 0 until there is none. */
static void solve_nonnegative(const struct problem *p, struct waves *w)
{
    double x[NCOLUMNS];
    bool in[NCOLUMNS];
    for (int c = 0; c < NCOLUMNS; c++)
        in[c] = true;
    for (int round = 0; round < NCOLUMNS; round++) {
        int worst = -1;
        double scale = 0, norm[NCOLUMNS] = { 0 };
        solve(p, in, x);
        for (int64_t i = 0; i < p->cells->n; i++) {
            double row[NCOLUMNS];
            fill_row(p, &p->cells->cell[i], p->share[i], row);
            for (int c = 0; c < NCOLUMNS; c++)
                norm[c] = fmax(norm[c], row[c]);
        }
        for (int c = 0; c < NCOLUMNS; c++)
            if (-x[c] * norm[c] > scale) {
                scale = -x[c] * norm[c];
                worst = c;
            }
        if (worst < 0)
            break;
        in[worst] = false;
    }
    for (int c = 0; c < NCOLUMNS; c++)
        x[c] = fmax(x[c], 0);
    take(p, x, w);
}

static double squares(const struct problem *p, const struct waves *w)
{
    double sum = 0;
    for (int64_t i = 0; i < p->cells->n; i++) {
        const double e = waves_error(w, p->target, &p->cells->cell[i]);
        sum += e * e;
    }
    return sum;
}

/* The k up to which g may be at its floor: 0, and the distinct k <= T of the regime's cells but the last ABOVE, without
 * which the cost of a thread block would be unknown. Ascending. Returns their number. */
static int floors(const struct problem *p, int regime, int64_t *k)
{
    int n = 1;
    k[0] = 0;
    for (int64_t i = 0; i < p->cells->n; i++) {
        const int64_t v = p->cells->cell[i].per_sm;
        int at = 0;
        if (v > p->resident || !(p->share[i][regime] > 0.5))
            continue;
        while (at < n && k[at] < v)
            at++;
        if (at < n && k[at] == v)
            continue;
        memmove(k + at + 1, k + at, (size_t)(n - at) * sizeof *k);
        k[at] = v;
        n++;
    }
    return n > ABOVE + 1 ? n - ABOVE : 1;
}

static void search(struct problem *p, struct waves *best)
{
    int64_t *k[NWAVES];
    int n[NWAVES];
    double least = INFINITY;
    for (int r = 0; r < NWAVES; r++) {
        k[r] = xmalloc((unsigned long)(p->cells->n + 2) * sizeof *k[r]);
        n[r] = floors(p, r, k[r]);
    }
    for (int i = 0; i < n[WAVE_RESIDENT]; i++)
        for (int j = 0; j < n[WAVE_STREAMING]; j++) {
            struct waves w = *best;
            p->floor_until[WAVE_RESIDENT] = k[WAVE_RESIDENT][i];
            p->floor_until[WAVE_STREAMING] = k[WAVE_STREAMING][j];
            solve_nonnegative(p, &w);
            const double sum = squares(p, &w);
            if (sum < least) {
                least = sum;
                *best = w;
            }
        }
    for (int r = 0; r < NWAVES; r++)
        free(k[r]);
}

int waves_fit(const struct choi_cells *c, const struct target *t, const char *config, struct waves *w, char why[ERRLEN])
{
    struct problem p = { .cells = c, .target = t, .sms = t->device.sms };
    struct occupancy o;
    memset(w, 0, sizeof *w);
    if (c->n < CELLS_MIN)
        return fail(why, "%s: %s of dense matrices measured, %d are needed; spmv-gen choi2010 lists them", config,
                    counted(c->n, "cell").text, CELLS_MIN);
    if (c->needs.registers < 1)
        return fail(why, "%s: the measured rows lack the registers of the kernel", config);
    occupancy_hardware(&t->device, &c->needs, 0, &o);
    if (o.blocks < 1)
        return fail(why, "%s: no thread block fits on an SM (%d threads, %d registers each)", config, c->needs.threads,
                    c->needs.registers);
    p.resident = o.blocks;
    p.share = xcalloc((unsigned long)c->n, sizeof *p.share);
    p.q = xcalloc((unsigned long)(c->n * NCOLUMNS), sizeof *p.q);
    w->bytes_low = INFINITY;
    for (int64_t i = 0; i < c->n; i++) {
        p.share[i][WAVE_STREAMING] = waves_weight(t, c->cell[i].bytes);
        p.share[i][WAVE_RESIDENT] = 1 - p.share[i][WAVE_STREAMING];
        w->steps_high = fmax(w->steps_high, c->cell[i].steps);
        w->per_sm_high = fmax(w->per_sm_high, (double)c->cell[i].per_sm);
        w->bytes_low = fmin(w->bytes_low, c->cell[i].bytes);
        w->bytes_high = fmax(w->bytes_high, c->cell[i].bytes);
    }
    search(&p, w);
    free(p.share);
    free(p.q);
    return 0;
}
