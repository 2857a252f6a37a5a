/* SPDX-License-Identifier: MIT */
/*
 * gen_simple.c - zipf, uniform, loop, phase: one law each
 */
#include "gen/all.h"
#include "gen/random.h"
#include "gen/zipf.h"

struct simple {
    struct gen base;
    struct random random;
    struct zipf zipf;
    uint64_t keys;
    uint64_t at;     /* loop: the next key; phase: requests of this phase so far */
    uint64_t sets;   /* phase */
    uint64_t length; /* phase */
    uint64_t set;    /* phase: the one whose turn it is */
};

enum { KEYS = GEN_OWN, THETA, SETS, LENGTH };

static int create(struct gen *g, const struct spec_value *v, struct trace_error *error)
{
    struct simple *s = (struct simple *)g;

    (void)error;
    s->random.state = v[GEN_SEED].count;
    s->keys = v[KEYS].count;
    return 0;
}

static int create_zipf(struct gen *g, const struct spec_value *v, struct trace_error *error)
{
    struct simple *s = (struct simple *)g;

    zipf_init(&s->zipf, v[THETA].real, v[KEYS].count);
    return create(g, v, error);
}

static int create_phase(struct gen *g, const struct spec_value *v, struct trace_error *error)
{
    struct simple *s = (struct simple *)g;

    s->sets = v[SETS].count;
    s->length = v[LENGTH].count;
    return create_zipf(g, v, error);
}

static void fill_zipf(struct gen *g, uint64_t *keys, uint8_t *channels, size_t n)
{
    struct simple *s = (struct simple *)g;

    (void)channels;
    for (size_t i = 0; i < n; i++) {
        keys[i] = zipf_next(&s->zipf, &s->random);
    }
}

static void fill_uniform(struct gen *g, uint64_t *keys, uint8_t *channels, size_t n)
{
    struct simple *s = (struct simple *)g;

    (void)channels;
    for (size_t i = 0; i < n; i++) {
        keys[i] = random_below(&s->random, s->keys);
    }
}

static void fill_loop(struct gen *g, uint64_t *keys, uint8_t *channels, size_t n)
{
    struct simple *s = (struct simple *)g;

    (void)channels;
    for (size_t i = 0; i < n; i++) {
        keys[i] = s->at;
        s->at = s->at + 1 == s->keys ? 0 : s->at + 1;
    }
}

static void fill_phase(struct gen *g, uint64_t *keys, uint8_t *channels, size_t n)
{
    struct simple *s = (struct simple *)g;

    (void)channels;
    for (size_t i = 0; i < n; i++) {
        if (s->at == s->length) {
            s->at = 0;
            s->set = s->set + 1 == s->sets ? 0 : s->set + 1;
        }
        s->at++;
        keys[i] = s->set * s->keys + zipf_next(&s->zipf, &s->random);
    }
}

#define END                               \
    {                                     \
        NULL, SPEC_TEXT, NULL, 0, 0, NULL \
    }
#define KEYS_PARAM                                                 \
    {                                                              \
        "keys", SPEC_COUNT, "1M", 1, 4294967231.0, "distinct keys" \
    }
#define THETA_PARAM                                                              \
    {                                                                            \
        "theta", SPEC_REAL, "1", 0, 10, "key k has probability ~ (k + 1)^-theta" \
    }

static const struct spec_param params_zipf[] = {GEN_COMMON("10M", "1"), KEYS_PARAM, THETA_PARAM, END};
static const struct spec_param params_keys[] = {GEN_COMMON("10M", "1"), KEYS_PARAM, END};
static const struct spec_param params_phase[] = {
    GEN_COMMON("10M", "1"),
    {"keys", SPEC_COUNT, "100k", 1, 4294967231.0, "distinct keys of each set"},
    THETA_PARAM,
    {"sets", SPEC_COUNT, "4", 1, 1e6, "disjoint sets, which take turns"},
    {"length", SPEC_COUNT, "1M", 1, 1e15, "requests of a turn"},
    END,
};

const struct gen_ops gen_zipf = {
    .name = "zipf",
    .what = "Zipf's law, exact",
    .params = params_zipf,
    .bytes = sizeof(struct simple),
    .create = create_zipf,
    .fill = fill_zipf,
};

const struct gen_ops gen_uniform = {
    .name = "uniform",
    .what = "every key as likely",
    .params = params_keys,
    .bytes = sizeof(struct simple),
    .create = create,
    .fill = fill_uniform,
};

const struct gen_ops gen_loop = {
    .name = "loop",
    .what = "all keys in order, again and again",
    .params = params_keys,
    .bytes = sizeof(struct simple),
    .create = create,
    .fill = fill_loop,
};

const struct gen_ops gen_phase = {
    .name = "phase",
    .what = "disjoint working sets that take turns, Zipf's law within each",
    .params = params_phase,
    .bytes = sizeof(struct simple),
    .create = create_phase,
    .fill = fill_phase,
};
