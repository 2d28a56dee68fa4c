// report: one HTML page about a dataset.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "pipeline/workers.hpp"
#include "ranks/ranks.hpp"

namespace shardmill::report {

struct ReportOptions {
  std::vector<std::string> folders;  // of finished datasets; several are compared with each other
  std::string out_file;              // empty: report.html in the folder, if there is one
  std::string batches;               // the batching in words; empty: no batches
  std::string command;               // the command line, for the lock that other runs see
};

struct ReportSummary {
  std::string out_file;
  std::uint64_t bytes = 0;
  std::uint64_t shards = 0;
  std::uint64_t samples = 0;
  std::uint64_t with_text = 0;  // samples with a transcript
  double seconds = 0;
  double spread_seconds = 0;  // between the emptiest and the fullest shard
};

/// Throws UsageError if the page would replace a file of the dataset, Error if it would replace anything
/// else but an older page, and whatever read_report_facts() throws.
ReportSummary run_report(const ReportOptions& options, const std::optional<ranks::RanksOptions>& training,
                         pipeline::Workers& workers, base::Reporter& reporter);

}  // namespace shardmill::report
