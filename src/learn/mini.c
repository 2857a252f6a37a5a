/* SPDX-License-Identifier: MIT */
/* Miniatures: see mini.h. */
#include "learn/mini.h"

#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "gens/window.h"
#include "learn/directory.h"
#include "reclaim/plain.h"

enum { CELLS = GENLRU__NR_RULES, LIST_OF_PROBATION = GENLRU_MAX_GENS, NR_LISTS };

#define NONE UINT32_MAX

/* What the rules know of a key: one line, so that an access of all of them reads one. */
struct cells {
    uint32_t word[CELLS]; /* 0 until the rule first had the key */
    uint32_t link[CELLS]; /* resident: next in its list; else the eviction clock when it left */
};

struct fifo {
    uint32_t head;
    uint32_t tail;
};

struct mini {
    /* What the rule and the window come to. */
    struct genlru__context context;
    struct genlru__plain oldest;    /* words of the oldest generation */
    struct genlru__plain opponents; /* ... in a duel */
    uint32_t fresh[2];              /* word of a new node, and of one that goes on probation */
    uint64_t probation_due;         /* charges: of probation, from which on it is scanned; */
    uint64_t probation_from;        /* of all, from which on new nodes go there; */
    uint64_t recent_within;         /* evicted less than this ago, a node is remembered, or comes back as near */
    uint64_t near_within;
    uint64_t epoch_charge; /* evicted in an epoch of freq */

    uint64_t max_seq;
    uint64_t min_seq;
    uint64_t nodes;
    uint64_t probation_nodes;
    uint64_t charge;
    uint64_t probation_charge;
    uint64_t clock;
    uint64_t epoch_clock; /* when the epoch of freq began */
    uint32_t epoch;
    struct genlru_saturated saturated; /* words that a hit does not change (impl/state.h) */
    struct fifo list[NR_LISTS];
};

struct genlru__minis {
    uint64_t capacity; /* of each */
    struct cells *cells;
    struct genlru__directory directory;
    struct mini mini[GENLRU__NR_RULES];
};

static size_t round_to_line(size_t bytes)
{
    return (bytes + GENLRU__CACHE_LINE - 1) / GENLRU__CACHE_LINE * GENLRU__CACHE_LINE;
}

size_t genlru__minis_bytes(uint32_t entries)
{
    return round_to_line(sizeof(struct genlru__minis)) + genlru__directory_keys(entries) * sizeof(struct cells) +
           genlru__directory_bytes(entries);
}

static void set_window(struct mini *mini)
{
    const unsigned width[GENLRU_MAX_TYPES] = {(unsigned)(mini->max_seq - mini->min_seq + 1), 1, 1, 1};
    const struct genlru__past no_past = {false, 0, 0, false, false};
    unsigned to_probation;
    int error;

    mini->context.window = genlru__window_value(mini->max_seq, width, mini->epoch);
    mini->saturated = genlru__saturated(mini->context.policy, mini->context.window);
    genlru__plain_oldest(&mini->oldest, mini->context.window, 0, GENLRU_NR_TIERS - 1);
    genlru__plain_opponents(&mini->opponents, mini->context.window, 0, GENLRU_NR_TIERS - 1);
    for (to_probation = 0; to_probation < 2; to_probation++) {
        error = genlru__word_add(0, &mini->context, 0, &no_past, to_probation, &mini->fresh[to_probation]);
        genlru__assert(error == 0);
        (void)error;
    }
}

static void init_mini(struct genlru__minis *minis, struct mini *mini, unsigned nr_gens, const struct genlru__rule *rule)
{
    const struct genlru_policy *policy = &rule->policy;
    unsigned list;

    mini->context = (struct genlru__context){0, policy, nr_gens};
    mini->oldest.rule = mini->opponents.rule = rule;
    mini->max_seq = nr_gens - 1;
    mini->probation_due = genlru__max(1, genlru__percent_of(minis->capacity, policy->probation.percent));
    mini->probation_from =
        policy->probation.percent ? genlru__percent_of(minis->capacity, policy->probation.fill_percent) : UINT64_MAX;
    mini->recent_within = genlru__percent_of(minis->capacity, policy->refault.distance_percent);
    mini->near_within = genlru__percent_of(minis->capacity, policy->place.refault_percent);
    mini->epoch_charge = genlru__max(1, genlru__percent_of(minis->capacity, policy->epoch_percent));
    for (list = 0; list < NR_LISTS; list++)
        mini->list[list] = (struct fifo){NONE, NONE};
    set_window(mini);
}

