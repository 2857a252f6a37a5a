/* SPDX-License-Identifier: MIT */
/* The scan of one list: see scan.h. */
#include "reclaim/scan.h"

#include "base/bits.h"
#include "base/check.h"
#include "base/testing.h"
#include "gens/chain.h"
#include "gens/compact.h"
#include "gens/window.h"
#include "reclaim/plain.h"
#include "workingset/shadow.h"

/* Nodes prefetched ahead of the one being judged: measured optimum of a walk over pointers to cold nodes. */
enum { AHEAD = 16 };

static inline void ahead_step(struct genlru__ahead *ahead)
{
    while (ahead->block && GENLRU_UNLIKELY(ahead->slot >= ahead->block->fill)) {
        ahead->block = ahead->block->next;
        ahead->slot = ahead->block ? ahead->block->scan : 0;
    }
    if (ahead->block) /* the address of a node that is not ours is harmless to prefetch */
        __builtin_prefetch(genlru_impl_ptr_load_relaxed(&ahead->block->slot[ahead->slot++]), 1);
}

/* Begins `nr` slots before the scan of a list, unless it is on its way already. */
static void ahead_begin(struct genlru__ahead *ahead, const struct genlru__chain *chain, unsigned nr)
{
    unsigned i;

    if (ahead->block || !chain->head)
        return;
    *ahead = (struct genlru__ahead){chain->head, chain->head->scan};
    for (i = 0; i < nr; i++)
        ahead_step(ahead);
}

/* True once no further victim is wanted or has room. */
static bool has_enough(struct genlru__scan *scan)
{
    const struct genlru_budget *budget = scan->budget;
    const struct genlru_evict_result *result = &scan->result;
    bool has_goal = budget->nodes || budget->charge;

    if ((budget->nodes && result->nodes >= budget->nodes) || (budget->charge && result->charge >= budget->charge) ||
        (!has_goal && result->nodes == scan->max)) {
        scan->result.reason = GENLRU_EVICT_MET;
        return true;
    }
    scan->result.reason = GENLRU_EVICT_BUDGET;
    return result->nodes == scan->max;
}

bool genlru__scan_is_over(struct genlru__scan *scan)
{
    return has_enough(scan) || (scan->budget->scanned && scan->result.scanned >= scan->budget->scanned);
}

/* `limit`, 0 = none, and `more` than what there is. */
static uint64_t up_to(uint64_t limit, uint64_t now, uint64_t more)
{
    return limit ? genlru__min(limit, now + more) : now + more;
}

void genlru__scan_limit(struct genlru__scan *scan)
{
    const struct genlru_budget *budget = scan->budget;

    scan->max_nodes = genlru__min(scan->max, up_to(budget->nodes, scan->result.nodes, GENLRU__BATCH_VICTIMS));
    scan->max_scanned = up_to(budget->scanned, scan->result.scanned, GENLRU__BATCH_SCANNED);
    scan->max_charge = budget->charge ? budget->charge : UINT64_MAX;
}

/* A duel is seen through: once begun it does not end where the batch does, but by itself, soon. */
static bool is_duel_over(const struct genlru__scan *scan)
{
    return !scan->duel_left || scan->result.nodes >= scan->duel_nodes || scan->result.scanned >= scan->duel_scanned;
}

static bool is_batch_full(const struct genlru__scan *scan)
{
    if (scan->judge.contender)
        return is_duel_over(scan);
    return scan->result.nodes >= scan->max_nodes || scan->result.scanned >= scan->max_scanned ||
           scan->result.charge >= scan->max_charge;
}

/*
 * Once a node stays in its block for want of another, the block is looked at to its end, whatever the call may scan:
 * only then it moves to where that node belongs, and the next call finds other nodes.
 */
static bool must_stop(struct genlru__scan *scan, bool has_kept)
{
    return scan->is_undecided || (has_kept ? has_enough(scan) : is_batch_full(scan));
}

