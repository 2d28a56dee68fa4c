#include "check/verification.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/io/folder.hpp"
#include "dataset/output_folder.hpp"
#include "manifest/layout.hpp"

namespace shardmill::check {

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
  std::error_code unreadable;  // reported when the file is read
  if (!std::filesystem::is_directory(path, unreadable)) return false;
  const auto holds = [&](std::string_view name) { return base::may_exist(path + "/" + std::string(name)); };
  return holds(manifest::kDataset) || dataset::holds_work_of_run(path) || holds(manifest::kShardRecords) ||
         holds(manifest::kChecksums);
}

}  // namespace shardmill::check
