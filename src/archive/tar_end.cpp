#include "archive/tar_end.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "archive/tar_header.hpp"

namespace shardmill::archive {

namespace {

/// True when a program may have ended a tar of so many bytes with so many zeros: with two blocks, and as many
/// as fill up the last record. Records have 10240 bytes if nothing else was asked for.
bool is_padding(std::uint64_t zero_bytes, std::uint64_t tar_bytes) {
  constexpr std::uint64_t kRecordBytes = 20 * kTarBlockBytes;
  constexpr std::uint64_t kLargestRecordBytes = std::uint64_t{1} << 20;
  for (std::uint64_t record = kTarBlockBytes; record <= kLargestRecordBytes; record *= 2) {
    for (const std::uint64_t bytes : {record, record / kTarBlockBytes * kRecordBytes}) {
      if (tar_bytes % bytes == 0 && zero_bytes < bytes + 2 * kTarBlockBytes) return true;
    }
  }
  return zero_bytes <= kRecordBytes;
}

}  // namespace

void TarEnd::add(std::span<const std::byte> bytes, std::uint64_t offset) {
  if (data_) return;
  const auto first = std::find_if(bytes.begin(), bytes.end(), [](std::byte b) { return b != std::byte{0}; });
  if (first != bytes.end()) data_ = offset + static_cast<std::uint64_t>(first - bytes.begin());
}

std::optional<ShardFinding> TarEnd::finding(std::uint64_t tar_bytes) const {
  if (!offset_) return std::nullopt;
  if (data_) {
    const std::uint64_t bytes = tar_bytes - *data_;
    return ShardFinding{ShardProblem::data_after_end,
                        {},
                        *data_,
                        bytes,
                        fmt::format("{} bytes follow the end of the archive, where readers stop", bytes)};
  }
  const std::uint64_t zeros = tar_bytes - *offset_;
  if (is_padding(zeros, tar_bytes)) return std::nullopt;
  return ShardFinding{
      ShardProblem::zeros_after_end,
      {},
      *offset_,
      zeros,
      fmt::format("{} zero bytes stand at the end, more than a tar is filled up with: members may have been "
                  "overwritten by them, as after a power failure",
                  zeros)};
}

}  // namespace shardmill::archive
