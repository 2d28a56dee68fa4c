#include "codec/bzip2/runs.hpp"

#include <algorithm>
#include <cstring>

#include "base/hash/crc32.hpp"

namespace shardmill::codec {

namespace {

constexpr std::size_t kRunBytes = 4;

std::uint64_t load_word(const std::byte* bytes) {
  std::uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

bool has_zero_byte(std::uint64_t word) {
  return ((word - 0x0101010101010101) & ~word & 0x8080808080808080) != 0;
}

// True if four equal bytes start at one of the first eight. Looks at eleven bytes.
bool has_run(const std::byte* bytes) {
  const std::uint64_t first = load_word(bytes);
  return has_zero_byte((first ^ load_word(bytes + 1)) | (first ^ load_word(bytes + 2)) |
                       (first ^ load_word(bytes + 3)));
}

// The start of the next four equal bytes, at `from` or later; the size if no four do.
std::size_t find_run(std::span<const std::byte> runs, std::size_t from) {
  std::size_t i = from;
  while (i + 11 <= runs.size() && !has_run(runs.data() + i)) i += 8;
  for (; i + kRunBytes <= runs.size(); ++i) {
    if (runs[i] == runs[i + 1] && runs[i] == runs[i + 2] && runs[i] == runs[i + 3]) return i;
  }
  return runs.size();
}

// The end of the bytes, from `from` on, that are not counts.
std::size_t find_literal_end(std::span<const std::byte> runs, std::size_t from) {
  return std::min(find_run(runs, from) + kRunBytes, runs.size());
}

}  // namespace

Bzip2RunExpander::Bzip2RunExpander(std::span<const std::byte> runs, base::VectorPath path)
    : runs_(runs), path_(path), literal_end_(find_literal_end(runs, 0)) {}

std::size_t Bzip2RunExpander::expand(std::span<std::byte> out) {
  std::span<std::byte> room = out;
  while (!room.empty()) {
    if (pending_ > 0) {
      const std::size_t step = std::min<std::size_t>(pending_, room.size());
      std::memset(room.data(), std::to_integer<int>(runs_[position_ - 2]), step);
      room = room.subspan(step);
      pending_ -= static_cast<unsigned>(step);
    } else if (position_ < literal_end_) {
      const std::size_t step = std::min(literal_end_ - position_, room.size());
      std::memcpy(room.data(), runs_.data() + position_, step);
      room = room.subspan(step);
      position_ += step;
    } else if (position_ < runs_.size()) {
      pending_ = std::to_integer<unsigned>(runs_[position_++]);
      literal_end_ = find_literal_end(runs_, position_);
    } else {
      break;
    }
  }
  const std::size_t written = out.size() - room.size();
  crc_ = base::update_crc32(path_, crc_, out.first(written));
  return written;
}

bool ends_before_a_count(std::span<const std::byte> runs) {
  const auto last = runs.last(std::min(runs.size(), kRunBytes));
  if (last.size() < kRunBytes || std::ranges::count(last, last[0]) < 4) return false;
  // Only a pass through the block from the start shows whether one of the four is itself a count.
  std::size_t run = find_run(runs, 0);
  while (run + kRunBytes < runs.size()) run = find_run(runs, run + kRunBytes + 1);
  return run + kRunBytes == runs.size();
}

}  // namespace shardmill::codec
