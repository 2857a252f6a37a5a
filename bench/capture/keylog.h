/*
 * keylog: a text file of keys, one a line, that exists only if it is whole.
 *
 *   keylog_put ──▶ buffer[] ──write──▶ PATH.part ──rename, by keylog_close──▶ PATH
 *
 * A capture shim lives inside someone else's program: it can't choose the exit status, and may be
 * killed at any moment. So the file grows under another name; PATH appears when the last key is
 * written. No PATH: no trace, and PATH.part is what was saved of it.
 *
 * Nothing is ever overwritten: if PATH or PATH.part is there, keylog_open() refuses.
 *
 * Thread rule: one caller at a time; the caller brings the lock.
 */
#ifndef GENLRU_BENCH_CAPTURE_KEYLOG_H
#define GENLRU_BENCH_CAPTURE_KEYLOG_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The most a killed program loses of what it logged. At this size a write(2) is some ten thousand
 * lines apart from the next, so a larger buffer would save nothing.
 */
#define KEYLOG_BUFFER_BYTES ((size_t)64 * 1024)

struct keylog {
    int fd;                           /* of PATH.part; -1 = not open */
    int error;                        /* first failed write; once set, nothing more is taken or published */
    size_t used_bytes;                /* of buffer[] */
    char path[PATH_MAX];              /* absolute, since the host may change its directory */
    char part[PATH_MAX];              /* path + ".part" */
    char buffer[KEYLOG_BUFFER_BYTES]; /* whole lines only */
};

/*
 * The two names of a file: `absolute`, since the host may change its directory, and with ".part".
 * Returns 0, -EINVAL (empty path), -ENAMETOOLONG, or what getcwd(3) says.
 */
int keylog_paths(const char *path, char absolute[PATH_MAX], char part[PATH_MAX]);

/*
 * Start a file. Returns 0, -EEXIST (PATH or PATH.part is there), -EINVAL (empty path),
 * -ENAMETOOLONG, or what getcwd(3) or open(2) says. On failure nothing was created.
 */
int keylog_open(struct keylog *log, const char *path);

/*
 * Append one line. Returns 0 or the first error of writing (-ENOSPC, say), then and on every
 * further call.
 */
int keylog_put(struct keylog *log, uint64_t key);

/*
 * Write what is left and rename PATH.part to PATH. Returns 0, or the first error of the log's life:
 * then PATH.part stays and PATH doesn't appear. A log that isn't open is left alone (0).
 */
int keylog_close(struct keylog *log);

/*
 * Let go of the file without writing or renaming: after an error, or in the child of a fork(2),
 * whose parent has the same lines in its own buffer.
 */
void keylog_abandon(struct keylog *log);

#endif
