/* SPDX-License-Identifier: MIT */
/*
 * results.c - see results.h
 */
#define _GNU_SOURCE
#include "report/results.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS_MAX 64
#define NONE SIZE_MAX

/* What a row must have, and what it may. */
enum { WORKLOAD, POLICY, SIZE, CAPACITY, REQUESTS, METRIC, RATE, NR_COLUMNS, NR_REQUIRED = RATE };

struct reader {
    const char *path; /* for errors */
    uint64_t line;
    size_t column[NR_COLUMNS]; /* field of each; NONE = not there */
    size_t nr_fields;          /* of the header; 0 = not seen yet */
    struct results *results;
    struct trace_error *error;
};

uint32_t names_find(const struct names *names, const char *text)
{
    for (uint32_t i = 0; i < names->nr; i++) {
        if (strcmp(names->text[i], text) == 0) {
            return i;
        }
    }
    return UINT32_MAX;
}

static int names_add(struct names *names, const char *text, uint32_t *ret)
{
    uint32_t i = names_find(names, text);

    if (i == UINT32_MAX) {
        char **bigger = realloc(names->text, (names->nr + 1) * sizeof(*bigger));

        if (!bigger) {
            return -ENOMEM;
        }
        names->text = bigger;
        bigger[names->nr] = strdup(text);
        if (!bigger[names->nr]) {
            return -ENOMEM;
        }
        i = names->nr++;
    }
    *ret = i;
    return 0;
}

static void names_fini(struct names *names)
{
    for (uint32_t i = 0; i < names->nr; i++) {
        free(names->text[i]);
    }
    free(names->text);
}

void results_fini(struct results *r)
{
    names_fini(&r->workloads);
    names_fini(&r->policies);
    names_fini(&r->sizes);
    names_fini(&r->commands);
    names_fini(&r->commits);
    free(r->rows);
    *r = (struct results){0};
}

const struct result *results_find(const struct results *r, uint32_t workload, uint32_t policy, uint32_t size)
{
    for (size_t i = 0; i < r->nr; i++) {
        if (r->rows[i].workload == workload && r->rows[i].policy == policy && r->rows[i].size == size) {
            return &r->rows[i];
        }
    }
    return NULL;
}

#define REFUSE(reader, ...) refuse(reader, trace_fail((reader)->error, -EINVAL, __VA_ARGS__))

/* Puts the place in front of the reason. */
static int refuse(struct reader *in, int rc)
{
    struct trace_error reason = *in->error;

    return trace_fail(in->error, rc, "%.200s:%llu: %.700s", in->path, (unsigned long long)in->line, reason.text);
}

/* Cuts the line at its tabs. Fields beyond the most are counted, not kept. */
static size_t split(char *line, char **fields)
{
    size_t nr = 0;

    for (char *at = line; at;) {
        char *tab = strchr(at, '\t');

        if (tab) {
            *tab++ = '\0';
        }
        if (nr < FIELDS_MAX) {
            fields[nr] = at;
        }
        nr++;
        at = tab;
    }
    return nr;
}

static int read_header(struct reader *in, char *line, const char *metric)
{
    const char *const names[NR_COLUMNS] = {"workload", "policy", "size", "capacity", "requests", metric, "rate"};
    char *fields[FIELDS_MAX];
    size_t nr = split(line, fields);

    if (nr > FIELDS_MAX) {
        return REFUSE(in, "more than %d columns", FIELDS_MAX);
    }
    for (size_t c = 0; c < NR_COLUMNS; c++) {
        in->column[c] = NONE;
        for (size_t i = 0; i < nr; i++) {
            if (strcmp(fields[i], names[c]) == 0 && in->column[c] != NONE) {
                return REFUSE(in, "the column '%s' is there twice", names[c]);
            }
            if (strcmp(fields[i], names[c]) == 0) {
                in->column[c] = i;
            }
        }
        if (in->column[c] == NONE && c < NR_REQUIRED) {
            return REFUSE(in, "the header has no column '%s'; expected what `genlru-sim run` prints", names[c]);
        }
    }
    in->nr_fields = nr;
    return 0;
}

static int parse_count(struct reader *in, const char *name, const char *text, uint64_t *ret)
{
    char *end;

    errno = 0;
    *ret = strtoull(text, &end, 10);
    if (errno || *text < '0' || *text > '9' || *end) {
        return REFUSE(in, "%s '%.40s' is no number", name, text);
    }
    return 0;
}

/* least … 1, where `open` excludes the least itself. */
static int parse_ratio(struct reader *in, const char *name, const char *text, bool open, double *ret)
{
    char *end;

    *ret = strtod(text, &end);
    if (end == text || *end || !isfinite(*ret) || *ret < 0 || *ret > 1 || (open && *ret == 0)) {
        return REFUSE(in, "%s '%.40s' is not within 0 to 1", name, text);
    }
    return 0;
}

