// Refusals: what becomes of damage in a shard that a caller of the library reads.
#pragma once

#include <string>

#include "model/shard_finding.hpp"
#include "shard/key_rule.hpp"
#include "shard/sample_grouper.hpp"
#include "shardmill/observer.hpp"
#include "shardmill/shard.hpp"

namespace shardmill::library {

/// Damage, and members that cannot be read, are thrown, or told to the observer where they are to be passed
/// over.
class Refusals {
 public:
  Refusals(std::string path, const ReadOptions& options, Observer& observer);

  /// False for a sample that is damaged.
  bool accept(const shard::GroupedSample& sample) const;
  void take(const ShardFinding& finding) const;
  void refuse(const Error& error) const;

 private:
  /// Whether a sample lacks what the finding is about.
  bool is_loss(const ShardFinding& finding) const;

  std::string path_;
  shard::KeyRule key_rule_;
  bool skip_damage_;
  Observer& observer_;
};

}  // namespace shardmill::library
