/* SPDX-License-Identifier: MIT */
/*
 * genlru_evict: batches of scans until a goal or a limit is reached.
 *
 * Each batch holds the lock once: choose a type, make sure that there is an oldest generation that may be scanned (a
 * step of aging if there is not), scan. What needs other locks (flushing stripes) or the owner (victims) happens
 * between.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/bits.h"
#include "gens/chain.h"
#include "gens/compact.h"
#include "gens/reserve.h"
#include "gens/stripe.h"
#include "gens/window.h"
#include "reclaim/aging.h"
#include "reclaim/controller.h"
#include "reclaim/scan.h"
#include "reclaim/stray.h"
#include "workingset/shadow.h"

/* What a batch leaves to be done without the lock. */
struct after_batch {
    bool flush;         /* hand over open blocks */
    unsigned list;      /* ... of this list; nr_lists = all */
    uint64_t born_from; /* generations [born_from, born_to) have begun */
    uint64_t born_to;
    bool made_progress;
    bool has_nothing; /* no list of an allowed type has blocks, linked or open */
};

static uint32_t allowed_types(const struct genlru__scan *scan)
{
    return scan->budget->types ? scan->budget->types : (1u << scan->lru->nr_types) - 1;
}

static bool gens_have_nodes(const struct genlru *lru, unsigned type)
{
    uint64_t seq;

    for (seq = lru->min_seq[type]; seq <= lru->max_seq; seq++)
        if (genlru__has_nodes(&lru->chain[genlru__list_of_seq(lru, type, seq)]))
            return true;
    return false;
}

/*
 * Type to scan among those that have nodes: the controller's choice, the one whose oldest generation is oldest where
 * it sees no difference. nr_types if there is none. Empty generations are passed first: they are no reason to call a
 * type old, and the history is to be that of the generation that will be scanned.
 */
static unsigned choose_type(struct genlru *lru, uint32_t types)
{
    unsigned best = lru->nr_types, type;

    for (type = 0; type < lru->nr_types; type++) {
        struct genlru__rates a, b;
        unsigned sp, pv;

        if (!(types & 1u << type) || !genlru__type_has_lists(lru, type))
            continue;
        genlru__skip_empty(lru, type);
        if (best == lru->nr_types) {
            best = type;
            continue;
        }
        pv = lru->min_seq[type] <= lru->min_seq[best] ? type : best;
        sp = pv == type ? best : type;
        a = genlru__rates_of(&lru->hist[sp]);
        b = genlru__rates_of(&lru->hist[pv]);
        best = genlru__prefer_type(&a, lru->type_weight[sp], &b, lru->type_weight[pv],
                                   genlru__policy(lru)->tiers.min_refaults)
                   ? pv
                   : sp;
    }
    return best;
}

/* Charge that the call still wants beyond one victim, were all as heavy as those on probation. */
static uint64_t wants_more(const struct genlru__scan *scan, const struct genlru__counter *probation)
{
    const struct genlru_budget *budget = scan->budget;
    uint64_t mean = probation->charge / genlru__max(1, probation->nodes);
    uint64_t nodes = budget->nodes ? genlru__min(budget->nodes, scan->max) : scan->max, wanted;

    wanted =
        budget->charge ? genlru__sub_clamped(budget->charge, scan->result.charge) : (nodes - scan->result.nodes) * mean;
    return genlru__sub_clamped(wanted, mean);
}

/*
 * Whether the probation list, not the oldest generation, is to be scanned. It is once it holds its share beside what the call
 * wants: a call for many would leave less than the share else, and nodes would stay for less than it means.
 */
static bool is_probation_due(const struct genlru__scan *scan, unsigned type)
{
    const struct genlru *lru = scan->lru;
    uint64_t capacity = genlru_impl_load_relaxed(&lru->capacity);
    uint64_t share = genlru__percent_of(capacity, genlru__policy(lru)->probation.percent);
    struct genlru__counter probation;

    if (!genlru__has_nodes(&lru->chain[genlru__list_of_probation(lru, type)]))
        return false;
    probation = genlru__sum(lru, type, GENLRU__PROBATION_INDEX);
    return genlru__sub_clamped(probation.charge, genlru__min(share, wants_more(scan, &probation))) >=
               genlru__max(1, share) ||
           !gens_have_nodes(lru, type);
}

