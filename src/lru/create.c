/* SPDX-License-Identifier: MIT */
/* Making and ending an lru. */
#include "lru/create.h"

#include <errno.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/memory.h"
#include "base/sized.h"
#include "base/thread.h"
#include "gens/chain.h"
#include "gens/reserve.h"
#include "gens/sizes.h"
#include "gens/stripe.h"
#include "gens/window.h"
#include "learn/learn.h"
#include "genlru/version.h"
#include "reclaim/plain.h"
#include "workingset/shadow.h"

enum {
    DEFAULT_GENS = 4,
    DEFAULT_WEIGHT = 100,
    MAX_WEIGHT = 200,
    MAX_STRIPES = 8,
    SMALL_CAPACITY = 4096, /* below it stripes would hide too large a share of the nodes from scans */
    CLOCK_STEPS_LOG2 = 16, /* a shadow's clock resolves 2^-16 of the capacity */
    UNLIMITED_CLOCK_SHIFT = 8
};

/* Atomics of 64 bits stand at multiples of 8, on 32-bit platforms, too. */
_Static_assert(offsetof(struct genlru, eviction_clock) % 8 == 0 && offsetof(struct genlru, max_seq) % 8 == 0 &&
                   offsetof(struct genlru, hist) % 8 == 0 && offsetof(struct genlru__stripe, held_charge) % 8 == 0 &&
                   offsetof(struct genlru__stripe, counter) % 8 == 0 && offsetof(struct genlru_view, window) % 8 == 0,
               "aligned atomics");

static const char version[] = GENLRU_VERSION_STRING;

const char *genlru_version(void)
{
    return version;
}

int genlru__misuse(const struct genlru *lru, int error, const char *what, const struct genlru_node *node)
{
    if (lru->on_error)
        lru->on_error(lru->error_ctx, GENLRU_ERROR_MISUSE, what, node);
    else
        genlru__assert(!"misuse, and no error hook to tell it");
    return error;
}

/* The config with defaults in place of zeros; -EINVAL if a field is out of its range. */
static int complete_config(const struct genlru_config *config, struct genlru_config *ret)
{
    static const struct genlru_config defaults = GENLRU_CONFIG_INIT;
    unsigned i;

    *ret = defaults;
    if (config && genlru__sized_in(ret, sizeof(*ret), config, offsetof(struct genlru_config, nr_gens)) != 0)
        return -EINVAL;
    if (!ret->policy)
        ret->policy = &GENLRU_POLICY_DEFAULT;
    if (!ret->nr_gens)
        ret->nr_gens = DEFAULT_GENS;
    if (!ret->nr_types)
        ret->nr_types = 1;
    if (!ret->stripes)
        ret->stripes = ret->capacity < SMALL_CAPACITY ? 1 : (uint32_t)genlru__min(genlru__nr_cpus(), MAX_STRIPES);
    if (!ret->now_ns)
        ret->now_ns = genlru__monotonic_ns;
    if (!genlru__allocator_is_sound(ret->allocator) || ret->nr_gens < GENLRU_MIN_GENS ||
        ret->nr_gens > GENLRU_MAX_GENS || ret->nr_types > GENLRU_MAX_TYPES || ret->stripes > MAX_STRIPES)
        return -EINVAL;
    for (i = 0; i < GENLRU_MAX_TYPES; i++) {
        if (!ret->type_weight[i])
            ret->type_weight[i] = DEFAULT_WEIGHT;
        if (ret->type_weight[i] > MAX_WEIGHT)
            return -EINVAL;
    }
    return genlru_policy_check(ret->policy, ret->nr_gens) ? -EINVAL : 0;
}

static uint32_t clock_shift(uint64_t capacity)
{
    unsigned log2;

    if (capacity == GENLRU_NO_LIMIT)
        return UNLIMITED_CLOCK_SHIFT;
    log2 = 63u - (unsigned)__builtin_clzll(capacity | 1);
    return log2 > CLOCK_STEPS_LOG2 ? log2 - CLOCK_STEPS_LOG2 : 0;
}

/* One allocation: the struct, its chains, its stripes. */
static struct genlru *allocate(const struct genlru_config *config)
{
    struct genlru_allocator a = genlru__allocator_or_default(config->allocator);
    uint32_t gens = (uint32_t)genlru__round_up_pow2(config->nr_gens);
    size_t nr_chains = (size_t)config->nr_types * (gens + 2);
    size_t stripe_bytes =
        sizeof(struct genlru__stripe) + 2 * config->nr_types * GENLRU__NR_COUNTERS * sizeof(struct genlru__counter);
    size_t chains_at = sizeof(struct genlru), stripes_at, bytes;
    struct genlru *lru;

