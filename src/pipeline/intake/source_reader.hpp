// SourceReader: one source file as units of work that can be prepared in parallel, then parsed in order.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "base/io/file_watch.hpp"
#include "codec/codec.hpp"
#include "model/sample.hpp"
#include "pipeline/intake/archive_batch.hpp"
#include "pipeline/intake/recording_part.hpp"
#include "source/pieces_ahead.hpp"
#include "source/source_file.hpp"

namespace shardmill::pipeline {

/// What is prepared at once: a piece of a shard, part of a recording, or files of an archive.
struct Unit {
  std::shared_ptr<codec::Piece> piece;
  bool is_chained = false;  // a piece that needs the one before it: after damage nothing more comes
  std::shared_ptr<RecordingPart> recording;
  std::shared_ptr<ArchiveBatch> archive;
  std::optional<Error> damage;                   // instead of these: the file could not be opened
  std::shared_ptr<const base::FileWatch> watch;  // of the file that the piece was read from
  std::uint64_t compressed_bytes = 0;            // of the source file, the same in every run
  std::uint64_t memory_bytes = 0;  // held until the unit is done with, as far as known beforehand
  bool last = false;               // the file ends here

  /// The costly part; on any thread.
  void prepare() const;
};

/// How many bytes of the file count as read with a unit, where order and estimates depend on it. Those of a
/// chained piece count with the piece after it: `late_bytes` keeps them from one unit to the next.
std::uint64_t counted_bytes(const Unit& unit, std::uint64_t& late_bytes);

inline constexpr std::uint64_t kUnitBytes = 3 << 20;  // of an ordinary unit, with the samples it becomes

/// One thread at a time.
class SourceReader {
 public:
  SourceReader() = default;
  SourceReader(const SourceReader&) = delete;
  SourceReader& operator=(const SourceReader&) = delete;
  virtual ~SourceReader() = default;

  /// The next unit; after the last one, none may be asked for.
  virtual Unit next() = 0;
  /// About what one unit holds in memory.
  virtual std::uint64_t unit_bytes() const { return kUnitBytes; }
  /// How many compressed streams the file is made of, once all its units are parsed.
  virtual std::uint64_t streams() const { return 1; }
};

/// Where reading of a file can begin again, so that all comes that did not come before it.
struct SourceRestart {
  std::uint64_t units = 0;          // that are left out
  codec::RestartPoint piece{};      // of the first unit; empty where units are no pieces
  std::uint64_t unit_offset = 0;    // in the plain tar, of the first unit
  std::uint64_t sample_offset = 0;  // and of the first sample
  std::string shape{};              // for the grouper

  bool operator==(const SourceRestart&) const = default;
};

/// Throws Error when the file cannot be opened. `file` must outlive the reader and its units, and `helpers`
/// the reader; without them an archive is decoded by the thread that reads it.
std::unique_ptr<SourceReader> open_source(const source::SourceFile& file, const SourceRestart& from = {},
                                          source::Helpers* helpers = nullptr);

/// For a glance at an archive whose texts come late: gives its audio without them.
std::unique_ptr<SourceReader> open_without_texts(const source::SourceFile& file);

}  // namespace shardmill::pipeline
