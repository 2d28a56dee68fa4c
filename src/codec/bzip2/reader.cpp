#include <array>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "base/io/binary_fields.hpp"
#include "codec/bzip2/cutter.hpp"
#include "codec/bzip2/decoded_block.hpp"
#include "codec/formats.hpp"
#include "codec/streams.hpp"

namespace shardmill::codec {

namespace {

/// The state that all pieces of a file share.
struct Shared {
  Shared(Input input, TrailingSink sink, std::uint64_t begin_bit, bool begins_block)
      : stream(input.path(), sink != nullptr),
        on_trailing(std::move(sink)),
        cutter(std::move(input), begin_bit, begins_block) {}

  // Used only by the thread that reads the pieces in order.
  Bzip2Stream stream;
  bool damage_seen = false;
  const TrailingSink on_trailing;

  // Used by any thread.
  Bzip2Cutter cutter;
  Bzip2DecodePools pools;
};

/// A segment, and the block at its start if there is one.
struct Unit {
  std::shared_ptr<const Bzip2Segment> segment;
  DecodedBlock block{};

  Bzip2BlockPlace place() const {
    return {.input = segment->bytes(), .start_bit = segment->local(*segment->block_bit)};
  }
};

/// One segment, or two with a block each that are decoded side by side. The piece of the first one decodes
/// both. The second piece has nothing to do: before it is read, the first one has been prepared and read.
struct Decoding {
  std::array<Unit, 2> units;
  bool is_done = false;
  std::exception_ptr failure{};

  void run(const Bzip2DecodePools& pools) noexcept {
    if (std::exchange(is_done, true)) return;
    auto& [first, second] = units;
    try {
      if (second.segment) {
        DecodedBlock::decode(pools, first.place(), first.block, second.place(), second.block);
      } else if (first.segment->block_bit) {
        first.block.decode(pools, first.place());
      }
    } catch (...) {
      failure = std::current_exception();
    }
  }
};

class Bzip2Piece final : public Piece {
 public:
  /// The piece of `decoding->units[index]`.
  Bzip2Piece(std::shared_ptr<Shared> shared, std::shared_ptr<Decoding> decoding, std::size_t index)
      : shared_(std::move(shared)),
        decoding_(std::move(decoding)),
        is_first_(index == 0),
        segment_(decoding_->units[index].segment),
        block_(decoding_->units[index].block) {}

  void prepare() noexcept override {
    if (!is_first_) return;
    try {
      shared_->cutter.load_ahead();
    } catch (...) {  // cutting the next segment throws the same
    }
    decoding_->run(shared_->pools);
  }

  std::span<const std::byte> read() override {
    if (stage_ == Stage::done) return {};
    try {
      if (stage_ == Stage::untouched && begin_block()) stage_ = Stage::block;
      if (stage_ == Stage::block) {
        const auto bytes = block_.read();
        if (!bytes.empty()) return bytes;
        shared_->stream.passed_block(end_bit_, block_.crc());
      }
      finish();
      pass_rest();
    } catch (...) {
      finish();
      shared_->stream.lose();
      shared_->damage_seen = true;
      throw;
    }
    return {};
  }

  RestartPoint restart_point() const override {
    base::BinaryWriter out;
    out.put(segment_->begin_bit());
    out.put(segment_->block_bit ? 1 : 0);
    out.put(shared_->damage_seen ? 1 : 0);
    shared_->stream.save(out);
    return out.take();
  }
  std::uint64_t compressed_bytes() const override { return segment_->whole_bytes; }
  std::size_t memory_bytes() const override {
    std::size_t bytes = 0;
    for (const Unit& unit : decoding_->units) {
      const bool is_ours = unit.segment == segment_ || (unit.segment && is_first_);
      if (is_ours) bytes += unit.segment->size() + sizeof(PlainBuffer) + kBzip2MaxBlockBytes;
    }
    return bytes;
  }

 private:
  enum class Stage { untouched, block, done };

  /// True if there is a block to deliver. Throws if a block must begin here and does not.
  bool begin_block();
  bool salvage();
  void decode_across_segments();
  void ask_second_opinion(std::span<const std::byte> bytes, std::uint64_t start_bit);
  void pass_rest();
  void finish() {
    stage_ = Stage::done;
    block_.drop();
  }

