/* SPDX-License-Identifier: MIT */
/*
 * get_or_load: one loader a key.
 *
 *   flight = a load under way, known in one of 16 lists by its key, each under a mutex
 *
 *     leader    registers the flight ─▶ reserves ─▶ loads (no lock) ─▶ inserts ─▶ lands: tells error or entry
 *     followers find it, wait for the landing until their deadline, take error or entry along
 *
 * The flight holds a handle of what was loaded, and each follower takes one more of it, so all get the value even if it was
 * evicted or could not be kept. Leader and followers each hold the flight; the last frees it. A leader that ends in its
 * loader (pthread_exit, cancellation) lands with -ECANCELED.
 */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <time.h>

#include "internal.h"

struct genlru__flight {
    struct genlru__flight *next;
    uint64_t hash;
    pthread_t leader;
    pthread_cond_t landed;
    bool has_landed;
    int error;
    unsigned nr_holders; /* threads */
    struct genlru_cache_entry *entry;
    size_t bytes; /* of this */
    struct genlru__key key;
    uint64_t key_copy[]; /* aligned for a number */
};

int genlru__flights_init(struct genlru_cache *cache)
{
    unsigned i;

    for (i = 0; i < GENLRU__NR_FLIGHTS; i++)
        if (pthread_mutex_init(&cache->flights[i].mutex, NULL) != 0)
            return -ENOMEM;
    return 0;
}

void genlru__flights_fini(struct genlru_cache *cache)
{
    unsigned i;

    for (i = 0; i < GENLRU__NR_FLIGHTS; i++)
        pthread_mutex_destroy(&cache->flights[i].mutex);
}

static struct genlru__flights *flights_of(struct genlru_cache *cache, uint64_t hash)
{
    return &cache->flights[hash % GENLRU__NR_FLIGHTS];
}

static struct genlru__flight *flight_new(struct genlru_cache *cache, const struct genlru__key *key, uint64_t hash)
{
    size_t bytes = sizeof(struct genlru__flight) + ((size_t)key->nr_bytes + 7) / 8 * 8;
    struct genlru__flight *flight = genlru__memory_get_zeroed(&cache->memory, bytes, 16);
    pthread_condattr_t attributes;

    if (!flight)
        return NULL;
    if (pthread_condattr_init(&attributes) != 0) {
        genlru__memory_put(&cache->memory, flight, bytes, 16);
        return NULL;
    }
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&flight->landed, &attributes);
    pthread_condattr_destroy(&attributes);
    flight->bytes = bytes;
    flight->hash = hash;
    flight->leader = pthread_self();
    flight->nr_holders = 1;
    flight->key = *key;
    if (key->nr_bytes)
        memcpy(flight->key_copy, key->bytes, key->nr_bytes);
    flight->key.bytes = flight->key_copy;
    return flight;
}

static void flight_free(struct genlru_cache *cache, struct genlru__flight *flight)
{
    pthread_cond_destroy(&flight->landed);
    genlru__memory_put(&cache->memory, flight, flight->bytes, 16);
}

/* A holder less, who has unlocked the mutex; `was_last` was found out under it. */
static void leave(struct genlru_cache *cache, struct genlru__flight *flight, bool was_last)
{
    if (!was_last)
        return;
    if (flight->entry)
        genlru__entry_drop(cache, flight->entry);
    flight_free(cache, flight);
}

static struct genlru__flight *find_flight(const struct genlru__flights *flights, const struct genlru__key *key,
                                          uint64_t hash)
{
    struct genlru__flight *flight = flights->first;

    while (flight && !(flight->hash == hash && flight->key.nr_bytes == key->nr_bytes &&
                       memcmp(flight->key.bytes, key->bytes, key->nr_bytes) == 0))
        flight = flight->next;
    return flight;
}

