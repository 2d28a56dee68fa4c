// report: one HTML page about a dataset.
#pragma once

#include <optional>

#include "base/reporter.hpp"
#include "pipeline/workers.hpp"
#include "ranks/options.hpp"
#include "report/options.hpp"

namespace shardmill::commands {

/// Throws UsageError if the page would replace a file of the dataset, Error if it would replace anything
/// else but an older page, and whatever read_report_facts() throws.
report::ReportSummary run_report(const report::ReportOptions& options,
                                 const std::optional<ranks::RanksOptions>& training,
                                 pipeline::Workers& workers, base::Reporter& reporter);

}  // namespace shardmill::commands
