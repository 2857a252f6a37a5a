/* SPDX-License-Identifier: MIT */
/*
 * gen_sqlite_grep.c - a hot table under lookups, then a file tree read once, then lookups again
 *
 *      scan of the hot table (read ahead)
 *      ─▶ `lookups` lookups at random ─▶ grep: every file of the tree once ─▶ `after` lookups ─▶ …
 *
 * What matters is whether the second lookups still find the table. A lookup reads the table's upper
 * levels (a root and the block of `fanout` leaves) and a leaf. grep reads a directory's block once,
 * the inode block a file shares with 15 others, and the file's one block. Keys: leaves from 0, then
 * the table's upper levels, inodes, directories, files.
 */
#include "gen/all.h"
#include "gen/random.h"

#define FANOUT 400
#define INODES_PER_BLOCK 16

enum stage { SCAN, LOOKUPS, GREP, AFTER, NR_STAGES };

struct sqlite_grep {
    struct gen base;
    struct random random;
    uint64_t hot;
    uint64_t ahead;
    uint64_t per_dir;
    uint64_t length[NR_STAGES]; /* leaves, lookups, files, lookups */
    uint64_t inner;             /* first keys of what is not a leaf */
    uint64_t inodes;
    uint64_t dirs;
    uint64_t files;

    enum stage stage;
    uint64_t at;          /* within the stage */
    unsigned step;        /* within a lookup or a file */
    uint64_t leaf;        /* of this lookup */
    uint64_t ahead_until; /* scan: leaves read ahead */
    uint64_t ahead_at;
};

enum { HOT = GEN_OWN, LOOKUPS_PARAM, FILES, PER_DIR, AFTER_PARAM, AHEAD };

static int create(struct gen *g, const struct spec_value *v, struct trace_error *error)
{
    struct sqlite_grep *s = (struct sqlite_grep *)g;

    (void)error;
    s->random.state = v[GEN_SEED].count;
    s->hot = v[HOT].count;
    s->ahead = v[AHEAD].count;
    s->per_dir = v[PER_DIR].count;
    s->length[SCAN] = s->hot;
    s->length[LOOKUPS] = v[LOOKUPS_PARAM].count;
    s->length[GREP] = v[FILES].count;
    s->length[AFTER] = v[AFTER_PARAM].count;
    s->inner = s->hot;
    s->inodes = s->inner + 1 + s->hot / FANOUT + 1;
    s->dirs = s->inodes + s->length[GREP] / INODES_PER_BLOCK + 1;
    s->files = s->dirs + s->length[GREP] / s->per_dir + 1;
    return 0;
}

static void next_element(struct sqlite_grep *s)
{
    s->at++;
    s->step = 0;
    while (s->at == s->length[s->stage]) { /* stages may be empty, but never the scan */
        s->at = 0;
        s->ahead_at = 0;
        s->ahead_until = 0;
        s->stage = s->stage + 1 == NR_STAGES ? SCAN : s->stage + 1;
    }
}

static uint64_t scan_step(struct sqlite_grep *s, uint8_t *channel)
{
    if (s->ahead && s->at == s->ahead_until) {
        uint64_t rest = s->hot - s->at;

        s->ahead_until += rest < s->ahead ? rest : s->ahead;
    }
    if (s->ahead_at < s->ahead_until) {
        *channel = POLICY_PREFETCH;
        return s->ahead_at++;
    }
    uint64_t leaf = s->at;

    next_element(s);
    return leaf;
}

static uint64_t lookup_step(struct sqlite_grep *s)
{
    switch (s->step++) {
    case 0:
        s->leaf = random_below(&s->random, s->hot);
        return s->inner;
    case 1:
        return s->inner + 1 + s->leaf / FANOUT;
    default:
        next_element(s);
        return s->leaf;
    }
}

static uint64_t grep_step(struct sqlite_grep *s)
{
    uint64_t file = s->at;

    if (s->step == 0 && file % s->per_dir == 0) {
        s->step = 1;
        return s->dirs + file / s->per_dir;
    }
    if (s->step < 2) {
        s->step = 2;
        return s->inodes + file / INODES_PER_BLOCK;
    }
    next_element(s);
    return s->files + file;
}

static void fill(struct gen *g, uint64_t *keys, uint8_t *channels, size_t n)
{
    struct sqlite_grep *s = (struct sqlite_grep *)g;

    for (size_t i = 0; i < n; i++) {
        keys[i] = s->stage == SCAN ? scan_step(s, &channels[i]) : s->stage == GREP ? grep_step(s) : lookup_step(s);
    }
}

/* The default is five rounds, as the published test has: 30 000 + 360 000 + 180 300 + 3000 each. */
static const struct spec_param params[] = {
    GEN_COMMON("2866500", "1"),
    {"hot", SPEC_COUNT, "15000", 1, 1e9, "blocks of the hot table"},
    {"lookups", SPEC_COUNT, "120000", 0, 1e12, "lookups before grep"},
    {"files", SPEC_COUNT, "90000", 0, 1e9, "files of one block"},
    {"per_dir", SPEC_COUNT, "300", 1, 1e9, "files in a directory"},
    {"after", SPEC_COUNT, "1000", 0, 1e12, "lookups after grep"},
    {"ahead", SPEC_COUNT, "32", 0, 65536, "blocks the scan reads ahead at a time"},
    {NULL, SPEC_TEXT, NULL, 0, 0, NULL},
};

const struct gen_ops gen_sqlite_grep = {
    .name = "sqlite-grep",
    .what = "a hot SQLite table looked up at random, a larger file tree read once, lookups again",
    .params = params,
    .has_channels = true,
    .bytes = sizeof(struct sqlite_grep),
    .create = create,
    .fill = fill,
};
