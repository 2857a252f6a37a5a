/* SPDX-License-Identifier: MIT */
/*
 * One thread, random calls, beside an obvious model: an array of what each key may hold. The model does not say which
 * entry is evicted; it says that
 *   - a key that is found has the value inserted last, and was not erased, expired or cleared since
 *   - a key whose entry was evicted was so by release's word, or is found
 *   - the charge is what is found, and above the capacity by what a held entry weighs at most, which inserts beside
 *     it could not make room for
 *   - each value is released once, with the cause that the call had
 * and genlru_cache_verify finds nothing, every so many steps. All four kinds of keys and values; growth from nothing.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache_test.h"

enum { NR_KEYS = 600, MAX_VALUE = 700 };

struct model_entry {
    bool is_in; /* not removed by any call of ours */
    uint32_t version;
    uint64_t charge;
    uint64_t expires_ns; /* 0 = never */
};

struct model {
    struct genlru_cache *cache;
    struct genlru_cache_config config;
    struct model_entry entry[NR_KEYS];
    struct stress_random random;
    uint64_t now_ns;
    uint64_t made, released[6];
    uint64_t expected[6]; /* erased and cleared */
    uint64_t nr_replaced;
    struct genlru_cache_entry *held;
    unsigned held_key;
    uint32_t held_version;
    uint64_t over; /* charge above the capacity after the last insert; only one beside a held entry makes it more */
};

/* ---- keys and values: made of a number and a version, so that they can be checked ---- */

static size_t key_of(const struct model *m, unsigned nr, unsigned char *key)
{
    uint64_t number = nr;
    size_t bytes = nr % 37 == 5 ? 600 + nr : 1 + nr % 60;

    if (m->config.key_kind == GENLRU_CACHE_KEY_U64) {
        memcpy(key, &number, 8);
        return 8;
    }
    memset(key, (int)(nr & 0xff), bytes);
    key[0] = (unsigned char)(nr >> 8);
    return bytes;
}

static unsigned nr_of(const struct model *m, const unsigned char *key, size_t bytes)
{
    uint64_t number;

    if (m->config.key_kind == GENLRU_CACHE_KEY_U64) {
        STRESS_CHECK(bytes == 8, "%zu bytes", bytes);
        memcpy(&number, key, 8);
        return (unsigned)number;
    }
    return key[0] << 8 | (bytes > 1 ? key[1] : 0);
}

static bool is_distinct(const struct model *m, unsigned nr)
{
    return m->config.key_kind == GENLRU_CACHE_KEY_U64 || nr % 60 != 0 || nr % 37 == 5;
}

static size_t value_of(const struct model *m, unsigned nr, uint32_t version, unsigned char *value)
{
    size_t bytes = m->config.value_kind == GENLRU_CACHE_VALUE_POINTER ? 8 : 8 + (nr * 7 + version * 13) % MAX_VALUE;

    memset(value, (int)(version & 0xff), bytes);
    memcpy(value, &nr, 4);
    memcpy(value + 4, &version, 4);
    return bytes;
}

static void check_value(const struct model *m, const struct genlru_cache_entry *e, unsigned nr, uint32_t version)
{
    unsigned char expected[MAX_VALUE + 8], *value = genlru_cache_value(m->cache, e);
    size_t bytes = value_of(m, nr, version, expected);
    struct genlru_cache_info info;
    unsigned char key[2000];

    genlru_cache_info(m->cache, e, &info);
    STRESS_CHECK(info.key_bytes == key_of(m, nr, key) && memcmp(info.key, key, info.key_bytes) == 0, "another key");
    STRESS_CHECK(info.value == value, "two values");
    STRESS_CHECK(m->config.value_kind == GENLRU_CACHE_VALUE_POINTER || info.value_bytes == bytes, "%zu bytes, not %zu",
                 info.value_bytes, bytes);
    STRESS_CHECK(memcmp(value, expected, bytes) == 0, "key %u has not version %u", nr, version);
}

