/* SPDX-License-Identifier: MIT */
/*
 * The model: an obvious, slow, single-threaded genlru, written from the public headers and the
 * papers behind them, that says exactly what the library answers. It shares no code with it.
 *
 *   node    plain fields, a 64-bit seq and epoch: nothing is packed, nothing wraps
 *   list    array of blocks; a block is 60 places, each of them a node or nothing
 *   sums    computed by walking all nodes, each time
 *
 * Blocks are in the model because what is counted shows them: 16 holes count as a node looked at, a
 * list with nothing but holes is still to be passed, a move needs a block where there may be none.
 *
 *   model_node.c   what happens to one node: hits, advice, placement, tiers
 *   model_list.c   blocks, lists, memory
 *   model_compact.c
 *   model_gens.c   window, history, controller, aging
 *   model_evict.c  the scan
 *   model.c        the calls
 */
#ifndef GENLRU_TESTS_MODEL_MODEL_H
#define GENLRU_TESTS_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "genlru/lru.h"
#include "genlru/policy.h"
#include "genlru/stat.h"

enum {
    MODEL_PLACES = 60,
    MODEL_TIERS = 4,
    MODEL_TYPES = 4,
    MODEL_MAX_LISTS = 66, /* of a type: 64 generations, probation, parked */
    MODEL_OPEN = 4,
    MODEL_RESERVE = 2
};

enum model_state { MODEL_OFF, MODEL_LISTED, MODEL_PARKED, MODEL_ISOLATED, MODEL_CONDEMNED };

struct model_node {
    enum model_state state;
    bool is_on_probation; /* LISTED, but in no generation */
    bool is_pinned;
    bool is_dead;
    bool is_workingset;
    bool is_prefetched;
    bool is_noreuse;
    bool has_tier_cap;
    unsigned type;
    unsigned refs;
    unsigned freq;
    uint64_t epoch; /* of freq */
    uint64_t seq;   /* of its generation; below min_seq it means min_seq */
    uint64_t charge;
    /* while isolated: what its eviction was counted as */
    unsigned evicted_tier;
};

struct model_block {
    struct model_node *place[MODEL_PLACES];
    unsigned begin; /* places before it were scanned */
    unsigned end;   /* places from it on were never used */
};

/* Oldest block first. */
struct model_list {
    struct model_block **block;
    unsigned nr;
    unsigned max;
    unsigned type;
};

/* A block that adds fill, on no list yet: it belongs to a generation, not to a list. */
struct model_open {
    struct model_block *block;
    unsigned type;
    bool is_for_probation;
    uint64_t seq;
};

struct model_hist {
    uint64_t avg_refaulted[MODEL_TIERS];
    uint64_t avg_total[MODEL_TIERS];
    uint64_t refaulted[MODEL_TIERS];
    uint64_t evicted[MODEL_TIERS];
    uint64_t protected_[MODEL_TIERS];
};

struct model {
    struct genlru_policy policy;
    unsigned nr_gens;
    unsigned nr_types;
    unsigned weight[MODEL_TYPES];
    uint64_t capacity;
    unsigned clock_shift; /* a shadow's clock counts steps of 2^this charge */
    unsigned tag;         /* told by the test: it names the lru, nothing follows from it */

    uint64_t now; /* the clock, and by how much it moves at each look */
    uint64_t tick;

    uint64_t max_seq;
    uint64_t min_seq[MODEL_TYPES];
    uint64_t epoch;
    uint64_t clock;        /* charge evicted */
    uint64_t clock_of_age; /* when the last generation began by volume */
    uint64_t clock_of_epoch;
    uint64_t fullness;  /* charge when it was last looked at, for probation */
    uint64_t birth[64]; /* of generation seq, at seq % nr_rings */

    unsigned nr_rings; /* lists for generations: a power of two */
    struct model_list list[MODEL_TYPES][MODEL_MAX_LISTS];
    struct model_open open[MODEL_OPEN]; /* most recently used first */
    struct model_block *cursor_block;   /* of the compaction; NULL = at the start of cursor_list */
    unsigned cursor_list;
    uint64_t behind;
    bool is_compaction_due;
    uint64_t live_hint; /* nodes when they were last counted for it, less those evicted since */
    uint64_t nr_dels;
    uint64_t flushed_seq[MODEL_TYPES]; /* oldest generation whose open blocks an aging has asked for */

    /* memory */
    bool has_no_memory; /* the allocator fails */
    uint64_t pool_blocks;
    uint64_t pool_free;
    uint64_t reserve;

    struct model_hist hist[MODEL_TYPES];
    struct {
        uint64_t evicted, putback, scanned, promoted, protected_, parked, aged;
        uint64_t refaulted, refaulted_workingset, prefetched_unused, compacted;
    } stat;

    struct model_node *node; /* all there are */
    unsigned nr_nodes;
    uint64_t nr_misuses; /* refusals that the error hook is told of */
};

struct model_victim {
    struct model_node *node;
    genlru_shadow shadow;
};

struct model_sum {
    uint64_t nodes;
    uint64_t charge;
};

/* What a shadow says, by the layout that shadow.h draws. */
struct model_shadow {
    bool is_one;
    uint64_t clock;
    unsigned seq, refs, freq, epoch, type, tag;
    bool is_workingset;
};

/* ---- model.c: the calls, with the library's answers ---- */

void model_init(struct model *model, const struct genlru_config *config, struct model_node *nodes, unsigned nr,
                uint64_t max_seq, uint64_t clock, uint64_t epoch);
