/* SPDX-License-Identifier: MIT */
/* See report.h. */
#include "report.h"

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <thread>

#include "summary.h"

namespace bench
{

namespace
{

struct Column {
    const char *name; /* in the raw output */
    const char *title;
    double Result::*field;
    double scale;
    int digits;
    bool has_interval;
};

const Column columns[] = {
    {"ops_per_s", "operations / s", &Result::ops_per_s, 1, 0, true},
    {"gets_per_s", "gets / s", &Result::gets_per_s, 1, 0, false},
    {"scans_per_s", "scans / s", &Result::scans_per_s, 1, 1, false},
    {"writes_per_s", "writes / s", &Result::writes_per_s, 1, 0, false},
    {"misses_per_get", "misses / 100 gets", &Result::misses_per_get, 100, 2, true},
    {"misses_per_scan", "misses / scan", &Result::misses_per_scan, 1, 1, false},
    {"removed_after_one_get", "of entries a get brought, removed after that one get, %", &Result::removed_after_one_get,
     100, 1, false},
    {"reloaded_after_one_get", "such entries reloaded / 100 gets", &Result::reloaded_after_one_get, 100, 2, false},
    {"get_p50_us", "get p50, us", &Result::get_p50_us, 1, 1, false},
    {"get_p99_us", "get p99, us", &Result::get_p99_us, 1, 0, false},
    {"over_capacity", "most charge / capacity", &Result::over_capacity, 1, 3, false},
};

std::vector<double> values_of(const std::vector<Result> &runs, double Result::*field)
{
    std::vector<double> values;

    for (const Result &r : runs)
        values.push_back(r.*field);
    return values;
}

/* Nobody scans in YCSB, nobody writes in scan-get. */
bool is_empty(const Runs &runs, const Column &column)
{
    for (const auto &subject : runs)
        for (const Result &r : subject.second)
            if (r.*column.field != 0)
                return false;
    return true;
}

void print_cell(const std::vector<Result> &runs, const Column &column)
{
    Interval i = interval_of(values_of(runs, column.field));

    std::printf(" %.*f", column.digits, column.scale * i.median);
    if (column.has_interval)
        std::printf(" (%.*f .. %.*f)", column.digits, column.scale * i.low, column.digits, column.scale * i.high);
    std::printf(" |");
}

void print_ratio(const char *what, const std::string &other, const Interval &ratio, const char *verdict)
{
    std::printf("- %s, genlru / %s: %.3f (%.3f .. %.3f): %s\n", what, other.c_str(), ratio.median, ratio.low,
                ratio.high, verdict);
}

std::string processor()
{
    std::ifstream info("/proc/cpuinfo");
    std::string line;

    while (std::getline(info, line))
        if (line.compare(0, 10, "model name") == 0)
            return line.substr(line.find(':') + 2);
    return "unknown";
}

void print_overview_rows(const char *what, double Result::*field, double scale, int digits, const Options &options,
                         const std::vector<std::pair<const Workload *, Runs>> &all)
{
    for (const auto &[workload, runs] : all) {
        bool has_value = false;

        for (const std::string &subject : options.subjects)
            has_value |= interval_of(values_of(runs.at(subject), field)).median > 0;
        if (!has_value)
            continue;
        std::printf("| %s: %s |", workload->name, what);
        for (const std::string &subject : options.subjects)
            std::printf(" %.*f |", digits, scale * interval_of(values_of(runs.at(subject), field)).median);
        std::printf("\n");
    }
}

bool judge_misses(const Runs &runs, const std::vector<Result> &genlru)
{
    auto lru = runs.find("leveldb");

    if (lru == runs.end())
        return true;
    Interval ratio =
        ratio_of(values_of(genlru, &Result::misses_per_get), values_of(lru->second, &Result::misses_per_get));
    bool is_kept = ratio.low <= 1;

    print_ratio("misses per get", "leveldb", ratio,
                ratio.high <= 1 ? "no more than LRU"
                : is_kept       ? "no more than LRU, within the interval"
                                : "MORE THAN LRU");
    return is_kept;
}

bool judge_throughput(const Runs &runs, const std::vector<Result> &genlru)
{
    std::string best;
    double most = 0;

    for (const auto &subject : runs) {
        double median = interval_of(values_of(subject.second, &Result::ops_per_s)).median;

        if (subject.first != "genlru" && median > most) {
            most = median;
            best = subject.first;
        }
    }
    if (best.empty())
        return true;
    Interval ratio = ratio_of(values_of(genlru, &Result::ops_per_s), values_of(runs.at(best), &Result::ops_per_s));
    bool is_kept = ratio.high >= 1;

    print_ratio("operations / s", best + ", the best other", ratio,
                ratio.low >= 1 ? "the best"
                : is_kept      ? "as good as the best, within the interval"
                               : "LESS THAN THE BEST");
    return is_kept;
}

} // namespace

void print_circumstances(const Options &options, const Sizes &sizes)
{
    char date[16];
    time_t now = std::time(nullptr);
    double load[3] = {0, 0, 0};

    std::strftime(date, sizeof(date), "%Y-%m-%d", std::localtime(&now));
    (void)getloadavg(load, 3);
    std::printf("%s; %u processors (%s), load %.1f at the start; compiler %s, LevelDB %d.%d\n", date,
                std::thread::hardware_concurrency(), processor().c_str(), load[0], __VERSION__, leveldb::kMajorVersion,
                leveldb::kMinorVersion);
    std::printf(
        "%llu entries of %u + %u bytes in %llu blocks of %llu bytes, block cache %.1f MB; zipf %.2f; scans of %llu\n",
        static_cast<unsigned long long>(options.entries), unsigned(KEY_BYTES), unsigned(VALUE_BYTES),
        static_cast<unsigned long long>(sizes.blocks), static_cast<unsigned long long>(sizes.mean_block),
        static_cast<double>(sizes.cache_bytes) / 1e6, options.theta,
        static_cast<unsigned long long>(options.scan_entries));
    if (options.has_direct_io)
        std::printf("device: O_DIRECT, nothing read ahead\n");
    else
        std::printf("device: a latency of %u us a read, %u KiB read ahead by scans\n", options.latency_us,
                    options.readahead_kib);
    std::printf(
        "%u rounds there and back (ABBA), each run on a fresh copy: %.1f s of warm-up, %.1f s measured; seed %llu\n",
        options.rounds, options.seconds, options.seconds, static_cast<unsigned long long>(options.seed));
}

void print_table(const Workload &workload, const Options &options, const Runs &runs)
{
    std::printf("\n### %s: %s\n\n| |", workload.name, workload.what);
    for (const Column &column : columns)
        if (!is_empty(runs, column))
            std::printf(" %s |", column.title);
    std::printf("\n|---|");
    for (const Column &column : columns)
        if (!is_empty(runs, column))
            std::printf("---|");
    std::printf("\n");
    for (const std::string &subject : options.subjects) {
        std::printf("| %s |", subject.c_str());
        for (const Column &column : columns)
            if (!is_empty(runs, column))
                print_cell(runs.at(subject), column);
        std::printf("\n");
    }
    Interval any = interval_of(values_of(runs.begin()->second, &Result::ops_per_s));

    std::printf("\nMedians of %zu runs, in brackets their interval of %.0f %% confidence.\n",
                runs.begin()->second.size(), 100 * any.confidence);
}

void print_overview(const Options &options, const std::vector<std::pair<const Workload *, Runs>> &all)
{
    std::printf("\n### Medians\n\n| |");
    for (const std::string &subject : options.subjects)
        std::printf(" %s |", subject.c_str());
    std::printf("\n|---|");
    for (size_t i = 0; i < options.subjects.size(); i++)
        std::printf("---|");
    std::printf("\n");
    print_overview_rows("misses / 100 gets", &Result::misses_per_get, 100, 1, options, all);
    print_overview_rows("misses / scan", &Result::misses_per_scan, 1, 0, options, all);
    print_overview_rows("operations / s", &Result::ops_per_s, 1, 0, options, all);
}

bool print_verdicts(const Options &options, const Runs &runs)
{
    auto genlru = runs.find("genlru");

    (void)options;
    if (genlru == runs.end() || runs.size() < 2)
        return true;
    std::printf("\n");
    bool is_kept = judge_misses(runs, genlru->second);

    return judge_throughput(runs, genlru->second) && is_kept;
}

void print_raw_head(FILE *out)
{
    std::fprintf(out, "workload\tsubject\tpass");
    for (const Column &column : columns)
        std::fprintf(out, "\t%s", column.name);
    std::fprintf(out, "\n");
}

void print_raw(FILE *out, const Workload &workload, const std::string &subject, unsigned pass, const Result &result)
{
    std::fprintf(out, "%s\t%s\t%u", workload.name, subject.c_str(), pass);
    for (const Column &column : columns)
        std::fprintf(out, "\t%.6g", result.*column.field);
    std::fprintf(out, "\n");
    std::fflush(out);
}

} // namespace bench