struct genlru__minis *genlru__minis_init(void *memory, uint32_t entries, uint64_t capacity, unsigned nr_gens,
                                         const struct genlru__rule *rules)
{
    struct genlru__minis *minis = memory;
    char *at = (char *)memory + round_to_line(sizeof(*minis));
    unsigned rule;

    memset(memory, 0, genlru__minis_bytes(entries));
    minis->capacity = capacity;
    minis->cells = (struct cells *)(void *)at;
    at += genlru__directory_keys(entries) * sizeof(struct cells);
    genlru__directory_init(&minis->directory, at, entries);
    for (rule = 0; rule < GENLRU__NR_RULES; rule++)
        init_mini(minis, &minis->mini[rule], nr_gens, &rules[rule]);
    return minis;
}

/*
 * By what this rule evicts, as it would were it in force: epochs by another rule's evictions made a miniature of counts that were
 * never halved, or too soon, and its misses were not those of an lru.
 */
static void begin_epoch_if_due(struct mini *mini)
{
    if (mini->clock - mini->epoch_clock < mini->epoch_charge)
        return;
    mini->epoch_clock += mini->epoch_charge;
    mini->epoch++;
    set_window(mini);
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

    minis->cells[key].word[rule] = word;
    minis->cells[key].link[rule] = NONE;
    if (list->head == NONE)
        list->head = key;
    else
        minis->cells[list->tail].link[rule] = key;
    list->tail = key;
    if (word & GENLRU_PROBATION) {
        mini->probation_nodes++;
        mini->probation_charge += minis->directory.key[key].charge;
    }
}

/* The next one of the list is the next victim, or its opponent: soon wanted. */
static uint32_t take_first(struct genlru__minis *minis, unsigned rule, struct fifo *list)
{
    uint32_t key = list->head, next = minis->cells[key].link[rule];

    list->head = next;
    if (next != NONE) {
        __builtin_prefetch(&minis->cells[next], 1);
        __builtin_prefetch(&minis->directory.key[next], 1);
    }
    return key;
}

/* ---- one miniature: eviction, as reclaim/evict.c and reclaim/scan.c do it ---- */

static void evict(struct genlru__minis *minis, unsigned rule, uint32_t key)
{
    struct mini *mini = &minis->mini[rule];
    struct genlru__key *victim = &minis->directory.key[key];

    minis->cells[key].link[rule] = (uint32_t)mini->clock;
    victim->resident &= (uint8_t) ~(1u << rule);
    mini->nodes--;
    mini->charge -= victim->charge;
    mini->clock += victim->charge;
}

/* The window stays full: a new generation each time the oldest has become empty. */
static void make_oldest(struct mini *mini)
{
    if (mini->list[oldest_list(mini)].head != NONE)
        return;
    do {
        mini->min_seq++;
        mini->max_seq++;
    } while (mini->list[oldest_list(mini)].head == NONE);
    set_window(mini);
}

static bool has_residents(const struct mini *mini)
{
    return mini->nodes > mini->probation_nodes;
}

/* Looks at the first node of the oldest generation; true if it was evicted. Words do not lag here: all are plain. */
static bool scan_oldest(struct genlru__minis *minis, unsigned rule, const struct genlru__plain *plain,
                        bool is_desperate)
{
    struct mini *mini = &minis->mini[rule];
    uint32_t key, word;
    unsigned class;

    make_oldest(mini);
    key = take_first(minis, rule, &mini->list[oldest_list(mini)]);
    word = minis->cells[key].word[rule];
    if (!is_desperate && genlru__plain_verdict(plain, word) == GENLRU__KEEP) {
        append(minis, rule, key, genlru__plain_keep(plain, word, &class));
        return false;
    }
    evict(minis, rule, key);
    return true;
}

static bool wins_duel(struct genlru__minis *minis, unsigned rule, uint32_t word, bool is_desperate)
{
    struct mini *mini = &minis->mini[rule];
    unsigned left;
    bool wins = false;

    mini->opponents.enough = genlru_impl_aged_freq(word, mini->context.window);
    /* the contender is on no list, but counts among the nodes */
    for (left = mini->context.policy->probation.duel; left && !wins && mini->nodes - 1 > mini->probation_nodes; left--)
        wins = scan_oldest(minis, rule, &mini->opponents, is_desperate);
    return wins;
}

/* Looks at the first node of probation; true if it, or a resident it beat, was evicted. */
static bool scan_probation(struct genlru__minis *minis, unsigned rule, bool is_desperate)
{
    const struct genlru__judge judge = {0, GENLRU_NR_TIERS - 1, 0, GENLRU__DUEL_OPEN, is_desperate};
    struct mini *mini = &minis->mini[rule];
    uint32_t key = take_first(minis, rule, &mini->list[LIST_OF_PROBATION]), word = minis->cells[key].word[rule];
    enum genlru__verdict verdict = genlru__verdict_at_home(word, &mini->context, &judge);
    bool is_over = true;

    mini->probation_nodes--;
    mini->probation_charge -= minis->directory.key[key].charge;
    if (verdict == GENLRU__CONTEND)
        verdict = wins_duel(minis, rule, word, is_desperate) ? GENLRU__GRADUATE : GENLRU__ISOLATE;
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
    uint64_t looked;
    bool is_over = false;

    for (looked = 0; !is_over; looked++) {
        bool is_desperate = looked > 2 * mini->nodes;

        if (mini->probation_nodes && (mini->probation_charge >= mini->probation_due || !has_residents(mini)))
            is_over = scan_probation(minis, rule, is_desperate);
        else
            is_over = scan_oldest(minis, rule, &mini->oldest, is_desperate);
    }
}

