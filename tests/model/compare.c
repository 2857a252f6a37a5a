/* SPDX-License-Identifier: MIT */
/* Is the lru what the model is? By what it tells, and by what it is made of. See rig.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "gens/lru.h"
#include "rig.h"

/* ---- what it tells ---- */

#define FIELD(name)                               \
    {                                             \
#name, offsetof(struct genlru_stat, name) \
    }

static void compare_stat(struct rig *rig)
{
    static const struct {
        const char *name;
        size_t at;
    } fields[] = {
        FIELD(capacity),
        FIELD(max_seq),
        FIELD(nodes),
        FIELD(charge),
        FIELD(pinned_nodes),
        FIELD(pinned_charge),
        FIELD(probation_nodes),
        FIELD(probation_charge),
        FIELD(eviction_clock),
        FIELD(evicted),
        FIELD(putback),
        FIELD(scanned),
        FIELD(promoted),
        FIELD(protected_),
        FIELD(parked),
        FIELD(aged),
        FIELD(refaulted),
        FIELD(refaulted_workingset),
        FIELD(prefetched_unused),
        FIELD(compacted),
        FIELD(inconsistent),
        FIELD(blocks),
    };
    struct genlru_stat got = {.size = sizeof(got)}, want;
    unsigned type, tier, i;

    rig_equal(rig, "genlru_stat", (uint64_t)genlru_stat(rig->lru, &got), 0);
    model_stat(&rig->model, &want);
    for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        uint64_t a, b;

        memcpy(&a, (const char *)&got + fields[i].at, sizeof(a));
        memcpy(&b, (const char *)&want + fields[i].at, sizeof(b));
        rig_equal(rig, fields[i].name, a, b);
    }
    rig_equal(rig, "nr_gens", got.nr_gens, want.nr_gens);
    rig_equal(rig, "nr_types", got.nr_types, want.nr_types);
    rig_equal(rig, "stripes", got.stripes, want.stripes);
    rig_equal(rig, "freq_epoch", got.freq_epoch, want.freq_epoch);
    rig_equal(rig, "metadata_bytes", got.metadata_bytes, rig->lru->bytes + got.blocks * GENLRU__BLOCK_BYTES);
    for (type = 0; type < GENLRU_MAX_TYPES; type++) {
        rig_equal(rig, "min_seq", got.min_seq[type], want.min_seq[type]);
        rig_equal(rig, "tier_threshold", got.tier_threshold[type], want.tier_threshold[type]);
        for (tier = 0; tier < GENLRU_NR_TIERS; tier++) {
            const struct genlru_tier_stat *a = &got.tier[type][tier], *b = &want.tier[type][tier];

            rig_equal(rig, "tier avg_refaulted", a->avg_refaulted, b->avg_refaulted);
            rig_equal(rig, "tier avg_total", a->avg_total, b->avg_total);
            rig_equal(rig, "tier refaulted", a->refaulted, b->refaulted);
            rig_equal(rig, "tier evicted", a->evicted, b->evicted);
            rig_equal(rig, "tier protected", a->protected_, b->protected_);
        }
    }
    rig_equal(rig, "genlru_charge", genlru_charge(rig->lru), want.charge);
    rig_equal(rig, "genlru_excess", genlru_excess(rig->lru),
              want.charge > want.capacity ? want.charge - want.capacity : 0);
}

static void compare_gens(struct rig *rig)
{
    struct genlru_gen_stat got[GENLRU_MAX_GENS], want;
    unsigned type, age, width;

    for (type = 0; type < rig->model.nr_types; type++) {
        width = (unsigned)model_width(&rig->model, type);
        rig_equal(rig, "generations", (uint64_t)genlru_stat_gens(rig->lru, type, got, GENLRU_MAX_GENS), width);
        for (age = 0; age < width; age++) {
            model_stat_gen(&rig->model, type, age, &want);
            rig_equal(rig, "gen seq", got[age].seq, want.seq);
            rig_equal(rig, "gen age_ns", got[age].age_ns, want.age_ns);
            rig_equal(rig, "gen nodes", got[age].nodes, want.nodes);
            rig_equal(rig, "gen charge", got[age].charge, want.charge);
        }
    }
}

static void compare_workingset(struct rig *rig)
{
    struct genlru_workingset got = {.size = sizeof(got)}, want;
    unsigned i;

    rig_equal(rig, "genlru_workingset", (uint64_t)genlru_workingset(rig->lru, &got), 0);
    model_workingset(&rig->model, &want);
    for (i = 0; i < GENLRU_MAX_GENS; i++)
        rig_equal(rig, "charge_by_age", got.charge_by_age[i], want.charge_by_age[i]);
    for (i = 0; i < GENLRU_NR_TIERS; i++)
        rig_equal(rig, "charge_by_tier", got.charge_by_tier[i], want.charge_by_tier[i]);
    for (i = 0; i <= GENLRU_MAX_REFS; i++)
        rig_equal(rig, "charge_by_refs", got.charge_by_refs[i], want.charge_by_refs[i]);
    rig_equal(rig, "probation_charge", got.probation_charge, want.probation_charge);
    rig_equal(rig, "pinned_charge", got.pinned_charge, want.pinned_charge);
    rig_equal(rig, "workingset_charge", got.workingset_charge, want.workingset_charge);
}

