/* SPDX-License-Identifier: MIT */
/*
 * cost.c - genlru-sim cost: what a hit and an eviction take
 *
 *      empty cache ──whole trace──▶ warm ──its hits once more──▶ warm ──never-seen keys──▶ flooded
 *                    request_ns            hit_ns                        evict_ns
 *
 * Hits: the trace's requests for what is resident at its end, in the trace's order. Evictions: the
 * cache is filled up with keys never seen (not timed), then every further one of them is a miss
 * that inserts one entry and evicts one. They come in a shuffled order, since the state of a new
 * entry is not beside that of the one before.
 *
 * Each repetition builds the same state anew; the policies take turns within a repetition, so that
 * what the machine does meanwhile hits all of them; the median over the repetitions is printed. As
 * in `run`, keys are dense ids and the state of requests to come is prefetched: this is the policy
 * alone, without an index.
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/commands.h"
#include "sim/workload.h"

/* Timed at least this long, so that the clock's 30 ns and a timer interrupt do not show. */
#define HITS_MIN ((size_t)1 << 18)
#define FLOOD_MIN ((size_t)1 << 16)
#define FLOOD_MAX ((size_t)1 << 20)

/* What all policies share at one size of one trace. */
struct setting {
    const struct trace *trace;
    const struct sim_size *size;
    uint32_t capacity;
    uint32_t *fresh; /* ids beyond the trace's, shuffled: those that fill up, then the flood */
    size_t nr_fresh;
    size_t nr_flood; /* the last ones of fresh */
    uint32_t *hits;  /* room for HITS_MIN requests beyond a trace's length */
};

/* Of one policy: a time for each repetition; and counts, which are the same in all of them. */
struct costs {
    double *request_ns;
    double *hit_ns;
    double *evict_ns;
    uint64_t nr_hits;
    uint64_t nr_evictions;
};

