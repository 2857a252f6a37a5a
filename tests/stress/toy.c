/* SPDX-License-Identifier: MIT */
/* A toy cache that keeps the contract: see toy.h. */
#include "toy.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { PAYLOAD = 0x5eed, FREED = 0xdead, MAX_CHARGE = 50, MAX_VICTIMS = 64 };
enum { LOCKED = 1 };

static void count(uint64_t *counter)
{
    __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

static void read_payload(const struct toy_entry *e)
{
    STRESS_CHECK(e->payload == PAYLOAD, "an entry that was freed, or is not ours");
}

static struct toy_entry *entry_of(const struct genlru_node *node)
{
    return GENLRU_ENTRY((struct genlru_node *)node, struct toy_entry, node);
}

/* ---- entries and index -------------------------------------------------------------------------------- */

static struct toy_entry *entry_create(struct toy *toy, unsigned key, uint64_t charge)
{
    struct toy_entry *e = malloc(sizeof(*e));

    STRESS_CHECK(e, "no memory");
    *e = (struct toy_entry){.key = key, .type = key % toy->nr_types, .payload = PAYLOAD};
    STRESS_CHECK(genlru_node_init(&e->node, charge, e->type) == 0, "init");
    count(&toy->nr_entries);
    return e;
}

/* By whoever the library said: what was isolated stays in the eviction clock. */
static void entry_free(struct toy *toy, struct toy_entry *e)
{
    read_payload(e);
    STRESS_CHECK(genlru_node_fini(&e->node) == 0, "free of a node that is listed or pinned");
    if (genlru_node_is_isolated(&e->node))
        __atomic_fetch_add(&toy->clock, genlru_node_charge(&e->node), __ATOMIC_RELAXED);
    e->payload = FREED;
    free(e);
    __atomic_fetch_sub(&toy->nr_entries, 1, __ATOMIC_RELAXED);
}

/* Locks the key's entry; NULL if it is absent. */
static struct toy_entry *index_lock(struct toy *toy, unsigned key)
{
    uintptr_t value = __atomic_load_n(&toy->index[key], __ATOMIC_RELAXED);

    for (;;) {
        if (!value)
            return NULL;
        if (!(value & LOCKED) && __atomic_compare_exchange_n(&toy->index[key], &value, value | LOCKED, true,
                                                             __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            return (struct toy_entry *)value;
        if (value & LOCKED) {
            sched_yield();
            value = __atomic_load_n(&toy->index[key], __ATOMIC_RELAXED);
        }
    }
}

static void index_unlock(struct toy *toy, struct toy_entry *e)
{
    __atomic_store_n(&toy->index[e->key], (uintptr_t)e, __ATOMIC_RELEASE);
}

static bool index_insert(struct toy *toy, struct toy_entry *e)
{
    uintptr_t absent = 0;

    return __atomic_compare_exchange_n(&toy->index[e->key], &absent, (uintptr_t)e, false, __ATOMIC_RELEASE,
                                       __ATOMIC_RELAXED);
}

/* Removes `e`, or with NULL whatever stands there; returns what it removed. */
static struct toy_entry *index_remove(struct toy *toy, unsigned key, const struct toy_entry *e)
{
    uintptr_t value = __atomic_load_n(&toy->index[key], __ATOMIC_RELAXED);

    for (;;) {
        uintptr_t entry = value & ~(uintptr_t)LOCKED;

        if (!entry || (e && entry != (uintptr_t)e))
            return NULL;
        if (!(value & LOCKED) &&
            __atomic_compare_exchange_n(&toy->index[key], &value, 0, true, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            return (struct toy_entry *)entry;
        if (value & LOCKED) {
            sched_yield();
            value = __atomic_load_n(&toy->index[key], __ATOMIC_RELAXED);
        }
    }
}

/* ---- the contract ------------------------------------------------------------------------------------- */

static void unpin_and_look(struct toy *toy, struct toy_entry *e)
{
    int result;

    read_payload(e);
    result = genlru_unpin(toy->lru, &e->node);
    STRESS_CHECK(result >= 0, "unpin: %d", result);
    if (result == GENLRU_YOURS)
        entry_free(toy, e);
}

static void delete_removed(struct toy *toy, struct toy_entry *e)
{
    int result;

    read_payload(e);
    result = genlru_del(toy->lru, &e->node);
    STRESS_CHECK(result >= 0, "del: %d", result);
    if (result == GENLRU_YOURS)
        entry_free(toy, e);
    else
        count(&toy->nr_met);
}

static int insert(struct toy_thread *thread, unsigned key)
{
    static const unsigned flags[] = {
        0, 0, 0, GENLRU_ADD_COLD, GENLRU_ADD_HOT, GENLRU_ADD_PREFETCHED, GENLRU_ADD_MAPPED};
    struct toy *toy = thread->toy;
    struct toy_entry *e = entry_create(toy, key, stress_below(&thread->random, MAX_CHARGE));
    struct genlru_add how = {0, key * UINT64_C(0x9e3779b97f4a7c15), 1, GENLRU_ADD_PINNED};
    int result;

    how.flags |= flags[stress_below(&thread->random, sizeof(flags) / sizeof(flags[0]))];
    if (toy->shadow)
        how.shadow = __atomic_load_n(&toy->shadow[key], __ATOMIC_RELAXED);
    result = genlru_add(toy->lru, &e->node, &how);
    if (result != 0) {
        STRESS_CHECK(result == -ENOMEM, "add: %d", result);
        count(&toy->nr_refused);
        entry_free(toy, e);
        return result;
    }
    count(&toy->nr_added);
    if (!index_insert(toy, e)) /* someone was faster: delete our own, which we still hold */
        STRESS_CHECK(genlru_del(toy->lru, &e->node) == 0, "del of a node that we hold");
    unpin_and_look(toy, e);
    return 0;
}

int toy_get(struct toy_thread *thread, unsigned key)
{
    struct toy *toy = thread->toy;
    struct toy_entry *e = index_lock(toy, key);

    if (!e)
        return insert(thread, key);
    read_payload(e);
    genlru_access(toy->lru, &e->node);
    index_unlock(toy, e);
    return 0;
}

static void hold(struct toy_thread *thread, struct toy_entry *e)
{
    unsigned i = stress_below(&thread->random, TOY_MAX_HELD);

    if (thread->held[i] || genlru_pin(thread->toy->lru, &e->node) != 0)
        return;
    thread->held[i] = e;
}

void toy_let_go(struct toy_thread *thread)
{
    unsigned i;

    for (i = 0; i < TOY_MAX_HELD; i++) {
        struct toy_entry *e = thread->held[i];

        thread->held[i] = NULL;
        if (e)
            unpin_and_look(thread->toy, e);
    }
}

void toy_do(struct toy_thread *thread, unsigned key, enum toy_deed deed)
{
    struct toy *toy = thread->toy;
    struct toy_entry *e = index_lock(toy, key);
    struct genlru_harvest harvest;

    if (!e)
        return;
    read_payload(e);
    switch (deed) {
    case TOY_RECHARGE:
        STRESS_CHECK(genlru_recharge(toy->lru, &e->node, stress_below(&thread->random, MAX_CHARGE)) == 0, "recharge");
        break;
    case TOY_ADVISE:
        STRESS_CHECK(genlru_advise(toy->lru, &e->node, (enum genlru_advice)stress_below(&thread->random, 7)) == 0,
                     "advise");
        break;
    case TOY_HARVEST:
        harvest = (struct genlru_harvest){&e->node, stress_once_in(&thread->random, 4)};
        genlru_access_batch(toy->lru, &harvest, 1);
        break;
    case TOY_ACCESS:
        genlru_access(toy->lru, &e->node);
        break;
    default:
        hold(thread, e);
        break;
    }
    index_unlock(toy, e);
}

void toy_touch(struct toy_thread *thread, unsigned key)
{
    static const enum toy_deed deeds[] = {TOY_RECHARGE, TOY_ADVISE, TOY_HARVEST, TOY_HOLD, TOY_HOLD};

    toy_do(thread, key, deeds[stress_below(&thread->random, 5)]);
    if (stress_once_in(&thread->random, 4))
        toy_let_go(thread);
}

void toy_delete(struct toy_thread *thread, unsigned key)
{
    struct toy_entry *e = index_remove(thread->toy, key, NULL);

    if (!e)
        return;
    count(&thread->toy->nr_deleted);
    delete_removed(thread->toy, e);
}

/* Returns false if there was no memory to put it back. */
static bool put_back(struct toy *toy, const struct genlru_victim *victim)
{
    struct toy_entry *e = entry_of(victim->node);
    int result;

    read_payload(e);
    result = genlru_putback(toy->lru, victim);
    STRESS_CHECK(result >= 0 || result == -ENOMEM, "putback: %d", result);
    if (result == -ENOMEM) {
        count(&toy->nr_putback_refused);
        return false;
    }
    count(&toy->nr_putback);
    if (result == GENLRU_YOURS)
        entry_free(toy, e);
    return true;
}

static void dispose(struct toy_thread *thread, const struct genlru_victim *victim)
{
    struct toy *toy = thread->toy;
    struct toy_entry *e = entry_of(victim->node);
    unsigned key = e->key;
    int result;

    read_payload(e);
    if (thread->putback_one_in && stress_once_in(&thread->random, thread->putback_one_in) && put_back(toy, victim))
        return;
    count(&toy->nr_evicted);
    if (toy->shadow)
        __atomic_store_n(&toy->shadow[key], victim->shadow, __ATOMIC_RELAXED);
    if (index_remove(toy, key, e)) {
        entry_free(toy, e);
        return;
    }
    result = genlru_release(toy->lru, &e->node);
    STRESS_CHECK(result >= 0, "release: %d", result);
    if (result == GENLRU_YOURS)
        entry_free(toy, e);
    else
        count(&toy->nr_met);
}

int toy_evict(struct toy_thread *thread, const struct genlru_budget *budget, unsigned max,
              struct genlru_evict_result *ret_result)
{
    struct genlru_victim victims[MAX_VICTIMS];
    int nr = genlru_evict(thread->toy->lru, budget, victims, max, ret_result), i;

    STRESS_CHECK(nr >= 0 && nr <= (int)max, "evict: %d", nr);
    for (i = 0; i < nr; i++)
        dispose(thread, &victims[i]);
    return nr;
}

void toy_move(struct toy_thread *thread)
{
    struct genlru *lru = thread->toy->lru;
    struct genlru_workingset workingset = {.size = sizeof(workingset)};
    struct genlru_stat stat = {.size = sizeof(stat)};
    char text[256];
    int result;

    switch (stress_below(&thread->random, 8)) {
    case 0:
        (void)genlru_trim(lru);
        break;
    case 1:
        result = genlru_workingset(lru, &workingset);
        STRESS_CHECK(result == 0 || result == -EBUSY, "workingset: %d", result);
        break;
    case 2:
        STRESS_CHECK(genlru_stat(lru, &stat) == 0 && genlru_dump(lru, text, sizeof(text)) > 0, "stat");
        break;
    default:
        result = genlru_age(lru, stress_once_in(&thread->random, 2) ? 0 : 1 + stress_below(&thread->random, 64));
        STRESS_CHECK(result == 0 || result == -EAGAIN, "age: %d", result);
        break;
    }
}

/* Low keys are hot. */
static unsigned random_key(struct toy_thread *thread)
{
    unsigned n = thread->toy->nr_keys;

    return stress_once_in(&thread->random, 2) ? stress_below(&thread->random, (n + 7) / 8)
                                              : stress_below(&thread->random, n);
}

void toy_step(struct toy_thread *thread)
{
    struct genlru_budget budget = {0, 0, 0, 0, 0, 0};
    unsigned dice = stress_below(&thread->random, 64);
    uint64_t excess;

    if (dice < 10) {
        toy_delete(thread, random_key(thread));
    } else if (dice < 18) {
        toy_touch(thread, random_key(thread));
    } else {
        (void)toy_get(thread, random_key(thread));
        if (dice % 4 != 0) /* the sum over counters is dear where there are many, under TSan */
            return;
        excess = genlru_excess(thread->toy->lru);
        if (!excess)
            return;
        budget.charge = excess;
        budget.types =
            stress_once_in(&thread->random, 4) ? 1u << stress_below(&thread->random, thread->toy->nr_types) : 0;
        (void)toy_evict(thread, &budget, 1 + stress_below(&thread->random, MAX_VICTIMS), NULL);
    }
}

/* ---- making, checking, ending ------------------------------------------------------------------------- */

static void on_error(void *ctx, enum genlru_error error, const char *what, const struct genlru_node *node)
{
    (void)ctx;
    (void)node;
    stress_fail(__FILE__, __LINE__, "error hook: %s: %s", error == GENLRU_ERROR_MISUSE ? "misuse" : "inconsistent",
                what);
}

static uint64_t hash_of(void *ctx, const struct genlru_node *node)
{
    const struct toy_entry *e = entry_of(node);

    (void)ctx;
    read_payload(e);
    return e->key * UINT64_C(0x9e3779b97f4a7c15);
}

int toy_create(struct toy *toy, const struct genlru_config *config, unsigned nr_keys)
{
    struct genlru_config full = *config;
    int result;

    memset(toy, 0, sizeof(*toy));
    full.on_error = on_error;
    full.hash_of = hash_of;
    result = genlru_create(&full, &toy->lru);
    if (result != 0) {
        STRESS_CHECK(result == -ENOMEM, "create: %d", result);
        return result;
    }
    toy->nr_keys = nr_keys;
    toy->nr_types = config->nr_types ? config->nr_types : 1;
    toy->index = calloc(nr_keys, sizeof(*toy->index));
    toy->shadow = config->nonresident ? NULL : calloc(nr_keys, sizeof(*toy->shadow));
    STRESS_CHECK(toy->index && (toy->shadow || config->nonresident), "no memory");
    return 0;
}

struct toy_thread toy_thread(struct toy *toy, uint64_t seed, unsigned thread)
{
    struct toy_thread t = {toy, stress_random(seed, thread), {NULL}, 8};

    return t;
}

void toy_check(struct toy *toy)
{
    struct genlru_stat stat = {.size = sizeof(stat)};
    uint64_t nodes = 0, charge = 0;
    unsigned key;

    stress_verify(toy->lru);
    for (key = 0; key < toy->nr_keys; key++) {
        struct toy_entry *e = (struct toy_entry *)toy->index[key];

        if (!e)
            continue;
        read_payload(e);
        STRESS_CHECK(e->key == key && genlru_node_is_listed(&e->node) && !genlru_node_is_pinned(&e->node),
                     "key %u is in the index, and not simply listed", key);
        nodes++;
        charge += genlru_node_charge(&e->node);
    }
    STRESS_CHECK(toy->nr_entries == nodes, "%llu entries in memory, %llu in the index: some were lost",
                 (unsigned long long)toy->nr_entries, (unsigned long long)nodes);
    STRESS_CHECK(genlru_stat(toy->lru, &stat) == 0, "stat");
    STRESS_CHECK(stat.nodes == nodes && stat.charge == charge && genlru_charge(toy->lru) == charge,
                 "%llu nodes of charge %llu in the index, %llu of %llu on the lru", (unsigned long long)nodes,
                 (unsigned long long)charge, (unsigned long long)stat.nodes, (unsigned long long)stat.charge);
    STRESS_CHECK(stat.pinned_nodes == 0, "%llu nodes are parked, none is pinned",
                 (unsigned long long)stat.pinned_nodes);
    STRESS_CHECK(stat.eviction_clock == toy->clock, "eviction clock %llu, %llu was isolated and not put back",
                 (unsigned long long)stat.eviction_clock, (unsigned long long)toy->clock);
    STRESS_CHECK(stat.evicted >= toy->nr_evicted, "%llu evicted", (unsigned long long)stat.evicted);
}

void toy_destroy(struct toy *toy)
{
    struct toy_thread thread = toy_thread(toy, 0, 0);
    unsigned key;

    for (key = 0; key < toy->nr_keys; key++)
        toy_delete(&thread, key);
    toy_check(toy);
    STRESS_CHECK(genlru_destroy(toy->lru) == 0, "destroy");
    free(toy->index);
    free(toy->shadow);
}
