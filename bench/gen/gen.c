/* SPDX-License-Identifier: MIT */
/*
 * gen.c - the list of generators, and what is the same for all
 */
#include "gen/gen.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gen/all.h"

static const struct gen_ops *const all[] = {
    &gen_fio_zipf, &gen_zipf,        &gen_uniform, &gen_loop,   &gen_phase,
    &gen_scan_get, &gen_sqlite_grep, &gen_ycsb_b,  &gen_ycsb_d,
};

#define NR_ALL (sizeof(all) / sizeof(all[0]))
#define PARAMS_MAX 16

const struct gen_ops *gen_at(size_t i)
{
    return i < NR_ALL ? all[i] : NULL;
}

static const struct gen_ops *find(const char *name, size_t len)
{
    for (size_t i = 0; i < NR_ALL; i++) {
        if (strlen(all[i]->name) == len && memcmp(all[i]->name, name, len) == 0) {
            return all[i];
        }
    }
    return NULL;
}

int gen_create(const char *spec, struct gen **ret, struct trace_error *error)
{
    struct spec_value values[PARAMS_MAX];
    size_t len = strcspn(spec, ":");
    const struct gen_ops *ops = find(spec, len);

    if (!ops) {
        return trace_fail(error, -EINVAL, "no generator '%.*s' (see genlru-sim generators)", (int)len, spec);
    }
    int rc = spec_parse(ops->name, spec[len] ? spec + len + 1 : "", ops->params, values, error);

    if (rc) {
        return rc;
    }
    struct gen *g = calloc(1, ops->bytes);

    if (!g) {
        return trace_fail(error, -ENOMEM, "%s: %s", ops->name, strerror(ENOMEM));
    }
    g->ops = ops;
    g->left = values[GEN_REQUESTS].count;
    g->offset = values[GEN_OFFSET].count;
    rc = ops->create(g, values, error);
    if (rc) {
        if (rc == -ENOMEM) {
            trace_fail(error, rc, "%s: %s", ops->name, strerror(ENOMEM));
        }
        gen_destroy(g);
        return rc;
    }
    *ret = g;
    return 0;
}

void gen_destroy(struct gen *g)
{
    if (g) {
        if (g->ops->destroy) {
            g->ops->destroy(g);
        }
        free(g);
    }
}

size_t gen_fill(struct gen *g, uint64_t *keys, uint8_t *channels, size_t n)
{
    n = g->left < n ? (size_t)g->left : n;
    memset(channels, POLICY_READ, n);
    g->ops->fill(g, keys, channels, n);
    for (size_t i = 0; i < n; i++) {
        keys[i] += g->offset;
    }
    g->left -= n;
    return n;
}