static void request_flush(struct after_batch *after, unsigned list)
{
    after->flush = true;
    after->list = list;
}

static uint64_t left_to_scan(const struct genlru__scan *scan)
{
    return scan->budget->scanned ? genlru__sub_clamped(scan->budget->scanned, scan->result.scanned) : UINT64_MAX;
}

static void scan_type(struct genlru__scan *scan, unsigned type, struct after_batch *after)
{
    struct genlru *lru = scan->lru;
    struct genlru__rates rates;
    uint64_t scanned = scan->result.scanned + scan->result.holes;
    unsigned list = genlru__list_of_probation(lru, type), flush;
    bool is_probation = is_probation_due(scan, type);

    scan->has_residents = gens_have_nodes(lru, type);
    /* a duel on probation is with the oldest generation, so there must be one, too */
    if (!is_probation || (genlru__policy(lru)->probation.duel && scan->has_residents)) {
        switch (genlru__make_oldest(lru, type, left_to_scan(scan), &scan->result.aged, &scan->result.scanned, &flush)) {
        case GENLRU__AGING_FLUSH_ALL:
            request_flush(after, genlru__nr_lists(lru));
            break;
        case GENLRU__AGING_FLUSH_OLDEST:
            request_flush(after, flush);
            return;
        case GENLRU__AGING_AGAIN:
            after->made_progress = true;
            return;
        case GENLRU__AGING_READY:
            break;
        }
    }
    if (!is_probation)
        list = genlru__list_of_seq(lru, type, lru->min_seq[type]);
    if (!lru->chain[list].head) {
        if (!after->flush)
            request_flush(after, list);
        return;
    }
    rates = genlru__rates_of(&lru->hist[type]); /* now: min_seq may have moved on, and the history with it */
    genlru__scan_list(scan, list, genlru__tier_threshold(&rates, &genlru__policy(lru)->tiers));
    after->made_progress = after->made_progress || scan->result.scanned + scan->result.holes != scanned;
}

static void count_batch(struct genlru *lru, const struct genlru_evict_result *before,
                        const struct genlru_evict_result *now)
{
    genlru__bump(&lru->stat.evicted, now->nodes - before->nodes);
    genlru__bump(&lru->stat.scanned, now->scanned - before->scanned);
    genlru__bump(&lru->stat.promoted, now->promoted - before->promoted);
    genlru__bump(&lru->stat.protected_, now->protected_ - before->protected_);
    genlru__bump(&lru->stat.parked, now->parked - before->parked);
}

static bool lock(struct genlru__scan *scan)
{
    if (scan->budget->flags & GENLRU_BUDGET_TRY)
        return genlru__mutex_trylock(&scan->lru->lock);
    genlru__mutex_lock(&scan->lru->lock);
    return true;
}

/* False: it was to be tried only, and another has the lock. */
static bool batch(struct genlru__scan *scan, struct after_batch *after)
{
    struct genlru *lru = scan->lru;
    const struct genlru_evict_result before = scan->result;
    uint64_t clock;
    uint32_t types = allowed_types(scan);
    unsigned type;

    *after = (struct after_batch){.flush = false};
    if (!lock(scan))
        return false;
    after->born_from = lru->max_seq + 1;
    clock = genlru_impl_load_relaxed(&lru->eviction_clock);
    scan->clock = clock;
    genlru__scan_limit(scan);
    type = choose_type(lru, types);
    if (type == lru->nr_types)
        after->has_nothing = true;
    else
        scan_type(scan, type, after);
    genlru__batch_flush(lru, &scan->sizes);
    genlru_impl_fetch_add_relaxed(&lru->eviction_clock, scan->clock - clock);
    if (genlru__advance_clocks(lru))
        request_flush(after, genlru__nr_lists(lru));
    count_batch(lru, &before, &scan->result);
    lru->live_hint = genlru__sub_clamped(lru->live_hint, scan->result.nodes - before.nodes);
    genlru__compact_if_due(lru);
    after->born_to = lru->max_seq + 1;
    genlru__mutex_unlock(&lru->lock);
    for (; after->born_from != after->born_to; after->born_from++)
        genlru__stamp_birth(lru, after->born_from);
    (void)genlru__reserve_fill(lru); /* without memory the next batch does with what it frees */
    if (after->flush)
        genlru__flush(lru, after->list);
    return true;
}

