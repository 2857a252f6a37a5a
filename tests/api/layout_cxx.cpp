/* SPDX-License-Identifier: MIT */
/* The layout test once more, as C++ sees it. */
#include "layout.c"
