#include "codec/bzip2/decoded_block.hpp"

#include <bzlib.h>

#include <algorithm>
#include <array>
#include <new>
#include <utility>
#include <vector>

#include "codec/bzip2/bits.hpp"
#include "codec/bzip2/block.hpp"
#include "codec/bzip2/block_header.hpp"

namespace shardmill::codec {

namespace {

constexpr std::size_t kBytesPerLevel = 100'000;

// A block that does not fit into the buffer is expanded twice. So its checksum is known before any byte
// leaves, and memory stays bounded.
std::uint32_t crc_of_rest(const Bzip2DecodePools& pools, Bzip2RunExpander expander) {
  const auto scratch = pools.buffers->take();
  while (expander.expand(scratch->bytes) == scratch->bytes.size()) {
  }
  return expander.crc();
}

}  // namespace

void DecodedBlock::decode(const Bzip2DecodePools& pools, const Bzip2BlockPlace& place) {
  const auto workspace = pools.workspaces->take();
  workspace->decoder.decode(place, workspace->first);
  take(pools, workspace->first);
}

void DecodedBlock::decode(const Bzip2DecodePools& pools, const Bzip2BlockPlace& first_place,
                          DecodedBlock& first, const Bzip2BlockPlace& second_place, DecodedBlock& second) {
  const auto workspace = pools.workspaces->take();
  workspace->decoder.decode(first_place, workspace->first, second_place, workspace->second);
  first.take(pools, workspace->first);
  second.take(pools, workspace->second);
}

void DecodedBlock::replace(const Bzip2DecodePools& pools, std::unique_ptr<Bzip2SecondOpinion> opinion) {
  opinion_ = std::move(opinion);
  state_ = Bzip2Block::State::good;
  end_bit_ = opinion_->end_bit();
  crc_ = opinion_->crc();
  if (!plain_) plain_ = pools.buffers->take();
  plain_bytes_ = opinion_->read(plain_->bytes);
}

std::span<const std::byte> DecodedBlock::read() {
  if (!plain_) return {};
  if (std::exchange(begun_, true)) {
    const bool more = plain_bytes_ == plain_->bytes.size();
    plain_bytes_ = !more ? 0 : opinion_ ? opinion_->read(plain_->bytes) : expander_->expand(plain_->bytes);
  }
  if (plain_bytes_ == 0) drop();
  return plain_ ? std::span(plain_->bytes).first(plain_bytes_) : std::span<const std::byte>();
}

void DecodedBlock::drop() {
  plain_.reset();
  runs_ = {};
  opinion_.reset();
}

bool DecodedBlock::fits(unsigned level) const noexcept {
  return runs_bytes_ <= level * kBytesPerLevel;
}

void DecodedBlock::take(const Bzip2DecodePools& pools, Bzip2Block& block) {
  state_ = block.state;
  problem_ = block.problem;
  end_bit_ = block.end_bit;
  crc_ = block.stored_crc;
  if (state_ == Bzip2Block::State::good) expand(pools, block);
}

void DecodedBlock::expand(const Bzip2DecodePools& pools, Bzip2Block& block) {
  runs_bytes_ = block.runs.size();
  if (!plain_) plain_ = pools.buffers->take();
  Bzip2RunExpander expander(block.runs);
  plain_bytes_ = expander.expand(plain_->bytes);
  std::uint32_t crc = expander.crc();
  if (plain_bytes_ == plain_->bytes.size()) {
    runs_ = std::move(block.runs);
    expander_ = expander;
    crc = crc_of_rest(pools, expander);
  }
  if (crc != crc_) {
    state_ = Bzip2Block::State::damaged;
    problem_ = "wrong checksum of the block";
  }
}

namespace {

// Even a block of one byte is longer than this.
constexpr std::uint64_t kLeastBlockBits = 100;
// The number of ends to try. Only a malicious file has more.
constexpr std::size_t kMaxEnds = 4;

class BitWriter {
 public:
  void put(std::uint64_t value, unsigned bits) {
    for (unsigned i = bits; i-- > 0;) {
      if (used_ == 0) bytes_.push_back(std::byte{0});
      bytes_.back() |= static_cast<std::byte>((value >> i & 1) << (7 - used_));
      used_ = (used_ + 1) % 8;
    }
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
  unsigned used_ = 0;  // bits used of the last byte
};

/// Makes a stream that has the bits from `start_bit` to `end_bit` as its only block.
std::vector<std::byte> wrap(std::span<const std::byte> bytes, std::uint64_t start_bit, std::uint64_t end_bit,
                            unsigned level) {
  BitWriter stream;
  for (const char letter : {'B', 'Z', 'h', static_cast<char>('0' + level)}) {
    stream.put(static_cast<unsigned char>(letter), 8);
  }
  BitReader block(bytes, start_bit);
  while (block.position() < end_bit) {
    const auto step = static_cast<unsigned>(std::min<std::uint64_t>(8, end_bit - block.position()));
    stream.put(block.take(step), step);
  }
  BitReader crc(bytes, start_bit + kBzip2MagicBits);
  stream.put(kBzip2EndMagic, kBzip2MagicBits);
  stream.put(crc.take(kBzip2CrcBits),
             kBzip2CrcBits);  // a stream of one block has the same checksum as its block
  return stream.take();
}

/// The possible ends of the block: every magic of another block or of the end of the stream.
std::vector<std::uint64_t> possible_ends(std::span<const std::byte> bytes, std::uint64_t start_bit) {
  std::vector<std::uint64_t> ends;
  for (const auto find : {find_bzip2_end, find_bzip2_block}) {
    auto end = find(bytes, start_bit + kLeastBlockBits);
    for (std::size_t count = 0; end && count < kMaxEnds; ++count) {
      ends.push_back(*end);
      end = find(bytes, *end + 1);
    }
  }
  return ends;
}

}  // namespace

struct Bzip2SecondOpinion::Library {
  explicit Library(std::vector<std::byte> bytes) : wrapped(std::move(bytes)) { start(); }
  ~Library() { BZ2_bzDecompressEnd(&stream); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  void start() {
    stream = {};
    if (BZ2_bzDecompressInit(&stream, 0, 0) != BZ_OK) throw std::bad_alloc();
    stream.next_in = reinterpret_cast<char*>(wrapped.data());
    stream.avail_in = static_cast<unsigned>(wrapped.size());
  }
  void restart() {
    BZ2_bzDecompressEnd(&stream);
    start();
  }
  int decode(std::span<std::byte> out) {
    stream.next_out = reinterpret_cast<char*>(out.data());
    stream.avail_out = static_cast<unsigned>(out.size());
    return BZ2_bzDecompress(&stream);
  }
  bool is_whole() {
    std::array<std::byte, std::size_t{64} << 10> unused;
    int code = BZ_OK;
    while (code == BZ_OK) {
      code = decode(unused);
      if (code == BZ_OK && stream.avail_out > 0) return false;
    }
    return code == BZ_STREAM_END;
  }

  std::vector<std::byte> wrapped;
  bz_stream stream{};
};

std::unique_ptr<Bzip2SecondOpinion> Bzip2SecondOpinion::ask(std::span<const std::byte> bytes,
                                                            std::uint64_t start_bit, unsigned level) {
  for (const std::uint64_t end_bit : possible_ends(bytes, start_bit)) {
    auto library = std::make_unique<Library>(wrap(bytes, start_bit, end_bit, level));
    if (!library->is_whole()) continue;
    library->restart();
    BitReader crc(bytes, start_bit + kBzip2MagicBits);
    return std::unique_ptr<Bzip2SecondOpinion>(new Bzip2SecondOpinion(
        std::move(library), end_bit, static_cast<std::uint32_t>(crc.take(kBzip2CrcBits))));
  }
  return nullptr;
}

Bzip2SecondOpinion::Bzip2SecondOpinion(std::unique_ptr<Library> library, std::uint64_t end_bit,
                                       std::uint32_t crc)
    : library_(std::move(library)), end_bit_(end_bit), crc_(crc) {}

Bzip2SecondOpinion::~Bzip2SecondOpinion() = default;

std::size_t Bzip2SecondOpinion::read(std::span<std::byte> out) {
  std::size_t done = 0;
  while (done < out.size() && library_->decode(out.subspan(done)) == BZ_OK) {
    done = out.size() - library_->stream.avail_out;
  }
  return out.size() - library_->stream.avail_out;
}

}  // namespace shardmill::codec
