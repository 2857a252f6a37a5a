/* SPDX-License-Identifier: MIT */
/*
 * fixture.h - subjects filled with objects, kept from one repetition to the next where that is possible
 *
 * Filling a list with 10 million objects takes longer than measuring hits on it. So a subject stays filled until
 * something else needs its fields of the objects, another size of it is asked for, or the
 * repetition changed it (fixture_spoil).
 */
#ifndef GENLRU_BENCH_MICRO_FIXTURE_H
#define GENLRU_BENCH_MICRO_FIXTURE_H

#include "micro/stream.h"
#include "micro/subject.h"

enum fixture_state {
    FIXTURE_EMPTY,
    FIXTURE_ADDED,     /* added in random order, and no more */
    FIXTURE_HALF_USED, /* ... and every other one hit once more, at random */
    FIXTURE_SATURATED, /* ... and hit until another hit changes nothing */
    FIXTURE_WARMED,    /* added, then hit as fixture_warm was told */
    FIXTURE_RISING     /* saturated, then made to forget; or just added, where there is nothing to forget */
};

/*
 * The subject with objects 0 … nr-1 in `state`. NULL = no memory. It stays the fixture's: never destroy it.
 */
struct subject *fixture_get(const struct subject_ops *ops, size_t nr, enum fixture_state state);

/* The same for FIXTURE_WARMED: one hit for each of the stream's. Clear the fixture before another stream comes. */
struct subject *fixture_warm(const struct subject_ops *ops, size_t nr, const struct stream *stream);

/* The subject has been changed: the next fixture_get makes it anew. */
void fixture_spoil(const struct subject_ops *ops);

/* Ends every subject. */
void fixture_clear(void);

#endif
