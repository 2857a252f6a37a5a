/*
 * The calls of libc that libgenlru-trace.so stands in front of: each passes on what it gets, tells
 * blocks.c what was read, and returns what libc returned. Nothing else belongs here.
 *
 *   reads     read pread readv preadv preadv2, their *64 twins, and what _FORTIFY_SOURCE makes of
 *             them; sendfile and copy_file_range, by which cp and cat read files
 *   ends      exec*: they replace the program without running its destructors; _exit
 *
 * Not seen: mapped files (page faults), stdio (fread, getline: libc calls itself inside), io_uring,
 * AIO, splice, raw system calls, and programs that are linked statically or set-user-ID.
 */
#define _GNU_SOURCE
#undef _FORTIFY_SOURCE /* its inline read() would call our __read_chk() from here */

#include "blocks.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

extern char **environ;

/* ---- what we stand in front of ---- */

typedef ssize_t (*read_fn)(int, void *, size_t);
typedef ssize_t (*read_chk_fn)(int, void *, size_t, size_t);
typedef ssize_t (*pread_fn)(int, void *, size_t, off_t);
typedef ssize_t (*pread_chk_fn)(int, void *, size_t, off_t, size_t);
typedef ssize_t (*readv_fn)(int, const struct iovec *, int);
typedef ssize_t (*preadv_fn)(int, const struct iovec *, int, off_t);
typedef ssize_t (*preadv2_fn)(int, const struct iovec *, int, off_t, int);
typedef ssize_t (*sendfile_fn)(int, int, off_t *, size_t);
typedef ssize_t (*copy_fn)(int, off_t *, int, off_t *, size_t, unsigned);
typedef int (*execve_fn)(const char *, char *const[], char *const[]);
typedef int (*fexecve_fn)(int, char *const[], char *const[]);
typedef int (*execveat_fn)(int, const char *, char *const[], char *const[], int);
typedef void (*exit_fn)(int);

enum call {
    CALL_READ,
    CALL_READ_CHK,
    CALL_PREAD,
    CALL_PREAD_CHK,
    CALL_READV,
    CALL_PREADV,
    CALL_PREADV2,
    CALL_SENDFILE,
    CALL_COPY,
    CALL_EXECVE,
    CALL_EXECVPE,
    CALL_FEXECVE,
    CALL_EXECVEAT,
    CALL_EXIT,
    NR_CALLS
};

static const char *const names[NR_CALLS] = {
    [CALL_READ] = "read",
    [CALL_READ_CHK] = "__read_chk",
    [CALL_PREAD] = "pread64",
    [CALL_PREAD_CHK] = "__pread64_chk",
    [CALL_READV] = "readv",
    [CALL_PREADV] = "preadv64",
    [CALL_PREADV2] = "preadv64v2",
    [CALL_SENDFILE] = "sendfile64",
    [CALL_COPY] = "copy_file_range",
    [CALL_EXECVE] = "execve",
    [CALL_EXECVPE] = "execvpe",
    [CALL_FEXECVE] = "fexecve",
    [CALL_EXECVEAT] = "execveat",
    [CALL_EXIT] = "_exit",
};

static _Atomic(void *) calls[NR_CALLS];

/* Constructors of other libraries may call us before ours has run; hence not only there. Two threads
 * at once find the same. */
static void *find(enum call call)
{
    void *found = atomic_load_explicit(&calls[call], memory_order_relaxed);
    int saved;

    if (found != NULL)
        return found;
    saved = errno;
    found = dlsym(RTLD_NEXT, names[call]);
    errno = found != NULL ? saved : ENOSYS;
    atomic_store_explicit(&calls[call], found, memory_order_relaxed);
    return found;
}

/* Beforehand, since dlsym() isn't for signal handlers and read() is. */
__attribute__((constructor)) static void find_all(void)
{
    int saved = errno;

    for (int call = 0; call < NR_CALLS; call++)
        find((enum call)call);
    errno = saved;
}

/* ISO C has no cast from an object's pointer to a function's; POSIX demands that this works. */
#define FIND(type, call) \
    (((union {           \
         void *object;   \
         type function;  \
     }){find(call)})     \
         .function)

/* ---- reads at the descriptor's position ---- */

