/* SPDX-License-Identifier: MIT */
/* Miniatures: see mini.h. */
#include "learn/mini.h"

#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "gens/window.h"
#include "reclaim/verdict.h"

enum {
    KEYS_PER_ENTRY = 8, /* keys of the directory: what the rules have between them, and their shadows */
    END = UINT16_MAX,   /* of a bucket */
    PROBES = 8,         /* keys looked at for the one to give way */
    CELLS = GENLRU__NR_RULES,
    LIST_OF_PROBATION = GENLRU_MAX_GENS,
    NR_LISTS
};

#define NONE UINT32_MAX

struct key {
    uint32_t print;
    uint32_t charge;
    uint32_t seen;    /* accesses of the sample until its last one */
    uint16_t next;    /* of its bucket */
    uint8_t resident; /* mask of rules */
    uint8_t unused;
};

/* The word is 0 until the rule first had the key. */
struct cell {
    uint32_t word;
    uint32_t link; /* resident: next in its list; else the eviction clock when it left */
};

struct fifo {
    uint32_t head;
    uint32_t tail;
};

struct mini {
    struct genlru__context context;
    struct genlru_saturated saturated; /* words that a hit does not change (impl/state.h) */
    uint64_t max_seq;
    uint64_t min_seq;
    uint64_t nodes;
    uint64_t probation_nodes;
    uint64_t charge;
    uint64_t probation_charge;
    uint64_t clock;
    struct fifo list[NR_LISTS];
};

struct genlru__minis {
    uint64_t capacity; /* of each */
    uint32_t nr_keys;
    uint32_t used_keys;
    uint32_t hand;
    uint32_t now; /* accesses so far */
    uint32_t bucket_mask;
    uint32_t epoch;
    struct key *key;
    struct cell *cell;
    uint16_t *bucket;
    struct mini mini[GENLRU__NR_RULES];
};

static uint32_t nr_keys_of(uint32_t entries)
{
    return entries * KEYS_PER_ENTRY + 2 * PROBES;
}

static size_t round_to_line(size_t bytes)
{
    return (bytes + GENLRU__CACHE_LINE - 1) / GENLRU__CACHE_LINE * GENLRU__CACHE_LINE;
}

static size_t nr_buckets_of(uint32_t entries)
{
    return (size_t)genlru__round_up_pow2(nr_keys_of(entries));
}

size_t genlru__minis_bytes(uint32_t entries)
{
    size_t nr = nr_keys_of(entries);

    return round_to_line(sizeof(struct genlru__minis)) + round_to_line(nr * CELLS * sizeof(struct cell)) +
           round_to_line(nr * sizeof(struct key)) + nr_buckets_of(entries) * sizeof(uint16_t);
}

static void set_window(struct genlru__minis *minis, struct mini *mini)
{
    const unsigned width[GENLRU_MAX_TYPES] = {(unsigned)(mini->max_seq - mini->min_seq + 1), 1, 1, 1};

    mini->context.window = genlru__window_value(mini->max_seq, width, minis->epoch);
    mini->saturated = genlru__saturated(mini->context.policy, mini->context.window);
}

struct genlru__minis *genlru__minis_init(void *memory, uint32_t entries, uint64_t capacity, unsigned nr_gens,
                                         const struct genlru_policy *const *policies)
{
    struct genlru__minis *minis = memory;
    char *at = (char *)memory + round_to_line(sizeof(*minis));
    unsigned rule, list;

    memset(memory, 0, genlru__minis_bytes(entries));
    minis->capacity = capacity;
    minis->nr_keys = nr_keys_of(entries);
    minis->cell = (struct cell *)(void *)at;
    at += round_to_line((size_t)minis->nr_keys * CELLS * sizeof(struct cell));
    minis->key = (struct key *)(void *)at;
    at += round_to_line((size_t)minis->nr_keys * sizeof(struct key));
    minis->bucket = (uint16_t *)(void *)at;
    minis->bucket_mask = (uint32_t)nr_buckets_of(entries) - 1;
    memset(minis->bucket, 0xff, nr_buckets_of(entries) * sizeof(uint16_t));
    for (rule = 0; rule < GENLRU__NR_RULES; rule++) {
        struct mini *mini = &minis->mini[rule];

        mini->context = (struct genlru__context){0, policies[rule], nr_gens};
        mini->max_seq = nr_gens - 1;
        for (list = 0; list < NR_LISTS; list++)
            mini->list[list] = (struct fifo){NONE, NONE};
        set_window(minis, mini);
    }
    return minis;
}