static void count_verdict(struct genlru__scan *scan, enum genlru__verdict verdict, uint32_t word)
{
    struct genlru *lru = scan->lru;
    unsigned type = genlru_impl_type(word);

    switch (verdict) {
    case GENLRU__MOVE:
    case GENLRU__GRADUATE:
        scan->result.promoted++;
        break;
    case GENLRU__PARK:
        scan->result.parked++;
        break;
    case GENLRU__PROTECT:
        genlru__bump(&lru->hist[type].protected_[genlru__tier_of(word, genlru__policy(lru))], 1);
        scan->result.protected_++;
        break;
    case GENLRU__PROTECT_LAZILY:
        scan->result.protected_++;
        break;
    case GENLRU__KEEP:
        scan->result.protected_++;
        scan->duel_left -= scan->duel_left != 0;
        break;
    default:
        break;
    }
}

/* The node is the caller's: a victim with its shadow. */
static inline __attribute__((always_inline)) void hand_out(struct genlru__scan *scan, struct genlru_node *node,
                                                           uint64_t state)
{
    struct genlru *lru = scan->lru;
    uint32_t word = genlru_impl_word(state);
    struct genlru_victim *victim = &scan->victims[scan->result.nodes];

    victim->node = node;
    victim->shadow = genlru__shadow_make(lru, word, scan->clock);
    scan->clock += genlru_impl_charge(state);
    scan->result.nodes++;
    scan->result.charge += genlru_impl_charge(state);
    genlru__bump(&lru->hist[genlru_impl_type(word)].evicted[genlru__victim_tier(lru, word)], 1);
    if (word & GENLRU_PREFETCHED)
        genlru__bump(&lru->stat.prefetched_unused, 1);
}

static int change(const struct genlru__scan *scan, enum genlru__verdict verdict, uint32_t word, uint32_t *ret)
{
    struct genlru__context context = genlru__context(scan->lru);

    switch (verdict) {
    case GENLRU__PARK:
        return genlru__word_park(word, ret);
    case GENLRU__PROTECT:
    case GENLRU__PROTECT_LAZILY:
        return genlru__word_protect(word, &context, ret);
    case GENLRU__KEEP:
        return genlru__word_keep(word, &context, ret);
    case GENLRU__GRADUATE:
        return genlru__word_graduate(word, &context, ret);
    case GENLRU__ISOLATE:
        return genlru__word_isolate(word, ret);
    default: /* moved, or left for want of a block where it is: its word may not lag much longer (invariant 8) */
        if (genlru__word_settle(word, &context, ret) != 0)
            *ret = word;
        return 0;
    }
}

/*
 * Changes the node's word as the verdict says. The verdict depends on the word, so both are renewed until the swap
 * succeeds.
 */
static enum genlru__verdict decide(struct genlru__scan *scan, struct genlru_node *node, uint64_t *ret_before,
                                   uint64_t *ret_after)
{
    uint64_t state = genlru_impl_load_relaxed(&node->state.do_not_touch), after;
    enum genlru__verdict verdict;
    uint32_t word;
    int error;

    do {
        verdict = genlru__verdict(scan->lru, genlru_impl_word(state), &scan->judge);
        error = change(scan, verdict, genlru_impl_word(state), &word);
        genlru__assert(error == 0);
        (void)error;
        /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): no error, as the verdict is one that the word allows */
        after = genlru_impl_with_word(state, word);
        if (verdict == GENLRU__ISOLATE) /* before the word says so: a deleter that loses must find no slot */
            genlru_impl_ptr_store_relaxed(&node->slot, NULL);
        genlru__point(DECIDE);
        if (genlru__bug(ISOLATE_BLIND) && verdict == GENLRU__ISOLATE)
            state = genlru_impl_load_relaxed(&node->state.do_not_touch);
        /*
         * acq_rel I: pairs with a deleter's and a pin holder's changes of the word; flags are looked at again in the
         * swap
         */
    } while (after != state && !genlru_impl_cas_acq_rel(&node->state.do_not_touch, &state, after));
    genlru__point(ACCOUNT);
    if (after != state)
        genlru__batch_account(scan->lru, &scan->sizes, state, after);
    *ret_before = state;
    *ret_after = after;
    return verdict;
}

