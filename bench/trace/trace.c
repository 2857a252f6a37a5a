/* SPDX-License-Identifier: MIT */
/*
 * trace.c - loads a file: finds its format, and lets the format's reader fill a sink
 */
#define _POSIX_C_SOURCE 200809L
#include "trace/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/load.h"
#include "trace/pack.h"
#include "trace/reader.h"

/* How often progress is told, in lines: some milliseconds of work. */
#define PROGRESS_LINES 65536
#define FAST_LINES 512

void trace_destroy(struct trace *t)
{
    if (t) {
        free(t->name);
        free(t->ids);
        free(t->sizes);
        free(t->channels);
        free(t);
    }
}

/* The workload's name: characters that would break a table are replaced. NULL without memory. */
static char *name_of(const char *path)
{
    /* Some formats' extensions stay: which file it was is better seen than guessed. */
    static const char *const extensions[] = {".zst", ".gz", PACK_EXTENSION, ".txt", ".csv"};
    const char *slash = strrchr(path, '/');
    char *name = strdup(slash ? slash + 1 : path);
    size_t n = name ? strlen(name) : 0;

    for (size_t i = 0; name && i < sizeof(extensions) / sizeof(extensions[0]); i++) {
        size_t m = strlen(extensions[i]);

        if (n > m && strcmp(name + n - m, extensions[i]) == 0) {
            n -= m;
            name[n] = '\0';
        }
    }
    for (size_t i = 0; i < n; i++) {
        if ((unsigned char)name[i] < ' ' || name[i] == 0x7f) {
            name[i] = '?';
        }
    }
    return name;
}

static void tell_progress(struct reading *r)
{
    uint64_t done = r->lines ? lines_position(r->lines) : input_position(r->in);
    uint64_t total = r->lines ? lines_size(r->lines) : input_size(r->in);

    if (r->options->progress) {
        r->options->progress(r->options->progress_ctx, done, total);
    }
}

/* Numbers one a line, or number,number, without looking at each line twice. */
static int read_fast(struct reading *r, bool with_sizes, size_t *ret_nr)
{
    uint64_t keys[FAST_LINES];
    uint64_t sizes[FAST_LINES];

    *ret_nr = lines_numbers(r->lines, keys, with_sizes ? sizes : NULL, FAST_LINES);
    int rc = *ret_nr ? sink_numbers(r->sink, keys, with_sizes ? sizes : NULL, *ret_nr) : 0;

    return rc ? trace_fail(r->error, rc, "%s:%llu: %s", r->path, (unsigned long long)lines_number(r->lines),
                           sink_reason(rc))
              : 0;
}

static int read_line(struct reading *r, const struct reader *reader, const struct line *line)
{
    const char *reason = NULL;
    int rc = reader->line(r, line, &reason);

    return rc ? trace_fail(r->error, rc, "%s:%llu: %s", r->path, (unsigned long long)line->number,
                           reason ? reason : sink_reason(rc))
              : 0;
}

static int read_lines(struct reading *r, const struct reader *reader)
{
    bool is_fast = reader == &reader_text || reader == &reader_csv;
    struct line line;
    uint64_t told = 0;
    int rc;

    while ((rc = lines_next(r->lines, &line, r->error)) > 0) {
        size_t nr = is_fast;

        rc = read_line(r, reader, &line);
        while (!rc && nr) {
            rc = read_fast(r, reader == &reader_csv, &nr);
        }
        if (rc) {
            return rc;
        }
        if (lines_number(r->lines) - told >= PROGRESS_LINES) {
            told = lines_number(r->lines);
            tell_progress(r);
        }
    }
    return rc;
}

/* The format's parameters, all with the defaults they have where the format takes them. */
static const struct spec_param all_params[] = {
    {"block", SPEC_COUNT, "4096", 0, 1073741824, "bytes of a block; 0 = a record is one request"},
    {"key", SPEC_COUNT, "0", 0, 64, "column of the key, from 1; 0 = by the header"},
    {"size", SPEC_COUNT, "0", 0, 64, "column of the size, from 1; 0 = by the header"},
};

