// Prints the CPU time of each stage of the bzip2 block decoder for the first stream of a file, on every
// vector path that this machine has, or on those named.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
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
#include "codec/bzip2/huffman.hpp"
#include "codec/bzip2/inverse_bwt.hpp"
#include "codec/bzip2/mtf/mtf.hpp"

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
  double sort = 0;
  double walk = 0;
  double runs = 0;
  std::size_t plain_bytes = 0;

  double total() const { return huffman + move_to_front + sort + walk + runs; }
};

class StageTimer {
 public:
  explicit StageTimer(base::VectorPath path) : path_(path) {}

  StageSeconds run(std::span<const std::byte> input) {
    seconds_ = {};
    BitReader bits(input, 32);
    while (BitReader(bits).take(48) == kBzip2BlockMagic) block(bits);
    return seconds_;
  }

 private:
  void lap(double& stage) {
    const double now = cpu_seconds();
    stage += now - last_;
    last_ = now;
  }

  void block(BitReader& bits) {
    last_ = cpu_seconds();
    std::string_view problem = read_block_header(bits, *header_);
    if (problem.empty()) problem = read_positions(path_, bits, *header_, *positions_);
    if (!problem.empty() || bits.past_end()) throw Error("the file is damaged");
    lap(seconds_.huffman);

    const auto column = std::span(positions_->bytes).first(positions_->count);
    undo_move_to_front(path_, column, header_->used);
    lap(seconds_.move_to_front);
    inverse_bwt_.sort(column);
    lap(seconds_.sort);
    runs_.resize(column.size());
    inverse_bwt_.walk(path_, header_->origin, runs_);
    lap(seconds_.walk);

    Bzip2RunExpander expander(runs_, path_);
    while (const std::size_t got = expander.expand(chunk_)) seconds_.plain_bytes += got;
    if (expander.crc() != header_->crc) throw Error("wrong checksum");
    lap(seconds_.runs);
  }

  base::VectorPath path_;
  std::unique_ptr<Bzip2BlockHeader> header_ = std::make_unique<Bzip2BlockHeader>();
  std::unique_ptr<Bzip2Positions> positions_ = std::make_unique<Bzip2Positions>();
  InverseBwt inverse_bwt_;
  std::vector<std::byte> runs_;
  std::vector<std::byte> chunk_ = std::vector<std::byte>(kChunkBytes);
  StageSeconds seconds_;
  double last_ = 0;
};

void print_stages(const std::string& path, std::span<const std::string> names) {
  const std::string file = base::read_text(path);
  fmt::print("{:<10}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}{:>12}\n", "path", "huffman", "mtf", "sort", "walk",
             "runs+crc", "total", "ns/byte");
  for (const base::VectorPath vector_path : base::available_vector_paths()) {
    if (!names.empty() && std::ranges::find(names, name(vector_path)) == names.end()) continue;
    const StageSeconds s = StageTimer(vector_path).run(base::as_bytes(file));
    fmt::print("{:<10}{:>10.3f}{:>10.3f}{:>10.3f}{:>10.3f}{:>10.3f}{:>10.3f}{:>12.3f}\n", name(vector_path),
               s.huffman, s.move_to_front, s.sort, s.walk, s.runs, s.total(),
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