void genlru__minis_begin_epoch(struct genlru__minis *minis)
{
    unsigned rule;

    minis->epoch++;
    for (rule = 0; rule < GENLRU__NR_RULES; rule++)
        set_window(minis, &minis->mini[rule]);
}

/* ---- the directory ---- */

static uint16_t *bucket_of(const struct genlru__minis *minis, uint32_t print)
{
    return &minis->bucket[(print * UINT32_C(0x9e3779b1) >> 7) & minis->bucket_mask];
}

static struct cell *cell_of(const struct genlru__minis *minis, uint32_t key, unsigned rule)
{
    return &minis->cell[(size_t)key * CELLS + rule];
}

static uint32_t find_key(const struct genlru__minis *minis, uint32_t print)
{
    uint32_t key = *bucket_of(minis, print);

    while (key != END && minis->key[key].print != print)
        key = minis->key[key].next;
    return key == END ? NONE : key;
}

static void forget_key(struct genlru__minis *minis, uint32_t key)
{
    uint16_t *link = bucket_of(minis, minis->key[key].print);

    while (*link != key)
        link = &minis->key[*link].next;
    *link = minis->key[key].next;
}

/* A place for a new key: a fresh one, or the longest unseen of the next few that no rule has; NONE: every rule's all. */
static uint32_t free_key(struct genlru__minis *minis)
{
    uint32_t best = NONE, looked, found = 0;

    if (minis->used_keys < minis->nr_keys)
        return minis->used_keys++;
    for (looked = 0; looked < minis->nr_keys && found < PROBES; looked++) {
        uint32_t key = minis->hand;

        minis->hand = key + 1 < minis->nr_keys ? key + 1 : 0;
        if (minis->key[key].resident)
            continue;
        found++;
        if (best == NONE || minis->now - minis->key[key].seen > minis->now - minis->key[best].seen)
            best = key;
    }
    if (best != NONE)
        forget_key(minis, best);
    return best;
}

static uint32_t make_key(struct genlru__minis *minis, uint32_t print, uint32_t charge)
{
    uint32_t key = free_key(minis);
    uint16_t *bucket = bucket_of(minis, print);

    if (key == NONE)
        return NONE;
    minis->key[key] = (struct key){print, charge, minis->now, *bucket, 0, 0};
    *bucket = (uint16_t)key;
    memset(cell_of(minis, key, 0), 0, CELLS * sizeof(struct cell));
    return key;
}

/* ---- one miniature: its lists ---- */

static unsigned list_of(const struct mini *mini, uint32_t word)
{
    if (word & GENLRU_PROBATION)
        return LIST_OF_PROBATION;
    return (unsigned)(mini->max_seq - genlru_impl_age(mini->context.window, 0, genlru_impl_gen(word))) %
           GENLRU_MAX_GENS;
}

static unsigned oldest_list(const struct mini *mini)
{
    return (unsigned)mini->min_seq % GENLRU_MAX_GENS;
}

static void append(struct genlru__minis *minis, unsigned rule, uint32_t key, uint32_t word)
{
    struct mini *mini = &minis->mini[rule];
    struct fifo *list = &mini->list[list_of(mini, word)];

    *cell_of(minis, key, rule) = (struct cell){word, NONE};
    if (list->head == NONE)
        list->head = key;
    else
        cell_of(minis, list->tail, rule)->link = key;
    list->tail = key;
    if (word & GENLRU_PROBATION) {
        mini->probation_nodes++;
        mini->probation_charge += minis->key[key].charge;
    }
}

