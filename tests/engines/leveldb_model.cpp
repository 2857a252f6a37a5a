/* SPDX-License-Identifier: MIT */
/*
 * Random calls with handles held for long, against a model that knows the latest version of each key: what is found is it; what
 * was erased is not found; what is held and neither erased nor replaced is. LevelDB's own cache must agree as genlru's must. At the end every
 * value has been deleted once.
 */
#include <memory>

#include "leveldb_rig.h"

using leveldb::Cache;
using rig::insert;
using rig::key_of;
using rig::version_of;

namespace
{

struct Model {
    enum { NR_KEYS = 300, NR_HANDLES = 40 };
    struct Held {
        Cache::Handle *handle = nullptr;
        unsigned nr = 0;
        uint64_t version = 0;
    };
    uint64_t latest[NR_KEYS] = {}; /* 0 = erased */
    Held held[NR_HANDLES];
    uint64_t last_version = 0;

    bool is_held(unsigned nr) const
    {
        for (const Held &h : held)
            if (h.handle && h.nr == nr && h.version == latest[nr])
                return true;
        return false;
    }
};

void let_go(Cache &cache, Model::Held *held)
{
    if (held->handle) {
        STRESS_CHECK(version_of(cache, held->handle, key_of(held->nr)) == held->version, "another value");
        cache.Release(held->handle);
    }
    held->handle = nullptr;
}

void look(Cache &cache, Model *m, unsigned nr, Model::Held *held)
{
    let_go(cache, held);
    bool must_be_there = m->is_held(nr);
    Cache::Handle *handle = cache.Lookup(key_of(nr));

    STRESS_CHECK(handle || !must_be_there, "key %u is held and not found", nr);
    if (handle) {
        STRESS_CHECK(version_of(cache, handle, key_of(nr)) == m->latest[nr], "key %u is out of date", nr);
        *held = {handle, nr, m->latest[nr]};
    }
}

void step(Cache &cache, Model *m, struct stress_random *random)
{
    unsigned nr = stress_below(random, Model::NR_KEYS);
    Model::Held *held = &m->held[stress_below(random, Model::NR_HANDLES)];

    switch (stress_below(random, 10)) {
    case 0:
        cache.Erase(key_of(nr));
        m->latest[nr] = 0;
        break;
    case 1:
    case 2:
    case 3:
        let_go(cache, held);
        m->latest[nr] = ++m->last_version;
        *held = {insert(cache, key_of(nr), m->latest[nr], stress_below(random, 4)), nr, m->latest[nr]};
        break;
    case 4:
        if (stress_once_in(random, 50))
            cache.Prune();
        break;
    default:
        look(cache, m, nr, held);
    }
}

void run(rig::Kind kind, uint64_t seed, unsigned nr_steps)
{
    stress_context(kind == rig::OWN ? "leveldb" : "genlru");
    rig::nr_made = rig::nr_deleted = 0;
    {
        rig::Subject cache(kind, 200);
        std::unique_ptr<Model> m(new Model);
        struct stress_random random = stress_random(seed, 1);

        for (unsigned i = 0; i < nr_steps; i++)
            step(*cache, m.get(), &random);
        for (Model::Held &held : m->held)
            let_go(*cache, &held);
    }
    rig::check_all_deleted();
}

} // namespace

int main(int argc, char **argv)
{
    struct stress_options options = stress_begin(argc, argv);
    unsigned nr_steps = stress_scaled(&options, 60000);

    run(rig::OWN, options.seed, nr_steps);
    run(rig::GENLRU, options.seed, nr_steps);
    return 0;
}