/* Parked nodes have no gen, those on probation none that could lag: a block goes to a generation if one of its nodes should. */
static unsigned refuge_rank(uint32_t word)
{
    if (genlru__state_of(word) == GENLRU__PARKED)
        return 1;
    return word & GENLRU_PROBATION ? 2 : 3;
}

/* There is no block to move a node to: its own will be moved, to the list of one of the nodes that stay in it. */
static void seek_refuge(struct genlru__scan *scan, uint32_t word)
{
    if (refuge_rank(word) < scan->refuge_rank)
        return;
    scan->refuge_rank = refuge_rank(word);
    scan->refuge = genlru__home_of(scan->lru, word);
}

static enum genlru__duel duel(struct genlru__scan *scan, uint32_t word);

/*
 * Judges a node that was taken from `slot` of the list, and does what the verdict says. False: the node is back in its
 * slot, for want of a block to move it to. Its duel may be over already; judge.duel is open again then.
 */
static bool dispose(struct genlru__scan *scan, struct genlru_node *node, void **slot)
{
    struct genlru *lru = scan->lru;
    uint64_t before, after;
    enum genlru__verdict verdict = decide(scan, node, &before, &after);

    if (verdict == GENLRU__CONTEND) {
        scan->judge.duel = duel(scan, genlru_impl_word(before));
        if (scan->judge.duel != GENLRU__DUEL_OPEN)
            verdict = decide(scan, node, &before, &after);
    }
    scan->judge.duel = GENLRU__DUEL_OPEN;
    if (verdict == GENLRU__CONTEND) {
        scan->is_undecided = true;
        genlru__publish(node, slot);
        return false;
    }
    if (verdict == GENLRU__ISOLATE) {
        hand_out(scan, node, before);
        return true;
    }
    count_verdict(scan, verdict, genlru_impl_word(before));
    if (genlru__chain_append(lru, genlru__home_of(lru, genlru_impl_word(after)), node))
        return true;
    seek_refuge(scan, genlru_impl_word(after));
    genlru__publish(node, slot);
    return false;
}

/*
 * The common cases of dispose, in short: a plain victim, one that is kept, one that contends and loses, or one that has been promoted
 * (plain.h). False: it is none, or was changed meanwhile, or there is no block to move it to; nothing was done then but to the
 * slot the node names, which whoever publishes it sets again. What they count is gathered for the whole list.
 */
static inline bool isolate_plain(struct genlru__scan *scan, struct genlru__plain *plain, struct genlru_node *node,
                                 uint64_t state)
{
    uint32_t word = genlru_impl_word(state);

    (void)genlru__word_isolate(word, &word);          /* listed and not pinned, as it is plain */
    genlru_impl_ptr_store_relaxed(&node->slot, NULL); /* before the word says so: as in decide */
    genlru__point(DECIDE);
    if (genlru__bug(ISOLATE_BLIND))
        state = genlru_impl_load_relaxed(&node->state.do_not_touch);
    /* acq_rel I: as in decide */
    if (GENLRU_UNLIKELY(
            !genlru_impl_cas_acq_rel(&node->state.do_not_touch, &state, genlru_impl_with_word(state, word)))) {
        if (genlru__bug(PLAIN_TWICE))
            genlru__plain_count(&plain->left, state);
        return false;
    }
    genlru__plain_count(&plain->left, state);
    hand_out(scan, node, state);
    return true;
}

