/* SPDX-License-Identifier: BSD-3-Clause */
/* Progress on stderr: a bar with time left on a terminal, else one line per minute. */
#include "base/progress.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/error.h"
#include "base/utf8.h"

enum { BAR = 24, WIDTH = 80 };

struct progress {
    char what[64];
    double total, done, begun_s, shown_s;
    bool terminal;
};

static bool drawn; /* a bar is on the last line of the terminal */

void progress_clear(void)
{
    if (drawn)
        fputs("\r\033[K", stderr);
    drawn = false;
}

static void time_left(const struct progress *p, char *text, size_t bytes)
{
    double share = p->total > 0 ? p->done / p->total : 0, gone_s = now_s() - p->begun_s;
    long left_s = share > 0 ? (long)(gone_s * (1 - share) / share + 0.5) : -1;

    if (left_s < 0)
        snprintf(text, bytes, "time left unknown");
    else if (left_s < 3600)
        snprintf(text, bytes, "%ld:%02ld left", left_s / 60, left_s % 60);
    else
        snprintf(text, bytes, "%ld:%02ld h left", left_s / 3600, left_s / 60 % 60);
}

struct progress *progress_begin(const char *what, double total)
{
    struct progress *p = xcalloc(1, sizeof *p);

    error_before_message(progress_clear);
    snprintf(p->what, sizeof p->what, "%s", what);
    p->total = total;
    p->terminal = isatty(STDERR_FILENO);
    p->begun_s = now_s();
    p->shown_s = p->terminal ? 0 : p->begun_s;
    return p;
}

static void draw(const struct progress *p, double share, const char *left, const char *now)
{
    char bar[BAR + 1], line[WIDTH], name[WIDTH];

    for (int i = 0; i < BAR; i++)
        bar[i] = (double)i < share * BAR ? '#' : '.';
    bar[BAR] = 0;
    utf8_put(name, sizeof name, now, UTF8_SHOWN);
    int n = snprintf(line, sizeof line, "%s [%s] %3.0f %%  %s  %s", p->what, bar, 100 * share, left, name);
    utf8_trim(line);
    progress_clear();
    if (n > 0) /* truncated to WIDTH: a wrapped line could not be erased */
        fputs(line, stderr);
    drawn = true;
}

void progress_set(struct progress *p, double done, const char *now)
{
    double t = now_s(), share = p->total > 0 ? done / p->total : 0;
    char left[48];

    p->done = done;
    if (error_quiet() || t - p->shown_s < (p->terminal ? 0.1 : 60))
        return;
    p->shown_s = t;
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    time_left(p, left, sizeof left);
    if (p->terminal)
        draw(p, share, left, now ? now : "");
    else
        note("%s: %.0f %%, %s%s%s", p->what, 100 * share, left, now && *now ? ", now " : "", now ? now : "");
}

void progress_end(struct progress *p)
{
    if (!p)
        return;
    progress_clear();
    free(p);
}
