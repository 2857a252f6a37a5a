/* SPDX-License-Identifier: MIT */
/*
 * A VFS over the default one in which reading a page takes as long as from a disk. Without it the kernel's page cache
 * answers a miss of SQLite's in a microsecond, and a cache would be measured by what it costs only.
 *
 * The reader sleeps, as it would wait for a disk. Reads of less than 512 bytes (the change counter at the start of each
 * transaction, frame headers) and writes are not delayed.
 */
#define _GNU_SOURCE

#include "bench.h"

#include <string.h>
#include <sys/prctl.h>
#include <time.h>

static unsigned latency_us;
static uint64_t nr_reads;
static sqlite3_vfs *inner; /* the default one */

/* Our file, and the inner one's behind it. */
struct slow_file {
    sqlite3_file base; /* first */
    sqlite3_io_methods methods;
    const sqlite3_io_methods *inner_methods;
};

static sqlite3_file *inner_file(sqlite3_file *file)
{
    return (sqlite3_file *)(void *)((struct slow_file *)(void *)file + 1);
}

static int slow_read(sqlite3_file *file, void *to, int bytes, sqlite3_int64 offset)
{
    struct timespec pause = {0, (long)latency_us * 1000};

    if (bytes >= 512) {
        nr_reads++;
        if (latency_us)
            nanosleep(&pause, NULL);
    }
    return inner_file(file)->pMethods->xRead(inner_file(file), to, bytes, offset);
}

/* The rest is passed on. */
#define PASS(name, parameters, arguments)       \
    static int slow_##name parameters           \
    {                                           \
        sqlite3_file *in = inner_file(file);    \
        return in->pMethods->x##name arguments; \
    }
PASS(Write, (sqlite3_file * file, const void *from, int bytes, sqlite3_int64 offset), (in, from, bytes, offset))
PASS(Truncate, (sqlite3_file * file, sqlite3_int64 size), (in, size))
PASS(Sync, (sqlite3_file * file, int flags), (in, flags))
PASS(FileSize, (sqlite3_file * file, sqlite3_int64 *size), (in, size))
PASS(Lock, (sqlite3_file * file, int lock), (in, lock))
PASS(Unlock, (sqlite3_file * file, int lock), (in, lock))
PASS(CheckReservedLock, (sqlite3_file * file, int *result), (in, result))
PASS(FileControl, (sqlite3_file * file, int op, void *arg), (in, op, arg))
PASS(SectorSize, (sqlite3_file * file), (in))
PASS(DeviceCharacteristics, (sqlite3_file * file), (in))
PASS(ShmMap, (sqlite3_file * file, int page, int bytes, int extend, void volatile **at), (in, page, bytes, extend, at))
PASS(ShmLock, (sqlite3_file * file, int offset, int n, int flags), (in, offset, n, flags))
PASS(ShmUnmap, (sqlite3_file * file, int is_delete), (in, is_delete))

static void slow_barrier(sqlite3_file *file)
{
    inner_file(file)->pMethods->xShmBarrier(inner_file(file));
}

static int slow_close(sqlite3_file *file)
{
    return inner_file(file)->pMethods->xClose(inner_file(file));
}

static int slow_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags, int *ret_flags)
{
    struct slow_file *slow = (struct slow_file *)(void *)file;
    int error;

    (void)vfs;
    memset(slow, 0, sizeof(*slow));
    error = inner->xOpen(inner, name, inner_file(file), flags, ret_flags);
    if (!inner_file(file)->pMethods)
        return error;
    slow->methods = (sqlite3_io_methods){
        .iVersion = 2, /* no memory mapping: that would go round the cache */
        .xClose = slow_close,
        .xRead = slow_read,
        .xWrite = slow_Write,
        .xTruncate = slow_Truncate,
        .xSync = slow_Sync,
        .xFileSize = slow_FileSize,
        .xLock = slow_Lock,
        .xUnlock = slow_Unlock,
        .xCheckReservedLock = slow_CheckReservedLock,
        .xFileControl = slow_FileControl,
        .xSectorSize = slow_SectorSize,
        .xDeviceCharacteristics = slow_DeviceCharacteristics,
        .xShmMap = slow_ShmMap,
        .xShmLock = slow_ShmLock,
        .xShmBarrier = slow_barrier,
        .xShmUnmap = slow_ShmUnmap,
    };
    if (inner_file(file)->pMethods->iVersion < 2)
        slow->methods.iVersion = 1;
    slow->base.pMethods = &slow->methods;
    return error;
}

void latency_set(unsigned microseconds)
{
    static sqlite3_vfs vfs;

    latency_us = microseconds;
    prctl(PR_SET_TIMERSLACK, 1UL); /* else a sleep is 50 us longer */
    inner = sqlite3_vfs_find(NULL);
    if (!inner || sqlite3_vfs_find("latency"))
        return;
    vfs = *inner; /* its other methods do not look at the vfs they are called with */
    vfs.zName = "latency";
    vfs.pNext = NULL;
    vfs.szOsFile = (int)sizeof(struct slow_file) + inner->szOsFile;
    vfs.xOpen = slow_open;
    sqlite3_vfs_register(&vfs, 0);
}

uint64_t latency_reads(void)
{
    return nr_reads;
}