  std::shared_ptr<Shared> shared_;
  std::shared_ptr<Decoding> decoding_;
  const bool is_first_;
  std::shared_ptr<const Bzip2Segment> segment_;
  DecodedBlock& block_;        // in decoding_
  std::uint64_t end_bit_ = 0;  // of the block, counted in the file
  Stage stage_ = Stage::untouched;
};

bool Bzip2Piece::begin_block() {
  Bzip2Stream& stream = shared_->stream;
  if (!segment_->block_bit) return false;
  const std::uint64_t start_bit = *segment_->block_bit;
  if (!stream.lost() && !stream.expects_block_at(start_bit)) return false;
  decoding_->run(shared_->pools);
  if (decoding_->failure) std::rethrow_exception(decoding_->failure);
  if (stream.lost()) return salvage();
  if (block_.state() == Bzip2Block::State::truncated && !segment_->last && !shared_->damage_seen) {
    decode_across_segments();
  } else if (block_.state() != Bzip2Block::State::truncated) {
    ask_second_opinion(segment_->bytes(), segment_->local(start_bit));
  }
  if (block_.state() == Bzip2Block::State::truncated) {
    throw stream.give_up_block(segment_->last ? "truncated: the file ends inside a block"
                                              : "damaged: the block does not end where the next one begins",
                               start_bit);
  }
  end_bit_ = segment_->first_byte * 8 + block_.end_bit();
  return true;
}

/// After damage, an apparent block may be a part of another. So only a block with a right checksum is
/// accepted.
bool Bzip2Piece::salvage() {
  if (block_.state() != Bzip2Block::State::good) return false;
  end_bit_ = segment_->first_byte * 8 + block_.end_bit();
  shared_->stream.found_block(*segment_->block_bit);
  return true;
}

/// The block does not end within the segment, so the magic at the segment's end must lie inside the block by
/// chance. Each attempt takes twice as many bytes as the last, so that many such magics do not take much
/// longer than one.
void Bzip2Piece::decode_across_segments() {
  auto segment = segment_;
  std::vector<std::byte> bytes;
  const auto add = [&](const Bzip2Segment& one) {
    const auto own = one.bytes().first(static_cast<std::size_t>(one.whole_bytes));
    bytes.insert(bytes.end(), own.begin(), own.end());
  };
  add(*segment);
  const std::uint64_t start_bit = segment_->local(*segment_->block_bit);
  while (segment && block_.state() == Bzip2Block::State::truncated && bytes.size() <= kBzip2MaxPackedBytes) {
    const std::size_t wanted = 2 * bytes.size();
    while (bytes.size() < wanted && (segment = shared_->cutter.after(*segment))) add(*segment);
    block_.decode(shared_->pools, {.input = bytes, .start_bit = start_bit});
  }
  if (block_.state() != Bzip2Block::State::truncated) ask_second_opinion(bytes, start_bit);
}

/// Throws unless the block is good for our decoder or for libbz2.
void Bzip2Piece::ask_second_opinion(std::span<const std::byte> bytes, std::uint64_t start_bit) {
  Bzip2Stream& stream = shared_->stream;
  if (block_.state() == Bzip2Block::State::good && block_.fits(stream.level())) return;
  auto opinion = Bzip2SecondOpinion::ask(bytes, start_bit, stream.level());
  if (!opinion) {
    const bool too_large = block_.state() == Bzip2Block::State::good;
    throw stream.give_up_block(
        too_large ? "damaged: a larger block than the header of the stream says" : block_.problem(),
        *segment_->block_bit);
  }
  block_.replace(shared_->pools, std::move(opinion));
}

void Bzip2Piece::pass_rest() {
  Bzip2Stream& stream = shared_->stream;
  const bool garbage_before = stream.garbage_offset().has_value();
  stream.pass(*segment_);
  if (!garbage_before && stream.garbage_offset()) {
    shared_->on_trailing(trailing_ignored(stream.path(), *stream.garbage_offset()));
  }
}

class Bzip2Reader final : public PieceReader {
 public:
  explicit Bzip2Reader(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}

  std::unique_ptr<Piece> next() override {
    if (second_) return std::make_unique<Bzip2Piece>(shared_, std::move(second_), 1);
    auto decoding = std::make_shared<Decoding>();
    decoding->units[0].segment = alone_ ? std::move(alone_) : cut();
    if (!decoding->units[0].segment) return nullptr;
    if (decoding->units[0].segment->block_bit) add_second(decoding);
    return std::make_unique<Bzip2Piece>(shared_, std::move(decoding), 0);
  }

  std::uint64_t streams() const override { return shared_->stream.streams(); }

 private:
  std::shared_ptr<const Bzip2Segment> cut() {
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    return shared_->cutter.next();
  }

  void add_second(const std::shared_ptr<Decoding>& decoding) {
    try {
      alone_ = cut();
    } catch (...) {
      failure_ = std::current_exception();  // the pieces before it are still good
    }
    if (!alone_ || !alone_->block_bit) return;
    decoding->units[1].segment = std::move(alone_);
    second_ = decoding;
  }

  std::shared_ptr<Shared> shared_;
  std::shared_ptr<Decoding> second_;  // null, or a decoding whose second piece comes next
  std::shared_ptr<const Bzip2Segment>
      alone_{};                   // null, or the next segment, which was cut to see whether it has a block
  std::exception_ptr failure_{};  // of cutting the next segment
};

}  // namespace

std::unique_ptr<PieceReader> make_bzip2_reader(Input input, TrailingSink on_trailing,
                                               const RestartPoint& from) {
  if (from.empty()) {
    return std::make_unique<Bzip2Reader>(
        std::make_shared<Shared>(std::move(input), std::move(on_trailing), 0, false));
  }
  base::BinaryReader in(from);  // written by restart_point()
  const std::uint64_t begin_bit = in.number();
  const bool begins_block = in.number() != 0;
  auto shared = std::make_shared<Shared>(std::move(input), std::move(on_trailing), begin_bit, begins_block);
  shared->damage_seen = in.number() != 0;
  shared->stream.restore(in);
  return std::make_unique<Bzip2Reader>(std::move(shared));
}

}  // namespace shardmill::codec
