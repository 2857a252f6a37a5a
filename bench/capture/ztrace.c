/* ztrace: a zstd file of text lines that exists only if it is whole; ztrace.h draws it. */
#define _POSIX_C_SOURCE 200809L

#include "ztrace.h"

#include "keylog.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

/* Lines are alike: the fastest level leaves little for the others to gain. */
#define LEVEL 1

/* Files of one process id. More is a mistake (a full directory of an old run), not a need. */
#define NR_NAMES_MAX 1000

/* ---- writing ---- */

static bool is_still_ours(const struct ztrace *trace, const struct stat *status)
{
    return status->st_dev == trace->device && status->st_ino == trace->inode && status->st_size == trace->written_bytes;
}

/* PATH.part, if it is still what we made. Returns a descriptor or a negative errno. */
static int open_again(const struct ztrace *trace)
{
    struct stat status;
    int fd = open(trace->part, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);

    if (fd < 0)
        return -errno;
    if (fstat(fd, &status) != 0 || !is_still_ours(trace, &status)) {
        close(fd);
        return -ESTALE;
    }
    return fd;
}

static int write_all(int fd, const char *bytes, size_t left)
{
    while (left > 0) {
        ssize_t written = write(fd, bytes, left);

        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return -errno;
        bytes += written;
        left -= (size_t)written;
    }
    return 0;
}

static int pack_and_write(struct ztrace *trace, int fd, ZSTD_EndDirective directive)
{
    ZSTD_inBuffer in = {trace->lines, trace->used_bytes, 0};
    size_t left;

    do {
        ZSTD_outBuffer out = {trace->packed, sizeof(trace->packed), 0};
        int error;

        left = ZSTD_compressStream2(trace->packer, &out, &in, directive);
        if (ZSTD_isError(left))
            return -EIO;
        error = write_all(fd, trace->packed, out.pos);
        if (error != 0)
            return error;
        trace->written_bytes += (off_t)out.pos;
    } while (left > 0);
    return 0;
}

/* The host's signals and cancellations wait while a write is half done; a SIGXFSZ of ours is never
 * seen by it. */
static int write_out(struct ztrace *trace, ZSTD_EndDirective directive)
{
    static const struct timespec no_time;
    sigset_t all, before, too_large, pending;
    int cancel_state, fd;

    /* A child that fork handlers weren't run for (a raw clone) has its parent's file in hand. */
    if (trace->pid != getpid())
        return trace->error = -ECHILD;
    sigfillset(&all);
    sigemptyset(&too_large);
    sigaddset(&too_large, SIGXFSZ);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    sigpending(&pending);

    fd = open_again(trace);
    if (fd < 0) {
        trace->error = fd;
    } else {
        trace->error = pack_and_write(trace, fd, directive);
        if (close(fd) != 0 && trace->error == 0)
            trace->error = -errno; /* some file systems say only now that the disk is full */
    }
    trace->used_bytes = 0;
    if (trace->error == -EFBIG && !sigismember(&pending, SIGXFSZ))
        sigtimedwait(&too_large, NULL, &no_time);

    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_setcancelstate(cancel_state, &cancel_state);
    return trace->error;
}

/* ---- names ---- */

/* Fills path and part for the n-th file of this process, n from 1. */
static int set_names(struct ztrace *trace, const char *prefix, int n)
{
    char name[PATH_MAX];
    int length;

    if (prefix[0] == '\0')
        return -EINVAL;
    if (n == 1)
        length = snprintf(name, sizeof(name), "%s.%ld.txt.zst", prefix, (long)trace->pid);
    else
        length = snprintf(name, sizeof(name), "%s.%ld-%d.txt.zst", prefix, (long)trace->pid, n);
    if (length < 0 || (size_t)length >= sizeof(name))
        return -ENAMETOOLONG;
    return keylog_paths(name, trace->path, trace->part);
}

/* Returns -EEXIST if the names of this n are taken. */
static int create(struct ztrace *trace)
{
    struct stat status;
    int fd, error = 0;

    if (lstat(trace->path, &status) == 0)
        return -EEXIST;
    fd = open(trace->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return -errno;
    if (fstat(fd, &status) != 0)
        error = -errno;
    close(fd);
    trace->device = status.st_dev;
    trace->inode = status.st_ino;
    trace->written_bytes = 0;
    return error;
}

/* ---- API ---- */

int ztrace_init(struct ztrace *trace)
{
    ZSTD_inBuffer in = {NULL, 0, 0};
    ZSTD_outBuffer out = {trace->packed, sizeof(trace->packed), 0};

    trace->is_begun = false;
    trace->error = 0;
    trace->used_bytes = 0;
    trace->nr_lines = 0;
    trace->path[0] = trace->part[0] = '\0';
    trace->packer = ZSTD_createCCtx();
    if (trace->packer == NULL)
        return -ENOMEM;
    ZSTD_CCtx_setParameter(trace->packer, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_CCtx_setParameter(trace->packer, ZSTD_c_checksumFlag, 1);
    /* zstd allocates when it starts; later starts with the same parameters take the same memory. */
    if (ZSTD_isError(ZSTD_compressStream2(trace->packer, &out, &in, ZSTD_e_flush))) {
        ZSTD_freeCCtx(trace->packer);
        return -ENOMEM;
    }
    ZSTD_CCtx_reset(trace->packer, ZSTD_reset_session_only);
    return 0;
}

int ztrace_begin(struct ztrace *trace, const char *prefix)
{
    int error = -EEXIST;

    trace->pid = getpid();
    for (int n = 1; n <= NR_NAMES_MAX && error == -EEXIST; n++) {
        error = set_names(trace, prefix, n);
        if (error == 0)
            error = create(trace);
    }
    trace->error = error;
    trace->is_begun = error == 0;
    return error;
}

int ztrace_put(struct ztrace *trace, const char *line, size_t nr_bytes)
{
    if (trace->error != 0)
        return trace->error;
    if (trace->used_bytes + nr_bytes > sizeof(trace->lines) && write_out(trace, ZSTD_e_flush) != 0)
        return trace->error;
    memcpy(trace->lines + trace->used_bytes, line, nr_bytes);
    trace->used_bytes += nr_bytes;
    trace->nr_lines++;
    return 0;
}

int ztrace_end(struct ztrace *trace)
{
    struct stat status;

    if (!trace->is_begun)
        return 0;
    trace->is_begun = false;
    if (trace->error != 0)
        return trace->error;
    if (trace->nr_lines == 0) {
        /* Only if it is ours: someone may have put another file there. */
        if (lstat(trace->part, &status) == 0 && is_still_ours(trace, &status))
            unlink(trace->part);
        return 0;
    }
    if (write_out(trace, ZSTD_e_end) == 0 && rename(trace->part, trace->path) != 0)
        trace->error = -errno;
    return trace->error;
}

int ztrace_resume(struct ztrace *trace)
{
    if (trace->nr_lines == 0)
        trace->error = create(trace);
    else if (rename(trace->path, trace->part) != 0)
        trace->error = -errno;
    trace->is_begun = trace->error == 0;
    return trace->error;
}

void ztrace_abandon(struct ztrace *trace)
{
    ZSTD_CCtx_reset(trace->packer, ZSTD_reset_session_only);
    trace->is_begun = false;
    trace->error = 0;
    trace->used_bytes = 0;
    trace->nr_lines = 0;
}