int load_how(enum trace_format format, const char *text, struct reader_how *ret, struct trace_error *error)
{
    const struct reader *reader = reader_of(format);
    struct spec_param params[4] = {{0}};
    struct spec_value values[4];
    size_t n = 0;

    if (reader && reader->takes_block) {
        params[n++] = all_params[0];
    }
    if (reader && reader->takes_columns) {
        params[n++] = all_params[1];
        params[n++] = all_params[2];
    }
    int rc = spec_parse(trace_format_name(format), text ? text : "", params, values, error);

    *ret = (struct reader_how){.block = 4096};
    if (!rc && reader && reader->takes_block) {
        ret->block = values[0].count;
    }
    if (!rc && reader && reader->takes_columns) {
        ret->key_column = values[0].count;
        ret->size_column = values[1].count;
    }
    return rc;
}

int trace_format_check(enum trace_format format, const char *params, struct trace_error *error)
{
    struct reader_how ignored;

    return load_how(format, params, &ignored, error);
}

static enum trace_format format_of(const char *path, const struct trace_options *options, struct input *in)
{
    struct head head;

    if (options->format != TRACE_FORMAT_AUTO) {
        return options->format;
    }
    reader_head(in, &head);
    return reader_detect(path, &head);
}

static int read_any(struct reading *r, const struct reader *reader)
{
    int rc;

    if (reader->has_sizes) {
        sink_has_sizes(r->sink);
    }
    if (reader->line) {
        rc = lines_wrap(r->in, r->path, &r->lines, r->error);
        r->in = NULL;
        rc = rc ? rc : read_lines(r, reader);
    } else {
        rc = reader->read(r);
    }
    if (!rc) {
        tell_progress(r);
    }
    return rc;
}

static int load_open(struct input *in, const char *path, enum trace_format format, const struct trace_options *options,
                     struct sink *sink, struct trace_error *error)
{
    struct reading r = {
        .path = path,
        .in = in,
        .sink = sink,
        .error = error,
        .progress = tell_progress,
        .options = options,
    };
    int rc = load_how(format, options->format_params, &r.how, error);

    if (!rc) {
        rc = read_any(&r, reader_of(format));
    }
    lines_close(r.lines);
    input_close(r.in);
    free(r.disks);
    return rc;
}

static int open_any(const char *path, struct input **ret, struct trace_error *error)
{
    const char *reason = NULL;
    int rc = input_open(path, ret, &reason);

    return rc ? trace_fail(error, rc, "%s: %s", path, reason) : 0;
}

int load_into(struct sink *sink, const char *path, const struct trace_options *options, struct trace_error *error)
{
    struct input *in = NULL;
    int rc = open_any(path, &in, error);

    return rc ? rc : load_open(in, path, format_of(path, options, in), options, sink, error);
}

static int load_new(struct input *in, const char *path, enum trace_format format, const struct trace_options *options,
                    struct trace **ret, struct trace_error *error)
{
    struct sink *sink = sink_create();

    if (!sink) {
        input_close(in);
        return trace_fail(error, -ENOMEM, "%s: %s", path, strerror(ENOMEM));
    }
    const unsigned char *ignored;
    bool is_empty = input_peek(in, &ignored) == 0;
    int rc = load_open(in, path, format, options, sink, error);

    if (!rc) {
        rc = sink_finish(sink, "", ret);
        if (rc) {
            trace_fail(error, rc, "%s: %s", path,
                       rc != -EINVAL ? sink_reason(rc)
                       : is_empty    ? "the file is empty"
                                     : "there is no request in it");
        }
    }
    sink_destroy(sink);
    return rc;
}

int trace_load(const char *path, const struct trace_options *options, struct trace **ret, struct trace_error *error)
{
    static const struct trace_options defaults = {.format = TRACE_FORMAT_AUTO};
    struct trace *t = NULL;
    struct input *in = NULL;
    int rc = open_any(path, &in, error);

    if (rc) {
        return rc;
    }
    options = options ? options : &defaults;
    enum trace_format format = format_of(path, options, in);

    if (format == TRACE_FORMAT_GENLRU) {
        rc = pack_read(in, path, options, &t, error);
        input_close(in);
    } else {
        rc = load_new(in, path, format, options, &t, error);
    }
    if (rc) {
        return rc;
    }
    free(t->name);
    t->name = name_of(path);
    if (!t->name) {
        trace_destroy(t);
        return trace_fail(error, -ENOMEM, "%s: %s", path, strerror(ENOMEM));
    }
    *ret = t;
    return 0;
}
