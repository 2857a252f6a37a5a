/* SPDX-License-Identifier: MIT */
/*
 * keymap.c - two open-addressing tables that share one count of ids
 *
 *      numbers:  slot {key, id+1}                 the key itself is compared
 *      texts:    slot {hash, at, len, id+1} ──▶ arena[at … at+len)
 *
 * Linear probing, powers of two, at most 5/8 full: a look-up touches one cache line nearly always,
 * and 10 M numbers fit into 2^24 slots, 256 MiB. id+1 = 0 marks an empty slot. Nothing is ever
 * removed.
 */
#define _DEFAULT_SOURCE
#include "trace/keymap.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define FIRST_SLOTS ((size_t)1 << 10)
#define HUGE_BYTES ((size_t)2 << 20)

struct number_slot {
    uint64_t key;
    uint32_t id_plus_1;
};

struct text_slot {
    uint64_t hash;
    uint64_t at;
    uint32_t len;
    uint32_t id_plus_1;
};

struct keymap {
    uint32_t nr_ids;
    uint32_t max_ids;

    struct number_slot *numbers;
    size_t number_slots;
    size_t nr_numbers;

    struct text_slot *texts;
    size_t text_slots;
    size_t nr_texts;
    char *arena;
    size_t arena_bytes;
    size_t arena_used;
};

/*
 * n zeroed slots. Keys come in random order, so with 4 KiB pages a large table would miss the TLB at
 * every step: it asks for huge ones. The advice may be refused; nothing depends on it.
 */
static struct number_slot *make_numbers(size_t n)
{
    struct number_slot *slots = calloc(n, sizeof(*slots));

#ifdef MADV_HUGEPAGE
    uintptr_t start = ((uintptr_t)slots + HUGE_BYTES - 1) & ~(uintptr_t)(HUGE_BYTES - 1);
    uintptr_t end = (uintptr_t)slots + n * sizeof(*slots);

    if (slots && start < end) {
        (void)madvise((void *)start, end - start, MADV_HUGEPAGE);
    }
#endif
    return slots;
}

struct keymap *keymap_create(uint32_t max_ids)
{
    struct keymap *m = calloc(1, sizeof(*m));

    if (!m) {
        return NULL;
    }
    m->max_ids = max_ids;
    m->numbers = make_numbers(FIRST_SLOTS);
    m->texts = calloc(FIRST_SLOTS, sizeof(*m->texts));
    m->number_slots = FIRST_SLOTS;
    m->text_slots = FIRST_SLOTS;
    if (!m->numbers || !m->texts) {
        keymap_destroy(m);
        return NULL;
    }
    return m;
}

void keymap_destroy(struct keymap *m)
{
    if (m) {
        free(m->numbers);
        free(m->texts);
        free(m->arena);
        free(m);
    }
}

uint32_t keymap_count(const struct keymap *m)
{
    return m->nr_ids;
}

/* Finalizer of splitmix64 (Steele, Lea, Flood 2014): every input bit reaches every output bit. */
static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* FNV-1a, mixed because its low bits alone are weak. */
static uint64_t hash_text(const char *text, size_t len)
{
    uint64_t h = 14695981039346656037u;

    for (size_t i = 0; i < len; i++) {
        h = (h ^ (unsigned char)text[i]) * 1099511628211u;
    }
    return mix(h);
}

static bool is_crowded(size_t used, size_t slots)
{
    return used + 1 > slots / 8 * 5;
}

/* ---- numbers ---- */

/* The key's slot, or the empty one where it belongs. */
static struct number_slot *number_slot(struct number_slot *slots, size_t n, uint64_t key)
{
    size_t i = (size_t)mix(key) & (n - 1);

    while (slots[i].id_plus_1 && slots[i].key != key) {
        i = (i + 1) & (n - 1);
    }
    return &slots[i];
}

static int grow_numbers(struct keymap *m)
{
    size_t n = m->number_slots * 2;
    struct number_slot *bigger = make_numbers(n);

    if (!bigger) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < m->number_slots; i++) {
        if (m->numbers[i].id_plus_1) {
            *number_slot(bigger, n, m->numbers[i].key) = m->numbers[i];
        }
    }
    free(m->numbers);
    m->numbers = bigger;
    m->number_slots = n;
    return 0;
}

int keymap_number(struct keymap *m, uint64_t key, uint32_t *ret_id)
{
    struct number_slot *slot = number_slot(m->numbers, m->number_slots, key);

    if (!slot->id_plus_1) {
        if (m->nr_ids == m->max_ids) {
            return -ENOSPC;
        }
        if (is_crowded(m->nr_numbers, m->number_slots)) {
            int rc = grow_numbers(m);

            if (rc) {
                return rc;
            }
            slot = number_slot(m->numbers, m->number_slots, key);
        }
        *slot = (struct number_slot){.key = key, .id_plus_1 = ++m->nr_ids};
        m->nr_numbers++;
    }
    *ret_id = slot->id_plus_1 - 1;
    return 0;
}

