// ArchiveBatch: some files of an archive and what a corpus says of them. Any thread can make samples of them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "audio/recording_reader.hpp"
#include "base/io/file.hpp"
#include "pipeline/source_item.hpp"
#include "source/source_file.hpp"

namespace shardmill::pipeline {

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