/* ---- what it is made of ---- */

/*
 * The generation that a gen code means: the youngest one with this code that is not above max_seq,
 * or min_seq.
 */
static uint64_t decode_seq(const struct model *model, unsigned type, unsigned gen)
{
    uint64_t seq = model->max_seq;

    while (seq > model->min_seq[type] && 1 + seq % GENLRU_GEN_MODULUS != gen)
        seq--;
    return seq;
}

static void compare_node(struct rig *rig, unsigned i)
{
    const struct genlru_node *node = &rig->node[i];
    const struct model_node *want = &rig->model_node[i];
    uint32_t word = genlru_impl_word(node->state.do_not_touch);
    bool is_listed = want->state == MODEL_LISTED;

    rig_equal(rig, "charge of a node", genlru_node_charge(node), want->charge);
    rig_equal(rig, "type of a node", genlru_node_type(node), want->type);
    rig_equal(rig, "refs of a node", genlru_node_refs(node), want->refs);
    rig_equal(rig, "a node is listed", (uint64_t)genlru_node_is_listed(node), is_listed || want->state == MODEL_PARKED);
    rig_equal(rig, "a node is isolated", (uint64_t)genlru_node_is_isolated(node), want->state == MODEL_ISOLATED);
    rig_equal(rig, "a node is pinned", (uint64_t)genlru_node_is_pinned(node), want->is_pinned);
    rig_equal(rig, "owner bits", genlru_node_owner_bits(node), i % 8);
    rig_equal(rig, "freq of a node", genlru_impl_freq(word), want->freq);
    rig_equal(rig, "epoch of a node", genlru_impl_epoch(word), want->epoch % 8);
    rig_equal(rig, "a node is of the working set", (word & GENLRU_WORKINGSET) != 0, want->is_workingset);
    rig_equal(rig, "a node is prefetched", (word & GENLRU_PREFETCHED) != 0, want->is_prefetched);
    rig_equal(rig, "a node is noreuse", (word & GENLRU_NOREUSE) != 0, want->is_noreuse);
    rig_equal(rig, "a node has the tier cap", (word & GENLRU_TIER_CAP) != 0, want->has_tier_cap);
    rig_equal(rig, "a node is dead", (word & GENLRU_DEAD) != 0, want->is_dead);
    rig_equal(rig, "a node is on probation", (word & GENLRU_PROBATION) != 0, is_listed && want->is_on_probation);
    rig_equal(rig, "a node has a generation", genlru_impl_gen(word) != 0, is_listed);
    if (is_listed && !want->is_on_probation)
        rig_equal(rig, "generation of a node", decode_seq(&rig->model, want->type, genlru_impl_gen(word)),
                  model_seq_of(&rig->model, want));
}

static long index_of(const struct rig *rig, const void *node)
{
    return node ? (long)((const struct genlru_node *)node - rig->node) : -1;
}

static long index_of_model(const struct rig *rig, const struct model_node *node)
{
    return node ? (long)(node - rig->model_node) : -1;
}

static void compare_block(struct rig *rig, const struct genlru__block *got, const struct model_block *want)
{
    unsigned i;

    rig_equal(rig, "there is a block", got != NULL, want != NULL);
    if (!got || !want)
        return;
    rig_equal(rig, "first place to scan", got->scan, want->begin);
    rig_equal(rig, "places used", got->fill, want->end);
    for (i = 0; i < MODEL_PLACES; i++)
        rig_equal(rig, "node in a place", (uint64_t)index_of(rig, got->slot[i]),
                  (uint64_t)index_of_model(rig, want->place[i]));
}

static void compare_lists(struct rig *rig)
{
    struct genlru *lru = rig->lru;
    struct genlru__stripe *stripe = genlru__stripe(lru, 0);
    struct genlru_pool_stat pool = {.size = sizeof(pool)};
    unsigned type, i, nr;

    for (type = 0; type < lru->nr_types; type++)
        for (i = 0; i < lru->lists_per_type; i++) {
            const struct model_list *list = &rig->model.list[type][i];
            struct genlru__block *block = lru->chain[type * lru->lists_per_type + i].head;

            for (nr = 0; nr < list->nr; nr++) {
                compare_block(rig, block, list->block[nr]);
                block = block->next;
            }
            compare_block(rig, block, NULL);
        }
    for (i = 0; i < GENLRU__NR_OPEN; i++)
        compare_block(rig, stripe->open[i].block, rig->model.open[i].block);
    rig_equal(rig, "blocks behind", lru->compact_behind, rig->model.behind);
    rig_equal(rig, "reserve", lru->nr_reserve, rig->model.reserve);
    rig_equal(rig, "genlru_pool_stat", (uint64_t)genlru_pool_stat(lru->pool, &pool), 0);
    rig_equal(rig, "blocks of the pool", pool.blocks, rig->model.pool_blocks);
    rig_equal(rig, "free blocks of the pool", pool.free_blocks, rig->model.pool_free);
}

