// SPDX-License-Identifier: MIT
//
// shim.cpp - benchmarks in C, run by Google Benchmark: see shim.h
//
// Google Benchmark's own setup and teardown hooks take no user pointer, so thread 0 calls ours, on
// either side of the loop, whose first and last call are barriers for all threads.
#include "shim/shim.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "shim/reporter.h"

namespace
{

bool is_pinning;
std::unique_ptr<shim::Reporter> reporter;
size_t nr_matched;

// Of one benchmark; one run at a time.
struct Shared {
    struct shim_bench bench;
    std::atomic<bool> has_failed{false};

    // What setup made is there before any thread's run begins, and every run has ended before teardown.
    std::mutex mutex;
    std::condition_variable changed;
    bool is_set_up = false;
    int nr_running = 0;

    void begin(int threads)
    {
        std::lock_guard<std::mutex> lock(mutex);
        is_set_up = true;
        nr_running = threads;
        changed.notify_all();
    }

    void wait_for_begin()
    {
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, [this] { return is_set_up; });
    }

    void leave()
    {
        std::lock_guard<std::mutex> lock(mutex);
        nr_running--;
        changed.notify_all();
    }

    void wait_for_end()
    {
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, [this] { return nr_running == 0; });
        is_set_up = false;
    }
};

// The i-th of the processors that the process may use, round and round.
void pin(unsigned thread)
{
    static const cpu_set_t allowed = [] {
        cpu_set_t set;
        CPU_ZERO(&set);
        sched_getaffinity(0, sizeof(set), &set);
        return set;
    }();
    int nr = CPU_COUNT(&allowed);
    unsigned wanted = nr > 0 ? thread % (unsigned)nr : 0;

    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET(cpu, &allowed) && wanted-- == 0) {
            cpu_set_t set;

            CPU_ZERO(&set);
            CPU_SET(cpu, &set);
            pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
            return;
        }
    }
}

} // namespace

struct shim_state {
    benchmark::State &state;
    Shared &shared;
    bool is_over;

    void fail(const char *message)
    {
        // Once a thread: Google Benchmark stops its clock, which must be running at most once.
        if (!state.error_occurred()) {
            state.SkipWithError(message);
        }
        shared.has_failed = true;
    }
};

namespace
{

void run(Shared &shared, benchmark::State &state)
{
    struct shim_state s = {state, shared, false};
    const struct shim_bench &bench = shared.bench;
    int error = 0;

    if (is_pinning) {
        pin((unsigned)state.thread_index());
    }
    if (state.thread_index() == 0) {
        shared.has_failed = false;
        error = bench.setup ? bench.setup(&s, bench.user) : 0;
        if (error) {
            s.fail((std::string("setup: ") + strerror(-error)).c_str());
        }
        shared.begin(state.threads());
    }
    shared.wait_for_begin();
    if (!shared.has_failed) {
        bench.run(&s, bench.user);
        if (!s.is_over) {
            s.fail("the loop ended before its time"); // and the other threads would wait for this one
        }
    }
    while (!s.is_over) { // to the barrier at the end
        shim_next(&s, INT32_MAX);
    }
    shared.leave();
    if (state.thread_index() == 0) {
        shared.wait_for_end();
        if (bench.teardown && !error) {
            bench.teardown(&s, bench.user);
        }
    }
}

bool is_sound(const struct shim_bench *bench)
{
    return bench && bench->name && bench->run && bench->nr_args <= SHIM_ARGS_MAX;
}

} // namespace

bool shim_next(struct shim_state *s, uint64_t batch)
{
    bool goes_on = s->state.KeepRunningBatch((benchmark::IterationCount)batch);

    // What one thread failed at, none need go on with; but each must come to the barrier at the end.
    if (goes_on && s->shared.has_failed) {
        while (s->state.KeepRunningBatch(INT32_MAX)) {
        }
        goes_on = false;
    }
    s->is_over = !goes_on;
    return goes_on;
}

unsigned shim_thread(const struct shim_state *s)
{
    return (unsigned)s->state.thread_index();
}

unsigned shim_threads(const struct shim_state *s)
{
    return (unsigned)s->state.threads();
}

uint64_t shim_iterations(const struct shim_state *s)
{
    return (uint64_t)s->state.max_iterations;
}

