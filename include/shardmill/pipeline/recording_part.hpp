// RecordingPart: utterances of one audio file, read (and where they are segments, cut) on any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shardmill/pipeline/source_item.hpp"
#include "shardmill/source/source_file.hpp"

namespace shardmill::pipeline {

class RecordingPart {
 public:
  /// `file` must outlive it; `utterances` are some of its own.
  RecordingPart(const source::SourceFile& file, std::span<const source::CorpusUtterance> utterances)
      : file_(file), utterances_(utterances) {}

  /// Does the work. What goes wrong becomes an item;
  /// nothing is thrown but for lack of memory.
  void prepare();
  /// One item an utterance, in their order.
  std::vector<SourceItem> take() { return std::move(items_); }

 private:
  void take_whole();
  void cut();

  const source::SourceFile& file_;
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
