// Prints the CPU time of each stage of the bzip2 block decoder for the first stream of a file, on every
// vector path that this machine has, or on those named.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/system/vector_path.hpp"
#include "codec/bzip2/bits.hpp"
#include "codec/bzip2/block.hpp"
#include "codec/bzip2/block_header.hpp"
#include "codec/bzip2/inverse_bwt.hpp"
#include "codec/bzip2/mtf/mtf.hpp"
#include "codec/bzip2/positions.hpp"

namespace {

using namespace shardmill;
using namespace shardmill::codec;

constexpr std::size_t kChunkBytes = std::size_t{1} << 16;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct StageSeconds {
  double huffman = 0;
  double move_to_front = 0;
  double link = 0;
  double walk = 0;
  double runs = 0;
  std::size_t plain_bytes = 0;

  double total() const { return huffman + move_to_front + link + walk + runs; }
};

class StageTimer {
 public:
  explicit StageTimer(base::VectorPath path) : path_(path) {}

  /// Reads the symbols of two blocks at a time, as the reader does.
  StageSeconds run(std::span<const std::byte> input) {
    seconds_ = {};
    std::vector<std::uint64_t> begins;
    for (auto bit = find_bzip2_block(input, 0); bit; bit = find_bzip2_block(input, *bit + 1))
      begins.push_back(*bit);
    for (std::size_t i = 0; i + 1 < begins.size(); i += 2) two_blocks(input, begins[i], begins[i + 1]);
    return seconds_;
  }

 private:
  void lap(double& stage) {
    const double now = cpu_seconds();
    stage += now - last_;
    last_ = now;
  }

  struct Symbols {
    Bzip2BlockHeader header;
    Bzip2Positions positions;
  };

  void two_blocks(std::span<const std::byte> input, std::uint64_t first_bit, std::uint64_t second_bit) {
    last_ = cpu_seconds();
    BitReader first(input, first_bit);
    BitReader second(input, second_bit);
    const bool are_blocks = read_block_header(first, first_->header).empty() &&
                            read_block_header(second, second_->header).empty();
    if (!are_blocks) throw Error("the file is damaged");
    const auto problems =
        read_positions(path_, {.bits = first, .header = first_->header, .positions = first_->positions},
                       {.bits = second, .header = second_->header, .positions = second_->positions});
    if (!problems[0].empty() || !problems[1].empty()) throw Error("the file is damaged");
    lap(seconds_.huffman);
    transform(*first_);
    transform(*second_);
  }

  void transform(Symbols& symbols) {
    const Bzip2BlockHeader& header = symbols.header;
    const auto column = std::span(symbols.positions.bytes).first(symbols.positions.count);
    undo_move_to_front(path_, column, header.used);
    lap(seconds_.move_to_front);
    inverse_bwt_.link(column);
    lap(seconds_.link);
    runs_.resize(column.size());
    inverse_bwt_.walk(path_, header.origin, runs_);
    lap(seconds_.walk);

    Bzip2RunExpander expander(runs_, path_);
    while (const std::size_t got = expander.expand(chunk_)) seconds_.plain_bytes += got;
    if (expander.crc() != header.crc) throw Error("wrong checksum");
    lap(seconds_.runs);
  }

  base::VectorPath path_;
  std::unique_ptr<Symbols> first_ = std::make_unique<Symbols>();
  std::unique_ptr<Symbols> second_ = std::make_unique<Symbols>();
  InverseBwt inverse_bwt_;
  std::vector<std::byte> runs_;
  std::vector<std::byte> chunk_ = std::vector<std::byte>(kChunkBytes);
  StageSeconds seconds_;
  double last_ = 0;
};

void print_stages(const std::string& path, std::span<const std::string> names) {
  const std::string file = base::read_text(path);
  fmt::print("{:<10}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}{:>12}\n", "path", "huffman", "mtf", "link", "walk",
             "runs+crc", "total", "ns/byte");
  for (const base::VectorPath vector_path : base::available_vector_paths()) {
    if (!names.empty() && std::ranges::find(names, name(vector_path)) == names.end()) continue;
    const StageSeconds s = StageTimer(vector_path).run(base::as_bytes(file));
    fmt::print("{:<10}{:>10.3f}{:>10.3f}{:>10.3f}{:>10.3f}{:>10.3f}{:>10.3f}{:>12.3f}\n", name(vector_path),
               s.huffman, s.move_to_front, s.link, s.walk, s.runs, s.total(),
               1e9 * s.total() / static_cast<double>(s.plain_bytes));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: bzip2_stages FILE.bz2 [avx512|avx2|ssse3|neon|portable]...\n");
    return 2;
  }
  try {
    print_stages(argv[1], std::vector<std::string>(argv + 2, argv + argc));
  } catch (const std::exception& error) {
    fmt::print(stderr, "bzip2_stages: {}: {}\n", argv[1], error.what());
    return 1;
  }
  return 0;
}
