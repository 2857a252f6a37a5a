/*
 * The capture shim with several threads and with fork(), its sources linked in so that the
 * sanitizers see them.
 *
 * Every thread does the same work on a database of its own, so every cache must have exactly the
 * trace that the work leaves when it is done alone: a lost, torn or misattributed line shows. The
 * program runs itself, since a trace is whole only when its process has ended.
 */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NR_THREADS 4

struct trace {
    uint64_t *keys;
    size_t nr;
};

static void die(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    exit(1);
}

/* ---- what the captured process does ---- */

static void check(sqlite3 *db, int result, int expected)
{
    if (result != expected) {
        fprintf(stderr, "SQLite: %s\n", sqlite3_errmsg(db));
        exit(1);
    }
}

/* No statement here needs a temporary table, so one call makes one cache. */
static void work(void)
{
    sqlite3 *db;
    sqlite3_stmt *insert;

    check(NULL, sqlite3_open(":memory:", &db), SQLITE_OK);
    check(db,
          sqlite3_exec(db,
                       "CREATE TABLE t (id INTEGER PRIMARY KEY, k INTEGER, body TEXT);"
                       "CREATE INDEX t_by_k ON t (k); BEGIN;",
                       NULL, NULL, NULL),
          SQLITE_OK);
    check(db, sqlite3_prepare_v2(db, "INSERT INTO t VALUES (?, ?, hex(zeroblob(100)))", -1, &insert, NULL), SQLITE_OK);
    for (int i = 1; i <= 10000; i++) {
        sqlite3_bind_int(insert, 1, i);
        sqlite3_bind_int(insert, 2, (int)(i * 7919LL % 10007));
        check(db, sqlite3_step(insert), SQLITE_DONE);
        sqlite3_reset(insert);
    }
    sqlite3_finalize(insert);
    check(db,
          sqlite3_exec(db,
                       "COMMIT; UPDATE t SET body = 'x' WHERE id % 7 = 0;"
                       "SELECT sum(length(body)) FROM t WHERE k > 100;",
                       NULL, NULL, NULL),
          SQLITE_OK);
    sqlite3_close(db);
}

static void *thread_main(void *barrier)
{
    pthread_barrier_wait(barrier);
    work();
    return NULL;
}

static void work_in_threads(void)
{
    pthread_t threads[NR_THREADS];
    pthread_barrier_t barrier;

    pthread_barrier_init(&barrier, NULL, NR_THREADS);
    for (int i = 0; i < NR_THREADS; i++) {
        errno = pthread_create(&threads[i], NULL, thread_main, &barrier);
        if (errno != 0)
            die("pthread_create");
    }
    for (int i = 0; i < NR_THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&barrier);
}

/* The child starts with unwritten lines in its copy of the buffer, adds accesses and ends well. */
static void work_around_fork(void)
{
    int status;
    pid_t child;

    work();
    child = fork();
    if (child < 0)
        die("fork");
    work();
    if (child == 0)
        exit(0);
    if (waitpid(child, &status, 0) != child || status != 0)
        die("the forked child failed");
}

/* ---- what is expected of it ---- */

static void run(const char *program, const char *mode, const char *path)
{
    int status;
    pid_t child = fork();

    if (child < 0)
        die("fork");
    if (child == 0) {
        setenv("GENLRU_CAPTURE", path, 1);
        execl(program, program, mode, (char *)NULL);
        die(program);
    }
    if (waitpid(child, &status, 0) != child || status != 0) {
        fprintf(stderr, "%s: the captured process failed\n", mode);
        exit(1);
    }
}

static struct trace read_trace(const char *path)
{
    struct trace trace = {NULL, 0};
    size_t room = 0;
    char line[64];
    FILE *file = fopen(path, "r");

    if (file == NULL)
        die(path);
    while (fgets(line, sizeof(line), file) != NULL) {
        char *end;

        if (trace.nr == room) {
            room = room * 2 + 1024;
            trace.keys = realloc(trace.keys, room * sizeof(*trace.keys));
            if (trace.keys == NULL)
                die("realloc");
        }
        trace.keys[trace.nr++] = strtoull(line, &end, 10);
        if (end == line || strcmp(end, "\n") != 0) {
            fprintf(stderr, "%s: line %zu is no key: %s\n", path, trace.nr, line);
            exit(1);
        }
    }
    fclose(file);
    return trace;
}

/* The trace must be nr_caches copies of `alone`, however interleaved. Returns the switches seen. */
static size_t check_copies(const char *mode, struct trace trace, struct trace alone, int nr_caches)
{
    size_t at[NR_THREADS] = {0}; /* per cache, in `alone` */
    size_t nr_switches = 0;

    for (size_t i = 0; i < trace.nr; i++) {
        uint64_t cache = trace.keys[i] >> 32;
        uint64_t page = trace.keys[i] & UINT32_MAX;

        if (cache >= (uint64_t)nr_caches || at[cache] == alone.nr || page != alone.keys[at[cache]]) {
            fprintf(stderr, "%s: line %zu: page %" PRIu64 " of cache %" PRIu64 " is not expected\n", mode, i + 1, page,
                    cache);
            exit(1);
        }
        at[cache]++;
        nr_switches += i > 0 && cache != trace.keys[i - 1] >> 32;
    }
    if (trace.nr != alone.nr * (size_t)nr_caches) {
        fprintf(stderr, "%s: %zu lines, expected %d × %zu\n", mode, trace.nr, nr_caches, alone.nr);
        exit(1);
    }
    return nr_switches;
}

static struct trace capture(const char *program, const char *mode, const char *directory)
{
    char path[4096];
    struct trace trace;

    snprintf(path, sizeof(path), "%s/%s", directory, mode);
    run(program, mode, path);
    trace = read_trace(path);
    unlink(path);
    return trace;
}

int main(int argc, char **argv)
{
    const char *temporary = getenv("TMPDIR");
    char directory[4096];
    struct trace alone, threads, forked;
    size_t nr_switches;

    if (argc == 2 && strcmp(argv[1], "alone") == 0) {
        work();
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "threads") == 0) {
        work_in_threads();
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "fork") == 0) {
        work_around_fork();
        return 0;
    }
    if (sqlite3_threadsafe() == 0) {
        printf("skipped: this SQLite is built without threads\n");
        return 77;
    }

    snprintf(directory, sizeof(directory), "%s/genlru-capture-XXXXXX", temporary != NULL ? temporary : "/tmp");
    if (mkdtemp(directory) == NULL)
        die(directory);
    alone = capture(argv[0], "alone", directory);
    threads = capture(argv[0], "threads", directory);
    forked = capture(argv[0], "fork", directory);
    rmdir(directory);

    if (alone.nr < 10000) { /* several buffers full, or there is little to get wrong */
        fprintf(stderr, "alone: only %zu accesses\n", alone.nr);
        return 1;
    }
    check_copies("alone", alone, alone, 1);
    nr_switches = check_copies("threads", threads, alone, NR_THREADS);
    check_copies("fork", forked, alone, 2);
    printf("passed: %zu accesses each, %zu switches between %d threads\n", alone.nr, nr_switches, NR_THREADS);
    free(alone.keys);
    free(threads.keys);
    free(forked.keys);
    return 0;
}
