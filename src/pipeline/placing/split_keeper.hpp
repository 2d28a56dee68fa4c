// SplitKeeper: keeps the samples that may belong to another split than train, until all input was read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/hash/hash.hpp"
#include "deal/split.hpp"
#include "pipeline/checkpoint/scratch_file.hpp"
#include "pipeline/utterance.hpp"

namespace shardmill::pipeline {

/// It is not known who speaks in a sample.
class UnknownSpeaker : public Error {
 public:
  using Error::Error;
};

/// The subset that a sample was published in is not known.
class UnknownSubset : public Error {
 public:
  using Error::Error;
};

/// A sample that is kept.
struct SplitCandidate {
  HeldStore::Entry entry;
  base::Xxh128 group;  // that it may not be separated from
};

/// Everything that it knows, for a journal.
struct SplitState {
  std::vector<SplitCandidate> candidates;
  deal::SplitPools::State chooser;
};

/// The path of the scratch file in a run's work folder.
std::string split_path(const std::string& work_folder);

class SplitKeeper {
 public:
  SplitKeeper(const deal::SplitWish& wish, std::uint64_t seed, const std::string& work_folder);

  /// The group of a sample that is to be kept; nullopt when it is for train. Throws Error for a sample of
  /// which it is not known where it belongs. Call it in order.
  std::optional<base::Xxh128> group_to_keep(const Utterance& utterance);
  HeldStore::Entry reserve(const base::Xxh128& group, const deal::HeldSample& sample, std::uint64_t bytes);
  const HeldStore& store() const noexcept { return store_; }

  /// Call it when all input was read. Throws Error when the amounts cannot be reached.
  void settle();

  struct Share {
    std::string name;
    std::vector<HeldStore::Entry> entries;
    std::uint64_t groups = 0;
    deal::Duration duration{};
  };
  /// The splits beside train that got something, by name. Call settle() before.
  const std::vector<Share>& shares() const noexcept { return shares_; }
  /// What was kept, and is for train nevertheless.
  const std::vector<HeldStore::Entry>& rest() const noexcept { return rest_; }

  void sync() const { store_.sync(); }
  SplitState state() const;
  void restore(SplitState state);

 private:
  base::Xxh128 group_of(const std::string& dataset, const std::string& name) const;
  std::optional<base::Xxh128> group_by_subset(const Utterance& utterance);

  deal::SplitWish wish_;
  std::uint64_t seed_;
  deal::SplitPools chooser_;
  HeldStore store_;
  std::vector<base::Xxh128> groups_;  // of each entry of the store
  std::vector<Share> shares_;
  std::vector<HeldStore::Entry> rest_;
};

}  // namespace shardmill::pipeline