static void keep_shadows(struct genlru *lru, const struct genlru_victim *victims, uint64_t nr)
{
    uint64_t i;

    if (!lru->nonresident || !lru->hash_of)
        return;
    for (i = 0; i < nr; i++)
        genlru_nonresident_insert(lru->nonresident, lru, lru->hash_of(lru->hash_ctx, victims[i].node),
                                  victims[i].shadow);
}

static bool is_past_deadline(const struct genlru *lru, const struct genlru_budget *budget)
{
    return budget->deadline_ns && lru->now_ns(lru->clock_ctx) >= budget->deadline_ns;
}

/*
 * Watches that a call ends: after two looks at each node tiers no longer protect, and after sixteen, or too many
 * batches in a row that found nothing to look at, others keep hitting or adding what this call looks at, and it gives
 * up. Nodes are counted only once a call has scanned more than a few batches, as few do.
 */
struct bounds {
    uint64_t nr_nodes; /* 0 = not counted yet */
    unsigned nr_idle;
    unsigned max_idle;
};

/* So much a call may scan before its nodes are counted: what one for a few victims does, duels included. */
enum { FEW_SCANNED = 256 };

static bool is_out_of_bounds(struct genlru__scan *scan, struct bounds *bounds, bool made_progress)
{
    const struct genlru_evict_result *result = &scan->result;

    bounds->nr_idle = made_progress ? 0 : bounds->nr_idle + 1;
    if (bounds->nr_idle > bounds->max_idle)
        return true;
    if (result->scanned <= FEW_SCANNED + 2 * result->nodes)
        return false;
    if (!bounds->nr_nodes)
        bounds->nr_nodes = 1 + genlru__nr_nodes(scan->lru) + result->nodes;
    scan->judge.is_desperate = result->scanned > 16 + 2 * result->nodes + 2 * bounds->nr_nodes;
    return result->scanned > 16 * bounds->nr_nodes + 4096 * (1 + result->nodes);
}

static void run(struct genlru__scan *scan)
{
    const struct genlru *lru = scan->lru;
    struct bounds bounds = {0, 0, 4 * lru->nr_types * (lru->nr_gens + 2) + 2 * lru->nr_stripes};
    struct after_batch after;

    while (!genlru__scan_is_over(scan)) {
        if (is_past_deadline(lru, scan->budget)) {
            scan->result.reason = GENLRU_EVICT_BUDGET;
            return;
        }
        if (!batch(scan, &after)) {
            scan->result.reason = GENLRU_EVICT_BUSY;
            return;
        }
        if (after.has_nothing && !genlru__scan_is_over(scan) &&
            genlru__nothing_left(scan->lru, allowed_types(scan), &scan->result.reason))
            return;
        if (is_out_of_bounds(scan, &bounds, after.made_progress)) {
            if (!genlru__scan_is_over(scan))
                scan->result.reason = GENLRU_EVICT_BUDGET;
            return;
        }
    }
}

/* All but the sums of scan.sizes, which begin when they are used: a call for a few victims need not clear them. */
static void begin(struct genlru__scan *scan, struct genlru *lru, const struct genlru_budget *budget,
                  struct genlru_victim *victims, size_t max)
{
    scan->lru = lru;
    scan->budget = budget;
    scan->victims = victims;
    scan->max = max;
    memset(&scan->result, 0, sizeof(scan->result));
    memset(&scan->judge, 0, sizeof(scan->judge));
    genlru__batch_begin(&scan->sizes);
}

int genlru_evict(struct genlru *lru, const struct genlru_budget *budget, struct genlru_victim *victims, size_t max,
                 struct genlru_evict_result *ret_result)
{
    static const struct genlru_budget no_budget = {0, 0, 0, 0, 0, 0};
    struct genlru__scan scan;

    if (!lru || !victims || max == 0 || max > INT_MAX)
        return -EINVAL;
    if (budget && (budget->flags & ~(uint32_t)GENLRU_BUDGET_TRY || budget->types >> lru->nr_types))
        return -EINVAL;
    begin(&scan, lru, budget ? budget : &no_budget, victims, max);
    run(&scan);
    if (genlru__policy(lru)->probation.percent)
        genlru_impl_store_relaxed(&lru->used_hint, genlru__charge(lru));
    keep_shadows(lru, victims, scan.result.nodes);
    if (ret_result)
        *ret_result = scan.result;
    return (int)scan.result.nodes;
}
