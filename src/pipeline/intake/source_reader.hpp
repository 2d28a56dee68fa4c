// SourceReader: one source file as units of work that can be prepared in parallel, then parsed in order.
// ShardListing: reads the manifest of a finished dataset's shard in step with the samples of that shard.
// read_archive: an archive as it was downloaded, read from front to back as the tree of a corpus.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/error.hpp"
#include "base/io/file_watch.hpp"
#include "codec/codec.hpp"
#include "manifest/record_reader.hpp"
#include "manifest/sample_record.hpp"
#include "pipeline/intake/batches.hpp"
#include "shardmill/sample.hpp"
#include "source/pieces_ahead.hpp"
#include "source/source_file.hpp"

namespace shardmill::pipeline {

/// What is prepared at once: a piece of a shard, some segments of a recording, or files of an archive.
struct Unit {
  std::shared_ptr<codec::Piece> piece;
  bool is_chained = false;  // the piece needs the one before it, so nothing can be read after damage
  std::shared_ptr<SegmentBatch> segments;
  std::shared_ptr<ArchiveBatch> archive;
  std::optional<Error> damage;                   // instead of these: the file could not be opened
  std::shared_ptr<const base::FileWatch> watch;  // of the file that the piece was read from
  std::uint64_t compressed_bytes = 0;            // bytes of the source file; the same in every run
  std::optional<std::uint64_t>
      unchecked_from{};            // of an archive: FileProgress::unchecked_from after the unit
  std::uint64_t memory_bytes = 0;  // that it holds until it is done, as far as known beforehand
  bool last = false;               // the file ends here

  /// Does the costly work. Any thread may call this.
  void prepare() const;
};

/// How many bytes of the file count as read with this unit, for the order of reading and for estimates. The
/// bytes of a chained piece count only with the piece after it: `late_bytes` keeps them until then.
std::uint64_t counted_bytes(const Unit& unit, std::uint64_t& late_bytes);

inline constexpr std::uint64_t kUnitBytes = 3 << 20;  // an ordinary unit, with its samples

/// Who only takes a look at a file leaves larger units alone.
inline constexpr std::uint64_t kMostGlanceBytes = std::uint64_t{512} << 20;

/// One thread at a time.
class SourceReader {
 public:
  SourceReader() = default;
  SourceReader(const SourceReader&) = delete;
  SourceReader& operator=(const SourceReader&) = delete;
  virtual ~SourceReader() = default;

  /// The next unit. It must not be called after the last one.
  virtual Unit next() = 0;
  /// About what one unit holds in memory.
  virtual std::uint64_t unit_bytes() const { return kUnitBytes; }
  /// How many compressed streams the file is made of, once all its units are parsed.
  virtual std::uint64_t streams() const { return 1; }
};

/// A place where a new reader can begin in the file. It gives everything that was not read before.
struct SourceRestart {
  std::uint64_t units = 0;          // how many are left out
  codec::RestartPoint piece{};      // of the first unit; empty for units that are no pieces
  std::uint64_t unit_offset = 0;    // of the first unit, in the plain tar
  std::uint64_t sample_offset = 0;  // of the first sample, in the plain tar
  std::string shape{};              // for the grouper

  bool operator==(const SourceRestart&) const = default;
};

/// Throws Error when the file cannot be opened. `file` must outlive the reader and its units, and `threads`
/// the reader; without them an archive is decoded by the thread that reads it.
std::unique_ptr<SourceReader> open_source(const source::SourceFile& file, const SourceRestart& from = {},
                                          source::OtherThreads* threads = nullptr);

/// Reads the audio of an archive without its texts, for a quick look at an archive whose texts come late.
std::unique_ptr<SourceReader> open_without_texts(const source::SourceFile& file);

/// One thread at a time.
class ShardListing {
 public:
  using Record = std::shared_ptr<const manifest::SampleRecord>;

  /// `from` is an offset in the plain tar: samples before it count as read already. take_problems() has the
  /// problems of the manifest.
  ShardListing(const source::DatasetShard& shard, std::uint64_t from);

  /// The line of the sample with this key, including its facts; none when there is no such line.
  Record take(std::string_view key);
  /// True while samples come in the order of the manifest. Then only one line is kept in memory.
  bool is_in_step() const noexcept { return in_step_; }
  /// At the end of the shard: the keys of all lines that were not taken, in their order.
  std::vector<std::string> take_rest();
  /// The problems found since the last call.
  std::vector<Error> take_problems();

 private:
  void check_sum();
  void read_next();
  void read_rest();

  const source::DatasetShard& shard_;
  std::optional<manifest::RecordReader> reader_;
  std::vector<Error> problems_;
  Record next_;  // null: there are no more lines
  bool in_step_ = true;
  bool has_bad_line_ = false;

  struct Waiting {
    std::uint64_t place = 0;
    Record record;
  };
  std::unordered_map<std::string, Waiting> waiting_;  // by key, once samples and lines are no longer in step
};

enum class Texts {
  awaited,  // audio waits until its text has come
  left_out  // nothing waits; for estimates
};

/// `file` must have a tree, and outlive the reader and its units. Throws Error when it cannot be opened.
/// `threads`: as for open_source().
std::unique_ptr<SourceReader> read_archive(const source::SourceFile& file, Texts texts,
                                           source::OtherThreads* threads);

}  // namespace shardmill::pipeline
