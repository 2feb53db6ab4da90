/* SPDX-License-Identifier: BSD-3-Clause */
/* For programs of this project that are linked with the objects of the library: a profile and a matrix that they read themselves, and
 * the outlook behind a ranking. */
#ifndef SPMVCAST_LIBRARY_LIBRARY_RANKING_H
#define SPMVCAST_LIBRARY_LIBRARY_RANKING_H
#include <spmvcast.h>
#include "forecast/outlook.h"
#include "forecast/question.h"

/* Ranks for the profile and the matrix that are open in the question, through spmvcast_rank. */
spmvcast_status ranking_of_question(spmvcast_context *, const struct question *, const spmvcast_rank_options *,
                                    spmvcast_ranking **);
/* Moves the outlook out of a ranking, which is then empty. Free with outlook_free. */
struct outlook ranking_take_outlook(spmvcast_ranking *);
#endif