static int push(struct reader *in, const struct result *row)
{
    struct results *r = in->results;

    if (r->nr == RESULTS_ROWS_MAX) {
        return REFUSE(in, "more than %d rows", RESULTS_ROWS_MAX);
    }
    if ((r->nr & (r->nr - 1)) == 0) { /* full at each power of two */
        struct result *bigger = realloc(r->rows, (r->nr ? 2 * r->nr : 1) * sizeof(*bigger));

        if (!bigger) {
            return trace_fail(in->error, -ENOMEM, "%s", strerror(ENOMEM));
        }
        r->rows = bigger;
    }
    r->rows[r->nr++] = *row;
    return 0;
}

static int read_row(struct reader *in, char *line)
{
    struct results *r = in->results;
    struct result row = {.rate = 1};
    char *fields[FIELDS_MAX];
    size_t nr = split(line, fields);

    if (nr != in->nr_fields) {
        return REFUSE(in, "%zu fields, but the header has %zu", nr, in->nr_fields);
    }
    for (size_t c = WORKLOAD; c <= SIZE; c++) {
        static const char *const what[] = {"workload", "policy", "size"};

        if (*fields[in->column[c]] == '\0') {
            return REFUSE(in, "the %s is empty", what[c]);
        }
    }
    int rc = parse_count(in, "capacity", fields[in->column[CAPACITY]], &row.capacity);

    rc = rc ? rc : parse_count(in, "requests", fields[in->column[REQUESTS]], &row.requests);
    if (!rc) {
        rc = parse_ratio(in, "miss ratio", fields[in->column[METRIC]], false, &row.miss_ratio);
    }
    if (!rc && in->column[RATE] != NONE) {
        rc = parse_ratio(in, "rate", fields[in->column[RATE]], true, &row.rate);
    }
    if (rc) {
        return rc;
    }
    if (names_add(&r->workloads, fields[in->column[WORKLOAD]], &row.workload) ||
        names_add(&r->policies, fields[in->column[POLICY]], &row.policy) ||
        names_add(&r->sizes, fields[in->column[SIZE]], &row.size)) {
        return trace_fail(in->error, -ENOMEM, "%s", strerror(ENOMEM));
    }
    if (results_find(r, row.workload, row.policy, row.size)) {
        return REFUSE(in, "a second row for %.100s, %.100s, %s", r->workloads.text[row.workload],
                      r->policies.text[row.policy], r->sizes.text[row.size]);
    }
    return push(in, &row);
}

/* "# command: …" and "# commit: …" are kept, other comments are not. */
static int read_comment(struct reader *in, const char *line)
{
    static const char command[] = "# command: ";
    static const char commit[] = "# commit: ";
    uint32_t ignored;
    int rc = 0;

    if (strncmp(line, command, sizeof(command) - 1) == 0) {
        rc = names_add(&in->results->commands, line + sizeof(command) - 1, &ignored);
    } else if (strncmp(line, commit, sizeof(commit) - 1) == 0) {
        rc = names_add(&in->results->commits, line + sizeof(commit) - 1, &ignored);
    }
    return rc ? trace_fail(in->error, rc, "%s", strerror(ENOMEM)) : 0;
}

static int read_line(struct reader *in, char *line, size_t len, const char *metric)
{
    while (len && (line[len - 1] == '\n' || line[len - 1] == '\r')) {
        line[--len] = '\0';
    }
    if (strlen(line) != len) {
        return REFUSE(in, "NUL byte");
    }
    if (line[0] == '#') {
        return read_comment(in, line);
    }
    if (len == 0) {
        return REFUSE(in, "the line is empty");
    }
    return in->nr_fields == 0 ? read_header(in, line, metric) : read_row(in, line);
}

int results_read(const char *path, const char *metric, struct results *results, struct trace_error *error)
{
    bool is_stdin = strcmp(path, "-") == 0;
    FILE *file = is_stdin ? stdin : fopen(path, "r");
    struct reader in = {.path = is_stdin ? "standard input" : path, .results = results, .error = error};
    size_t before = results->nr;
    char *line = NULL;
    size_t room = 0;
    ssize_t len;
    int rc = 0;

    if (!file) {
        return trace_fail(error, -errno, "%s: %s", path, strerror(errno));
    }
    errno = 0;
    while (!rc && (len = getline(&line, &room, file)) >= 0) {
        in.line++;
        rc = read_line(&in, line, (size_t)len, metric);
    }
    if (!rc && !feof(file)) {
        int code = errno ? errno : EIO;

        rc = trace_fail(error, -code, "%s: %s", in.path, strerror(code));
    }
    if (!rc && results->nr == before) {
        rc =
            trace_fail(error, -EINVAL, "%s: %s", in.path, in.nr_fields ? "no row behind the header" : "no header line");
    }
    free(line);
    if (!is_stdin) {
        fclose(file);
    }
    return rc;
}