static inline bool keep_plain(struct genlru__scan *scan, struct genlru__plain *plain, struct genlru_node *node,
                              uint64_t state)
{
    struct genlru *lru = scan->lru;
    unsigned class;
    uint32_t word = genlru__plain_keep(plain, genlru_impl_word(state), &class);
    struct genlru__block *block = genlru__chain_open(lru, plain->list[class]);

    if (GENLRU_UNLIKELY(!block))
        return false;
    genlru__point(DECIDE);
    /* acq_rel I: as in decide */
    if (GENLRU_UNLIKELY(
            !genlru_impl_cas_acq_rel(&node->state.do_not_touch, &state, genlru_impl_with_word(state, word))))
        return false;
    genlru__plain_count(&plain->left, state);
    genlru__plain_count(&plain->taken[class], state);
    scan->result.protected_++;
    scan->duel_left -= scan->duel_left != 0;
    genlru__publish(node, &block->slot[block->fill++]);
    return true;
}

/* A hit has given the node a younger generation, and counted it there: only the node has yet to follow. */
static inline bool move_plain(struct genlru__scan *scan, const struct genlru__plain *plain, struct genlru_node *node,
                              uint32_t word)
{
    struct genlru *lru = scan->lru;
    unsigned age;
    struct genlru__block *block;

    if (!genlru__plain_is_younger(plain, word, &age))
        return false;
    block = genlru__chain_open(lru, genlru__list_of_seq(lru, genlru_impl_type(word), lru->max_seq - age));
    if (GENLRU_UNLIKELY(!block))
        return false;
    genlru__point(DECIDE);
    scan->result.promoted++;
    genlru__publish(node, &block->slot[block->fill++]);
    return true;
}

static inline bool contend_plain(struct genlru__scan *scan, struct genlru__plain *plain, struct genlru_node *node,
                                 uint64_t state)
{
    scan->judge.duel = duel(scan, genlru_impl_word(state));
    if (scan->judge.duel != GENLRU__DUEL_LOST || !isolate_plain(scan, plain, node, state))
        return false;
    scan->judge.duel = GENLRU__DUEL_OPEN;
    return true;
}

static inline bool dispose_plain(struct genlru__scan *scan, struct genlru__plain *plain, struct genlru_node *node)
{
    uint64_t state = genlru_impl_load_relaxed(&node->state.do_not_touch);

    switch (genlru__plain_verdict(plain, genlru_impl_word(state))) {
    case GENLRU__ISOLATE:
        return isolate_plain(scan, plain, node, state);
    case GENLRU__KEEP:
        return keep_plain(scan, plain, node, state);
    case GENLRU__CONTEND:
        return contend_plain(scan, plain, node, state);
    default:
        return move_plain(scan, plain, node, genlru_impl_word(state));
    }
}

/* Adds what the plain nodes of a list come to. */
static void count_plain(struct genlru__scan *scan, const struct genlru__plain *plain)
{
    uint32_t type = plain->value & GENLRU_TYPE_MASK;
    unsigned class;

    if (plain->left.nodes)
        genlru__batch_leave(scan->lru, &scan->sizes, plain->value, plain->left);
    for (class = 0; class < GENLRU__NR_KEEPS; class ++)
        if (plain->taken[class].nodes)
            genlru__batch_join(scan->lru, &scan->sizes, type | plain->gen[class], plain->taken[class]);
}

/* Scans a block; true when its end was reached. */
static bool scan_block(struct genlru__scan *scan, struct genlru__block *block, struct genlru__ahead *ahead)
{
    struct genlru__plain *const plain = scan->plain;
    unsigned first_kept = GENLRU__SLOTS, i;

    for (i = block->scan; i < block->fill && !must_stop(scan, first_kept < GENLRU__SLOTS); i++) {
        struct genlru_node *node;

        ahead_step(ahead);
        node = genlru__take(&block->slot[i]);
        if (!node) {
            if (++scan->result.holes % GENLRU__HOLES_PER_NODE == 0)
                scan->result.scanned++;
            continue;
        }
        scan->result.scanned++;
        if (!dispose_plain(scan, plain, node) && !dispose(scan, node, &block->slot[i]) && first_kept == GENLRU__SLOTS)
            first_kept = i;
    }
    block->scan = (uint8_t)(first_kept < i ? first_kept : i);
    return i == block->fill;
}

