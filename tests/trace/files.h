/* SPDX-License-Identifier: MIT */
/*
 * files.h - temporary trace files, plain and compressed
 */
#ifndef GENLRU_TESTS_TRACE_FILES_H
#define GENLRU_TESTS_TRACE_FILES_H

#include <stddef.h>

/*
 * A fresh folder for this process's test, removed by files_remove together with what is in it. Use
 * as .init and .fini of a test suite.
 */
void files_make(void);
void files_remove(void);

/*
 * Writes a file of that name into the folder; returns its path (static, valid until the next call).
 */
const char *files_write(const char *name, const void *data, size_t len);
const char *files_text(const char *name, const char *text);

/*
 * The same, zstd-compressed with a checksum; then the last `cut` bytes are left out and `tail` is
 * added.
 */
const char *files_zstd(const char *name, const void *data, size_t len, size_t cut, const char *tail);

/* The same with gzip. */
const char *files_gzip(const char *name, const void *data, size_t len, size_t cut, const char *tail);

/* The file's bytes; to be freed. */
unsigned char *files_read(const char *file, size_t *ret_len);

/* Path of a name in the folder, whether there is such a file or not. */
const char *files_path(const char *name);

#endif
