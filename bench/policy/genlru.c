/* SPDX-License-Identifier: MIT */
/*
 * genlru.c - the library itself behind the laboratory's vtable, once for each preset
 *
 *      hit   ─▶ genlru_access                     place[id]: a node while resident, then its shadow
 *      miss  ─▶ full? genlru_evict a batch ─▶ place[id].shadow
 *               genlru_add(place[id].shadow)
 *
 * This owner is as simple as owners get: one thread, index = the dense id, and a shadow where the node was, as an index
 * would keep it; so nothing is pinned, every victim is won, and a request touches one place. An entry's charge is 1, or
 * its bytes; then it evicts by charge.
 *
 * Mapped accesses leave only a bit (YOUNG), as hardware does. The owner harvests it where the
 * kernel does, at two places: victims that turn out young are reported and put back; and after each
 * aging all bits are collected and reported in batches.
 */
#include "policy/genlru.h"

#include <errno.h>
#include <stdlib.h>

#include "policy/all.h"
#include "policy/array.h"
#include "policy/charge.h"
#include "policy/chunk.h"
#include "policy/replay.h"

enum {
    RESIDENT = 1 << 0,
    YOUNG = 1 << 1, /* accessed through a mapping since it was last looked at */
    EXEC = 1 << 2,  /* dear to lose */
};

#define HARVEST 64
#define PREFETCH_VICTIMS 8

union place {
    struct genlru_node node; /* while resident */
    genlru_shadow shadow;    /* of an id that was evicted; 0 = never */
};

struct genlru_owner {
    struct policy base;
    struct genlru *lru;
    union place *place;
    uint8_t *state;
    uint32_t nr_young; /* ids whose bit is set: a load without mapped accesses need not be walked for them */
    uint32_t chunk;    /* entries evicted at a time */
};

/* A defect of the library or of this owner; no measurement may go on. */
static void die(const char *what, int code)
{
    fprintf(stderr, "genlru policy: %s (%d)\n", what, code);
    abort();
}

static void on_error(void *ctx, enum genlru_error error, const char *what, const struct genlru_node *node)
{
    (void)ctx;
    (void)node;
    die(what, (int)error);
}

static uint32_t id_of(const struct genlru_owner *o, const struct genlru_node *node)
{
    return (uint32_t)((const union place *)(const void *)node - o->place);
}

/* Of the key, which the laboratory numbered: any hash will do that the library seeds and mixes. */
static uint64_t hash_of(void *ctx, const struct genlru_node *node)
{
    return id_of(ctx, node);
}

static void owner_destroy(struct policy *p)
{
    struct genlru_owner *o = (struct genlru_owner *)p;

    for (uint32_t id = 0; o->state && id < p->nr_ids; id++) {
        if ((o->state[id] & RESIDENT) && genlru_del(o->lru, &o->place[id].node) != GENLRU_YOURS) {
            die("del of a resident node", 0);
        }
    }
    if (genlru_destroy(o->lru)) {
        die("destroy of an empty lru", 0);
    }
    array_destroy(o->place);
    array_destroy(o->state);
    free(o);
}

/* The library counts an entry's charge in 32 bits; what is refused anyway may be larger. */
static int check_sizes(const struct policy_config *config)
{
    for (uint32_t id = 0; config->sizes && id < config->nr_ids; id++) {
        if (config->sizes[id] > UINT32_MAX && config->sizes[id] <= config->capacity) {
            return -EFBIG;
        }
    }
    return 0;
}

/*
 * The kernel's presets as chunk.h says. What is the library's own evicts as an owner in user space would: a batch, but not more
 * than a 256th of a small cache.
 */
static uint32_t chunk_of(const struct policy_config *config, const struct genlru_variant *variant,
                         const struct genlru_policy *policy)
{
    enum { OWN_SHARE = 256 };
    uint32_t own = (uint32_t)(config->capacity / OWN_SHARE);

    if (variant && variant->chunk) {
        return variant->chunk;
    }
    if (config->sizes) {
        return POLICY_CHUNK_MAX;
    }
    if (policy->learn) {
        return own < 1 ? 1 : own < POLICY_CHUNK_MAX ? own : POLICY_CHUNK_MAX;
    }
    return policy_chunk((uint32_t)config->capacity);
}

