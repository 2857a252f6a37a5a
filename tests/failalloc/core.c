/* SPDX-License-Identifier: MIT */
/*
 * Every allocation of the library fails once, in each of these lives of an lru. The only code told is -ENOMEM, a refused
 * call has changed nothing and is taken when memory is back, no node is lost, and the structure verifies throughout.
 */
#include <errno.h>
#include <string.h>

#include "genlru/genlru.h"
#include "walk.h"

struct walk walk;

enum { MAX_NODES = 6000, KEPT = 1000 };

static struct genlru_node node[MAX_NODES];
static bool is_listed[MAX_NODES];
static uint64_t now;

static void *failing_alloc(void *ctx, size_t size, size_t align)
{
    void *memory;

    (void)ctx;
    if (walk_fails() || posix_memalign(&memory, align < sizeof(void *) ? sizeof(void *) : align, size) != 0)
        return NULL;
    memset(memory, 0xa5, size);
    walk.nr_live++;
    return memory;
}

static void counting_free(void *ctx, void *memory, size_t size, size_t align)
{
    (void)ctx;
    (void)size;
    (void)align;
    walk.nr_live--;
    free(memory);
}

static const struct genlru_allocator allocator = {failing_alloc, counting_free, NULL};

static uint64_t clock_of(void *ctx)
{
    (void)ctx;
    return now++;
}

static void on_error(void *ctx, enum genlru_error error, const char *what, const struct genlru_node *of)
{
    (void)ctx;
    (void)of;
    CHECK(false, "error hook: %d, %s", (int)error, what);
}

static uint64_t hash_of(void *ctx, const struct genlru_node *of)
{
    (void)ctx;
    return (uint64_t)(of - node) * UINT64_C(0x9e3779b97f4a7c15);
}

static struct genlru_config config_of(unsigned nr_types, unsigned nr_gens, uint64_t capacity)
{
    struct genlru_config config = GENLRU_CONFIG_INIT;

    config.allocator = &allocator;
    config.now_ns = clock_of;
    config.on_error = on_error;
    config.hash_of = hash_of;
    config.nr_types = nr_types;
    config.nr_gens = nr_gens;
    config.capacity = capacity;
    config.stripes = 1;
    return config;
}

/* NULL if it was refused for want of memory; then nothing may be left. */
static struct genlru *create(const struct genlru_config *config)
{
    struct genlru *lru = NULL;
    uint64_t nr_live = walk.nr_live;
    int result = genlru_create(config, &lru);

    CHECK(result == 0 || (result == -ENOMEM && !lru && walk.nr_live == nr_live), "create: %d", result);
    return lru;
}

static void verify(struct genlru *lru)
{
    char text[256];
    int broken = genlru_verify(lru, text, sizeof(text));

    CHECK(broken == 0, "invariant %d: %s", broken, text);
}

static void prepare(unsigned nr_types)
{
    unsigned i;

    now = 0;
    memset(is_listed, 0, sizeof(is_listed));
    for (i = 0; i < MAX_NODES; i++)
        CHECK(genlru_node_init(&node[i], 1 + i % 3, i % nr_types) == 0, "init");
}

/* A refused add leaves the node as it was; now and then it is tried again with memory. */
static bool add(struct genlru *lru, unsigned i, unsigned flags, genlru_shadow shadow)
{
    struct genlru_add how = {.shadow = shadow, .flags = flags, .key_hash = hash_of(NULL, &node[i]), .has_key_hash = 1};
    struct genlru_node before = node[i];
    int result = genlru_add(lru, &node[i], &how);

    if (result != 0) {
        CHECK(result == -ENOMEM, "add: %d", result);
        CHECK(memcmp(&before, &node[i], sizeof(before)) == 0, "a refused add changed the node");
        if (i % 3)
            return false;
        walk.is_off = true;
        result = genlru_add(lru, &node[i], &how);
        walk.is_off = false;
        CHECK(result == 0, "add with memory: %d", result);
    }
    is_listed[i] = true;
    return true;
}

static unsigned index_of(const struct genlru_victim *victim)
{
    return (unsigned)(victim->node - node);
}

/* Victims are gone but for those that `keep_one_in` puts back. */
static unsigned evict(struct genlru *lru, const struct genlru_budget *budget, size_t max, unsigned keep_one_in)
{
    struct genlru_victim victims[64];
    int nr = genlru_evict(lru, budget, victims, max, NULL), i;

    CHECK(nr >= 0, "evict: %d", nr);
    for (i = 0; i < nr; i++) {
        unsigned at = index_of(&victims[i]);

        CHECK(is_listed[at], "node %u is a victim and was not listed", at);
        if (keep_one_in && i % (int)keep_one_in == 0) {
            int result = genlru_putback(lru, &victims[i]);

            CHECK(result == 0 || result == -ENOMEM, "putback: %d", result);
            if (result == -ENOMEM) {
                CHECK(genlru_node_is_isolated(&node[at]), "still isolated, still ours");
                walk.is_off = true;
                CHECK(genlru_putback(lru, &victims[i]) == 0, "putback with memory");
                walk.is_off = false;
            }
            continue;
        }
        is_listed[at] = false;
        CHECK(genlru_node_init(&node[at], genlru_node_charge(&node[at]), genlru_node_type(&node[at])) == 0, "init");
    }
    return (unsigned)nr;
}

