/* SPDX-License-Identifier: MIT */
/* Runs out of JSON files: see runs.h. */
#include "micro/results/runs.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    size_t have = 0, room = 1 << 16;
    char *text = file ? malloc(room + 1) : NULL;

    while (text) {
        have += fread(text + have, 1, room - have, file);
        if (have < room) {
            break;
        }
        char *more = realloc(text, 2 * room + 1);

        if (!more) {
            free(text);
        }
        text = more;
        room *= 2;
    }
    if (text && ferror(file)) {
        free(text);
        text = NULL;
    }
    if (text) {
        text[have] = '\0';
    }
    if (file) {
        fclose(file);
    }
    return text;
}

/* Cuts "operation/subject/size/variant…" up; what Google Benchmark appends ("iterations:", "threads:") is left out. */
static bool split_name(struct run *run, const char *name)
{
    char *copy = strdup(name), *rest = copy, *part;
    char **to[] = {&run->operation, &run->subject, &run->size};
    size_t n = 0;

    run->variant = copy ? calloc(1, strlen(name) + 1) : NULL;
    while (run->variant && (part = strsep(&rest, "/"))) {
        if (!strncmp(part, "iterations:", 11) || !strncmp(part, "threads:", 8)) {
            continue;
        }
        if (n < 3) {
            *to[n] = strdup(part);
        } else {
            sprintf(run->variant + strlen(run->variant), "%s%s", *run->variant ? "/" : "", part);
        }
        n++;
    }
    free(copy);
    return run->operation && run->subject && run->size && run->variant;
}

static void run_destroy(struct run *run)
{
    if (run) {
        free(run->operation);
        free(run->subject);
        free(run->size);
        free(run->variant);
        free(run);
    }
}

static struct run *add_run(struct runs *runs, struct run *like)
{
    struct run **more = realloc(runs->run, (runs->nr + 1) * sizeof(*more));

    if (!more) {
        return NULL;
    }
    runs->run = more;
    runs->run[runs->nr++] = like;
    return like;
}

static bool is_ours(const char *key)
{
    static const char *const theirs[] = {"family_index", "per_family_instance_index",
                                         "repetitions",  "repetition_index",
                                         "threads",      "iterations",
                                         "real_time",    "cpu_time"};

    for (size_t i = 0; i < sizeof(theirs) / sizeof(theirs[0]); i++) {
        if (!strcmp(key, theirs[i])) {
            return false;
        }
    }
    return true;
}

static void add_counters(struct run *run, const struct json *entry)
{
    for (const struct json *member = entry->child; member; member = member->next) {
        unsigned i = 0;

        if (member->type != JSON_NUMBER || !is_ours(member->key)) {
            continue;
        }
        while (i < run->nr_counters && strcmp(run->counter[i].name, member->key) != 0) {
            i++;
        }
        if (i == RUN_COUNTERS_MAX) {
            continue;
        }
        if (i == run->nr_counters) {
            run->counter[run->nr_counters++].name = member->key;
        }
        run->counter[i].value[run->repetitions] = member->number;
    }
}

/* One repetition. */
static int add_entry(struct runs *runs, const struct json *entry)
{
    struct run *run = calloc(1, sizeof(*run));
    const struct run *known;

    if (!run || !split_name(run, json_string(entry, "run_name", ""))) {
        run_destroy(run);
        return -EINVAL;
    }
    run->threads = (unsigned)json_number(entry, "threads", 1);
    known = runs_find(runs, run->operation, run->subject, run->size, run->variant, run->threads);
    if (known) {
        run_destroy(run);
        run = (struct run *)known; /* it is ours */
    } else if (!add_run(runs, run)) {
        run_destroy(run);
        return -ENOMEM;
    }
    if (run->repetitions < RUN_REPETITIONS_MAX) {
        run->real_ns[run->repetitions] = json_number(entry, "real_time", 0);
        run->cpu_ns[run->repetitions] = json_number(entry, "cpu_time", 0);
        add_counters(run, entry);
        run->repetitions++;
    }
    return 0;
}

static int add_entries(struct runs *runs, const struct json *root)
{
    const struct json *list = json_get(root, "benchmarks");
    int error = list && list->type == JSON_ARRAY ? 0 : -EINVAL;

    for (const struct json *entry = error ? NULL : list->child; entry && !error; entry = entry->next) {
        const struct json *failed = json_get(entry, "error_occurred");

        if (strcmp(json_string(entry, "run_type", ""), "iteration") != 0) {
            continue;
        }
        if (failed && failed->type == JSON_TRUE) {
            runs->nr_errors++;
        } else {
            error = add_entry(runs, entry);
        }
    }
    return error;
}

static int keep_file(struct runs *runs, struct json *root)
{
    struct json **more = realloc(runs->files, (runs->nr_files + 1) * sizeof(*more));

    if (!more) {
        json_free(root);
        return -ENOMEM;
    }
    runs->files = more;
    runs->files[runs->nr_files++] = root;
    return 0;
}

int runs_read(struct runs *runs, const char *path)
{
    char *text = read_file(path);
    struct json *root = NULL;
    unsigned line = 0;
    int error;

    if (!text) {
        error = errno ? -errno : -ENOMEM;
        fprintf(stderr, "genlru-bench: %s: %s\n", path, strerror(-error));
        return error;
    }
    root = json_parse(text, &line);
    free(text);
    if (!root) {
        fprintf(stderr, "genlru-bench: %s:%u: this is no JSON\n", path, line);
        return -EINVAL;
    }
    error = keep_file(runs, root);
    error = error ? error : add_entries(runs, root);
    if (error) {
        fprintf(stderr, "genlru-bench: %s: not the output of genlru-bench --benchmark_out\n", path);
    }
    return error;
}

void runs_fini(struct runs *runs)
{
    for (size_t i = 0; i < runs->nr; i++) {
        run_destroy(runs->run[i]);
    }
    for (size_t i = 0; i < runs->nr_files; i++) {
        json_free(runs->files[i]);
    }
    free(runs->run);
    free(runs->files);
    *runs = (struct runs){NULL, 0, NULL, 0, 0};
}

const struct run *runs_find(const struct runs *runs, const char *operation, const char *subject, const char *size,
                            const char *variant, unsigned threads)
{
    for (size_t i = 0; i < runs->nr; i++) {
        const struct run *run = runs->run[i];

        if (run->threads == threads && !strcmp(run->operation, operation) && !strcmp(run->subject, subject) &&
            !strcmp(run->size, size) && !strcmp(run->variant, variant)) {
            return run;
        }
    }
    return NULL;
}

double runs_size(const char *size)
{
    char *end;
    double n = strtod(size, &end);

    return end == size ? 0 : *end == 'M' ? n * 1e6 : *end == 'k' ? n * 1e3 : n;
}

const double *run_counter(const struct run *run, const char *name)
{
    for (unsigned i = 0; run && i < run->nr_counters; i++) {
        if (!strcmp(run->counter[i].name, name)) {
            return run->counter[i].value;
        }
    }
    return NULL;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double runs_median(const double *values, unsigned n)
{
    double sorted[RUN_REPETITIONS_MAX];

    memcpy(sorted, values, n * sizeof(*values));
    qsort(sorted, n, sizeof(*sorted), compare_doubles);
    return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}
