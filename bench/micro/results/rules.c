/* SPDX-License-Identifier: MIT */
/*
 * Ratios and bars: see rules.h
 *
 * Times are those of one thread: with one the processor's, which does not count what others took of the machine;
 * with two twice the wall time of an operation, since waiting for a lock takes no processor.
 *
 * The interval of a ratio is a bootstrap's (Efron 1979): the repetitions of both sides are drawn anew, with
 * replacement, a thousand times, always the same ones.
 */
#include "micro/results/rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gen/random.h"

enum { RESAMPLES = 1000 };

const struct rule rules[] = {
    {"hit_saturated", "", 0, RULE_TIMES, "load", NULL, NULL, true, 1.15, "× the load"},
    {"hit_saturated", "one", 2, RULE_SCALING, "load", NULL, NULL, false, 0.95, "of the load's scaling"},
    {"hit_saturated", "", 2, RULE_FASTER, "lru", NULL, NULL, false, 10, "× faster than the locked LRU"},
    {"hit_first", "", 0, RULE_TIMES, "cmpxchg", NULL, NULL, true, 1.25, "× the cmpxchg"},
    {"evict_scan", "", 1, RULE_TIMES, "array", NULL, "scanned", true, 2, "× the array, per node scanned"},
    {"evict_scan", "", 1, RULE_FASTER, "clru", NULL, NULL, false, 10, "× faster than linked CLRU, per node evicted"},
    {"add", "", 1, RULE_TIMES, "lru", NULL, NULL, true, 0.8, "× the linked LRU"},
    {"add", "", 2, RULE_TIMES, "lru", NULL, NULL, true, 0.6, "× the linked LRU"},
    {"insert_evict", "", 0, RULE_TIMES, "lru", NULL, NULL, true, 0.2, "× the linked LRU"},
    {"insert_evict", "", 0, RULE_VALUE, NULL, "allocations", NULL, true, 0, "allocations"},
    {"delete", "", 0, RULE_TIMES, "array", NULL, NULL, true, 2.5, "× one store"},
    {"mixed", "99:1", 0, RULE_SHARE, "index", NULL, NULL, true, 0.15, "of the look-up is genlru's own"},
    {"mixed", "", 2, RULE_SPEEDUP, NULL, NULL, NULL, false, 1.8, "× with a second thread"},
    {"insert_latency", "", 2, RULE_TIMES, "lru", "p99_ns", NULL, true, 0.25, "× the locked LRU's p99"},
    {"lock_hold", "evict", 0, RULE_VALUE, NULL, "p50_ns", NULL, true, 1500, "ns, p50"},
    {"lock_hold", "evict", 0, RULE_VALUE, NULL, "p99_ns", NULL, true, 5000, "ns, p99"},
    {"lock_hold", "pair", 0, RULE_VALUE, NULL, "held_ns", NULL, true, INFINITY, "ns under the lock"},
    {"growth_hit", "", 1, RULE_TIMES, "load", NULL, NULL, true, INFINITY, "× the load"},
    {"growth_pair", "", 1, RULE_TIMES, "array", NULL, NULL, true, INFINITY, "× the array"},
    {"cache_get", "", 0, RULE_FASTER, "hyperclock", NULL, NULL, false, 1.8, "× faster than HyperClockCache"},
    {"cache_get_section", "", 0, RULE_FASTER, "hyperclock", NULL, NULL, false, 1.8, "× faster than HyperClockCache"},
    {"cache_get_section", "", 0, RULE_FASTER, "lfht_index", NULL, NULL, false, 1, "× faster than cds_lfht alone"},
    {"cache_hot", "", 2, RULE_FASTER, "hyperclock", NULL, NULL, false, 2, "× faster than HyperClockCache"},
    {"cache_hot_section", "", 2, RULE_FASTER, "hyperclock", NULL, NULL, false, 20, "× faster than HyperClockCache"},
    {"cache_miss", "", 0, RULE_FASTER, "libcuckoo", NULL, NULL, false, 2.5,
     "× faster than libcuckoo with a CLOCK ring"},
    {"cache_miss", "", 0, RULE_FASTER, "leveldb", NULL, NULL, false, 2.5, "× faster than LevelDB's LRU"},
    {"cache_miss", "", 0, RULE_FASTER, "hyperclock", NULL, NULL, false, 2.5, "× faster than HyperClockCache"},
    {"cache_miss", "", 0, RULE_FASTER, "list_map_16", NULL, NULL, false, 2.5, "× faster than 16 locked lists and maps"},
    {"cache_mixed", "", 0, RULE_FASTER, "libcuckoo", NULL, NULL, false, 2, "× faster than libcuckoo with a CLOCK ring"},
    {"cache_mixed", "", 0, RULE_FASTER, "leveldb", NULL, NULL, false, 2, "× faster than LevelDB's LRU"},
    {"cache_mixed", "", 0, RULE_FASTER, "hyperclock", NULL, NULL, false, 2, "× faster than HyperClockCache"},
    {"cache_insert_latency", "", 0, RULE_TIMES, "libcuckoo", "p99_ns", NULL, true, 1, "× libcuckoo's p99"},
    {"cache_insert_latency", "", 0, RULE_TIMES, "leveldb", "p99_ns", NULL, true, 1, "× LevelDB's p99"},
    {"cache_insert_latency", "", 0, RULE_TIMES, "hyperclock", "p99_ns", NULL, true, 1, "× HyperClockCache's p99"},
};
const size_t nr_rules = sizeof(rules) / sizeof(rules[0]);

