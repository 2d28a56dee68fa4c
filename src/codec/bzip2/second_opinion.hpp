// Bzip2SecondOpinion: asks libbz2 about a block that our decoder rejects, before we call it damaged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

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

}  // namespace shardmill::codec
