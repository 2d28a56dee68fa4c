#include "pipeline/intake/memory_use.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/error.hpp"
#include "base/text/units.hpp"

namespace shardmill::pipeline {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;
// The program takes this much in any case, so a smaller bound is treated like this one.
constexpr std::uint64_t kLeastBytes = 16 * kMiB;
constexpr std::uint64_t kCopies = 2;
constexpr std::uint64_t kCopiesInAnotherForm = 4;
constexpr std::uint64_t kFurtherCopiesOfText = 6;

}  // namespace

std::uint64_t needed_bytes(std::uint64_t bytes, const audio::WantedForm& form) {
  return (form.decodes() ? kCopiesInAnotherForm : kCopies) * bytes;
}

std::uint64_t needed_bytes(const shard::GroupedSample& sample, const audio::WantedForm& form) {
  std::uint64_t text = sample.facts.size();
  std::uint64_t all = 0;
  for (const Member& member : sample.sample.members) {
    all += sample.bytes_of(member);
    if (member.extension == "txt") text += sample.bytes_of(member);
  }
  return needed_bytes(all, form) + kFurtherCopiesOfText * text;
}

std::uint64_t needed_bytes(const shard::ComingSample& sample, const audio::WantedForm& form) {
  return needed_bytes(sample.bytes, form) + kFurtherCopiesOfText * sample.text_bytes;
}

std::string enough_memory(std::uint64_t bytes) {
  const std::uint64_t mib = std::bit_ceil((bytes + kMiB - 1) / kMiB);
  return mib < 1024 ? fmt::format("{}MiB", mib) : fmt::format("{}GiB", mib / 1024);
}

void check_memory(std::uint64_t needed, std::uint64_t memory_bytes, const std::string& path,
                  const std::string& key) {
  if (needed <= std::max(memory_bytes, kLeastBytes)) return;
  throw Error(fmt::format("this sample takes about {} of memory, and {} are allowed",
                          base::format_size(needed), base::format_size(memory_bytes)),
              {.path = path, .member = key}, enough_memory(needed) + " will do", Remedy::more_memory);
}

void check_piece_memory(std::uint64_t needed, std::uint64_t memory_bytes, const std::string& path) {
  if (needed <= std::max(memory_bytes, kLeastBytes)) return;
  throw Error(
      fmt::format("a part of it that is decoded as a whole takes about {} of memory, and {} are allowed",
                  base::format_size(needed), base::format_size(memory_bytes)),
      at(path), enough_memory(needed) + " will do", Remedy::more_memory);
}

namespace {

// The program takes about as much in any case, so small windows are never too much.
constexpr std::uint64_t kNeverTooMuchBytes = 32 << 20;

/// What windows may take of a bound that was given. The rest is for the samples in flight.
std::uint64_t most_bytes(std::uint64_t memory_bytes) {
  return std::max(memory_bytes / 4 * 3, kNeverTooMuchBytes);
}

}  // namespace

void OpenWindows::change(codec::Window& window, const codec::Window& now) {
  if (window == now) return;
  all_.bytes += now.bytes - window.bytes;
  all_.full_bytes += now.full_bytes - window.full_bytes;
  open_ += (now.full_bytes > 0 ? 1 : 0);
  open_ -= (window.full_bytes > 0 ? 1 : 0);
  largest_full_bytes_ = std::max(largest_full_bytes_, now.full_bytes);
  window = now;
  check();
  // With the standard bound, half of it stays for the samples, so that all threads have work.
  share_.resize(bound_ == MemoryBound::given ? all_.bytes : std::min(all_.bytes, memory_bytes_ / 2));
}

void OpenWindows::check() {
  const bool is_given = bound_ == MemoryBound::given;
  if (all_.bytes <= (is_given ? most_bytes(memory_bytes_) : memory_bytes_)) return;
  if (!is_given && has_warned_) return;
  const std::size_t files =
      most_bytes(memory_bytes_) / largest_full_bytes_ / std::max<std::size_t>(1, streams_);
  std::string advice = enough_memory(all_.full_bytes / 3 * 4) + " will do";
  if (files > 0) advice += fmt::format(", or at most {} at a time", base::format_count(files, "file"));
  const Error error(
      fmt::format(
          "the decoders of {} take {} of memory{}", base::format_count(open_, "open file"),
          base::format_size(all_.full_bytes),
          is_given ? fmt::format("; {} are allowed for everything", base::format_size(memory_bytes_)) : ""),
      {}, advice, files > 0 ? Remedy::fewer_open_files : Remedy::more_memory);
  if (is_given) throw error;
  reporter_.warn(error);
  has_warned_ = true;
}

}  // namespace shardmill::pipeline
