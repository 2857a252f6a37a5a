/* SPDX-License-Identifier: MIT */
/* The model at its ends: one processor, nothing under the lock, everything under it; and two by hand. */
#include "micro/results/model.h"

#include <criterion/criterion.h>

Test(model, ends)
{
    struct model free = {100, 50, 0}, all = {0, 40, 40}, some = {100, 60, 20};

    cr_assert_float_eq(model_rate(&some, 0.5, 1, 0), 1 / 130.0, 1e-12);
    cr_assert_float_eq(model_rate(&free, 1, 64, 0), 64 / 150.0, 1e-12, "no lock: all processors");
    cr_assert_float_eq(model_rate(&all, 1, 64, 0), 1 / 40.0, 1e-12, "nothing but the lock: one");
    cr_assert_float_eq(model_rate(&some, 1, 64, 0), 1 / 20.0, 1e-5, "the lock, however many");
    cr_assert_float_eq(model_limit(&some, 1, 0), 8, 1e-12);
    cr_assert_float_eq(model_rate(&all, 1, 5, 64), 1 / 42.0, 1e-12, "two changes of hands in 64 pairs");
}

Test(model, two_by_hand)
{
    struct model m = {30, 20, 10};
    /* Z = 40, D = 10; n = 1: X = 1/50, Q = 0.2; n = 2: R = 12, X = 2/52 */
    cr_assert_float_eq(model_rate(&m, 1, 2, 0), 2 / 52.0, 1e-12);
}
