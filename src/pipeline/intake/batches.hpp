// What one thread works on at a time: some segments of a recording, or some files of an archive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "audio/recording_reader.hpp"
#include "base/io/file.hpp"
#include "base/io/file_watch.hpp"
#include "pipeline/source_item.hpp"
#include "source/source_file.hpp"

namespace shardmill::pipeline {

/// The audio file that all batches of a recording read. The first batch that needs it opens it.
class OpenedRecording {
 public:
  /// Reads the utterances of `file` if that was left for later.
  explicit OpenedRecording(const source::SourceFile& file);

  /// With its utterances.
  const source::SourceFile& source() const noexcept { return source_; }

  /// The file, to be read with read_at(). Thread-safe. Throws Error when it cannot be opened, and FatalError
  /// when it has changed since the run began.
  base::File handle();
  /// Reads the audio of the file. Where only ffmpeg decodes it, it does so once for all batches. Thread-safe.
  /// Throws Error and FatalError as handle() does.
  audio::RecordingReader reader();
  /// Throws FatalError when the file has changed since it was opened.
  void check_unchanged();

 private:
  source::SourceFile source_;
  std::mutex mutex_;
  base::File file_;
  std::mutex decoding_;
  base::File readable_;  // as audio::readable_recording() made it
  std::optional<base::FileWatch> watch_;
};

class SegmentBatch {
 public:
  /// `utterances` are some of those of `opened`, and are cut from it.
  SegmentBatch(std::shared_ptr<OpenedRecording> opened, std::span<const source::CorpusUtterance> utterances)
      : opened_(std::move(opened)), file_(opened_->source()), utterances_(utterances) {}

  /// Those that it cuts; at least one.
  std::span<const source::CorpusUtterance> utterances() const noexcept { return utterances_; }

  /// Does the work. A problem with the data becomes an item. Throws FatalError.
  void prepare();
  /// One item for each utterance, in their order.
  std::vector<SourceItem> take() { return std::move(items_); }

 private:
  void take_whole();
  void cut();

  std::shared_ptr<OpenedRecording> opened_;
  const source::SourceFile& file_;
  std::span<const source::CorpusUtterance> utterances_;
  std::vector<SourceItem> items_;
};

/// In how many batches a recording is read.
struct BatchPlan {
  std::size_t count = 1;
  std::uint64_t bytes = 0;  // memory that each batch takes when it is prepared, as far as known beforehand
};

/// Chooses batches so that none takes much memory and the recording is not decoded many times. The result
/// depends only on the corpus.
BatchPlan plan_batches(const source::SourceFile& file);

// Some files of an archive and what a corpus says of them. Any thread can make samples of them.

/// An audio file and some of its utterances, which keep their order.
struct ArchivedAudio {
  std::string place;                   // for errors
  std::shared_ptr<Bytes> bytes;        // shared by all batches of one recording
  std::shared_ptr<base::File> file{};  // instead of these, of a large one
  std::shared_ptr<const source::CorpusUtterances> corpus;
  std::span<const source::CorpusUtterance> utterances;
  std::uint64_t end_offset = 0;  // where the file ends in the plain archive
};

class ArchiveBatch {
 public:
  void add(SourceItem item) { entries_.emplace_back(std::move(item)); }
  void add(ArchivedAudio audio);
  void add_plain_bytes(std::uint64_t bytes) { plain_bytes_ += bytes; }

  bool empty() const noexcept { return entries_.empty(); }
  /// About how many bytes it holds when it is prepared.
  std::uint64_t bytes() const noexcept { return bytes_; }
  /// How many bytes of the unpacked archive it was made of.
  std::uint64_t plain_bytes() const noexcept { return plain_bytes_; }

  /// Does the work. A problem with the data becomes an item.
  void prepare();
  std::vector<SourceItem> take() { return std::move(items_); }

 private:
  void take_whole(ArchivedAudio& audio);
  static audio::RecordingReader open(ArchivedAudio& audio);
  void cut(ArchivedAudio& audio);

  std::vector<std::variant<SourceItem, ArchivedAudio>> entries_;
  std::uint64_t bytes_ = 0;
  std::uint64_t plain_bytes_ = 0;
  std::vector<SourceItem> items_;
};

}  // namespace shardmill::pipeline
