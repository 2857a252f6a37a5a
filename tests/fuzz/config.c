/* SPDX-License-Identifier: MIT */
/*
 * Bytes as a policy and a config, then as calls on the lru that they make, if they make one. A policy is a preset with
 * some of its bytes changed, so that sound ones are often met and unsound ones are near misses.
 *
 *   what genlru_policy_check refuses, genlru_create refuses, and the other way round
 *   a config of any size, sound or not, is read no further than it says
 *   a refused creation keeps nothing and changes nothing
 *   an lru of whatever sound config keeps every invariant, gives all its nodes back and leaks nothing
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "fuzz.h"
#include "genlru/genlru.h"

enum { NR_NODES = 200, MAX_CALLS = 2000, MAX_CHANGES = 40 };

struct owner {
    struct genlru *lru;
    struct genlru_node node[NR_NODES];
    bool is_pinned[NR_NODES];
    uint64_t now;
    uint64_t bytes;       /* allocated now */
    unsigned fail_one_in; /* allocations; 0 = none */
    unsigned nr_allocs;
    unsigned nr_inconsistent;
};

static struct owner the_owner;

static void *allocate(void *ctx, size_t size, size_t align)
{
    struct owner *owner = ctx ? ctx : &the_owner; /* a config may end before the context */

    if (owner->fail_one_in && ++owner->nr_allocs % owner->fail_one_in == 0)
        return NULL;
    owner->bytes += size;
    return aligned_alloc(align, (size + align - 1) / align * align);
}

static void deallocate(void *ctx, void *memory, size_t size, size_t align)
{
    struct owner *owner = ctx ? ctx : &the_owner; /* a config may end before the context */

    (void)align;
    FUZZ_CHECK(owner->bytes >= size, "more freed than allocated");
    owner->bytes -= size;
    free(memory);
}

static uint64_t now_ns(void *ctx)
{
    struct owner *owner = ctx ? ctx : &the_owner; /* a config may end before the context */

    return owner->now += 3;
}

static void on_error(void *ctx, enum genlru_error error, const char *what, const struct genlru_node *node)
{
    struct owner *owner = ctx ? ctx : &the_owner; /* a config may end before the context */

    (void)what;
    (void)node;
    owner->nr_inconsistent += error != GENLRU_ERROR_MISUSE;
}

static uint64_t hash_of(void *ctx, const struct genlru_node *node)
{
    struct owner *owner = ctx ? ctx : &the_owner; /* a config may end before the context */

    FUZZ_CHECK(node >= owner->node && node < owner->node + NR_NODES, "a hash of no node of ours");
    return (uint64_t)(node - owner->node) * UINT64_C(0x9e3779b97f4a7c15);
}

static struct genlru_policy take_policy(struct fuzz_bytes *bytes)
{
    static const struct genlru_policy *const presets[] = {&GENLRU_POLICY_MGLRU, &GENLRU_POLICY_MGLRU_OLD,
                                                          &GENLRU_POLICY_MGLRU_FG, &GENLRU_POLICY_DEFAULT};
    struct genlru_policy policy = *presets[fuzz_take(bytes, 1) % 4];
    const size_t first = offsetof(struct genlru_policy, hit);
    unsigned nr = (unsigned)fuzz_take(bytes, 1) % MAX_CHANGES;

    while (nr-- > 0) {
        size_t at = fuzz_take(bytes, 1) % (sizeof(policy) - first);

        ((uint8_t *)&policy)[first + at] = (uint8_t)fuzz_take(bytes, 1);
    }
    return policy;
}

static struct genlru_config take_config(struct fuzz_bytes *bytes, struct owner *owner,
                                        const struct genlru_allocator *allocator, const struct genlru_policy *policy)
{
    struct genlru_config config = GENLRU_CONFIG_INIT;
    unsigned i, choice = (unsigned)fuzz_take(bytes, 1);

    config.allocator = allocator;
    config.now_ns = now_ns;
    config.clock_ctx = owner;
    config.on_error = on_error;
    config.error_ctx = owner;
    config.hash_of = hash_of;
    config.hash_ctx = owner;
    config.policy = choice % 8 == 7 ? NULL : policy;
    config.capacity = fuzz_take(bytes, 1) % 4 ? fuzz_take(bytes, 1) : fuzz_take(bytes, 8);
    config.nr_gens = choice & 16 ? (uint32_t)fuzz_take(bytes, 4) : (uint32_t)fuzz_take(bytes, 1) % 66;
    config.nr_types = (uint32_t)fuzz_take(bytes, 1) % 6;
    config.stripes = (uint32_t)fuzz_take(bytes, 1) % 10;
    for (i = 0; i < GENLRU_MAX_TYPES; i++)
        config.type_weight[i] = (uint8_t)fuzz_take(bytes, 1);
    if (choice & 32)
        config.size = fuzz_take(bytes, 1) * 2 % (sizeof(config) + 16);
    owner->fail_one_in = choice & 64 ? 1 + (unsigned)fuzz_take(bytes, 1) % 16 : 0;
    return config;
}

