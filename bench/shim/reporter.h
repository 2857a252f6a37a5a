/* SPDX-License-Identifier: MIT */
//
// reporter.h - one console table and one JSON file from several runs of Google Benchmark
//
// Google Benchmark writes a file for each call of RunSpecifiedBenchmarks; a program that calls it once
// a group wants one file in all. The console shows the medians where there are repetitions, the file
// everything.
#ifndef GENLRU_BENCH_SHIM_REPORTER_H
#define GENLRU_BENCH_SHIM_REPORTER_H

#include <fstream>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

namespace shim
{

class Reporter : public benchmark::BenchmarkReporter
{
  public:
    explicit Reporter(const std::string &json_path); // "" = none

    int open(); // 0 or -EIO

    bool ReportContext(const Context &context) override;
    void ReportRuns(const std::vector<Run> &runs) override;

    int finish(); // 0 or -EIO
    bool has_failed() const
    {
        return has_failed_;
    }

  private:
    int failed_to_write() const;

    benchmark::ConsoleReporter console_;
    benchmark::JSONReporter json_;
    std::string path_;
    std::ofstream file_;
    std::ofstream nowhere_; // never opened: swallows "failed to match" of groups that the filter leaves out
    size_t name_width_ = 0;
    bool has_context_ = false;
    bool has_failed_ = false;
};

} // namespace shim

#endif
