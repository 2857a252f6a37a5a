/* SPDX-License-Identifier: MIT */
/* Into the JSON's context: see machine.h. */
#include "micro/machine.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include <genlru/genlru.h>

#include "base/lock_stats.h"
#include "shim/shim.h"

#ifdef __clang__
#define COMPILER "" /* its version begins with its name */
#else
#define COMPILER "gcc"
#endif

/* The value of the first line "key : value" of a file of the system, or "". */
static const char *field(const char *path, const char *key, char *line, int size)
{
    FILE *file = fopen(path, "r");
    const char *found = "";

    while (file && fgets(line, size, file)) {
        char *colon = strchr(line, ':');

        if (colon && !strncmp(line, key, strlen(key))) {
            colon[strcspn(colon, "\n")] = '\0';
            found = colon + 1 + strspn(colon + 1, " \t");
            break;
        }
    }
    if (file) {
        fclose(file);
    }
    return found;
}

static const char *first_line(const char *path, char *line, int size)
{
    FILE *file = fopen(path, "r");

    if (!file || !fgets(line, size, file)) {
        line[0] = '\0';
    }
    line[strcspn(line, "\n")] = '\0';
    if (file) {
        fclose(file);
    }
    return line;
}

void machine_describe(void)
{
    char line[256], model[256], family[32];
    struct utsname system;

    snprintf(family, sizeof(family), "%s", field("/proc/cpuinfo", "cpu family", line, sizeof(line)));
    snprintf(model, sizeof(model), "%s", field("/proc/cpuinfo", "model\t", line, sizeof(line)));
    shim_context("cpu", field("/proc/cpuinfo", "model name", line, sizeof(line)));
    snprintf(line, sizeof(line), "%.31s/%.31s", family, model);
    shim_context("cpu_family_model", line);
    shim_context("huge_pages", first_line("/sys/kernel/mm/transparent_hugepage/enabled", line, sizeof(line)));
    if (uname(&system) == 0) {
        snprintf(line, sizeof(line), "%s %s %s", system.sysname, system.release, system.machine);
        shim_context("system", line);
    }
    shim_context("compiler", COMPILER " " __VERSION__);
    shim_context("build", GENLRU_BENCH_BUILD);
    shim_context("genlru", genlru_version());
    shim_context("genlru_locks_measured", GENLRU__HAS_LOCK_STATS ? "yes" : "no");
}
