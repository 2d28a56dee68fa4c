#include "codec/bzip2/block.hpp"

#include <algorithm>

#include "codec/bzip2/bits.hpp"
#include "codec/bzip2/huffman.hpp"
#include "codec/bzip2/inverse_bwt.hpp"
#include "codec/bzip2/mtf/mtf.hpp"
#include "codec/bzip2/randomised.hpp"

namespace shardmill::codec {

struct Bzip2BlockDecoder::Scratch {
  Bzip2BlockHeader header;
  Bzip2Positions positions;
  InverseBwt inverse_bwt;
};

Bzip2BlockDecoder::Bzip2BlockDecoder() : Bzip2BlockDecoder(base::chosen_vector_path()) {}
Bzip2BlockDecoder::Bzip2BlockDecoder(base::VectorPath path) : path_(path), scratch_(new Scratch) {}
Bzip2BlockDecoder::~Bzip2BlockDecoder() = default;

void Bzip2BlockDecoder::decode(std::span<const std::byte> input, std::uint64_t start_bit, Bzip2Block& block) {
  BitReader bits(input, start_bit);
  block.runs.clear();

  Bzip2BlockHeader& header = scratch_->header;
  block.problem = read_block_header(bits, header);
  if (block.problem.empty()) block.problem = read_positions(path_, bits, header, scratch_->positions);
  if (block.problem.empty() && header.origin >= scratch_->positions.count) {
    block.problem = "origin outside the block";
  }
  block.end_bit = bits.position();
  block.stored_crc = header.crc;
  if (bits.past_end()) {
    block.state = Bzip2Block::State::truncated;
    block.problem = "the input ends inside a block";
    return;
  }
  if (!block.problem.empty()) {
    block.state = Bzip2Block::State::damaged;
    return;
  }

  const auto column = std::span(scratch_->positions.bytes).first(scratch_->positions.count);
  undo_move_to_front(path_, column, header.used);
  scratch_->inverse_bwt.sort(column);
  block.runs.resize(column.size());
  scratch_->inverse_bwt.walk(path_, header.origin, block.runs);
  if (header.randomised) toggle_randomisation(block.runs);
  if (ends_before_a_count(block.runs)) {
    block.problem = "the block ends inside a run";
    block.state = Bzip2Block::State::damaged;
    return;
  }
  block.state = Bzip2Block::State::good;
}

}  // namespace shardmill::codec
