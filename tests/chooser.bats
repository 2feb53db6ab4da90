#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Choosers (src/forecast/chooser.h), which the handles of libspmvcast ask, compared with rankings by the profile of the H200.
load helpers
H200="$ROOT/results/h200/profile.h5"

# bats test_tags=long
@test "chooser: its pick is that of the ranking or within 2 %; its rows have the forecasts and set-ups of the ranking" { part chooser same "$H200"; }
# bats test_tags=id:chooser-limits
@test "chooser: it keeps to deterministic kernels, to a limit of bytes and to usable configurations; composites of one part are the last resort; threads that ask at once get the answers of one thread" { part chooser limits,threads "$H200"; }
# bats test_tags=quick
@test "chooser: profiles without learned forecasts, empty matrices and unknown configurations are refused" { part chooser refused "$H200"; }
