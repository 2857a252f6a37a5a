/* SPDX-License-Identifier: MIT */
/*
 * spec.c - see spec.h
 */
#include "policy/spec.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy/chunk.h"
#include "policy/genlru.h"

enum kind { U8, I8, U16, U32 };

struct field {
    const char *name;
    size_t offset; /* in struct genlru_variant */
    enum kind kind;
    long min;
    long max;
};

#define FIELD_U8(path)                                                        \
    {                                                                         \
#path, offsetof(struct genlru_variant, policy.path), U8, 0, UINT8_MAX \
    }
#define FIELD_I8(path)                                                              \
    {                                                                               \
#path, offsetof(struct genlru_variant, policy.path), I8, INT8_MIN, INT8_MAX \
    }
#define FIELD_U16(path)                                                         \
    {                                                                           \
#path, offsetof(struct genlru_variant, policy.path), U16, 0, UINT16_MAX \
    }

#define TIER_OF_REFS "tiers.tier_of_refs."

static const struct field fields[] = {
    FIELD_U8(hit.refs_max),
    FIELD_U8(hit.overflow_up),
    FIELD_U8(hit.overflow_refs),
    FIELD_U8(hit.defer_gens),
    FIELD_U8(hit.defer_refs),
    FIELD_U8(hit.defer_up),
    FIELD_U8(hit.promoted_refs),
    FIELD_U8(hit.saturate_marks),
    FIELD_U8(hit.freq_max),
    FIELD_U8(mapped.first_up),
    FIELD_U8(mapped.refs_cap),
    FIELD_U8(mapped.second_marks),
    FIELD_U8(mapped.second_refs),
    FIELD_U8(mapped.promoted_refs),
    FIELD_U8(mapped.youngest_counts),
    FIELD_I8(place.cold),
    FIELD_I8(place.warm),
    FIELD_U8(place.warm_refs),
    FIELD_U8(place.warm_workingset),
    FIELD_I8(place.fault),
    FIELD_I8(place.fault_workingset),
    FIELD_I8(place.hot),
    FIELD_I8(place.putback),
    FIELD_I8(place.refault),
    FIELD_U16(place.refault_percent),
    FIELD_U8(refault.gens),
    FIELD_U8(refault.refs_cap),
    FIELD_U8(refault.keep_workingset),
    FIELD_U8(refault.workingset_refs),
    FIELD_U16(refault.distance_percent),
    FIELD_U8(refault.keep_freq),
    FIELD_U8(refault.distance_only),
    FIELD_U8(tiers.workingset_tier),
    FIELD_U8(tiers.base_gain),
    FIELD_U8(tiers.tier_gain),
    FIELD_U8(tiers.sum_below),
    FIELD_U8(tiers.min_refaults),
    FIELD_U8(tiers.protect_refs),
    FIELD_U8(tiers.lazy_saturated),
    FIELD_U8(probation.percent),
    FIELD_U8(probation.fill_percent),
    FIELD_U8(probation.promote_refs),
    FIELD_I8(probation.place),
    FIELD_U8(probation.promoted_refs),
    FIELD_U8(probation.refault_skips),
    FIELD_U8(probation.duel),
    FIELD_U8(probation.only_prefetched),
    FIELD_U8(keep.refs),
    FIELD_U8(keep.up),
    FIELD_U8(keep.up_doubling),
    FIELD_U8(keep.decay),
    FIELD_U16(age_percent),
    FIELD_U16(epoch_percent),
    FIELD_U8(full_window),
    FIELD_U8(learn),
    {"nr_gens", offsetof(struct genlru_variant, nr_gens), U32, GENLRU_MIN_GENS, GENLRU_MAX_GENS},
    {"sample_seed", offsetof(struct genlru_variant, sample_seed), U32, 0, 1000000},
    {"rule", offsetof(struct genlru_variant, rule), U32, 0, 7}, /* then changes to it may follow */
    {"chunk", offsetof(struct genlru_variant, chunk), U32, 1, POLICY_CHUNK_MAX},
};

#define NR_FIELDS (sizeof(fields) / sizeof(fields[0]))

const char *policy_spec_field(size_t i)
{
    return i < NR_FIELDS ? fields[i].name : i == NR_FIELDS ? TIER_OF_REFS "0…15" : NULL;
}

