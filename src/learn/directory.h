/* SPDX-License-Identifier: MIT */
/*
 * The directory of a sample: the keys that miniatures have or remember, by print.
 *
 *   bucket[] ──▶ key ──▶ key          key: print, charge, when last seen, which rules have it
 *
 * A key that no rule has is the shadow of all; the longest unseen of a few such gives way to a new key.
 */
#ifndef GENLRU_LEARN_DIRECTORY_H
#define GENLRU_LEARN_DIRECTORY_H

#include <stddef.h>
#include <stdint.h>

enum {
    GENLRU__KEYS_PER_ENTRY = 8,  /* keys of the directory: what the rules have between them, and their shadows */
    GENLRU__NO_KEY = UINT16_MAX, /* end of a bucket */
};

struct genlru__key {
    uint32_t print;
    uint32_t charge;
    uint32_t seen;    /* accesses of the sample until its last one */
    uint16_t next;    /* of its bucket */
    uint8_t resident; /* mask of rules */
    uint8_t unused;
};

struct genlru__directory {
    uint32_t nr_keys;
    uint32_t used_keys;
    uint32_t hand;
    uint32_t now; /* accesses so far */
    uint32_t bucket_mask;
    struct genlru__key *key;
    uint16_t *bucket;
};

/* Keys for miniatures of so many entries, and the bytes of their directory. */
uint32_t genlru__directory_keys(uint32_t entries);
size_t genlru__directory_bytes(uint32_t entries);

/* Lays it out in `memory`, zeroed and of directory_bytes. */
void genlru__directory_init(struct genlru__directory *directory, void *memory, uint32_t entries);

/* A new key, which no rule has; NO_KEY: every key is some rule's. */
uint32_t genlru__directory_make(struct genlru__directory *directory, uint32_t print, uint32_t charge);

static inline uint16_t *genlru__directory_bucket(const struct genlru__directory *directory, uint32_t print)
{
    return &directory->bucket[(print * UINT32_C(0x9e3779b1) >> 7) & directory->bucket_mask];
}

static inline uint32_t genlru__directory_find(const struct genlru__directory *directory, uint32_t print)
{
    uint32_t key = *genlru__directory_bucket(directory, print);

    while (key != GENLRU__NO_KEY && directory->key[key].print != print)
        key = directory->key[key].next;
    return key;
}

#endif