static void on_release(void *ctx, const struct genlru_cache_info *info, enum genlru_cache_cause cause)
{
    struct model *m = ctx;
    unsigned nr = nr_of(m, info->key, info->key_bytes);
    uint32_t version;

    STRESS_CHECK(nr < NR_KEYS, "key %u", nr);
    memcpy(&version, (unsigned char *)info->value + 4, 4);
    m->released[cause]++;
    if (cause == GENLRU_CACHE_EVICTED && m->entry[nr].version == version)
        m->entry[nr].is_in = false;
    if (m->config.value_kind == GENLRU_CACHE_VALUE_POINTER)
        free(info->value);
}

/* ---- steps ---- */

static bool may_be_in(const struct model *m, unsigned nr)
{
    return m->entry[nr].is_in &&
           (!m->entry[nr].expires_ns ||
            m->now_ns < m->entry[nr].expires_ns + 2 * GENLRU_CACHE_TICK_NS); /* 2: tick 0 is none */
}

static uint64_t held_charge(const struct model *m)
{
    struct genlru_cache_info info = {.charge = 0};

    if (m->held)
        genlru_cache_info(m->cache, m->held, &info);
    return info.charge;
}

/* After an insert. `before` is what the charge was over before it. */
static void check_over(struct model *m, uint64_t before)
{
    uint64_t held = held_charge(m);

    m->over = cache_test_stat(m->cache).over;
    STRESS_CHECK(m->over <= (before > held ? before : held), "%llu over after an insert, %llu before, %llu held",
                 (unsigned long long)m->over, (unsigned long long)before, (unsigned long long)held);
}

static void insert(struct model *m, unsigned nr)
{
    unsigned char key[2000], bytes[MAX_VALUE + 8], *value = bytes;
    struct genlru_cache_insert how = {.mode = (enum genlru_cache_mode)stress_below(&m->random, 3)};
    bool is_pointer = m->config.value_kind == GENLRU_CACHE_VALUE_POINTER;
    uint32_t version = m->entry[nr].version + 1;
    size_t key_bytes = key_of(m, nr, key);
    uint64_t over = cache_test_stat(m->cache).over;
    struct genlru_cache_entry *e = NULL;
    int result;

    if (is_pointer)
        value = malloc(8);
    how.value_bytes = value_of(m, nr, version, value);
    how.value = value;
    how.charge = 1 + stress_below(&m->random, stress_once_in(&m->random, 4) ? 12 : 3);
    if (stress_once_in(&m->random, 8))
        how.ttl_ns = GENLRU_CACHE_TICK_NS * (1 + stress_below(&m->random, 20));
    result = genlru_cache_insert(m->cache, key, key_bytes, &how, stress_once_in(&m->random, 2) ? &e : NULL);
    switch (result) {
    case 0:
    case GENLRU_CACHE_REPLACED_OLD:
        STRESS_CHECK(how.mode != GENLRU_CACHE_IF_PRESENT || result, "inserted what was to be replaced");
        STRESS_CHECK(!result || m->entry[nr].is_in, "replaced what was not there");
        m->made++;
        if (result)
            m->nr_replaced++; /* or expired, where it was about to */
        m->entry[nr] = (struct model_entry){true, version, how.charge, how.ttl_ns ? m->now_ns + how.ttl_ns : 0};
        if (e)
            check_value(m, e, nr, version);
        break;
    case -EEXIST:
        STRESS_CHECK(how.mode == GENLRU_CACHE_IF_ABSENT && may_be_in(m, nr), "-EEXIST");
        if (e)
            check_value(m, e, nr, m->entry[nr].version);
        break;
    case -ENOENT:
        STRESS_CHECK(how.mode == GENLRU_CACHE_IF_PRESENT, "-ENOENT");
        break;
    default:
        STRESS_CHECK((result == -EFBIG && how.charge > m->config.capacity) ||
                         (m->config.limit == GENLRU_CACHE_HARD && (result == -ENOBUFS || result == -EAGAIN)),
                     "insert: %d", result);
    }
    if (result < 0 && is_pointer)
        free(value);
    if (e)
        genlru_cache_release(m->cache, e);
    check_over(m, over);
}