static int refuse(char *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int refuse(char *error, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(error, POLICY_SPEC_ERROR, format, args);
    va_end(args);
    return -EINVAL;
}

/* A decimal number that is all of the text. */
static int parse_number(const char *text, long min, long max, long *ret)
{
    char *end;

    errno = 0;
    long value = strtol(text, &end, 10);

    if (errno || end == text || *end || value < min || value > max) {
        return -EINVAL;
    }
    if (*text != '-' && (*text < '0' || *text > '9')) {
        return -EINVAL;
    }
    *ret = value;
    return 0;
}

/* False if there is no field of that name. */
static bool find_field(const char *name, struct field *ret)
{
    long index;

    for (size_t i = 0; i < NR_FIELDS; i++) {
        if (strcmp(fields[i].name, name) == 0) {
            *ret = fields[i];
            return true;
        }
    }
    if (strncmp(name, TIER_OF_REFS, strlen(TIER_OF_REFS)) ||
        parse_number(name + strlen(TIER_OF_REFS), 0, GENLRU_MAX_REFS, &index)) {
        return false;
    }
    *ret = (struct field){
        .name = TIER_OF_REFS,
        .offset = offsetof(struct genlru_variant, policy.tiers.tier_of_refs) + (size_t)index,
        .kind = U8,
        .max = GENLRU_NR_TIERS - 1,
    };
    return true;
}

static void store(struct genlru_variant *variant, const struct field *field, long value)
{
    unsigned char *at = (unsigned char *)variant + field->offset;
    int8_t i8 = (int8_t)value;
    uint16_t u16 = (uint16_t)value;
    uint32_t u32 = (uint32_t)value;

    switch (field->kind) {
    case U8:
        *at = (unsigned char)value;
        break;
    case I8:
        memcpy(at, &i8, sizeof(i8));
        break;
    case U16:
        memcpy(at, &u16, sizeof(u16));
        break;
    case U32:
        memcpy(at, &u32, sizeof(u32));
        break;
    }
}

/* One NAME=VALUE, which it may write to. */
static int change(struct genlru_variant *variant, char *text, char *error)
{
    char *value = strchr(text, '=');
    struct field field;
    long number;

    if (!value) {
        return refuse(error, "'+%s' is no change; expected +FIELD=NUMBER", text);
    }
    *value++ = '\0';
    if (!find_field(text, &field)) {
        return refuse(error, "no field '%s' (see genlru-sim policies --help)", text);
    }
    if (parse_number(value, field.min, field.max, &number)) {
        return refuse(error, "%s takes %ld to %ld, not '%s'", text, field.min, field.max, value);
    }
    store(variant, &field, number);
    if (strcmp(field.name, "rule") == 0) {
        variant->policy = *genlru_policy_rule(variant->rule);
    }
    return 0;
}

static int change_all(const struct policy_ops *ops, char *changes, struct genlru_variant **ret, char *error)
{
    const struct genlru_policy *preset = policy_genlru_preset(ops);

    if (!preset) {
        return refuse(error, "%s has nothing to change; genlru's own policies have", ops->name);
    }
    struct genlru_variant *variant = calloc(1, sizeof(*variant));
    int rc = 0;

    if (!variant) {
        return -ENOMEM;
    }
    variant->policy = *preset;
    while (changes && !rc) {
        char *next = strchr(changes, '+');

        if (next) {
            *next++ = '\0';
        }
        rc = change(variant, changes, error);
        changes = next;
    }
    if (!rc) {
        struct genlru_config defaults = GENLRU_CONFIG_INIT;
        unsigned gens = variant->nr_gens ? variant->nr_gens : defaults.nr_gens;
        const char *wrong = genlru_policy_check(&variant->policy, gens ? gens : 4);

        rc = wrong ? refuse(error, "%s", wrong) : 0;
    }
    if (rc) {
        free(variant);
        return rc;
    }
    *ret = variant;
    return 0;
}

static char *copy_text(const char *text, size_t len)
{
    char *copy = malloc(len + 1);

    if (copy) {
        memcpy(copy, text, len);
        copy[len] = '\0';
    }
    return copy;
}

/*
 * Names end in + themselves (clock2q+), so the whole text is tried first, then all up to the first
 * + that something of a known name stands before.
 */
static const struct policy_ops *split_name(char *text, char **ret_changes)
{
    const struct policy_ops *ops = policy_find(text);

    *ret_changes = NULL;
    for (char *plus = strchr(text, '+'); plus && !ops; plus = strchr(plus + 1, '+')) {
        *plus = '\0';
        ops = policy_find(text);
        if (ops) {
            *ret_changes = plus + 1;
        } else {
            *plus = '+';
        }
    }
    return ops;
}

int policy_spec_parse(const char *text, size_t len, struct policy_spec *ret, char error[POLICY_SPEC_ERROR])
{
    char *work = copy_text(text, len);
    char *name = copy_text(text, len);
    struct genlru_variant *variant = NULL;
    char *changes = NULL;
    const struct policy_ops *ops = NULL;
    int rc = -ENOMEM;

    if (work && name) {
        ops = split_name(work, &changes);
        rc = ops ? 0 : refuse(error, "no policy '%s' (see genlru-sim policies)", name);
    }
    if (!rc && changes) {
        rc = change_all(ops, changes, &variant, error);
    }
    free(work);
    if (rc) {
        free(name);
        return rc;
    }
    *ret = (struct policy_spec){.ops = ops, .name = name, .variant = variant};
    return 0;
}

void policy_spec_fini(struct policy_spec *spec)
{
    free(spec->name);
    free(spec->variant);
    *spec = (struct policy_spec){0};
}
