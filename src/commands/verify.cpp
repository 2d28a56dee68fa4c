#include "commands/verify.hpp"

#include <algorithm>
#include <chrono>

#include "check/dataset_check.hpp"
#include "check/repair_plan.hpp"
#include "check/shards_check.hpp"
#include "model/finding.hpp"

namespace shardmill::commands {

check::VerifySummary run_verify(const check::VerifyOptions& options, pipeline::Workers& workers,
                                base::Reporter& reporter) {
  const auto start = std::chrono::steady_clock::now();
  FindingList findings;
  check::VerifySummary summary;
  const auto datasets =
      std::count_if(options.targets.begin(), options.targets.end(), check::is_dataset_folder);
  if (datasets > 0 && options.targets.size() > 1)
    throw UsageError("takes one dataset at a time, or any number of shards");
  if (datasets == 1) {
    check::verify_dataset(options.targets.front(), options, workers, reporter, findings, summary);
  } else {
    check::verify_shards(options, workers, reporter, findings, summary);
  }
  summary.findings = findings.take();
  if (datasets == 1) summary.repairs = check::repairability(options.targets.front(), summary.findings);
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return summary;
}

}  // namespace shardmill::commands
