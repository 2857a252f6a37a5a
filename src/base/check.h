/* SPDX-License-Identifier: MIT */
/*
 * Assertions of the library about itself. On in the checked build (GENLRU_CHECKED); they never have
 * effects and never judge the owner's input: mistakes of the owner return a code.
 */
#ifndef GENLRU_BASE_CHECK_H
#define GENLRU_BASE_CHECK_H

#include <stdlib.h>

#ifndef GENLRU_CHECKED
#define GENLRU_CHECKED 0
#endif

/* A constant condition instead of #ifdef: both builds compile and type-check the same text. */
enum { GENLRU__IS_CHECKED = GENLRU_CHECKED };

#define genlru__assert(condition)               \
    do {                                        \
        if (GENLRU__IS_CHECKED && !(condition)) \
            abort();                            \
    } while (0)

#endif
