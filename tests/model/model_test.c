/* SPDX-License-Identifier: MIT */
/*
 * Proves that one thread gets from the library what an obvious model says: every answer, every
 * victim in its order with its shadow, every figure, after each of a long row of random operations.
 *
 *   model_test [--ops N] [--seed S] [--policy mglru|mglru-old|mglru-fg|default|random|any] [--gens
 *   G] [--types T]
 *              [--nodes N] [--capacity C|none] [--verify-every K] [--episode N] [--start-near-wrap
 *              WHAT]
 *
 * --verify-every K: everything is compared every K operations (answers always are), and at the end
 * of each episode: after N operations both are emptied, ended and made anew with another
 * configuration.
 *
 * --start-near-wrap WHAT: the same run twice, one started just below a wrap of WHAT, one far from
 * it; both must answer the same. WHAT: seq8 seq127 seq16 seq32 seq64 clock26 clock32 clock64 epoch3
 * epoch8 epoch32.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rig.h"

static void usage(const char *wrong)
{
    fprintf(stderr, "model_test: %s; the head of tests/model/model_test.c tells what it takes\n", wrong);
    exit(2);
}

static uint64_t number(const char *text)
{
    char *end;
    uint64_t value = strtoull(text, &end, 10);

    if (*text < '0' || *text > '9' || *end)
        usage("not a number");
    return value;
}

static const char *parse(struct options *options, int argc, char **argv)
{
    const char *wrap = NULL;
    int i;

    for (i = 1; i + 1 < argc; i += 2) {
        const char *name = argv[i], *value = argv[i + 1];

        if (strcmp(name, "--policy") == 0)
            options->policy = value;
        else if (strcmp(name, "--start-near-wrap") == 0)
            wrap = value;
        else if (strcmp(name, "--capacity") == 0 && (options->has_capacity = true) && strcmp(value, "none") == 0)
            options->capacity = GENLRU_NO_LIMIT;
        else if (strcmp(name, "--ops") == 0)
            options->ops = number(value);
        else if (strcmp(name, "--seed") == 0)
            options->seed = number(value);
        else if (strcmp(name, "--gens") == 0)
            options->gens = (unsigned)number(value);
        else if (strcmp(name, "--types") == 0)
            options->types = (unsigned)number(value);
        else if (strcmp(name, "--nodes") == 0)
            options->nodes = (unsigned)number(value);
        else if (strcmp(name, "--capacity") == 0)
            options->capacity = number(value);
        else if (strcmp(name, "--verify-every") == 0)
            options->verify_every = number(value);
        else if (strcmp(name, "--episode") == 0)
            options->episode = number(value);
        else
            usage(name);
    }
    if (i != argc)
        usage("an option without a value");
    if (options->nodes > RIG_MAX_NODES || options->gens == 1 || options->gens == 2 || options->gens > GENLRU_MAX_GENS ||
        options->types > GENLRU_MAX_TYPES || !options->episode)
        usage("a number out of its range");
    return wrap;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Runs all episodes; returns the digest of all answers. */
static uint64_t run(struct rig *rig, const struct options *options, const struct genlru__start *start)
{
    uint64_t done = 0, i;

    memset(rig, 0, sizeof(*rig));
    rig->options = *options;
    rig->random = options->seed;
    rig->start = *start;
    while (done < options->ops) {
        rig_open(rig);
        for (i = 0; i < options->episode && done < options->ops; i++, done++) {
            rig->step++;
            owner_step(rig);
            if (options->verify_every && rig->step % options->verify_every == 0)
                compare_all(rig);
        }
        rig->agings = larger(rig->agings, rig->model.stat.aged);
        rig->epochs = larger(rig->epochs, rig->model.epoch - start->epoch);
        rig->evicted = larger(rig->evicted, rig->model.clock - start->eviction_clock);
        rig_close(rig);
        memset(rig->shadow, 0, sizeof(rig->shadow));
    }
    return rig->digest;
}

/* How far a run must come to pass the wrap that it was started below. */
struct distance {
    uint64_t agings, epochs, evicted;
};

