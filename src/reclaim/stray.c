/* SPDX-License-Identifier: MIT */
/* Whether counters tell of nodes that are on no list: see stray.h. */
#include "reclaim/stray.h"

#include "base/thread.h"
#include "gens/sizes.h"

static bool any_type_has_lists(struct genlru *lru, uint32_t types)
{
    bool has = false;
    unsigned type;

    genlru__mutex_lock(&lru->lock);
    for (type = 0; type < lru->nr_types; type++)
        has = has || ((types & 1u << type) && genlru__type_has_lists(lru, type));
    genlru__mutex_unlock(&lru->lock);
    return has;
}

static uint64_t count_parked(const struct genlru *lru, uint32_t types)
{
    uint64_t parked = 0;
    unsigned type;

    for (type = 0; type < lru->nr_types; type++)
        if (types & 1u << type)
            parked += genlru__sum(lru, type, 0).nodes;
    return parked;
}

/* Tells of stray nodes, once for each number of them; 0 = the figures agree (again). */
static void report(struct genlru *lru, uint64_t stray)
{
    bool is_new;

    genlru__mutex_lock(&lru->lock);
    is_new = stray && lru->reported_nodes != stray;
    genlru_impl_store_relaxed(&lru->reported_nodes, stray);
    if (is_new)
        genlru__bump(&lru->stat.inconsistent, 1);
    genlru__mutex_unlock(&lru->lock);
    if (is_new && lru->on_error)
        lru->on_error(lru->error_ctx, GENLRU_ERROR_INCONSISTENT, "counters tell of nodes that are on no list", NULL);
}

/*
 * One look at whether the counters tell of nodes outside of the parked ones while lists have none. It is a contradiction only if
 * nothing can have moved: lists had none before or after, no node was deleted and no scan met one in between. At no time the counters
 * tell of too many, as who changes them subtracts before he adds, and a del before it takes the slot (who is between two
 * steps otherwise holds the lock at both). But they are read one after the other, and a node that a del has yet to strike off
 * may be hit: the counters must have been read twice with no change between. (tests/spin/counters.pml found that two sums
 * which agree do not do: one hit may come between the readings of either.) False: something moved meanwhile.
 */
static bool look(struct genlru *lru, uint32_t types, uint64_t *ret_stray)
{
    uint64_t scanned = genlru_impl_load_relaxed(&lru->stat.scanned), dels = genlru__nr_dels(lru), seen, seen_again;

    if (any_type_has_lists(lru, types))
        return false;
    (void)genlru__sum_listed(lru, types, &seen);
    *ret_stray = genlru__sum_listed(lru, types, &seen_again);
    if (seen != seen_again || any_type_has_lists(lru, types))
        return false;
    /* the lock was held since: a scan that ended before that is seen here, and so is a del whose slot a mover found empty */
    return scanned == genlru_impl_load_relaxed(&lru->stat.scanned) && dels == genlru__nr_dels(lru);
}

bool genlru__nothing_left(struct genlru *lru, uint32_t types, enum genlru_evict_reason *ret_reason)
{
    enum { LOOKS = 16 };
    uint64_t stray = 0, seen;
    bool is_quiet = false;
    unsigned i;

    for (i = 0; i < LOOKS && !is_quiet; i++) {
        stray = genlru__sum_listed(lru, types, &seen);
        if (!stray) {
            is_quiet = true;
            break;
        }
        if (any_type_has_lists(lru, types))
            return false;
        is_quiet = look(lru, types, &stray);
        if (!is_quiet)
            genlru__yield();
    }
    if (is_quiet && (stray || genlru_impl_load_relaxed(&lru->reported_nodes)))
        report(lru, stray);
    if (is_quiet && stray)
        *ret_reason = GENLRU_EVICT_INCONSISTENT;
    else
        *ret_reason = count_parked(lru, types) ? GENLRU_EVICT_PINNED : GENLRU_EVICT_NOTHING;
    return true;
}
