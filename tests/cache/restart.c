/* SPDX-License-Identifier: MIT */
/*
 * Warm restart: what is saved comes back, values, charges, lifetimes, and in an order that lets the same entries survive; a file with
 * any byte changed, cut off anywhere, of another kind or version, or no file at all is refused with a reason and leaves the cache as
 * it was; saving to where that is impossible leaves the old file; a save beside threads that work can be restored.
 */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache_test.h"

static char directory[64], path[100];

static struct genlru_cache *create(enum genlru_cache_key_kind key_kind, uint64_t capacity, uint64_t *now_ns)
{
    struct genlru_cache_config config = GENLRU_CACHE_CONFIG_INIT;

    config.capacity = capacity;
    config.key_kind = key_kind;
    config.value_kind = GENLRU_CACHE_VALUE_INLINE;
    config.now_ns = now_ns ? cache_test_now : NULL;
    config.clock_ctx = now_ns;
    return cache_test_create(&config);
}

static size_t key_of(enum genlru_cache_key_kind kind, unsigned nr, unsigned char *key)
{
    uint64_t number = nr;

    memset(key, (int)nr, 700);
    memcpy(key, &number, 8);
    return kind == GENLRU_CACHE_KEY_U64 ? 8 : 8 + nr % 50 + (nr % 20 == 7 ? 600 : 0);
}

static void put(struct genlru_cache *cache, enum genlru_cache_key_kind kind, unsigned nr)
{
    unsigned char key[700], value[900];
    size_t key_bytes = key_of(kind, nr, key);
    struct genlru_cache_insert how = {.value = value, .value_bytes = nr % 900, .charge = 1 + nr % 3};

    memset(value, (int)(nr + 1), sizeof(value));
    how.ttl_ns = nr % 10 == 3 ? GENLRU_CACHE_TICK_NS * 100 : 0;
    STRESS_CHECK(genlru_cache_insert(cache, key, key_bytes, &how, NULL) >= 0, "insert %u", nr);
}

/* The value is all that it was. False: it is not there. */
static bool is_there(struct genlru_cache *cache, enum genlru_cache_key_kind kind, unsigned nr)
{
    unsigned char key[700], value[900];
    size_t key_bytes = key_of(kind, nr, key);
    struct genlru_cache_entry *e = genlru_cache_peek(cache, key, key_bytes);
    struct genlru_cache_info info;

    if (!e)
        return false;
    memset(value, (int)(nr + 1), sizeof(value));
    genlru_cache_info(cache, e, &info);
    STRESS_CHECK(info.value_bytes == nr % 900 && memcmp(info.value, value, info.value_bytes) == 0, "value %u", nr);
    STRESS_CHECK(info.charge == 1 + nr % 3, "charge %u", nr);
    STRESS_CHECK((info.ttl_ns != 0) == (nr % 10 == 3) && info.ttl_ns <= GENLRU_CACHE_TICK_NS * 103, "lifetime %u", nr);
    genlru_cache_release(cache, e);
    return true;
}

static void end(struct genlru_cache *cache)
{
    cache_test_verify(cache);
    STRESS_CHECK(genlru_cache_destroy(cache) == 0, "destroy");
}

static void round_trip(enum genlru_cache_key_kind kind)
{
    uint64_t now = 0;
    struct genlru_cache *cache = create(kind, GENLRU_NO_LIMIT, &now), *other;
    int64_t nr;

    for (unsigned i = 0; i < 1000; i++)
        put(cache, kind, i);
    nr = genlru_cache_save(cache, path, NULL);
    STRESS_CHECK(nr == 1000, "saved: %lld", (long long)nr);
    end(cache);
    other = create(kind, GENLRU_NO_LIMIT, &now);
    nr = genlru_cache_restore(other, path, NULL, NULL);
    STRESS_CHECK(nr == 1000, "restored: %lld", (long long)nr);
    for (unsigned i = 0; i < 1000; i++)
        STRESS_CHECK(is_there(other, kind, i), "%u is gone", i);
    now += GENLRU_CACHE_TICK_NS * 200;
    STRESS_CHECK(!is_there(other, kind, 13) && is_there(other, kind, 14), "lifetimes go on");
    end(other);
}

