/*
 * overhead: what libgenlru-trace.so costs a program that does nothing but read.
 *
 *   parent ──▶ child without ──▶ child with ──▶ child without ──▶ …      (all run this file)
 *                    │ns per call      │ns per call
 *                    └───────┬─────────┘
 *                medians, and their ratio
 *
 * Each child reads 4096 bytes at random blocks of a file of 1 MiB in the page cache: the call is as
 * cheap as it gets, so this is the worst case. The two take turns, so that a busy machine is unfair
 * to both. Compressing and writing the trace is part of the time.
 *
 * Usage: genlru-trace-overhead SHIM [ROUNDS]
 */
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BLOCK_BYTES 4096
#define NR_BLOCKS 256
#define NR_CALLS 100000
#define NR_ROUNDS_DEFAULT 7
#define NR_ROUNDS_MAX 1000
#define NR_KINDS 2 /* pread, read */

static void die(const char *what)
{
    fprintf(stderr, "genlru-trace-overhead: %s: %s\n", what, strerror(errno));
    exit(1);
}

/* ---- the child ---- */

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void measure(const char *path)
{
    char buffer[BLOCK_BYTES];
    uint32_t random = 1;
    double start;
    int fd = open(path, O_RDONLY);

    if (fd < 0)
        die(path);
    start = seconds();
    for (int i = 0; i < NR_CALLS; i++) {
        random = random * 1664525u + 1013904223u;
        if (pread(fd, buffer, BLOCK_BYTES, (off_t)(random >> 24) * BLOCK_BYTES) != BLOCK_BYTES)
            die("pread");
    }
    printf("%.1f\n", (seconds() - start) * 1e9 / NR_CALLS);

    start = seconds();
    for (int i = 0; i < NR_CALLS; i++) {
        if (i % NR_BLOCKS == 0 && lseek(fd, 0, SEEK_SET) != 0)
            die("lseek");
        if (read(fd, buffer, BLOCK_BYTES) != BLOCK_BYTES)
            die("read");
    }
    printf("%.1f\n", (seconds() - start) * 1e9 / NR_CALLS);
    close(fd);
}

/* ---- the parent ---- */

/* Where all this happens; removed however main() ends. */
static char directory[4000], file[4100];

static void clean_up(void)
{
    unlink(file);
    rmdir(directory);
}

static void run_child(const char *shim, double ns[NR_KINDS])
{
    char prefix[4200];
    int ends[2], status;
    FILE *output;
    pid_t child;

    if (pipe(ends) != 0)
        die("pipe");
    child = fork();
    if (child < 0)
        die("fork");
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        unsetenv("GENLRU_TRACE");
        if (shim != NULL) {
            snprintf(prefix, sizeof(prefix), "%s/trace", directory);
            setenv("GENLRU_TRACE", prefix, 1);
            setenv("LD_PRELOAD", shim, 1);
        }
        snprintf(prefix, sizeof(prefix), "%s/file", directory);
        execl("/proc/self/exe", "genlru-trace-overhead", "--measure", prefix, (char *)NULL);
        perror("genlru-trace-overhead: /proc/self/exe");
        _exit(1); /* the clean-up is the parent's */
    }
    close(ends[1]);
    output = fdopen(ends[0], "r");
    for (int kind = 0; kind < NR_KINDS; kind++) {
        if (fscanf(output, "%lf", &ns[kind]) != 1) {
            fprintf(stderr, "genlru-trace-overhead: the measured process failed\n");
            exit(1);
        }
    }
    fclose(output);
    if (waitpid(child, &status, 0) != child || status != 0) {
        fprintf(stderr, "genlru-trace-overhead: the measured process failed\n");
        exit(1);
    }
    /* No trace: something else was measured (a shim that isn't one, say). */
    snprintf(prefix, sizeof(prefix), "%s/trace.%ld.txt.zst", directory, (long)child);
    if (shim != NULL && unlink(prefix) != 0)
        die(prefix);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *values, size_t nr)
{
    qsort(values, nr, sizeof(*values), compare);
    return nr % 2 == 1 ? values[nr / 2] : (values[nr / 2 - 1] + values[nr / 2]) / 2;
}

static void make_file(const char *path)
{
    char block[BLOCK_BYTES];
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);

    memset(block, 'x', sizeof(block));
    for (int i = 0; fd >= 0 && i < NR_BLOCKS; i++)
        if (write(fd, block, sizeof(block)) != BLOCK_BYTES)
            die(path);
    if (fd < 0 || close(fd) != 0)
        die(path);
}

int main(int argc, char **argv)
{
    static double without[NR_KINDS][NR_ROUNDS_MAX], with[NR_KINDS][NR_ROUNDS_MAX];
    static const char *const kinds[NR_KINDS] = {"pread", "read"};
    const char *temporary = getenv("TMPDIR");
    char *end, *shim;
    long nr_rounds = NR_ROUNDS_DEFAULT;

    if (argc == 3 && strcmp(argv[1], "--measure") == 0) {
        measure(argv[2]);
        return 0;
    }
    if (argc == 3) {
        nr_rounds = strtol(argv[2], &end, 10);
        if (end == argv[2] || *end != '\0' || nr_rounds < 1 || nr_rounds > NR_ROUNDS_MAX)
            argc = 0;
    }
    if (argc != 2 && argc != 3) {
        fprintf(stderr, "usage: genlru-trace-overhead SHIM [ROUNDS, 1 to %d]\n", NR_ROUNDS_MAX);
        return 2;
    }
    shim = realpath(argv[1], NULL);
    if (shim == NULL)
        die(argv[1]);
    snprintf(directory, sizeof(directory), "%s/genlru-overhead-XXXXXX", temporary != NULL ? temporary : "/tmp");
    if (mkdtemp(directory) == NULL)
        die(directory);
    snprintf(file, sizeof(file), "%s/file", directory);
    atexit(clean_up);
    make_file(file);
    for (long round = 0; round < nr_rounds; round++) {
        double ns[NR_KINDS];

        run_child(NULL, ns);
        for (int kind = 0; kind < NR_KINDS; kind++)
            without[kind][round] = ns[kind];
        run_child(shim, ns);
        for (int kind = 0; kind < NR_KINDS; kind++)
            with[kind][round] = ns[kind];
    }
    free(shim);

    printf("call\twithout_ns\twith_ns\tmore_ns\tratio\n");
    for (int kind = 0; kind < NR_KINDS; kind++) {
        double a = median(without[kind], (size_t)nr_rounds);
        double b = median(with[kind], (size_t)nr_rounds);

        printf("%s\t%.0f\t%.0f\t%.0f\t%.2f\n", kinds[kind], a, b, b - a, b / a);
    }
    return 0;
}
