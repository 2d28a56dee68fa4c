#include "check/inspect/issue.hpp"

#include <algorithm>
#include <utility>

namespace shardmill::check {

namespace {

/// Users must be able to find every damaged place again. For other issues a few examples are enough.
std::size_t most_named(Severity severity) {
  return severity == Severity::damage ? 20 : 3;
}

}  // namespace

std::string_view name(Severity severity) {
  switch (severity) {
    case Severity::damage:
      return "damage";
    case Severity::hazard:
      return "hazard";
    case Severity::note:
      break;
  }
  return "note";
}

void IssueList::add(const IssueKind& kind, Finding finding, std::uint64_t count) {
  Issue& issue = issues_[kind];
  issue.count += count;
  issue.shards = 1;
  if (issue.first.size() < most_named(kind.severity)) issue.first.push_back(std::move(finding));
}

void IssueList::merge(const IssueList& later) {
  for (const auto& [kind, found] : later.issues_) {
    Issue& issue = issues_[kind];
    issue.count += found.count;
    issue.shards += found.shards;
    issue.lost_samples += found.lost_samples;
    const std::size_t room = most_named(kind.severity) - issue.first.size();
    const auto taken = static_cast<std::ptrdiff_t>(std::min(room, found.first.size()));
    issue.first.insert(issue.first.end(), found.first.begin(), found.first.begin() + taken);
  }
}

bool IssueList::has(Severity severity) const {
  return std::any_of(issues_.begin(), issues_.end(),
                     [&](const auto& entry) { return entry.first.severity == severity; });
}

namespace issue {

std::optional<IssueKind> of(ShardProblem problem) {
  const auto kind = [&](Severity severity, std::string_view text, std::string_view effect = "") {
    return IssueKind{severity, shardmill::name(problem), "", text, effect};
  };
  constexpr std::string_view kLeftOut = "repack leaves it out";
  switch (problem) {
    case ShardProblem::not_a_tar:
      return kind(kDamage, "no tar");
    case ShardProblem::bad_header:
      return kind(kDamage, "damaged tar header",
                  "Python's tarfile ends there and drops the rest of the shard without an error");
    case ShardProblem::bad_extension:
      return kind(kDamage, "tar extension header that cannot be trusted", "its member is lost");
    case ShardProblem::truncated:
      return kind(kDamage, "tar that ends inside a member or header", "part of it is missing");
    case ShardProblem::no_end:
      return kind(kDamage, "tar without its two end blocks, perhaps cut between two members",
                  "Python's tarfile reads it without an error: the loss goes unnoticed");
    case ShardProblem::lone_zero_block:
      return kind(kDamage, "single zero block inside the tar",
                  "Python's tarfile stops there without an error and drops the rest of the shard");
    case ShardProblem::data_after_end:
      return kind(kDamage, "data after the end of the tar, as after cat a.tar b.tar",
                  "loaders pass over it without an error");
    case ShardProblem::zeros_after_end:
      return kind(kDamage, "tar that ends in very many zeros",
                  "its last members may have been overwritten, and loaders do not notice");
    case ShardProblem::link:
      return kind(kNote, "link, which has no data of its own", kLeftOut);
    case ShardProblem::special_file:
      return kind(kNote, "member that is no file", kLeftOut);
    case ShardProblem::sparse_file:
      return kind(kNote, "sparse file", kLeftOut);
    case ShardProblem::oversized_member:
      return kind(kNote, "member of more than 256 MiB", kLeftOut);
    case ShardProblem::odd_name:
      return kind(kNote, "name that is empty, absolute, or holds .. or control characters");
    case ShardProblem::no_key:
      return kind(kNote, "member whose name has no key and extension", "it belongs to no sample");
    case ShardProblem::duplicate_member:
      return kDuplicateMember;
    case ShardProblem::directory:  // check_name() reports these
    case ShardProblem::gap:        // the decoder has reported an error already
    case ShardProblem::resumed:
      break;
  }
  return std::nullopt;
}

IssueKind of(const shard::LoaderHazard& hazard) {
  return {kHazard, hazard.drops_rest ? "dropped_rest" : "misread_name", hazard.loader, hazard.effect, ""};
}

}  // namespace issue

}  // namespace shardmill::check
