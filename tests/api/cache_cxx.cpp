// SPDX-License-Identifier: MIT
// libgenlru-cache from C++: values are objects that the cache owns and deletes, a thread registers by an object's lifetime, a loader
// is a lambda. Nothing but the public header and the shared library.
#include <genlru/cache.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace
{

int nr_deleted;

struct Registered {
    Registered()
    {
        genlru_cache_register_thread();
    }
    ~Registered()
    {
        genlru_cache_unregister_thread();
    }
};

void check(bool holds, const char *what)
{
    if (!holds) {
        std::fprintf(stderr, "cache_cxx: %s\n", what);
        std::exit(EXIT_FAILURE);
    }
}

void release(void *, const struct genlru_cache_info *info, enum genlru_cache_cause)
{
    delete static_cast<std::string *>(info->value);
    __atomic_fetch_add(&nr_deleted, 1, __ATOMIC_RELAXED);
}

const std::string &text_of(struct genlru_cache *cache, const struct genlru_cache_entry *entry)
{
    return *static_cast<std::string *>(genlru_cache_value(cache, entry));
}

} // namespace

int main()
{
    Registered registered;
    struct genlru_cache_config config = GENLRU_CACHE_CONFIG_INIT;
    struct genlru_cache *cache = nullptr;

    config.capacity = 100;
    config.release = release;
    check(genlru_cache_create(&config, &cache) == 0, "create");

    std::vector<std::thread> threads;
    for (int t = 0; t < 2; t++) {
        threads.emplace_back([cache] {
            Registered of_this_thread;
            struct genlru_cache_load how = {};
            how.load = [](void *, const void *key, size_t bytes, struct genlru_cache_insert *ret_how) {
                ret_how->value = new std::string("value of " + std::string(static_cast<const char *>(key), bytes));
                return 0;
            };
            how.wait_ns = GENLRU_NO_LIMIT;
            for (int i = 0; i < 500; i++) {
                std::string key = std::to_string(i % 150);
                struct genlru_cache_entry *entry = nullptr;
                check(genlru_cache_get_or_load(cache, key.data(), key.size(), &how, &entry) == 0, "load");
                check(text_of(cache, entry) == "value of " + key, "value");
                genlru_cache_release(cache, entry);
            }
        });
    }
    genlru_cache_offline();
    for (auto &thread : threads)
        thread.join();
    genlru_cache_online();

    struct genlru_cache_stat stat = {};
    stat.size = sizeof(stat);
    check(genlru_cache_stat(cache, &stat) == 0 && stat.entries > 0 && stat.entries <= 100, "stat");
    check(genlru_cache_destroy(cache) == 0, "destroy");
    check(nr_deleted == static_cast<int>(stat.loads), "each loaded value is deleted once");
    std::printf("%llu loads, %d values deleted\n", static_cast<unsigned long long>(stat.loads), nr_deleted);
    return EXIT_SUCCESS;
}
