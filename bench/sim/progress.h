/* SPDX-License-Identifier: MIT */
/*
 * progress.h - one line on stderr that says how far we are; silent unless stderr is a terminal
 */
#ifndef GENLRU_BENCH_SIM_PROGRESS_H
#define GENLRU_BENCH_SIM_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    bool is_on;
    bool is_drawn;     /* something stands on the line */
    uint64_t last_ns;  /* when it was drawn last */
    uint64_t began_ns; /* of this task */
    const char *unit;  /* of done: told as a rate; NULL = no rate */
    char what[96];
};

void progress_init(struct progress *p);

/* Begins a task. The text is copied. */
void progress_begin(struct progress *p, const char *unit, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/* total 0 = unknown. Draws at most ten times a second. */
void progress_tell(struct progress *p, uint64_t done, uint64_t total);

/* Wipes the line, so that something else may be printed. */
void progress_end(struct progress *p);

/* Monotonic. */
uint64_t sim_now_ns(void);

#endif
