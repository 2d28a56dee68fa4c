// even: which of the held samples are left out or taken twice, so that all shards hold the same number.
#pragma once

#include <cstdint>
#include <vector>

namespace shardmill::deal {

enum class Even { off, leave_out, repeat };

struct EvenChange {
  std::vector<std::uint32_t> left_out;  // numbers of held samples, in order
  std::vector<std::uint32_t> repeated;  // the same

  bool operator==(const EvenChange&) const = default;
};

/// The fewest samples that make `dealt + held` a multiple of `shards`. Only `seed` and the counts decide
/// which; the same on every machine. `left_out` and `repeated` are empty where nothing has to change. Fewer
/// may be chosen than needed when fewer are held.
EvenChange even_out(std::uint64_t dealt, std::uint32_t held, std::uint64_t shards, Even even,
                    std::uint64_t seed);

}  // namespace shardmill::deal
