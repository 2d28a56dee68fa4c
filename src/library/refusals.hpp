// Refusals: how the library treats damage in a shard that a caller reads.
#pragma once

#include <string>

#include "model/finding.hpp"
#include "shard/keys.hpp"
#include "shard/sample_grouper.hpp"
#include "shardmill/observer.hpp"
#include "shardmill/shard.hpp"

namespace shardmill::library {

inline shard::KeyRule internal(KeyRule rule) {
  return rule == KeyRule::wenet ? shard::KeyRule::wenet : shard::KeyRule::webdataset;
}

/// Throws damage and unreadable members as errors, or reports them to the observer if the caller skips
/// damage.
class Refusals {
 public:
  /// Findings have offsets in the plain tar; for a plain file these are offsets in the file.
  enum class Offsets { of_plain_bytes, of_file };

  Refusals(std::string path, const ReadOptions& options, Observer& observer,
           Offsets offsets = Offsets::of_plain_bytes);

  /// False for a sample that is damaged.
  bool accept(const shard::GroupedSample& sample);
  void take(const ShardFinding& finding);
  void refuse(const Error& error);

 private:
  /// True if a sample has lost the member of the finding.
  bool is_loss(const ShardFinding& finding) const;
  /// True if it belongs to a loss that was reported.
  bool is_told(const ShardFinding& finding) const;

  std::string path_;
  shard::KeyRule key_rule_;
  bool skip_damage_;
  Observer& observer_;
  Offsets offsets_;
  bool has_refused_ = false;
  std::string told_;  // the damage of a sample that has lost the member of the last finding
};

}  // namespace shardmill::library
