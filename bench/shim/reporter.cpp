// SPDX-License-Identifier: MIT
// One table, one file: see reporter.h.
#include "shim/reporter.h"

#include <errno.h>
#include <unistd.h>

#include <iostream>

namespace shim
{

Reporter::Reporter(const std::string &json_path)
    : console_(isatty(STDOUT_FILENO) ? benchmark::ConsoleReporter::OO_ColorTabular
                                     : benchmark::ConsoleReporter::OO_Tabular),
      path_(json_path)
{
    json_.SetOutputStream(&file_);
    SetErrorStream(&nowhere_);
}

int Reporter::open()
{
    if (!path_.empty()) {
        file_.open(path_, std::ios::trunc);
    }
    return file_ ? 0 : failed_to_write();
}

int Reporter::failed_to_write() const
{
    std::cerr << "cannot write " << path_ << "\n";
    return -EIO;
}

// Once a group. The context is that of the first; groups that follow may need wider names.
bool Reporter::ReportContext(const Context &context)
{
    if (!has_context_) {
        if (!path_.empty()) {
            json_.ReportContext(context);
        }
        PrintBasicContext(&std::cerr, context);
        has_context_ = true;
    }
    if (context.name_field_width > name_width_) {
        name_width_ = context.name_field_width;
    }

    // The console's own ReportContext would print the machine again; its width is that of the first.
    Context widened = context;
    widened.name_field_width = name_width_;
    std::ofstream quiet;
    std::ostream *err = &console_.GetErrorStream();
    console_.SetErrorStream(&quiet);
    console_.ReportContext(widened);
    console_.SetErrorStream(err);
    return true;
}

void Reporter::ReportRuns(const std::vector<Run> &runs)
{
    std::vector<Run> shown;

    for (const Run &run : runs) {
        bool is_median = run.run_type == Run::RT_Aggregate && run.aggregate_name == "median";

        has_failed_ |= run.error_occurred;
        if (is_median || run.error_occurred || (run.run_type == Run::RT_Iteration && run.repetitions <= 1)) {
            shown.push_back(run);
        }
    }
    console_.ReportRuns(shown);
    if (!path_.empty()) {
        json_.ReportRuns(runs);
        file_.flush();
    }
}

int Reporter::finish()
{
    if (path_.empty()) {
        return 0;
    }
    if (has_context_) {
        json_.Finalize();
    }
    file_.close();
    return file_ ? 0 : failed_to_write();
}

} // namespace shim