static uint32_t take_first(struct genlru__minis *minis, unsigned rule, unsigned list)
{
    struct mini *mini = &minis->mini[rule];
    uint32_t key = mini->list[list].head;

    mini->list[list].head = cell_of(minis, key, rule)->link;
    if (list == LIST_OF_PROBATION) {
        mini->probation_nodes--;
        mini->probation_charge -= minis->key[key].charge;
    }
    return key;
}

/* ---- one miniature: eviction, as reclaim/evict.c and reclaim/scan.c do it ---- */

static void evict(struct genlru__minis *minis, unsigned rule, uint32_t key)
{
    struct mini *mini = &minis->mini[rule];

    cell_of(minis, key, rule)->link = (uint32_t)mini->clock;
    minis->key[key].resident &= (uint8_t) ~(1u << rule);
    mini->nodes--;
    mini->charge -= minis->key[key].charge;
    mini->clock += minis->key[key].charge;
}

/* The window stays full: a new generation each time the oldest has become empty. */
static void make_oldest(struct genlru__minis *minis, struct mini *mini)
{
    if (mini->list[oldest_list(mini)].head != NONE)
        return;
    do {
        mini->min_seq++;
        mini->max_seq++;
    } while (mini->list[oldest_list(mini)].head == NONE);
    set_window(minis, mini);
}

static bool has_residents(const struct mini *mini)
{
    return mini->nodes > mini->probation_nodes;
}

/* Looks at the first node of the oldest generation; true if it was evicted. */
static bool scan_oldest(struct genlru__minis *minis, unsigned rule, const struct genlru__judge *judge)
{
    struct mini *mini = &minis->mini[rule];
    uint32_t key, word;

    make_oldest(minis, mini);
    key = take_first(minis, rule, oldest_list(mini));
    word = cell_of(minis, key, rule)->word;
    if (genlru__verdict_at_home(word, &mini->context, judge) == GENLRU__KEEP &&
        genlru__word_keep(word, &mini->context, &word) == 0) {
        append(minis, rule, key, word);
        return false;
    }
    evict(minis, rule, key);
    return true;
}

static bool wins_duel(struct genlru__minis *minis, unsigned rule, uint32_t word, struct genlru__judge judge)
{
    struct mini *mini = &minis->mini[rule];
    unsigned left;

    judge.contender = genlru_impl_aged_freq(word, mini->context.window);
    /* the contender is on no list, but counts among the nodes */
    for (left = mini->context.policy->probation.duel; left && mini->nodes - 1 > mini->probation_nodes; left--)
        if (scan_oldest(minis, rule, &judge))
            return true;
    return false;
}

/* Looks at the first node of probation; true if it, or a resident it beat, was evicted. */
static bool scan_probation(struct genlru__minis *minis, unsigned rule, const struct genlru__judge *judge)
{
    struct mini *mini = &minis->mini[rule];
    uint32_t key = take_first(minis, rule, LIST_OF_PROBATION), word = cell_of(minis, key, rule)->word;
    enum genlru__verdict verdict = genlru__verdict_at_home(word, &mini->context, judge);
    bool is_over = true;

    if (verdict == GENLRU__CONTEND)
        verdict = wins_duel(minis, rule, word, *judge) ? GENLRU__GRADUATE : GENLRU__ISOLATE;
    else
        is_over = verdict == GENLRU__ISOLATE;
    if (verdict == GENLRU__GRADUATE && genlru__word_graduate(word, &mini->context, &word) == 0)
        append(minis, rule, key, word);
    else
        evict(minis, rule, key);
    return is_over;
}

