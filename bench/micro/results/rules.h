/* SPDX-License-Identifier: MIT */
/*
 * rules.h - what is to be reached: a ratio and a bar for each operation, applied to every size and variant measured
 */
#ifndef GENLRU_BENCH_MICRO_RESULTS_RULES_H
#define GENLRU_BENCH_MICRO_RESULTS_RULES_H

#include <stdbool.h>
#include <stddef.h>

#include "micro/results/runs.h"

enum rule_kind {
    RULE_TIMES,   /* genlru's figure over the other's */
    RULE_FASTER,  /* the other's over genlru's */
    RULE_SCALING, /* genlru's speed-up from one thread to two over the other's own */
    RULE_SPEEDUP, /* genlru's speed-up from one thread to two */
    RULE_SHARE,   /* (genlru - other) over the plain look-up: the policy's own part */
    RULE_VALUE    /* genlru's figure itself */
};

struct rule {
    const char *operation;
    const char *variant; /* "" = any; else its end */
    unsigned threads;    /* that genlru's figure is taken with; 0 = 1 and 2, each a row */
    enum rule_kind kind;
    const char *other;   /* subject; NULL = none needed */
    const char *counter; /* the figure; NULL = the time */
    const char *divisor; /* counter that the time is divided by; NULL = none */
    bool at_most;        /* or at least */
    double bar;
    const char *text; /* what the ratio says */
};

/* A rule at one size and variant. */
struct row {
    const struct rule *rule;
    const struct run *own; /* genlru's run; never NULL */
    const struct run *other;
    double value; /* NAN = what it needs was not measured */
    double low;   /* 95 % of the resampled values are within; NAN with less than three repetitions */
    double high;
};

enum verdict { VERDICT_MET, VERDICT_MISSED, VERDICT_UNSURE, VERDICT_UNKNOWN };

extern const struct rule rules[];
extern const size_t nr_rules;

/* The rows of a rule into row[0..max-1]; how many there are. */
size_t rules_apply(const struct rule *rule, const struct runs *runs, struct row *row, size_t max);

/* Unsure: the value is on one side of the bar, the interval on both. */
enum verdict row_verdict(const struct row *row);

/* A figure of a run as a rule takes it: ns of one thread, or a counter; the median. NAN if there is none. */
double rule_figure(const struct rule *rule, const struct run *run);

#endif
