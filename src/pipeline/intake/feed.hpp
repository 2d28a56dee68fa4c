// Feed: decides which unit of which source file is read next, so that all streams are used up together, and
// several files of each at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "deal/mixer.hpp"
#include "pipeline/intake/source_reader.hpp"
#include "pipeline/source_parser.hpp"
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

/// All that samples of this dataset may be in.
InputAmount amount_of(const Inputs& inputs, std::uint32_t dataset);

/// How many files of each of `streams` streams are open at a time: `interleave`, and fewer where that would
/// be more than 64 files in all.
std::size_t lanes_of_each(std::uint32_t interleave, std::size_t streams);

/// The files of each lane, by number: those that are read one after the other while other lanes are read
/// beside them. A file goes to the lane that has least so far, so all lanes come to about the same size.
/// Depends on the sizes of the files alone.
std::vector<std::vector<std::size_t>> files_of_lanes(const std::vector<source::SourceFile>& files,
                                                     std::size_t lanes);

/// A source file that is being read. `reader` belongs to the serial start of the pipeline, the rest to its
/// in-order part after the decoding.
struct OpenSource {
  std::uint32_t stream = 0;
  std::size_t file = 0;
  std::unique_ptr<SourceReader> reader;  // none when the file could not be opened
  SourceParser parser;

  OpenSource(std::uint32_t which_stream, std::size_t which_file, const source::SourceFile& what,
             shard::KeyRule rule, const SourceRestart& from)
      : stream(which_stream), file(which_file), parser(what, rule, from) {}
};

/// How far the reading of one lane is.
struct LanePosition {
  std::size_t next_file = 0;  // of the lane, the first that was not begun
  bool is_open = false;       // the file before next_file is not read to its end
  std::uint64_t units = 0;    // of the open file, parsed
  std::uint64_t offset = 0;   // of its plain tar
  SourceRestart restart{};    // at or before that
  std::uint64_t consumed_bytes = 0;
  std::uint64_t late_bytes = 0;  // read, and not among those: see counted_bytes()
};

/// How far the reading of one stream is.
struct StreamPosition {
  std::vector<LanePosition> lanes;
  std::uint64_t consumed_bytes = 0;
};

/// A source that was open when the run stopped, begun again at `position.restart`.
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
    std::uint64_t consumed_bytes = 0;  // of the stream, this unit included
  };

  UnitFeed() = default;
  UnitFeed(const UnitFeed&) = delete;
  UnitFeed& operator=(const UnitFeed&) = delete;
  virtual ~UnitFeed() = default;

  /// nullopt at the end of all input.
  virtual std::optional<Item> next() = 0;
  virtual bool done() const noexcept = 0;

  /// When everything next() gave has been parsed.
  virtual std::vector<StreamPosition> positions() const = 0;
  /// Goes on from `positions`; returns the sources that are open there. The caller has to read their units up
  /// to `position.units` again before next() may be called.
  virtual std::vector<ReopenedSource> restore(const std::vector<StreamPosition>& positions) = 0;
};

/// Reads files, by a rule on compressed bytes alone: the stream of which the smallest fraction is read comes
/// next, and in it the lane of which the smallest fraction is read.
class Feed final : public UnitFeed {
 public:
  /// All that it is given by reference or pointer must outlive it.
  Feed(const std::vector<InputStream>& streams, std::uint32_t interleave, shard::KeyRule rule,
       source::Helpers* helpers = nullptr);

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
  source::Helpers* helpers_;
  bool counts_late_;   // see counted_bytes(): the order of datasets that were read one file after the other
  deal::Mixer mixer_;  // of the streams
  std::vector<Stream> streams_;
  bool done_ = false;
};

}  // namespace shardmill::pipeline
