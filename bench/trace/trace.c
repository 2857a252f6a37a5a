/* SPDX-License-Identifier: MIT */
/*
 * trace.c - loads a trace: every line through the format and the key map into the array of ids
 */
#include "trace/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "trace/format.h"
#include "trace/keymap.h"
#include "trace/lines.h"

/* How often progress is told, in lines: some milliseconds of work. */
#define PROGRESS_LINES 65536

struct loader {
    const char *path;
    const struct trace_options *options;
    enum trace_format format;
    struct lines *lines;
    struct keymap *keys;
    struct trace *trace;
    uint64_t ids_room;
    uint32_t sizes_room;
    struct trace_error *error;
};

int trace_format_find(const char *name, enum trace_format *ret)
{
    static const char *const names[] = {"auto", "text", "csv"};

    for (int i = 0; i < 3; i++) {
        if (strcmp(name, names[i]) == 0) {
            *ret = (enum trace_format)i;
            return 0;
        }
    }
    return -EINVAL;
}

void trace_destroy(struct trace *t)
{
    if (t) {
        free(t->name);
        free(t->ids);
        free(t->sizes);
        free(t);
    }
}

/* The workload's name: characters that would break a table are replaced. NULL without memory. */
static char *name_of(const char *path)
{
    static const char *const extensions[] = {".zst", ".txt", ".csv"};
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    size_t n = strlen(base);
    char *name = malloc(n + 1);

    if (!name) {
        return NULL;
    }
    memcpy(name, base, n + 1);
    for (size_t i = 0; i < sizeof(extensions) / sizeof(extensions[0]); i++) {
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

/* Doubles *array of elements of the given size; *room counts them. */
static int grow(void **array, uint64_t *room, size_t size)
{
    uint64_t more = *room ? *room * 2 : 1024;

    if (more > SIZE_MAX / size) {
        return -ENOMEM;
    }
    void *bigger = realloc(*array, (size_t)more * size);

    if (!bigger) {
        return -ENOMEM;
    }
    *array = bigger;
    *room = more;
    return 0;
}

static int note_size(struct loader *l, uint32_t id, bool is_new, uint64_t size)
{
    struct trace *t = l->trace;

    if (!is_new) {
        t->nr_resized += t->sizes[id] != size;
        return 0;
    }
    if (id == l->sizes_room) {
        uint64_t room = l->sizes_room;
        void *array = t->sizes;
        int rc = grow(&array, &room, sizeof(*t->sizes));

        if (rc) {
            return rc;
        }
        t->sizes = array;
        l->sizes_room = room > UINT32_MAX ? UINT32_MAX : (uint32_t)room;
    }
    t->sizes[id] = size;
    return 0;
}

static int add_request(struct loader *l, const struct request *r)
{
    struct trace *t = l->trace;
    uint32_t known = keymap_count(l->keys);
    uint32_t id = 0;

    if (t->nr_requests == l->ids_room) {
        void *array = t->ids;
        int rc = grow(&array, &l->ids_room, sizeof(*t->ids));

        if (rc) {
            return rc;
        }
        t->ids = array;
    }
    int rc = keymap_text(l->keys, r->key, r->key_len, &id);

    if (!rc && l->format == TRACE_FORMAT_CSV) {
        rc = note_size(l, id, id == known, r->size);
    }
    if (!rc) {
        t->ids[t->nr_requests++] = id;
    }
    return rc;
}

static void tell_progress(const struct loader *l)
{
    if (l->options->progress) {
        l->options->progress(l->options->progress_ctx, lines_position(l->lines),
                             lines_size(l->lines));
    }
}

static int load_line(struct loader *l, const struct line *line)
{
    struct request request = {0};
    const char *reason = NULL;

    if (line->number == 1 && l->format == TRACE_FORMAT_AUTO) {
        l->format = format_detect(l->path, line);
    }
    int rc = format_parse(l->format, line, &request, &reason);

    if (!rc) {
        rc = add_request(l, &request);
        if (rc) {
            reason = rc == -ENOSPC ? "too many distinct keys" : strerror(-rc);
        }
    }
    if (rc) {
        return trace_fail(l->error, rc, "%s:%" PRIu64 ": %s", l->path, line->number, reason);
    }
    if (line->number % PROGRESS_LINES == 0) {
        tell_progress(l);
    }
    return 0;
}

static int load_lines(struct loader *l)
{
    struct line line;
    int rc;

    while ((rc = lines_next(l->lines, &line, l->error)) > 0) {
        rc = load_line(l, &line);
        if (rc) {
            return rc;
        }
    }
    if (rc < 0) {
        return rc;
    }
    if (l->trace->nr_requests == 0) {
        return trace_fail(l->error, -EINVAL, "%s: the file is empty", l->path);
    }
    tell_progress(l);
    return 0;
}

/* Gives back what doubling took too much; failing to is harmless. */
static void shrink_to_fit(struct trace *t)
{
    void *ids = realloc(t->ids, t->nr_requests * sizeof(*t->ids));
    void *sizes = t->sizes ? realloc(t->sizes, t->nr_ids * sizeof(*t->sizes)) : NULL;

    if (ids) {
        t->ids = ids;
    }
    if (sizes) {
        t->sizes = sizes;
    }
}

int trace_load(const char *path, const struct trace_options *options, struct trace **ret,
               struct trace_error *error)
{
    static const struct trace_options defaults = {.format = TRACE_FORMAT_AUTO};
    struct loader l = {.path = path, .options = options ? options : &defaults, .error = error};

    l.format = l.options->format;
    l.keys = keymap_create(TRACE_IDS_MAX);
    l.trace = calloc(1, sizeof(*l.trace));
    int rc = -ENOMEM;

    if (l.trace) {
        l.trace->name = name_of(path);
    }
    if (!l.keys || !l.trace || !l.trace->name) {
        trace_fail(error, rc, "%s: %s", path, strerror(ENOMEM));
        goto out;
    }
    rc = lines_open(path, &l.lines, error);
    if (!rc) {
        rc = load_lines(&l);
    }
    if (!rc) {
        l.trace->nr_ids = keymap_count(l.keys);
        shrink_to_fit(l.trace);
        *ret = l.trace;
        l.trace = NULL;
    }
out:
    lines_close(l.lines);
    keymap_destroy(l.keys);
    trace_destroy(l.trace);
    return rc;
}
