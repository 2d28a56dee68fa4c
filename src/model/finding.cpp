#include "model/finding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace shardmill {

std::string_view name(ShardProblem problem) {
  switch (problem) {
    case ShardProblem::directory:
      return "directory";
    case ShardProblem::link:
      return "link";
    case ShardProblem::special_file:
      return "special_file";
    case ShardProblem::sparse_file:
      return "sparse_file";
    case ShardProblem::oversized_member:
      return "oversized_member";
    case ShardProblem::odd_name:
      return "odd_name";
    case ShardProblem::no_key:
      return "no_key";
    case ShardProblem::duplicate_member:
      return "duplicate_member";
    case ShardProblem::not_a_tar:
      return "not_a_tar";
    case ShardProblem::bad_header:
      return "bad_header";
    case ShardProblem::bad_extension:
      return "bad_extension";
    case ShardProblem::gap:
      return "gap";
    case ShardProblem::resumed:
      return "resumed";
    case ShardProblem::truncated:
      return "truncated";
    case ShardProblem::no_end:
      return "no_end";
    case ShardProblem::lone_zero_block:
      return "lone_zero_block";
    case ShardProblem::data_after_end:
      return "data_after_end";
    case ShardProblem::zeros_after_end:
      return "zeros_after_end";
  }
  return "unknown";
}

bool is_damage(ShardProblem problem) {
  return problem >= ShardProblem::not_a_tar;
}

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
