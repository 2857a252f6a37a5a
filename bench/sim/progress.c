/* SPDX-License-Identifier: MIT */
/*
 * progress.c - see progress.h
 *
 *      arc-OLTP clru 10%  [=========>          ]  47 %  41.2 M requests/s  3 s left
 */
#define _POSIX_C_SOURCE 200809L
#include "sim/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DRAW_EVERY_NS UINT64_C(100000000)
#define BAR_COLUMNS 20

uint64_t sim_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

void progress_init(struct progress *p)
{
    *p = (struct progress){.is_on = isatty(STDERR_FILENO)};
}

void progress_begin(struct progress *p, const char *unit, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(p->what, sizeof(p->what), format, args);
    va_end(args);
    p->unit = unit;
    p->began_ns = sim_now_ns();
    p->last_ns = p->began_ns;
}

static void draw_bar(double share)
{
    char bar[BAR_COLUMNS + 1];
    int full = (int)(share * BAR_COLUMNS);

    memset(bar, ' ', BAR_COLUMNS);
    memset(bar, '=', (size_t)full);
    if (full < BAR_COLUMNS) {
        bar[full] = '>';
    }
    bar[BAR_COLUMNS] = '\0';
    fprintf(stderr, "  [%s] %3.0f %%", bar, share * 100);
}

static void draw(struct progress *p, uint64_t done, uint64_t total, uint64_t now)
{
    double seconds = (double)(now - p->began_ns) / 1e9;
    double rate = seconds > 0 ? (double)done / seconds : 0;

    /* Back to the first column; what the last drawing left beyond this one is wiped at the end. */
    fprintf(stderr, "\r%s", p->what);
    if (total && done <= total) {
        draw_bar((double)done / (double)total);
    }
    if (p->unit && rate > 0) {
        fprintf(stderr, "  %.1f M %s/s", rate / 1e6, p->unit);
    }
    if (total > done && rate > 0) {
        fprintf(stderr, "  %.0f s left", (double)(total - done) / rate);
    }
    fputs("\033[K", stderr);
    fflush(stderr);
    p->is_drawn = true;
}

void progress_tell(struct progress *p, uint64_t done, uint64_t total)
{
    if (!p->is_on) {
        return;
    }
    uint64_t now = sim_now_ns();

    if (now - p->last_ns >= DRAW_EVERY_NS) {
        draw(p, done, total, now);
        p->last_ns = now;
    }
}

void progress_end(struct progress *p)
{
    if (p->is_drawn) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
        p->is_drawn = false;
    }
}
