/* SPDX-License-Identifier: MIT */
/*
 * generate.c - genlru-sim generate: a computed workload into a file, for other programs or to keep
 *
 * Text is streamed, so it may be longer than memory. It has no channels: a workload with prefetched
 * or mapped requests is refused rather than flattened, and goes into the compact form only.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "gen/gen.h"
#include "sim/commands.h"
#include "sim/simple_options.h"
#include "sim/workload.h"
#include "trace/pack.h"

#define BATCH 4096

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text);
    size_t m = strlen(end);

    return n >= m && strcmp(text + n - m, end) == 0;
}

static bool wants_packed(const char *path)
{
    return ends_with(path, PACK_EXTENSION) || ends_with(path, PACK_EXTENSION ".zst");
}

static int packed(const struct simple_options *o, struct progress *progress)
{
    struct workloads w;
    struct trace_error error;
    int rc = workloads_load(&o->sim, progress, &w);

    if (rc) {
        return rc;
    }
    rc = pack_write(w.traces[0], o->output, o->force, &error);
    if (rc) {
        fprintf(stderr, "genlru-sim: %s\n", error.text);
    }
    workloads_destroy(&w);
    return rc;
}

static int write_failed(const char *path)
{
    int code = errno ? errno : EIO;

    fprintf(stderr, "genlru-sim: %s: %s\n", path, strerror(code));
    return -code;
}

static int write_lines(struct gen *g, FILE *out, const char *path, struct progress *progress)
{
    uint64_t keys[BATCH];
    uint8_t channels[BATCH];
    uint64_t total = g->left;
    size_t n;

    while ((n = gen_fill(g, keys, channels, BATCH))) {
        for (size_t i = 0; i < n; i++) {
            if (channels[i] > POLICY_WRITE) {
                fprintf(stderr,
                        "genlru-sim: %s has prefetched or mapped requests, which text cannot "
                        "hold; name the output …" PACK_EXTENSION "\n",
                        g->ops->name);
                return -EINVAL;
            }
            if (fprintf(out, "%" PRIu64 "\n", keys[i]) < 0) {
                return write_failed(path);
            }
        }
        progress_tell(progress, total - g->left, total);
    }
    return 0;
}

static int text(const struct simple_options *o, struct progress *progress)
{
    struct trace_error error;
    struct gen *g = NULL;
    bool to_stdout = strcmp(o->output, "-") == 0;
    int rc = gen_create(o->sim.sources[0].text, &g, &error);

    if (rc) {
        fprintf(stderr, "genlru-sim: %s\n", error.text);
        return rc;
    }
    int file = to_stdout ? -1 : open(o->output, O_WRONLY | O_CREAT | O_CLOEXEC | (o->force ? O_TRUNC : O_EXCL), 0666);
    FILE *out = to_stdout ? stdout : file >= 0 ? fdopen(file, "w") : NULL;

    if (!out) {
        rc = write_failed(o->output);
        gen_destroy(g);
        return rc;
    }
    progress_begin(progress, "requests", "writing %s", o->output);
    rc = write_lines(g, out, o->output, progress);
    progress_end(progress);
    gen_destroy(g);
    if (!to_stdout) {
        if (fclose(out) && !rc) {
            rc = write_failed(o->output);
        }
        if (rc) {
            unlink(o->output);
        }
    }
    return rc;
}

static const char help[] =
    "Usage: genlru-sim generate --gen SPEC --output FILE [--force]\n"
    "\n"
    "Writes a computed workload: FILE.gtrace or FILE.gtrace.zst in the compact form with its\n"
    "channels; anything else as text, one key a line, - being the standard output. A chain, and\n"
    "what prefetches or is mapped, goes into the compact form only.\n"
    "\n"
    "  --force          replace a file that is there\n";

int sim_generate(int argc, char **argv)
{
    struct simple_options o;
    struct progress progress;
    int rc = simple_options_parse(argc, argv, SIMPLE_GENERATE, help, &o);

    if (rc) {
        simple_options_fini(&o);
        return rc > 0 ? sim_exit_output(0) : sim_exit_parse(rc, "generate");
    }
    progress_init(&progress);
    rc = wants_packed(o.output) ? packed(&o, &progress) : text(&o, &progress);
    simple_options_fini(&o);
    return sim_exit_output(rc);
}
