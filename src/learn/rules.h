/* SPDX-License-Identifier: MIT */
/* The rules that a learning lru chooses among: see rules.c. */
#ifndef GENLRU_LEARN_RULES_H
#define GENLRU_LEARN_RULES_H

#include "genlru/policy.h"

enum { GENLRU__NR_RULES = GENLRU_NR_RULES, GENLRU__RULE_AT_START = 1 };

/* What a hit does under each of them (struct genlru_hit_rules): they share it, so that it need not know which is in force. */
#define GENLRU__RULES_HIT              \
    {                                  \
        .refs_max = 15, .freq_max = 15 \
    }

extern const struct genlru_policy genlru__rules[GENLRU__NR_RULES];

#endif
