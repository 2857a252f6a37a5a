/* SPDX-License-Identifier: MIT */
/* Visibility of public symbols, and the few compiler attributes that the public headers use. */
#ifndef GENLRU_EXPORT_H
#define GENLRU_EXPORT_H

#if !defined(__GNUC__) && !defined(__clang__)
#error "genlru needs the __atomic builtins of gcc or clang"
#endif

#define GENLRU_API __attribute__((visibility("default")))
/* The result tells who owns memory now: ignoring it is a leak or a use after free. */
#define GENLRU_MUST_CHECK __attribute__((warn_unused_result))
#define GENLRU_LIKELY(x) __builtin_expect(!!(x), 1)
#define GENLRU_UNLIKELY(x) __builtin_expect(!!(x), 0)

#endif
