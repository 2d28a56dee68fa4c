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
  std::optional<std::size_t> next() const {
    std::optional<std::size_t> next;
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      if (!streams_[i].finished && (!next || behind(streams_[i], streams_[*next]))) next = i;
    }
    return next;
  }
  void consumed(std::size_t stream, std::uint64_t bytes) { streams_[stream].consumed_bytes += bytes; }
  void finish(std::size_t stream) { streams_[stream].finished = true; }

  std::span<const Stream> streams() const { return streams_; }

 private:
  __extension__ using Wide = unsigned __int128;

  /// True when a smaller fraction of `a` is consumed than of `b`. A stream of unknown size counts as not
  /// begun.
  static bool behind(const Stream& a, const Stream& b) {
    if (a.total_bytes == 0 || b.total_bytes == 0)
      return a.total_bytes < b.total_bytes && b.consumed_bytes > 0;
    return Wide{a.consumed_bytes} * b.total_bytes < Wide{b.consumed_bytes} * a.total_bytes;
  }

  std::vector<Stream> streams_;
};

}  // namespace shardmill::deal
