/* keylog: a file of keys that exists only if it is whole; keylog.h draws it. */
#define _POSIX_C_SOURCE 200809L

#include "keylog.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PART_SUFFIX ".part"

/* The 20 digits of the largest uint64_t, and the newline. */
#define LINE_BYTES_MAX 21

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

static int flush(struct keylog *log)
{
    if (log->error == 0)
        log->error = write_all(log->fd, log->buffer, log->used_bytes);
    log->used_bytes = 0;
    return log->error;
}

/* Returns the line's length. Not snprintf(): this runs once for each page access of the host. */
static size_t format_line(char *line, uint64_t key)
{
    char reversed[LINE_BYTES_MAX];
    size_t nr_digits = 0;

    do {
        reversed[nr_digits++] = (char)('0' + key % 10);
        key /= 10;
    } while (key > 0);
    for (size_t i = 0; i < nr_digits; i++)
        line[i] = reversed[nr_digits - 1 - i];
    line[nr_digits] = '\n';
    return nr_digits + 1;
}

int keylog_paths(const char *path, char absolute[PATH_MAX], char part[PATH_MAX])
{
    size_t directory_bytes = 0;

    if (path[0] == '\0')
        return -EINVAL;
    if (path[0] != '/') {
        if (getcwd(absolute, PATH_MAX) == NULL)
            return errno == ERANGE ? -ENAMETOOLONG : -errno;
        directory_bytes = strlen(absolute) + 1; /* and its slash */
    }
    if (directory_bytes + strlen(path) + sizeof(PART_SUFFIX) > PATH_MAX)
        return -ENAMETOOLONG;
    if (directory_bytes > 0)
        absolute[directory_bytes - 1] = '/';
    memcpy(absolute + directory_bytes, path, strlen(path) + 1);
    memcpy(part, absolute, strlen(absolute));
    memcpy(part + strlen(absolute), PART_SUFFIX, sizeof(PART_SUFFIX));
    return 0;
}

int keylog_open(struct keylog *log, const char *path)
{
    struct stat status;
    int error;

    log->fd = -1;
    log->error = 0;
    log->used_bytes = 0;
    error = keylog_paths(path, log->path, log->part);
    if (error != 0)
        return error;
    if (lstat(log->path, &status) == 0)
        return -EEXIST;
    log->fd = open(log->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    return log->fd < 0 ? -errno : 0;
}

int keylog_put(struct keylog *log, uint64_t key)
{
    if (log->error != 0)
        return log->error;
    if (log->used_bytes + LINE_BYTES_MAX > sizeof(log->buffer) && flush(log) != 0)
        return log->error;
    log->used_bytes += format_line(log->buffer + log->used_bytes, key);
    return 0;
}

int keylog_close(struct keylog *log)
{
    if (log->fd < 0)
        return 0;
    flush(log);
    if (close(log->fd) != 0 && log->error == 0)
        log->error = -errno; /* some file systems say only now that the disk is full */
    log->fd = -1;
    if (log->error == 0 && rename(log->part, log->path) != 0)
        log->error = -errno;
    return log->error;
}

void keylog_abandon(struct keylog *log)
{
    if (log->fd >= 0)
        close(log->fd);
    log->fd = -1;
    log->used_bytes = 0;
}
