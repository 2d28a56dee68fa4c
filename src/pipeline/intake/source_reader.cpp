#include "pipeline/intake/source_reader.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/io/file.hpp"
#include "pipeline/intake/archive_reader.hpp"
#include "shard/tar_input.hpp"

namespace shardmill::pipeline {

namespace {

codec::Codec detect(const base::File& file) {
  std::array<std::byte, codec::kDetectBytes> first{};
  return codec::detect(std::span(first).first(file.read_at(first, 0)));
}

class ShardReader final : public SourceReader {
 public:
  ShardReader(const source::SourceFile& file, const codec::RestartPoint& from)
      : file_(base::File::open_read(file.path)), watch_(std::make_shared<base::FileWatch>(file_)) {
    if (file.mtime_ns != 0) watch_->expect(file.bytes, file.mtime_ns);
    const codec::Codec codec = detect(file_);
    chained_ = codec != codec::Codec::none && codec != codec::Codec::bzip2;
    pieces_ = shard::open_tar(file_, {}, from);
  }

  Unit next() override {
    Unit unit;
    unit.watch = watch_;
    unit.piece = pieces_->next();
    unit.is_chained = chained_;
    unit.last = unit.piece == nullptr;
    if (!unit.piece) return unit;
    unit.compressed_bytes = unit.piece->compressed_bytes();
    unit.memory_bytes = unit.piece->memory_bytes();
    return unit;
  }
  std::uint64_t streams() const override { return pieces_->streams(); }

 private:
  base::File file_;
  std::shared_ptr<const base::FileWatch> watch_;
  std::unique_ptr<codec::PieceReader> pieces_;
  bool chained_ = false;  // a piece can only be decoded after the one before it
};

/// Opens no file. The units do that, on their own threads.
class BatchReader final : public SourceReader {
 public:
  BatchReader(const source::SourceFile& file, std::size_t first)
      : opened_(std::make_shared<OpenedRecording>(file)),
        file_(opened_->source()),
        plan_(plan_batches(file_)),
        batch_(first) {}

  Unit next() override {
    const auto share = [&](std::uint64_t whole, std::size_t batch) { return whole * batch / plan_.count; };
    const std::size_t begin = share(file_.utterances.size(), batch_);
    const std::size_t end = share(file_.utterances.size(), batch_ + 1);
    Unit unit;
    unit.segments = std::make_shared<SegmentBatch>(opened_, file_.utterances.subspan(begin, end - begin));
    unit.compressed_bytes = share(file_.bytes, batch_ + 1) - share(file_.bytes, batch_);
    unit.memory_bytes = plan_.bytes;
    unit.last = ++batch_ == plan_.count;
    return unit;
  }
  std::uint64_t unit_bytes() const override { return std::max(plan_.bytes, kUnitBytes); }

 private:
  std::shared_ptr<OpenedRecording> opened_;
  const source::SourceFile& file_;
  BatchPlan plan_;
  std::size_t batch_;  // the next
};

}  // namespace

std::uint64_t counted_bytes(const Unit& unit, std::uint64_t& late_bytes) {
  return unit.is_chained ? std::exchange(late_bytes, unit.compressed_bytes) : unit.compressed_bytes;
}

void Unit::prepare() const {
  if (piece) piece->prepare();
  if (segments) segments->prepare();
  if (archive) archive->prepare();
}

std::unique_ptr<SourceReader> open_source(const source::SourceFile& file, const SourceRestart& from,
                                          source::OtherThreads* threads) {
  if (file.tree) return read_archive(file, Texts::awaited, threads);
  if (file.kind != source::SourceKind::shard) return std::make_unique<BatchReader>(file, from.units);
  return std::make_unique<ShardReader>(file, from.piece);
}

std::unique_ptr<SourceReader> open_without_texts(const source::SourceFile& file) {
  return read_archive(file, Texts::left_out, nullptr);
}

}  // namespace shardmill::pipeline