/* How many entries fill the cache, about: owners know what theirs weigh. */
static uint64_t entries_of(const struct policy_config *config)
{
    uint64_t sum = 0;

    for (uint32_t id = 0; id < config->nr_ids; id++) {
        sum += config->sizes[id];
    }
    uint64_t mean = config->nr_ids ? sum / config->nr_ids : 0;

    return mean && config->capacity > mean ? config->capacity / mean : 1;
}

static int owner_create(const struct policy_config *config, const struct genlru_policy *preset,
                        const struct policy_ops *ops, struct policy **ret)
{
    const struct genlru_variant *variant = config->variant;
    struct genlru_config how = GENLRU_CONFIG_INIT;
    int rc = check_sizes(config);

    if (rc) {
        return rc;
    }
    struct genlru_owner *o = calloc(1, sizeof(*o));

    if (!o) {
        return -ENOMEM;
    }
    how.policy = variant ? &variant->policy : preset;
    how.nr_gens = variant ? variant->nr_gens : 0;
    how.capacity = config->capacity;
    how.entries = config->sizes ? entries_of(config) : 0;
    how.hash_of = hash_of;
    how.hash_ctx = o;
    how.sample_seed = variant ? variant->sample_seed : 0;
    how.stripes = 1; /* one thread: the order of adds is the order of the list */
    how.on_error = on_error;
    policy_init(&o->base, ops, config);
    o->chunk = chunk_of(config, variant, how.policy);
    o->place = array_create(config->nr_ids, sizeof(*o->place));
    o->state = array_create(config->nr_ids, sizeof(*o->state));
    rc = o->place && o->state ? genlru_create(&how, &o->lru) : -ENOMEM;
    if (rc) {
        owner_destroy(&o->base);
        return rc;
    }
    *ret = &o->base;
    return 0;
}

/* ---- mapped accesses ---- */

static void report(struct genlru_owner *o, struct genlru_harvest *harvest, size_t *nr)
{
    genlru_access_batch(o->lru, harvest, *nr);
    *nr = 0;
}

static void harvest_one(struct genlru_owner *o, uint32_t id, struct genlru_harvest *harvest, size_t *nr)
{
    o->state[id] &= (uint8_t)~YOUNG;
    o->nr_young--;
    harvest[*nr] = (struct genlru_harvest){&o->place[id].node, (o->state[id] & EXEC) != 0};
    if (++*nr == HARVEST) {
        report(o, harvest, nr);
    }
}

static void harvest_all(struct genlru_owner *o)
{
    struct genlru_harvest harvest[HARVEST];
    size_t nr = 0;

    for (uint32_t id = 0; o->nr_young && id < o->base.nr_ids; id++) {
        if (o->state[id] & YOUNG) {
            harvest_one(o, id, harvest, &nr);
        }
    }
    report(o, harvest, &nr);
}

/* A victim that is in use goes back, and how much it is used decides where. */
static void spare(struct genlru_owner *o, uint32_t id, const struct genlru_victim *victim)
{
    struct genlru_harvest harvest[HARVEST];
    size_t nr = 0;

    harvest_one(o, id, harvest, &nr);
    report(o, harvest, &nr);
    int rc = genlru_putback(o->lru, victim);

    if (rc) {
        die("putback", rc);
    }
}

static inline void mark_young(struct genlru_owner *o, uint32_t id, uint8_t bits)
{
    o->nr_young += !(o->state[id] & YOUNG);
    o->state[id] |= bits;
}

/* ---- misses ---- */

static void bury(struct genlru_owner *o, uint32_t id, genlru_shadow shadow)
{
    o->place[id].shadow = shadow;
    o->state[id] = 0;
    policy_count_eviction(&o->base, id, o->base.sizes != NULL);
}

/*
 * With sizes: what this request needs, and in the same go what the rest of a chunk of entries of
 * mean size would, but not more than the share of the cache that bounds chunks elsewhere.
 */
static struct genlru_budget budget_for(const struct genlru_owner *o, uint32_t id)
{
    if (!o->base.sizes) {
        return (struct genlru_budget){.nodes = o->chunk};
    }
    uint64_t need = o->base.sizes[id] - (o->base.capacity - o->base.used);
    uint64_t goal = need + o->base.used / o->base.nr_resident * (o->chunk - 1);
    uint64_t share = o->base.capacity / POLICY_CHUNK_SHARE;

