#include "pipeline/intake/source_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/hash/hash.hpp"
#include "base/io/file.hpp"
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

ShardListing::ShardListing(const source::DatasetShard& shard, std::uint64_t from) : shard_(shard) {
  try {
    check_sum();
    reader_.emplace(shard.manifest);
  } catch (const Error& error) {
    problems_.push_back(error);
    return;
  }
  do {
    read_next();
  } while (next_ && next_->tar_offset < from);
}

void ShardListing::check_sum() {
  base::File file = base::File::open_read(shard_.manifest);
  base::Sha256 hash;
  std::vector<std::byte> step(256 << 10);
  for (std::size_t got = step.size(); got == step.size();) {
    got = file.read(step);
    hash.update(std::span(step).first(got));
  }
  if (base::to_hex(hash.digest()) == shard_.manifest_sha256) return;
  problems_.emplace_back("was changed since the dataset was made: its SHA-256 is not the recorded one",
                         at(shard_.manifest));
}

void ShardListing::read_next() {
  next_.reset();
  for (std::uint64_t last_line = 0;;) {
    try {
      manifest::WholeSampleRecord sample;
      if (!reader_->next(sample)) return;
      const auto& shares = shard_.record.shares;
      const bool is_known = std::any_of(shares.begin(), shares.end(),
                                        [&](const auto& share) { return share.dataset == sample.dataset; });
      if (!is_known) {
        throw Error(fmt::format("line {} names the dataset '{}', and shards.jsonl does not",
                                reader_->line_number(), printable(sample.dataset)),
                    at(shard_.manifest));
      }
      if (!shard_.dataset.empty()) sample.dataset = shard_.dataset;
      next_ = std::make_shared<manifest::SampleRecord>(std::move(sample));
      return;
    } catch (const Error& error) {
      // One such error is enough: samples whose lines cannot be read are reported one by one.
      if (!std::exchange(has_bad_line_, true)) problems_.push_back(error);
      if (reader_->line_number() == last_line) return;  // nothing after this line can be read
      last_line = reader_->line_number();
    }
  }
}

ShardListing::Record ShardListing::take(std::string_view key) {
  if (!reader_) return nullptr;
  if (in_step_ && next_ && next_->key == key) {
    Record record = std::move(next_);
    read_next();
    return record;
  }
  if (in_step_) read_rest();
  const auto found = waiting_.find(std::string(key));
  if (found == waiting_.end()) return nullptr;
  Record record = std::move(found->second.record);
  waiting_.erase(found);
  return record;
}

void ShardListing::read_rest() {
  in_step_ = false;
  for (std::uint64_t place = 0; next_; ++place) {
    std::string key = next_->key;
    waiting_.try_emplace(std::move(key), Waiting{.place = place, .record = std::move(next_)});
    read_next();
  }
}

std::vector<std::string> ShardListing::take_rest() {
  if (!reader_) return {};
  read_rest();
  std::vector<std::pair<std::uint64_t, std::string>> rest;
  for (const auto& [key, waiting] : waiting_) rest.emplace_back(waiting.place, key);
  waiting_.clear();
  std::sort(rest.begin(), rest.end());
  std::vector<std::string> keys;
  for (auto& [place, key] : rest) keys.push_back(std::move(key));
  return keys;
}

std::vector<Error> ShardListing::take_problems() {
  return std::exchange(problems_, {});
}

}  // namespace shardmill::pipeline
