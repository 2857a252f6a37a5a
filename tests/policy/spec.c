/* SPDX-License-Identifier: MIT */
/*
 * spec: names with changes. Every field that struct genlru_policy has can be set, one at a time, and
 * nothing else changes; what is wrong is refused with the reason; and a change changes what the
 * policy does.
 */
#include "policy/spec.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden.h"
#include "policy/all.h"
#include "policy/genlru.h"

static struct policy_spec parse(const char *text)
{
    char error[POLICY_SPEC_ERROR] = "";
    struct policy_spec spec;

    cr_assert_eq(policy_spec_parse(text, strlen(text), &spec, error), 0, "%s: %s", text, error);
    cr_assert_str_eq(spec.name, text);
    return spec;
}

Test(spec, plain_names)
{
    for (size_t k = 0; policy_at(k); k++) {
        struct policy_spec spec = parse(policy_at(k)->name);

        cr_assert_eq(spec.ops, policy_at(k));
        cr_assert_null(spec.variant);
        policy_spec_fini(&spec);
    }
}

/* Only len bytes are looked at. */
Test(spec, part_of_a_list)
{
    char error[POLICY_SPEC_ERROR];
    struct policy_spec spec;

    cr_assert_eq(policy_spec_parse("lru,arc", 3, &spec, error), 0);
    cr_assert_eq(spec.ops, &policy_lru);
    policy_spec_fini(&spec);
}

Test(spec, changes)
{
    struct policy_spec spec = parse("mglru-fg+age_percent=300+hit.defer_gens=3+place.cold=-1"
                                    "+nr_gens=8+chunk=1+tiers.tier_of_refs.15=3");
    const struct genlru_variant *v = spec.variant;
    struct genlru_policy expected = GENLRU_POLICY_MGLRU_FG;

    expected.age_percent = 300;
    expected.hit.defer_gens = 3;
    expected.place.cold = -1;
    expected.tiers.tier_of_refs[15] = 3;
    cr_assert_eq(spec.ops, &policy_mglru_fg);
    cr_assert_eq(memcmp(&v->policy, &expected, sizeof(expected)), 0);
    cr_assert_eq(v->nr_gens, 8);
    cr_assert_eq(v->chunk, 1);
    policy_spec_fini(&spec);
}

/* Marks the bytes of the policy that the text changes; nothing if it is refused. */
static void mark_changed(const char *text, bool *changed)
{
    char error[POLICY_SPEC_ERROR];
    struct policy_spec spec;

    if (policy_spec_parse(text, strlen(text), &spec, error)) {
        return;
    }
    const struct genlru_variant *v = spec.variant;

    for (size_t b = 0; b < sizeof(v->policy); b++) {
        changed[b] |= ((const char *)&v->policy)[b] != ((const char *)&GENLRU_POLICY_DEFAULT)[b];
    }
    policy_spec_fini(&spec);
}

/*
 * Every byte of the constants can be changed, and no other: all values that any field may have are
 * tried, and the bytes that differ then are counted. Tiers must not fall, so these are set together.
 */
Test(spec, every_field)
{
    static bool changed[sizeof(struct genlru_policy)];
    const struct genlru_policy *policy = &GENLRU_POLICY_DEFAULT;
    size_t nr_constants = sizeof(policy->hit) - sizeof(policy->hit.unused) + sizeof(policy->mapped) +
                          sizeof(policy->place) - sizeof(policy->place.unused) + sizeof(policy->refault) +
                          sizeof(policy->tiers) - sizeof(policy->tiers.unused) + sizeof(policy->probation) +
                          sizeof(policy->keep) + sizeof(policy->age_percent) + sizeof(policy->epoch_percent) +
                          sizeof(policy->full_window) + sizeof(policy->learn);
    size_t nr_changed = 0;
    char text[600] = "genlru";

    for (int refs = 0; refs <= (int)GENLRU_MAX_REFS; refs++) {
        size_t len = strlen(text);

        snprintf(text + len, sizeof(text) - len, "+tiers.tier_of_refs.%d=%d", refs, refs < 2 ? 1 : 2);
    }
    mark_changed(text, changed);
    mark_changed("genlru+tiers.tier_of_refs.3=3+tiers.tier_of_refs.4=3", changed);
    /* what makes sense with others only */
    mark_changed("genlru+hit.freq_max=1+probation.percent=1+probation.promote_refs=1+probation.duel=1", changed);
    mark_changed("genlru+keep.up=1+keep.refs=1", changed);
    for (size_t i = 0; policy_spec_field(i); i++) {
        if (strcmp(policy_spec_field(i), "rule") == 0) {
            continue; /* changes the whole policy, its name, too */
        }
        for (int value = 0; value < 600; value++) {
            snprintf(text, sizeof(text), "genlru+%s=%d", policy_spec_field(i), value);
            mark_changed(text, changed);
        }
    }
    for (size_t b = 0; b < sizeof(changed); b++) {
        nr_changed += changed[b];
    }
    cr_assert_eq(nr_changed, nr_constants, "%zu of %zu", nr_changed, nr_constants);
    for (size_t b = 0; b < offsetof(struct genlru_policy, hit); b++) {
        cr_assert_not(changed[b], "size and name");
    }
}

