/* SPDX-License-Identifier: MIT */
/*
 * sketch.c - see sketch.h
 *
 * Sizes, where the paper leaves them open: a sample of 10 requests for each entry of the cache (so
 * that no id can be asked for more often than 16 counts tell); 4 counters an entry in each of the 4
 * rows, and a doorkeeper of 4 bits a sampled request with 2 hashes. With one id an entry 1 in 400
 * shares all its counters with others, with three ids an entry 1 in 14.
 */
#include "policy/sketch.h"

#include <errno.h>
#include <string.h>

#include "policy/array.h"

#define SAMPLE 10
#define ROWS 4
#define COUNTERS_AN_ENTRY 4
#define DOOR_BITS_A_REQUEST 4
#define COUNTER_MAX 15
#define COUNTERS_A_WORD 16

static uint64_t power_of_two(uint64_t at_least)
{
    uint64_t n = 64;

    while (n < at_least) {
        n *= 2;
    }
    return n;
}

int sketch_init(struct sketch *s, uint64_t capacity)
{
    uint64_t counters = ROWS * power_of_two(capacity * COUNTERS_AN_ENTRY);
    uint64_t bits = power_of_two(capacity * SAMPLE * DOOR_BITS_A_REQUEST);

    *s = (struct sketch){
        .counter_mask = counters / ROWS - 1,
        .door_mask = bits - 1,
        .nr_words = counters / COUNTERS_A_WORD,
        .sample = capacity * SAMPLE,
    };
    s->rows = array_create(s->nr_words, sizeof(*s->rows));
    s->doorkeeper = array_create(bits / 64, sizeof(*s->doorkeeper));
    return s->rows && s->doorkeeper ? 0 : -ENOMEM;
}

void sketch_fini(struct sketch *s)
{
    array_destroy(s->rows);
    array_destroy(s->doorkeeper);
}

/* splitmix64 (Steele, Lea, Flood 2014): a good hash of an id for each row. */
static inline uint64_t hash(uint32_t id, uint64_t row)
{
    uint64_t z = id + (row + 1) * UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline uint64_t counter_index(const struct sketch *s, uint32_t id, uint64_t row)
{
    return row * (s->counter_mask + 1) + (hash(id, row) & s->counter_mask);
}

static inline unsigned counter(const struct sketch *s, uint64_t index)
{
    return (unsigned)(s->rows[index / COUNTERS_A_WORD] >> index % COUNTERS_A_WORD * 4) & COUNTER_MAX;
}

static inline bool door_has(const struct sketch *s, uint64_t bit)
{
    return s->doorkeeper[bit / 64] >> bit % 64 & 1;
}

static inline bool door_knows(const struct sketch *s, uint32_t id)
{
    uint64_t h = hash(id, ROWS);

    return door_has(s, h & s->door_mask) && door_has(s, h >> 32 & s->door_mask);
}

static inline void door_put(struct sketch *s, uint32_t id)
{
    uint64_t h = hash(id, ROWS);
    uint64_t first = h & s->door_mask;
    uint64_t second = h >> 32 & s->door_mask;

    s->doorkeeper[first / 64] |= UINT64_C(1) << first % 64;
    s->doorkeeper[second / 64] |= UINT64_C(1) << second % 64;
}

static unsigned least_counter(const struct sketch *s, uint32_t id)
{
    unsigned least = COUNTER_MAX;

    for (uint64_t row = 0; row < ROWS; row++) {
        unsigned c = counter(s, counter_index(s, id, row));

        least = c < least ? c : least;
    }
    return least;
}

static void reset(struct sketch *s)
{
    for (uint64_t i = 0; i < s->nr_words; i++) {
        s->rows[i] = s->rows[i] >> 1 & UINT64_C(0x7777777777777777);
    }
    memset(s->doorkeeper, 0, (size_t)(s->door_mask + 1) / 8);
    s->additions = 0;
}

void sketch_add(struct sketch *s, uint32_t id)
{
    if (!door_knows(s, id)) {
        door_put(s, id);
    } else {
        for (uint64_t row = 0; row < ROWS; row++) {
            uint64_t index = counter_index(s, id, row);

            if (counter(s, index) < COUNTER_MAX) {
                s->rows[index / COUNTERS_A_WORD] += UINT64_C(1) << index % COUNTERS_A_WORD * 4;
            }
        }
    }
    if (++s->additions == s->sample) {
        reset(s);
    }
}

unsigned sketch_estimate(const struct sketch *s, uint32_t id)
{
    return least_counter(s, id) + door_knows(s, id);
}

void sketch_prefetch(const struct sketch *s, uint32_t id)
{
    uint64_t bit = hash(id, ROWS) & s->door_mask;

    __builtin_prefetch(&s->doorkeeper[bit / 64], 1);
    for (uint64_t row = 0; row < ROWS; row++) {
        __builtin_prefetch(&s->rows[counter_index(s, id, row) / COUNTERS_A_WORD], 1);
    }
}
