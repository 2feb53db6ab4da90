/* SPDX-License-Identifier: BSD-3-Clause */
/* isolate WHAT: runs a child that does WHAT; prints the result of isolate() and what the child sent back. */
#include "base/isolate.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct job {
    const char *what;
    long answer;
};

static void work(void *data)
{
    struct job *job = data;
    char *volatile p = NULL;

    puts("a line of the child");
    complain("a message of the child");
    if (strcmp(job->what, "crash") == 0)
        raise(SIGSEGV);
    else if (strcmp(job->what, "abort") == 0)
        bug("the child's mistake");
    else if (strcmp(job->what, "exit") == 0)
        die("the child gives up");
    else if (strcmp(job->what, "stopped") == 0)
        raise(SIGTERM);
    else if (strcmp(job->what, "endless") == 0)
        for (volatile long i = 0;; i++)
            ;
    else if (strcmp(job->what, "asleep") == 0)
        pause();
    else if (strcmp(job->what, "short") == 0)
        xmalloc(1UL << 40);
    else if (strcmp(job->what, "memory") == 0) {
        p = malloc(512UL << 20);
        job->answer = p == NULL;
        free(p);
    } else
        job->answer = 42;
}

int main(int argc, char **argv)
{
    struct job job = { argc > 1 ? argv[1] : "", 0 };
    const struct isolate_limits limits = { 1, 256UL << 20, strcmp(job.what, "asleep") == 0 };
    char why[ERRLEN] = "";

    error_program("isolate");
    printf("before, ");
    const int status = isolate(work, &job, sizeof job, &limits, why);
    printf("%s, answer %ld, %s\n",
           status == 0                 ? "done"
           : status == ISOLATE_CRASHED ? "crashed"
           : status == ISOLATE_ENDLESS ? "endless"
           : status == OOM             ? "out of memory"
                                       : "failed",
           job.answer, *why ? why : "no reason");
    return 0;
}
