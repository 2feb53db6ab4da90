/* SPDX-License-Identifier: BSD-3-Clause */
/* Replaces boost_xgboost.c in builds without XGBoost. */
#include <stddef.h>
#include "fit/boost.h"

boost_trees *const boost_library = NULL;