    goal = goal < share ? goal : share;
    return (struct genlru_budget){.charge = goal > need ? goal : need};
}

/* Isolates up to a chunk, to make room for id. */
static void evict_some(struct genlru_owner *o, uint32_t for_id)
{
    struct genlru_victim victims[POLICY_CHUNK_MAX];
    struct genlru_budget budget = budget_for(o, for_id);
    struct genlru_evict_result result;
    int nr = genlru_evict(o->lru, &budget, victims, POLICY_CHUNK_MAX, &result);

    if (nr <= 0) {
        die("evict found nothing in a full cache", nr ? nr : (int)result.reason);
    }
    for (int i = 0; i < nr; i++) {
        uint32_t id = id_of(o, victims[i].node);

        if (i + PREFETCH_VICTIMS < nr) {
            __builtin_prefetch(&o->state[id_of(o, victims[i + PREFETCH_VICTIMS].node)], 1);
        }
        if (o->state[id] & YOUNG) {
            spare(o, id, &victims[i]);
        } else {
            bury(o, id, victims[i].shadow);
        }
    }
    if (result.aged) {
        harvest_all(o);
    }
}

static unsigned add_flags(enum policy_channel channel)
{
    switch (channel) {
    case POLICY_MAPPED:
    case POLICY_EXEC:
        return GENLRU_ADD_MAPPED;
    case POLICY_PREFETCH:
        return GENLRU_ADD_PREFETCHED;
    default:
        return 0;
    }
}

static void fill(struct genlru_owner *o, uint32_t id, enum policy_channel channel)
{
    struct genlru_add how = {.shadow = o->place[id].shadow, .flags = add_flags(channel)};
    bool sized = o->base.sizes != NULL;

    /* Young bits are cleared as victims are spared, so the second round at the latest evicts. */
    while (policy_is_full(&o->base, id, sized)) {
        evict_some(o, id);
    }
    /* The evicted object's memory was freed, so to speak: this is another node. */
    int rc = genlru_node_init(&o->place[id].node, policy_charge(&o->base, id, sized), 0);

    if (!rc) {
        rc = genlru_add(o->lru, &o->place[id].node, &how);
    }
    if (rc) {
        die("add", rc);
    }
    o->state[id] = RESIDENT;
    policy_count_fill(&o->base, id, sized);
}

REPLAY_INLINE bool owner_access(struct policy *p, uint32_t id, enum policy_channel channel, bool sized)
{
    struct genlru_owner *o = (struct genlru_owner *)p;
    bool hit = o->state[id] & RESIDENT;

    if (!hit) {
        if (policy_refuses(p, id, sized)) {
            return false;
        }
        fill(o, id, channel);
    }
    switch (channel) {
    case POLICY_READ:
    case POLICY_WRITE:
        if (hit) {
            genlru_access(o->lru, &o->place[id].node);
        }
        break;
    case POLICY_MAPPED:
        mark_young(o, id, YOUNG);
        break;
    case POLICY_EXEC:
        mark_young(o, id, YOUNG | EXEC);
        break;
    case POLICY_PREFETCH:
        break;
    }
    return hit;
}

REPLAY_INLINE void owner_prefetch(const struct policy *p, uint32_t id)
{
    const struct genlru_owner *o = (const struct genlru_owner *)p;

    __builtin_prefetch(&o->state[id], 1);
    __builtin_prefetch(&o->place[id].node, 1);
}

REPLAY_DEFINE_SIZED(owner)

static bool owner_is_resident(const struct policy *p, uint32_t id)
{
    return ((const struct genlru_owner *)p)->state[id] & RESIDENT;
}

/* ---- dump ---- */

static uint32_t word_of(const struct genlru_owner *o, uint32_t id)
{
    return genlru_impl_word(genlru_impl_load_relaxed(&o->place[id].node.state.do_not_touch));
}

static bool is_on_probation(const struct genlru_owner *o, uint32_t id)
{
    return word_of(o, id) & GENLRU_PROBATION;
}

/* Generation of a resident node, counted from the youngest. */
static unsigned age_of(const struct genlru_owner *o, uint32_t id, uint64_t window)
{
    return genlru_impl_age(window, 0, genlru_impl_gen(word_of(o, id)));
}

