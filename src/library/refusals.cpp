#include "library/refusals.hpp"

namespace shardmill::library {

bool Refusals::accept(const shard::GroupedSample& sample) const {
  if (sample.damage.empty()) return true;
  refuse(Error(sample.damage, {.path = path_, .member = sample.sample.key}));
  return false;
}

void Refusals::take(const ShardFinding& finding) const {
  const Error error(finding.text, {.path = path_, .member = finding.name});
  if (is_damage(finding.problem)) {
    refuse(error);
  } else {
    observer_.warn(error);
  }
}

void Refusals::refuse(const Error& error) const {
  if (!skip_damage_) throw error.within(at(path_));
  observer_.fail(error.within(at(path_)));
}

}  // namespace shardmill::library
