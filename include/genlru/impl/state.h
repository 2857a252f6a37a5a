/* SPDX-License-Identifier: MIT */
/*
 * The state of a node and the window of generations, as pure values: no atomics, no pointers.
 *
 *  31    29 28  27  26  25  24  23  22  21  20 19  18 17   15 14    11 10     7 6           0
 * +--------+---+---+---+---+---+---+---+---+---+------+-------+--------+--------+-------------+
 * | owner  |pro|cap|smp|nor|dea|pin|iso|pre|wrk| type | epoch |  freq  |  refs  |    gen+1    |
 * +--------+---+---+---+---+---+---+---+---+---+------+-------+--------+--------+-------------+
 *     3      1   1   1   1   1   1   1   1   1    2       3       4        4          7
 *
 *   gen+1   0 = on no generation; else 1 + (seq mod 127) of the node's generation
 *   refs    accesses, saturating at the policy's refs_max; the tier is computed from it
 *   freq    slow frequency, halved once for each epoch it is behind; kept only where a policy asks for it
 *   epoch   the epoch that freq was last brought up to
 *   type    which of up to four classes with a min_seq of their own
 *   wrk     WORKINGSET  was, or became, part of the working set
 *   pre     PREFETCHED  inserted ahead of use and not yet used
 *   iso     ISOLATED    handed out by genlru_evict, neither freed nor put back yet
 *   pin     PINNED      must not be isolated; one holder
 *   dea     DEAD        one of two parties has let go of the node: the other one frees it
 *   nor     NOREUSE     accesses do not count
 *   smp     SAMPLED     the node takes part in learning (reserved for the learned policy)
 *   cap     TIER_CAP    never protected by its tier (advice pageout)
 *   pro     PROBATION   on the probation chain, below the oldest generation
 *   owner   three bits the library never changes
 *
 * Word (low half) and charge (high half) form one 64-bit atomic, so that whoever moves a node from one
 * counter to another knows the charge it moves, also while the owner recharges it.
 *
 * State of a node, a function of its word alone:
 *
 *   OFF        gen 0, not ISOLATED, not PINNED              the owner's
 *   LISTED     gen != 0                                     the library's (PINNED or not)
 *   PARKED     gen 0, PINNED, not DEAD                      the library's, out of the scan's way
 *   ISOLATED   gen 0, ISOLATED, not PINNED                  the evictor's
 *   CONDEMNED  gen 0, PINNED and DEAD                       the pin holder's, who frees it at unpin
 */
#ifndef GENLRU_IMPL_STATE_H
#define GENLRU_IMPL_STATE_H

#include <stdbool.h>
#include <stdint.h>

enum {
    GENLRU_GEN_SHIFT = 0,
    GENLRU_GEN_BITS = 7,
    GENLRU_REFS_SHIFT = GENLRU_GEN_SHIFT + GENLRU_GEN_BITS,
    GENLRU_REFS_BITS = 4,
    GENLRU_FREQ_SHIFT = GENLRU_REFS_SHIFT + GENLRU_REFS_BITS,
    GENLRU_FREQ_BITS = 4,
    GENLRU_EPOCH_SHIFT = GENLRU_FREQ_SHIFT + GENLRU_FREQ_BITS,
    GENLRU_EPOCH_BITS = 3,
    GENLRU_TYPE_SHIFT = GENLRU_EPOCH_SHIFT + GENLRU_EPOCH_BITS,
    GENLRU_TYPE_BITS = 2,
    GENLRU_FLAGS_SHIFT = GENLRU_TYPE_SHIFT + GENLRU_TYPE_BITS,
    GENLRU_FLAGS_BITS = 9,
    GENLRU_OWNER_SHIFT = GENLRU_FLAGS_SHIFT + GENLRU_FLAGS_BITS,
    GENLRU_OWNER_BITS = 3
};

#define GENLRU_FIELD_MASK(shift, bits) (((UINT32_C(1) << (bits)) - 1) << (shift))
#define GENLRU_GEN_MASK GENLRU_FIELD_MASK(GENLRU_GEN_SHIFT, GENLRU_GEN_BITS)
#define GENLRU_REFS_MASK GENLRU_FIELD_MASK(GENLRU_REFS_SHIFT, GENLRU_REFS_BITS)
#define GENLRU_FREQ_MASK GENLRU_FIELD_MASK(GENLRU_FREQ_SHIFT, GENLRU_FREQ_BITS)
#define GENLRU_EPOCH_MASK GENLRU_FIELD_MASK(GENLRU_EPOCH_SHIFT, GENLRU_EPOCH_BITS)
#define GENLRU_TYPE_MASK GENLRU_FIELD_MASK(GENLRU_TYPE_SHIFT, GENLRU_TYPE_BITS)
#define GENLRU_OWNER_MASK GENLRU_FIELD_MASK(GENLRU_OWNER_SHIFT, GENLRU_OWNER_BITS)

