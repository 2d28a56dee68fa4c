#include "shardmill/commands/verify.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>

#include "shardmill/base/folder.hpp"
#include "shardmill/commands/output_folder.hpp"
#include "shardmill/commands/verify_dataset.hpp"
#include "shardmill/commands/verify_shards.hpp"
#include "shardmill/manifest/layout.hpp"

namespace shardmill::commands {

std::uint64_t VerifySummary::count(Finding::Severity severity) const {
  return static_cast<std::uint64_t>(
      std::count_if(findings.begin(), findings.end(),
                    [&](const Finding& finding) { return finding.severity == severity; }));
}

std::vector<std::string> VerifySummary::bad_shards() const {
  std::set<std::string> paths;
  for (const Finding& finding : findings) {
    const std::filesystem::path path = finding.where.path;
    const bool is_shard = !is_dataset || path.parent_path().filename() == manifest::kShardFolder;
    if (finding.severity == Finding::Severity::finding && is_shard) paths.insert(path.string());
  }
  return {paths.begin(), paths.end()};
}

bool is_dataset_folder(const std::string& path) {
  std::error_code unreadable;  // reported when it is read
  if (!std::filesystem::is_directory(path, unreadable)) return false;
  const auto holds = [&](std::string_view name) { return base::may_exist(path + "/" + std::string(name)); };
  return holds(manifest::kDataset) || holds_work_of_run(path) || holds(manifest::kShardRecords) ||
         holds(manifest::kChecksums);
}

VerifySummary run_verify(const VerifyOptions& options, pipeline::Workers& workers, base::Reporter& reporter) {
  const auto start = std::chrono::steady_clock::now();
  FindingList findings;
  VerifySummary summary;
  const auto datasets = std::count_if(options.targets.begin(), options.targets.end(), is_dataset_folder);
  if (datasets > 0 && options.targets.size() > 1)
    throw UsageError("takes one dataset at a time, or any number of shards");
  if (datasets == 1) {
    verify_dataset(options.targets.front(), options, workers, reporter, findings, summary);
  } else {
    verify_shards(options, workers, reporter, findings, summary);
  }
  summary.findings = findings.take();
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return summary;
}

}  // namespace shardmill::commands
