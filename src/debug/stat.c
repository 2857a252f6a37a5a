/* SPDX-License-Identifier: MIT */
/* Statistics: loose snapshots from counters, without any lock. */
#include "genlru/stat.h"
#include "learn/learn.h"

#include <errno.h>
#include <string.h>

#include "base/bits.h"
#include "base/sized.h"
#include "gens/lru.h"
#include "gens/sizes.h"
#include "gens/window.h"
#include "reclaim/controller.h"

static void fill_sizes(const struct genlru *lru, struct genlru_stat *stat)
{
    unsigned type, i;

    for (type = 0; type < lru->nr_types; type++) {
        struct genlru__counter all = genlru__sum_type(lru, type);
        struct genlru__counter parked = genlru__sum(lru, type, 0);
        struct genlru__counter probation = genlru__sum(lru, type, GENLRU__PROBATION_INDEX);

        stat->min_seq[type] = genlru_impl_load_relaxed(&lru->min_seq[type]);
        stat->nodes += all.nodes;
        stat->charge += all.charge;
        stat->pinned_nodes += parked.nodes;
        stat->pinned_charge += parked.charge;
        stat->probation_nodes += probation.nodes;
        stat->probation_charge += probation.charge;
    }
    for (i = 0; i < lru->nr_stripes; i++) {
        stat->refaulted += genlru_impl_load_relaxed(&genlru__stripe(lru, i)->refaulted);
        stat->refaulted_workingset += genlru_impl_load_relaxed(&genlru__stripe(lru, i)->refaulted_workingset);
    }
}

static void fill_movers(const struct genlru *lru, struct genlru_stat *stat)
{
    const struct genlru__mover_stat *mover = &lru->stat;

    stat->evicted = genlru_impl_load_relaxed(&mover->evicted);
    stat->putback = genlru_impl_load_relaxed(&mover->putback);
    stat->scanned = genlru_impl_load_relaxed(&mover->scanned);
    stat->promoted = genlru_impl_load_relaxed(&mover->promoted);
    stat->protected_ = genlru_impl_load_relaxed(&mover->protected_);
    stat->parked = genlru_impl_load_relaxed(&mover->parked);
    stat->aged = genlru_impl_load_relaxed(&mover->aged);
    stat->prefetched_unused = genlru_impl_load_relaxed(&mover->prefetched_unused);
    stat->compacted = genlru_impl_load_relaxed(&mover->compacted);
    stat->inconsistent = genlru_impl_load_relaxed(&mover->inconsistent);
}

static void fill_tiers(const struct genlru *lru, struct genlru_stat *stat)
{
    unsigned type, tier;

    for (type = 0; type < lru->nr_types; type++) {
        const struct genlru__hist *hist = &lru->hist[type];
        struct genlru__rates rates = genlru__rates_of(hist);

        for (tier = 0; tier < GENLRU_NR_TIERS; tier++) {
            struct genlru_tier_stat *to = &stat->tier[type][tier];

            to->avg_refaulted = genlru_impl_load_relaxed(&hist->avg_refaulted[tier]);
            to->avg_total = genlru_impl_load_relaxed(&hist->avg_total[tier]);
            to->refaulted = genlru__sub_clamped(rates.tier[tier].refaulted, to->avg_refaulted);
            to->evicted = genlru_impl_load_relaxed(&hist->evicted[tier]);
            to->protected_ = genlru_impl_load_relaxed(&hist->protected_[tier]);
        }
        stat->tier_threshold[type] = (uint8_t)genlru__tier_threshold(&rates, &genlru__policy(lru)->tiers);
    }
}

int genlru_stat(const struct genlru *lru, struct genlru_stat *ret_stat)
{
    struct genlru_stat stat;

    if (!lru || !ret_stat || !genlru__can_fill(ret_stat))
        return -EINVAL;
    memset(&stat, 0, sizeof(stat));
    stat.nr_gens = lru->nr_gens;
    stat.nr_types = lru->nr_types;
    stat.stripes = lru->nr_stripes;
    stat.freq_epoch = genlru_impl_window_epoch(genlru_impl_load_relaxed(&lru->view.window));
    stat.capacity = genlru_impl_load_relaxed(&lru->capacity);
    stat.max_seq = genlru_impl_load_relaxed(&lru->max_seq);
    stat.eviction_clock = genlru_impl_load_relaxed(&lru->eviction_clock);
    stat.blocks = genlru_impl_load_relaxed(&lru->nr_linked) + genlru_impl_load_relaxed(&lru->nr_opened) +
                  genlru_impl_load_relaxed(&lru->nr_reserve);
    stat.metadata_bytes = lru->bytes + stat.blocks * GENLRU__BLOCK_BYTES;
    fill_sizes(lru, &stat);
    fill_movers(lru, &stat);
    fill_tiers(lru, &stat);
    genlru__learn_stat(lru, &stat);
    stat.metadata_bytes += stat.learn_bytes;
    genlru__sized_out(ret_stat, &stat, sizeof(stat));
    return 0;
}

int genlru_stat_gens(const struct genlru *lru, unsigned type, struct genlru_gen_stat *gens, size_t max)
{
    uint64_t window, now, max_seq;
    unsigned width, age;

    if (!lru || type >= lru->nr_types || (!gens && max))
        return -EINVAL;
    window = genlru_impl_load_relaxed(&lru->view.window);
    max_seq = genlru__max_seq_of(lru, window);
    width = genlru_impl_window_width(window, type);
    now = lru->now_ns(lru->clock_ctx);
    for (age = 0; age < width && age < max; age++) {
        struct genlru__counter sum = genlru__sum_age(lru, window, type, age);
        uint64_t seq = max_seq - age;

        gens[age].seq = seq;
        gens[age].age_ns = genlru__sub_clamped(now, genlru_impl_load_relaxed(&lru->birth_ns[seq & lru->gen_mask]));
        gens[age].nodes = sum.nodes;
        gens[age].charge = sum.charge;
    }
    return (int)width;
}
