/* SPDX-License-Identifier: MIT */
/*
 * Every invariant of the structure, by number (docs/design.md explains them):
 *
 *   1  a node stands in at most one slot, and in one iff it is listed or parked
 *   2  slot[s] = n implies n.slot = s
 *   3  what stands in a slot is listed or parked, and not isolated
 *   4  counter[type][index] = number and charge of the nodes whose words say so
 *   5  slots below `scan` and from `fill` on are empty
 *   6  linked, open and non-empty counts are what a walk finds; block.list and links are right
 *   7  60 * linked <= 2 * live + 60 * non-empty chains + 60 * blocks the compaction is behind
 *      + what no delete has looked at
 *   8  min_seq <= decode(word) <= max_seq; the window is 2..nr_gens wide; what hits read of it is what it is
 *   9  the reserve holds at most two blocks, empty ones
 *  10  every chain with blocks, linked or open, is that of a generation in the window, probation or parked
 *  11  a node's type is that of its chain, its refs do not exceed refs_max
 *
 * 1 follows from 2 (a node names one slot) and 4 (none is counted that stands nowhere).
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "gens/chain.h"
#include "gens/sizes.h"
#include "gens/stripe.h"
#include "gens/window.h"
#include "genlru/stat.h"

enum { DELETES_PER_LOOK = 64 };

struct verifier {
    struct genlru *lru;
    char *text;
    size_t bytes;
    int broken; /* number of the first broken invariant */
    struct genlru__counter tally[GENLRU_MAX_TYPES][GENLRU__NR_COUNTERS];
    uint64_t nr_linked;
    uint64_t nr_opened;
    uint64_t nr_nonempty;
    uint64_t live;
};

static void __attribute__((format(printf, 4, 5)))
check(struct verifier *v, int invariant, bool holds, const char *format, ...)
{
    va_list args;

    if (holds || v->broken)
        return;
    v->broken = invariant;
    va_start(args, format);
    if (v->text && v->bytes)
        (void)vsnprintf(v->text, v->bytes, format, args);
    va_end(args);
}

static void check_node(struct verifier *v, struct genlru_node *node, void **slot, unsigned list)
{
    uint64_t state = genlru_impl_load_relaxed(&node->state.do_not_touch);
    uint32_t word = genlru_impl_word(state);
    enum genlru__node_state node_state = genlru__state_of(word);
    unsigned type = genlru_impl_type(word);
    int index = genlru__counter_index(word);

    check(v, 2, genlru_impl_ptr_load_relaxed(&node->slot) == (void *)slot, "node %p stands in a slot it does not name",
          (void *)node);
    check(v, 3, (node_state == GENLRU__LISTED || node_state == GENLRU__PARKED) && !(word & GENLRU_ISOLATED),
          "node %p in a slot of list %u has word %#x", (void *)node, list, (unsigned)word);
    check(v, 11, type == list / v->lru->lists_per_type, "node %p of type %u is on list %u", (void *)node, type, list);
    check(v, 11, genlru_impl_refs(word) <= genlru__policy(v->lru)->hit.refs_max, "node %p has %u refs", (void *)node,
          genlru_impl_refs(word));
    if (v->broken || index < 0)
        return;
    if (node_state == GENLRU__LISTED && !(word & GENLRU_PROBATION)) {
        uint64_t seq = genlru__seq_of_word(v->lru, word);

        check(v, 8, seq >= v->lru->min_seq[type] && seq <= v->lru->max_seq, "node %p decodes out of the window",
              (void *)node);
    }
    v->tally[type][index].nodes++;
    v->tally[type][index].charge += genlru_impl_charge(state);
    v->live++;
}

static void check_block(struct verifier *v, struct genlru__block *block, unsigned list)
{
    unsigned i;

    check(v, 6, block->list == list, "a block of list %u says it is of list %u", list, block->list);
    check(v, 5, block->scan <= block->fill && block->fill <= GENLRU__SLOTS, "scan %u, fill %u", block->scan,
          block->fill);
    for (i = 0; i < GENLRU__SLOTS && !v->broken; i++) {
        struct genlru_node *node = (struct genlru_node *)genlru_impl_ptr_load_relaxed(&block->slot[i]);

        if (!node)
            continue;
        check(v, 5, i >= block->scan && i < block->fill, "slot %u is in use, scan %u, fill %u", i, block->scan,
              block->fill);
        check_node(v, node, &block->slot[i], list);
    }
}

/* True if `list` may have blocks now. */
static bool is_list_in_window(const struct genlru *lru, unsigned list)
{
    unsigned type = list / lru->lists_per_type, index = list % lru->lists_per_type;
    uint64_t seq;

    if (index > lru->gen_mask)
        return true;
    for (seq = lru->min_seq[type]; seq <= lru->max_seq; seq++)
        if (genlru__list_of_seq(lru, type, seq) == list)
            return true;
    return false;
}

static void check_chain(struct verifier *v, unsigned list)
{
    struct genlru__chain *chain = &v->lru->chain[list];
    struct genlru__block *block, *prev = NULL;
    uint32_t nr = 0;

    for (block = chain->head; block && !v->broken; block = block->next) {
        check(v, 6, block->prev == prev, "list %u: a block's prev is not the one before it", list);
        check_block(v, block, list);
        prev = block;
        nr++;
    }
    check(v, 6, v->broken || chain->tail == prev, "list %u: tail is not its last block", list);
    check(v, 6, v->broken || nr == chain->nr_blocks, "list %u: %u blocks, counted %u", list, nr, chain->nr_blocks);
    check(v, 10, (!nr && !chain->nr_open) || is_list_in_window(v->lru, list),
          "list %u has blocks outside of the window", list);
    v->nr_linked += nr;
    v->nr_nonempty += nr != 0;
}