/* What is listed is what we think, and evict gets at all of it. */
static void finish(struct genlru *lru)
{
    unsigned i, nr = 0, nr_found = 0, nr_now;

    verify(lru);
    for (i = 0; i < MAX_NODES; i++) {
        if (genlru_node_is_pinned(&node[i]))
            CHECK(genlru_unpin(lru, &node[i]) == 0, "unpin of node %u", i);
        CHECK(!genlru_node_is_listed(&node[i]) == !is_listed[i], "node %u was lost", i);
        nr += is_listed[i];
    }
    verify(lru);
    while ((nr_now = evict(lru, NULL, 64, 0)) > 0)
        nr_found += nr_now;
    CHECK(nr == nr_found, "%u of %u nodes could be evicted", nr_found, nr);
    verify(lru);
    CHECK(genlru_destroy(lru) == 0, "destroy");
}

/* ---- scenarios ---------------------------------------------------------------------------------------- */

/* Adds to all places of all types, more than a scan ever sees at once. */
static void fill(void *ctx)
{
    static const unsigned flags[] = {0, GENLRU_ADD_HOT, GENLRU_ADD_COLD, GENLRU_ADD_PREFETCHED, GENLRU_ADD_MAPPED};
    struct genlru_config config = config_of(*(unsigned *)ctx, 4, GENLRU_NO_LIMIT);
    struct genlru *lru;
    unsigned i;

    prepare(config.nr_types);
    if (!(lru = create(&config)))
        return;
    for (i = 0; i < MAX_NODES; i++)
        (void)add(lru, i, flags[i / 7 % 5], 0);
    finish(lru);
}

/* A cache at its capacity: hits, evictions, putbacks, refaults. */
static void steady(void *ctx)
{
    static genlru_shadow shadow[MAX_NODES];
    struct genlru_config config = config_of(2, 3, KEPT);
    struct genlru_budget budget = {0, 0, 0, 0, 0, 0};
    struct genlru *lru;
    unsigned i;

    config.policy = ctx;
    prepare(2);
    memset(shadow, 0, sizeof(shadow));
    if (!(lru = create(&config)))
        return;
    for (i = 0; i < 2 * MAX_NODES; i++) {
        unsigned at = i * 7 % MAX_NODES;

        if (!is_listed[at])
            (void)add(lru, at, 0, shadow[at]);
        else
            genlru_access(lru, &node[at]);
        if (i % 5 == 0)
            genlru_access(lru, &node[i / 2 * 7 % MAX_NODES]);
        budget.charge = genlru_excess(lru);
        if (budget.charge > 8)
            (void)evict(lru, &budget, 16, 5);
        if (i % 1000 == 999)
            verify(lru);
    }
    finish(lru);
}

/* Full windows that must move up, promotions, and generations begun by hand. */
static void window(void *ctx)
{
    struct genlru_config config = config_of(3, *(unsigned *)ctx, GENLRU_NO_LIMIT);
    struct genlru *lru;
    unsigned i, round;
    int result;

    prepare(3);
    if (!(lru = create(&config)))
        return;
    for (round = 0; round < 10; round++) {
        for (i = round * 300; i < (round + 1) * 300; i++)
            (void)add(lru, i, i % 4 ? 0 : GENLRU_ADD_HOT, 0);
        for (i = 0; i < (round + 1) * 300; i += 1 + round)
            (void)genlru_advise(lru, &node[i], i % 2 ? GENLRU_ADVICE_WILLNEED : GENLRU_ADVICE_COLD);
        do
            result = genlru_age(lru, 200);
        while (result == -EAGAIN);
        CHECK(result == 0, "age: %d", result);
        verify(lru);
        (void)evict(lru, NULL, 20, 0);
    }
    (void)genlru_trim(lru);
    finish(lru);
}

