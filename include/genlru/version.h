/* SPDX-License-Identifier: MIT */
/* Version of the library; the build reads it from here. */
#ifndef GENLRU_VERSION_H
#define GENLRU_VERSION_H

#include "export.h"

#define GENLRU_VERSION_MAJOR 0
#define GENLRU_VERSION_MINOR 1
#define GENLRU_VERSION_PATCH 0
#define GENLRU_VERSION_STRING "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

/* Version of the library that is linked, as opposed to the header compiled against. Static string. */
GENLRU_API const char *genlru_version(void);

#ifdef __cplusplus
}
#endif
#endif