#define GENLRU_WORKINGSET (UINT32_C(1) << (GENLRU_FLAGS_SHIFT + 0))
#define GENLRU_PREFETCHED (UINT32_C(1) << (GENLRU_FLAGS_SHIFT + 1))
#define GENLRU_ISOLATED (UINT32_C(1) << (GENLRU_FLAGS_SHIFT + 2))
#define GENLRU_PINNED (UINT32_C(1) << (GENLRU_FLAGS_SHIFT + 3))
#define GENLRU_DEAD (UINT32_C(1) << (GENLRU_FLAGS_SHIFT + 4))
#define GENLRU_NOREUSE (UINT32_C(1) << (GENLRU_FLAGS_SHIFT + 5))
#define GENLRU_SAMPLED (UINT32_C(1) << (GENLRU_FLAGS_SHIFT + 6))
#define GENLRU_TIER_CAP (UINT32_C(1) << (GENLRU_FLAGS_SHIFT + 7))
#define GENLRU_PROBATION (UINT32_C(1) << (GENLRU_FLAGS_SHIFT + 8))

/*
 * 127 indices for a window of at most 64 generations: a word may lag by a whole window and still decodes to what
 * its writer meant, or to the oldest. With W generations its writer may besides have missed 128 - 2 W agings.
 */
#define GENLRU_GEN_MODULUS 127u
#define GENLRU_MAX_GENS 64u
#define GENLRU_MIN_GENS 3u
#define GENLRU_MAX_TYPES 4u
#define GENLRU_MAX_REFS 15u
#define GENLRU_NR_TIERS 4u

static inline uint32_t genlru_impl_word(uint64_t state)
{
    return (uint32_t)state;
}

static inline uint32_t genlru_impl_charge(uint64_t state)
{
    return (uint32_t)(state >> 32);
}

static inline uint64_t genlru_impl_state(uint32_t word, uint32_t charge)
{
    return (uint64_t)charge << 32 | word;
}

static inline uint64_t genlru_impl_with_word(uint64_t state, uint32_t word)
{
    return (state & ~(uint64_t)UINT32_MAX) | word;
}

static inline unsigned genlru_impl_gen(uint32_t word)
{
    return (word & GENLRU_GEN_MASK) >> GENLRU_GEN_SHIFT;
}

static inline unsigned genlru_impl_refs(uint32_t word)
{
    return (word & GENLRU_REFS_MASK) >> GENLRU_REFS_SHIFT;
}

static inline unsigned genlru_impl_freq(uint32_t word)
{
    return (word & GENLRU_FREQ_MASK) >> GENLRU_FREQ_SHIFT;
}

static inline unsigned genlru_impl_epoch(uint32_t word)
{
    return (word & GENLRU_EPOCH_MASK) >> GENLRU_EPOCH_SHIFT;
}

static inline unsigned genlru_impl_type(uint32_t word)
{
    return (word & GENLRU_TYPE_MASK) >> GENLRU_TYPE_SHIFT;
}

static inline uint32_t genlru_impl_with_gen(uint32_t word, unsigned gen)
{
    return (word & ~GENLRU_GEN_MASK) | (uint32_t)gen << GENLRU_GEN_SHIFT;
}

static inline uint32_t genlru_impl_with_refs(uint32_t word, unsigned refs)
{
    return (word & ~GENLRU_REFS_MASK) | (uint32_t)refs << GENLRU_REFS_SHIFT;
}

/*
 * The window as one 64-bit value, so that a hit reads a consistent one with a single load:
 *
 *   bits 0..7   gen code (1 + seq mod 127) of the youngest generation
 *   bits 8..39  number of generations in the window of type 0..3, 8 bits each
 *   bits 40..47 current epoch of the frequency field
 *   bits 48..63 low bits of max_seq, to tell how many agings passed between two looks
 *
 * Ages count generations from the youngest (0); a gen code outside of the window is clamped to the oldest.
 */
static inline unsigned genlru_impl_window_youngest(uint64_t window)
{
    return (unsigned)(window & 0xff);
}

static inline unsigned genlru_impl_window_width(uint64_t window, unsigned type)
{
    return (unsigned)(window >> (8 + 8 * type) & 0xff);
}

static inline unsigned genlru_impl_window_epoch(uint64_t window)
{
    return (unsigned)(window >> 40 & 0xff);
}

static inline unsigned genlru_impl_window_seq16(uint64_t window)
{
    return (unsigned)(window >> 48);
}

