/* SPDX-License-Identifier: BSD-3-Clause */
/* Table "peers": times of other programs, measured like our warm ones (back to back in a graph), against the best of ours. A
 * peer's row and a contest are partners if the matrix's name (without the group), rows, nonzeros and precision are equal. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "speed/speed.h"

struct peer_row {
    char *matrix, *peer;
    int64_t precision, rows, nnz;
    double graph_us;
    bool used;
};
struct peers {
    int64_t n;
    struct peer_row *row;
    int64_t no_time;
};

/* ---- reading */

enum field { MATRIX, PRECISION, ROWS, NNZ, PEER, GRAPH_US, NFIELDS };
static const char *const field_names[NFIELDS] = { "matrix", "precision", "rows", "nnz", "peer", "graph_us" };

struct reader {
    const char *path;
    FILE *file;
    char *line;
    size_t room;
    int64_t number;
    int column[NFIELDS];
};

static bool next_line(struct reader *r)
{
    errno = 0;
    const ssize_t n = getline(&r->line, &r->room, r->file);

    if (n < 0 && errno)
        die("cannot read %s:", r->path);
    if (n < 0)
        return false;
    r->line[strcspn(r->line, "\r\n")] = 0;
    r->number++;
    return true;
}

/* Splits a line at its tabs; returns the number of cells. */
static int cells_of(char *line, char *cell[], int most)
{
    int n = 0;

    for (char *at = line; at && n < most; n++) {
        cell[n] = at;
        at = strchr(at, '\t');
        if (at)
            *at++ = 0;
    }
    return n;
}

enum { CELLS = 64 };

static void read_header(struct reader *r)
{
    char *cell[CELLS];

    if (!next_line(r))
        die("%s: empty file; --peers requires a header row (matrix, precision, rows, nnz, peer, graph_us)", r->path);
    const int n = cells_of(r->line, cell, CELLS);
    for (int f = 0; f < NFIELDS; f++) {
        r->column[f] = -1;
        for (int i = 0; i < n; i++)
            if (strcmp(cell[i], field_names[f]) == 0)
                r->column[f] = i;
        if (r->column[f] < 0)
            die("%s:1: missing column '%s'; --peers requires a tab-separated header row (matrix, precision, rows, nnz, peer, graph_us)",
                r->path, field_names[f]);
    }
}

static void read_row(struct reader *r, struct peers *p)
{
    char *cell[CELLS], *text[NFIELDS];
    struct peer_row row = { 0 };
    const int n = cells_of(r->line, cell, CELLS);

    for (int f = 0; f < NFIELDS; f++) {
        if (r->column[f] >= n)
            die("%s:%" PRId64 ": found %s, but '%s' is column %d of the header", r->path, r->number,
                counted(n, "column").text, field_names[f], r->column[f] + 1);
        text[f] = cell[r->column[f]];
    }
    if (precision_parse(text[PRECISION]) < 0)
        die("%s:%" PRId64 ": invalid precision '%s'; expected f32 or f64", r->path, r->number, text[PRECISION]);
    if (parse_int(text[ROWS], 0, INT64_MAX, &row.rows) != 0 || parse_int(text[NNZ], 0, INT64_MAX, &row.nnz) != 0)
        die("%s:%" PRId64 ": invalid rows '%s' or nnz '%s'; expected integers", r->path, r->number, text[ROWS],
            text[NNZ]);
    if (strcmp(text[GRAPH_US], "-") == 0 || strcmp(text[GRAPH_US], "nan") == 0 || *text[GRAPH_US] == 0) {
        p->no_time++;
        return;
    }
    if (parse_real(text[GRAPH_US], 0, 1e12, &row.graph_us) != 0 || !(row.graph_us > 0))
        die("%s:%" PRId64 ": invalid graph_us '%s'; expected microseconds, or '-' for no time", r->path, r->number,
            text[GRAPH_US]);
    row.matrix = xstrdup(text[MATRIX]);
    row.precision = precision_parse(text[PRECISION]);
    row.peer = xstrdup(text[PEER]);
    p->row = xrealloc(p->row, sizeof *p->row * (unsigned long)(p->n + 1));
    p->row[p->n++] = row;
}

struct peers *peers_read(const struct strlist *paths)
{
    struct peers *p = xcalloc(1, sizeof *p);

    for (int i = 0; i < paths->n; i++) {
        struct reader r = { .path = paths->v[i], .file = fopen(paths->v[i], "r") };
        if (!r.file)
            die("cannot open %s:", r.path);
        read_header(&r);
        while (next_line(&r))
            if (*r.line && *r.line != '#')
                read_row(&r, p);
        free(r.line);
        fclose(r.file);
    }
    return p;
}

void peers_free(struct peers *p)
{
    for (int64_t i = 0; p && i < p->n; i++) {
        free(p->row[i].matrix);
        free(p->row[i].peer);
    }
    if (p)
        free(p->row);
    free(p);
}

/* ---- comparing */

/* Peers are "PROGRAM" or "PROGRAM:SETTING", e.g. "ginkgo:coo". */
static bool same_program(const char *a, const char *b)
{
    const size_t n = strcspn(a, ":");
    return n == strcspn(b, ":") && strncmp(a, b, n) == 0;
}

