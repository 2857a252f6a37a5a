/* SPDX-License-Identifier: MIT */
/* Learning: see learn.h. */
#include "learn/learn.h"

#include <errno.h>
#include <string.h>

#include "base/bits.h"
#include "base/memory.h"
#include "gens/window.h"
#include "learn/mini.h"
#include "reclaim/plain.h"

/* Of a miniature: fewer tell rules apart too late; more cost time and memory, and tell no better. */
enum { ENTRIES = 512 };

struct genlru__learn {
    uint32_t is_busy; /* who sets it plays; orders below */
    size_t bytes;
    uint32_t epoch; /* of freq, in the miniature of the rule in force, that the lru was told of */
    struct genlru__learner learner;
    struct genlru__minis *minis;
    struct genlru__rule rule[GENLRU__NR_RULES];
    /* For statistics: relaxed atomics, written by who plays. */
    genlru__u64 nr_played;
    genlru__u64 nr_lost; /* written by who does not */
    genlru__u64 nr_changes;
    genlru__u64 rule_missed[GENLRU__NR_RULES];
    genlru__u64 rule_saved[GENLRU__NR_RULES];
    genlru__u64 rule_lost[GENLRU__NR_RULES];
};

bool genlru__learn_is_wanted(const struct genlru_config *config)
{
    return config->policy->learn && config->hash_of && config->capacity && config->capacity != GENLRU_NO_LIMIT;
}

static size_t head_bytes(void)
{
    return (sizeof(struct genlru__learn) + GENLRU__CACHE_LINE - 1) / GENLRU__CACHE_LINE * GENLRU__CACHE_LINE;
}

int genlru__learn_create(struct genlru *lru, const struct genlru_config *config)
{
    uint64_t all = config->entries ? config->entries : config->capacity;
    uint32_t entries = (uint32_t)genlru__min(all, ENTRIES);
    size_t bytes = head_bytes() + genlru__minis_bytes(entries);
    struct genlru__learn *learn = lru->allocator.alloc(lru->allocator.ctx, bytes, GENLRU__CACHE_LINE);
    uint64_t capacity;
    unsigned i;

    if (!learn)
        return -ENOMEM;
    memset(learn, 0, head_bytes());
    learn->bytes = bytes;
    lru->sample_seed = genlru__mix(config->sample_seed + 1); /* 0 as good as any */
    lru->sample_bound = all > entries ? ((uint64_t)entries << 32) / all : UINT64_C(1) << 32;
    for (i = 0; i < GENLRU__NR_RULES; i++)
        genlru__rule_init(&learn->rule[i], &genlru__rules[i], 1 + i);
    genlru__learner_init(&learn->learner, entries, GENLRU__RULE_AT_START);
    capacity = genlru__max(1, (uint64_t)((double)config->capacity * entries / (double)all));
    learn->minis = genlru__minis_init((char *)learn + head_bytes(), entries, capacity, lru->nr_gens, learn->rule);
    lru->learn = learn;
    genlru__start_rule(lru, &learn->rule[GENLRU__RULE_AT_START]);
    return 0;
}

void genlru__learn_destroy(struct genlru *lru)
{
    if (lru->learn)
        lru->allocator.free(lru->allocator.ctx, lru->learn, lru->learn->bytes, GENLRU__CACHE_LINE);
}

/*
 * What a miniature knows of an access: print of the key, whether it was read ahead and this is its first use, and its charge.
 * Never 0.
 */
enum { IS_SAMPLE = 1, IS_AHEAD = 2, PRINT_BITS = ~(IS_SAMPLE | IS_AHEAD) };

static uint64_t sample_of(uint64_t hash, uint32_t charge, bool is_ahead)
{
    return (uint64_t)charge << 32 | ((uint32_t)hash & (uint32_t)PRINT_BITS) | IS_SAMPLE | (is_ahead ? IS_AHEAD : 0);
}

static uint32_t print_of(uint64_t sample)
{
    return (uint32_t)sample & (uint32_t)PRINT_BITS;
}

static uint32_t charge_of(const struct genlru_node *node)
{
    return genlru_impl_charge(genlru_impl_load_relaxed(&node->state.do_not_touch));
}

uint64_t genlru__learn_sample(const struct genlru *lru, const struct genlru_node *node, const struct genlru_add *how)
{
    return how->flags & GENLRU_ADD_PREFETCHED ? 0
                                              : sample_of(genlru__sample_hash(lru, node, how), charge_of(node), false);
}

/* Follows the best rule from now on. Residents stay where they are. */
static void follow(struct genlru *lru, struct genlru__learn *learn, uint32_t best, enum genlru__span span)
{
    genlru__learner_follow(&learn->learner, best, span);
    learn->epoch = genlru__minis_epoch(learn->minis, best);
    genlru__set_rule(lru, &learn->rule[best]);
    genlru__bump(&learn->nr_changes, 1);
}

