// DecodedBlock: the plain bytes of a bzip2 block, and its problems if it is damaged. Bzip2SecondOpinion:
// asks libbz2 about a block that our decoder rejects, before it is called damaged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codec/bzip2/block.hpp"
#include "codec/bzip2/runs.hpp"
#include "codec/pool.hpp"

namespace shardmill::codec {

/// A block that libbz2 decoded without a problem. One thread at a time.
class Bzip2SecondOpinion {
 public:
  /// Decodes the block that starts at `start_bit` of `bytes`, with any end, as part of a stream of `level`
  /// (1-9). Returns null if libbz2 rejects the block, too.
  static std::unique_ptr<Bzip2SecondOpinion> ask(std::span<const std::byte> bytes, std::uint64_t start_bit,
                                                 unsigned level);
  ~Bzip2SecondOpinion();
  Bzip2SecondOpinion(const Bzip2SecondOpinion&) = delete;
  Bzip2SecondOpinion& operator=(const Bzip2SecondOpinion&) = delete;

  /// The first bit after the block, counted like `start_bit`.
  std::uint64_t end_bit() const noexcept { return end_bit_; }
  std::uint32_t crc() const noexcept { return crc_; }
  /// Reads the next plain bytes; fewer than out.size() only at the end.
  std::size_t read(std::span<std::byte> out);

 private:
  struct Library;
  Bzip2SecondOpinion(std::unique_ptr<Library> library, std::uint64_t end_bit, std::uint32_t crc);

  std::unique_ptr<Library> library_;
  std::uint64_t end_bit_;
  std::uint32_t crc_;
};

/// The memory of one thread that decodes two blocks.
struct Bzip2Workspace {
  Bzip2BlockDecoder decoder;
  Bzip2Block first;
  Bzip2Block second;
};

/// Thread-safe.
struct Bzip2DecodePools {
  std::shared_ptr<Pool<Bzip2Workspace>> workspaces = Pool<Bzip2Workspace>::common();
  std::shared_ptr<PlainBufferPool> buffers = PlainBufferPool::common();
};

/// Holds the plain bytes that fit into a buffer, and the state to make the others.
class DecodedBlock {
 public:
  void decode(const Bzip2DecodePools& pools, const Bzip2BlockPlace& place);
  /// Decodes two blocks at once, which is faster.
  static void decode(const Bzip2DecodePools& pools, const Bzip2BlockPlace& first_place, DecodedBlock& first,
                     const Bzip2BlockPlace& second_place, DecodedBlock& second);
  /// Uses the bytes that libbz2 decoded instead.
  void replace(const Bzip2DecodePools& pools, std::unique_ptr<Bzip2SecondOpinion> opinion);

  /// The next plain bytes of the block; empty at its end.
  std::span<const std::byte> read();
  void drop();

  Bzip2Block::State state() const noexcept { return state_; }
  std::string problem() const { return "damaged: " + std::string(problem_); }
  /// True if a stream of this level may have such a block.
  bool fits(unsigned level) const noexcept;
  /// The first bit after the block, counted like its first bit.
  std::uint64_t end_bit() const noexcept { return end_bit_; }
  std::uint32_t crc() const noexcept { return crc_; }

 private:
  void take(const Bzip2DecodePools& pools, Bzip2Block& block);
  void expand(const Bzip2DecodePools& pools, Bzip2Block& block);

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

}  // namespace shardmill::codec
