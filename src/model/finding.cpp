#include "model/finding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace shardmill {

std::string to_string(const Finding& finding) {
  std::string text = to_string(finding.where);
  if (finding.tar_offset)
    text += fmt::format("{}tar offset {}", text.empty() ? "" : ": ", *finding.tar_offset);
  return fmt::format("{}{}{}", text, text.empty() ? "" : ": ", printable(finding.what));
}

void FindingList::add(Finding finding) {
  const std::lock_guard lock(mutex_);
  findings_.push_back(std::move(finding));
}

void FindingList::add(const std::string& shard, const ShardFinding& found, Finding::Severity severity) {
  add({.severity = severity,
       .where = {.path = shard, .member = found.name},
       .tar_offset = found.offset,
       .what = found.text,
       .is_cause = severity == Finding::Severity::finding && is_damage(found.problem)});
}

std::vector<Finding> FindingList::take() {
  const std::lock_guard lock(mutex_);
  const auto place = [](const Finding& finding) {
    return std::tie(finding.where.path, finding.tar_offset, finding.where.offset, finding.where.member,
                    finding.what);
  };
  std::sort(findings_.begin(), findings_.end(),
            [&](const Finding& a, const Finding& b) { return place(a) < place(b); });
  return std::move(findings_);
}

}  // namespace shardmill
