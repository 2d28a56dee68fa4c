// SourceParser: turns the prepared units of a source file into samples and findings, in the order of the
// file.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "archive/tar_parser.hpp"
#include "pipeline/intake/source_reader.hpp"
#include "pipeline/source_item.hpp"
#include "shard/sample_grouper.hpp"
#include "source/source_file.hpp"

namespace shardmill::pipeline {

/// One thread at a time.
class SourceParser final : private shard::SampleSink {
 public:
  /// `file` must outlive it. `from` is where the reader began whose units it parses.
  /// Samples of a shard may come with members that are stored: `storage` says which.
  SourceParser(const source::SourceFile& file, shard::KeyRule rule, const SourceRestart& from = {},
               shard::MemberStorage storage = {});

  /// Goes on reading a prepared unit, to its end or until about `limit_bytes` plain bytes were read, and
  /// appends its findings to `items`. Returns whether the unit was read to its end. At the end of the last
  /// unit it finishes the tar, and appends the utterances that should be in the shard and are not.
  bool parse_some(const Unit& unit, std::uint64_t limit_bytes, std::vector<SourceItem>& items);
  /// Reads all of a prepared unit.
  std::vector<SourceItem> parse(const Unit& unit);

  /// True when damage was found after which the codec can decode no more of the file.
  bool has_lost_rest() const noexcept { return has_lost_rest_; }

  /// How many plain bytes of a shard were parsed.
  std::uint64_t offset() const noexcept { return parser_.offset() + archive_bytes_; }
  /// Of the plain bytes from here on, no checksum was seen yet.
  std::uint64_t unchecked_from() const noexcept { return unchecked_from_; }
  /// How many units of the file were parsed. Those that were left out at the start count.
  std::uint64_t units() const noexcept { return units_; }
  /// Where another reader and another parser can begin. After as many units they are where this parser is,
  /// and they give the same items from then on.
  const SourceRestart& restart() const noexcept { return restart_; }
  /// The sample of a shard while one of its large members is being read; none where it may become several
  /// samples.
  std::optional<shard::ComingSample> coming() const {
    return file_.corpus ? std::nullopt : grouper_.coming();
  }

 private:
  void on_sample(shard::GroupedSample&& sample) override;
  void take_problems();
  void add_recorded(shard::GroupedSample&& sample);
  void add_listed(shard::GroupedSample&& sample, const source::CorpusUtterance& utterance);
  void cut(shard::GroupedSample& sample, std::vector<const source::CorpusUtterance*> segments);
  void on_finding(ShardFinding&& finding) override {
    if (!grouper_.tells(finding)) items_.emplace_back(std::move(finding));
  }
  void begin(const Unit& unit);
  bool read(const Unit& unit, std::uint64_t limit_bytes);
  void end(const Unit& unit);
  void feed(std::span<const std::byte> bytes);
  std::uint64_t unchecked_begin(const codec::Piece& piece) const;
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
  std::deque<Begin> begins_;             // those from restart_ on
  std::uint64_t skip_bytes_;             // of the next bytes, because they belong to samples before the first
  std::vector<bool> is_found_;           // for each utterance that may be in the shard
  std::optional<ShardListing> listing_;  // of a shard of a finished dataset, once it is read
  std::vector<SourceItem> items_;
  bool in_unit_ = false;     // a unit was begun and not read to its end
  bool is_damaged_ = false;  // the unit is
  bool has_lost_rest_ = false;
  shard::SampleGrouper grouper_;
  archive::TarParser parser_;
  std::uint64_t unchecked_from_ = 0;
  std::uint64_t archive_bytes_ = 0;  // plain bytes of an archive, which the reader takes apart
};

}  // namespace shardmill::pipeline
