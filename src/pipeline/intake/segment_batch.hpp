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

#include "base/io/file.hpp"
#include "base/io/file_watch.hpp"
#include "pipeline/source_item.hpp"
#include "source/source_file.hpp"

namespace shardmill::pipeline {

/// The audio file that all batches of a recording read. The first batch that needs it opens it.
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

class SegmentBatch {
 public:
  /// `file` must outlive this. `utterances` are some of its utterances; they are cut from `opened`.
  SegmentBatch(const source::SourceFile& file, std::shared_ptr<OpenedRecording> opened,
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

/// In how many batches a recording is read.
struct BatchPlan {
  std::size_t count = 1;
  std::uint64_t bytes = 0;  // memory that each batch takes when it is prepared, as far as known beforehand
};

/// Chooses batches so that none takes much memory and the recording is not decoded many times. The result
/// depends only on the corpus.
BatchPlan plan_batches(const source::SourceFile& file);

}  // namespace shardmill::pipeline
