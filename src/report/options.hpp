// The options of report, one HTML page about one dataset or several, and its summary.
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

}  // namespace shardmill::report