/* Some repetitions of a run, in any order: all of them, or such as were drawn. */
struct sample {
    double figure[RUN_REPETITIONS_MAX];
    unsigned nr;
};

/* Every repetition's figure; none if the run lacks what it takes. */
static struct sample all_of(const struct rule *rule, const struct run *run)
{
    const double *counter = rule->counter ? run_counter(run, rule->counter) : NULL;
    const double *divisor = rule->divisor ? run_counter(run, rule->divisor) : NULL;
    struct sample sample = {.nr = 0};

    if (!run || (rule->counter && !counter)) {
        return sample;
    }
    for (; sample.nr < run->repetitions; sample.nr++) {
        unsigned i = sample.nr;
        double time = run->threads == 1 ? run->cpu_ns[i] : run->real_ns[i] * run->threads;

        sample.figure[i] = counter ? counter[i] : divisor && divisor[i] > 0 ? time / divisor[i] : time;
    }
    return sample;
}

double rule_figure(const struct rule *rule, const struct run *run)
{
    struct sample sample = all_of(rule, run);

    return sample.nr ? runs_median(sample.figure, sample.nr) : NAN;
}

enum { OWN, OWN_ONE, OTHER, OTHER_ONE, LOOKUP, PARTS };

static double combine(enum rule_kind kind, const double *part)
{
    switch (kind) {
    case RULE_TIMES:
        return part[OWN] / part[OTHER];
    case RULE_FASTER:
        return part[OTHER] / part[OWN];
    case RULE_SCALING:
        return part[OWN_ONE] / part[OWN] / (part[OTHER_ONE] / part[OTHER]);
    case RULE_SPEEDUP:
        return 2 * part[OWN_ONE] / part[OWN];
    case RULE_SHARE:
        return (part[OWN] - part[OTHER]) / part[LOOKUP];
    case RULE_VALUE:
        return part[OWN];
    }
    return NAN;
}

static double median_of(const struct sample *sample)
{
    return sample->nr ? runs_median(sample->figure, sample->nr) : NAN;
}

static struct sample draw(const struct sample *from, struct random *random)
{
    struct sample drawn = {.nr = from->nr};

    for (unsigned i = 0; i < from->nr; i++) {
        drawn.figure[i] = from->figure[random_below(random, from->nr)];
    }
    return drawn;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void find_interval(struct row *row, const struct sample *all)
{
    double value[RESAMPLES];
    struct random random = {1};

    for (unsigned i = 0; i < RESAMPLES; i++) {
        double part[PARTS];

        for (unsigned k = 0; k < PARTS; k++) {
            struct sample drawn = draw(&all[k], &random);

            part[k] = median_of(&drawn);
        }
        value[i] = combine(row->rule->kind, part);
    }
    qsort(value, RESAMPLES, sizeof(value[0]), compare_doubles);
    row->low = value[RESAMPLES / 40];
    row->high = value[RESAMPLES - 1 - RESAMPLES / 40];
}

/* The other's batch and size are genlru's; a growth's too. */
static const struct run *counterpart(const struct runs *runs, const struct run *own, const char *subject,
                                     unsigned threads)
{
    return subject ? runs_find(runs, own->operation, subject, own->size, own->variant, threads) : NULL;
}

static struct row make_row(const struct rule *rule, const struct runs *runs, const struct run *own)
{
    struct row row = {rule, own, counterpart(runs, own, rule->other, own->threads), NAN, NAN, NAN};
    const struct run *run[PARTS] = {own, counterpart(runs, own, own->subject, 1), row.other,
                                    counterpart(runs, own, rule->other, 1),
                                    counterpart(runs, own, "lookup", own->threads)};
    struct sample all[PARTS];
    double part[PARTS];
    unsigned fewest = own->repetitions;

    for (unsigned k = 0; k < PARTS; k++) {
        all[k] = all_of(rule, run[k]);
        part[k] = median_of(&all[k]);
        fewest = run[k] && all[k].nr < fewest ? all[k].nr : fewest;
    }
    row.value = combine(rule->kind, part);
    if (!isnan(row.value) && fewest >= 3) {
        find_interval(&row, all);
    }
    return row;
}

static bool is_about(const struct rule *rule, const struct run *run)
{
    size_t length = strlen(run->variant), wanted = strlen(rule->variant);

    return !strcmp(run->operation, rule->operation) && !strcmp(run->subject, "genlru") &&
           (rule->threads == 0 || run->threads == rule->threads) && length >= wanted &&
           !strcmp(run->variant + length - wanted, rule->variant);
}

size_t rules_apply(const struct rule *rule, const struct runs *runs, struct row *row, size_t max)
{
    size_t n = 0;

    for (size_t i = 0; i < runs->nr; i++) {
        if (is_about(rule, runs->run[i])) {
            if (n < max) {
                row[n] = make_row(rule, runs, runs->run[i]);
            }
            n++;
        }
    }
    return n;
}

enum verdict row_verdict(const struct row *row)
{
    double bar = row->rule->bar;

    if (isnan(row->value) || isinf(bar)) {
        return VERDICT_UNKNOWN;
    }
    if (!isnan(row->low) && row->low <= bar && row->high > bar && row->low != row->high) {
        return VERDICT_UNSURE;
    }
    return (row->rule->at_most ? row->value <= bar : row->value >= bar) ? VERDICT_MET : VERDICT_MISSED;
}
