// ScratchSpace: files without names for members of an archive or a shard that are too large for memory, and a
// bound on them.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "base/io/file.hpp"

namespace shardmill::source {

/// Any thread may use it.
class ScratchSpace : public std::enable_shared_from_this<ScratchSpace> {
 public:
  /// More than this many times its size no archive of audio unpacks to, small ones left aside.
  static constexpr std::uint64_t kMostTimes = 100;
  static constexpr std::uint64_t kAlwaysBytes = std::uint64_t{256} << 20;

  /// For an archive of `archive_bytes`. The files lie below TMPDIR or /var/tmp.
  explicit ScratchSpace(std::uint64_t archive_bytes);
  ScratchSpace(const ScratchSpace&) = delete;
  ScratchSpace& operator=(const ScratchSpace&) = delete;

  /// An empty file. Throws Error when there can be none.
  base::File file() const;
  /// Asks for room for `bytes` more, before they are written. Throws Error when the archive would take
  /// more than audio does, and FatalError when the filesystem would be almost full.
  void take(std::uint64_t bytes);
  void give_back(std::uint64_t bytes) noexcept { taken_bytes_ -= bytes; }
  /// The file, whose bytes are given back with it.
  std::shared_ptr<base::File> share(base::File&& file, std::uint64_t bytes);

  std::uint64_t taken_bytes() const noexcept { return taken_bytes_; }
  /// Throws FatalError when `bytes` more would make the filesystem almost full.
  void check_free_space(std::uint64_t bytes) const;

 private:
  std::string folder_;
  std::uint64_t most_bytes_;
  std::atomic<std::uint64_t> taken_bytes_ = 0;
};

}  // namespace shardmill::source