/* rule=N stands for that rule's policy, and changes after it change it. */
Test(spec, rule)
{
    struct policy_spec spec = parse("genlru+rule=3+keep.refs=7");
    const struct genlru_variant *v = spec.variant;
    struct genlru_policy expected = *genlru_policy_rule(3);

    expected.keep.refs = 7;
    cr_assert_eq(memcmp(&v->policy, &expected, sizeof(expected)), 0);
    policy_spec_fini(&spec);
}

Test(spec, refused)
{
    static const struct {
        const char *text;
        const char *reason;
    } cases[] = {
        {"", "no policy ''"},
        {"lru2", "no policy 'lru2'"},
        {"+chunk=1", "no policy '+chunk=1'"},
        {"lru+chunk=1", "lru has nothing to change"},
        {"clock2q++chunk=1", "clock2q+ has nothing to change"},
        {"genlru+", "'+' is no change"},
        {"genlru+chunk", "'+chunk' is no change"},
        {"genlru+chunk=1+", "'+' is no change"},
        {"genlru+chunk=", "chunk takes 1 to 32, not ''"},
        {"genlru+chunk=0", "chunk takes 1 to 32, not '0'"},
        {"genlru+chunk=33", "chunk takes 1 to 32, not '33'"},
        {"genlru+chunk=1x", "chunk takes 1 to 32, not '1x'"},
        {"genlru+chunk= 1", "chunk takes 1 to 32, not ' 1'"},
        {"genlru+chunk=99999999999999999999", "chunk takes 1 to 32"},
        {"genlru+nr_gens=2", "nr_gens takes 3 to 64"},
        {"genlru+hit.refs_max=256", "hit.refs_max takes 0 to 255"},
        {"genlru+hit.refs_max=-1", "hit.refs_max takes 0 to 255"},
        {"genlru+hit.refs_max=0", "hit.refs_max is not 1..15"},
        {"genlru+place.cold=-129", "place.cold takes -128 to 127"},
        {"genlru+place.cold=100", "a place lies outside of the window"},
        {"genlru+age_percent=65536", "age_percent takes 0 to 65535"},
        {"genlru+hit=1", "no field 'hit'"},
        {"genlru+name=1", "no field 'name'"},
        {"genlru+tiers.tier_of_refs=1", "no field 'tiers.tier_of_refs'"},
        {"genlru+tiers.tier_of_refs.16=1", "no field 'tiers.tier_of_refs.16'"},
        {"genlru+tiers.tier_of_refs.1=4", "tiers.tier_of_refs.1 takes 0 to 3"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char error[POLICY_SPEC_ERROR] = "";
        struct policy_spec spec = {.name = error};

        cr_assert_eq(policy_spec_parse(cases[i].text, strlen(cases[i].text), &spec, error), -EINVAL, "%s",
                     cases[i].text);
        cr_assert_not_null(strstr(error, cases[i].reason), "%s: %s", cases[i].text, error);
        cr_assert_eq(spec.name, error, "untouched");
    }
}

/*
 * chunk: of 64 entries 4 go at a time (1/16), or as many as told. place.cold: what is new goes into
 * the oldest generation as published, into the youngest (-1, printed as 0) when told.
 */
Test(spec, what_changes)
{
    static const struct {
        const char *text;
        uint32_t resident;
    } cases[] = {{"mglru-fg", 61}, {"mglru-fg+chunk=1", 64}, {"mglru-fg+chunk=32", 33}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct policy_spec spec = parse(cases[i].text);
        struct policy_config config = {.capacity = 64, .nr_ids = 65, .variant = spec.variant};
        struct policy *p = NULL;

        cr_assert_eq(policy_create(spec.ops, &config, &p), 0);
        for (uint32_t id = 0; id < 65; id++) {
            policy_access(p, id, POLICY_READ);
        }
        cr_assert_eq(p->nr_resident, cases[i].resident, "%s: %u", cases[i].text, (unsigned)p->nr_resident);
        policy_destroy(p);
        policy_spec_fini(&spec);
    }

    struct policy_spec young = parse("mglru-fg+place.cold=-1");
    struct policy_config config = {.capacity = 4, .nr_ids = 2, .variant = young.variant};
    struct policy *p = NULL;

    cr_assert_eq(policy_create(young.ops, &config, &p), 0);
    policy_access(p, 1, POLICY_READ);
    char *state = golden_state(p);

    cr_assert_eq(strncmp(state, "0: 1.", 5), 0, "%s", state);
    free(state);
    policy_destroy(p);
    policy_spec_fini(&young);
}
