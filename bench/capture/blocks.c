/*
 * libgenlru-trace: records which blocks of which files a program reads.
 *
 *   program ──▶ read, pread, readv, preadv, sendfile … (trace_calls.c) ──▶ libc
 *                                     │ after the call: fd, offset, bytes read
 *                                     ▼
 *               blocks_note: fstat ──▶ device:inode:block, a line a block ──▶ ztrace ──▶ file
 *
 * Use:  GENLRU_TRACE=/tmp/t LD_PRELOAD=./libgenlru-trace.so program …
 *       genlru-sim stat --trace /tmp/t.PID.txt.zst
 *
 *   GENLRU_TRACE         where to: ztrace.h has the names, one file a process (and program it turns
 *                        into by exec). Not set: nothing is recorded. Made absolute for children.
 *   GENLRU_TRACE_BLOCK   bytes of a block, 4096 if not set, at most 2^30
 *
 * Nothing about descriptors is remembered. Which file one is, and where it stands, is asked of the
 * kernel each time: open, dup, close and lseek needn't be followed, so what escapes a shim (fclose,
 * descriptors through sockets, raw system calls) cannot mislead it. The price is one system call
 * for an access, two for one at the descriptor's position; `overhead` measures it. Position: two
 * threads that read through one descriptor without telling offsets get what they get, and this asks
 * after the call, so there the offset may be the other one's.
 *
 * Errors: what can't be begun ends the program at its start, with a message: no one should find out
 * after an hour that there is no trace. Later ones are said once and end the trace (.part stays).
 *
 * Signals: a read in a handler that interrupts this code in its own thread isn't recorded, and its
 * number is told at the end. A handler that leaves such a moment by siglongjmp(3), or a thread that
 * is cancelled asynchronously in it, would keep the lock; POSIX makes both undefined around most of
 * libc. fork(): the child has a file of its own from its first access on.
 */
#define _GNU_SOURCE /* program_invocation_short_name */

#include "blocks.h"

#include "keylog.h"
#include "ztrace.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define VARIABLE "GENLRU_TRACE"
#define VARIABLE_BLOCK "GENLRU_TRACE_BLOCK"

#define BLOCK_BYTES_DEFAULT 4096
#define BLOCK_BYTES_MAX (1L << 30)

/* Three numbers of 20 digits, two colons, LF. */
#define LINE_BYTES_MAX 64

_Static_assert(sizeof(off_t) == 8, "the *64 calls are taken for the others");

static struct {
    atomic_bool is_on;      /* between the start and the end of recording; read without the lock */
    atomic_ulong nr_missed; /* reads in handlers that interrupted us */
    pthread_mutex_t lock;   /* over what follows */
    bool has_complained;
    uint64_t block_bytes;
    char prefix[PATH_MAX];
    struct ztrace trace;
} blocks = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* This thread is in here: whatever comes now comes from a signal handler. */
static __thread volatile bool is_inside __attribute__((tls_model("initial-exec")));

/* ---- messages ---- */

static void complain(const char *what, const char *path, const char *why)
{
    char text[PATH_MAX + 512];
    int length;

    if (blocks.has_complained)
        return;
    blocks.has_complained = true;
    length = snprintf(text, sizeof(text), "genlru-trace: %.200s[%ld]: %s %.*s: %s\n", program_invocation_short_name,
                      (long)getpid(), what, PATH_MAX, path, why);
    if (length > 0 && (size_t)length < sizeof(text) && write(STDERR_FILENO, text, (size_t)length) < 0)
        return; /* no stderr: there is nobody to tell */
}

static void give_up(int error)
{
    atomic_store(&blocks.is_on, false);
    complain("trace ends too early, in", blocks.trace.part, strerror(-error));
}

/* ---- the lock, and what it must keep of the host ---- */

static bool enter(void)
{
    if (is_inside)
        return false;
    is_inside = true;
    pthread_mutex_lock(&blocks.lock);
    return true;
}

static void leave(void)
{
    pthread_mutex_unlock(&blocks.lock);
    is_inside = false;
}

/* ---- lines ---- */

