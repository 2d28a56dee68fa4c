// BlockEncoder: cuts what is written into blocks of one size, so that the output of an encoder does not
// depend on how its caller cut the input.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "codec/codec.hpp"

namespace shardmill::codec {

class BlockEncoder : public Encoder {
 public:
  explicit BlockEncoder(std::size_t block_bytes) : block_bytes_(block_bytes) {}

  void write(std::span<const std::byte> plain) final;
  void finish() final;

 protected:
  /// Every block but the last has the full size; the last may be empty.
  virtual void encode(std::span<const std::byte> block, bool last) = 0;

 private:
  std::size_t block_bytes_;
  std::vector<std::byte> block_;
};

}  // namespace shardmill::codec
