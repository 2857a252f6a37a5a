/* SPDX-License-Identifier: MIT */
/*
 * The workers. A key is Zipf's rank, hashed over the entries, so that hot entries lie apart from each other; the two most frequent
 * are not hashed. Scans begin at such a key, too. (Zussman et al., cache_ext, SOSP 2025: its LevelDB get-scan; YCSB: Cooper
 * et al., SoCC 2010, B: 95 % reads and 5 % updates, D: 95 % reads of the latest and 5 % inserts.) Everything read is compared
 * with what was written.
 */
#include "workload.h"

#include <algorithm>
#include <cstring>

namespace bench
{

const std::vector<Workload> workloads = {
    {"scan-get", "1+3", "1 scanner, 3 getters", 4, Role::SCANNER, Role::GETTER},
    {"scan-get", "mixed", "4 workers, each 99.5 % gets and 0.5 % scans", 4, Role::MIXED, Role::MIXED},
    {"scan-get", "1+7", "1 scanner, 7 getters", 8, Role::SCANNER, Role::GETTER},
    {"ycsb-b", "ycsb-b", "4 workers, each 95 % gets and 5 % updates", 4, Role::YCSB_B, Role::YCSB_B},
    {"ycsb-d", "ycsb-d", "4 workers, each 95 % gets of the latest and 5 % inserts", 4, Role::YCSB_D, Role::YCSB_D},
};

namespace
{

/* FNV-1 of the rank's eight bytes. */
uint64_t hash_rank(uint64_t rank)
{
    uint64_t h = 14695981039346656037u;

    for (int i = 0; i < 8; i++)
        h = h * 1099511628211u ^ (rank >> 8 * i & 0xff);
    return h;
}

class Work
{
  public:
    Work(Shared *shared, Role role, uint64_t seed, Worker *worker) : shared_(shared), role_(role), worker_(worker)
    {
        random_.state = seed;
    }

    void run()
    {
        int phase;

        while ((phase = shared_->phase.load(std::memory_order_relaxed)) != OVER) {
            phase_ = phase;
            counts_ = &worker_->counts[phase];
            step();
            if (phase == MEASURED && ++nr_measured_ == (role_ == Role::SCANNER ? 1 : LEAST))
                shared_->nr_idle--;
        }
        watch_thread(OTHER, nullptr);
    }

  private:
    static constexpr unsigned LEAST = 64; /* steps of whom one step tells little */

    bool once_in(unsigned n)
    {
        return random_below(&random_, n) == 0;
    }

    void step()
    {
        switch (role_) {
        case Role::GETTER:
            return get(hashed_key());
        case Role::SCANNER:
            return scan(hashed_key());
        case Role::MIXED:
            return once_in(200) ? scan(hashed_key()) : get(hashed_key());
        case Role::YCSB_B:
            return once_in(20) ? put(hashed_key()) : get(hashed_key());
        case Role::YCSB_D:
            return once_in(20) ? insert() : get(latest_key());
        }
    }

    uint64_t hashed_key()
    {
        uint64_t rank = zipf_next(&shared_->zipf, &random_);

        return rank < 2 ? rank : hash_rank(rank) % shared_->options->entries;
    }

    uint64_t latest_key()
    {
        return shared_->nr_entries.load(std::memory_order_acquire) - 1 - zipf_next(&shared_->zipf, &random_);
    }

    void get(uint64_t number)
    {
        uint64_t start, ns;
        char key[KEY_BYTES];

        make_key(number, key);
        watch_thread(GET, &counts_->tally);
        start = now_ns();
        leveldb::Status status = shared_->db->Get(leveldb::ReadOptions(), leveldb::Slice(key, KEY_BYTES), &value_);
        ns = now_ns() - start;
        if (!status.ok() || !is_value_of(number, value_))
            die("get of entry " + std::to_string(number) + ": " + status.ToString());
        counts_->gets++;
        if (phase_ == MEASURED)
            worker_->get_ns.push_back(static_cast<uint32_t>(std::min<uint64_t>(ns, UINT32_MAX)));
    }

    void scan(uint64_t number)
    {
        uint64_t end = std::min(number + shared_->options->scan_entries, shared_->options->entries);
        char key[KEY_BYTES];

        watch_thread(SCAN, &counts_->tally);
        std::unique_ptr<leveldb::Iterator> it(shared_->db->NewIterator(leveldb::ReadOptions()));

        make_key(number, key);
        for (it->Seek(leveldb::Slice(key, KEY_BYTES)); number < end; it->Next(), number++) {
            make_key(number, key);
            if (!it->Valid() || it->key() != leveldb::Slice(key, KEY_BYTES))
                die("scan at entry " + std::to_string(number) + ": " + it->status().ToString());
        }
        counts_->scans++;
    }

    void put(uint64_t number)
    {
        char key[KEY_BYTES], value[VALUE_BYTES];

        watch_thread(OTHER, &counts_->tally);
        make_key(number, key);
        make_value(number, value);
        leveldb::Status status = shared_->db->Put(leveldb::WriteOptions(), leveldb::Slice(key, KEY_BYTES),
                                                  leveldb::Slice(value, VALUE_BYTES));
        if (!status.ok())
            die("put of entry " + std::to_string(number) + ": " + status.ToString());
        counts_->writes++;
    }

    /* One at a time, so that every entry below nr_entries is there. */
    void insert()
    {
        std::lock_guard<std::mutex> lock(shared_->insert_mutex);
        uint64_t number = shared_->nr_entries.load(std::memory_order_relaxed);

        put(number);
        shared_->nr_entries.store(number + 1, std::memory_order_release);
    }

    Shared *shared_;
    const Role role_;
    Worker *worker_;
    Counts *counts_ = nullptr;
    int phase_ = WARM_UP;
    unsigned nr_measured_ = 0;
    struct random random_ = {};
    std::string value_;
};

} // namespace

void work(Shared *shared, Role role, uint64_t seed, Worker *worker)
{
    Work(shared, role, seed, worker).run();
}

} // namespace bench