int keymap_numbers(struct keymap *m, const uint64_t *keys, size_t n, uint32_t *ret_ids)
{
    size_t at[KEYMAP_BATCH];

    while (is_crowded(m->nr_numbers + n, m->number_slots)) {
        int rc = grow_numbers(m);

        if (rc) {
            return rc;
        }
    }
    for (size_t i = 0; i < n; i++) {
        at[i] = (size_t)mix(keys[i]) & (m->number_slots - 1);
        __builtin_prefetch(&m->numbers[at[i]], 1);
    }
    for (size_t i = 0; i < n; i++) {
        size_t k = at[i];

        while (m->numbers[k].id_plus_1 && m->numbers[k].key != keys[i]) {
            k = (k + 1) & (m->number_slots - 1);
        }
        if (!m->numbers[k].id_plus_1) {
            if (m->nr_ids == m->max_ids) {
                return -ENOSPC;
            }
            m->numbers[k] = (struct number_slot){.key = keys[i], .id_plus_1 = ++m->nr_ids};
            m->nr_numbers++;
        }
        ret_ids[i] = m->numbers[k].id_plus_1 - 1;
    }
    return 0;
}

/* ---- texts ---- */

static struct text_slot *text_slot(const struct keymap *m, struct text_slot *slots, size_t n, uint64_t hash,
                                   const char *text, size_t len)
{
    size_t i = (size_t)hash & (n - 1);

    while (slots[i].id_plus_1 &&
           (slots[i].hash != hash || slots[i].len != len || memcmp(m->arena + slots[i].at, text, len) != 0)) {
        i = (i + 1) & (n - 1);
    }
    return &slots[i];
}

static int grow_texts(struct keymap *m)
{
    size_t n = m->text_slots * 2;
    struct text_slot *bigger = calloc(n, sizeof(*bigger));

    if (!bigger) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < m->text_slots; i++) {
        const struct text_slot *old = &m->texts[i];

        if (old->id_plus_1) {
            /* All are distinct, so the first empty slot is the one. */
            size_t k = (size_t)old->hash & (n - 1);

            while (bigger[k].id_plus_1) {
                k = (k + 1) & (n - 1);
            }
            bigger[k] = *old;
        }
    }
    free(m->texts);
    m->texts = bigger;
    m->text_slots = n;
    return 0;
}

static int reserve_arena(struct keymap *m, size_t len)
{
    size_t need = m->arena_used + len;

    if (need <= m->arena_bytes) {
        return 0;
    }
    size_t bytes = m->arena_bytes ? m->arena_bytes : 4096;

    while (bytes < need) {
        bytes *= 2;
    }
    char *bigger = realloc(m->arena, bytes);

    if (!bigger) {
        return -ENOMEM;
    }
    m->arena = bigger;
    m->arena_bytes = bytes;
    return 0;
}

static int add_text(struct keymap *m, uint64_t hash, const char *text, size_t len, uint32_t *ret_id)
{
    int rc = 0;

    if (m->nr_ids == m->max_ids || len > UINT32_MAX) {
        return -ENOSPC;
    }
    if (is_crowded(m->nr_texts, m->text_slots)) {
        rc = grow_texts(m);
    }
    if (!rc) {
        rc = reserve_arena(m, len);
    }
    if (rc) {
        return rc;
    }
    if (len) {
        memcpy(m->arena + m->arena_used, text, len);
    }
    *text_slot(m, m->texts, m->text_slots, hash, text, len) = (struct text_slot){
        .hash = hash,
        .at = m->arena_used,
        .len = (uint32_t)len,
        .id_plus_1 = ++m->nr_ids,
    };
    m->arena_used += len;
    m->nr_texts++;
    *ret_id = m->nr_ids - 1;
    return 0;
}

/* Decimal, canonical, below 2^64: then text and number name each other. */
static bool to_number(const char *text, size_t len, uint64_t *ret)
{
    uint64_t value = 0;

    if (len == 0 || len > 20 || (text[0] == '0' && len > 1)) {
        return false;
    }
    for (size_t i = 0; i < len; i++) {
        unsigned digit = (unsigned)(unsigned char)text[i] - '0';

        if (digit > 9 || value > UINT64_MAX / 10 || value * 10 > UINT64_MAX - digit) {
            return false;
        }
        value = value * 10 + digit;
    }
    *ret = value;
    return true;
}

int keymap_text(struct keymap *m, const char *text, size_t len, uint32_t *ret_id)
{
    uint64_t number;

    if (to_number(text, len, &number)) {
        return keymap_number(m, number, ret_id);
    }
    uint64_t hash = hash_text(text, len);
    const struct text_slot *slot = text_slot(m, m->texts, m->text_slots, hash, text, len);

    if (slot->id_plus_1) {
        *ret_id = slot->id_plus_1 - 1;
        return 0;
    }
    return add_text(m, hash, text, len, ret_id);
}
