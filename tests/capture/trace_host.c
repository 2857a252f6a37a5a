/*
 * A program to be traced: reads blocks known beforehand through every call that
 * bench/capture/trace_calls.c stands in front of, checks that each returns what it should, and
 * prints the keys its trace must hold. trace.sh runs it with and without the shim.
 *
 * Usage: trace_host MODE FILE     FILE is made: 64 blocks of 4096 bytes and a last one of 100.
 */
#define _GNU_SOURCE
#undef _FORTIFY_SOURCE

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define BLOCK 4096
#define NR_FULL 64
#define LAST_BYTES 100
#define NR_THREADS 4
#define NR_THREAD_READS 20000

/* What a caller compiled with _FORTIFY_SOURCE calls; glibc has no prototypes of them. */
ssize_t __read_chk(int fd, void *buffer, size_t nr_bytes, size_t room);
ssize_t __pread_chk(int fd, void *buffer, size_t nr_bytes, off_t offset, size_t room);
ssize_t __pread64_chk(int fd, void *buffer, size_t nr_bytes, off64_t offset, size_t room);

static struct stat of_file;

static void die(const char *what)
{
    fprintf(stderr, "trace_host: %s: %s\n", what, strerror(errno));
    _exit(1);
}

/* The call must have returned `expected`, and, where it succeeded, left errno alone. */
#define CHECK(expected, call)                                                                                \
    do {                                                                                                     \
        ssize_t result;                                                                                      \
                                                                                                             \
        errno = 12345;                                                                                       \
        result = (call);                                                                                     \
        if (result != (ssize_t)(expected) || (result >= 0 && errno != 12345)) {                              \
            fprintf(stderr, "trace_host: line %d: %s: %zd, %s\n", __LINE__, #call, result, strerror(errno)); \
            _exit(1);                                                                                        \
        }                                                                                                    \
    } while (0)

#define CHECK_ERROR(error, call) \
    do {                         \
        CHECK(-1, call);         \
        if (errno != (error))    \
            die(#call);          \
    } while (0)

static void expect(int first, int last)
{
    for (int block = first; block <= last; block++)
        printf("%" PRIu64 ":%" PRIu64 ":%d\n", (uint64_t)of_file.st_dev, (uint64_t)of_file.st_ino, block);
}

static void make_file(const char *path)
{
    char block[BLOCK];
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    if (fd < 0)
        die(path);
    for (int i = 0; i <= NR_FULL; i++) {
        size_t nr_bytes = i < NR_FULL ? BLOCK : LAST_BYTES;

        memset(block, 'A' + i % 26, sizeof(block));
        CHECK(nr_bytes, write(fd, block, nr_bytes));
    }
    if (fstat(fd, &of_file) != 0 || close(fd) != 0)
        die(path);
}

static int open_file(const char *path)
{
    int fd = open(path, O_RDONLY);

    if (fd < 0)
        die(path);
    return fd;
}

/* ---- every call ---- */

static void at_position(int fd)
{
    static char buffer[8 * BLOCK];
    struct iovec vector[2] = {{buffer, BLOCK}, {buffer + BLOCK, BLOCK + 1}};
    int copy;

    CHECK(BLOCK, read(fd, buffer, BLOCK));
    expect(0, 0);
    if (buffer[0] != 'A' || buffer[BLOCK - 1] != 'A')
        die("contents");
    CHECK(1, read(fd, buffer, 1)); /* part of a block counts, and counts again */
    expect(1, 1);
    CHECK(BLOCK, read(fd, buffer, BLOCK));
    expect(1, 2);
    CHECK(BLOCK, __read_chk(fd, buffer, BLOCK, sizeof(buffer)));
    expect(2, 3);
    CHECK(2 * BLOCK + 1, readv(fd, vector, 2)); /* from 3 × 4096 + 1: up to byte 5 × 4096 + 1 */
    expect(3, 5);
    CHECK(10 * BLOCK, lseek(fd, 10 * BLOCK, SEEK_SET));
    CHECK(2 * BLOCK, read(fd, buffer, 2 * BLOCK));
    expect(10, 11);
    copy = dup(fd); /* shares the position */
    CHECK(BLOCK, read(copy, buffer, BLOCK));
    expect(12, 12);
    CHECK(BLOCK, read(fd, buffer, BLOCK));
    expect(13, 13);
    CHECK(0, close(copy));
    CHECK(BLOCK, preadv2(fd, vector, 1, -1, 0)); /* -1: at the position */
    expect(14, 14);
    CHECK(15 * BLOCK, lseek(fd, 0, SEEK_CUR));
    CHECK(NR_FULL * BLOCK, lseek(fd, NR_FULL * BLOCK, SEEK_SET));
    CHECK(LAST_BYTES, read(fd, buffer, BLOCK)); /* less than asked for */
    expect(NR_FULL, NR_FULL);
    CHECK(0, read(fd, buffer, BLOCK)); /* end of file: nothing */
    CHECK(0, read(fd, buffer, 0));
}

static void at_offset(int fd)
{
    static char buffer[8 * BLOCK];
    struct iovec vector[2] = {{buffer, BLOCK}, {buffer + BLOCK, BLOCK}};
    off_t position = lseek(fd, 0, SEEK_CUR);

    CHECK(BLOCK, pread(fd, buffer, BLOCK, 20 * BLOCK));
    expect(20, 20);
    if (buffer[0] != 'U')
        die("contents");
    CHECK(2, pread(fd, buffer, 2, 21 * BLOCK - 1));
    expect(20, 21);
    CHECK(BLOCK, pread64(fd, buffer, BLOCK, 22 * BLOCK));
    expect(22, 22);
    CHECK(BLOCK, __pread_chk(fd, buffer, BLOCK, 23 * BLOCK, sizeof(buffer)));
    expect(23, 23);
    CHECK(BLOCK, __pread64_chk(fd, buffer, BLOCK, 24 * BLOCK, sizeof(buffer)));
    expect(24, 24);
    CHECK(2 * BLOCK, preadv(fd, vector, 2, 25 * BLOCK));
    expect(25, 26);
    CHECK(2 * BLOCK, preadv64(fd, vector, 2, 27 * BLOCK));
    expect(27, 28);
    CHECK(2 * BLOCK, preadv2(fd, vector, 2, 29 * BLOCK, 0));
    expect(29, 30);
    CHECK(2 * BLOCK, preadv64v2(fd, vector, 2, 31 * BLOCK, 0));
    expect(31, 32);
    CHECK(LAST_BYTES, pread(fd, buffer, 3 * BLOCK, NR_FULL * BLOCK));
    expect(NR_FULL, NR_FULL);
    CHECK(0, pread(fd, buffer, BLOCK, 1000 * BLOCK));
    CHECK(position, lseek(fd, 0, SEEK_CUR));
}

static void into_descriptors(int fd)
{
    off_t offset = 40 * BLOCK;
    int ends[2];
    FILE *other = tmpfile();

    if (pipe(ends) != 0 || other == NULL)
        die("pipe, tmpfile");
    CHECK(2 * BLOCK, sendfile(ends[1], fd, &offset, 2 * BLOCK));
    expect(40, 41);
    CHECK(42 * BLOCK, offset);
    CHECK(43 * BLOCK, lseek(fd, 43 * BLOCK, SEEK_SET));
    CHECK(BLOCK, sendfile64(ends[1], fd, NULL, BLOCK));
    expect(43, 43);
    offset = 45 * BLOCK;
    errno = 12345;
    if (copy_file_range(fd, &offset, fileno(other), NULL, BLOCK, 0) == BLOCK)
        expect(45, 45);
    close(ends[0]);
    close(ends[1]);
    fclose(other);
}

static void not_recorded(int fd, const char *path)
{
    char buffer[BLOCK];
    int ends[2], pair[2], other;
    FILE *stream;
    void *volatile nowhere = (void *)1;

    if (pipe(ends) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
        die("pipe, socketpair");
    CHECK(3, write(ends[1], "abc", 3));
    CHECK(3, read(ends[0], buffer, BLOCK));
    CHECK(3, write(pair[1], "abc", 3));
    CHECK(3, read(pair[0], buffer, BLOCK));
    other = open("/dev/zero", O_RDONLY);
    CHECK(10, read(other, buffer, 10));
    close(other);
    other = open("/", O_RDONLY | O_DIRECTORY);
    CHECK_ERROR(EISDIR, read(other, buffer, BLOCK));
    close(other);
    CHECK_ERROR(EBADF, read(other, buffer, BLOCK));
    CHECK_ERROR(EBADF, pread(-1, buffer, BLOCK, 0));
    CHECK_ERROR(EINVAL, pread(fd, buffer, BLOCK, -5));
    CHECK_ERROR(ESPIPE, pread(ends[0], buffer, BLOCK, 0));
    CHECK_ERROR(EFAULT, pread(fd, nowhere, BLOCK, 0));
    close(ends[0]);
    close(ends[1]);
    close(pair[0]);
    close(pair[1]);

    /* A number closed and given out again where the shim can't look: it must not be misled. */
    stream = fopen(path, "r");
    other = fileno(stream);
    CHECK(1, pread(other, buffer, 1, 50 * BLOCK));
    expect(50, 50);
    fclose(stream);
    stream = fopen("/dev/zero", "r");
    if (fileno(stream) != other)
        die("another descriptor than the one closed");
    CHECK(BLOCK, read(other, buffer, BLOCK));
    fclose(stream);
}

static void calls(const char *path)
{
    int fd = open_file(path);

    at_position(fd);
    at_offset(fd);
    into_descriptors(fd);
    not_recorded(fd, path);
    close(fd);
}

/* ---- threads: each reads its own 16 blocks in its own order, through one descriptor ---- */

struct reader {
    pthread_t thread;
    int fd, number;
};

static int nth_block(int number, int i)
{
    return number * 16 + i * 7 % 16;
}

static void *read_blocks(void *arg)
{
    struct reader *reader = arg;
    char buffer[BLOCK];

    for (int i = 0; i < NR_THREAD_READS; i++)
        CHECK(BLOCK, pread(reader->fd, buffer, BLOCK, nth_block(reader->number, i) * BLOCK));
    return NULL;
}

static void threads(const char *path)
{
    struct reader readers[NR_THREADS];
    int fd = open_file(path);

    for (int i = 0; i < NR_THREADS; i++) {
        readers[i].fd = fd;
        readers[i].number = i;
        errno = pthread_create(&readers[i].thread, NULL, read_blocks, &readers[i]);
        if (errno != 0)
            die("pthread_create");
    }
    for (int i = 0; i < NR_THREADS; i++)
        pthread_join(readers[i].thread, NULL);
    for (int i = 0; i < NR_THREADS; i++) /* one after the other; trace.sh sorts stably by thread */
        for (int j = 0; j < NR_THREAD_READS; j++)
            expect(nth_block(i, j), nth_block(i, j));
}

/* ---- a handler that reads, in the middle of reads ---- */

#define HANDLER_BLOCK 63
#define NR_SIGNALS_WANTED 200

static int handler_fd;
static volatile sig_atomic_t nr_handled;

static void on_alarm(int signal)
{
    int saved = errno;
    char byte;

    (void)signal;
    if (pread(handler_fd, &byte, 1, HANDLER_BLOCK * BLOCK) != 1)
        _exit(1);
    nr_handled++;
    errno = saved;
}

static void signals(const char *path)
{
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
    static char buffer[32 * BLOCK];
    int fd = handler_fd = open_file(path);
    int nr_reads = 0;

    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    for (; nr_handled < NR_SIGNALS_WANTED; nr_reads++)
        CHECK(sizeof(buffer), pread(fd, buffer, sizeof(buffer), 0));
    setitimer(ITIMER_REAL, &never, NULL);
    for (int i = 0; i < nr_reads; i++)
        expect(0, 31);
    fprintf(stderr, "handled %d\n", (int)nr_handled);
}

/* ---- fork, exec and ways out: each line begins with the process that reads ---- */

static void read_one(int fd, int block)
{
    char buffer[BLOCK];

    CHECK(BLOCK, pread(fd, buffer, BLOCK, block * BLOCK));
    printf("%ld ", (long)getpid());
    expect(block, block);
}

static void wait_for(pid_t child)
{
    int status;

    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        die("child");
}

static void forks(const char *path, const char *self)
{
    char *const environment[] = {NULL};
    int fd = open_file(path);
    pid_t child;

    setvbuf(stdout, NULL, _IOLBF, 0);
    read_one(fd, 1); /* still in the buffer when the child gets a copy */
    child = fork();
    if (child == 0) {
        read_one(fd, 2);
        exit(0);
    }
    wait_for(child);
    read_one(fd, 3);
    child = fork();
    if (child == 0) {
        read_one(fd, 4);
        _exit(0); /* without destructors */
    }
    wait_for(child);
    child = fork();
    if (child == 0) {
        read_one(fd, 5);
        execl(self, self, "one", path, "6", (char *)NULL);
        die(self);
    }
    wait_for(child);
    child = vfork(); /* shares our memory: its end isn't ours */
    if (child == 0) {
        execle("/no/such/program", "x", (char *)NULL, environment);
        _exit(errno == ENOENT ? 0 : 1);
    }
    wait_for(child);
    child = fork(); /* reads nothing, leaves nothing */
    if (child == 0)
        exit(0);
    wait_for(child);
    CHECK_ERROR(ENOENT, execlp("/no/such/program", "x", (char *)NULL));
    read_one(fd, 7); /* the trace goes on after an exec that failed */
    CHECK_ERROR(ENOENT, execv("/no/such/program", (char *[]){"x", NULL}));
    read_one(fd, 8);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 2 ? argv[1] : "";

    if (strcmp(mode, "one") == 0 && argc == 4) {
        int fd = open_file(argv[2]);

        if (fstat(fd, &of_file) != 0)
            die(argv[2]);
        read_one(fd, atoi(argv[3]));
        return 0;
    }
    if (argc == 3)
        make_file(argv[2]);
    if (strcmp(mode, "calls") == 0)
        calls(argv[2]);
    else if (strcmp(mode, "threads") == 0)
        threads(argv[2]);
    else if (strcmp(mode, "signals") == 0)
        signals(argv[2]);
    else if (strcmp(mode, "forks") == 0)
        forks(argv[2], argv[0]);
    else if (strcmp(mode, "killed") == 0) {
        threads(argv[2]);
        raise(SIGKILL);
    } else {
        fprintf(stderr, "usage: trace_host calls|threads|signals|forks|killed FILE\n");
        return 2;
    }
    return 0;
}