static void look(struct model *m, unsigned nr)
{
    unsigned char key[2000], copy[MAX_VALUE + 8];
    size_t key_bytes = key_of(m, nr, key), bytes;
    struct genlru_cache_entry *e;
    bool is_in;
    int result;

    switch (stress_below(&m->random, 5)) {
    case 0:
        is_in = genlru_cache_contains(m->cache, key, key_bytes);
        break;
    case 1:
        is_in = genlru_cache_touch(m->cache, key, key_bytes) == 0;
        break;
    case 2:
        result = genlru_cache_get_copy(m->cache, key, key_bytes, copy, sizeof(copy), &bytes);
        STRESS_CHECK(result == 0 || result == -ENOENT, "get_copy: %d", result);
        is_in = result == 0;
        break;
    case 3:
        genlru_cache_read_lock();
        e = genlru_cache_get_rcu(m->cache, key, key_bytes);
        if (e)
            check_value(m, e, nr, m->entry[nr].version);
        is_in = e != NULL;
        genlru_cache_read_unlock();
        break;
    default:
        e = stress_once_in(&m->random, 2) ? genlru_cache_get(m->cache, key, key_bytes)
                                          : genlru_cache_peek(m->cache, key, key_bytes);
        is_in = e != NULL;
        if (!e)
            break;
        check_value(m, e, nr, m->entry[nr].version);
        if (!m->held && stress_once_in(&m->random, 4)) {
            m->held = e;
            m->held_key = nr;
            m->held_version = m->entry[nr].version;
        } else {
            genlru_cache_release(m->cache, e);
        }
    }
    STRESS_CHECK(!is_in || may_be_in(m, nr), "key %u is found after it was removed", nr);
    STRESS_CHECK(is_in || !m->held || m->held_key != nr || m->held_version != m->entry[nr].version ||
                     !m->entry[nr].is_in || m->entry[nr].expires_ns,
                 "a held entry was evicted");
}

static void erase(struct model *m, unsigned nr)
{
    unsigned char key[2000];
    size_t key_bytes = key_of(m, nr, key);
    int result = genlru_cache_erase(m->cache, key, key_bytes);

    STRESS_CHECK(result == 0 || result == -ENOENT, "erase: %d", result);
    STRESS_CHECK(result || may_be_in(m, nr), "erased key %u twice", nr);
    if (result == 0)
        m->expected[GENLRU_CACHE_ERASED]++;
    m->entry[nr].is_in = false;
}

static void let_go(struct model *m)
{
    if (!m->held)
        return;
    check_value(m, m->held, m->held_key, m->held_version); /* whatever happened to it */
    genlru_cache_release(m->cache, m->held);
    m->held = NULL;
}

static void check_all(struct model *m)
{
    struct genlru_cache_stat stat = cache_test_stat(m->cache);
    uint64_t removed = 0;

    cache_test_verify(m->cache);
    STRESS_CHECK(stat.inserted == m->made, "%llu inserted", (unsigned long long)stat.inserted);
    for (unsigned i = 0; i < 5; i++)
        removed += stat.removed[i];
    STRESS_CHECK(stat.entries + removed == m->made, "entries and removed");
    STRESS_CHECK(stat.over <= m->over, "charge %llu of %llu, by %llu over at the last insert",
                 (unsigned long long)stat.charge, (unsigned long long)stat.capacity, (unsigned long long)m->over);
}

static bool is_held(const struct model *m, unsigned nr)
{
    return m->held && nr == m->held_key && m->held_version == m->entry[nr].version;
}

/* The held one must be found afterwards, the others must not. */
static void prune(struct model *m)
{
    unsigned char key[2000];
    bool was_in = false;

    if (m->held)
        was_in = is_held(m, m->held_key) && m->entry[m->held_key].is_in && !m->entry[m->held_key].expires_ns;
    m->expected[GENLRU_CACHE_CLEARED] += genlru_cache_prune(m->cache);
    STRESS_CHECK(!was_in || genlru_cache_contains(m->cache, key, key_of(m, m->held_key, key)), "a held one was pruned");
    for (unsigned i = 0; i < NR_KEYS; i++)
        if (!is_held(m, i))
            m->entry[i].is_in = false;
}

