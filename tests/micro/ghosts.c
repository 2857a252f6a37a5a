/* SPDX-License-Identifier: MIT */
/* ARC's ghosts against two arrays in the order of eviction. */
#include "micro/subject/ghosts.h"

#include <criterion/criterion.h>
#include <string.h>

#include "gen/random.h"

enum { CAPACITY = 50, KEYS = 200, STEPS = 50000 };

static uint64_t model[2][CAPACITY + 1]; /* oldest first */
static size_t model_nr[2];

static void model_remove(unsigned list, size_t at)
{
    memmove(&model[list][at], &model[list][at + 1], (model_nr[list] - at - 1) * sizeof(uint64_t));
    model_nr[list]--;
}

static enum ghost_list model_find(uint64_t key, size_t *at)
{
    for (unsigned list = 0; list < 2; list++) {
        for (*at = 0; *at < model_nr[list]; ++*at) {
            if (model[list][*at] == key) {
                return (enum ghost_list)list;
            }
        }
    }
    return GHOSTS_NONE;
}

Test(ghosts, random_against_arrays)
{
    struct ghosts ghosts;
    struct random random = {3};
    size_t at;

    cr_assert(ghosts_init(&ghosts, CAPACITY) == 0);
    for (size_t i = 0; i < STEPS; i++) {
        uint64_t key = random_below(&random, KEYS);
        enum ghost_list list = random_below(&random, 3) ? GHOSTS_B1 : GHOSTS_B2;
        enum ghost_list found = model_find(key, &at);

        cr_assert_eq(ghosts_find(&ghosts, key), found, "step %zu", i);
        if (found != GHOSTS_NONE) {
            ghosts_take(&ghosts, key);
            model_remove(found, at);
        } else {
            if (model_nr[0] + model_nr[1] == CAPACITY) {
                model_remove(model_nr[0] > model_nr[1] ? 0 : 1, 0);
            }
            ghosts_put(&ghosts, key, list);
            model[list][model_nr[list]++] = key;
        }
        if (random_below(&random, 50) == 0 && model_nr[list]) {
            ghosts_drop(&ghosts, list);
            model_remove(list, 0);
        }
        cr_assert(ghosts.nr[0] == model_nr[0] && ghosts.nr[1] == model_nr[1]);
    }
    ghosts_fini(&ghosts);
}

Test(ghosts, none_at_all)
{
    struct ghosts ghosts;

    cr_assert(ghosts_init(&ghosts, 0) == 0);
    ghosts_put(&ghosts, 1, GHOSTS_B1);
    cr_assert_eq(ghosts_find(&ghosts, 1), GHOSTS_NONE);
    ghosts_fini(&ghosts);
}