void compare_all(struct rig *rig)
{
    char text[256] = "";
    unsigned i;
    int broken = genlru_verify(rig->lru, text, sizeof(text));

    if (broken)
        rig_fail(rig, "invariant %d: %s", broken, text);
    for (i = 0; i < rig->nr_nodes; i++)
        compare_node(rig, i);
    compare_lists(rig);
    compare_stat(rig);
    compare_gens(rig);
    compare_workingset(rig);
}

/* ---- the report ---- */

static void print_place(long nr)
{
    if (nr >= 0)
        fprintf(stderr, " %ld", nr);
    else
        fputs(" .", stderr);
}

static void print_list(struct rig *rig, unsigned type, unsigned i)
{
    const struct genlru__block *block = rig->lru->chain[type * rig->lru->lists_per_type + i].head;
    const struct model_list *list = &rig->model.list[type][i];
    unsigned nr, place;

    if (!block && !list->nr)
        return;
    fprintf(stderr, "list %u of type %u\n  library", i, type);
    for (; block; block = block->next) {
        fputs(" [", stderr);
        for (place = block->scan; place < block->fill; place++)
            print_place(index_of(rig, block->slot[place]));
        fputs(" ]", stderr);
    }
    fputs("\n  model  ", stderr);
    for (nr = 0; nr < list->nr; nr++) {
        fputs(" [", stderr);
        for (place = list->block[nr]->begin; place < list->block[nr]->end; place++)
            print_place(index_of_model(rig, list->block[nr]->place[place]));
        fputs(" ]", stderr);
    }
    fputc('\n', stderr);
}

static void print_open(struct rig *rig)
{
    unsigned i, place;

    for (i = 0; i < MODEL_OPEN; i++) {
        const struct genlru__block *block = genlru__stripe(rig->lru, 0)->open[i].block;
        const struct model_block *want = rig->model.open[i].block;

        if (!block && !want)
            continue;
        fprintf(stderr, "open %u (list %u)\n  library", i, block ? block->list : 0);
        for (place = 0; block && place < block->fill; place++)
            print_place(index_of(rig, block->slot[place]));
        fputs("\n  model  ", stderr);
        for (place = 0; want && place < want->end; place++)
            print_place(index_of_model(rig, want->place[place]));
        fputc('\n', stderr);
    }
}

static void print_nodes(struct rig *rig)
{
    static const char *const states[] = {"off", "listed", "parked", "isolated", "condemned"};
    unsigned i;

    for (i = 0; i < rig->nr_nodes && i < 200; i++) {
        const struct model_node *node = &rig->model_node[i];

        fprintf(stderr,
                "node %u: library %016" PRIx64 "; model %s%s%s%s%s%s%s%s type %u refs %u freq %u epoch %" PRIu64
                " seq %" PRIu64 " charge %" PRIu64 "\n",
                i, rig->node[i].state.do_not_touch, states[node->state], node->is_on_probation ? " probation" : "",
                node->is_pinned ? " pinned" : "", node->is_dead ? " dead" : "",
                node->is_workingset ? " workingset" : "", node->is_prefetched ? " prefetched" : "",
                node->is_noreuse ? " noreuse" : "", node->has_tier_cap ? " capped" : "", node->type, node->refs,
                node->freq, node->epoch, node->seq, node->charge);
    }
}

void compare_print(struct rig *rig)
{
    static char text[65536];
    unsigned type, i;

    (void)genlru_dump(rig->lru, text, sizeof(text));
    fprintf(stderr, "library:\n%s", text);
    fprintf(stderr,
            "model: max_seq %" PRIu64 " epoch %" PRIu64 " clock %" PRIu64 " fullness %" PRIu64 " behind %" PRIu64
            " pool %" PRIu64 " free %" PRIu64 " reserve %" PRIu64 "\n",
            rig->model.max_seq, rig->model.epoch, rig->model.clock, rig->model.fullness, rig->model.behind,
            rig->model.pool_blocks, rig->model.pool_free, rig->model.reserve);
    for (type = 0; type < rig->model.nr_types; type++)
        fprintf(stderr, "  type %u: min_seq %" PRIu64 " threshold %u\n", type, rig->model.min_seq[type],
                model_threshold(&rig->model, type));
    for (type = 0; type < rig->model.nr_types; type++)
        for (i = 0; i < rig->model.nr_rings + 2; i++)
            print_list(rig, type, i);
    print_open(rig);
    print_nodes(rig);
}