static void evict_one(struct genlru__minis *minis, unsigned rule)
{
    struct mini *mini = &minis->mini[rule];
    struct genlru__judge judge = {0, GENLRU_NR_TIERS - 1, 0, GENLRU__DUEL_OPEN, false};
    uint64_t share = genlru__percent_of(minis->capacity, mini->context.policy->probation.percent), looked;
    bool is_over = false;

    for (looked = 0; !is_over; looked++) {
        judge.is_desperate = looked > 2 * mini->nodes;
        if (mini->probation_nodes && (mini->probation_charge >= genlru__max(1, share) || !has_residents(mini)))
            is_over = scan_probation(minis, rule, &judge);
        else
            is_over = scan_oldest(minis, rule, &judge);
    }
}

/* ---- an access ---- */

static struct genlru__past past_of(const struct mini *mini, const struct cell *cell, uint64_t capacity)
{
    const struct genlru_policy *policy = mini->context.policy;
    struct genlru__past past = {false, 0, 0, false, false};
    uint64_t distance = (uint32_t)mini->clock - cell->link;

    if (!cell->word || distance >= genlru__percent_of(capacity, policy->refault.distance_percent))
        return past;
    past.is_recent = true;
    past.is_near = distance < genlru__percent_of(capacity, policy->place.refault_percent);
    past.refs = (uint8_t)genlru_impl_refs(cell->word);
    past.freq = (uint8_t)genlru_impl_aged_freq(cell->word, mini->context.window);
    return past;
}

static void fill(struct genlru__minis *minis, unsigned rule, uint32_t key)
{
    struct mini *mini = &minis->mini[rule];
    const struct genlru_probation_rules *probation = &mini->context.policy->probation;
    uint32_t charge = minis->key[key].charge, word;
    struct genlru__past past;
    bool to_probation;

    while (mini->nodes && mini->charge + charge > minis->capacity)
        evict_one(minis, rule);
    past = past_of(mini, cell_of(minis, key, rule), minis->capacity);
    to_probation = probation->percent && mini->charge >= genlru__percent_of(minis->capacity, probation->fill_percent);
    if (genlru__word_add(0, &mini->context, 0, &past, to_probation, &word) != 0)
        return;
    mini->nodes++;
    mini->charge += charge;
    minis->key[key].resident |= (uint8_t)(1u << rule);
    append(minis, rule, key, word);
}

uint32_t genlru__minis_access(struct genlru__minis *minis, uint32_t print, uint32_t charge)
{
    const uint32_t all = (1u << GENLRU__NR_RULES) - 1;
    uint32_t key = find_key(minis, print), missed, left;
    unsigned rule;

    minis->now++;
    if (key == NONE)
        key = make_key(minis, print, charge);
    if (key == NONE || charge > minis->capacity)
        return all;
    minis->key[key].seen = minis->now;
    if (!minis->key[key].resident)
        minis->key[key].charge = charge;
    missed = all & ~minis->key[key].resident;
    for (rule = 0; rule < GENLRU__NR_RULES; rule++) {
        const struct mini *mini = &minis->mini[rule];
        struct cell *cell = cell_of(minis, key, rule);

        if (!(missed >> rule & 1u) && !genlru_impl_is_saturated(cell->word, mini->saturated))
            cell->word = genlru_impl_word_hit(cell->word, mini->context.window, &mini->context.policy->hit);
    }
    for (left = missed; left; left &= left - 1)
        fill(minis, (unsigned)__builtin_ctz(left), key);
    return missed;
}

void genlru__minis_prefetch(const struct genlru__minis *minis, uint32_t print)
{
    uint32_t key = *bucket_of(minis, print);

    if (key != END) {
        __builtin_prefetch(&minis->key[key], 1);
        __builtin_prefetch(cell_of(minis, key, 0), 1);
    }
}

struct genlru__mini_stat genlru__minis_stat(const struct genlru__minis *minis, unsigned rule)
{
    const struct mini *mini = &minis->mini[rule];

    return (struct genlru__mini_stat){mini->nodes, mini->charge, mini->probation_charge, mini->clock};
}