/* What was used most is what survives in a cache of a quarter. */
static void order(void)
{
    struct genlru_cache *cache = create(GENLRU_CACHE_KEY_U64, 2000, NULL), *other;
    unsigned nr_hot = 0, nr_cold = 0;
    uint64_t key;

    for (key = 0; key < 900; key++)
        put(cache, GENLRU_CACHE_KEY_U64, (unsigned)key);
    for (unsigned round = 0; round < 10; round++) {
        for (key = 0; key < 100; key++)
            (void)genlru_cache_touch(cache, &key, 8);
        for (key = 0; key < 60; key++)
            put(cache, GENLRU_CACHE_KEY_U64, (unsigned)(1000 + round * 60 + key));
    }
    STRESS_CHECK(genlru_cache_save(cache, path, NULL) > 0, "save");
    other = create(GENLRU_CACHE_KEY_U64, 500, NULL);
    STRESS_CHECK(genlru_cache_restore(other, path, NULL, NULL) > 0, "restore");
    for (key = 0; key < 100; key++) {
        uint64_t cold = 400 + key;

        nr_hot += (unsigned)genlru_cache_contains(other, &key, 8);
        nr_cold += (unsigned)genlru_cache_contains(other, &cold, 8);
    }
    STRESS_CHECK(nr_hot > 60 && nr_hot > 3 * nr_cold, "%u hot and %u cold ones survive", nr_hot, nr_cold);
    end(cache);
    end(other);
}

/* ---- files that are not sound ---- */

static unsigned char bytes[100000];

static size_t read_file(void)
{
    FILE *file = fopen(path, "rb");
    size_t nr;

    STRESS_CHECK(file, "open");
    nr = fread(bytes, 1, sizeof(bytes), file);
    fclose(file);
    return nr;
}

static void write_file(size_t nr)
{
    FILE *file = fopen(path, "wb");

    STRESS_CHECK(file && fwrite(bytes, 1, nr, file) == nr && fclose(file) == 0, "write");
}

static void change_byte(size_t at, unsigned char value)
{
    FILE *file = fopen(path, "r+b");

    STRESS_CHECK(file && fseek(file, (long)at, SEEK_SET) == 0 && fputc(value, file) == value && fclose(file) == 0,
                 "change");
}

static void expect_refusal(struct genlru_cache *cache, int error, const char *what, size_t at)
{
    const char *reason = NULL;
    int64_t nr = genlru_cache_restore(cache, path, NULL, &reason);

    STRESS_CHECK(nr == error || (error == 0 && (nr == -EILSEQ || nr == -EPROTO)), "%s at %zu: %lld", what, at,
                 (long long)nr);
    STRESS_CHECK(reason && *reason, "no reason");
    STRESS_CHECK(cache_test_stat(cache).entries == 0, "something was inserted");
}

static void damaged(void)
{
    struct genlru_cache *cache = create(GENLRU_CACHE_KEY_U64, GENLRU_NO_LIMIT, NULL);
    struct genlru_cache *empty = create(GENLRU_CACHE_KEY_U64, GENLRU_NO_LIMIT, NULL);
    struct genlru_cache *kind = create(GENLRU_CACHE_KEY_BYTES, GENLRU_NO_LIMIT, NULL);
    size_t nr;

    for (unsigned i = 0; i < 30; i++)
        put(cache, GENLRU_CACHE_KEY_U64, i);
    STRESS_CHECK(genlru_cache_save(cache, path, NULL) == 30, "save");
    expect_refusal(kind, -EPROTO, "another kind", 0);
    nr = read_file();
    for (size_t at = 0; at < nr; at++) {
        change_byte(at, (unsigned char)(bytes[at] ^ (1u << at % 8)));
        expect_refusal(empty, 0, "changed", at);
        change_byte(at, bytes[at]);
    }
    for (size_t at = 0; at < nr; at += 1 + nr / 97) {
        write_file(at);
        expect_refusal(empty, -EILSEQ, "cut off", at);
    }
    memcpy(bytes + nr, bytes, nr);
    write_file(2 * nr);
    expect_refusal(empty, -EILSEQ, "twice", 0);
    write_file(nr);
    STRESS_CHECK(genlru_cache_restore(empty, path, NULL, NULL) == 30, "the sound file");
    unlink(path);
    STRESS_CHECK(genlru_cache_restore(empty, path, NULL, NULL) == -ENOENT, "no file");
    STRESS_CHECK(genlru_cache_restore(empty, directory, NULL, NULL) < 0, "a directory");
    end(cache);
    end(empty);
    end(kind);
}

static void failed_save(void)
{
    struct genlru_cache *cache = create(GENLRU_CACHE_KEY_U64, GENLRU_NO_LIMIT, NULL);
    char nowhere[120];

    put(cache, GENLRU_CACHE_KEY_U64, 1);
    snprintf(nowhere, sizeof(nowhere), "%s/missing/file", directory);
    STRESS_CHECK(genlru_cache_save(cache, nowhere, NULL) == -ENOENT, "saved to nowhere");
    STRESS_CHECK(genlru_cache_save(cache, path, NULL) == 1, "save");
    snprintf(nowhere, sizeof(nowhere), "%s/d", directory);
    STRESS_CHECK(mkdir(nowhere, 0700) == 0, "mkdir");
    STRESS_CHECK(genlru_cache_save(cache, nowhere, NULL) < 0, "saved over a directory");
    rmdir(nowhere);
    STRESS_CHECK(genlru_cache_restore(cache, path, NULL, NULL) == 1, "the old file is whole");
    end(cache);
}

/* ---- values by callback ---- */

