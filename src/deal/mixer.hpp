// Mixer: chooses which of several streams is read next, so that all of them end at the same time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace shardmill::deal {

/// Deterministic: the streams are the whole state.
class Mixer {
 public:
  struct Stream {
    std::uint64_t consumed_bytes = 0;
    std::uint64_t total_bytes = 0;  // 0: unknown or empty; then it is read before all others
    bool finished = false;

    bool operator==(const Stream&) const = default;
  };

  explicit Mixer(std::vector<Stream> streams) : streams_(std::move(streams)) {}

  /// The unfinished stream with the smallest consumed fraction; the first of equals. nullopt when all are
  /// finished.
  std::optional<std::size_t> next() const;
  void consumed(std::size_t stream, std::uint64_t bytes) { streams_[stream].consumed_bytes += bytes; }
  void finish(std::size_t stream) { streams_[stream].finished = true; }

  std::span<const Stream> streams() const { return streams_; }

 private:
  std::vector<Stream> streams_;
};

}  // namespace shardmill::deal
