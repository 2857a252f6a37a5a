/* SPDX-License-Identifier: MIT */
/* Thread numbers: the same at each call of a thread, different in each thread, and small. */
#include "base/thread.h"

#include <pthread.h>

#include "unit.h"

static void *number(void *ret)
{
    unsigned first = genlru__thread_number();

    genlru__yield();
    *(unsigned *)ret = first == genlru__thread_number() ? first : UINT32_MAX;
    return NULL;
}

Test(thread, numbers)
{
    enum { NR = 16 };
    unsigned numbers[NR], i, k;

    for (i = 0; i < NR; i++) {
        pthread_t thread;

        cr_assert(pthread_create(&thread, NULL, number, &numbers[i]) == 0 && pthread_join(thread, NULL) == 0);
        cr_assert(numbers[i] <= NR);
        for (k = 0; k < i; k++)
            cr_assert(numbers[i] != numbers[k]);
    }
    number(&numbers[0]);
    number(&numbers[1]);
    cr_assert(numbers[0] == numbers[1] && numbers[0] <= NR);
}

Test(thread, processors)
{
    cr_assert(genlru__nr_cpus() >= 1 && genlru__nr_cpus() < 1u << 20);
}