/*
 * Starts just below a wrap, and far from it. Both lie at the same place within 64 generations and a
 * step of the shadows' clock, since lists are found by seq modulo a power of two, and distances are
 * rounded to steps.
 */
static void starts_of(const char *wrap, const struct options *options, struct genlru__start *near,
                      struct genlru__start *far, struct distance *distance)
{
    enum { CHARGE = 1500, GENS = 5, EPOCHS = 2 };

    const unsigned shift = options->capacity == GENLRU_NO_LIMIT ? 8 : 0;
    const struct {
        const char *name;
        uint64_t max_seq, clock;
        uint32_t epoch;
    } starts[] = {
        {"seq8", (UINT64_C(1) << 8) - GENS, 0, 0},
        {"seq127", UINT64_C(127) * 1000 - GENS, 0, 0},
        {"seq16", (UINT64_C(1) << 16) - GENS, 0, 0},
        {"seq32", (UINT64_C(1) << 32) - GENS, 0, 0},
        {"seq64", UINT64_MAX - (UINT64_C(1) << 22), 0, 0}, /* a seq never wraps: a generation each ns takes 584 years */
        {"clock26", 0, (UINT64_C(1) << (26 + shift)) - CHARGE, 0},
        {"clock32", 0, (UINT64_C(1) << 32) - CHARGE, 0},
        {"clock64", 0, UINT64_MAX - CHARGE, 0},
        {"epoch3", 0, 0, 8 - EPOCHS},
        {"epoch8", 0, 0, 256 - EPOCHS},
        {"epoch32", 0, 0, UINT32_MAX - EPOCHS},
    };
    unsigned i;

    for (i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
        if (strcmp(starts[i].name, wrap) == 0)
            break;
    if (i == sizeof(starts) / sizeof(starts[0]))
        usage("--start-near-wrap of an unknown thing");
    distance->agings = starts[i].max_seq ? GENS + 1 : 0;
    distance->evicted = starts[i].clock ? CHARGE + 1 : 0;
    distance->epochs = starts[i].epoch ? EPOCHS + 1 : 0;
    *near = *far = (struct genlru__start){starts[i].max_seq, starts[i].clock, starts[i].epoch};
    if (near->max_seq)
        far->max_seq += near->max_seq >> 63 ? -UINT64_C(64) * 1001 : UINT64_C(64) * 1001;
    if (near->eviction_clock)
        far->eviction_clock -= UINT64_C(1) << (25 + shift);
    if (near->epoch)
        far->epoch = near->epoch % 8 + 96;
}

int main(int argc, char **argv)
{
    static struct rig rig;
    static const struct genlru__start from_zero = {0, 0, 0};
    struct options options = {.ops = 100000, .seed = 1, .policy = "any", .verify_every = 1, .episode = 20000};
    const char *wrap = parse(&options, argc, argv);
    clock_t begin = clock();
    uint64_t digest;

    printf("seed %" PRIu64 "\n", options.seed);
    fflush(stdout);
    if (wrap) {
        struct genlru__start near, far;
        struct distance distance;
        uint64_t far_digest;

        options.is_calm = true;
        if (!options.has_capacity) {
            options.has_capacity = true;
            options.capacity = 60;
        }
        starts_of(wrap, &options, &near, &far, &distance);
        digest = run(&rig, &options, &near);
        if (rig.agings < distance.agings || rig.epochs < distance.epochs || rig.evicted < distance.evicted) {
            fprintf(stderr, "FAILED: seed %" PRIu64 ": the run did not come to the wrap of %s\n", options.seed, wrap);
            return 1;
        }
        far_digest = run(&rig, &options, &far);
        if (digest != far_digest) {
            fprintf(stderr,
                    "FAILED: seed %" PRIu64 ": a run started near a wrap of %s answers other than one far from it\n",
                    options.seed, wrap);
            return 1;
        }
    } else {
        digest = run(&rig, &options, &from_zero);
    }
    printf("%" PRIu64 " operations%s as the model has them, digest %016" PRIx64 ", %.1f s\n", options.ops,
           wrap ? " near a wrap and far from it" : "", digest, (double)(clock() - begin) / CLOCKS_PER_SEC);
    return 0;
}
