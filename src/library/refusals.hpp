// Refusals: what becomes of damage in a shard that a caller of the library reads.
#pragma once

#include <string>

#include "model/finding.hpp"
#include "shard/keys.hpp"
#include "shard/sample_grouper.hpp"
#include "shardmill/observer.hpp"
#include "shardmill/shard.hpp"

namespace shardmill::library {

/// Damage, and members that cannot be read, are thrown, or told to the observer where they are to be passed
/// over.
class Refusals {
 public:
  /// What the offsets of findings, which are of the plain tar, mean to users.
  enum class Offsets { of_plain_bytes, of_file };

  Refusals(std::string path, const ReadOptions& options, Observer& observer,
           Offsets offsets = Offsets::of_plain_bytes);

  /// False for a sample that is damaged.
  bool accept(const shard::GroupedSample& sample);
  void take(const ShardFinding& finding);
  void refuse(const Error& error);

 private:
  /// Whether a sample lacks what the finding is about.
  bool is_loss(const ShardFinding& finding) const;
  /// Whether it only adds to a loss that was told.
  bool is_told(const ShardFinding& finding) const;

  std::string path_;
  shard::KeyRule key_rule_;
  bool skip_damage_;
  Observer& observer_;
  Offsets offsets_;
  bool has_refused_ = false;
  std::string told_;  // of the last finding, what a sample says that has lost this member
};

}  // namespace shardmill::library
