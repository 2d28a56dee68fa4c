#include "library/refusals.hpp"

#include <utility>

#include "library/key_rules.hpp"

namespace shardmill::library {

Refusals::Refusals(std::string path, const ReadOptions& options, Observer& observer)
    : path_(std::move(path)),
      key_rule_(internal(options.key_rule)),
      skip_damage_(options.skip_damage),
      observer_(observer) {}

bool Refusals::accept(const shard::GroupedSample& sample) const {
  if (sample.damage.empty()) return true;
  if (!sample.is_refusal_told) refuse(Error(sample.damage, {.path = path_, .member = sample.sample.key}));
  return false;
}

void Refusals::take(const ShardFinding& finding) const {
  const Error error(finding.text, {.path = path_, .member = finding.name});
  if (is_loss(finding)) {
    refuse(error);
  } else {
    observer_.warn(error);
  }
}

bool Refusals::is_loss(const ShardFinding& finding) const {
  return is_damage(finding.problem) ||
         (shard::is_refusal(finding.problem) && shard::split_name(finding.name, key_rule_));
}

void Refusals::refuse(const Error& error) const {
  if (!skip_damage_) throw error.within(at(path_));
  observer_.fail(error.within(at(path_)));
}

}  // namespace shardmill::library
