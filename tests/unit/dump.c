/* SPDX-License-Identifier: MIT */
/* The dump: what the statistics say, as text of any length, as snprintf would. */
#include "unit.h"

#include <inttypes.h>

Test(dump, says_what_the_statistics_say)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru_node *nodes = unit_nodes(300);
    struct genlru_victim victims[20];
    struct genlru_gen_stat gens[5];
    struct genlru_stat stat;
    struct genlru *lru;
    char text[8192], line[128];
    unsigned i, type;
    size_t length;

    config.policy = &GENLRU_POLICY_MGLRU_FG;
    config.nr_types = 2;
    config.nr_gens = 5;
    config.capacity = 12345;
    lru = unit_create(&config);
    for (i = 0; i < 300; i++) {
        cr_assert(genlru_node_init(&nodes[i], i, i % 2) == 0);
        cr_assert(unit_add(lru, &nodes[i], i % 3 ? 0 : GENLRU_ADD_HOT | GENLRU_ADD_PINNED) == 0);
    }
    cr_assert(genlru_evict(lru, NULL, victims, 20, NULL) == 20);
    stat = unit_stat(lru);
    length = genlru_dump(lru, text, sizeof(text));
    cr_assert(length == strlen(text) && length < sizeof(text));
    cr_assert_not_null(strstr(text, "mglru-fg"));
    cr_assert_not_null(strstr(text, "capacity 12345"));
    for (type = 0; type < 2; type++) {
        int nr = genlru_stat_gens(lru, type, gens, 5), k;

        for (k = 0; k < nr; k++) {
            snprintf(line, sizeof(line), "%12" PRIu64 " %14" PRIu64 "\n", gens[k].nodes, gens[k].charge);
            cr_assert_not_null(strstr(text, line), "no line with %s", line);
        }
    }
    snprintf(line, sizeof(line), "nodes %" PRIu64 " charge %" PRIu64, stat.nodes, stat.charge);
    cr_assert_not_null(strstr(text, line));
    snprintf(line, sizeof(line), "evicted %" PRIu64, stat.evicted);
    cr_assert_not_null(strstr(text, line));
    genlru_set_capacity(lru, GENLRU_NO_LIMIT);
    genlru_dump(lru, text, sizeof(text));
    cr_assert_not_null(strstr(text, "capacity none"));
    unit_end(&unit, lru, nodes, 300);
}

Test(dump, any_length)
{
    struct unit unit;
    struct genlru_config config = unit_config(&unit);
    struct genlru *lru = unit_create(&config);
    char whole[8192], part[8192];
    size_t length = genlru_dump(lru, whole, sizeof(whole)), bytes;

    cr_assert(length > 100);
    cr_assert(genlru_dump(lru, NULL, 0) == length && genlru_dump(lru, NULL, 100) == length);
    for (bytes = 0; bytes <= length + 2; bytes++) {
        memset(part, 0x77, sizeof(part));
        cr_assert(genlru_dump(lru, part, bytes) == length);
        if (bytes) {
            size_t want = bytes - 1 < length ? bytes - 1 : length;

            cr_assert(strlen(part) == want && memcmp(part, whole, want) == 0, "%zu bytes", bytes);
        }
        cr_assert(part[bytes] == 0x77, "more than %zu bytes written", bytes);
    }
    cr_assert(genlru_dump(NULL, part, sizeof(part)) == 0);
    unit_end(&unit, lru, NULL, 0);
}