/*
 * Generations from the youngest, numbered from 0, in each the nodes by id: where a node hangs is
 * the library's business, what its word says decides; those on probation, if there are any, under
 * p. Behind the id: refs, then w workingset, p prefetched, y young, x executable.
 */
static void dump_node(const struct genlru_owner *o, uint32_t id, FILE *out)
{
    uint32_t word = word_of(o, id);

    fprintf(out, " %u.%u%s%s%s%s", (unsigned)id, genlru_impl_refs(word), word & GENLRU_WORKINGSET ? "w" : "",
            word & GENLRU_PREFETCHED ? "p" : "", o->state[id] & YOUNG ? "y" : "", o->state[id] & EXEC ? "x" : "");
}

static void owner_dump(const struct policy *p, FILE *out)
{
    const struct genlru_owner *o = (const struct genlru_owner *)p;
    const struct genlru_view *view = (const struct genlru_view *)(const void *)o->lru;
    uint64_t window = genlru_impl_load_relaxed(&view->window);

    for (unsigned age = 0; age < genlru_impl_window_width(window, 0); age++) {
        fprintf(out, "%s%u:", age ? " | " : "", age);
        for (uint32_t id = 0; id < p->nr_ids; id++) {
            if ((o->state[id] & RESIDENT) && !is_on_probation(o, id) && age_of(o, id, window) == age) {
                dump_node(o, id, out);
            }
        }
    }
    for (uint32_t id = 0, nr = 0; id < p->nr_ids; id++) {
        if ((o->state[id] & RESIDENT) && is_on_probation(o, id)) {
            fputs(nr++ ? "" : " | p:", out);
            dump_node(o, id, out);
        }
    }
}

/* ---- the presets ---- */

#define PRESET(symbol, preset, name_, what_, source_)                                   \
    static int create_##symbol(const struct policy_config *config, struct policy **ret) \
    {                                                                                   \
        return owner_create(config, &preset, &policy_##symbol, ret);                    \
    }                                                                                   \
    const struct policy_ops policy_##symbol = {                                         \
        .name = name_,                                                                  \
        .what = what_,                                                                  \
        .source = source_,                                                              \
        .has_sizes = true,                                                              \
        .create = create_##symbol,                                                      \
        .destroy = owner_destroy,                                                       \
        .access = owner_access_one,                                                     \
        .replay = owner_replay,                                                         \
        .is_resident = owner_is_resident,                                               \
        .dump = owner_dump,                                                             \
    }

#define SOURCE_MGLRU "Y. Zhao: Multigenerational LRU framework, Linux patch series, 2021-2022"
#define SOURCE_FG "K. Song: MGLRU with frequency guided promotion, Linux patch series, 2026"

PRESET(mglru, GENLRU_POLICY_MGLRU, "mglru", "Linux multi-generational LRU before frequency guided promotion",
       SOURCE_MGLRU);
PRESET(mglru_old, GENLRU_POLICY_MGLRU_OLD, "mglru-old",
       "the same without the second-oldest place for entries read once", SOURCE_MGLRU);
PRESET(mglru_fg, GENLRU_POLICY_MGLRU_FG, "mglru-fg", "MGLRU with frequency guided promotion", SOURCE_FG);
PRESET(tuned_fg, GENLRU_POLICY_TUNED_FG, "tuned-fg", "mglru-fg with constants chosen by experiment", SOURCE_FG);
PRESET(genlru, GENLRU_POLICY_DEFAULT, "genlru", "this library's default: learns which of its rules suits the load",
       "genlru, docs/policy.md, 2026");

const struct genlru_policy *policy_genlru_preset(const struct policy_ops *ops)
{
    return ops == &policy_mglru       ? &GENLRU_POLICY_MGLRU
           : ops == &policy_mglru_old ? &GENLRU_POLICY_MGLRU_OLD
           : ops == &policy_mglru_fg  ? &GENLRU_POLICY_MGLRU_FG
           : ops == &policy_tuned_fg  ? &GENLRU_POLICY_TUNED_FG
           : ops == &policy_genlru    ? &GENLRU_POLICY_DEFAULT
                                      : NULL;
}
