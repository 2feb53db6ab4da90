/* SPDX-License-Identifier: BSD-3-Clause */
/* kkt: [H A^T; A 0] of a boundary control problem. Variables are the n^3 + 6 n^2 points of a grid with n + 2 points
 * per side without the edges and corners of its hull; constraints are its n^3 inner points. A couples a constraint
 * with its 27 neighbours among the variables, H a variable with `points` neighbours: itself (1), across faces (7) or
 * all 27. The diagonal of the empty block is stored as zeros. Variables and constraints are
 * numbered along x, then y, then z. */
#ifndef SPMVCAST_RECIPES_KINDS_KKT_H
#define SPMVCAST_RECIPES_KINDS_KKT_H
#include "recipes/kinds/stencil.h"

struct recipe_point {
    int64_t x, y, z;
}; /* each 0 .. n + 1 */

SPMV_HD static inline int64_t recipe_kkt_variables(const struct recipe *r) { return r->n * r->n * (r->n + 6); }

/* Returns the number of coordinates of p that lie on the hull; 4 if p is outside. */
SPMV_HD static inline int recipe_kkt_hull(const struct recipe *r, struct recipe_point p)
{
    const int64_t end = r->n + 1;
    if (p.x < 0 || p.y < 0 || p.z < 0 || p.x > end || p.y > end || p.z > end)
        return 4;
    return (p.x == 0 || p.x == end) + (p.y == 0 || p.y == end) + (p.z == 0 || p.z == end);
}

/* Convert between a variable's number and its point. Layers 0 and n + 1 have n^2 variables; the others have
 * n^2 + 4 n: a row of n, n rows of n + 2, and a row of n. */
SPMV_HD static inline int64_t recipe_kkt_number(const struct recipe *r, struct recipe_point p)
{
    const int64_t n = r->n, layer = n * (n + 4);
    if (p.z == 0)
        return (p.y - 1) * n + p.x - 1;
    const int64_t first = n * n + (p.z - 1) * layer;
    if (p.z == n + 1)
        return first + (p.y - 1) * n + p.x - 1;
    if (p.y == 0)
        return first + p.x - 1;
    return first + n + (p.y - 1) * (n + 2) + (p.y == n + 1 ? p.x - 1 : p.x);
}

SPMV_HD static inline struct recipe_point recipe_kkt_point(const struct recipe *r, int64_t v)
{
    const int64_t n = r->n, layer = n * (n + 4), inner = v - n * n;
    if (inner < 0)
        return (struct recipe_point){ v % n + 1, v / n + 1, 0 };
    const int64_t z = inner / layer + 1, at = inner % layer - n;
    if (z == n + 1)
        return (struct recipe_point){ inner % layer % n + 1, inner % layer / n + 1, z };
    if (at < 0)
        return (struct recipe_point){ at + n + 1, 0, z };
    if (at >= n * (n + 2))
        return (struct recipe_point){ at - n * (n + 2) + 1, n + 1, z };
    return (struct recipe_point){ at % (n + 2), at / (n + 2) + 1, z };
}

/* Returns the c-th of the 27 neighbours of p, in ascending order. */
SPMV_HD static inline struct recipe_point recipe_kkt_near(struct recipe_point p, int c)
{
    return (struct recipe_point){ p.x + c % 3 - 1, p.y + c / 3 % 3 - 1, p.z + c / 9 - 1 };
}

/* Returns whether the c-th neighbour of p is a variable and one of the `points` neighbours with which p is coupled. */
SPMV_HD static inline bool recipe_kkt_coupled(const struct recipe *r, struct recipe_point p, int c, int64_t points)
{
    const int steps = (c % 3 != 1) + (c / 3 % 3 != 1) + (c / 9 != 1);
    if (steps > (points == 27 ? 3 : points == 7 ? 1 : 0))
        return false;
    return recipe_kkt_hull(r, recipe_kkt_near(p, c)) < 2;
}

/* Return the first of the inner coordinates 1 .. n that differ from `at` by at most 1, and their number. */
SPMV_HD static inline int64_t recipe_kkt_first(int64_t at) { return at > 1 ? at - 1 : 1; }
SPMV_HD static inline int64_t recipe_kkt_count(int64_t at, int64_t n)
{
    return (at < n ? at + 1 : n) - recipe_kkt_first(at) + 1;
}

/* Returns the point of row i; *points: the number of neighbours that it may be coupled with. */
SPMV_HD static inline struct recipe_point recipe_kkt_of_row(const struct recipe *r, int64_t i, int64_t *points)
{
    const int64_t n = r->n, at = i - recipe_kkt_variables(r);
    *points = at < 0 ? r->points : 27;
    if (at < 0)
        return recipe_kkt_point(r, i);
    return (struct recipe_point){ at % n + 1, at / n % n + 1, at / n / n + 1 };
}

SPMV_HD static inline int64_t recipe_kkt_length(const struct recipe *r, int64_t i)
{
    int64_t points, count = 0;
    const struct recipe_point p = recipe_kkt_of_row(r, i, &points);
    for (int c = points == 1 ? 13 : 0; c < (points == 1 ? 14 : 27); c++)
        count += recipe_kkt_coupled(r, p, c, points);
    if (i >= recipe_kkt_variables(r))
        return count + 1;
    return count + recipe_kkt_count(p.x, r->n) * recipe_kkt_count(p.y, r->n) * recipe_kkt_count(p.z, r->n);
}

SPMV_HD static inline int64_t recipe_kkt_column(const struct recipe *r, int64_t i, int64_t k, int64_t length)
{
    const int64_t n = r->n, variables = recipe_kkt_variables(r);
    int64_t points;
    const struct recipe_point p = recipe_kkt_of_row(r, i, &points);
    if (i >= variables && k == length - 1)
        return i;
    for (int c = points == 1 ? 13 : 0; c < (points == 1 ? 14 : 27); c++)
        if (recipe_kkt_coupled(r, p, c, points) && k-- == 0)
            return recipe_kkt_number(r, recipe_kkt_near(p, c));
    const int64_t nx = recipe_kkt_count(p.x, n), ny = recipe_kkt_count(p.y, n);
    const int64_t x = recipe_kkt_first(p.x) + k % nx, y = recipe_kkt_first(p.y) + k / nx % ny,
                  z = recipe_kkt_first(p.z) + k / (nx * ny);
    return variables + ((z - 1) * n + y - 1) * n + x - 1;
}
#endif
