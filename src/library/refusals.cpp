#include "library/refusals.hpp"

#include <utility>

namespace shardmill::library {

Refusals::Refusals(std::string path, const ReadOptions& options, Observer& observer, Offsets offsets)
    : path_(std::move(path)),
      key_rule_(internal(options.key_rule)),
      skip_damage_(options.skip_damage),
      observer_(observer),
      offsets_(offsets) {}

bool Refusals::accept(const shard::GroupedSample& sample) {
  if (sample.damage.empty()) return true;
  if (!sample.is_refusal_told && sample.damage != told_)
    refuse(Error(sample.damage, {.path = path_, .member = sample.sample.key}));
  return false;
}

void Refusals::take(const ShardFinding& finding) {
  Error error(finding.text, {.path = path_, .member = finding.name});
  if (!is_loss(finding)) {
    observer_.warn(error);
  } else if (!is_told(finding)) {
    if (offsets_ == Offsets::of_file && finding.name.empty())
      error = Error(finding.text, {.path = path_, .offset = finding.offset});
    told_ = shard::lost_member_text(finding);
    refuse(error);
  }
}

bool Refusals::is_told(const ShardFinding& finding) const {
  if (!has_refused_) return false;
  switch (finding.problem) {
    case ShardProblem::resumed:
      return true;           // it ends a loss
    case ShardProblem::gap:  // follows the error of the decoder
      return !shard::split_name(finding.name, key_rule_);
    case ShardProblem::truncated:
      return finding.name.empty() && finding.bytes == 0;  // nothing follows a loss
    default:
      return false;
  }
}

bool Refusals::is_loss(const ShardFinding& finding) const {
  return is_damage(finding.problem) ||
         (shard::is_refusal(finding.problem) && shard::split_name(finding.name, key_rule_));
}

void Refusals::refuse(const Error& error) {
  has_refused_ = true;
  if (!skip_damage_) throw error.within(at(path_));
  observer_.fail(error.within(at(path_)));
}

}  // namespace shardmill::library
