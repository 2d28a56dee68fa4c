// PlainWalk: finds the samples of a plain tar by its headers. It does not read the bytes of members.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "archive/tar_parser.hpp"
#include "base/io/file.hpp"
#include "shard/key_rule.hpp"
#include "shard/sample_grouper.hpp"

namespace shardmill::shard {

/// A sample whose members have no bytes.
struct FoundSample {
  GroupedSample grouped;
  std::vector<std::uint64_t> sizes;  // of its members
};

/// Gives what a TarParser and a SampleGrouper give that are fed the whole file, in the same order.
class PlainWalk final : private SampleSink {
 public:
  using Item = std::variant<FoundSample, ShardFinding>;

  /// `file` must outlive it. Larger members than `member_limit_bytes` are left out, with a finding.
  PlainWalk(const base::File& file, KeyRule rule, std::uint64_t member_limit_bytes);

  /// nullopt at the end of the file. Throws Error when the file cannot be read.
  std::optional<Item> next();

 private:
  /// Takes every member in parts, so that the parser wants none of their bytes.
  class Members final : public archive::TarSink {
   public:
    explicit Members(PlainWalk& walk) : walk_(walk) {}
    void on_member(archive::TarMember&& member) override;
    void on_finding(ShardFinding&& finding) override;
    bool takes_parts(const archive::TarMember& member, std::uint64_t size) override;
    void on_parts_end(bool is_whole) override;

   private:
    PlainWalk& walk_;
    archive::TarMember coming_;
  };

  void on_sample(GroupedSample&& sample) override;
  void on_finding(ShardFinding&& finding) override;
  void step();
  void feed_block();

  const base::File& file_;
  std::uint64_t file_bytes_;
  std::uint64_t member_limit_bytes_;
  SampleGrouper grouper_;
  Members members_;
  archive::TarParser parser_;
  std::vector<std::byte> window_;  // bytes of the file from window_begin_ on
  std::uint64_t window_begin_ = 0;
  std::deque<std::pair<std::uint64_t, std::uint64_t>> sizes_;  // place and size of members without a sample
  std::deque<Item> found_;
  bool is_at_end_ = false;
};

}  // namespace shardmill::shard
