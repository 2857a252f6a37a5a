/* SPDX-License-Identifier: MIT */
/*
 * The dump: what genlru_stat and genlru_stat_gens say, as text.
 *
 *   genlru policy <name> gens <n> types <n> stripes <n> capacity <c>
 *   type <t> threshold <tier>
 *     seq      age_ms       nodes      charge
 *     ...
 *     tier <i> refaulted <avg> + <now> evicted+protected <avg> + <now> + <now>
 *   pinned ... probation ... clock ... evicted ...
 *   learning: rule <i> <name> in force, ...
 *     rule <i> <name> missed <n> saved <n> lost <n>
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "gens/lru.h"
#include "genlru/policy.h"
#include "genlru/stat.h"

/* Text that counts on when there is no room left. */
struct text {
    char *bytes;
    size_t size;
    size_t used;
};

static void __attribute__((format(printf, 2, 3))) print(struct text *text, const char *format, ...)
{
    size_t left = text->used < text->size ? text->size - text->used : 0;
    va_list args;
    int nr;

    va_start(args, format);
    nr = vsnprintf(left ? text->bytes + text->used : NULL, left, format, args);
    va_end(args);
    if (nr > 0)
        text->used += (size_t)nr;
}

static void print_type(struct text *text, const struct genlru *lru, const struct genlru_stat *stat, unsigned type)
{
    struct genlru_gen_stat gens[GENLRU_MAX_GENS];
    int nr = genlru_stat_gens(lru, type, gens, GENLRU_MAX_GENS), i;
    unsigned tier;

    print(text, "type %u threshold %u\n%12s %12s %12s %14s\n", type, stat->tier_threshold[type], "seq", "age_ms",
          "nodes", "charge");
    for (i = 0; i < nr; i++)
        print(text, "%12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %14" PRIu64 "\n", gens[i].seq, gens[i].age_ns / 1000000,
              gens[i].nodes, gens[i].charge);
    for (tier = 0; tier < GENLRU_NR_TIERS; tier++) {
        const struct genlru_tier_stat *t = &stat->tier[type][tier];

        print(text,
              "  tier %u refaulted %" PRIu64 " + %" PRIu64 " of %" PRIu64 " + %" PRIu64 " evicted + %" PRIu64
              " protected\n",
              tier, t->avg_refaulted, t->refaulted, t->avg_total, t->evicted, t->protected_);
    }
}

static void print_learning(struct text *text, const struct genlru_stat *stat)
{
    unsigned i;

    if (!stat->is_learning)
        return;
    print(text,
          "learning: rule %u %s in force, %" PRIu64 " changes, %" PRIu32 " of a million keys sampled, %" PRIu64
          " samples, %" PRIu64 " lost\n",
          stat->rule, genlru_policy_rule(stat->rule)->name, stat->rule_changes, stat->sample_per_million, stat->samples,
          stat->samples_lost);
    for (i = 0; i < GENLRU_NR_RULES; i++)
        print(text, "  rule %u %-14s missed %" PRIu64 " saved %" PRIu64 " lost %" PRIu64 "\n", i,
              genlru_policy_rule(i)->name, stat->rule_missed[i], stat->rule_saved[i], stat->rule_lost[i]);
}

size_t genlru_dump(const struct genlru *lru, char *text, size_t bytes)
{
    struct genlru_stat stat = {.size = sizeof(stat)};
    struct text out = {text, text ? bytes : 0, 0};
    unsigned type;

    if (genlru_stat(lru, &stat) != 0)
        return 0;
    print(&out, "genlru policy %s gens %u types %u stripes %u capacity ", genlru__policy(lru)->name, stat.nr_gens,
          stat.nr_types, stat.stripes);
    if (stat.capacity == GENLRU_NO_LIMIT)
        print(&out, "none\n");
    else
        print(&out, "%" PRIu64 "\n", stat.capacity);
    for (type = 0; type < stat.nr_types; type++)
        print_type(&out, lru, &stat, type);
    print(&out, "nodes %" PRIu64 " charge %" PRIu64 " pinned %" PRIu64 " probation %" PRIu64 " clock %" PRIu64 "\n",
          stat.nodes, stat.charge, stat.pinned_nodes, stat.probation_nodes, stat.eviction_clock);
    print(&out,
          "evicted %" PRIu64 " putback %" PRIu64 " scanned %" PRIu64 " promoted %" PRIu64 " protected %" PRIu64
          " parked %" PRIu64 " aged %" PRIu64 "\n",
          stat.evicted, stat.putback, stat.scanned, stat.promoted, stat.protected_, stat.parked, stat.aged);
    print(&out,
          "refaulted %" PRIu64 " workingset %" PRIu64 " prefetched_unused %" PRIu64 " compacted %" PRIu64
          " inconsistent %" PRIu64 "\n",
          stat.refaulted, stat.refaulted_workingset, stat.prefetched_unused, stat.compacted, stat.inconsistent);
    print_learning(&out, &stat);
    print(&out, "blocks %" PRIu64 " metadata_bytes %" PRIu64 "\n", stat.blocks, stat.metadata_bytes);
    return out.used;
}
