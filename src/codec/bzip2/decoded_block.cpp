#include "codec/bzip2/decoded_block.hpp"

#include <utility>

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

}  // namespace shardmill::codec
