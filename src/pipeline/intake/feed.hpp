// Feed: decides which unit of which source file is read next, so that all streams are used up together.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/io/binary.hpp"
#include "deal/mixer.hpp"
#include "pipeline/intake/source_reader.hpp"
#include "pipeline/source_parser.hpp"
#include "source/source_file.hpp"

namespace shardmill::pipeline {

struct DatasetInput {
  std::string name;
  double weight = 1;
};

/// Files that are read one after the other.
struct InputStream {
  std::string name;
  std::vector<source::SourceFile> files{};  // in the order they are read
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

/// A source file that is being read. `reader` belongs to the serial start of the pipeline, the rest to its
/// in-order part behind the decoding.
struct OpenSource {
  std::uint32_t stream = 0;
  std::size_t file = 0;
  std::unique_ptr<SourceReader> reader;  // none when the file could not be opened
  SourceParser parser;

  OpenSource(std::uint32_t which_stream, std::size_t which_file, const source::SourceFile& what,
             shard::KeyRule rule, const SourceRestart& from)
      : stream(which_stream), file(which_file), parser(what, rule, from) {}
};

/// How far the reading of one stream is.
struct StreamPosition {
  std::size_t next_file = 0;  // the first that was not begun
  bool is_open = false;       // the file before next_file is not read to its end
  std::uint64_t units = 0;    // of the open file, parsed
  std::uint64_t offset = 0;   // of its plain tar
  SourceRestart restart{};    // at or before that
  std::uint64_t consumed_bytes = 0;
};

/// One thread at a time.
class Feed {
 public:
  struct Item {
    std::shared_ptr<OpenSource> source;
    Unit unit;
    std::uint64_t consumed_bytes = 0;  // of the stream, this unit included
  };

  Feed(const std::vector<InputStream>& streams, shard::KeyRule rule);

  /// The next unit, by a rule on compressed bytes alone; nullopt at the end of all input.
  std::optional<Item> next();
  bool done() const noexcept { return done_; }

  /// When everything next() gave has been parsed.
  std::vector<StreamPosition> positions() const;
  /// Goes on from `positions`; returns the sources that are open there, begun at `restart`. The caller has to
  /// read their units up to `units` again before next() may be called.
  std::vector<std::shared_ptr<OpenSource>> restore(const std::vector<StreamPosition>& positions);

 private:
  std::shared_ptr<OpenSource> open(std::uint32_t stream, const SourceRestart& from, Unit& failed);

  const std::vector<InputStream>& streams_;
  shard::KeyRule rule_;
  deal::Mixer mixer_;
  std::vector<std::size_t> next_files_;
  std::vector<std::shared_ptr<OpenSource>> open_;
  bool done_ = false;
};

}  // namespace shardmill::pipeline