/* Age of gen code `gen` (not 0) of `type`: invariant 8, age < width. */
static inline unsigned genlru_impl_age(uint64_t window, unsigned type, unsigned gen)
{
    unsigned youngest = genlru_impl_window_youngest(window);
    unsigned width = genlru_impl_window_width(window, type);
    unsigned age = youngest >= gen ? youngest - gen : youngest + GENLRU_GEN_MODULUS - gen;

    return age < width ? age : width - 1;
}

/* Gen code of the generation that is `age` (< 127) older than the youngest. */
static inline unsigned genlru_impl_gen_of_age(uint64_t window, unsigned age)
{
    unsigned youngest = genlru_impl_window_youngest(window);

    return youngest > age ? youngest - age : youngest + GENLRU_GEN_MODULUS - age;
}

/*
 * What a hit does: the part of a policy that the inline access reads. See policy.h for the
 * meaning of each preset's numbers.
 */
struct genlru_hit_rules {
    uint8_t refs_max;       /* refs saturate here; 1..15 */
    uint8_t overflow_up;    /* an access beyond refs_max raises the gen by this many; 0 = it does not */
    uint8_t overflow_refs;  /* refs after that */
    uint8_t defer_gens;     /* an access in this many oldest gens defers eviction; 0 = none does */
    uint8_t defer_refs;     /* ... once refs (this access included) reach this */
    uint8_t defer_up;       /* ... by raising the gen by this many */
    uint8_t promoted_refs;  /* cap of refs after a deferral */
    uint8_t saturate_marks; /* an access beyond refs_max sets WORKINGSET */
    uint8_t freq_max;       /* freq saturates here; 0 = freq is not kept */
    uint8_t unused[7];
};

/* freq of `word` as it counts in the window's epoch: halved once per epoch behind, gone after four (told up to 7 behind). */
static inline unsigned genlru_impl_aged_freq(uint32_t word, uint64_t window)
{
    unsigned behind = (genlru_impl_window_epoch(window) - genlru_impl_epoch(word)) & 7u;

    return behind > 4 ? 0 : genlru_impl_freq(word) >> behind;
}

static inline uint32_t genlru_impl_count_freq(uint32_t word, uint64_t window, unsigned freq_max)
{
    unsigned freq = genlru_impl_aged_freq(word, window);

    freq = freq < freq_max ? freq + 1 : freq;
    word &= ~(GENLRU_FREQ_MASK | GENLRU_EPOCH_MASK);
    return word | (uint32_t)freq << GENLRU_FREQ_SHIFT |
           (uint32_t)(genlru_impl_window_epoch(window) & 7u) << GENLRU_EPOCH_SHIFT;
}

/*
 * The hit, as a pure function: the word after one access by the owner's own code (the read() channel;
 * algorithms: MGLRU-FG's count rule). Never changes anything but gen, refs, freq, epoch,
 * PREFETCHED and WORKINGSET, and returns `word` itself where an access changes nothing.
 */
static inline uint32_t genlru_impl_word_hit(uint32_t word, uint64_t window, const struct genlru_hit_rules *rules)
{
    unsigned gen = genlru_impl_gen(word);
    unsigned refs = genlru_impl_refs(word) + 1;
    unsigned age = 0;
    unsigned up = 0;

    if (word & GENLRU_NOREUSE)
        return word;
    word &= ~GENLRU_PREFETCHED;
    if (rules->freq_max)
        word = genlru_impl_count_freq(word, window, rules->freq_max);
    if (refs > rules->refs_max) {
        refs = rules->refs_max;
        if (rules->saturate_marks)
            word |= GENLRU_WORKINGSET;
        up = rules->overflow_up;
    }
    if (gen && !(word & GENLRU_PROBATION) && (up | rules->defer_gens)) {
        unsigned type = genlru_impl_type(word);

        age = genlru_impl_age(window, type, gen);
        if (age > 0 && up) {
            refs = rules->overflow_refs;
        } else if (age > 0 && refs >= rules->defer_refs &&
                   age + rules->defer_gens >= genlru_impl_window_width(window, type)) {
            up = rules->defer_up;
            refs = refs < rules->promoted_refs ? refs : rules->promoted_refs;
        } else {
            up = 0;
        }
        if (up)
            word = genlru_impl_with_gen(word, genlru_impl_gen_of_age(window, age > up ? age - up : 0));
    }
    return genlru_impl_with_refs(word, refs);
}

/*
 * The words that no access changes, as one compare. The mask follows from the policy alone, the value from the window too.
 * A policy whose hits never move a node is saturated in every generation, the others in the youngest.
 */
struct genlru_saturated {
    uint32_t mask;
    uint32_t value;
};

static inline bool genlru_impl_is_saturated(uint32_t word, struct genlru_saturated saturated)
{
    return (word & saturated.mask) == saturated.value;
}

#endif