EXPORT ssize_t read(int fd, void *buffer, size_t nr_bytes)
{
    read_fn next = FIND(read_fn, CALL_READ);
    ssize_t result = next != NULL ? next(fd, buffer, nr_bytes) : -1;

    blocks_note(fd, BLOCKS_AT_POSITION, result);
    return result;
}

EXPORT ssize_t __read_chk(int fd, void *buffer, size_t nr_bytes, size_t room);
EXPORT ssize_t __read_chk(int fd, void *buffer, size_t nr_bytes, size_t room)
{
    read_chk_fn next = FIND(read_chk_fn, CALL_READ_CHK);
    ssize_t result = next != NULL ? next(fd, buffer, nr_bytes, room) : -1;

    blocks_note(fd, BLOCKS_AT_POSITION, result);
    return result;
}

EXPORT ssize_t readv(int fd, const struct iovec *vector, int nr)
{
    readv_fn next = FIND(readv_fn, CALL_READV);
    ssize_t result = next != NULL ? next(fd, vector, nr) : -1;

    blocks_note(fd, BLOCKS_AT_POSITION, result);
    return result;
}

/* ---- reads at an offset; off_t has 64 bits here, so the twins are the same ---- */

EXPORT ssize_t pread64(int fd, void *buffer, size_t nr_bytes, off64_t offset)
{
    pread_fn next = FIND(pread_fn, CALL_PREAD);
    ssize_t result = next != NULL ? next(fd, buffer, nr_bytes, offset) : -1;

    blocks_note(fd, offset, result);
    return result;
}

EXPORT ssize_t pread(int fd, void *buffer, size_t nr_bytes, off_t offset)
{
    return pread64(fd, buffer, nr_bytes, offset);
}

EXPORT ssize_t __pread64_chk(int fd, void *buffer, size_t nr_bytes, off64_t offset, size_t room);
EXPORT ssize_t __pread64_chk(int fd, void *buffer, size_t nr_bytes, off64_t offset, size_t room)
{
    pread_chk_fn next = FIND(pread_chk_fn, CALL_PREAD_CHK);
    ssize_t result = next != NULL ? next(fd, buffer, nr_bytes, offset, room) : -1;

    blocks_note(fd, offset, result);
    return result;
}

EXPORT ssize_t __pread_chk(int fd, void *buffer, size_t nr_bytes, off_t offset, size_t room);
EXPORT ssize_t __pread_chk(int fd, void *buffer, size_t nr_bytes, off_t offset, size_t room)
{
    return __pread64_chk(fd, buffer, nr_bytes, offset, room);
}

EXPORT ssize_t preadv64(int fd, const struct iovec *vector, int nr, off64_t offset)
{
    preadv_fn next = FIND(preadv_fn, CALL_PREADV);
    ssize_t result = next != NULL ? next(fd, vector, nr, offset) : -1;

    blocks_note(fd, offset, result);
    return result;
}

EXPORT ssize_t preadv(int fd, const struct iovec *vector, int nr, off_t offset)
{
    return preadv64(fd, vector, nr, offset);
}

/* Its offset -1 means the position, as ours does. */
EXPORT ssize_t preadv64v2(int fd, const struct iovec *vector, int nr, off64_t offset, int flags)
{
    preadv2_fn next = FIND(preadv2_fn, CALL_PREADV2);
    ssize_t result = next != NULL ? next(fd, vector, nr, offset, flags) : -1;

    blocks_note(fd, offset, result);
    return result;
}

EXPORT ssize_t preadv2(int fd, const struct iovec *vector, int nr, off_t offset, int flags)
{
    return preadv64v2(fd, vector, nr, offset, flags);
}

/* ---- reads into another descriptor; the offset, if given, is moved by what was read ---- */

EXPORT ssize_t sendfile64(int to, int from, off64_t *offset, size_t nr_bytes)
{
    sendfile_fn next = FIND(sendfile_fn, CALL_SENDFILE);
    ssize_t result = next != NULL ? next(to, from, offset, nr_bytes) : -1;

    if (result > 0)
        blocks_note(from, offset != NULL ? *offset - result : BLOCKS_AT_POSITION, result);
    return result;
}

