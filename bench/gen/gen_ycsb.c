/* SPDX-License-Identifier: MIT */
/*
 * gen_ycsb.c - YCSB's workloads B and D (B. Cooper et al.: Benchmarking cloud serving systems with
 * YCSB, SoCC 2010), as requests for records
 *
 *      B  95 % reads, 5 % updates; the hot records lie anywhere (Zipf's rank, hashed)
 *      D  95 % reads, 5 % inserts; the newer a record, the hotter (Zipf's rank back from the newest)
 *
 * Updates and inserts are writes.
 */
#include "gen/all.h"
#include "gen/random.h"
#include "gen/zipf.h"

struct ycsb {
    struct gen base;
    struct random random;
    struct zipf zipf;
    uint64_t records; /* D: grows */
    double writes;
};

enum { RECORDS = GEN_OWN, THETA, WRITES };

static int create(struct gen *g, const struct spec_value *v, struct trace_error *error)
{
    struct ycsb *y = (struct ycsb *)g;

    (void)error;
    y->random.state = v[GEN_SEED].count;
    y->records = v[RECORDS].count;
    y->writes = v[WRITES].real;
    zipf_init(&y->zipf, v[THETA].real, y->records);
    return 0;
}

/* FNV-1a of the rank's eight bytes. */
static uint64_t hash_rank(uint64_t rank)
{
    uint64_t h = 14695981039346656037u;

    for (int i = 0; i < 8; i++) {
        h = (h ^ (rank >> 8 * i & 0xff)) * 1099511628211u;
    }
    return h;
}

static void fill_b(struct gen *g, uint64_t *keys, uint8_t *channels, size_t n)
{
    struct ycsb *y = (struct ycsb *)g;

    for (size_t i = 0; i < n; i++) {
        keys[i] = hash_rank(zipf_next(&y->zipf, &y->random)) % y->records;
        if (random_unit(&y->random) < y->writes) {
            channels[i] = POLICY_WRITE;
        }
    }
}

static void fill_d(struct gen *g, uint64_t *keys, uint8_t *channels, size_t n)
{
    struct ycsb *y = (struct ycsb *)g;

    for (size_t i = 0; i < n; i++) {
        if (random_unit(&y->random) < y->writes) {
            keys[i] = y->records++;
            channels[i] = POLICY_WRITE;
        } else {
            keys[i] = y->records - 1 - zipf_next(&y->zipf, &y->random);
        }
    }
}

static const struct spec_param params[] = {
    GEN_COMMON("10M", "1"),
    {"records", SPEC_COUNT, "1M", 1, 4e9, "records at the beginning"},
    {"theta", SPEC_REAL, "0.99", 0, 10, "Zipf's law of the reads"},
    {"writes", SPEC_REAL, "0.05", 0, 1, "share of updates (B) or inserts (D)"},
    {NULL, SPEC_TEXT, NULL, 0, 0, NULL},
};

const struct gen_ops gen_ycsb_b = {
    .name = "ycsb-b",
    .what = "YCSB B: 95 % reads, 5 % updates, scrambled Zipf",
    .params = params,
    .has_channels = true,
    .bytes = sizeof(struct ycsb),
    .create = create,
    .fill = fill_b,
};

const struct gen_ops gen_ycsb_d = {
    .name = "ycsb-d",
    .what = "YCSB D: 95 % reads of the latest, 5 % inserts",
    .params = params,
    .has_channels = true,
    .bytes = sizeof(struct ycsb),
    .create = create,
    .fill = fill_d,
};
