#include "codec/bzip2/reader.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "base/io/binary.hpp"
#include "codec/bzip2/block.hpp"
#include "codec/bzip2/cutter.hpp"
#include "codec/bzip2/second_opinion.hpp"
#include "codec/bzip2/stream.hpp"
#include "codec/plain_buffer.hpp"
#include "codec/trailing.hpp"

namespace shardmill::codec {

namespace {

constexpr std::size_t kBytesPerLevel = 100'000;

/// What one thread needs to decode a block.
struct Workspace {
  Bzip2BlockDecoder decoder;
  Bzip2Block block;
};

/// What all pieces of a file share.
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
  const std::shared_ptr<Pool<Workspace>> workspaces = Pool<Workspace>::make();
  const std::shared_ptr<PlainBufferPool> buffers = PlainBufferPool::make();
};

/// A decoded block: as many plain bytes as fit into the buffer, and what is needed to make the others.
class DecodedBlock {
 public:
  /// Decodes the block that begins at `start_bit` of `bytes`.
  void decode(Shared& shared, std::span<const std::byte> bytes, std::uint64_t start_bit) {
    const auto workspace = shared.workspaces->take();
    Bzip2Block& block = workspace->block;
    workspace->decoder.decode(bytes, start_bit, block);
    state_ = block.state;
    problem_ = block.problem;
    end_bit_ = block.end_bit;
    crc_ = block.stored_crc;
    if (state_ == Bzip2Block::State::good) expand(shared, block);
  }

  /// Takes the bytes of the block from libbz2 instead.
  void replace(Shared& shared, std::unique_ptr<Bzip2SecondOpinion> opinion) {
    opinion_ = std::move(opinion);
    state_ = Bzip2Block::State::good;
    end_bit_ = opinion_->end_bit();
    crc_ = opinion_->crc();
    if (!plain_) plain_ = shared.buffers->take();
    plain_bytes_ = opinion_->read(plain_->bytes);
  }

  /// The next plain bytes of the block; empty at its end.
  std::span<const std::byte> read() {
    if (!plain_) return {};
    if (std::exchange(begun_, true)) {
      const bool more = plain_bytes_ == plain_->bytes.size();
      plain_bytes_ = !more ? 0 : opinion_ ? opinion_->read(plain_->bytes) : expander_->expand(plain_->bytes);
    }
    if (plain_bytes_ == 0) drop();
    return plain_ ? std::span(plain_->bytes).first(plain_bytes_) : std::span<const std::byte>();
  }

  void drop() {
    plain_.reset();
    runs_ = {};
    opinion_.reset();
  }

  Bzip2Block::State state() const noexcept { return state_; }
  std::string problem() const { return "damaged: " + std::string(problem_); }
  bool fits(unsigned level) const noexcept { return runs_bytes_ <= level * kBytesPerLevel; }
  std::uint64_t end_bit() const noexcept { return end_bit_; }
  std::uint32_t crc() const noexcept { return crc_; }

 private:
  void expand(Shared& shared, Bzip2Block& block) {
    runs_bytes_ = block.runs.size();
    if (!plain_) plain_ = shared.buffers->take();
    Bzip2RunExpander expander(block.runs);
    plain_bytes_ = expander.expand(plain_->bytes);
    std::uint32_t crc = expander.crc();
    if (plain_bytes_ == plain_->bytes.size()) {
      runs_ = std::move(block.runs);
      expander_ = expander;
      crc = crc_of_rest(shared, expander);
    }
    if (crc != crc_) {
      state_ = Bzip2Block::State::damaged;
      problem_ = "wrong checksum of the block";
    }
  }

  // A block that does not fit into the buffer is expanded twice. So its checksum is known before any byte
  // leaves, and memory stays bounded.
  static std::uint32_t crc_of_rest(Shared& shared, Bzip2RunExpander expander) {
    const auto scratch = shared.buffers->take();
    while (expander.expand(scratch->bytes) == scratch->bytes.size()) {
    }
    return expander.crc();
  }

  Bzip2Block::State state_ = Bzip2Block::State::damaged;
  std::string_view problem_;
  std::uint64_t end_bit_ = 0;
  std::uint32_t crc_ = 0;
  std::size_t runs_bytes_ = 0;
  PlainBufferPool::Pointer plain_;
  std::size_t plain_bytes_ = 0;
  bool begun_ = false;
  std::vector<std::byte> runs_;
  std::optional<Bzip2RunExpander> expander_;
  std::unique_ptr<Bzip2SecondOpinion> opinion_;
};

class Bzip2Piece final : public Piece {
 public:
  Bzip2Piece(std::shared_ptr<Shared> shared, std::shared_ptr<const Bzip2Segment> segment)
      : shared_(std::move(shared)), segment_(std::move(segment)) {}