void model_fini(struct model *model);
int model_node_init(struct model_node *node, uint64_t charge, unsigned type);
int model_add(struct model *model, struct model_node *node, unsigned flags, genlru_shadow shadow);
int model_del(struct model *model, struct model_node *node);
int model_pin(struct model *model, struct model_node *node);
int model_unpin(struct model *model, struct model_node *node);
int model_recharge(struct model *model, struct model_node *node, uint64_t charge);
int model_putback(struct model *model, struct model_node *node, genlru_shadow shadow);
int model_release(struct model *model, struct model_node *node);
int model_shadow_read(const struct model *model, genlru_shadow shadow, struct genlru_shadow_info *ret_info);
void model_stat(const struct model *model, struct genlru_stat *stat);
void model_stat_gen(const struct model *model, unsigned type, unsigned age, struct genlru_gen_stat *ret_stat);
void model_workingset(const struct model *model, struct genlru_workingset *ret_workingset);

/* ---- model_node.c ---- */

uint64_t model_width(const struct model *model, unsigned type);
uint64_t model_seq_of(const struct model *model, const struct model_node *node);
uint64_t model_place(const struct model *model, unsigned type, int place);
unsigned model_tier(const struct model *model, const struct model_node *node);
unsigned model_aged_freq(const struct model *model, unsigned freq, uint64_t epoch);
void model_access(struct model *model, struct model_node *node);
void model_access_mapped(struct model *model, struct model_node *node, bool is_dear);
int model_advise(struct model *model, struct model_node *node, int advice);
/*
 * The fields of a node that is being added: counts, marks, and where it goes (seq, or
 * is_on_probation).
 */
void model_enter(struct model *model, struct model_node *node, unsigned flags, const struct model_shadow *recent);
struct model_shadow model_shadow_decode(genlru_shadow shadow);
genlru_shadow model_shadow_of(const struct model *model, const struct model_node *node);
unsigned model_shadow_tier(const struct model *model, const struct model_shadow *shadow);
bool model_is_within(const struct model *model, const struct model_shadow *shadow, unsigned percent);
bool model_is_recent(const struct model *model, const struct model_shadow *shadow);

/* ---- model_list.c ---- */

uint64_t model_read_clock(struct model *model);
uint64_t model_percent(uint64_t value, unsigned percent);
struct model_list *model_list_of_seq(struct model *model, unsigned type, uint64_t seq);
struct model_list *model_probation(struct model *model, unsigned type);
struct model_list *model_parked(struct model *model, unsigned type);
struct model_list *model_home(struct model *model, const struct model_node *node);
bool model_has_open(struct model *model, const struct model_list *list);
bool model_has_blocks(struct model *model, const struct model_list *list);
/* All lists in the order that the compaction goes through them, and a list's number. */
unsigned model_nr_lists(const struct model *model);
struct model_list *model_numbered(struct model *model, unsigned nr);
unsigned model_number_of(struct model *model, const struct model_list *list);
/* Nodes in a block. */
unsigned model_count(const struct model_block *block);
/* Blocks for movers, who get none from the allocator; false: there are too few. */
bool model_fill_reserve(struct model *model);
/* A place where a node goes when it is added; NULL = no memory. */
struct model_node **model_open_place(struct model *model, const struct model_node *node);
/* To the young end of a list, by a mover, who gets no memory from the allocator. */
bool model_append(struct model *model, struct model_list *list, struct model_node *node);
struct model_node **model_find(struct model *model, const struct model_node *node);
void model_unlink(struct model *model, struct model_list *list, unsigned nr);
/* The block that a node hangs in, to the young end of a list. */
void model_move_block(struct model *model, const struct model_node *node, struct model_list *to);
void model_link(struct model_list *list, unsigned at, struct model_block *block);
/* Unlinks an empty block and gives it back. */
void model_drop(struct model *model, struct model_list *list, unsigned nr);
/* Hands over the open blocks of `list`, or of all (NULL). */
void model_flush(struct model *model, struct model_list *list);
uint64_t model_nr_linked(const struct model *model);
uint64_t model_nr_open(const struct model *model);
/* Nodes on the lru, listed or parked. */
struct model_sum model_sum(const struct model *model);

/* ---- model_compact.c ---- */

void model_compact(struct model *model);
void model_compact_if_due(struct model *model);
bool model_is_sparse(struct model *model);

/* ---- model_gens.c ---- */

/* Tiers above the result are protected. */
unsigned model_threshold(const struct model *model, unsigned type);
/* Type to evict from among the bits of `types`; nr_types = none has anything. */
unsigned model_choose_type(struct model *model, unsigned types);
bool model_type_has_blocks(struct model *model, unsigned type);
/* What is to be flushed after a step. */
struct model_wish {
    bool flush;
    struct model_list *list; /* NULL = all */
};
enum model_step { MODEL_READY, MODEL_AGED, MODEL_BLOCKED, MODEL_MOVED };
/* One step towards an oldest generation of the type that may be scanned. */
enum model_step model_make_oldest(struct model *model, unsigned type, uint64_t max_scanned, uint64_t *aged,
                                  uint64_t *scanned, struct model_list **ret_flush);
/* Epochs and generations by eviction volume; true: a generation has begun. */
bool model_follow_clock(struct model *model);
int model_age(struct model *model, uint64_t budget);

/* ---- model_evict.c ---- */

int model_evict(struct model *model, const struct genlru_budget *budget, struct model_victim *victims, size_t max,
                struct genlru_evict_result *result);

#endif
