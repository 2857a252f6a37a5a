/* SPDX-License-Identifier: MIT */
/* The pair: configurations by the seed, creation, end, reports. See rig.h. */
#include "rig.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gens/lru.h"

/* The next bytes of the input as a number, as many as it takes to reach `max`. */
static uint64_t take_input(struct rig *rig, uint64_t max)
{
    uint64_t value = 0;

    for (; max > 0 && rig->nr_input > 0; max >>= 8, rig->nr_input--)
        value = value << 8 | *rig->input++;
    return value;
}

uint64_t rig_random(struct rig *rig)
{
    uint64_t z;

    if (rig->nr_input)
        return take_input(rig, UINT64_MAX);
    z = rig->random += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

uint64_t rig_below(struct rig *rig, uint64_t below)
{
    return (rig->nr_input ? take_input(rig, below - 1) : rig_random(rig)) % below;
}

bool rig_one_in(struct rig *rig, unsigned nr)
{
    return rig_below(rig, nr) == 0;
}

/* ---- failures ---- */

void rig_digest(struct rig *rig, uint64_t value)
{
    rig->digest = (rig->digest ^ value) * UINT64_C(0x100000001b3);
    rig->digest ^= rig->digest >> 29;
}

void rig_note(struct rig *rig, const char *what, long long a, long long b, long long c, long long answer)
{
    memmove(&rig->past[1], &rig->past[0], sizeof(rig->past) - sizeof(rig->past[0]));
    rig->past[0] = (struct past_op){rig->step, what, a, b, c, answer};
    rig_digest(rig, (uint64_t)answer);
}

static void report(struct rig *rig)
{
    const struct options *o = &rig->options;
    unsigned i;

    fprintf(stderr,
            "seed %" PRIu64 ", step %" PRIu64 ", policy %s (%s), %u generations, %u types, %u nodes, capacity %" PRIu64
            ", started at max_seq %" PRIu64 " clock %" PRIu64 " epoch %u\n",
            o->seed, rig->step, o->policy, rig->policy.name, rig->config.nr_gens, rig->config.nr_types, rig->nr_nodes,
            rig->config.capacity, rig->start.max_seq, rig->start.eviction_clock, (unsigned)rig->start.epoch);
    for (i = RIG_PAST; i-- > 0;)
        if (rig->past[i].what)
            fprintf(stderr, "  %" PRIu64 ": %s %lld %lld %lld = %lld\n", rig->past[i].step, rig->past[i].what,
                    rig->past[i].a, rig->past[i].b, rig->past[i].c, rig->past[i].answer);
    compare_print(rig);
}

void rig_fail(struct rig *rig, const char *format, ...)
{
    va_list args;

    for (int again = 0; again < 2; again++) { /* first and last line of a long report */
        fprintf(stderr, "FAILED, seed %" PRIu64 ": ", rig->options.seed);
        va_start(args, format);
        (void)vfprintf(stderr, format, args);
        va_end(args);
        fputc('\n', stderr);
        if (!again && rig->lru) /* there is something to report */
            report(rig);
    }
    if (rig->input)
        abort(); /* what a fuzzer takes for a finding */
    exit(1);
}

void rig_equal(struct rig *rig, const char *what, uint64_t library, uint64_t model)
{
    if (library != model)
        rig_fail(rig, "%s: library %lld (%" PRIu64 "), model %lld (%" PRIu64 ")", what, (long long)library, library,
                 (long long)model, model);
}

/* ---- what the config's callbacks do ---- */

static void *allocate(void *ctx, size_t size, size_t align)
{
    struct rig *rig = ctx;

    if (rig->has_no_memory)
        return NULL;
    rig->bytes += size;
    return aligned_alloc(align, (size + align - 1) / align * align);
}

static void deallocate(void *ctx, void *memory, size_t size, size_t align)
{
    struct rig *rig = ctx;

    (void)align;
    rig->bytes -= size;
    free(memory);
}

static uint64_t now_ns(void *ctx)
{
    struct rig *rig = ctx;
    uint64_t now = rig->now;

    rig->now += rig->tick;
    return now;
}

static void on_error(void *ctx, enum genlru_error error, const char *what, const struct genlru_node *node)
{
    struct rig *rig = ctx;

    (void)node;
    if (error != GENLRU_ERROR_MISUSE)
        rig_fail(rig, "the library reports: %s", what);
    rig->nr_misuses++;
}

/* ---- configurations ---- */

static int8_t random_place(struct rig *rig, unsigned nr_gens)
{
    return (int8_t)((int)rig_below(rig, 2 * nr_gens) - (int)nr_gens);
}

static uint8_t some(struct rig *rig, unsigned below)
{
    return (uint8_t)rig_below(rig, below);
}

static void randomize_policy(struct rig *rig, struct genlru_policy *p, unsigned nr_gens)
{
    unsigned i, max = 1 + some(rig, 15), tier = 0;

    p->name = "random";
    p->hit.refs_max = (uint8_t)max;
    p->hit.overflow_up = some(rig, 4);
    p->hit.overflow_refs = some(rig, max + 1);
    p->hit.defer_gens = some(rig, 5);
    p->hit.defer_refs = 1 + some(rig, 4);
    p->hit.defer_up = 1 + some(rig, 3);
    p->hit.promoted_refs = some(rig, max + 1);
    p->hit.saturate_marks = some(rig, 2);
    p->hit.freq_max = rig_one_in(rig, 2) ? some(rig, 16) : 0;
    p->mapped.first_up = some(rig, 4);
    p->mapped.refs_cap = 1 + some(rig, max);
    p->mapped.second_marks = some(rig, 2);
    p->mapped.second_refs = 1 + some(rig, 4);
    p->mapped.promoted_refs = some(rig, max + 1);
    p->mapped.youngest_counts = some(rig, 2);
    p->place.cold = random_place(rig, nr_gens);
    p->place.warm = random_place(rig, nr_gens);
    p->place.warm_refs = some(rig, 4);
    p->place.warm_workingset = some(rig, 2);
    p->place.fault = random_place(rig, nr_gens);
    p->place.fault_workingset = random_place(rig, nr_gens);
    p->place.hot = random_place(rig, nr_gens);
    p->place.putback = random_place(rig, nr_gens);
    p->refault.gens = some(rig, 6);
    p->refault.refs_cap = some(rig, max + 1);
    p->refault.keep_workingset = some(rig, 2);
    p->refault.workingset_refs = some(rig, 4);
    p->refault.distance_percent = rig_one_in(rig, 2) ? 0 : (uint16_t)rig_below(rig, 300);
    p->refault.keep_freq = some(rig, 2);
    for (i = 0; i <= GENLRU_MAX_REFS; i++) {
        p->tiers.tier_of_refs[i] = (uint8_t)tier;
        if (tier < GENLRU_NR_TIERS - 1 && rig_one_in(rig, 3))
            tier++;
    }
    p->tiers.workingset_tier = some(rig, GENLRU_NR_TIERS);
    p->tiers.base_gain = 1 + some(rig, 4);
    p->tiers.tier_gain = 1 + some(rig, 4);
    p->tiers.sum_below = some(rig, 2);
    p->tiers.min_refaults = rig_one_in(rig, 2) ? some(rig, 8) : 64;
    p->tiers.protect_refs = some(rig, max + 1);
    p->tiers.lazy_saturated = some(rig, 2);
    p->probation.percent = rig_one_in(rig, 2) ? 0 : 1 + some(rig, 90);
    p->probation.fill_percent = some(rig, 101);
    p->probation.promote_refs = some(rig, 4);
    p->probation.place = random_place(rig, nr_gens);
    p->probation.promoted_refs = some(rig, max + 1);
    p->probation.refault_skips = some(rig, 2);
    p->probation.only_prefetched = rig_one_in(rig, 4);
    p->place.refault = random_place(rig, nr_gens);
    p->place.refault_percent = rig_one_in(rig, 2) ? 0 : (uint16_t)rig_below(rig, 300);
    p->refault.distance_only = some(rig, 2);
    if (p->probation.percent && p->probation.promote_refs && p->hit.freq_max && rig_one_in(rig, 2))
        p->probation.duel = 1 + some(rig, 20);
    p->keep.up = 1 + some(rig, 3);
    p->keep.refs = rig_one_in(rig, 2) ? 0 : 1 + some(rig, 5);
    p->keep.up_doubling = some(rig, 2);
    p->keep.decay = some(rig, 3);
    p->full_window = some(rig, 2);
    p->age_percent = rig_one_in(rig, 2) ? 0 : (uint16_t)rig_below(rig, 150);
    p->epoch_percent = rig_one_in(rig, 2) ? 0 : (uint16_t)rig_below(rig, 400);
    if (genlru_policy_check(p, nr_gens))
        rig_fail(rig, "a random policy is refused: %s", genlru_policy_check(p, nr_gens));
}

static void choose_policy(struct rig *rig)
{
    static const struct genlru_policy *const presets[] = {&GENLRU_POLICY_MGLRU, &GENLRU_POLICY_MGLRU_OLD,
                                                          &GENLRU_POLICY_MGLRU_FG, &GENLRU_POLICY_DEFAULT};
    static const char *const names[] = {"mglru", "mglru-old", "mglru-fg", "default", "random", "rule"};
    unsigned chosen = (unsigned)rig_below(rig, 10), i;

    for (i = 0; i < 6; i++)
        if (strcmp(rig->options.policy, names[i]) == 0)
            chosen = i;
    rig->policy = chosen == 5 ? *genlru_policy_rule(some(rig, GENLRU_NR_RULES)) : *presets[chosen < 4 ? chosen : 3];
    rig->policy.learn = 0; /* of a learning lru unit/learn tells, and unit/mini by another model */
    if (chosen == 4 || chosen > 5)
        randomize_policy(rig, &rig->policy, rig->config.nr_gens);
    /*
     * windows hold few nodes here: a controller that waits for 64 refaults would never be seen at
     * work
     */
    else if (rig_one_in(rig, 2))
        rig->policy.tiers.min_refaults = 1 + some(rig, 8);
}

static void configure(struct rig *rig)
{
    static const struct genlru_config defaults = GENLRU_CONFIG_INIT;
    static const unsigned gens[] = {3, 4, 4, 7, 64}, populations[] = {3, 12, 40, 150, 700, RIG_MAX_NODES};
    static const uint64_t capacities[] = {0, 1, 10, 1000, 100000, GENLRU_NO_LIMIT};
    const struct options *o = &rig->options;
    unsigned nr_sizes = o->verify_every && o->verify_every < 100 ? 3 : 6; /* all is compared in each of these steps */
    unsigned i;

    rig->config = defaults;
    rig->config.nr_gens = gens[rig_below(rig, 5)];
    rig->config.nr_types = 1 + (unsigned)rig_below(rig, 4);
    rig->nr_nodes = populations[rig_below(rig, nr_sizes)];
    rig->config.capacity = capacities[rig_below(rig, 6)];
    if (o->gens)
        rig->config.nr_gens = o->gens;
    if (o->types)
        rig->config.nr_types = o->types;
    if (o->nodes)
        rig->nr_nodes = o->nodes;
    if (o->has_capacity)
        rig->config.capacity = o->capacity;
    rig->config.stripes = 1;
    if (rig_one_in(rig, 2))
        for (i = 0; i < GENLRU_MAX_TYPES; i++)
            rig->config.type_weight[i] = some(rig, 201);
    rig->allocator = (struct genlru_allocator){allocate, deallocate, rig};
    rig->config.allocator = &rig->allocator;
    rig->config.now_ns = now_ns;
    rig->config.clock_ctx = rig;
    rig->config.on_error = on_error;
    rig->config.error_ctx = rig;
    choose_policy(rig);
    rig->config.policy = &rig->policy;
}

void rig_open(struct rig *rig)
{
    uint64_t max_seq;
    unsigned i;

    configure(rig);
    rig->phase_left = 0;
    rig->nr_misuses = 0;
    rig->has_no_memory = false;
    rig->tick = 0;
    rig->lru = NULL;
    if (genlru__create_at(&rig->config, &rig->start, &rig->lru) != 0)
        rig_fail(rig, "genlru__create_at");
    max_seq = rig->start.max_seq ? rig->start.max_seq : rig->config.nr_gens - 1;
    model_init(&rig->model, &rig->config, rig->model_node, rig->nr_nodes, max_seq, rig->start.eviction_clock,
               rig->start.epoch);
    rig->model.tag = rig->lru->tag;
    rig->model.now = rig->now;
    for (i = 0; i < 64; i++)
        rig->model.birth[i] = rig->now;
    for (i = 0; i < rig->nr_nodes; i++)
        owner_prepare(rig, i);
    compare_all(rig);
}

void rig_close(struct rig *rig)
{
    compare_all(rig);
    owner_empty(rig);
    compare_all(rig);
    rig_equal(rig, "genlru_destroy", (uint64_t)genlru_destroy(rig->lru), 0);
    rig->lru = NULL;
    model_fini(&rig->model);
    rig_equal(rig, "bytes left after genlru_destroy", rig->bytes, 0);
}
