#include "codec/bzip2/block.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "codec/bzip2/bits.hpp"
#include "codec/bzip2/block_header.hpp"
#include "codec/bzip2/inverse_bwt.hpp"
#include "codec/bzip2/mtf/mtf.hpp"
#include "codec/bzip2/positions.hpp"

namespace shardmill::codec {

namespace {

// Distances between the changed places, fixed by the format.
constexpr std::array<std::uint16_t, 512> kDistances{
    619, 720, 127, 481, 931, 816, 813, 233, 566, 247, 985, 724, 205, 454, 863, 491, 741, 242, 949, 214, 733,
    859, 335, 708, 621, 574, 73,  654, 730, 472, 419, 436, 278, 496, 867, 210, 399, 680, 480, 51,  878, 465,
    811, 169, 869, 675, 611, 697, 867, 561, 862, 687, 507, 283, 482, 129, 807, 591, 733, 623, 150, 238, 59,
    379, 684, 877, 625, 169, 643, 105, 170, 607, 520, 932, 727, 476, 693, 425, 174, 647, 73,  122, 335, 530,
    442, 853, 695, 249, 445, 515, 909, 545, 703, 919, 874, 474, 882, 500, 594, 612, 641, 801, 220, 162, 819,
    984, 589, 513, 495, 799, 161, 604, 958, 533, 221, 400, 386, 867, 600, 782, 382, 596, 414, 171, 516, 375,
    682, 485, 911, 276, 98,  553, 163, 354, 666, 933, 424, 341, 533, 870, 227, 730, 475, 186, 263, 647, 537,
    686, 600, 224, 469, 68,  770, 919, 190, 373, 294, 822, 808, 206, 184, 943, 795, 384, 383, 461, 404, 758,
    839, 887, 715, 67,  618, 276, 204, 918, 873, 777, 604, 560, 951, 160, 578, 722, 79,  804, 96,  409, 713,
    940, 652, 934, 970, 447, 318, 353, 859, 672, 112, 785, 645, 863, 803, 350, 139, 93,  354, 99,  820, 908,
    609, 772, 154, 274, 580, 184, 79,  626, 630, 742, 653, 282, 762, 623, 680, 81,  927, 626, 789, 125, 411,
    521, 938, 300, 821, 78,  343, 175, 128, 250, 170, 774, 972, 275, 999, 639, 495, 78,  352, 126, 857, 956,
    358, 619, 580, 124, 737, 594, 701, 612, 669, 112, 134, 694, 363, 992, 809, 743, 168, 974, 944, 375, 748,
    52,  600, 747, 642, 182, 862, 81,  344, 805, 988, 739, 511, 655, 814, 334, 249, 515, 897, 955, 664, 981,
    649, 113, 974, 459, 893, 228, 433, 837, 553, 268, 926, 240, 102, 654, 459, 51,  686, 754, 806, 760, 493,
    403, 415, 394, 687, 700, 946, 670, 656, 610, 738, 392, 760, 799, 887, 653, 978, 321, 576, 617, 626, 502,
    894, 679, 243, 440, 680, 879, 194, 572, 640, 724, 926, 56,  204, 700, 707, 151, 457, 449, 797, 195, 791,
    558, 945, 679, 297, 59,  87,  824, 713, 663, 412, 693, 342, 606, 134, 108, 571, 364, 631, 212, 174, 643,
    304, 329, 343, 97,  430, 751, 497, 314, 983, 374, 822, 928, 140, 206, 73,  263, 980, 736, 876, 478, 430,
    305, 170, 514, 364, 692, 829, 82,  855, 953, 676, 246, 369, 970, 294, 750, 807, 827, 150, 790, 288, 923,
    804, 378, 215, 828, 592, 281, 565, 555, 710, 82,  896, 831, 547, 261, 524, 462, 293, 465, 502, 56,  661,
    821, 976, 991, 658, 869, 905, 758, 745, 193, 768, 550, 608, 933, 378, 286, 215, 979, 792, 961, 61,  688,
    793, 644, 986, 403, 106, 366, 905, 644, 372, 567, 466, 434, 645, 210, 389, 550, 919, 135, 780, 773, 635,
    389, 707, 100, 626, 958, 165, 504, 920, 176, 193, 713, 857, 265, 203, 50,  668, 108, 645, 990, 626, 197,
    510, 357, 358, 850, 858, 364, 936, 638,
};

}  // namespace

void toggle_randomisation(std::span<std::byte> block) {
  std::size_t place = 0;
  for (std::size_t i = 0;; i = (i + 1) % kDistances.size()) {
    if (place + kDistances[i] - 2 >= block.size()) return;
    block[place + kDistances[i] - 2] ^= std::byte{1};
    place += kDistances[i];
  }
}

/// The result of reading the bits of a block.
struct Bzip2BlockDecoder::Symbols {
  Bzip2BlockHeader header;
  Bzip2Positions positions;
  BitReader bits{{}, 0};

  /// Returns the problem of the header; empty if it is good.
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

/// Does the stages after the symbols.
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
  scratch_->inverse_bwt.link(column);
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
