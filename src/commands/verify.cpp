#include "commands/verify.hpp"

#include <algorithm>
#include <chrono>

#include "check/dataset_check.hpp"
#include "check/repair_plan.hpp"
#include "check/separate_splits.hpp"
#include "check/shards_check.hpp"
#include "dataset/hold.hpp"
#include "model/finding.hpp"

namespace shardmill::commands {

check::VerifySummary run_verify(const check::VerifyOptions& options, pipeline::Workers& workers,
                                base::Reporter& reporter) {
  const auto start = std::chrono::steady_clock::now();
  FindingList findings;
  check::VerifySummary summary;
  std::vector<std::string> folders = check::datasets_of(options.targets);
  const bool is_any_missing = check::leave_out_missing(options.targets, folders, findings);
  const auto datasets = std::count_if(folders.begin(), folders.end(), check::is_dataset_folder);
  if (datasets > 0 && static_cast<std::size_t>(datasets) < folders.size())
    throw UsageError("takes one dataset at a time, or any number of shards");
  if (datasets > 0) {
    check::VerifyOptions how = options;
    // The samples of a missing dataset would seem to be lost.
    if (is_any_missing) how.against.clear();
    check::check_belong_together(folders, !how.against.empty());
    const std::vector<dataset::UnlockedRead> reads(folders.begin(), folders.end());
    check::verify_datasets(folders, how, workers, reporter, findings, summary);
    if (datasets > 1) {
      check::check_split_record(folders, findings);
      check::check_separate(folders, reporter, findings);
    }
    for (const dataset::UnlockedRead& read : reads) read.check_unchanged();
  } else if (!is_any_missing) {
    check::verify_shards(options, workers, reporter, findings, summary);
  }
  summary.findings = findings.take();
  if (datasets > 0) {
    for (const std::string& folder : folders)
      summary.repairs.merge(check::repairability(folder, summary.findings));
  }
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return summary;
}

}  // namespace shardmill::commands
