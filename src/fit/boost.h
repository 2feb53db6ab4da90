/* SPDX-License-Identifier: BSD-3-Clause */
/* Gradient-boosted trees by XGBoost: boost_xgboost.c; boost_none.c replaces it in builds without the library. */
#ifndef SPMVCAST_FIT_BOOST_H
#define SPMVCAST_FIT_BOOST_H
#include "models/lehnert2016/gbrt.h"

extern boost_trees *const boost_library; /* NULL: built without XGBoost */
#endif
