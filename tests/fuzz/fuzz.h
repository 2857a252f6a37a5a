/* SPDX-License-Identifier: MIT */
/*
 * What the fuzz targets share. A target is one function that turns bytes into calls and ends the process by abort() when an
 * answer is wrong. Who calls it:
 *
 *   libFuzzer     -fsanitize=fuzzer, preset fuzz           scripts/fuzz
 *   AFL++         its driver for such functions, preset fuzz-afl    scripts/fuzz --engine afl
 *   replay.c      every other build: the kept corpus, as a test
 */
#ifndef GENLRU_TESTS_FUZZ_FUZZ_H
#define GENLRU_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_CHECK(condition, ...)                                          \
    do {                                                                    \
        if (!(condition)) {                                                 \
            fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition); \
            fprintf(stderr, __VA_ARGS__);                                   \
            fputc('\n', stderr);                                            \
            abort();                                                        \
        }                                                                   \
    } while (0)

/* Bytes that are taken one after the other; zeros when there are no more. */
struct fuzz_bytes {
    const uint8_t *at;
    size_t left;
};

static inline uint64_t fuzz_take(struct fuzz_bytes *bytes, unsigned nr)
{
    uint64_t value = 0;

    for (; nr > 0; nr--) {
        value <<= 8;
        if (bytes->left) {
            value |= *bytes->at++;
            bytes->left--;
        }
    }
    return value;
}

#endif