/* Exactly as many bytes as the config says it has, so that a read beyond them is seen. */
static int create(const struct genlru_config *config, struct genlru **ret_lru)
{
    size_t size = config->size < sizeof(size_t) ? sizeof(size_t) : config->size;
    uint8_t *exact = calloc(1, size);
    int result;

    FUZZ_CHECK(exact, "no memory");
    memcpy(exact, config, size < sizeof(*config) ? size : sizeof(*config));
    result = genlru_create((const struct genlru_config *)(const void *)exact, ret_lru);
    free(exact);
    return result;
}

static bool may_be_freed(const struct genlru_node *node)
{
    return !genlru_node_is_listed(node) && !genlru_node_is_pinned(node);
}

static void evict(struct owner *owner, struct fuzz_bytes *bytes)
{
    struct genlru_victim victims[16];
    struct genlru_budget budget = {0, 0, 0, 0, 0, 0};
    struct genlru_evict_result result;
    unsigned choice = (unsigned)fuzz_take(bytes, 1);
    int nr, i, answer;

    budget.nodes = choice & 1 ? fuzz_take(bytes, 1) : 0;
    budget.charge = choice & 2 ? fuzz_take(bytes, 2) : 0;
    budget.scanned = choice & 4 ? fuzz_take(bytes, 1) : 0;
    budget.deadline_ns = choice & 8 ? owner->now + fuzz_take(bytes, 1) : 0;
    budget.types = choice & 16 ? (uint32_t)fuzz_take(bytes, 1) : 0;
    budget.flags = choice == 255 ? 2 : choice >> 6 == 2 ? GENLRU_BUDGET_TRY : 0;
    nr = genlru_evict(owner->lru, &budget, victims, 1 + choice % 16, &result);
    FUZZ_CHECK(nr >= 0 || nr == -EINVAL, "evict: %d", nr);
    for (i = 0; i < nr; i++) {
        struct genlru_node *node = victims[i].node;

        FUZZ_CHECK(node >= owner->node && node < owner->node + NR_NODES && genlru_node_is_isolated(node), "victim");
        if (choice & 32) {
            answer = genlru_putback(owner->lru, &victims[i]);
            FUZZ_CHECK(answer == 0 || answer == -ENOMEM, "putback: %d", answer);
        }
        if (genlru_node_is_isolated(node))
            (void)genlru_node_init(node, genlru_node_charge(node), genlru_node_type(node));
    }
}

