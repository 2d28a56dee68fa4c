// SourceParser: the in-order side of reading a source file; prepared units to samples and findings.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "archive/tar_parser.hpp"
#include "pipeline/intake/source_reader.hpp"
#include "pipeline/shard_listing.hpp"
#include "pipeline/source_item.hpp"
#include "shard/sample_grouper.hpp"
#include "source/source_file.hpp"

namespace shardmill::pipeline {

/// One thread at a time.
class SourceParser final : private shard::SampleSink {
 public:
  /// `file` must outlive it. `from`: of the reader whose units it parses.
  SourceParser(const source::SourceFile& file, shard::KeyRule rule, const SourceRestart& from = {});

  /// Reads a prepared unit to its end, and finishes the tar behind the last one; what a corpus says is in the
  /// shard and is not comes then.
  std::vector<SourceItem> parse(const Unit& unit);

  /// How many plain bytes of a shard were parsed.
  std::uint64_t offset() const noexcept { return parser_.offset() + archive_bytes_; }
  /// How many units of the file were parsed, those left out at the start included.
  std::uint64_t units() const noexcept { return units_; }
  /// Where another reader and another parser can begin: what they have parsed after as many units is what
  /// this one has, and all that comes behind them is the same.
  const SourceRestart& restart() const noexcept { return restart_; }

 private:
  void on_sample(shard::GroupedSample&& sample) override;
  void take_problems();
  void add_recorded(shard::GroupedSample&& sample);
  void add_listed(shard::GroupedSample&& sample, const source::CorpusUtterance& utterance);
  void cut(shard::GroupedSample& sample, std::vector<const source::CorpusUtterance*> parts);
  void on_finding(ShardFinding&& finding) override { items_.emplace_back(std::move(finding)); }
  void parse_tar(const Unit& unit);
  void read(codec::Piece& piece);
  void feed(std::span<const std::byte> bytes);
  void lose(const Damage& damage);
  void update_restart();
  void lose_missing();

  /// A unit at which reading can begin.
  struct Begin {
    std::uint64_t units = 0;
    std::uint64_t offset = 0;
    codec::RestartPoint piece;
  };

  const source::SourceFile& file_;
  std::uint64_t units_;
  SourceRestart restart_;
  std::deque<Begin> begins_;             // from that of restart_ on
  std::uint64_t skip_bytes_;             // of what comes next: they belong to samples before the first
  std::vector<bool> is_found_;           // of each utterance that may be in the shard
  std::optional<ShardListing> listing_;  // of a shard of a finished dataset, once it is read
  std::vector<SourceItem> items_;
  shard::SampleGrouper grouper_;
  archive::TarParser parser_;
  std::uint64_t archive_bytes_ = 0;  // plain, of an archive that others take apart
};

}  // namespace shardmill::pipeline