/* ---- an access ---- */

/* All rules of an lru share the hit rules, so these are known here. */
static const struct genlru_hit_rules hit_rules = GENLRU__RULES_HIT;

/* The word of a key that comes, or comes back. What was read ahead is added so, and used at once. */
static uint32_t word_of(const struct mini *mini, uint32_t before, uint32_t left_at, bool is_ahead)
{
    uint64_t distance = (uint32_t)mini->clock - left_at;
    bool to_probation = mini->charge >= mini->probation_from;
    struct genlru__past past = {false, 0, 0, false, false};
    uint32_t word = 0;

    if (before && distance < mini->recent_within)
        past = (struct genlru__past){.is_recent = true,
                                     .is_near = distance < mini->near_within,
                                     .refs = (uint8_t)genlru_impl_refs(before),
                                     .freq = (uint8_t)genlru_impl_aged_freq(before, mini->context.window)};
    else if (!is_ahead)
        return mini->fresh[to_probation];
    if (genlru__word_add(0, &mini->context, is_ahead ? GENLRU_ADD_PREFETCHED : 0, &past, to_probation, &word) != 0)
        return mini->fresh[to_probation];
    return is_ahead ? genlru_impl_word_hit(word, mini->context.window, &hit_rules) : word;
}

static void fill(struct genlru__minis *minis, unsigned rule, uint32_t key, bool is_ahead)
{
    struct mini *mini = &minis->mini[rule];
    struct genlru__key *entry = &minis->directory.key[key];
    uint32_t word;

    while (mini->nodes && mini->charge + entry->charge > minis->capacity)
        evict_one(minis, rule);
    word = word_of(mini, minis->cells[key].word[rule], minis->cells[key].link[rule], is_ahead);
    mini->nodes++;
    mini->charge += entry->charge;
    entry->resident |= (uint8_t)(1u << rule);
    append(minis, rule, key, word);
    begin_epoch_if_due(mini);
}

static void hit(const struct genlru__minis *minis, struct cells *cells, uint32_t rules)
{
    for (; rules; rules &= rules - 1) {
        unsigned rule = (unsigned)__builtin_ctz(rules);
        const struct mini *mini = &minis->mini[rule];
        uint32_t *word = &cells->word[rule];

        if (!genlru_impl_is_saturated(*word, mini->saturated))
            *word = genlru_impl_word_hit(*word, mini->context.window, &hit_rules);
    }
}

uint32_t genlru__minis_access(struct genlru__minis *minis, uint32_t print, uint32_t charge, bool is_ahead)
{
    const uint32_t all = (1u << GENLRU__NR_RULES) - 1;
    struct genlru__directory *directory = &minis->directory;
    uint32_t key = genlru__directory_find(directory, print), missed, left;

    directory->now++;
    if (charge > minis->capacity && key == GENLRU__NO_KEY)
        return all;
    if (key == GENLRU__NO_KEY) {
        key = genlru__directory_make(directory, print, charge);
        if (key == GENLRU__NO_KEY)
            return all;
        memset(&minis->cells[key], 0, sizeof(minis->cells[key]));
    }
    if (charge > minis->capacity)
        return all;
    directory->key[key].seen = directory->now;
    if (!directory->key[key].resident)
        directory->key[key].charge = charge;
    missed = all & ~directory->key[key].resident;
    hit(minis, &minis->cells[key], all & ~missed);
    for (left = missed; left; left &= left - 1)
        fill(minis, (unsigned)__builtin_ctz(left), key, is_ahead);
    return missed;
}

void genlru__minis_prefetch(const struct genlru__minis *minis, uint32_t print)
{
    uint32_t key = *genlru__directory_bucket(&minis->directory, print);

    if (key != GENLRU__NO_KEY) {
        __builtin_prefetch(&minis->directory.key[key], 1);
        __builtin_prefetch(&minis->cells[key], 1);
    }
}

uint32_t genlru__minis_epoch(const struct genlru__minis *minis, unsigned rule)
{
    return minis->mini[rule].epoch;
}

struct genlru__mini_stat genlru__minis_stat(const struct genlru__minis *minis, unsigned rule)
{
    const struct mini *mini = &minis->mini[rule];

    return (struct genlru__mini_stat){mini->nodes, mini->charge, mini->probation_charge, mini->clock};
}
