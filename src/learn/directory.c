/* SPDX-License-Identifier: MIT */
/* The directory of a sample: see directory.h. */
#include "learn/directory.h"

#include <string.h>

#include "base/bits.h"

enum { PROBES = 8 /* keys looked at for the one to give way */ };

uint32_t genlru__directory_keys(uint32_t entries)
{
    return entries * GENLRU__KEYS_PER_ENTRY + 2 * PROBES;
}

static size_t nr_buckets(uint32_t entries)
{
    return (size_t)genlru__round_up_pow2(genlru__directory_keys(entries));
}

size_t genlru__directory_bytes(uint32_t entries)
{
    return genlru__directory_keys(entries) * sizeof(struct genlru__key) + nr_buckets(entries) * sizeof(uint16_t);
}

void genlru__directory_init(struct genlru__directory *directory, void *memory, uint32_t entries)
{
    *directory = (struct genlru__directory){.nr_keys = genlru__directory_keys(entries)};
    directory->key = memory;
    directory->bucket = (uint16_t *)(void *)(directory->key + directory->nr_keys);
    directory->bucket_mask = (uint32_t)nr_buckets(entries) - 1;
    memset(directory->bucket, 0xff, nr_buckets(entries) * sizeof(uint16_t));
}

static void forget(struct genlru__directory *directory, uint32_t key)
{
    uint16_t *link = genlru__directory_bucket(directory, directory->key[key].print);

    while (*link != key)
        link = &directory->key[*link].next;
    *link = directory->key[key].next;
}

/* A place for a new key: a fresh one, or the longest unseen of the next few that no rule has. */
static uint32_t place(struct genlru__directory *directory)
{
    uint32_t best = GENLRU__NO_KEY, best_unseen = 0, looked, found = 0;

    if (directory->used_keys < directory->nr_keys)
        return directory->used_keys++;
    for (looked = 0; looked < directory->nr_keys && found < PROBES; looked++) {
        uint32_t key = directory->hand, unseen = directory->now - directory->key[key].seen;

        directory->hand = key + 1 < directory->nr_keys ? key + 1 : 0;
        if (directory->key[key].resident)
            continue;
        found++;
        if (best == GENLRU__NO_KEY || unseen > best_unseen) {
            best = key;
            best_unseen = unseen;
        }
    }
    if (best != GENLRU__NO_KEY)
        forget(directory, best);
    return best;
}

uint32_t genlru__directory_make(struct genlru__directory *directory, uint32_t print, uint32_t charge)
{
    uint32_t key = place(directory);
    uint16_t *bucket = genlru__directory_bucket(directory, print);

    if (key == GENLRU__NO_KEY)
        return key;
    directory->key[key] = (struct genlru__key){print, charge, directory->now, *bucket, 0, 0};
    *bucket = (uint16_t)key;
    return key;
}
