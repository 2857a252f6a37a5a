/* SPDX-License-Identifier: MIT */
/*
 * golden.c - see golden.h
 */
#define _POSIX_C_SOURCE 200809L
#include "golden.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

char *golden_state(const struct policy *p)
{
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);

    cr_assert_not_null(out);
    p->ops->dump(p, out);
    fclose(out);
    return text;
}

static uint32_t count_resident(const struct policy *p)
{
    uint32_t n = 0;

    for (uint32_t id = 0; id < p->nr_ids; id++) {
        n += policy_is_resident(p, id);
    }
    return n;
}

/* For policies that know the future. The caller frees the ids after the policy. */
static uint32_t *prepare(struct policy *p, const struct golden_step *steps, size_t n)
{
    uint32_t *ids = malloc(n * sizeof(*ids));

    cr_assert_not_null(ids);
    for (size_t i = 0; i < n; i++) {
        ids[i] = steps[i].id;
    }
    cr_assert_eq(policy_prepare(p, ids, n), 0);
    return ids;
}

void golden_run(const struct policy_ops *ops, const struct policy_config *config, const struct golden_step *steps,
                size_t n)
{
    struct policy *p = NULL;
    uint64_t misses = 0;

    cr_assert_eq(policy_create(ops, config, &p), 0);
    uint32_t *ids = prepare(p, steps, n);

    for (size_t i = 0; i < n; i++) {
        const struct golden_step *s = &steps[i];
        bool was_resident = policy_is_resident(p, s->id);
        bool hit = policy_access(p, s->id, s->channel);
        char *state = golden_state(p);

        misses += !hit;
        cr_assert_eq(was_resident, s->hit, "step %zu, id %u: residency", i + 1, (unsigned)s->id);
        cr_assert_eq(hit, s->hit, "step %zu, id %u: hit %d", i + 1, (unsigned)s->id, hit);
        cr_assert_str_eq(state, s->state, "step %zu, id %u:\n  is      %s\n  must be %s", i + 1, (unsigned)s->id, state,
                         s->state);
        cr_assert_eq(p->nr_resident, count_resident(p), "step %zu", i + 1);
        cr_assert_eq(p->evictions, misses - p->nr_resident - p->nr_refused, "step %zu", i + 1);
        free(state);
    }
    policy_destroy(p);
    free(ids);
}

void golden_replay(const struct policy_ops *ops, const struct policy_config *config, const struct golden_step *steps,
                   size_t n)
{
    struct policy *p = NULL;
    uint64_t misses = 0;

    for (size_t i = 0; i < n; i++) {
        cr_assert_eq(steps[i].channel, POLICY_READ);
        misses += !steps[i].hit;
    }
    cr_assert_eq(policy_create(ops, config, &p), 0);
    uint32_t *ids = prepare(p, steps, n);

    cr_assert_eq(policy_replay(p, ids, n), misses);

    char *state = golden_state(p);

    cr_assert_str_eq(state, steps[n - 1].state);
    free(state);
    policy_destroy(p);
    free(ids);
}
