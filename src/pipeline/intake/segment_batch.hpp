// RecordingPart: reads some utterances of one audio file on any thread, and cuts them out if they are
// segments.
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

#include "base/io/file.hpp"
#include "base/io/file_watch.hpp"
#include "pipeline/source_item.hpp"
#include "source/source_file.hpp"

namespace shardmill::pipeline {

/// The audio file that all parts of a recording read. The first part that needs it opens it.
class OpenedRecording {
 public:
  /// `file` must outlive this.
  explicit OpenedRecording(const source::SourceFile& file) : source_(file) {}

  /// The file, to be read with read_at(). Thread-safe. Throws Error when it cannot be opened, and FatalError
  /// when it has changed since the run began.
  base::File handle();
  /// Throws FatalError when the file has changed since it was opened.
  void check_unchanged();

 private:
  const source::SourceFile& source_;
  std::mutex mutex_;
  base::File file_;
  std::optional<base::FileWatch> watch_;
};

class RecordingPart {
 public:
  /// `file` must outlive this. `utterances` are some of its utterances; they are cut from `opened`.
  RecordingPart(const source::SourceFile& file, std::shared_ptr<OpenedRecording> opened,
                std::span<const source::CorpusUtterance> utterances)
      : file_(file), opened_(std::move(opened)), utterances_(utterances) {}

  /// Does the work. A problem with the data becomes an item. Throws FatalError.
  void prepare();
  /// One item for each utterance, in their order.
  std::vector<SourceItem> take() { return std::move(items_); }

 private:
  void take_whole();
  void cut();

  const source::SourceFile& file_;
  std::shared_ptr<OpenedRecording> opened_;
  std::span<const source::CorpusUtterance> utterances_;
  std::vector<SourceItem> items_;
};

/// How many parts a recording is read in.
struct PartPlan {
  std::size_t count = 1;
  std::uint64_t bytes = 0;  // memory that each part takes when it is prepared, as far as known beforehand
};

/// Chooses parts so that none takes much memory, but the recording is not decoded many times. Depends only on
/// the corpus.
PartPlan plan_parts(const source::SourceFile& file);

}  // namespace shardmill::pipeline
