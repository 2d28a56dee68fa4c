// Refusals: what becomes of damage in a shard that a caller of the library reads.
#pragma once

#include <string>
#include <utility>

#include "model/shard_finding.hpp"
#include "shard/sample_grouper.hpp"
#include "shardmill/observer.hpp"

namespace shardmill::library {

/// Damage is thrown, or told to the observer where it is to be passed over.
class Refusals {
 public:
  Refusals(std::string path, bool skip_damage, Observer& observer)
      : path_(std::move(path)), skip_damage_(skip_damage), observer_(observer) {}

  /// False for a sample that is damaged.
  bool accept(const shard::GroupedSample& sample) const;
  void take(const ShardFinding& finding) const;
  void refuse(const Error& error) const;

 private:
  std::string path_;
  bool skip_damage_;
  Observer& observer_;
};

}  // namespace shardmill::library
