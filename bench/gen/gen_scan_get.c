/* SPDX-License-Identifier: MIT */
/*
 * gen_scan_get.c - point reads and endless scans of a sorted table, as LevelDB serves them
 *
 *      get   index block of the key ─▶ data block of the key
 *      scan  data blocks in order; where the scan has used up what was read ahead, the next `ahead`
 *            blocks are prefetched, then they are read one by one
 *
 * A key is Zipf's rank, hashed over the entries (the two most frequent are not), so hot entries lie
 * apart from each other; `per_block` entries make a block. Scans begin at such a key, too, and follow
 * one another without end. One scan goes with `gets` gets, spread evenly: that many gets a fast
 * getter does while the scanner waits for its blocks. Keys of blocks: data from 0, index behind it.
 */
#include <errno.h>

#include "gen/all.h"
#include "gen/random.h"
#include "gen/zipf.h"

struct scan_get {
    struct gen base;
    struct random random;
    struct zipf zipf;
    uint64_t entries;
    uint64_t per_block;
    uint64_t nr_blocks;
    uint64_t nr_index;
    uint64_t gets;        /* 0 = scans only */
    uint64_t scan_blocks; /* of one scan; 0 = gets only */
    uint64_t ahead;

    uint64_t credit;       /* of the scanner: scan_blocks for every get, `gets` for every block */
    uint64_t scan_at;      /* the block it reads next */
    uint64_t scan_left;    /* blocks to the end of this scan */
    uint64_t ahead_at;     /* the block to be prefetched next */
    uint64_t ahead_left;   /* blocks of this batch still to be prefetched */
    uint64_t ahead_until;  /* blocks below it, from scan_at on, were read ahead */
    uint64_t data_pending; /* the data block of a get whose index block was just read, plus one */
};

enum { ENTRIES = GEN_OWN, PER_BLOCK, THETA, GETS, SCAN, AHEAD, INDEX };

static int create(struct gen *g, const struct spec_value *v, struct trace_error *error)
{
    struct scan_get *s = (struct scan_get *)g;

    s->random.state = v[GEN_SEED].count;
    zipf_init(&s->zipf, v[THETA].real, v[ENTRIES].count);
    s->entries = v[ENTRIES].count;
    s->per_block = v[PER_BLOCK].count;
    s->nr_blocks = (s->entries + s->per_block - 1) / s->per_block;
    s->nr_index = v[INDEX].count;
    s->gets = v[GETS].count;
    s->scan_blocks = (v[SCAN].count + s->per_block - 1) / s->per_block;
    s->ahead = v[AHEAD].count;
    if (s->gets == 0 && s->scan_blocks == 0) {
        return trace_fail(error, -EINVAL, "scan-get: gets=0 and scan=0 leave nothing to do");
    }
    return 0;
}

/* FNV-1 of the rank's eight bytes. */
static uint64_t hash_rank(uint64_t rank)
{
    uint64_t h = 14695981039346656037u;

    for (int i = 0; i < 8; i++) {
        h = h * 1099511628211u ^ (rank >> 8 * i & 0xff);
    }
    return h;
}

static uint64_t choose_block(struct scan_get *s)
{
    uint64_t rank = zipf_next(&s->zipf, &s->random);

    return (rank < 2 ? rank : hash_rank(rank) % s->entries) / s->per_block;
}

static uint64_t wrap(const struct scan_get *s, uint64_t block)
{
    return block >= s->nr_blocks ? block % s->nr_blocks : block;
}

/* The next request of the scanner. It may be a prefetch: then the read is still to come. */
static uint64_t scan_step(struct scan_get *s, uint8_t *channel)
{
    if (s->scan_left == 0) {
        s->scan_at = choose_block(s);
        s->scan_left = s->scan_blocks;
        s->ahead_until = s->scan_at;
    }
    if (s->ahead_left == 0 && s->ahead && s->scan_at == s->ahead_until) {
        s->ahead_at = s->scan_at;
        s->ahead_left = s->ahead;
        s->ahead_until = s->scan_at + s->ahead;
    }
    if (s->ahead_left) {
        s->ahead_left--;
        *channel = POLICY_PREFETCH;
        return wrap(s, s->ahead_at++);
    }
    s->credit -= s->gets;
    s->scan_left--;
    return wrap(s, s->scan_at++);
}

static uint64_t get_step(struct scan_get *s)
{
    if (s->data_pending) {
        uint64_t block = s->data_pending - 1;

        s->data_pending = 0;
        return block;
    }
    uint64_t block = choose_block(s);

    s->credit += s->scan_blocks;
    if (s->nr_index == 0) {
        return block;
    }
    s->data_pending = block + 1;
    /* Index blocks lie in the order of the data they lead to. */
    return s->nr_blocks + (uint64_t)((double)block / (double)s->nr_blocks * (double)s->nr_index);
}

static void fill(struct gen *g, uint64_t *keys, uint8_t *channels, size_t n)
{
    struct scan_get *s = (struct scan_get *)g;

    for (size_t i = 0; i < n; i++) {
        bool scan = s->gets == 0 || (s->scan_blocks && s->credit >= s->gets && s->data_pending == 0);

        keys[i] = scan ? scan_step(s, &channels[i]) : get_step(s);
    }
}

static const struct spec_param params[] = {
    GEN_COMMON("10M", "1"),
    {"entries", SPEC_COUNT, "12800k", 1, 4e9, "key-value pairs"},
    {"per_block", SPEC_COUNT, "19", 1, 1e6, "of them in a block"},
    {"theta", SPEC_REAL, "0.99", 0, 10, "Zipf's law of the keys"},
    {"gets", SPEC_COUNT, "92", 0, 1e9, "gets that go with one scan; 0 = scans only"},
    {"scan", SPEC_COUNT, "10k", 0, 1e9, "entries of a scan; 0 = gets only"},
    {"ahead", SPEC_COUNT, "32", 0, 65536, "blocks read ahead at a time; 0 = none"},
    {"index", SPEC_COUNT, "2000", 0, 1e8, "index blocks, of which each get reads one; 0 = none"},
    {NULL, SPEC_TEXT, NULL, 0, 0, NULL},
};

const struct gen_ops gen_scan_get = {
    .name = "scan-get",
    .what = "LevelDB's point reads mixed with endless scans, which read ahead (prefetch)",
    .params = params,
    .has_channels = true,
    .bytes = sizeof(struct scan_get),
    .create = create,
    .fill = fill,
};
