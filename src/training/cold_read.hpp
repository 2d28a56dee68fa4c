// ColdRead: how fast files come from the disk or the network, and not from memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/reporter.hpp"

namespace shardmill::training {

struct ColdRead {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  double bytes_per_second = 0;
  bool is_from_memory = false;  // the system would not let go of what it had in memory
  std::string problem;          // why a file could not be read

  /// Of less than this, opening files and the first answers of a disk are most of the time.
  static constexpr std::uint64_t kEnoughBytes = 16'000'000;
  bool tells_speed() const noexcept { return bytes >= kEnoughBytes; }
};

/// Reads the beginnings of some of the files, one after the other as a loader worker does, until `most_bytes`
/// or `seconds` are over. What is in memory of them is dropped first, as far as the system does that.
ColdRead read_cold(const std::vector<std::string>& paths, std::uint64_t most_bytes, double seconds,
                   base::Reporter& reporter);

}  // namespace shardmill::training
