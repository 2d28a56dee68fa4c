// cat: writes one shard as plain tar bytes, or one of its members, which MemberFinder finds in the stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "archive/tar_parser.hpp"
#include "base/io/file.hpp"
#include "base/reporter.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::convert {

class MemberFinder {
 public:
  /// `wanted` is the whole name of a member, or the key of a sample: then its audio is meant, or its only
  /// member.
  explicit MemberFinder(std::string wanted);
  ~MemberFinder();

  void feed(std::span<const std::byte> tar_bytes);
  void finish();
  /// True when later bytes cannot change the result.
  bool decided() const noexcept { return decided_; }
  /// Throws Error, which names `shard`, when there is no such member, or when the key alone could mean
  /// several.
  const archive::TarMember& found(const std::string& shard) const;

 private:
  class Sink;
  void take(archive::TarMember&& member);

  std::string wanted_;
  bool decided_ = false;
  std::vector<archive::TarMember> same_key_;
  std::optional<ShardFinding> damage_;
  std::unique_ptr<Sink> sink_;
};

struct CatOptions {
  std::string shard;             // "-": standard input
  std::string member;            // KEY or KEY.EXT; empty: the whole tar
  bool ignore_trailing = false;  // ignore bytes after the last compressed stream
};

struct CatSummary {
  std::uint64_t bytes = 0;  // the number of bytes written
};

/// Writes to `out`. Throws Error for damage (after writing everything before it), and if the
/// member is missing.
CatSummary run_cat(const CatOptions& options, base::File& out, pipeline::Workers& workers,
                   base::Reporter& reporter);

}  // namespace shardmill::convert