static bool is_partner(const struct peer_row *p, const struct contest *one)
{
    const char *slash = strrchr(one->row->matrix, '/');
    return p->rows == one->features->rows && p->nnz == one->features->nnz && p->precision == one->row->precision
           && strcmp(p->matrix, slash ? slash + 1 : one->row->matrix) == 0;
}

/* Returns the shortest time of a program (NULL: of any) on the contest's matrix, and marks its rows used; NaN: none. */
static double peer_time_us(const struct peers *p, const struct contest *one, const char *program)
{
    double least = NAN;

    for (int64_t i = 0; i < p->n; i++)
        if ((!program || same_program(p->row[i].peer, program)) && is_partner(&p->row[i], one)) {
            p->row[i].used = true;
            least = fmin(least, p->row[i].graph_us);
        }
    return least;
}

/* Prints a row; returns the number of contests of the class without a partner. */
static int64_t print_class(const struct contests *c, struct table *out, int64_t first, int64_t end, int class,
                           const char *program)
{
    struct sample m = { 0 };
    int64_t alone = 0;

    for (int64_t i = first; i < end; i++) {
        const struct contest *one = &c->one[i];
        if (!contest_in_class(one, class))
            continue;
        const int64_t before = m.n;
        ratio_add(&m, c, one, peer_time_us(c->peers, one, program) / contest_time_us(one, SIDE_OURS));
        alone += m.n == before;
    }
    if (m.n == 0)
        return alone;
    table_put_text(out, "class", class_name(class));
    table_put_text(out, "precision", precision_name(c->one[first].row->precision));
    char name[64];
    snprintf(name, sizeof name, "%.*s", program ? (int)strcspn(program, ":") : 4, program ? program : "best");
    table_put_text(out, "peer", name);
    table_put_int(out, "matrices", m.n);
    table_put_real(out, "ours_speedup", sample_geomean(&m), 4);
    table_put_real(out, "faster_percent", sample_percent(&m, 1), 3);
    table_put_int(out, "below95", sample_below(&m, 0.95));
    table_put_real(out, "least", ratio_value(sample_min(&m)), 4);
    table_put_text(out, "least_matrix", ratio_matrix(c, sample_min(&m)));
    table_put_real(out, "most", ratio_value(sample_max(&m)), 4);
    table_put_text(out, "most_matrix", ratio_matrix(c, sample_max(&m)));
    table_row_end(out);
    sample_free(&m);
    return alone;
}

static bool first_of_program(const struct peers *p, int64_t i)
{
    for (int64_t j = 0; j < i; j++)
        if (same_program(p->row[j].peer, p->row[i].peer))
            return false;
    return true;
}

static void print_peers(const struct contests *c, struct table *out)
{
    const struct peers *p = c->peers;
    int64_t alone = 0, unused = 0;

    textout_head(out);
    for (int64_t first = 0, end; first < c->n; first = end) {
        end = contests_target_end(c, first);
        if (c->one[first].row->cache != WARM)
            continue;
        for (int class = RESIDENT; class < ALL_CLASSES; class ++)
            print_class(c, out, first, end, class, NULL);
        alone += print_class(c, out, first, end, ALL_CLASSES, NULL);
        for (int64_t i = 0; i < p->n; i++)
            if (first_of_program(p, i))
                print_class(c, out, first, end, ALL_CLASSES, p->row[i].peer);
    }
    for (int64_t i = 0; i < p->n; i++)
        unused += !p->row[i].used;
    table_note(
        out,
        "peer best: the fastest of all programs and settings; ours_speedup: the peer's time (graph_us) / best warm time of ours");
    table_note(
        out,
        "without a partner: %" PRId64
        " of %s in --peers (another matrix, rows, nonzeros or precision), %s of the archives (counted per precision); "
        "without a time: %s in --peers",
        unused, counted(p->n, "time").text, counted(alone, "matrix").text, counted(p->no_time, "row").text);
    contests_note(c, out);
}

static const struct column columns[] = {
    TEXT_COLUMN("class", "footprint class of the matrices: resident, mixed, streaming, or all"),
    TEXT_COLUMN("precision", "f32 or f64"),
    TEXT_COLUMN("peer", "other program; best: the fastest of all programs and settings"),
    INT_COLUMN("matrices", "", "matrices measured with ours and with the peer"),
    REAL_COLUMN("ours_speedup", "", "time of the peer / best warm time of ours; geometric mean"),
    REAL_COLUMN("faster_percent", "%", "matrices with a speedup of 1 or more"),
    INT_COLUMN("below95", "", "matrices with a speedup below 0.95"),
    REAL_COLUMN("least", "", "lowest speedup"),
    TEXT_COLUMN("least_matrix", "matrix of the lowest speedup"),
    REAL_COLUMN("most", "", "highest speedup"),
    TEXT_COLUMN("most_matrix", "matrix of the highest speedup"),
    COLUMNS_END,
};

const struct speed_table speed_peers = {
    .name = "peers",
    .about = "times of other programs against the best of ours, warm",
    .columns = columns,
    .view = "class precision peer matrices ours_speedup faster_percent below95 least least_matrix",
    .print = print_peers,
};
