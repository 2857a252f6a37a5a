/* SPDX-License-Identifier: MIT */
/*
 * sink.h - where readers and generators put requests; what comes out is a trace
 *
 * Numbers are kept back a batch long, so that the key map's memory is fetched side by side. A
 * failure (-ENOMEM, -ENOSPC for too many distinct keys) may hence be told some requests late; it
 * fails the whole trace anyway.
 */
#ifndef GENLRU_BENCH_TRACE_SINK_H
#define GENLRU_BENCH_TRACE_SINK_H

#include <stddef.h>
#include <stdint.h>

#include "trace/trace.h"

struct sink;

/* Of a key whose size this request does not tell; hence no object has that size. */
#define SINK_NO_SIZE UINT64_MAX

/* NULL without memory. */
struct sink *sink_create(void);
void sink_destroy(struct sink *sink);

/*
 * From here on requests have sizes. The first size told for a key is kept. To be called before the
 * first request of a file whose format has sizes.
 */
void sink_has_sizes(struct sink *sink);

/* One request. 0, -ENOMEM, -ENOSPC. */
int sink_number(struct sink *sink, uint64_t key, uint64_t size, enum policy_channel channel);
int sink_text(struct sink *sink, const char *key, size_t len, uint64_t size, enum policy_channel channel);
/* n plain reads of numbers; sizes NULL = not told. */
int sink_numbers(struct sink *sink, const uint64_t *keys, const uint64_t *sizes, size_t n);
/* n numbers with their channels. */
int sink_batch(struct sink *sink, const uint64_t *keys, const uint8_t *channels, size_t n);
/* A record that is no request. */
void sink_skip(struct sink *sink);

/* Requests and distinct keys so far, those kept back not counted. */
uint64_t sink_requests(const struct sink *sink);

/* Adds a whole trace's requests; its ids are the keys. */
int sink_trace(struct sink *sink, const struct trace *from);

/* What strerror would say, but in the words of a trace. */
const char *sink_reason(int rc);

/*
 * The trace. The sink is empty then and good only for being destroyed. -EINVAL if there was no
 * request, which only the caller can put into words.
 */
int sink_finish(struct sink *sink, const char *name, struct trace **ret);

#endif
