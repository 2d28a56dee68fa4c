#include "commands/inspect.hpp"

#include <chrono>

namespace shardmill::commands {

check::InspectSummary run_inspect(const check::InspectOptions& options, pipeline::Workers& workers,
                                  base::Reporter& reporter) {
  const auto start = std::chrono::steady_clock::now();
  check::InspectSummary summary = check::inspect_sources(options, workers, reporter);
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return summary;
}

check::DuplicateSummary run_inspect_duplicates(const check::DuplicateOptions& options,
                                               pipeline::Workers& workers, base::Reporter& reporter) {
  return check::find_duplicates(options, workers, reporter);
}

}  // namespace shardmill::commands
