/*
 * ztrace: a zstd file of text lines that grows under another name until it is whole.
 *
 *   ztrace_put ──▶ lines[] ──zstd──▶ packed[] ──append──▶ PATH.part ──rename, by ztrace_end──▶ PATH
 *
 * keylog.h says why .part. This one compresses, and is made for a host that may do anything:
 *
 *   - It holds no file descriptor. Each write (once in some ten thousand lines) opens PATH.part,
 *     looks whether it is still the file that ztrace_begin() made, appends and closes. So the host
 *     finds no number taken, and cannot, by closing a number that isn't its own, make us write
 *     into a file of its own.
 *   - After ztrace_init() it allocates nothing: read(2) is allowed in signal handlers.
 *   - What is written can be unpacked at any time: each write ends with a flush of zstd.
 *   - A file-size limit is an error, not a SIGXFSZ for the host.
 *
 * Names: PREFIX.PID.txt.zst, then PREFIX.PID-2.txt.zst and so on if those are there (an execve(2)
 * keeps the process id; ids come again). Nothing is ever overwritten.
 *
 * Thread rule: one caller at a time; the caller brings the lock.
 */
#ifndef GENLRU_BENCH_CAPTURE_ZTRACE_H
#define GENLRU_BENCH_CAPTURE_ZTRACE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The most a killed program loses. Two of zstd's blocks: flushing after them costs no ratio. */
#define ZTRACE_LINES_BYTES ((size_t)256 * 1024)

/* What one compression step may bring forth; the step is repeated until all is out. */
#define ZTRACE_PACKED_BYTES ((size_t)128 * 1024)

struct ztrace {
    void *packer;  /* ZSTD_CCtx */
    bool is_begun; /* PATH.part is ours */
    int error;     /* first failure; once set, nothing more is taken or published */
    pid_t pid;     /* whose file it is */
    dev_t device;  /* of PATH.part, with inode and size: is it still the file we made? */
    ino_t inode;   /* (a number alone soon comes again) */
    off_t written_bytes;
    uint64_t nr_lines;
    size_t used_bytes; /* of lines[] */
    char path[PATH_MAX];
    char part[PATH_MAX];
    char lines[ZTRACE_LINES_BYTES]; /* whole lines only */
    char packed[ZTRACE_PACKED_BYTES];
};

/* Allocate all there is to allocate. Returns 0 or -ENOMEM. */
int ztrace_init(struct ztrace *trace);

/*
 * Create PREFIX.PID[-N].txt.zst.part for this process. Returns 0, -EINVAL (empty prefix),
 * -ENAMETOOLONG, -EEXIST (a thousand of them are there) or what open(2) says; then nothing was
 * created, and trace->part says what was tried, if it got that far.
 */
int ztrace_begin(struct ztrace *trace, const char *prefix);

/* Append a line (with its LF) of at most 128 bytes. Returns 0 or the first error of the file. */
int ztrace_put(struct ztrace *trace, const char *line, size_t nr_bytes);

/*
 * Write what is left and rename PATH.part to PATH; with no line at all, remove it: a program that
 * read nothing leaves nothing. Returns 0, or the first error: then PATH.part stays. A trace that
 * isn't begun is left alone (0).
 */
int ztrace_end(struct ztrace *trace);

/* Undo a ztrace_end() that succeeded: more lines come after all (an execve(2) failed). */
int ztrace_resume(struct ztrace *trace);

/* Forget file and lines without touching the file: it is the parent's, who has the same lines. */
void ztrace_abandon(struct ztrace *trace);

#endif