static void check_open(struct verifier *v)
{
    struct genlru *lru = v->lru;
    uint32_t nr_open[GENLRU_MAX_TYPES * (GENLRU_MAX_GENS + 2)] = {0};
    unsigned i, open, list;

    for (i = 0; i < lru->nr_stripes; i++)
        for (open = 0; open < GENLRU__NR_OPEN; open++) {
            const struct genlru__open *place = &genlru__stripe(lru, i)->open[open];

            if (!place->block)
                continue;
            check_block(v, place->block, place->list);
            nr_open[genlru__open_home(lru, place)]++;
            v->nr_opened++;
        }
    for (list = 0; list < genlru__nr_lists(lru); list++)
        check(v, 6, nr_open[list] == lru->chain[list].nr_open, "list %u: %u open blocks, counted %u", list,
              nr_open[list], lru->chain[list].nr_open);
}

static void check_counts(struct verifier *v)
{
    struct genlru *lru = v->lru;
    uint64_t unseen = 2 * (uint64_t)lru->nr_stripes * DELETES_PER_LOOK, i; /* two counts a stripe */

    check(v, 6, v->nr_linked == lru->nr_linked, "%llu blocks linked, counted %llu", (unsigned long long)v->nr_linked,
          (unsigned long long)lru->nr_linked);
    check(v, 6, v->nr_opened == lru->nr_opened, "%llu blocks open, counted %llu", (unsigned long long)v->nr_opened,
          (unsigned long long)lru->nr_opened);
    check(v, 6, v->nr_nonempty == lru->nr_nonempty, "%llu chains with blocks, counted %u",
          (unsigned long long)v->nr_nonempty, lru->nr_nonempty);
    check(v, 7,
          GENLRU__SLOTS * v->nr_linked <=
              2 * v->live + GENLRU__SLOTS * (v->nr_nonempty + lru->compact_behind) + 2 * unseen,
          "%llu blocks for %llu nodes, %llu behind", (unsigned long long)v->nr_linked, (unsigned long long)v->live,
          (unsigned long long)lru->compact_behind);
    check(v, 9, lru->nr_reserve <= GENLRU__RESERVE, "reserve of %llu", (unsigned long long)lru->nr_reserve);
    for (i = 0; i < lru->nr_reserve && !v->broken; i++) {
        lru->reserve[i]->scan = 0;
        lru->reserve[i]->fill = GENLRU__SLOTS;
        check(v, 9, genlru__block_count(lru->reserve[i]) == 0, "a reserve block is in use");
        lru->reserve[i]->fill = 0;
    }
}

static void check_counters(struct verifier *v)
{
    unsigned type, index;
    uint64_t charge = 0;

    for (type = 0; type < v->lru->nr_types; type++)
        for (index = 0; index < GENLRU__NR_COUNTERS; index++) {
            struct genlru__counter sum = genlru__sum_raw(v->lru, type, index);
            const struct genlru__counter *tally = &v->tally[type][index];

            check(v, 4, sum.nodes == tally->nodes && sum.charge == tally->charge,
                  "type %u index %u: counted %lld nodes, %lld charge; found %llu, %llu", type, index,
                  (long long)sum.nodes, (long long)sum.charge, (unsigned long long)tally->nodes,
                  (unsigned long long)tally->charge);
            charge += tally->charge;
        }
    check(v, 4, genlru__charge(v->lru) == charge, "charge %llu on the lru; found %llu",
          (unsigned long long)genlru__charge(v->lru), (unsigned long long)charge);
}

static void check_window(struct verifier *v)
{
    const struct genlru *lru = v->lru;
    uint64_t window = lru->view.window;
    struct genlru_saturated saturated = genlru__saturated(genlru__policy(lru), window);
    unsigned type;

    check(v, 8,
          genlru_impl_window_youngest(window) == 1 + lru->max_seq % GENLRU_GEN_MODULUS &&
              genlru_impl_window_seq16(window) == (lru->max_seq & 0xffff),
          "hits see a window that is not that of max_seq");
    check(v, 8, lru->view.saturated.mask == saturated.mask && lru->view.saturated.value == saturated.value,
          "hits compare with a stale value");
    for (type = 0; type < lru->nr_types; type++) {
        unsigned width = genlru__width(lru, type);

        check(v, 8, width >= GENLRU__MIN_WIDTH && width <= lru->nr_gens, "type %u has %u generations", type, width);
        check(v, 8, genlru_impl_window_width(window, type) == width, "hits see another width of type %u", type);
    }
}

static void lock_all(struct genlru *lru)
{
    unsigned i;

    for (i = 0; i < lru->nr_stripes; i++)
        genlru__spin_lock(&genlru__stripe(lru, i)->lock);
    genlru__mutex_lock(&lru->lock);
}

static void unlock_all(struct genlru *lru)
{
    unsigned i;

    genlru__mutex_unlock(&lru->lock);
    for (i = 0; i < lru->nr_stripes; i++)
        genlru__spin_unlock(&genlru__stripe(lru, i)->lock);
}

int genlru_verify(struct genlru *lru, char *text, size_t bytes)
{
    struct verifier v;
    unsigned list;

    if (!lru)
        return -EINVAL;
    memset(&v, 0, sizeof(v));
    v.lru = lru;
    v.text = text;
    v.bytes = bytes;
    if (text && bytes)
        text[0] = '\0';
    lock_all(lru);
    check_window(&v);
    for (list = 0; list < genlru__nr_lists(lru); list++)
        check_chain(&v, list);
    check_open(&v);
    check_counts(&v);
    check_counters(&v);
    unlock_all(lru);
    return v.broken;
}