  void prepare() noexcept override {
    if (std::exchange(prepared_, true) || !segment_->block_bit) return;
    try {
      block_.decode(*shared_, segment_->bytes, segment_->local(*segment_->block_bit));
    } catch (...) {
      failure_ = std::current_exception();
    }
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
    return segment_->bytes.size() + sizeof(PlainBuffer) + kBzip2MaxBlockBytes;
  }

 private:
  enum class Stage { untouched, block, done };

  /// True when there is a block to deliver. Throws when a block must begin here and does not.
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
  std::shared_ptr<const Bzip2Segment> segment_;
  bool prepared_ = false;
  std::exception_ptr failure_;
  DecodedBlock block_;
  std::uint64_t end_bit_ = 0;  // of the block, counted in the file
  Stage stage_ = Stage::untouched;
};

bool Bzip2Piece::begin_block() {
  Bzip2Stream& stream = shared_->stream;
  if (!segment_->block_bit) return false;
  const std::uint64_t start_bit = *segment_->block_bit;
  if (!stream.lost() && !stream.expects_block_at(start_bit)) return false;
  prepare();
  if (failure_) std::rethrow_exception(failure_);
  if (stream.lost()) return salvage();
  if (block_.state() == Bzip2Block::State::truncated && !segment_->last && !shared_->damage_seen) {
    decode_across_segments();
  } else if (block_.state() != Bzip2Block::State::truncated) {
    ask_second_opinion(segment_->bytes, segment_->local(start_bit));
  }
  if (block_.state() == Bzip2Block::State::truncated) {
    throw stream.give_up_block(segment_->last ? "truncated: the file ends inside a block"
                                              : "damaged: the block does not end where the next one begins",
                               start_bit);
  }
  end_bit_ = segment_->first_byte * 8 + block_.end_bit();
  return true;
}

/// After damage, what looks like a block may be a part of one. So only a block with a right checksum is
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
  std::vector<std::byte> bytes(segment->bytes.begin(),
                               segment->bytes.begin() + static_cast<std::ptrdiff_t>(segment->whole_bytes));
  const std::uint64_t start_bit = segment_->local(*segment_->block_bit);
  while (segment && block_.state() == Bzip2Block::State::truncated && bytes.size() <= kBzip2MaxPackedBytes) {
    const std::size_t wanted = 2 * bytes.size();
    while (bytes.size() < wanted && (segment = shared_->cutter.after(*segment))) {
      bytes.insert(bytes.end(), segment->bytes.begin(),
                   segment->bytes.begin() + static_cast<std::ptrdiff_t>(segment->whole_bytes));
    }
    block_.decode(*shared_, bytes, start_bit);
  }
  if (block_.state() != Bzip2Block::State::truncated) ask_second_opinion(bytes, start_bit);
}

/// Throws unless our decoder or libbz2 finds the block good.
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
  block_.replace(*shared_, std::move(opinion));
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
    auto segment = shared_->cutter.next();
    if (!segment) return nullptr;
    return std::make_unique<Bzip2Piece>(shared_, std::move(segment));
  }

  std::uint64_t streams() const override { return shared_->stream.streams(); }

 private:
  std::shared_ptr<Shared> shared_;
};

}  // namespace

std::unique_ptr<PieceReader> make_bzip2_reader(Input input, TrailingSink on_trailing,
                                               const RestartPoint& from) {
  if (from.empty()) {
    return std::make_unique<Bzip2Reader>(
        std::make_shared<Shared>(std::move(input), std::move(on_trailing), 0, false));
  }
  base::BinaryReader in(from);  // as restart_point() wrote it
  const std::uint64_t begin_bit = in.number();
  const bool begins_block = in.number() != 0;
  auto shared = std::make_shared<Shared>(std::move(input), std::move(on_trailing), begin_bit, begins_block);
  shared->damage_seen = in.number() != 0;
  shared->stream.restore(in);
  return std::make_unique<Bzip2Reader>(std::move(shared));
}

}  // namespace shardmill::codec