    stripe_bytes = (stripe_bytes + GENLRU__CACHE_LINE - 1) / GENLRU__CACHE_LINE * GENLRU__CACHE_LINE;
    stripes_at = chains_at + nr_chains * sizeof(struct genlru__chain);
    stripes_at = (stripes_at + GENLRU__CACHE_LINE - 1) / GENLRU__CACHE_LINE * GENLRU__CACHE_LINE;
    bytes = stripes_at + config->stripes * stripe_bytes;
    lru = a.alloc(a.ctx, bytes, GENLRU__CACHE_LINE);
    if (!lru)
        return NULL;
    memset(lru, 0, bytes);
    lru->allocator = a;
    lru->bytes = bytes;
    lru->chain = (struct genlru__chain *)(void *)((char *)lru + chains_at);
    lru->stripes = (char *)lru + stripes_at;
    lru->stripe_bytes = stripe_bytes;
    lru->lists_per_type = gens + 2;
    lru->gen_mask = gens - 1;
    return lru;
}

static void deallocate(struct genlru *lru)
{
    struct genlru_allocator a = lru->allocator;

    a.free(a.ctx, lru, lru->bytes, GENLRU__CACHE_LINE);
}

static void copy_config(struct genlru *lru, const struct genlru_config *config)
{
    genlru__rule_init(&lru->configured, config->policy, 0);
    genlru__start_rule(lru, &lru->configured);
    lru->nr_gens = config->nr_gens;
    lru->nr_types = config->nr_types;
    lru->nr_stripes = config->stripes;
    genlru_set_capacity(lru, config->capacity);
    lru->clock_shift = clock_shift(config->capacity);
    /* of the address: lrus of one time differ, and it needs no state shared by all lrus */
    lru->tag = (uint16_t)(genlru__mix((uint64_t)(uintptr_t)lru) & 0x7fff);
    memcpy(lru->type_weight, config->type_weight, sizeof(lru->type_weight));
    lru->now_ns = config->now_ns;
    lru->clock_ctx = config->clock_ctx;
    lru->on_error = config->on_error;
    lru->error_ctx = config->error_ctx;
    lru->nonresident = config->nonresident;
    lru->hash_of = config->hash_of;
    lru->hash_ctx = config->hash_ctx;
}

static int attach_pool(struct genlru *lru, const struct genlru_config *config)
{
    lru->pool = config->pool;
    if (!lru->pool) {
        int error = genlru_pool_create(config->allocator, &lru->pool);

        if (error)
            return error;
        lru->owns_pool = true;
    }
    genlru__pool_attach(lru->pool);
    return 0;
}

static void detach_pool(struct genlru *lru)
{
    genlru__reserve_drain(lru);
    genlru__pool_detach(lru->pool);
    if (lru->owns_pool)
        (void)genlru_pool_destroy(lru->pool);
}

int genlru__create_at(const struct genlru_config *config, const struct genlru__start *start, struct genlru **ret_lru)
{
    struct genlru_config complete;
    struct genlru *lru;
    int error;

    if (!ret_lru)
        return -EINVAL;
    error = complete_config(config, &complete);
    if (error)
        return error;
    lru = allocate(&complete);
    if (!lru)
        return -ENOMEM;
    copy_config(lru, &complete);
    error = attach_pool(lru, &complete);
    if (error) {
        deallocate(lru);
        return error;
    }
    error = genlru__mutex_init(&lru->lock, GENLRU__RANK_LRU);
    if (error) {
        detach_pool(lru);
        deallocate(lru);
        return error;
    }
    memset(lru->flushed_seq, 0xff, sizeof(lru->flushed_seq)); /* no generation yet */
    lru->eviction_clock = lru->age_clock = lru->epoch_clock = start->eviction_clock;
    error = genlru__learn_is_wanted(&complete) ? genlru__learn_create(lru, &complete) : 0;
    if (error) {
        genlru__mutex_fini(&lru->lock);
        detach_pool(lru);
        deallocate(lru);
        return error;
    }
    genlru__window_init(lru, start->max_seq ? start->max_seq : lru->nr_gens - 1, start->epoch);
    *ret_lru = lru;
    return 0;
}

int genlru_create(const struct genlru_config *config, struct genlru **ret_lru)
{
    static const struct genlru__start from_zero = {0, 0, 0};

    return genlru__create_at(config, &from_zero, ret_lru);
}

/* Drops the blocks that a quiet lru without nodes still has linked. */
static void drop_blocks(struct genlru *lru)
{
    unsigned list;

    for (list = 0; list < genlru__nr_lists(lru); list++)
        while (lru->chain[list].head)
            genlru__chain_drop(lru, list, lru->chain[list].head);
}

int genlru_destroy(struct genlru *lru)
{
    if (!lru)
        return 0;
    if (genlru__nr_nodes(lru))
        return genlru__misuse(lru, -EBUSY, "destroy of an lru that has nodes", NULL);
    genlru__flush(lru, genlru__nr_lists(lru));
    genlru__mutex_lock(&lru->lock);
    drop_blocks(lru);
    genlru__mutex_unlock(&lru->lock);
    detach_pool(lru);
    genlru__learn_destroy(lru);
    genlru__mutex_fini(&lru->lock);
    deallocate(lru);
    return 0;
}

void genlru_set_capacity(struct genlru *lru, uint64_t capacity)
{
    genlru__set_capacity(lru, capacity);
}

uint64_t genlru_charge(const struct genlru *lru)
{
    return genlru__charge(lru);
}

uint64_t genlru_excess(const struct genlru *lru)
{
    return genlru__sub_clamped(genlru__charge(lru), genlru_impl_load_relaxed(&lru->capacity));
}
