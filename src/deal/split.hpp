// split: chooses at random which groups of samples (speakers, or single keys) make up splits of given
// amounts.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/hash/hash.hpp"
#include "deal/dataset_deal.hpp"

namespace shardmill::deal {

/// What may not be divided between splits.
enum class SplitBy { speaker, key, subset };

/// The split that gets all that no other one gets.
inline constexpr const char* kTrain = "train";

struct SplitWish {
  SplitBy by = SplitBy::speaker;
  /// How much goes to each split beside kTrain, by name. By subset: nothing, the corpora say it.
  std::map<std::string, Duration> amounts;
  /// The dataset that a split is taken from, by the name of the split; others are taken from all.
  std::map<std::string, std::string> datasets{};

  Duration total() const;
};

/// The amounts cannot be reached.
class SplitError : public Error {
 public:
  using Error::Error;
};

/// Chooses while samples come, in one pass. A group is known by a hash that also is its lot: the lowest ones
/// are chosen. At any time only groups are kept that may still be chosen, about twice the wanted amount. The
/// result does not depend on the order of the samples.
class SplitChooser {
 public:
  using Group = base::Xxh128;

  /// Everything it knows, as plain values for a journal.
  struct State {
    std::map<Group, Duration> kept;  // with their audio so far
    bool has_limit = false;
    Group limit{};      // groups from this one on are no longer kept
    Duration passed{};  // audio of groups that are not kept
  };

  explicit SplitChooser(const SplitWish& wish);

  /// True when the sample must be kept, because its group may be chosen.
  bool add(const Group& group, Duration duration);
  /// Of all samples that were added.
  Duration total() const;

  struct Choice {
    std::map<Group, std::uint32_t> split_of;  // of the groups chosen: number of the split in wish.amounts
    std::vector<Duration> durations;          // of each split
    Duration rest{};                          // of everything else
  };
  /// Call it at the end. The amount of each split differs from the wanted amount by less than the audio of
  /// one group. Throws SplitError when there is too little audio, or nothing would be left.
  Choice choose() const;

  const State& state() const noexcept { return state_; }
  void restore(State state);

 private:
  Duration worth(Duration duration) const;
  void drop_needless();

  std::vector<Duration> wanted_;
  Duration needed_{};  // least worth of all kept groups
  Duration most_{};    // worth of one group at most, so that there are many
  Duration worth_{};   // of all kept groups
  State state_;
};

/// Chooses from several datasets: a split gets of each as much as its share of all audio, as far as groups
/// are small enough, or everything from one dataset. Each dataset keeps a group for kTrain.
class SplitPools {
 public:
  struct State {
    std::map<std::string, SplitChooser::State> pools;  // by dataset
  };

  explicit SplitPools(SplitWish wish) : wish_(std::move(wish)) {}

  /// As SplitChooser::add(). A group belongs to one dataset.
  bool add(const std::string& dataset, const SplitChooser::Group& group, Duration duration);
  /// As SplitChooser::choose().
  SplitChooser::Choice choose() const;

  State state() const;
  void restore(State state);

 private:
  SplitChooser& pool_of(const std::string& dataset);

  SplitWish wish_;
  std::map<std::string, SplitChooser> pools_;
};

}  // namespace shardmill::deal
