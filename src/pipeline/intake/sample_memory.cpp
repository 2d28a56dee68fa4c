#include "pipeline/intake/sample_memory.hpp"

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

}  // namespace shardmill::pipeline