static void show_evidence(struct genlru__learn *learn)
{
    const struct genlru__evidence *of_late = &learn->learner.evidence[GENLRU__SPAN_LONG];
    unsigned c = learn->learner.current, i;

    for (i = 0; i < GENLRU__NR_RULES; i++) {
        genlru_impl_store_relaxed(&learn->rule_missed[i], of_late->missed[i] / GENLRU__LEARNER_ONE);
        genlru_impl_store_relaxed(&learn->rule_saved[i], of_late->lead[c][i] / GENLRU__LEARNER_ONE);
        genlru_impl_store_relaxed(&learn->rule_lost[i], of_late->lead[i][c] / GENLRU__LEARNER_ONE);
    }
}

static void play(struct genlru *lru, struct genlru__learn *learn, uint64_t sample)
{
    uint32_t missed = genlru__minis_access(learn->minis, print_of(sample), (uint32_t)(sample >> 32), sample & IS_AHEAD);

    uint32_t epoch = genlru__minis_epoch(learn->minis, learn->learner.current);

    if (epoch != learn->epoch) {
        genlru_impl_fetch_add_relaxed(&lru->epochs_due, epoch - learn->epoch);
        learn->epoch = epoch;
    }
    if (genlru__learner_count(&learn->learner, missed)) {
        enum genlru__span span;
        uint32_t best = genlru__learner_best(&learn->learner, &span);

        if (best != learn->learner.current)
            follow(lru, learn, best, span);
        show_evidence(learn);
    }
}

static void play_all(struct genlru *lru, struct genlru__learn *learn, const uint64_t *samples, unsigned nr)
{
    unsigned i;

    for (i = 0; i < nr; i++)
        genlru__minis_prefetch(learn->minis, print_of(samples[i]));
    for (i = 0; i < nr; i++)
        if (samples[i])
            play(lru, learn, samples[i]);
    genlru__bump(&learn->nr_played, nr);
}

static void tell(struct genlru *lru, uint64_t sample)
{
    struct genlru__learn *learn = lru->learn;
    struct genlru__stripe *stripe = genlru__stripe_own(lru);
    uint64_t samples[GENLRU__NR_SAMPLES], nr = genlru_impl_fetch_add_relaxed(&stripe->nr_samples, 1);
    unsigned i;

    /* relaxed: a sample is complete in itself, and may be lost */
    genlru_impl_store_relaxed(&stripe->sample[nr % GENLRU__NR_SAMPLES], sample);
    if (nr % GENLRU__NR_SAMPLES != GENLRU__NR_SAMPLES - 1)
        return;
    /* acquire L1: pairs with release L0; guards the miniatures and the learner */
    if (__atomic_exchange_n(&learn->is_busy, 1, __ATOMIC_ACQUIRE)) {
        genlru_impl_fetch_add_relaxed(&learn->nr_lost, GENLRU__NR_SAMPLES);
        return;
    }
    for (i = 0; i < GENLRU__NR_SAMPLES; i++)
        samples[i] = genlru_impl_load_relaxed(&stripe->sample[i]);
    play_all(lru, learn, samples, GENLRU__NR_SAMPLES);
    __atomic_store_n(&learn->is_busy, 0, __ATOMIC_RELEASE); /* release L0: pairs with acquire L1 */
}

void genlru__learn_add(struct genlru *lru, uint64_t sample)
{
    tell(lru, sample);
}

void genlru__learn_hit(struct genlru *lru, const struct genlru_node *node, uint32_t word_before)
{
    uint64_t hash;

    if (!lru->learn) /* the node was sampled by another lru */
        return;
    hash = genlru__sample_hash(lru, node, NULL);
    if (hash >> 32 < lru->sample_bound)
        tell(lru, sample_of(hash, charge_of(node), word_before & GENLRU_PREFETCHED));
}

void genlru__learn_stat(const struct genlru *lru, struct genlru_stat *stat)
{
    const struct genlru__learn *learn = lru->learn;
    unsigned i;

    if (!learn)
        return;
    stat->is_learning = 1;
    stat->rule = genlru__rule(lru)->number - 1;
    stat->sample_entries = learn->learner.entries;
    stat->sample_per_million = (uint32_t)(lru->sample_bound * 1000000 >> 32);
    stat->samples = genlru_impl_load_relaxed(&learn->nr_played);
    stat->samples_lost = genlru_impl_load_relaxed(&learn->nr_lost);
    stat->rule_changes = genlru_impl_load_relaxed(&learn->nr_changes);
    stat->learn_bytes = learn->bytes;
    for (i = 0; i < GENLRU__NR_RULES; i++) {
        stat->rule_missed[i] = genlru_impl_load_relaxed(&learn->rule_missed[i]);
        stat->rule_saved[i] = genlru_impl_load_relaxed(&learn->rule_saved[i]);
        stat->rule_lost[i] = genlru_impl_load_relaxed(&learn->rule_lost[i]);
    }
}
