#include "repair/unsummed_files.hpp"

#include <filesystem>
#include <string_view>

#include "base/io/folder.hpp"
#include "check/report_check.hpp"
#include "dataset/form_files.hpp"
#include "dataset/rank_lists.hpp"
#include "dataset/records.hpp"
#include "manifest/layout.hpp"

namespace shardmill::repair {

namespace fs = std::filesystem;

std::set<std::string> bad_unsummed_files(const std::string& folder, base::Reporter& reporter) {
  FindingList findings;
  const auto records = dataset::read_records(folder, findings);
  dataset::check_records(records, findings);
  dataset::check_rank_lists(records, findings);
  check::check_report(records, findings);
  dataset::check_placed_files(records, reporter, findings);
  std::set<std::string> bad;
  for (const std::string_view name : {manifest::kShardList, manifest::kRun}) {
    if (!base::exists(base::inside(folder, name))) bad.emplace(name);
  }
  for (const Finding& finding : findings.take()) {
    const std::string name = fs::path(finding.where.path).lexically_relative(folder).string();
    const bool is_of_these = name == manifest::kShardList || name == manifest::kRun ||
                             name == manifest::kReport || dataset::depends_on_place(name) ||
                             name.starts_with(std::string(manifest::kRankFolder) + "/");
    if (finding.severity == Finding::Severity::finding && is_of_these) bad.insert(name);
  }
  return bad;
}

}  // namespace shardmill::repair