/* Parked nodes come back into generations where there may be no block for them; some are deleted instead. */
static void pins(void *ctx)
{
    struct genlru_config config = config_of(2, 4, GENLRU_NO_LIMIT);
    struct genlru *lru;
    unsigned i;

    (void)ctx;
    prepare(2);
    if (!(lru = create(&config)))
        return;
    for (i = 0; i < 1500; i++)
        (void)add(lru, i, i % 3 ? GENLRU_ADD_PINNED : 0, 0);
    (void)evict(lru, NULL, 64, 0);
    (void)genlru_age(lru, 0);
    (void)evict(lru, NULL, 64, 2);
    for (i = 0; i < 1500; i++) {
        if (!genlru_node_is_pinned(&node[i]))
            continue;
        if (i % 4 == 0) {
            CHECK(genlru_del(lru, &node[i]) == 0, "del of a pinned node");
            CHECK(genlru_unpin(lru, &node[i]) == GENLRU_YOURS, "unpin of a deleted node");
            CHECK(genlru_node_fini(&node[i]) == 0, "fini");
            is_listed[i] = false;
        } else {
            CHECK(genlru_unpin(lru, &node[i]) == 0, "unpin may not fail");
        }
        if (i % 100 == 0)
            verify(lru);
    }
    finish(lru);
}

/* Sparse blocks are merged, and what looks at the nodes needs no memory. */
static void sparse(void *ctx)
{
    struct genlru_config config = config_of(1, 4, GENLRU_NO_LIMIT);
    struct genlru_workingset set = {.size = sizeof(set)};
    struct genlru_stat stat = {.size = sizeof(stat)};
    struct genlru *lru;
    unsigned i;

    (void)ctx;
    prepare(1);
    if (!(lru = create(&config)))
        return;
    for (i = 0; i < MAX_NODES; i++)
        (void)add(lru, i, 0, 0);
    for (i = 0; i < MAX_NODES; i++)
        if (i % 8 && is_listed[i]) {
            CHECK(genlru_del(lru, &node[i]) == GENLRU_YOURS, "del");
            is_listed[i] = false;
        }
    CHECK(genlru_workingset(lru, &set) == 0 && genlru_stat(lru, &stat) == 0, "looking needs no memory");
    (void)genlru_trim(lru);
    finish(lru);
}

/* Pool, table and several lrus: each creation that fails leaves the others alone. */
static void shared(void *ctx)
{
    struct genlru_config config = config_of(1, 4, KEPT);
    struct genlru_nonresident *table = NULL;
    struct genlru *lru[3] = {NULL, NULL, NULL};
    struct genlru_pool *pool = NULL;
    unsigned i, k;
    int result;

    (void)ctx;
    prepare(1);
    result = genlru_pool_create(&allocator, &pool);
    CHECK(result == 0 || (result == -ENOMEM && !pool), "pool: %d", result);
    result = genlru_nonresident_create(512, 3, &allocator, &table);
    CHECK(result == 0 || (result == -ENOMEM && !table), "table: %d", result);
    config.pool = pool;
    for (k = 0; k < 3; k++) {
        config.nonresident = k == 0 ? table : NULL;
        lru[k] = create(&config);
        for (i = k * 500; lru[k] && i < (k + 1) * 500; i++)
            (void)add(lru[k], i, 0, 0);
    }
    for (k = 0; k < 3; k++) {
        if (!lru[k])
            continue;
        (void)evict(lru[k], NULL, 64, 4);
        for (i = k * 500; i < k * 500 + 50; i++)
            if (!is_listed[i])
                (void)add(lru[k], i, 0, 0);
        verify(lru[k]);
        for (i = k * 500; i < (k + 1) * 500; i++)
            if (is_listed[i]) {
                CHECK(genlru_del(lru[k], &node[i]) == GENLRU_YOURS, "del");
                is_listed[i] = false;
            }
        CHECK(genlru_destroy(lru[k]) == 0, "destroy");
    }
    genlru_nonresident_destroy(table);
    if (pool)
        CHECK(genlru_pool_destroy(pool) == 0, "pool destroy");
}

static struct genlru_policy everything(void)
{
    struct genlru_policy policy = GENLRU_POLICY_DEFAULT;

    policy.hit.freq_max = 15;
    policy.refault.keep_freq = 1;
    policy.refault.distance_percent = 100;
    policy.probation = (struct genlru_probation_rules){10, 50, 1, -2, 1, 1, 0, 0};
    policy.age_percent = 10;
    policy.epoch_percent = 20;
    return policy;
}

int main(void)
{
    struct genlru_policy own = everything(), preset = GENLRU_POLICY_DEFAULT, old = GENLRU_POLICY_MGLRU;
    unsigned one = 1, four = 4, three = 3, many = 64;

    walk_all("fill, 1 type", fill, &one);
    walk_all("fill, 4 types", fill, &four);
    walk_all("steady, default", steady, &preset);
    walk_all("steady, mglru", steady, &old);
    walk_all("steady, probation", steady, &own);
    walk_all("window of 3", window, &three);
    walk_all("window of 64", window, &many);
    walk_all("pins", pins, NULL);
    walk_all("sparse", sparse, NULL);
    walk_all("shared pool", shared, NULL);
    return 0;
}
