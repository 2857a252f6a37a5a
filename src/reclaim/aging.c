/* SPDX-License-Identifier: MIT */
/* Aging: see aging.h. */
#include "reclaim/aging.h"

#include <errno.h>

#include "base/bits.h"
#include "gens/chain.h"
#include "gens/compact.h"
#include "gens/stripe.h"
#include "gens/window.h"
#include "reclaim/scan.h"
#include "reclaim/sweep.h"

/* Nodes moved up per lock hold. */
enum { SWEEP_PIECE = GENLRU__BATCH_SCANNED };

void genlru__skip_empty(struct genlru *lru, unsigned type)
{
    while (genlru__width(lru, type) > GENLRU__MIN_WIDTH && genlru__is_oldest_empty(lru, type))
        genlru__advance_min(lru, type);
}

/*
 * A piece of the work that makes room for a new generation: every full window loses its oldest one. Its open blocks are
 * flushed before it is moved up, since they are younger than what hangs on it; *ret_flush is their list then.
 */
static enum genlru__aging make_room(struct genlru *lru, uint64_t *scanned, uint64_t piece, unsigned *ret_flush)
{
    unsigned type;

    for (type = 0; type < lru->nr_types; type++) {
        unsigned list = genlru__list_of_seq(lru, type, lru->min_seq[type]);

        if (genlru__width(lru, type) < lru->nr_gens)
            continue;
        if (lru->chain[list].nr_open && lru->flushed_seq[type] != lru->min_seq[type]) {
            lru->flushed_seq[type] = lru->min_seq[type]; /* asked for once: adds may open new ones for ever */
            *ret_flush = list;
            return GENLRU__AGING_FLUSH_OLDEST;
        }
        if (lru->chain[list].head) {
            *scanned += genlru__sweep_oldest(lru, type, piece);
            if (lru->chain[list].head)
                return GENLRU__AGING_AGAIN;
        }
        genlru__advance_min(lru, type);
    }
    return GENLRU__AGING_READY;
}

enum genlru__aging genlru__make_oldest(struct genlru *lru, unsigned type, uint64_t max_scanned, uint64_t *aged,
                                       uint64_t *scanned, unsigned *ret_flush)
{
    enum genlru__aging step;

    genlru__skip_empty(lru, type);
    if (genlru__policy(lru)->full_window && genlru__may_age(lru)) {
        genlru__begin_gen(lru);
        (*aged)++;
        return GENLRU__AGING_FLUSH_ALL;
    }
    if (genlru__width(lru, type) > GENLRU__MIN_WIDTH) {
        *ret_flush = genlru__list_of_seq(lru, type, lru->min_seq[type]);
        return lru->chain[*ret_flush].head ? GENLRU__AGING_READY : GENLRU__AGING_FLUSH_OLDEST;
    }
    step = make_room(lru, scanned, genlru__min(max_scanned, SWEEP_PIECE), ret_flush);
    if (step != GENLRU__AGING_READY)
        return step;
    genlru__begin_gen(lru);
    (*aged)++;
    return GENLRU__AGING_FLUSH_ALL;
}

/* Whether `percent` of the capacity was evicted since `then`. Putback may have turned the clock back behind it. */
static bool is_due(uint64_t clock, uint64_t then, uint64_t capacity, unsigned percent)
{
    uint64_t since = clock - then;

    return percent && (int64_t)since >= 0 && since >= genlru__max(1, genlru__percent_of(capacity, percent));
}

bool genlru__advance_clocks(struct genlru *lru)
{
    uint64_t capacity = genlru_impl_load_relaxed(&lru->capacity);
    uint64_t clock = genlru_impl_load_relaxed(&lru->eviction_clock);

    if (capacity == GENLRU_NO_LIMIT)
        return false;
    /* learning has its own measure of time */
    if (!lru->learn && is_due(clock, lru->epoch_clock, capacity, genlru__policy(lru)->epoch_percent)) {
        lru->epoch_clock = clock;
        genlru__begin_epoch(lru);
    }
    /* a full window waits until a scan has emptied its oldest generation: aging by volume is no reason to sweep */
    if (lru->epochs_begun != genlru_impl_load_relaxed(&lru->epochs_due)) {
        lru->epochs_begun++;
        genlru__begin_epoch(lru);
    }
    if (is_due(clock, lru->age_clock, capacity, genlru__policy(lru)->age_percent) && genlru__may_age(lru)) {
        lru->age_clock = clock;
        genlru__begin_gen(lru);
        return true;
    }
    return false;
}

int genlru_age(struct genlru *lru, uint64_t budget_nodes)
{
    uint64_t scanned = 0, born = 0;

    if (!lru)
        return -EINVAL;
    for (;;) {
        enum genlru__aging step;
        unsigned list = genlru__nr_lists(lru);
        uint64_t piece = budget_nodes ? genlru__min(SWEEP_PIECE, budget_nodes - scanned) : SWEEP_PIECE;

        genlru__mutex_lock(&lru->lock);
        step = make_room(lru, &scanned, piece, &list);
        if (step == GENLRU__AGING_READY)
            genlru__begin_gen(lru);
        born = lru->max_seq;
        genlru__compact_if_due(lru);
        genlru__mutex_unlock(&lru->lock);
        if (step != GENLRU__AGING_AGAIN)
            genlru__flush(lru, list);
        if (step == GENLRU__AGING_READY) {
            genlru__stamp_birth(lru, born);
            return 0;
        }
        if (budget_nodes && scanned >= budget_nodes)
            return -EAGAIN;
    }
}
