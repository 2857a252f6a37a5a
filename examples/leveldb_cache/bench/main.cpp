/* SPDX-License-Identifier: MIT */
/* Options, and the order of runs. bench.h draws the program. */
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "report.h"

namespace bench
{

void die(const std::string &what)
{
    std::fprintf(stderr, "genlru-leveldb-bench: %s\n", what.c_str());
    remove_copy();
    std::_Exit(EXIT_FAILURE); /* other threads may be at work */
}

namespace
{

struct Command {
    std::string name;
    FILE *raw = nullptr;
    bool keeps_database = false;
    bool is_strict = false;
    Options options;
};

int usage(FILE *to)
{
    const Options d;

    std::fprintf(
        to,
        "usage: genlru-leveldb-bench scan-get|ycsb-b|ycsb-d|all [OPTION]...\n\n"
        "Runs LevelDB on several block caches, each on a fresh copy of one database, in the order A B C, C B A, ..., and\n"
        "prints medians, intervals and whether genlru keeps its promises.\n\n"
        "  --subjects A,B,...   leveldb,clru,mglru,mglru-fg,arc,s3fifo,genlru\n"
        "  --mixes A,...        of scan-get: 1+3, mixed, 1+7; default all\n"
        "  --entries N          of 16 + 200 bytes; default %llu\n"
        "  --cache-bytes N      default 1/11 of the entries' bytes\n"
        "  --scan N             entries of a scan; default %llu\n"
        "  --theta X            of Zipf's law; default %.2f\n"
        "  --seconds X          of a warm-up, and again of a measurement; default %.0f\n"
        "  --rounds N           each is two runs of every subject; default %u: an interval of 97 %%\n"
        "  --latency-us N       of a read of the device; default %u\n"
        "  --readahead-kib N    what a thread that reads on gets for one latency; default %u, 0 = none\n"
        "  --direct             the real device by O_DIRECT instead\n"
        "  --shards N           of the policies that genlru-sim brings; default %u, as LevelDB's own has\n"
        "  --seed N             default %llu; each pass has its own, the same for all subjects\n"
        "  --folder DIR         for the database (kept with --keep) and its copies; default %s\n"
        "  --keep               leave the database for the next time\n"
        "  --strict             exit with 1 if a promise is not kept\n"
        "  --raw FILE           every run as a line of TSV\n\n"
        "Subjects: %s\n\nWorkloads:\n",
        static_cast<unsigned long long>(d.entries), static_cast<unsigned long long>(d.scan_entries), d.theta, d.seconds,
        d.rounds, d.latency_us, d.readahead_kib, d.shards, static_cast<unsigned long long>(d.seed), d.folder.c_str(),
        subject_names().c_str());
    for (const Workload &w : workloads)
        std::fprintf(to, "  %-9s %-7s %s\n", w.command, w.name, w.what);
    return to == stdout ? EXIT_SUCCESS : EXIT_FAILURE;
}

uint64_t count(const char *option, const char *text, uint64_t min, uint64_t max)
{
    char *end;

    errno = 0;
    unsigned long long value = std::strtoull(text, &end, 10);

    if (*text < '0' || *text > '9' || *end || errno || value < min || value > max)
        die(std::string(option) + " takes a number of " + std::to_string(min) + " to " + std::to_string(max));
    return value;
}

double real(const char *option, const char *text, double min, double max)
{
    char *end;
    double value = std::strtod(text, &end);

    if (end == text || *end || !(value >= min && value <= max))
        die(std::string(option) + " takes a number of " + std::to_string(min) + " to " + std::to_string(max));
    return value;
}

std::vector<std::string> list(const char *text)
{
    std::vector<std::string> parts(1);

    for (; *text; text++)
        if (*text == ',')
            parts.emplace_back();
        else
            parts.back() += *text;
    return parts;
}

bool is_in(const std::vector<std::string> &names, const std::string &name)
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

void open_raw(Command *command, const char *path)
{
    command->raw = std::fopen(path, "w");
    if (!command->raw)
        die(std::string(path) + ": " + std::strerror(errno));
    print_raw_head(command->raw);
}

/* False: there is no such option. */
bool take_option(Command *command, const char *option, const char *value)
{
    Options &o = command->options;
    auto is = [&](const char *name) { return std::strcmp(option, name) == 0; };

    if (is("--subjects"))
        o.subjects = list(value);
    else if (is("--mixes"))
        o.mixes = list(value);
    else if (is("--entries"))
        o.entries = count(option, value, 1000, UINT32_MAX);
    else if (is("--cache-bytes"))
        o.cache_bytes = count(option, value, 1 << 16, uint64_t(1) << 50);
    else if (is("--scan"))
        o.scan_entries = count(option, value, 1, UINT32_MAX);
    else if (is("--theta"))
        o.theta = real(option, value, 0, 10);
    else if (is("--seconds"))
        o.seconds = real(option, value, 0.01, 3600);
    else if (is("--rounds"))
        o.rounds = static_cast<unsigned>(count(option, value, 1, 1000));
    else if (is("--latency-us"))
        o.latency_us = static_cast<unsigned>(count(option, value, 0, 900000));
    else if (is("--readahead-kib"))
        o.readahead_kib = static_cast<unsigned>(count(option, value, 0, 1 << 20));
    else if (is("--shards"))
        o.shards = static_cast<unsigned>(count(option, value, 1, 1024));
    else if (is("--seed"))
        o.seed = count(option, value, 0, UINT32_MAX);
    else if (is("--folder"))
        o.folder = value;
    else if (is("--raw"))
        open_raw(command, value);
    else
        return false;
    return true;
}

bool parse(int argc, char **argv, Command *command)
{
    if (argc < 2)
        return false;
    command->name = argv[1];
    for (int i = 2; i < argc; i++) {
        if (std::strcmp(argv[i], "--direct") == 0)
            command->options.has_direct_io = true;
        else if (std::strcmp(argv[i], "--keep") == 0)
            command->keeps_database = true;
        else if (std::strcmp(argv[i], "--strict") == 0)
            command->is_strict = true;
        else if (i + 1 == argc || !take_option(command, argv[i], argv[i + 1]))
            return false;
        else
            i++;
    }
    return true;
}

std::vector<const Workload *> chosen(const Command &command)
{
    std::vector<const Workload *> result;

    for (const Workload &w : workloads)
        if ((command.name == "all" || command.name == w.command) &&
            (command.options.mixes.empty() || is_in(command.options.mixes, w.name)))
            result.push_back(&w);
    return result;
}

/* Before hours of work, not after. */
void check_subjects(const Options &options)
{
    for (const std::string &subject : options.subjects) {
        std::unique_ptr<leveldb::Cache> cache(new_subject(subject, {1 << 20, 4096, 1000}, options));

        if (!cache)
            die("no subject '" + subject + "'; there are: " + subject_names());
    }
}

Runs run_all(const Command &command, const Workload &workload, const std::string &database, const Sizes &sizes)
{
    Runs runs;

    for (unsigned pass = 0; pass < 2 * command.options.rounds; pass++) {
        std::vector<std::string> order = command.options.subjects;

        if (pass % 2)
            std::reverse(order.begin(), order.end());
        for (const std::string &subject : order) {
            Result result =
                run_one(workload, subject, database, sizes, command.options, command.options.seed * 1000 + pass);

            runs[subject].push_back(result);
            if (command.raw)
                print_raw(command.raw, workload, subject, pass, result);
        }
    }
    return runs;
}

int run(const Command &command)
{
    std::vector<const Workload *> wanted = chosen(command);
    bool is_kept = true;

    if (wanted.empty())
        return usage(stderr);
    check_subjects(command.options);
    std::string database = prepare_database(command.options);
    Sizes sizes = measure_sizes(database, command.options);

    print_circumstances(command.options, sizes);
    std::vector<std::pair<const Workload *, Runs>> all;
    for (const Workload *workload : wanted) {
        Runs runs = run_all(command, *workload, database, sizes);

        print_table(*workload, command.options, runs);
        is_kept &= print_verdicts(command.options, runs);
        std::fflush(stdout);
        all.emplace_back(workload, std::move(runs));
    }
    print_overview(command.options, all);
    if (!command.keeps_database)
        remove_folder(database);
    return is_kept || !command.is_strict ? EXIT_SUCCESS : EXIT_FAILURE;
}

} // namespace

} // namespace bench

int main(int argc, char **argv)
{
    bench::Command command;

    if (argc == 2 && std::strcmp(argv[1], "--help") == 0)
        return bench::usage(stdout);
    if (!bench::parse(argc, argv, &command))
        return bench::usage(stderr);
    return bench::run(command);
}