/* The leader is done: `entry` is a handle for the flight, or NULL with an error. */
static void land(struct genlru_cache *cache, struct genlru__flight *flight, int error, struct genlru_cache_entry *entry)
{
    struct genlru__flights *flights = flights_of(cache, flight->hash);
    struct genlru__flight **link;
    bool was_last;

    pthread_mutex_lock(&flights->mutex);
    for (link = &flights->first; *link != flight; link = &(*link)->next)
        ;
    *link = flight->next;
    flight->has_landed = true;
    flight->error = error;
    flight->entry = entry;
    was_last = --flight->nr_holders == 0;
    pthread_cond_broadcast(&flight->landed);
    pthread_mutex_unlock(&flights->mutex);
    leave(cache, flight, was_last);
}

/* ---- the leader ---- */

/* A loaded value that cannot be kept: an entry of its own, in no index. NULL: no memory, and the value is given back. */
static struct genlru_cache_entry *keep_apart(struct genlru_cache *cache, const struct genlru__key *key,
                                             const struct genlru_cache_insert *how)
{
    uint64_t charge = genlru__charge_of(cache, key, how);
    struct genlru_cache_info info = {key->bytes,       key->nr_bytes, (void *)(uintptr_t)how->value,
                                     how->value_bytes, charge,        0};
    struct genlru_cache_entry *e;

    charge = charge < UINT32_MAX ? charge : UINT32_MAX;
    e = genlru__entry_new(cache, key, how, charge, 0);
    if (!e) {
        genlru__call_release(cache, &info, GENLRU_CACHE_UNCACHED);
        return NULL;
    }
    genlru__room_give(cache, 0 - charge); /* it is there as long as it is held, whatever the limit */
    e->pins |= genlru__dead(GENLRU_CACHE_UNCACHED);
    genlru__count(&genlru__lane_of(cache)->detached, 1);
    genlru__count(&genlru__lane_of(cache)->removed[GENLRU_CACHE_UNCACHED], 1);
    return e;
}

/* Inserts what was loaded, as far as it can be kept. */
static int deliver(struct genlru_cache *cache, struct genlru__flight *flight, struct genlru_cache_insert *how,
                   struct genlru_cache_reservation *reservation, struct genlru_cache_entry **ret_entry)
{
    uint64_t charge = genlru__charge_of(cache, &flight->key, how);
    int error = 0;

    if (how->reservation)
        return -EINVAL;
    how->mode = GENLRU_CACHE_IF_ABSENT;
    if (charge > reservation->charge)
        error = genlru_cache_reserve(cache, charge - reservation->charge, reservation);
    if (cache->limit == GENLRU_CACHE_SOFT && (error == -ENOBUFS || error == -EAGAIN))
        error = 0; /* goes beyond the capacity, without a reservation */
    else
        how->reservation = reservation;
    if (!error)
        error = genlru__insert(cache, &flight->key, flight->hash, how, ret_entry);
    if (error >= 0)
        return 0;
    if (error == -EEXIST) { /* somebody inserted the key meanwhile: his value is the key's, ours is given back */
        struct genlru_cache_entry *ours = keep_apart(cache, &flight->key, how);

        if (ours)
            genlru__entry_drop(cache, ours);
        return 0;
    }
    if (error == -EINVAL || error == -ERANGE)
        return error; /* nonsense from the loader: the value stays its own */
    *ret_entry = keep_apart(cache, &flight->key, how);
    return *ret_entry ? 0 : -ENOMEM;
}

/* What the leader has under way, for the case that its thread ends in the loader. */
struct leading {
    struct genlru_cache *cache;
    struct genlru__flight *flight;
    struct genlru_cache_reservation reservation;
};

static void abandon(void *arg)
{
    struct leading *leading = arg;

    genlru_cache_unreserve(leading->cache, &leading->reservation);
    land(leading->cache, leading->flight, -ECANCELED, NULL);
}

static int lead(struct genlru_cache *cache, struct genlru__flight *flight, const struct genlru_cache_load *how,
                struct genlru_cache_entry **ret_entry)
{
    struct leading leading = {cache, flight, {0}};
    struct genlru_cache_insert insert;
    struct genlru_cache_entry *entry = NULL;
    int error;

