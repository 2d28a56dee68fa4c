// SourceParser: the in-order side of reading a source file; prepared units to samples and findings.
#pragma once

#include <cstdint>
#include <vector>

#include "shardmill/archive/tar_parser.hpp"
#include "shardmill/pipeline/source_item.hpp"
#include "shardmill/pipeline/source_reader.hpp"
#include "shardmill/shard/sample_grouper.hpp"
#include "shardmill/source/source_file.hpp"

namespace shardmill::pipeline {

/// A member larger than this is left out: one bound for all runs, so that results do not depend on --memory.
inline constexpr std::uint64_t kMemberLimitBytes = std::uint64_t{256} << 20;

/// One thread at a time.
class SourceParser final : private shard::SampleSink {
 public:
  /// `file` must outlive it.
  SourceParser(const source::SourceFile& file, shard::KeyRule rule);

  /// Reads a prepared unit to its end, and finishes the tar behind the last one.
  std::vector<SourceItem> parse(const Unit& unit);

  /// How many plain bytes of a shard were parsed.
  std::uint64_t offset() const noexcept { return parser_.offset(); }

 private:
  void on_sample(shard::GroupedSample&& sample) override;
  void on_finding(ShardFinding&& finding) override { items_.emplace_back(std::move(finding)); }
  void parse_tar(const Unit& unit);
  void read(codec::Piece& piece);
  void lose(const Error& damage);

  const source::SourceFile& file_;
  std::vector<SourceItem> items_;
  shard::SampleGrouper grouper_;
  archive::TarParser parser_;
};

}  // namespace shardmill::pipeline