static void call(struct owner *owner, struct fuzz_bytes *bytes)
{
    static const unsigned what[] = {0, 0, 0, 0, 1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    unsigned op = what[fuzz_take(bytes, 1) % 16], i = (unsigned)fuzz_take(bytes, 1) % NR_NODES;
    struct genlru_node *node = &owner->node[i];
    struct genlru *lru = owner->lru;
    struct genlru_harvest harvest = {node, i % 3 == 0};
    struct genlru_add how;
    int answer = 0;

    switch (op) {
    case 0:
        how = (struct genlru_add){.flags = (uint32_t)fuzz_take(bytes, 1) & 63, .key_hash = i, .has_key_hash = i & 1};
        answer = genlru_add(lru, node, &how);
        owner->is_pinned[i] |= answer == 0 && how.flags & GENLRU_ADD_PINNED;
        FUZZ_CHECK(answer == 0 || answer == -ENOMEM || answer == -EINVAL || answer == -EEXIST || answer == -EBUSY,
                   "add: %d", answer);
        return;
    case 1:
        genlru_access(lru, node);
        return;
    case 2:
        genlru_access_batch(lru, &harvest, 1);
        return;
    case 3:
    case 4:
        evict(owner, bytes);
        return;
    case 5:
        answer = genlru_advise(lru, node, (enum genlru_advice)(fuzz_take(bytes, 1) % 8));
        FUZZ_CHECK(answer == 0 || answer == -EINVAL, "advise: %d", answer);
        return;
    case 6:
        if (owner->is_pinned[i]) {
            answer = genlru_unpin(lru, node);
            FUZZ_CHECK(answer >= 0, "unpin: %d", answer);
            owner->is_pinned[i] = false;
        } else {
            owner->is_pinned[i] = genlru_pin(lru, node) == 0;
        }
        return;
    case 7:
        answer = genlru_del(lru, node);
        FUZZ_CHECK((answer == GENLRU_YOURS) == (answer >= 0 && may_be_freed(node)), "del: %d", answer);
        return;
    case 8:
        answer = genlru_recharge(lru, node, fuzz_take(bytes, 5));
        FUZZ_CHECK(answer == 0 || answer == -ERANGE, "recharge: %d", answer);
        return;
    case 9:
        answer = genlru_age(lru, fuzz_take(bytes, 1));
        FUZZ_CHECK(answer == 0 || answer == -EAGAIN, "age: %d", answer);
        return;
    default:
        genlru_set_capacity(lru, fuzz_take(bytes, 2));
        (void)genlru_trim(lru);
        return;
    }
}

static void verify(struct owner *owner)
{
    char text[256];
    int broken = genlru_verify(owner->lru, text, sizeof(text));

    FUZZ_CHECK(broken == 0, "invariant %d: %s", broken, text);
}

/* Everything is let go of; evict must then get at every node. */
static void empty(struct owner *owner)
{
    struct genlru_victim victims[64];
    unsigned i;

    for (i = 0; i < NR_NODES; i++)
        if (owner->is_pinned[i])
            FUZZ_CHECK(genlru_unpin(owner->lru, &owner->node[i]) >= 0, "unpin");
    while (genlru_evict(owner->lru, NULL, victims, 64, NULL) > 0)
        ;
    verify(owner);
    for (i = 0; i < NR_NODES; i++)
        FUZZ_CHECK(!genlru_node_is_listed(&owner->node[i]), "node %u was never evicted", i);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct owner *const owner = &the_owner;
    struct fuzz_bytes bytes = {data, size};
    struct genlru_allocator allocator = {allocate, deallocate, owner};
    struct genlru_policy policy = take_policy(&bytes);
    struct genlru_stat stat = {.size = sizeof(stat)};
    struct genlru_nonresident *table = NULL;
    struct genlru_config config;
    unsigned i, gens;
    int result;

    memset(owner, 0, sizeof(*owner));
    config = take_config(&bytes, owner, &allocator, &policy);
    if (fuzz_take(&bytes, 1) % 2 && genlru_nonresident_create(1 + fuzz_take(&bytes, 1), 1, NULL, &table) == 0)
        config.nonresident = table;
    gens = config.nr_gens ? config.nr_gens : 4;
    result = create(&config, &owner->lru);
    FUZZ_CHECK(result == 0 || result == -EINVAL || (result == -ENOMEM && owner->fail_one_in), "create: %d", result);
    if (config.policy && genlru_policy_check(&policy, gens) && config.size >= offsetof(struct genlru_config, nr_types))
        FUZZ_CHECK(result == -EINVAL, "an unsound policy was taken: %s", genlru_policy_check(&policy, gens));
    if (result != 0) {
        FUZZ_CHECK(!owner->lru && owner->bytes == 0, "a refused creation left something");
        genlru_nonresident_destroy(table);
        return 0;
    }
    FUZZ_CHECK(genlru_stat(owner->lru, &stat) == 0, "stat"); /* the config may have ended before nr_types */
    for (i = 0; i < NR_NODES; i++)
        FUZZ_CHECK(genlru_node_init(&owner->node[i], i % 7, i % stat.nr_types) == 0, "init");
    for (i = 0; i < MAX_CALLS && bytes.left > 0; i++)
        call(owner, &bytes);
    verify(owner);
    empty(owner);
    FUZZ_CHECK(owner->nr_inconsistent == 0, "reported inconsistent");
    FUZZ_CHECK(genlru_destroy(owner->lru) == 0, "destroy");
    genlru_nonresident_destroy(table);
    FUZZ_CHECK(owner->bytes == 0, "%llu bytes leak", (unsigned long long)owner->bytes);
    return 0;
}