int64_t shim_arg(const struct shim_state *s, unsigned i)
{
    return i < s->shared.bench.nr_args ? s->state.range(i) : 0;
}

void shim_pause(struct shim_state *s)
{
    s->state.PauseTiming();
}

void shim_resume(struct shim_state *s)
{
    s->state.ResumeTiming();
}

void shim_counter(struct shim_state *s, const char *name, double value, enum shim_counter_kind kind)
{
    benchmark::Counter::Flags flags = kind == SHIM_MEAN   ? benchmark::Counter::kAvgThreads
                                      : kind == SHIM_RATE ? benchmark::Counter::kIsRate
                                                          : benchmark::Counter::kDefaults;

    s->state.counters[name] = benchmark::Counter(value, flags);
}

void shim_fail(struct shim_state *s, const char *message)
{
    s->fail(message);
}

int shim_init(int *argc, char **argv, const char *const *defaults)
{
    // Google Benchmark takes the last of two equal flags, so defaults go first.
    std::vector<char *> args(1, argv[0]);
    std::string out;
    int nr;

    for (size_t i = 0; defaults && defaults[i]; i++) {
        args.push_back(const_cast<char *>(defaults[i]));
    }
    for (int i = 1; i < *argc; i++) {
        if (!strncmp(argv[i], "--benchmark_out=", 16)) {
            out = argv[i] + 16;
        } else if (!strcmp(argv[i], "--pin")) {
            is_pinning = true;
        } else if (strcmp(argv[i], "--benchmark_out_format=json")) {
            args.push_back(argv[i]);
        }
    }
    nr = (int)args.size();
    args.push_back(nullptr);
    benchmark::Initialize(&nr, args.data());
    if (benchmark::ReportUnrecognizedArguments(nr, args.data())) {
        return -EINVAL;
    }
    *argc = 1;
    argv[1] = nullptr;
    reporter.reset(new shim::Reporter(out));
    return reporter->open();
}

void shim_context(const char *key, const char *value)
{
    benchmark::AddCustomContext(key, value);
}

void shim_group(void)
{
    benchmark::ClearRegisteredBenchmarks();
}

int shim_add(const struct shim_bench *bench)
{
    if (!is_sound(bench)) {
        return -EINVAL;
    }

    auto shared = std::make_shared<Shared>();

    shared->bench = *bench;
    shared->bench.name = nullptr; // Google Benchmark has its copy
    auto *b = benchmark::RegisterBenchmark(bench->name, [shared](benchmark::State &state) { run(*shared, state); });
    if (bench->nr_args) {
        b->Args(std::vector<int64_t>(bench->args, bench->args + bench->nr_args));
    }
    if (bench->iterations) {
        b->Iterations((benchmark::IterationCount)bench->iterations);
    }
    if (bench->repetitions) {
        b->Repetitions((int)bench->repetitions);
    }
    if (!bench->threads[0]) {
        b->Threads(1);
    }
    for (unsigned i = 0; i < SHIM_THREADS_MAX && bench->threads[i]; i++) {
        b->Threads((int)bench->threads[i]);
    }
    return 0;
}

int shim_add_range(const struct shim_bench *bench, int64_t lo, int64_t hi, int multiplier)
{
    if (!is_sound(bench) || bench->nr_args >= SHIM_ARGS_MAX || lo < 1 || multiplier < 2) {
        return -EINVAL;
    }

    struct shim_bench one = *bench;

    one.nr_args++;
    memmove(&one.args[1], &bench->args[0], bench->nr_args * sizeof(one.args[0]));
    for (int64_t arg = lo;; arg = arg > hi / multiplier ? hi : arg * multiplier) {
        one.args[0] = arg;
        int error = shim_add(&one);
        if (error || arg >= hi) {
            return error;
        }
    }
}

size_t shim_run(void)
{
    size_t nr = benchmark::RunSpecifiedBenchmarks(reporter.get());

    nr_matched += nr;
    return nr;
}

int shim_finish(void)
{
    int error = reporter->finish();

    if (error) {
        return error;
    }
    return nr_matched == 0 ? -ENOENT : reporter->has_failed() ? -ECANCELED : 0;
}
