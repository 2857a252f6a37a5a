/*
 * blocks: what the calls of trace_calls.c have in common: they tell of reads, this writes them down.
 *
 * Thread rule: all of it may be called from any thread, and from signal handlers; errno stays.
 */
#ifndef GENLRU_BENCH_CAPTURE_BLOCKS_H
#define GENLRU_BENCH_CAPTURE_BLOCKS_H

#include <stdbool.h>
#include <sys/types.h>

/* For blocks_note(): the read began where the descriptor stood and moved it. */
#define BLOCKS_AT_POSITION ((off_t)-1)

/*
 * A call has read nr_bytes of fd from offset on. What isn't a regular file or a block device is
 * left out, and so is nr_bytes <= 0 (end of file, or an error): nothing was read.
 */
void blocks_note(int fd, off_t offset, ssize_t nr_bytes);

/*
 * Around exec*(): the trace must be whole before, since nothing of this image runs afterwards, and
 * goes on if the exec failed. Returns whether blocks_after_exec() is due.
 */
bool blocks_before_exec(void);
void blocks_after_exec(void);

/* The process ends without exit(3). */
void blocks_end(void);

#endif
