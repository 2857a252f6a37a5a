/* SPDX-License-Identifier: MIT */
/*
 * load.c - whole workloads into a trace: a generator, a file, or a chain of them
 *
 *      chain:(zipf:keys=1000)(trace:log.txt.zst)(chain:(loop)(loop:offset=1000))
 */
#define _POSIX_C_SOURCE 200809L
#include "trace/load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gen/gen.h"

#define BATCH 4096
#define DEPTH_MAX 8

struct loading {
    const struct trace_options *options;
    struct sink *sink; /* NULL = only look whether the spec is right */
    struct trace_error *error;
    unsigned depth; /* of chains in chains */
};

static int produce(struct loading *l, const char *spec);

static int run_generator(struct loading *l, struct gen *g)
{
    uint64_t keys[BATCH];
    uint8_t channels[BATCH];
    uint64_t total = g->left;
    size_t n;

    while ((n = gen_fill(g, keys, channels, BATCH))) {
        int rc = sink_batch(l->sink, keys, channels, n);

        if (rc) {
            return trace_fail(l->error, rc, "%s: %s", g->ops->name, sink_reason(rc));
        }
        if (l->options->progress && g->left / BATCH % 16 == 0) {
            l->options->progress(l->options->progress_ctx, total - g->left, total);
        }
    }
    return 0;
}

static int produce_generator(struct loading *l, const char *spec)
{
    struct gen *g = NULL;
    int rc = gen_create(spec, &g, l->error);

    if (!rc && l->sink) {
        rc = run_generator(l, g);
    }
    gen_destroy(g);
    return rc;
}

/* Length of the part in parentheses that begins at text, both included; 0 = it does not end. */
static size_t part_length(const char *text)
{
    unsigned open = 0;

    for (size_t i = 0; text[i]; i++) {
        open += text[i] == '(';
        open -= text[i] == ')';
        if (open == 0) {
            return i + 1;
        }
    }
    return 0;
}

static int produce_part(struct loading *l, const char *text, size_t len)
{
    char *spec = strndup(text, len);

    if (!spec) {
        return trace_fail(l->error, -ENOMEM, "chain: %s", strerror(ENOMEM));
    }
    int rc = produce(l, spec);

    free(spec);
    return rc;
}

static int produce_chain(struct loading *l, const char *parts)
{
    int rc = 0;

    if (*parts == '\0' || l->depth == DEPTH_MAX) {
        return trace_fail(l->error, -EINVAL,
                          *parts ? "chain: more than 8 of them in each other" : "chain: expected chain:(SPEC)(SPEC)…");
    }
    l->depth++;
    while (*parts && !rc) {
        size_t len = *parts == '(' ? part_length(parts) : 0;

        if (len == 0) {
            return trace_fail(l->error, -EINVAL, "chain: expected (SPEC) at '%s'", parts);
        }
        rc = produce_part(l, parts + 1, len - 2);
        parts += len;
    }
    l->depth--;
    return rc;
}

static int produce(struct loading *l, const char *spec)
{
    if (strncmp(spec, "trace:", 6) == 0) {
        return l->sink ? load_into(l->sink, spec + 6, l->options, l->error) : 0;
    }
    if (strncmp(spec, "chain:", 6) == 0 || strcmp(spec, "chain") == 0) {
        return produce_chain(l, spec[5] ? spec + 6 : "");
    }
    return produce_generator(l, spec);
}

/* The trace, named by the spec: characters that would break a table are replaced. */
static int finish(struct sink *sink, const char *spec, struct trace **ret)
{
    int rc = sink_finish(sink, spec, ret);

    for (char *at = rc ? NULL : (*ret)->name; at && *at; at++) {
        if ((unsigned char)*at < ' ' || *at == 0x7f) {
            *at = '?';
        }
    }
    return rc;
}

int gen_check(const char *spec, struct trace_error *error)
{
    struct loading l = {.error = error};

    return produce(&l, spec);
}

int gen_load(const char *spec, const struct trace_options *options, struct trace **ret, struct trace_error *error)
{
    static const struct trace_options defaults = {.format = TRACE_FORMAT_AUTO};
    struct loading l = {
        .options = options ? options : &defaults,
        .sink = sink_create(),
        .error = error,
    };

    if (!l.sink) {
        return trace_fail(error, -ENOMEM, "%s: %s", spec, strerror(ENOMEM));
    }
    int rc = produce(&l, spec);

    if (!rc) {
        rc = finish(l.sink, spec, ret);
        if (rc) {
            trace_fail(error, rc, "%s: %s", spec, rc == -EINVAL ? "there is no request in it" : sink_reason(rc));
        }
    }
    sink_destroy(l.sink);
    return rc;
}
