/* SPDX-License-Identifier: MIT */
/*
 * The test rig: an lru and its model side by side, and the random owner that uses both.
 *
 *   rig.c      making and ending the pair; random configurations; a failure's report
 *   owner.c, owner_evict.c
 *              random operations, each on both, answers compared at once
 *   compare.c  everything that can be seen of both, and everything that cannot
 */
#ifndef GENLRU_TESTS_MODEL_RIG_H
#define GENLRU_TESTS_MODEL_RIG_H

#include <stdbool.h>
#include <stdint.h>

#include "genlru/genlru.h"
#include "lru/create.h"
#include "model.h"

enum { RIG_MAX_NODES = 3000, RIG_PAST = 32 };

/* What the command line says; 0 or NULL = chosen by the seed. */
struct options {
    uint64_t ops;
    uint64_t seed;
    const char *policy; /* mglru, mglru-old, mglru-fg, default, random, any */
    unsigned gens;
    unsigned types;
    unsigned nodes;
    uint64_t capacity;
    bool has_capacity;
    uint64_t verify_every; /* 0 = never but at the end of an episode */
    uint64_t episode;      /* operations before all is made anew */
    bool is_calm;          /* small charges and a working allocator: runs from different starts compare */
};

struct rig {
    struct options options;
    struct genlru__start start;
    uint64_t random;
    const uint8_t
        *input; /* tests/fuzz: all choices are made by these bytes, while there are some; NULL = by `random` */
    size_t nr_input;
    uint64_t step;   /* operations so far, of all episodes */
    uint64_t digest; /* of all answers */
    uint64_t agings; /* most of an episode; likewise: */
    uint64_t epochs;
    uint64_t evicted;

    struct genlru *lru;
    struct model model;
    struct genlru_config config;
    struct genlru_policy policy;
    struct genlru_allocator allocator;
    uint64_t bytes; /* allocated by the lru now */
    bool has_no_memory;
    uint64_t now; /* the lru's clock; the model has its own */
    uint64_t tick;
    uint64_t nr_misuses;

    unsigned nr_nodes;
    struct genlru_node node[RIG_MAX_NODES];
    struct model_node model_node[RIG_MAX_NODES];
    genlru_shadow shadow[RIG_MAX_NODES]; /* of the last eviction */
    struct genlru_victim victim[RIG_MAX_NODES];
    struct model_victim model_victim[RIG_MAX_NODES];

    uint64_t phase_left; /* operations until the mix shifts */
    unsigned weight[32];

    struct past_op {
        uint64_t step;
        const char *what;
        long long a, b, c;
        long long answer;
    } past[RIG_PAST];
};

/* ---- rig.c ---- */

uint64_t rig_random(struct rig *rig);
/* 0 .. below-1 */
uint64_t rig_below(struct rig *rig, uint64_t below);
bool rig_one_in(struct rig *rig, unsigned nr);
void rig_open(struct rig *rig);
void rig_close(struct rig *rig);
/* Remembers an operation for the report; its answer goes into the digest, too. */
void rig_note(struct rig *rig, const char *what, long long a, long long b, long long c, long long answer);
void rig_digest(struct rig *rig, uint64_t value);
/* Compares, and ends the program with a report if the two differ. */
void rig_equal(struct rig *rig, const char *what, uint64_t library, uint64_t model);
void rig_fail(struct rig *rig, const char *format, ...) __attribute__((format(printf, 2, 3), noreturn));

/* ---- owner.c ---- */

/* One random operation. */
void owner_step(struct rig *rig);
/* Lets go of all nodes. */
void owner_empty(struct rig *rig);
void owner_prepare(struct rig *rig, unsigned i);

/* ---- compare.c ---- */

void compare_all(struct rig *rig);
void compare_print(struct rig *rig);

#endif