static char *format_number(char *end, uint64_t number)
{
    do {
        *--end = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    return end;
}

/* Backwards, into the end of line[]: block numbers come last, the file in front of them. */
static int put_block(uint64_t device, uint64_t inode, uint64_t block)
{
    char line[LINE_BYTES_MAX];
    char *end = line + sizeof(line);
    char *at = end;

    *--at = '\n';
    at = format_number(at, block);
    *--at = ':';
    at = format_number(at, inode);
    *--at = ':';
    at = format_number(at, device);
    return ztrace_put(&blocks.trace, at, (size_t)(end - at));
}

static int note_locked(uint64_t device, uint64_t inode, uint64_t offset, uint64_t nr_bytes)
{
    uint64_t last = (offset + nr_bytes - 1) / blocks.block_bytes;
    int error = 0;

    if (!blocks.trace.is_begun)
        error = ztrace_begin(&blocks.trace, blocks.prefix);
    for (uint64_t block = offset / blocks.block_bytes; block <= last && error == 0; block++)
        error = put_block(device, inode, block);
    return error;
}

void blocks_note(int fd, off_t offset, ssize_t nr_bytes)
{
    struct stat status;
    int error, saved;

    if (nr_bytes <= 0 || !atomic_load_explicit(&blocks.is_on, memory_order_relaxed))
        return;
    saved = errno;
    if (fstat(fd, &status) != 0 || (!S_ISREG(status.st_mode) && !S_ISBLK(status.st_mode)))
        goto out;
    if (offset == BLOCKS_AT_POSITION) {
        offset = lseek(fd, 0, SEEK_CUR) - nr_bytes;
        if (offset < 0) /* closed or moved by another thread meanwhile */
            goto out;
    }
    if (!enter()) {
        atomic_fetch_add(&blocks.nr_missed, 1);
        goto out;
    }
    if (atomic_load_explicit(&blocks.is_on, memory_order_relaxed)) {
        /* A disk is the same under each of its names. */
        bool is_disk = S_ISBLK(status.st_mode);

        error = note_locked(is_disk ? status.st_rdev : status.st_dev, is_disk ? 0 : status.st_ino, (uint64_t)offset,
                            (uint64_t)nr_bytes);
        if (error != 0)
            give_up(error);
    }
    leave();
out:
    errno = saved;
}

/* ---- ends ---- */

/* Not of another process: a child of vfork(2) shares our memory, and leaves by exec or _exit. */
static bool is_ours(void)
{
    return atomic_load(&blocks.is_on) && blocks.trace.pid == getpid();
}

static void end_locked(void)
{
    unsigned long nr_missed = atomic_load(&blocks.nr_missed);
    char text[64];
    int error = ztrace_end(&blocks.trace);

    if (error != 0)
        give_up(error);
    if (nr_missed > 0) {
        snprintf(text, sizeof(text), "%lu reads of signal handlers", nr_missed);
        complain("trace lacks some, in", blocks.trace.path, text);
    }
}

void blocks_end(void)
{
    int saved = errno;

    if (is_ours() && enter()) {
        end_locked();
        atomic_store(&blocks.is_on, false);
        leave();
    }
    errno = saved;
}

/* The lock is kept until the exec has failed: other threads wait, or are gone. */
bool blocks_before_exec(void)
{
    int saved = errno;
    bool is_due = is_ours() && blocks.trace.is_begun && enter();

    if (is_due)
        end_locked();
    errno = saved;
    return is_due;
}

void blocks_after_exec(void)
{
    int saved = errno;
    int error = blocks.trace.error != 0 ? 0 : ztrace_resume(&blocks.trace);

    if (error != 0)
        give_up(error);
    leave();
    errno = saved;
}

/* exit(3) and the end of main() come by here; signals don't, and leave PATH.part. */
__attribute__((destructor)) static void on_exit_of_host(void)
{
    blocks_end();
}

/* ---- fork ---- */

static __thread bool has_entered_for_fork __attribute__((tls_model("initial-exec")));

static void on_fork_prepare(void)
{
    has_entered_for_fork = enter(); /* the child's copy must not be half done */
}

static void on_fork_parent(void)
{
    if (has_entered_for_fork)
        leave();
}

static void on_fork_child(void)
{
    ztrace_abandon(&blocks.trace);
    blocks.trace.pid = getpid();
    blocks.has_complained = false;
    atomic_store(&blocks.nr_missed, 0);
    if (has_entered_for_fork)
        leave();
}

/* ---- start ---- */

static void refuse(const char *what, const char *path, const char *why)
{
    complain(what, path, why);
    _exit(EXIT_FAILURE);
}

static uint64_t block_bytes(void)
{
    const char *text = getenv(VARIABLE_BLOCK);
    char *end;
    long number;

    if (text == NULL)
        return BLOCK_BYTES_DEFAULT;
    errno = 0;
    number = strtol(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || number < 1 || number > BLOCK_BYTES_MAX)
        refuse(VARIABLE_BLOCK, text, "not a number from 1 to 1073741824");
    return (uint64_t)number;
}

__attribute__((constructor)) static void start(void)
{
    const char *path = getenv(VARIABLE);
    char part[PATH_MAX];
    int error, saved = errno;

    if (path == NULL)
        return;
    blocks.block_bytes = block_bytes();
    error = keylog_paths(path, blocks.prefix, part);
    if (error != 0)
        refuse("cannot write to", path, strerror(-error));
    error = ztrace_init(&blocks.trace);
    if (error == 0)
        error = -pthread_atfork(on_fork_prepare, on_fork_parent, on_fork_child);
    if (error == 0 && path[0] != '/' && setenv(VARIABLE, blocks.prefix, 1) != 0)
        error = -errno;
    if (error == 0)
        error = ztrace_begin(&blocks.trace, blocks.prefix);
    if (error != 0)
        refuse("cannot write to", blocks.trace.part[0] != '\0' ? blocks.trace.part : path, strerror(-error));
    atomic_store(&blocks.is_on, true);
    errno = saved;
}