EXPORT ssize_t sendfile(int to, int from, off_t *offset, size_t nr_bytes)
{
    return sendfile64(to, from, offset, nr_bytes);
}

EXPORT ssize_t copy_file_range(int from, off64_t *offset, int to, off64_t *to_offset, size_t nr_bytes, unsigned flags)
{
    copy_fn next = FIND(copy_fn, CALL_COPY);
    ssize_t result = next != NULL ? next(from, offset, to, to_offset, nr_bytes, flags) : -1;

    if (result > 0)
        blocks_note(from, offset != NULL ? *offset - result : BLOCKS_AT_POSITION, result);
    return result;
}

/* ---- exec ---- */

EXPORT int execve(const char *path, char *const argv[], char *const env[])
{
    execve_fn next = FIND(execve_fn, CALL_EXECVE);
    bool is_due = next != NULL && blocks_before_exec();
    int result = next != NULL ? next(path, argv, env) : -1;

    if (is_due)
        blocks_after_exec();
    return result;
}

EXPORT int execv(const char *path, char *const argv[])
{
    return execve(path, argv, environ);
}

EXPORT int execvpe(const char *file, char *const argv[], char *const env[])
{
    execve_fn next = FIND(execve_fn, CALL_EXECVPE);
    bool is_due = next != NULL && blocks_before_exec();
    int result = next != NULL ? next(file, argv, env) : -1;

    if (is_due)
        blocks_after_exec();
    return result;
}

EXPORT int execvp(const char *file, char *const argv[])
{
    return execvpe(file, argv, environ);
}

EXPORT int fexecve(int fd, char *const argv[], char *const env[])
{
    fexecve_fn next = FIND(fexecve_fn, CALL_FEXECVE);
    bool is_due = next != NULL && blocks_before_exec();
    int result = next != NULL ? next(fd, argv, env) : -1;

    if (is_due)
        blocks_after_exec();
    return result;
}

EXPORT int execveat(int directory, const char *path, char *const argv[], char *const env[], int flags)
{
    execveat_fn next = FIND(execveat_fn, CALL_EXECVEAT);
    bool is_due = next != NULL && blocks_before_exec();
    int result = next != NULL ? next(directory, path, argv, env, flags) : -1;

    if (is_due)
        blocks_after_exec();
    return result;
}

/* execl*: the arguments up to NULL become an array, on the stack, since exec may be called where
 * nothing may be allocated (after fork, in a handler). */

static size_t count_arguments(va_list *list)
{
    size_t nr = 1; /* the first is a parameter of its own */

    while (va_arg(*list, const char *) != NULL)
        nr++;
    return nr;
}

static void take_arguments(va_list *list, const char *first, size_t nr, char **argv)
{
    argv[0] = (char *)first;
    for (size_t i = 1; i <= nr; i++)
        argv[i] = va_arg(*list, char *); /* NULL, too */
}

#define EXECL(call, target, environment)                                                     \
    do {                                                                                     \
        const char *volatile head = first; /* NULL is a mistake that libc takes, so do we */ \
        va_list list;                                                                        \
        size_t nr;                                                                           \
                                                                                             \
        va_start(list, first);                                                               \
        nr = head != NULL ? count_arguments(&list) : 0;                                      \
        va_end(list);                                                                        \
                                                                                             \
        char *argv[nr + 1];                                                                  \
                                                                                             \
        va_start(list, first);                                                               \
        take_arguments(&list, head, nr, argv);                                               \
        int result = call(target, argv, environment);                                        \
        va_end(list);                                                                        \
        return result;                                                                       \
    } while (0)

EXPORT int execl(const char *path, const char *first, ...)
{
    EXECL(execve, path, environ);
}

EXPORT int execlp(const char *file, const char *first, ...)
{
    EXECL(execvpe, file, environ);
}

EXPORT int execle(const char *path, const char *first, ...)
{
    EXECL(execve, path, va_arg(list, char **)); /* what follows the NULL */
}

/* ---- exit ---- */

EXPORT void _exit(int status)
{
    exit_fn next = FIND(exit_fn, CALL_EXIT);

    blocks_end();
    if (next != NULL)
        next(status);
    abort();
}

EXPORT void _Exit(int status)
{
    _exit(status);
}
