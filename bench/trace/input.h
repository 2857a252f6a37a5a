/* SPDX-License-Identifier: MIT */
/*
 * input.h - the bytes of a trace file, plain or compressed (zstd, gzip), as one stream
 *
 * Compression is told by the file's first bytes, not by its name. Several zstd frames or gzip members
 * in a row are one stream (as `cat a.gz b.gz` makes), skippable frames are skipped; checksums are
 * verified.
 */
#ifndef GENLRU_BENCH_TRACE_INPUT_H
#define GENLRU_BENCH_TRACE_INPUT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct input;

/*
 * 0 or a negative errno; *ret_reason is then a static text or strerror's. An empty file opens.
 * -EINVAL for a file that is named .zst or .gz and does not begin like one.
 */
int input_open(const char *path, struct input **ret, const char **ret_reason);
void input_close(struct input *in);

/*
 * Up to n > 0 bytes. 0 only at the proper end. Negative errno: a read error, or -EINVAL when the
 * compressed data is broken, ends early, or has something else behind it; the bytes before that
 * were delivered by earlier calls.
 */
ssize_t input_read(struct input *in, void *buf, size_t n, const char **ret_reason);

/*
 * The first bytes, up to INPUT_PEEK of them, without taking them: the next input_read gives them
 * again. Only before the first read. An error met on the way is told by the read that comes to it.
 */
#define INPUT_PEEK ((size_t)4096)
size_t input_peek(struct input *in, const unsigned char **ret);

/* Bytes taken from the file so far, and the file's size (0 if it has none, as a pipe). */
uint64_t input_position(const struct input *in);
uint64_t input_size(const struct input *in);

#endif
