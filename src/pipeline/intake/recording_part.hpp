// RecordingPart: utterances of one audio file, read (and where they are segments, cut) on any thread.
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

/// The file that all parts of a recording read: opened once, when the first needs it.
class OpenedRecording {
 public:
  /// `file` must outlive it.
  explicit OpenedRecording(const source::SourceFile& file) : source_(file) {}

  /// To read_at() from. Any thread. Throws Error where the file cannot be opened, and FatalError where it is
  /// no longer what it was when the run began.
  base::File handle();
  /// Throws FatalError where the file changed since it was opened.
  void check_unchanged();

 private:
  const source::SourceFile& source_;
  std::mutex mutex_;
  base::File file_;
  std::optional<base::FileWatch> watch_;
};

class RecordingPart {
 public:
  /// `file` must outlive it; `utterances` are some of its own, cut from what is `opened`.
  RecordingPart(const source::SourceFile& file, std::shared_ptr<OpenedRecording> opened,
                std::span<const source::CorpusUtterance> utterances)
      : file_(file), opened_(std::move(opened)), utterances_(utterances) {}

  /// Does the work. What goes wrong with the data becomes an item. Throws FatalError.
  void prepare();
  /// One item an utterance, in their order.
  std::vector<SourceItem> take() { return std::move(items_); }

 private:
  void take_whole();
  void cut();

  const source::SourceFile& file_;
  std::shared_ptr<OpenedRecording> opened_;
  std::span<const source::CorpusUtterance> utterances_;
  std::vector<SourceItem> items_;
};

/// In how many parts a recording is read.
struct PartPlan {
  std::size_t count = 1;
  std::uint64_t bytes = 0;  // that each holds in memory when it is prepared, as far as known beforehand
};

/// So that no part holds much, but no recording is decoded many times over. Depends on the corpus alone.
PartPlan plan_parts(const source::SourceFile& file);

}  // namespace shardmill::pipeline
