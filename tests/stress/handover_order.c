/* SPDX-License-Identifier: MIT */
/*
 * Whoever is told GENLRU_YOURS sees all that the other party did to the entry before it let go: edge H of
 * docs/memory-model.md. The parties write plain fields of the entry while they hold it, and whoever frees it reads
 * them. ThreadSanitizer sees a missing edge; other builds see a lost or double freeing.
 *
 * Round A: an entry is pinned and parked; its pin holder unpins while a deleter deletes. The two may meet between
 * the deleter's step on the slot and that on the word.
 * Round B: an entry is isolated and deleted; the evictor puts it back and is told that it is its own.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "genlru/genlru.h"

enum { ROUNDS = 20000 };

struct entry {
    struct genlru_node node;
    int by_holder;
    int by_deleter;
};

static struct genlru *lru;
static struct entry *shared;
static int nr_arrived; /* acq_rel atomic */
static int nr_freed;   /* relaxed atomic */
static int is_deleted; /* relaxed atomic: orders nothing, as an owner's flag may not either */

static void fail(const char *what, long value)
{
    fprintf(stderr, "handover_order: %s: %ld\n", what, value);
    exit(1);
}

/* Both threads leave at nearly the same moment, which a sleeping barrier would not do. */
static void meet(void)
{
    int target = (__atomic_fetch_add(&nr_arrived, 1, __ATOMIC_ACQ_REL) / 2 + 1) * 2;
    int looks = 0;

    while (__atomic_load_n(&nr_arrived, __ATOMIC_ACQUIRE) < target)
        if (++looks % 1000 == 0)
            sched_yield();
}

static void free_own(struct entry *e, int want_holder, int want_deleter)
{
    if ((want_holder && e->by_holder != want_holder) || (want_deleter && e->by_deleter != want_deleter))
        fail("the freeing party sees a stale entry", e->by_holder);
    free(e);
    __atomic_fetch_add(&nr_freed, 1, __ATOMIC_RELAXED);
}

static struct entry *new_entry(unsigned flags)
{
    struct genlru_add how = {0, 0, 0, flags};
    struct entry *e = (struct entry *)calloc(1, sizeof(*e));
    int error;

    if (!e || genlru_node_init(&e->node, 1, 0) != 0)
        fail("new entry", 0);
    error = genlru_add(lru, &e->node, &how);
    if (error)
        fail("add", error);
    return e;
}

static void *deleter(void *unused)
{
    int round, answer;

    (void)unused;
    for (round = 1; round <= 2 * ROUNDS; round++) {
        meet();
        shared->by_deleter = round;
        answer = genlru_del(lru, &shared->node);
        if (answer == GENLRU_YOURS)
            free_own(shared, round <= ROUNDS ? round : 0, round);
        else if (answer)
            fail("del", answer);
        __atomic_store_n(&is_deleted, round, __ATOMIC_RELAXED);
        meet();
    }
    return NULL;
}

/* A: pinned, met by a scan and so parked. */
static void unpin_against_deleter(int round)
{
    struct genlru_victim victim;
    int answer;

    shared = new_entry(GENLRU_ADD_PINNED);
    if (genlru_evict(lru, NULL, &victim, 1, NULL) != 0)
        fail("a pinned entry was evicted in round", round);
    shared->by_holder = 0;
    meet();
    shared->by_holder = round;
    answer = genlru_unpin(lru, &shared->node);
    if (answer == GENLRU_YOURS)
        free_own(shared, round, round);
    else if (answer)
        fail("unpin", answer);
    meet();
}

/* B: isolated, and deleted by the time it is put back. */
static void putback_after_deleter(int round)
{
    struct genlru_victim victim;
    int answer;

    shared = new_entry(0);
    if (genlru_evict(lru, NULL, &victim, 1, NULL) != 1 || victim.node != &shared->node)
        fail("evict in round", round);
    meet();
    while (__atomic_load_n(&is_deleted, __ATOMIC_RELAXED) != round)
        sched_yield();
    answer = genlru_putback(lru, &victim);
    if (answer != GENLRU_YOURS)
        fail("putback of a deleted entry", answer);
    free_own(shared, 0, round);
    meet();
}

int main(void)
{
    struct genlru_config config = GENLRU_CONFIG_INIT;
    pthread_t thread;
    int round;

    config.stripes = 2;
    if (genlru_create(&config, &lru) != 0 || pthread_create(&thread, NULL, deleter, NULL) != 0)
        fail("set-up", 0);
    for (round = 1; round <= ROUNDS; round++)
        unpin_against_deleter(round);
    for (; round <= 2 * ROUNDS; round++)
        putback_after_deleter(round);
    pthread_join(thread, NULL);
    if (nr_freed != 2 * ROUNDS)
        fail("freed", nr_freed);
    if (genlru_charge(lru) != 0 || genlru_verify(lru, NULL, 0) != 0 || genlru_destroy(lru) != 0)
        fail("end", (long)genlru_charge(lru));
    printf("handover_order: %d entries handed over, each freed once\n", nr_freed);
    return 0;
}