/* Scans judge.list, blocks from the old end. */
static void scan_chain(struct genlru__scan *scan, struct genlru__ahead *ahead)
{
    struct genlru *lru = scan->lru;
    unsigned list = scan->judge.list;
    struct genlru__chain *chain = &lru->chain[list];

    while (chain->head && !is_batch_full(scan)) {
        struct genlru__block *block = chain->head;

        scan->refuge = list;
        scan->refuge_rank = 0;
        if (!scan_block(scan, block, ahead) || scan->is_undecided)
            break;
        if (ahead->block == block)
            ahead->block = NULL;
        if (block->scan == block->fill) {
            genlru__chain_drop(lru, list, block);
        } else {
            genlru__assert(scan->refuge != list);
            genlru__chain_unlink(lru, list, block);
            genlru__chain_link_tail(lru, scan->refuge, block);
        }
    }
}

/*
 * A node of probation with this word against the oldest residents of its type. Those that win move up; the first that
 * loses is handed out. OPEN: it came to no end, since the oldest generation has no more nodes to see.
 */
static enum genlru__duel duel(struct genlru__scan *scan, uint32_t word)
{
    enum { STRAYS = 64 }; /* nodes that are no opponents (moved, pinned) passed in one duel */
    struct genlru *lru = scan->lru;
    struct genlru__context context = genlru__context(lru);
    unsigned type = genlru_impl_type(word), nr = context.policy->probation.duel;
    const struct genlru__judge judge = scan->judge;
    struct genlru__plain *const plain = scan->plain;
    const unsigned refuge = scan->refuge, refuge_rank = scan->refuge_rank;
    const uint64_t nodes = scan->result.nodes;
    enum genlru__duel outcome;

    if (!scan->has_residents)
        return GENLRU__DUEL_LOST;
    scan->judge.list = genlru__list_of_seq(lru, type, lru->min_seq[type]);
    scan->judge.contender = genlru_impl_aged_freq(word, context.window);
    if (!scan->had_duel) {
        genlru__plain_opponents_of(&scan->opponents, lru, scan->judge.list, &judge);
        scan->ahead_of_opponents.block = NULL;
        scan->had_duel = true;
    }
    scan->opponents.enough = scan->judge.contender;
    scan->plain = &scan->opponents;
    scan->duel_left = nr;
    scan->duel_nodes = nodes + 1;
    scan->duel_scanned = scan->result.scanned + nr + STRAYS;
    ahead_begin(&scan->ahead_of_opponents, &lru->chain[scan->judge.list], nr);
    scan_chain(scan, &scan->ahead_of_opponents);
    outcome = scan->result.nodes != nodes ? GENLRU__DUEL_WON : scan->duel_left ? GENLRU__DUEL_OPEN : GENLRU__DUEL_LOST;
    scan->judge = judge;
    scan->plain = plain;
    scan->refuge = refuge;
    scan->refuge_rank = refuge_rank;
    return outcome;
}

void genlru__scan_list(struct genlru__scan *scan, unsigned list, unsigned threshold)
{
    struct genlru__ahead ahead = {NULL, 0};
    struct genlru__plain plain;

    scan->judge.list = list;
    scan->judge.threshold = threshold;
    genlru__plain_of(&plain, scan->lru, list, &scan->judge);
    scan->plain = &plain;
    scan->is_undecided = false;
    scan->had_duel = false;
    ahead_begin(&ahead, &scan->lru->chain[list], AHEAD);
    scan_chain(scan, &ahead);
    count_plain(scan, &plain);
    if (scan->had_duel)
        count_plain(scan, &scan->opponents);
    scan->plain = NULL; /* it was on this call's stack */
}