static void step(struct model *m)
{
    unsigned nr = stress_below(&m->random, NR_KEYS);

    if (!is_distinct(m, nr))
        return;
    nr = stress_once_in(&m->random, 2) ? nr : nr % 40;
    if (!is_distinct(m, nr))
        return;
    switch (stress_below(&m->random, 16)) {
    case 0:
        erase(m, nr);
        break;
    case 1:
        m->now_ns += stress_below(&m->random, (unsigned)GENLRU_CACHE_TICK_NS);
        break;
    case 2:
        let_go(m);
        break;
    case 3:
        if (stress_once_in(&m->random, 200)) {
            m->expected[GENLRU_CACHE_CLEARED] += genlru_cache_clear(m->cache);
            for (unsigned i = 0; i < NR_KEYS; i++)
                m->entry[i].is_in = false;
        }
        if (stress_once_in(&m->random, 100))
            prune(m);
        break;
    case 4:
        STRESS_CHECK(genlru_cache_maintain(m->cache, 0) <= 64 * 4, "maintain did more than it was asked for");
        break;
    case 5:
    case 6:
    case 7:
    case 8:
        insert(m, nr);
        break;
    default:
        look(m, nr);
    }
}

static void run(uint64_t seed, unsigned kind, uint64_t capacity, enum genlru_cache_limit limit, unsigned nr_steps)
{
    struct model *m = calloc(1, sizeof(*m));

    STRESS_CHECK(m, "no memory");
    stress_context("kind %u, capacity %llu, limit %d", kind, (unsigned long long)capacity, (int)limit);
    m->config = (struct genlru_cache_config)GENLRU_CACHE_CONFIG_INIT;
    m->config.capacity = capacity;
    m->config.limit = limit;
    m->config.key_kind = kind & 1 ? GENLRU_CACHE_KEY_U64 : GENLRU_CACHE_KEY_BYTES;
    m->config.value_kind = kind & 2 ? GENLRU_CACHE_VALUE_INLINE : GENLRU_CACHE_VALUE_POINTER;
    m->config.seed = seed | 1;
    m->config.release = on_release;
    m->config.now_ns = cache_test_now;
    m->config.clock_ctx = &m->now_ns;
    m->config.ctx = m;
    m->random = stress_random(seed, kind * 100 + capacity);
    m->now_ns = (UINT64_C(1) << 56) - 50 * GENLRU_CACHE_TICK_NS; /* ticks wrap soon */
    m->cache = cache_test_create(&m->config);
    for (unsigned i = 0; i < nr_steps; i++) {
        step(m);
        if (i % 1000 == 999)
            check_all(m);
    }
    let_go(m);
    STRESS_CHECK(genlru_cache_drain(m->cache) == 0, "drain");
    check_all(m);
    STRESS_CHECK(m->released[GENLRU_CACHE_ERASED] == m->expected[GENLRU_CACHE_ERASED], "erased");
    STRESS_CHECK(m->released[GENLRU_CACHE_CLEARED] == m->expected[GENLRU_CACHE_CLEARED], "cleared");
    STRESS_CHECK(m->released[GENLRU_CACHE_REPLACED] <= m->nr_replaced &&
                     m->released[GENLRU_CACHE_REPLACED] + m->released[GENLRU_CACHE_EXPIRED] >= m->nr_replaced,
                 "%llu released as replaced, of %llu", (unsigned long long)m->released[GENLRU_CACHE_REPLACED],
                 (unsigned long long)m->nr_replaced);
    STRESS_CHECK(m->released[GENLRU_CACHE_UNCACHED] == 0, "uncached");
    STRESS_CHECK(genlru_cache_destroy(m->cache) == 0, "destroy");
    for (unsigned i = 0; i < 6; i++)
        m->made -= m->released[i];
    STRESS_CHECK(m->made == 0, "%lld values were not released", (long long)m->made);
    free(m);
}

int main(int argc, char **argv)
{
    struct stress_options options = stress_begin(argc, argv);
    static const uint64_t capacities[] = {1, 2, 7, 100, 500, GENLRU_NO_LIMIT};

    genlru_cache_register_thread();
    for (unsigned kind = 0; kind < 4; kind++)
        for (unsigned i = 0; i < sizeof(capacities) / sizeof(*capacities); i++)
            run(options.seed, kind, capacities[i], i % 2 ? GENLRU_CACHE_HARD : GENLRU_CACHE_SOFT,
                stress_scaled(&options, 30000));
    genlru_cache_unregister_thread();
    return 0;
}
