// SegmentBatch: some segments of one recording, cut out on any thread. Utterances that are the whole file are
// read whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
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

}  // namespace shardmill::pipeline
