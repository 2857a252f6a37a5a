/* SPDX-License-Identifier: MIT */
/*
 * Runs a fuzz target over files, without a fuzzer: replay FILE|FOLDER... The kept corpus is a test this way, and so is any
 * finding. Fails if there was nothing to run.
 */
#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz.h"

enum { MAX_BYTES = 1 << 20, MAX_PATH = 4096 };

static unsigned nr_run;

/* From a heap block of just that size, so that a read beyond it is seen. */
static void run_file(const char *path)
{
    static uint8_t buffer[MAX_BYTES];
    FILE *file = fopen(path, "rb");
    uint8_t *bytes;
    size_t nr;

    FUZZ_CHECK(file, "%s", path);
    nr = fread(buffer, 1, sizeof(buffer), file);
    FUZZ_CHECK(!ferror(file) && nr < sizeof(buffer), "%s: cannot be read, or is too large", path);
    fclose(file);
    bytes = malloc(nr ? nr : 1);
    FUZZ_CHECK(bytes, "no memory");
    memcpy(bytes, buffer, nr);
    printf("%s\n", path); /* the last one told is the one that failed */
    fflush(stdout);
    (void)LLVMFuzzerTestOneInput(bytes, nr);
    free(bytes);
    nr_run++;
}

static void run(const char *path)
{
    struct stat stat_of;
    struct dirent *entry;
    DIR *folder;

    FUZZ_CHECK(stat(path, &stat_of) == 0, "%s is not there", path);
    if (!S_ISDIR(stat_of.st_mode)) {
        run_file(path);
        return;
    }
    folder = opendir(path);
    FUZZ_CHECK(folder, "%s", path);
    while ((entry = readdir(folder))) {
        char name[MAX_PATH];

        FUZZ_CHECK(snprintf(name, sizeof(name), "%s/%s", path, entry->d_name) < MAX_PATH, "%s", path);
        if (entry->d_name[0] != '.')
            run(name);
    }
    closedir(folder);
}

int main(int argc, char **argv)
{
    int i;

    for (i = 1; i < argc; i++)
        run(argv[i]);
    printf("%u inputs\n", nr_run);
    return nr_run ? 0 : 1;
}