    memset(&insert, 0, sizeof(insert));
    genlru__count(&genlru__lane_of(cache)->loads, 1);
    /* no room is no reason not to load: the value may have to be kept apart */
    (void)genlru_cache_reserve(cache, how->charge ? how->charge : 1, &leading.reservation);
    pthread_cleanup_push(abandon, &leading);
    error = how->load(how->load_ctx, flight->key.bytes, flight->key.nr_bytes, &insert);
    pthread_cleanup_pop(0);
    if (error > 0)
        error = -EINVAL;
    if (!error)
        error = deliver(cache, flight, &insert, &leading.reservation, &entry);
    genlru_cache_unreserve(cache, &leading.reservation);
    if (entry)
        genlru__entry_repin(entry); /* one handle for the flight, one for the caller */
    *ret_entry = entry;
    land(cache, flight, error, entry);
    return error;
}

/* ---- followers ---- */

static struct timespec deadline_after(uint64_t wait_ns)
{
    struct timespec until;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += (time_t)(wait_ns / 1000000000u);
    until.tv_nsec += (long)(wait_ns % 1000000000u);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    return until;
}

/* With the mutex, which is given up. Waits for the landing. */
static int follow(struct genlru_cache *cache, struct genlru__flights *flights, struct genlru__flight *flight,
                  uint64_t wait_ns, struct genlru_cache_entry **ret_entry)
{
    bool is_forever = wait_ns > (uint64_t)INT64_MAX / 2, was_last;
    struct timespec until = deadline_after(is_forever ? 0 : wait_ns);
    int error = 0;

    if (pthread_equal(flight->leader, pthread_self()) || wait_ns == 0) {
        error = wait_ns == 0 && !pthread_equal(flight->leader, pthread_self()) ? -EAGAIN : -EDEADLK;
        pthread_mutex_unlock(&flights->mutex);
        return error;
    }
    genlru__count(&genlru__lane_of(cache)->load_waits, 1);
    flight->nr_holders++;
    genlru__rcu_offline();
    while (!flight->has_landed && error != ETIMEDOUT)
        error = is_forever ? pthread_cond_wait(&flight->landed, &flights->mutex)
                           : pthread_cond_timedwait(&flight->landed, &flights->mutex, &until);
    error = flight->has_landed ? flight->error : -ETIMEDOUT;
    if (!error && flight->entry) {
        genlru__entry_repin(flight->entry);
        *ret_entry = flight->entry;
    }
    was_last = --flight->nr_holders == 0;
    pthread_mutex_unlock(&flights->mutex);
    genlru__rcu_online();
    leave(cache, flight, was_last);
    return error;
}

int genlru_cache_get_or_load(struct genlru_cache *cache, const void *key_bytes, size_t nr_bytes,
                             const struct genlru_cache_load *how, struct genlru_cache_entry **ret_entry)
{
    struct genlru__flights *flights;
    struct genlru__flight *flight, *other;
    struct genlru_cache_entry *e;
    struct genlru__key key;
    uint64_t hash;

    if (!cache || !how || !how->load || !ret_entry || !genlru__key_of_bytes(cache, key_bytes, nr_bytes, &key))
        return -EINVAL;
    hash = genlru__hash_of_key(cache, &key);
    e = genlru__get(cache, &key, hash, true);
    if (!e) {
        flight = flight_new(cache, &key, hash); /* before the lock, since the owner's allocator is called */
        if (!flight)
            return -ENOMEM;
        flights = flights_of(cache, hash);
        pthread_mutex_lock(&flights->mutex);
        other = find_flight(flights, &key, hash);
        if (other) {
            int error = follow(cache, flights, other, how->wait_ns, ret_entry);

            flight_free(cache, flight);
            return error;
        }
        e = genlru__get_quietly(cache, &key, hash); /* landed between the two looks? */
        if (!e) {
            flight->next = flights->first;
            flights->first = flight;
        }
        pthread_mutex_unlock(&flights->mutex);
        if (!e)
            return lead(cache, flight, how, ret_entry);
        flight_free(cache, flight);
    }
    *ret_entry = e;
    return 0;
}
