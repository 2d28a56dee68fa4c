// Feed: decides which unit and which source file is read next, so that all streams are used up together, and
// several files of each at a time. member_storage(): where large members of shards wait until their samples
// are whole: many shards are open at a time, and each may be in the middle of one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "deal/mixer.hpp"
#include "pipeline/intake/source_reader.hpp"
#include "pipeline/source_parser.hpp"
#include "shard/sample_grouper.hpp"
#include "source/source_file.hpp"

namespace shardmill::pipeline {

struct DatasetInput {
  std::string name;
  double weight = 1;
};

/// Files that are read together, several at a time.
struct InputStream {
  std::string name;
  std::vector<source::SourceFile> files{};  // in the order in which they are begun
  /// By number, the datasets that its samples belong to: one, or all those of a finished dataset.
  std::vector<std::uint32_t> datasets{};

  std::uint64_t bytes() const;
};

struct Inputs {
  std::vector<DatasetInput> datasets;
  std::vector<InputStream> streams;

  std::uint64_t bytes() const;
  std::uint64_t files() const;
};

struct InputAmount {
  std::uint64_t bytes = 0;
  std::size_t files = 0;
};

/// The bytes of all streams that may hold samples of this dataset.
InputAmount amount_of(const Inputs& inputs, std::uint32_t dataset);

/// How many files of each stream are open at a time: `interleave`, or fewer where `streams` streams would
/// then have more than 64 open files in all.
std::size_t lanes_of_each(std::uint32_t interleave, std::size_t streams);

/// The numbers of the files of each lane. The files of one lane are read one after the other, and the lanes
/// are read side by side. A file goes to the lane that has the fewest bytes so far, so all lanes come to
/// about the same size. The result depends on the sizes of the files alone.
std::vector<std::vector<std::size_t>> files_of_lanes(const std::vector<source::SourceFile>& files,
                                                     std::size_t lanes);

/// A source file that is being read. `reader` belongs to the serial start of the pipeline, the rest to its
/// in-order part after the decoding.
struct OpenSource {
  std::uint32_t stream = 0;
  std::size_t file = 0;
  std::unique_ptr<SourceReader> reader;  // none when the file could not be opened
  SourceParser parser;
  codec::Window window{};  // that its decoder holds after the units that are parsed

  OpenSource(std::uint32_t which_stream, std::size_t which_file, const source::SourceFile& what,
             shard::KeyRule rule, const SourceRestart& from, const shard::MemberStorage& storage = {})
      : stream(which_stream), file(which_file), parser(what, rule, from, storage) {}
};

/// How far the reading of one lane is.
struct LanePosition {
  std::size_t next_file = 0;  // the first file of the lane that was not begun
  bool is_open = false;       // the file before next_file was not read to its end
  std::uint64_t units = 0;    // parsed units of the open file
  std::uint64_t offset = 0;   // plain bytes that were parsed of it
  SourceRestart restart{};    // a place at or before that
  std::uint64_t consumed_bytes = 0;
  std::uint64_t late_bytes = 0;  // read, but not counted yet: see counted_bytes()
};

/// How far the reading of one stream is.
struct StreamPosition {
  std::vector<LanePosition> lanes;
  std::uint64_t consumed_bytes = 0;
};

/// A source that was open when the run stopped. It is begun again at `position.restart`.
struct ReopenedSource {
  std::shared_ptr<OpenSource> source;
  LanePosition position;
};

/// Where units of input come from. One thread at a time.
class UnitFeed {
 public:
  struct Item {
    std::shared_ptr<OpenSource> source;
    Unit unit;
    std::uint64_t consumed_bytes = 0;  // read of the stream, this unit included
  };

  UnitFeed() = default;
  UnitFeed(const UnitFeed&) = delete;
  UnitFeed& operator=(const UnitFeed&) = delete;
  virtual ~UnitFeed() = default;

  /// nullopt at the end of all input.
  virtual std::optional<Item> next() = 0;
  virtual bool done() const noexcept = 0;

  /// How far all streams are, once everything that next() gave has been parsed.
  virtual std::vector<StreamPosition> positions() const = 0;
  /// Goes on from `positions`; returns the sources that are open there. The caller has to read their units up
  /// to `position.units` again before next() may be called.
  virtual std::vector<ReopenedSource> restore(const std::vector<StreamPosition>& positions) = 0;
};

/// Reads files in an order that depends on compressed bytes alone: the next unit comes from the stream with
/// the smallest fraction read, and in that stream from the lane with the smallest fraction read.
class Feed final : public UnitFeed {
 public:
  /// All that it is given by reference or pointer must outlive it.
  Feed(const std::vector<InputStream>& streams, std::uint32_t interleave, shard::KeyRule rule,
       source::OtherThreads* threads = nullptr, shard::MemberStorage storage = {});

  std::optional<Item> next() override;
  bool done() const noexcept override { return done_; }
  std::vector<StreamPosition> positions() const override;
  std::vector<ReopenedSource> restore(const std::vector<StreamPosition>& positions) override;

 private:
  struct Lane {
    std::vector<std::size_t> files;
    std::size_t next_file = 0;
    std::shared_ptr<OpenSource> open{};
    std::uint64_t late_bytes = 0;  // see counted_bytes()
  };
  struct Stream {
    std::vector<Lane> lanes;
    deal::Mixer mixer;  // of the lanes
  };

  std::shared_ptr<OpenSource> open(std::uint32_t stream, Lane& lane, const SourceRestart& from, Unit& failed);
  static Stream divided(const InputStream& input, std::size_t lanes);
  void finish(std::size_t stream, std::size_t lane);

  const std::vector<InputStream>& inputs_;
  shard::KeyRule rule_;
  source::OtherThreads* threads_;
  shard::MemberStorage storage_;  // of the members of files that are open
  bool counts_late_;              // see counted_bytes()
  deal::Mixer mixer_;             // of the streams
  std::vector<Stream> streams_;
  bool done_ = false;
};

/// Files without names below TMPDIR or /var/tmp, for a run that may hold `memory_bytes`. Any thread may use
/// it.
shard::MemberStorage member_storage(std::uint64_t memory_bytes);

}  // namespace shardmill::pipeline
