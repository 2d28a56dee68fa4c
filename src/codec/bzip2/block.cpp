#include "codec/bzip2/block.hpp"

#include <algorithm>

#include "codec/bzip2/bits.hpp"
#include "codec/bzip2/block_header.hpp"
#include "codec/bzip2/inverse_bwt.hpp"
#include "codec/bzip2/mtf/mtf.hpp"
#include "codec/bzip2/positions.hpp"
#include "codec/bzip2/randomised.hpp"

namespace shardmill::codec {

/// What is read from the bits of a block.
struct Bzip2BlockDecoder::Symbols {
  Bzip2BlockHeader header;
  Bzip2Positions positions;
  BitReader bits{{}, 0};

  /// Returns the problem of the header; empty when there is none.
  std::string_view begin(const Bzip2BlockPlace& place) {
    bits = BitReader(place.input, place.start_bit);
    return read_block_header(bits, header);
  }
  Bzip2SymbolTask task() { return {.bits = bits, .header = header, .positions = positions}; }
};

struct Bzip2BlockDecoder::Scratch {
  Symbols first;
  Symbols second;
  InverseBwt inverse_bwt;
};

Bzip2BlockDecoder::Bzip2BlockDecoder() : Bzip2BlockDecoder(base::chosen_vector_path()) {}
Bzip2BlockDecoder::Bzip2BlockDecoder(base::VectorPath path) : path_(path), scratch_(new Scratch) {}
Bzip2BlockDecoder::~Bzip2BlockDecoder() = default;

void Bzip2BlockDecoder::decode(const Bzip2BlockPlace& place, Bzip2Block& block) {
  Symbols& symbols = scratch_->first;
  block.problem = symbols.begin(place);
  if (block.problem.empty()) block.problem = read_positions(path_, symbols.task());
  transform(symbols, block);
}

void Bzip2BlockDecoder::decode(const Bzip2BlockPlace& first_place, Bzip2Block& first,
                               const Bzip2BlockPlace& second_place, Bzip2Block& second) {
  Symbols& one = scratch_->first;
  Symbols& other = scratch_->second;
  first.problem = one.begin(first_place);
  second.problem = other.begin(second_place);
  if (first.problem.empty() && second.problem.empty()) {
    const auto problems = read_positions(path_, one.task(), other.task());
    first.problem = problems[0];
    second.problem = problems[1];
  } else if (first.problem.empty()) {
    first.problem = read_positions(path_, one.task());
  } else if (second.problem.empty()) {
    second.problem = read_positions(path_, other.task());
  }
  transform(one, first);
  transform(other, second);
}

/// Does everything that comes after the symbols.
void Bzip2BlockDecoder::transform(Symbols& symbols, Bzip2Block& block) {
  const Bzip2BlockHeader& header = symbols.header;
  block.runs.clear();
  if (block.problem.empty() && header.origin >= symbols.positions.count) {
    block.problem = "origin outside the block";
  }
  block.end_bit = symbols.bits.position();
  block.stored_crc = header.crc;
  if (symbols.bits.past_end()) {
    block.state = Bzip2Block::State::truncated;
    block.problem = "the input ends inside a block";
    return;
  }
  if (!block.problem.empty()) {
    block.state = Bzip2Block::State::damaged;
    return;
  }

  const auto column = std::span(symbols.positions.bytes).first(symbols.positions.count);
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
