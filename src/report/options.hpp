// report: one HTML page about a dataset or several, for people who would rather look.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::report {

struct ReportOptions {
  std::vector<std::string> folders;  // of finished datasets; several are compared with each other
  std::string out_file;              // empty: report.html in the folder, if there is one
  std::string batches;               // how batches are made, in words; empty: nobody asked
  std::string command;               // the command line, shown to others who find the folder locked
};

struct ReportSummary {
  std::string out_file;
  std::uint64_t bytes = 0;
  std::uint64_t shards = 0;
  std::uint64_t samples = 0;
  /// Samples with a transcript; none: the dataset's records do not say.
  std::optional<std::uint64_t> with_text{};
  double seconds = 0;
  double spread_seconds = 0;  // between the emptiest and the fullest shard
};

}  // namespace shardmill::report
