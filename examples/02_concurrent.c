/* SPDX-License-Identifier: MIT */
/*
 * Several threads, an index with a lock per bucket of slots, and no lock around the lru:
 *
 *   inserter  genlru_add PINNED, insert into the index, genlru_unpin and look at the answer
 *   hitter    genlru_access under the lock of its slot, which keeps the entry alive
 *   evictor   genlru_evict, take out of the index; not found there: genlru_release and look
 *   deleter   take out of the index, genlru_del and look
 *
 * Each frees an entry only where the answer says so; the count of entries shows that each is freed once.
 */
#include <genlru/genlru.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { NR_KEYS = 4096, NR_LOCKS = 64, CAPACITY = 1000, NR_REQUESTS = 50000, NR_WORKERS = 3 };

struct entry {
    struct genlru_node node;
    int key;
};

/* The index: a slot per key, a lock for every 64th of them. */
static struct entry *index_of[NR_KEYS];
static pthread_mutex_t locks[NR_LOCKS];

static struct genlru *lru;
static atomic_long nr_live, nr_hits, nr_evicted, nr_deleted;
static atomic_int nr_working = NR_WORKERS;

#define CHECK(ok, what) ((ok) ? (void)0 : (fprintf(stderr, "02_concurrent: %s\n", what), exit(EXIT_FAILURE)))

static void free_entry(struct entry *e)
{
    nr_live--;
    free(e);
}

/* Takes key's entry out of the index, if there is one, and if it is `only` unless that is NULL. */
static struct entry *take(int key, const struct entry *only)
{
    pthread_mutex_lock(&locks[key % NR_LOCKS]);
    struct entry *e = only && index_of[key] != only ? NULL : index_of[key];
    if (e)
        index_of[key] = NULL;
    pthread_mutex_unlock(&locks[key % NR_LOCKS]);
    return e;
}

static void insert(int key)
{
    struct genlru_add how = {.flags = GENLRU_ADD_PINNED};
    struct entry *e = malloc(sizeof(*e));

    CHECK(e && genlru_node_init(&e->node, 1, 0) == 0 && genlru_add(lru, &e->node, &how) == 0, "add");
    nr_live++;
    e->key = key; /* still unknown to others: not in the index, and pinned it is no victim */
    pthread_mutex_lock(&locks[key % NR_LOCKS]);
    int is_first = index_of[key] == NULL;
    if (is_first)
        index_of[key] = e;
    pthread_mutex_unlock(&locks[key % NR_LOCKS]);
    /* Another thread loaded the key meanwhile. del says 0: the pin holder will be told, and that is us. */
    CHECK(is_first || genlru_del(lru, &e->node) == 0, "del of a pinned entry");
    if (genlru_unpin(lru, &e->node) == GENLRU_YOURS) /* deleted, by us or by somebody else */
        free_entry(e);
}

static void get(int key)
{
    pthread_mutex_lock(&locks[key % NR_LOCKS]);
    struct entry *e = index_of[key];
    if (e)
        genlru_access(lru, &e->node);
    pthread_mutex_unlock(&locks[key % NR_LOCKS]);
    if (!e)
        insert(key);
    nr_hits += e != NULL;
}

static int evict(uint64_t nodes)
{
    struct genlru_victim victims[32];
    int nr = genlru_evict(lru, &(struct genlru_budget){.nodes = nodes}, victims, 32, NULL);

    for (int i = 0; i < nr; i++) {
        struct entry *e = GENLRU_ENTRY(victims[i].node, struct entry, node);

        if (take(e->key, e) || genlru_release(lru, &e->node) == GENLRU_YOURS)
            free_entry(e);
        nr_evicted++;
    }
    return nr;
}

static void drop(int key)
{
    struct entry *e = take(key, NULL);

    if (e && genlru_del(lru, &e->node) == GENLRU_YOURS) /* 0: its inserter or an evictor frees it */
        free_entry(e);
    nr_deleted += e != NULL;
}

static void *work(void *arg)
{
    unsigned random = *(unsigned *)arg;

    for (int i = 0; i < NR_REQUESTS; i++) {
        random = random * 1103515245u + 12345u;
        int key = (int)((random >> 16 & 0xff) * (random >> 24) / 16 % NR_KEYS); /* small ones are frequent */
        if (i % 50 == 49)
            drop(key);
        else
            get(key);
        if (genlru_excess(lru) > CAPACITY / 10)
            evict(16); /* the evictor is behind: help */
    }
    nr_working--;
    return NULL;
}

int main(void)
{
    struct genlru_config config = GENLRU_CONFIG_INIT;
    unsigned seeds[NR_WORKERS] = {1, 2, 3};
    pthread_t threads[NR_WORKERS];

    config.capacity = CAPACITY;
    config.stripes = 2; /* an lru this small would get 1 */
    CHECK(genlru_create(&config, &lru) == 0, "create");
    for (int i = 0; i < NR_LOCKS; i++)
        pthread_mutex_init(&locks[i], NULL);
    for (int i = 0; i < NR_WORKERS; i++)
        CHECK(pthread_create(&threads[i], NULL, work, &seeds[i]) == 0, "thread");
    while (nr_working) /* this thread is the evictor */
        if (!genlru_excess(lru) || evict(32) == 0)
            sched_yield();
    for (int i = 0; i < NR_WORKERS; i++)
        pthread_join(threads[i], NULL);

    printf("%ld hits, %ld evicted, %ld deleted, %ld left\n", nr_hits, nr_evicted, nr_deleted, nr_live);
    CHECK(nr_hits && nr_evicted && nr_deleted, "nothing happened");
    CHECK(nr_live == (long)genlru_charge(lru), "the lru counts other entries than there are");
    while (evict(32) > 0) {
    }
    CHECK(nr_live == 0 && genlru_destroy(lru) == 0, "entries leaked");
    return EXIT_SUCCESS;
}
