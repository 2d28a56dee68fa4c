// deal_evenly: deals the held samples at the end, so that all shards hold the same; with --even, it leaves
// some of them out or takes some twice. least_spread: how unequal shards must be, however they are dealt, and
// why.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "deal/rest.hpp"

namespace shardmill::deal {

/// Shards are equal if their audio times differ by no more than this.
inline constexpr Duration kEvenSpread = std::chrono::milliseconds(10);

enum class Even { off, leave_out, repeat };

/// Whether all shards must hold exactly the same number of samples, and the seed that chooses the samples to
/// leave out or to repeat.
struct EvenWish {
  Even even = Even::off;
  std::uint64_t seed = 0;
};

struct EvenChange {
  std::vector<std::uint32_t> left_out;  // numbers of held samples, in order
  std::vector<std::uint32_t> repeated;  // the same

  bool operator==(const EvenChange&) const = default;
};

/// The fewest samples that make `dealt + held` a multiple of `shards`. Only the seed and the counts decide
/// which; the same on every machine. `left_out` and `repeated` are empty if nothing has to change. Fewer may
/// be chosen than needed when fewer are held.
EvenChange even_out(std::uint64_t dealt, std::uint32_t held, std::uint64_t shards, const EvenWish& wish);

/// How the held samples are dealt.
struct RestDeal {
  struct Placed {
    std::uint32_t number = 0;  // of the held sample
    std::uint32_t shard = 0;

    bool operator==(const Placed&) const = default;
  };
  std::vector<std::uint32_t> left_out;  // numbers of held samples, in order
  std::vector<Placed> placed;           // all others, in order
  std::vector<Placed> repeated;         // samples that are taken a second time
  Duration spread{};                    // of the audio times of the shards
  /// All shards hold the same number of samples of each dataset and in total, or one more; exactly the same
  /// total if that was wished for.
  bool has_equal_counts = false;

  bool is_even() const { return has_equal_counts && spread <= kEvenSpread; }
  bool is_better_than(const RestDeal& other) const;
};

/// Deals the held samples over shards that already hold `dealt`: for each dataset, the contents of each
/// shard.
RestDeal deal_evenly(std::span<const std::span<const Holding>> dealt, std::span<const HeldSample> held,
                     const EvenWish& wish = {}, Effort effort = Effort::thorough);

/// Throws Error if the wish for equal shards is not fulfilled.
void check_equal(const RestDeal& deal, const EvenWish& wish);

/// A lower bound, which may be far below the best deal; but no deal is better than it.
struct LeastSpread {
  enum class Reason {
    none,
    long_samples,  // a shard is too long when it gets its share of the very long samples
    few_long,      // a shard is too short when it gets none, or the fewest, of the few long samples
    steps          // all lengths are multiples of one length, and the total cannot be divided in such steps
  };

  Duration spread{};
  Reason reason = Reason::none;
  std::uint64_t samples = 0;   // that are long
  Duration length{};           // of the shortest of these; or the step
  std::uint64_t together = 0;  // how many of them must be in one shard; of few_long: may be at most in one
  Duration share{};            // the audio time of a shard, if all had the same
};

/// For shards that all hold the same number of samples, of each dataset and in total, or one more.
LeastSpread least_spread(std::span<const HeldSample> samples, std::uint64_t shards);

}  // namespace shardmill::deal
