// MemberFinder: finds one member, named by KEY or KEY.EXT, in a stream of tar bytes.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "archive/tar_parser.hpp"

namespace shardmill::pipeline {

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

}  // namespace shardmill::pipeline
