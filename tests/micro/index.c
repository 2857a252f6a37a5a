/* SPDX-License-Identifier: MIT */
/* The index against an array of flags, at loads where buckets spill, and with everything taken out again. */
#include "micro/index.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "gen/random.h"

static int put(struct index *index, struct object *object)
{
    int error;

    index_lock(index, object->key);
    error = index_put(index, object);
    index_unlock(index, object->key);
    return error;
}

static int take(struct index *index, struct object *object)
{
    int error;

    index_lock(index, object->key);
    error = index_remove(index, object);
    index_unlock(index, object->key);
    return error;
}

Test(index, random_against_flags)
{
    enum { NR = 3000, KEYS = 420, STEPS = 60000 };
    struct object *objects = objects_get(NR);
    static bool is_in[NR];
    struct index index;
    struct random random = {7};

    cr_assert(index_init(&index, NR / 24) == 0); /* room for 448: three quarters full, so that buckets spill */
    for (size_t i = 0; i < STEPS; i++) {
        size_t id = (size_t)random_below(&random, KEYS);

        if (!is_in[id]) {
            cr_assert_eq(take(&index, &objects[id]), -ENOENT);
            cr_assert_eq(put(&index, &objects[id]), 0);
            is_in[id] = true;
        } else if (random_below(&random, 4) == 0) {
            cr_assert_eq(take(&index, &objects[id]), 0);
            is_in[id] = false;
        }
        id = (size_t)random_below(&random, NR);
        cr_assert_eq(index_find(&index, id), is_in[id] ? &objects[id] : NULL, "step %zu", i);
    }
    for (size_t id = 0; id < NR; id++) {
        cr_assert_eq(take(&index, &objects[id]), is_in[id] ? 0 : -ENOENT);
    }
    for (uint64_t i = 0; i <= index.mask; i++) {
        cr_assert_eq(index.bucket[i].spilled, 0, "look-ups would go on for ever longer");
    }
    index_fini(&index);
}

Test(index, full)
{
    struct object *objects = objects_get(100);
    struct index index;
    size_t nr = 0;

    cr_assert(index_init(&index, 4) == 0);
    while (nr < 100 && put(&index, &objects[nr]) == 0) {
        nr++;
    }
    cr_assert_eq(nr, (index.mask + 1) * INDEX_SLOTS);
    for (size_t i = 0; i < nr; i++) {
        cr_assert_eq(index_find(&index, i), &objects[i]);
    }
    index_fini(&index);
}
