// Finds the samples of a plain tar by its headers, without reading the bytes of members: PlainWalk by the
// rules of repack, layout_of() by those of loaders, for indexes.
// ShardLayout: the places of the samples in a plain tar shard.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "archive/tar_parser.hpp"
#include "base/io/file.hpp"
#include "shard/keys.hpp"
#include "shard/sample_grouper.hpp"

namespace shardmill {

struct ShardLayout {
  struct Member {
    std::string name;               // exactly as in the tar
    bool is_name_in_header = true;  // the member's own header has room for it (100 bytes)
    std::string extension;
    std::uint64_t offset = 0;  // of the member's bytes
    std::uint64_t bytes = 0;
  };
  struct Sample {
    std::uint64_t header_offset = 0;  // of the sample's first member
    std::vector<Member> members;
  };

  std::vector<Sample> samples;
  std::uint64_t end_offset = 0;  // the start of the end blocks, after the last member's padding
};

}  // namespace shardmill

namespace shardmill::shard {

/// The samples of a plain tar and their places. Follows WebDataset's rule: neighbouring members whose base
/// names are equal up to the first dot are a sample. Throws Error for a tar that is compressed or damaged,
/// and for a member from whose name loaders take different keys, or no key. Thread-safe.
ShardLayout layout_of(const base::File& tar);

/// A sample whose members have no bytes.
struct FoundSample {
  GroupedSample grouped;
  std::vector<std::uint64_t> sizes;  // of its members
};

/// Returns the same samples and findings, in the same order, as a TarParser and a SampleGrouper that read the
/// whole file.
class PlainWalk final : private SampleSink {
 public:
  using Item = std::variant<FoundSample, ShardFinding>;

  /// `file` must outlive the walk. Members larger than `member_limit_bytes` are left out, with a finding.
  PlainWalk(const base::File& file, KeyRule rule, std::uint64_t member_limit_bytes);

  /// nullopt at the end of the file. Throws Error if the file cannot be read.
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
