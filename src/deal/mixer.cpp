#include "deal/mixer.hpp"

namespace shardmill::deal {
namespace {

__extension__ using Wide = unsigned __int128;

/// True when a smaller fraction of `a` is consumed than of `b`. A stream of unknown size counts as not begun.
bool behind(const Mixer::Stream& a, const Mixer::Stream& b) {
  if (a.total_bytes == 0 || b.total_bytes == 0) return a.total_bytes < b.total_bytes && b.consumed_bytes > 0;
  return Wide{a.consumed_bytes} * b.total_bytes < Wide{b.consumed_bytes} * a.total_bytes;
}

}  // namespace

std::optional<std::size_t> Mixer::next() const {
  std::optional<std::size_t> next;
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    if (!streams_[i].finished && (!next || behind(streams_[i], streams_[*next]))) next = i;
  }
  return next;
}

}  // namespace shardmill::deal
