// SourceParser: the in-order side of reading a source file; plain tar bytes to samples and findings.
#pragma once

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "shardmill/archive/tar_parser.hpp"
#include "shardmill/base/error.hpp"
#include "shardmill/pipeline/source_reader.hpp"
#include "shardmill/shard/sample_grouper.hpp"

namespace shardmill::pipeline {

/// A sample, something odd in the tar, or damage of the compressed data; in the order of the file.
using SourceItem = std::variant<shard::GroupedSample, ShardFinding, Error>;

/// A member larger than this is left out: one bound for all runs, so that results do not depend on --memory.
inline constexpr std::uint64_t kMemberLimitBytes = std::uint64_t{256} << 20;

/// One thread at a time.
class SourceParser final : private shard::SampleSink {
 public:
  explicit SourceParser(shard::KeyRule rule);

  /// Reads a prepared unit to its end, and finishes the tar behind the last one.
  std::vector<SourceItem> parse(const Unit& unit);

  /// How many plain bytes were parsed.
  std::uint64_t offset() const noexcept { return parser_.offset(); }

 private:
  void on_sample(shard::GroupedSample&& sample) override { items_.emplace_back(std::move(sample)); }
  void on_finding(ShardFinding&& finding) override { items_.emplace_back(std::move(finding)); }
  void read(codec::Piece& piece);
  void lose(const Error& damage);

  std::vector<SourceItem> items_;
  shard::SampleGrouper grouper_;
  archive::TarParser parser_;
};

}  // namespace shardmill::pipeline
