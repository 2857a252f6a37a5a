/* SPDX-License-Identifier: MIT */
/*
 * gen_fio.c - fio-zipf: the jobs of a fio run, in turn
 *
 * With seed=0 every job has the seed that fio gives it by default, which depends on the path of its
 * file: PATHrealdk.0.img for the first, PATHrealdk.(jobs + 1 - k).img for the k-th, as clones are
 * numbered downwards. Any other seed is multiplied with the job's number.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/all.h"
#include "gen/fio.h"

#define PIECE 256

struct fio_zipf {
    struct gen base;
    struct fio_law law;
    uint32_t nr_jobs;
    uint32_t turn; /* whose request is next */
    struct fio_job *jobs;
};

enum { THETA = GEN_OWN, BLOCKS, JOBS, PATH };

static int create(struct gen *g, const struct spec_value *v, struct trace_error *error)
{
    struct fio_zipf *f = (struct fio_zipf *)g;

    if (v[THETA].real == 1) {
        return trace_fail(error, -EINVAL, "fio-zipf: theta=1 is what fio's formula has no value for");
    }
    f->nr_jobs = (uint32_t)v[JOBS].count;
    f->jobs = calloc(f->nr_jobs, sizeof(*f->jobs));
    if (!f->jobs) {
        return -ENOMEM;
    }
    fio_law_init(&f->law, v[THETA].real, v[BLOCKS].count);
    for (uint32_t k = 1; k <= f->nr_jobs; k++) {
        char path[sizeof(v[PATH].text) + 32];

        if (v[GEN_SEED].count) {
            fio_job_seed(&f->jobs[k - 1], (uint32_t)(v[GEN_SEED].count * k));
            continue;
        }
        snprintf(path, sizeof(path), "%srealdk.%u.img", v[PATH].text, (unsigned)(k == 1 ? 0 : f->nr_jobs + 1 - k));
        fio_job_init(&f->jobs[k - 1], path, k);
    }
    return 0;
}

static void destroy(struct gen *g)
{
    free(((struct fio_zipf *)g)->jobs);
}

static void fill(struct gen *g, uint64_t *keys, uint8_t *channels, size_t n)
{
    struct fio_zipf *f = (struct fio_zipf *)g;

    (void)channels;
    for (size_t i = 0; i < n; i++) {
        uint32_t block;

        fio_job_fill(&f->jobs[f->turn], &f->law, &block, 1);
        keys[i] = f->turn * f->law.n + block;
        f->turn = f->turn + 1 == f->nr_jobs ? 0 : f->turn + 1;
    }
}

static const struct spec_param params[] = {
    GEN_COMMON("10M", "0"),
    {"theta", SPEC_REAL, "0.8", 0.01, 10, "fio's random_distribution=zipf:theta; not 1"},
    {"blocks", SPEC_COUNT, "655360", 3, 268435455, "blocks of each job's file"},
    {"jobs", SPEC_COUNT, "1", 1, 1024, "jobs with a file each; their requests take turns"},
    {"path", SPEC_TEXT, "", 0, 0, "what stands in front of realdk.N.img; matters for seed=0"},
    {NULL, SPEC_TEXT, NULL, 0, 0, NULL},
};

const struct gen_ops gen_fio_zipf = {
    .name = "fio-zipf",
    .what = "the very offsets of fio's zipf reads (seed=0: fio's own seeds)",
    .params = params,
    .bytes = sizeof(struct fio_zipf),
    .create = create,
    .destroy = destroy,
    .fill = fill,
};
