/* SPDX-License-Identifier: BSD-3-Clause */
/* Replaces sqlite_*.c in builds without SQLite. */
#include "query/query.h"

void query_check(void)
{
    die("this build is without SQLite, which runs the statements; in the source tree, ./install-deps.sh installs it "
        "(libsqlite3-dev), then run make again; --schema works without it");
}

void query_run(struct query *q)
{
    (void)q;
    query_check();
}
