/* SPDX-License-Identifier: MIT */
/*
 * As much of Criterion as our unit tests use, for builds that have no Criterion to link: 32-bit and cross ones
 * (GENLRU_CRITERION_SHIM). A process for each test, one after the other; the arguments are not looked at. Everywhere else the
 * tests run under Criterion itself.
 */
#ifndef GENLRU_TESTS_SHIM_CRITERION_H
#define GENLRU_TESTS_SHIM_CRITERION_H

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

struct shim_test {
    const char *suite;
    const char *name;
    void (*run)(void);
    int signal; /* the test is to end by this one; 0 = none */
    struct shim_test *next;
};

static struct shim_test *shim_tests;

struct shim_options {
    bool is_test;
    double timeout; /* not watched: CTest does */
    int signal;
};

#define Test(suite_, name_, ...)                                                                \
    static void shim_run_##suite_##_##name_(void);                                              \
    __attribute__((constructor)) static void shim_register_##suite_##_##name_(void)             \
    {                                                                                           \
        static const struct shim_options options = {.is_test = true, __VA_ARGS__};              \
        static struct shim_test test = {#suite_, #name_, shim_run_##suite_##_##name_, 0, NULL}; \
                                                                                                \
        test.signal = options.signal;                                                           \
        test.next = shim_tests;                                                                 \
        shim_tests = &test;                                                                     \
    }                                                                                           \
    static void shim_run_##suite_##_##name_(void)

#define shim_fail(what, ...)                                     \
    do {                                                         \
        fprintf(stderr, "%s:%d: %s:", __FILE__, __LINE__, what); \
        fprintf(stderr, " " __VA_ARGS__);                        \
        fputc('\n', stderr);                                     \
        _exit(1);                                                \
    } while (0)

#define cr_assert(condition, ...)                  \
    do {                                           \
        if (!(condition))                          \
            shim_fail(#condition, "" __VA_ARGS__); \
    } while (0)
#define cr_assert_eq(a, b, ...) cr_assert((a) == (b), "" __VA_ARGS__)
#define cr_assert_geq(a, b, ...) cr_assert((a) >= (b), "" __VA_ARGS__)
#define cr_assert_float_eq(a, b, by, ...) cr_assert((a) - (b) <= (by) && (b) - (a) <= (by), "" __VA_ARGS__)
#define cr_assert_null(a, ...) cr_assert((a) == NULL, "" __VA_ARGS__)
#define cr_assert_not_null(a, ...) cr_assert((a) != NULL, "" __VA_ARGS__)
#define cr_assert_fail(...) shim_fail("failed", "" __VA_ARGS__)

static bool shim_passes(const struct shim_test *test)
{
    int status = 0;
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        test->run();
        fflush(stdout);
        exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        return false;
    return test->signal ? WIFSIGNALED(status) && WTERMSIG(status) == test->signal
                        : WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int main(void)
{
    const struct shim_test *test;
    unsigned nr = 0, nr_failed = 0;

    for (test = shim_tests; test; test = test->next, nr++)
        if (!shim_passes(test)) {
            printf("FAILED %s/%s\n", test->suite, test->name);
            nr_failed++;
        }
    printf("%u tests, %u failed\n", nr, nr_failed);
    return nr_failed || !nr;
}

#endif