static uint64_t next_random(uint64_t *state)
{
    /* splitmix64 (Steele, Lea, Flood 2014) */
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Fisher-Yates, always the same order. */
static void shuffle(uint32_t *ids, size_t n)
{
    uint64_t state = 1;

    for (size_t i = n; i > 1; i--) {
        size_t k = (size_t)(next_random(&state) % i);
        uint32_t id = ids[i - 1];

        ids[i - 1] = ids[k];
        ids[k] = id;
    }
}

static void setting_fini(struct setting *s)
{
    free(s->fresh);
    free(s->hits);
}

static int setting_init(struct setting *s, const struct trace *trace, const struct sim_size *size)
{
    *s = (struct setting){.trace = trace, .size = size};
    s->capacity = (uint32_t)sim_size_capacity(size, trace->nr_ids);
    s->nr_flood = s->capacity < FLOOD_MIN ? FLOOD_MIN : s->capacity > FLOOD_MAX ? FLOOD_MAX : s->capacity;
    s->nr_fresh = s->nr_flood + s->capacity;
    if (s->nr_fresh > TRACE_IDS_MAX - trace->nr_ids) {
        return -ENOSPC;
    }
    s->fresh = malloc(s->nr_fresh * sizeof(*s->fresh));
    s->hits = malloc((trace->nr_requests + HITS_MIN) * sizeof(*s->hits));
    if (!s->fresh || !s->hits) {
        setting_fini(s);
        return -ENOMEM;
    }
    for (size_t i = 0; i < s->nr_fresh; i++) {
        s->fresh[i] = trace->nr_ids + (uint32_t)i;
    }
    shuffle(s->fresh, s->nr_fresh);
    return 0;
}

/* The trace's requests for residents, repeated until there are HITS_MIN. Returns how many. */
static size_t collect_hits(const struct setting *s, const struct policy *p)
{
    size_t n = 0;

    for (uint64_t i = 0; i < s->trace->nr_requests; i++) {
        if (policy_is_resident(p, s->trace->ids[i])) {
            s->hits[n++] = s->trace->ids[i];
        }
    }
    if (n == 0) {
        return 0;
    }
    for (size_t k = 0; n < HITS_MIN; k++, n++) {
        s->hits[n] = s->hits[k];
    }
    return n;
}

static double per(uint64_t ns, uint64_t n)
{
    return n ? (double)ns / (double)n : 0;
}

static void time_trace(const struct setting *s, struct policy *p, struct costs *c, unsigned rep)
{
    uint64_t began = sim_now_ns();

    policy_replay(p, s->trace->ids, s->trace->nr_requests);
    c->request_ns[rep] = per(sim_now_ns() - began, s->trace->nr_requests);
}

static void time_hits(const struct setting *s, struct policy *p, struct costs *c, unsigned rep)
{
    size_t n = collect_hits(s, p);
    uint64_t began = sim_now_ns();
    uint64_t misses = policy_replay(p, s->hits, n);

    c->hit_ns[rep] = per(sim_now_ns() - began, n);
    c->nr_hits = n;
    assert(misses == 0);
    (void)misses;
}

static void time_evictions(const struct setting *s, struct policy *p, struct costs *c, unsigned rep)
{
    size_t fill = p->capacity - p->nr_resident;

    policy_replay(p, s->fresh, fill);

    uint64_t before = p->evictions;
    uint64_t began = sim_now_ns();
    uint64_t misses = policy_replay(p, s->fresh + s->nr_fresh - s->nr_flood, s->nr_flood);
    uint64_t ns = sim_now_ns() - began;

    c->nr_evictions = p->evictions - before;
    c->evict_ns[rep] = per(ns, c->nr_evictions);
    assert(misses == s->nr_flood);
    (void)misses;
}

static int measure(const struct setting *s, const struct policy_spec *spec, struct costs *c, unsigned rep)
{
    struct policy_config config = {
        .capacity = s->capacity,
        .nr_ids = s->trace->nr_ids + (uint32_t)s->nr_fresh,
        .variant = spec->variant,
    };
    struct policy *p = NULL;
    int rc = policy_create(spec->ops, &config, &p);

    if (rc) {
        return rc;
    }
    time_trace(s, p, c, rep);
    time_hits(s, p, c, rep);
    time_evictions(s, p, c, rep);
    policy_destroy(p);
    return 0;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *values, unsigned n)
{
    qsort(values, n, sizeof(*values), compare_doubles);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

static void print_header(void)
{
    puts("workload\tpolicy\tsize\tcapacity\trequests\trequest_ns\thits\thit_ns\tevictions\t"
         "evict_ns\trepeats");
}

/* Of what never happened (capacity 0) the time is "-". */
static void print_time(double *values, unsigned repeat, uint64_t n)
{
    if (n) {
        printf("%.2f\t", median(values, repeat));
    } else {
        fputs("-\t", stdout);
    }
}

static void print_row(const struct setting *s, const struct policy_spec *spec, struct costs *c, unsigned repeat)
{
    printf("%s\t%s\t%s\t%" PRIu32 "\t%" PRIu64 "\t", s->trace->name, spec->name, s->size->text, s->capacity,
           s->trace->nr_requests);
    print_time(c->request_ns, repeat, s->trace->nr_requests);
    printf("%" PRIu64 "\t", c->nr_hits);
    print_time(c->hit_ns, repeat, c->nr_hits);
    printf("%" PRIu64 "\t", c->nr_evictions);
    print_time(c->evict_ns, repeat, c->nr_evictions);
    printf("%u\n", repeat);
    fflush(stdout);
}

static void costs_destroy(struct costs *c, size_t nr_policies)
{
    for (size_t k = 0; c && k < nr_policies; k++) {
        free(c[k].request_ns);
        free(c[k].hit_ns);
        free(c[k].evict_ns);
    }
    free(c);
}

static struct costs *costs_create(size_t nr_policies, unsigned repeat)
{
    struct costs *c = calloc(nr_policies, sizeof(*c));

    for (size_t k = 0; c && k < nr_policies; k++) {
        c[k].request_ns = calloc(repeat, sizeof(double));
        c[k].hit_ns = calloc(repeat, sizeof(double));
        c[k].evict_ns = calloc(repeat, sizeof(double));
        if (!c[k].request_ns || !c[k].hit_ns || !c[k].evict_ns) {
            costs_destroy(c, nr_policies);
            return NULL;
        }
    }
    return c;
}

static int cost_at(const struct sim_options *o, const struct setting *s, struct progress *progress)
{
    struct costs *c = costs_create(o->nr_policies, o->repeat);
    int rc = c ? 0 : -ENOMEM;

    progress_begin(progress, NULL, "%s %s", s->trace->name, s->size->text);
    for (unsigned rep = 0; rep < o->repeat && !rc; rep++) {
        for (size_t k = 0; k < o->nr_policies && !rc; k++) {
            rc = measure(s, &o->policies[k], &c[k], rep);
            progress_tell(progress, rep * o->nr_policies + k + 1, o->repeat * o->nr_policies);
        }
    }
    progress_end(progress);
    for (size_t k = 0; k < o->nr_policies && !rc; k++) {
        print_row(s, &o->policies[k], &c[k], o->repeat);
    }
    costs_destroy(c, o->nr_policies);
    return rc;
}

static int cost_all(const struct sim_options *o, const struct workloads *w, struct progress *progress)
{
    print_header();
    for (size_t t = 0; t < w->nr; t++) {
        for (size_t k = 0; k < o->nr_sizes; k++) {
            struct setting s;
            int rc = setting_init(&s, w->traces[t], &o->sizes[k]);

            if (!rc) {
                rc = cost_at(o, &s, progress);
                setting_fini(&s);
            }
            if (rc) {
                fprintf(stderr, "genlru-sim: %s at %s: %s\n", w->traces[t]->name, o->sizes[k].text, strerror(-rc));
                return rc;
            }
        }
    }
    return 0;
}

static const char help[] =
    "Usage: genlru-sim cost --trace FILE … --gen SPEC … --policy NAME,… --size SIZE,… [--repeat N]\n"
    "\n"
    "Measures each policy at each size, the policies taking turns, and prints the medians.\n"
    "Options as in `genlru-sim run --help` but --jobs, and\n"
    "\n"
    "  --repeat N       repetitions, 1 to 101, default 7\n"
    "\n"
    "Columns\n"
    "  request_ns       one request of the whole trace, from an empty cache\n"
    "  hit_ns           one access to a resident entry, in the trace's order, after that\n"
    "  evict_ns         one miss that inserts a new entry and evicts another, after that\n"
    "\n"
    "Keys are numbered beforehand, so no index is searched; the policy's state of the requests to\n"
    "come is prefetched. One thread. All requests count as reads, prefetches included.\n";

int sim_cost(int argc, char **argv)
{
    struct sim_options options;
    struct workloads w;
    struct progress progress;
    int rc = sim_options_parse(argc, argv, SIM_FOR_COST, &options);

    if (rc) {
        sim_options_fini(&options);
        return sim_exit_parse(rc, "cost");
    }
    if (options.help) {
        fputs(help, stdout);
        sim_options_fini(&options);
        return sim_exit_output(0);
    }
    progress_init(&progress);
    rc = workloads_load(&options, &progress, &w);
    if (!rc) {
        rc = cost_all(&options, &w, &progress);
        workloads_destroy(&w);
    }
    sim_options_fini(&options);
    return sim_exit_output(rc);
}
