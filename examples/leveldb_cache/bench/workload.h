/* SPDX-License-Identifier: MIT */
/* What the workers of a run do. */
#ifndef GENLRU_LEVELDB_WORKLOAD_H
#define GENLRU_LEVELDB_WORKLOAD_H

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include <leveldb/db.h>

#include "bench.h"
#include "watch.h"

extern "C" {
#include "gen/zipf.h"
}

namespace bench
{

enum class Role { GETTER, SCANNER, MIXED, YCSB_B, YCSB_D };

struct Workload {
    const char *command; /* scan-get, ycsb-b, ycsb-d */
    const char *name;    /* of the mix */
    const char *what;
    unsigned nr_workers;
    Role first; /* worker 0 */
    Role others;
};
extern const std::vector<Workload> workloads;

enum Phase : int { WARM_UP, MEASURED, OVER, NR_PHASES };

/* Of one run. */
struct Shared {
    leveldb::DB *db;
    const Options *options;
    struct zipf zipf;
    std::atomic<int> phase{WARM_UP};
    std::atomic<unsigned> nr_idle; /* workers who have yet to do enough in the measurement to be counted on */
    std::mutex insert_mutex;
    std::atomic<uint64_t> nr_entries; /* ycsb-d adds some */
};

struct Counts {
    Tally tally;
    uint64_t gets, scans, writes;
};

struct Worker {
    Counts counts[NR_PHASES] = {};
    std::vector<uint32_t> get_ns; /* measured gets; saturated */
};

/* Works until the phase is OVER. */
void work(Shared *shared, Role role, uint64_t seed, Worker *worker);

} // namespace bench

#endif