static int64_t save_value(void *ctx, const struct genlru_cache_info *info, void *to, size_t max)
{
    const struct cache_test_value *value = info->value;

    (void)ctx;
    if (value->key % 5 == 0)
        return -1; /* not worth it */
    if (max >= sizeof(value->version))
        memcpy(to, &value->version, sizeof(value->version));
    return sizeof(value->version);
}

static int load_value(void *ctx, const void *key, size_t key_bytes, const void *from, size_t nr_bytes,
                      struct genlru_cache_insert *ret_how)
{
    uint64_t number, version;

    STRESS_CHECK(key_bytes == 8 && nr_bytes == 8, "lengths");
    memcpy(&number, key, 8);
    memcpy(&version, from, 8);
    if (number % 7 == 0)
        return -1;
    ret_how->value = cache_test_make(ctx, number, version);
    return 0;
}

static void pointers(void)
{
    struct cache_test_owner owner = {0, {0}};
    struct genlru_cache_config config = cache_test_config(&owner, 100);
    struct genlru_cache *cache = cache_test_create(&config);
    struct genlru_cache_value_io io = {save_value, load_value, &owner};
    struct genlru_cache_entry *e;
    int64_t nr;

    for (uint64_t key = 0; key < 70; key++)
        STRESS_CHECK(cache_test_put(cache, &owner, key, key * key) == 0, "put");
    STRESS_CHECK(genlru_cache_save(cache, path, NULL) == -EINVAL, "pointers cannot be saved as they are");
    nr = genlru_cache_save(cache, path, &io);
    STRESS_CHECK(nr == 56, "saved %lld", (long long)nr);
    cache_test_destroy(cache, &owner);
    owner = (struct cache_test_owner){0, {0}};
    cache = cache_test_create(&config);
    nr = genlru_cache_restore(cache, path, &io, NULL);
    STRESS_CHECK(nr == 48, "restored %lld", (long long)nr);
    e = genlru_cache_get_u64(cache, 69);
    STRESS_CHECK(e && ((struct cache_test_value *)genlru_cache_value(cache, e))->version == 69 * 69, "its value");
    genlru_cache_release(cache, e);
    /* where nothing fits, what was made is given back */
    genlru_cache_clear(cache);
    genlru_cache_set_capacity(cache, 0);
    STRESS_CHECK(genlru_cache_restore(cache, path, &io, NULL) == 0, "no room");
    STRESS_CHECK(owner.released[GENLRU_CACHE_UNCACHED] == 48, "given back");
    cache_test_destroy(cache, &owner);
}

/* ---- beside threads ---- */

struct working {
    struct genlru_cache *cache;
    unsigned goes_on;
    uint64_t seed;
};

static void play(void *ctx, unsigned thread)
{
    struct working *w = ctx;
    struct stress_random random = stress_random(w->seed, thread);

    if (thread > 0) {
        while (__atomic_load_n(&w->goes_on, __ATOMIC_RELAXED)) {
            uint64_t key = stress_below(&random, 3000);

            if (!genlru_cache_touch(w->cache, &key, 8))
                put(w->cache, GENLRU_CACHE_KEY_U64, (unsigned)key);
            genlru_cache_quiescent();
        }
        return;
    }
    for (unsigned i = 0; i < 5; i++) {
        struct genlru_cache *other = create(GENLRU_CACHE_KEY_U64, GENLRU_NO_LIMIT, NULL);

        STRESS_CHECK(genlru_cache_save(w->cache, path, NULL) > 0, "save");
        STRESS_CHECK(genlru_cache_restore(other, path, NULL, NULL) > 0, "restore");
        for (unsigned key = 0; key < 3000; key++)
            (void)is_there(other, GENLRU_CACHE_KEY_U64, key);
        end(other);
    }
    __atomic_store_n(&w->goes_on, 0, __ATOMIC_RELAXED);
}

int main(int argc, char **argv)
{
    struct stress_options options = stress_begin(argc, argv);
    struct working w = {.goes_on = 1, .seed = options.seed};

    snprintf(directory, sizeof(directory), "/tmp/genlru-restart.XXXXXX");
    STRESS_CHECK(mkdtemp(directory), "no directory");
    snprintf(path, sizeof(path), "%s/saved", directory);
    genlru_cache_register_thread();
    round_trip(GENLRU_CACHE_KEY_U64);
    round_trip(GENLRU_CACHE_KEY_BYTES);
    order();
    damaged();
    failed_save();
    pointers();
    w.cache = create(GENLRU_CACHE_KEY_U64, 2000, NULL);
    for (unsigned i = 0; i < 3000; i++)
        put(w.cache, GENLRU_CACHE_KEY_U64, i);
    cache_test_run(2, play, &w);
    end(w.cache);
    genlru_cache_unregister_thread();
    unlink(path);
    STRESS_CHECK(rmdir(directory) == 0, "temporary files were left");
    return 0;
}
