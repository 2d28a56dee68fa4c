// The third stage of the bzip2 block decoder: undoes the Burrows-Wheeler transform.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/system/vector_path.hpp"

namespace shardmill::codec {

/// Owns about 5 MB of tables, for blocks of any size. One thread at a time.
class InverseBwt {
 public:
  InverseBwt();

  /// Computes for each row of `last_column` the row whose text comes one byte earlier. The column has at most
  /// kBzip2MaxBlockBytes bytes.
  void link(std::span<const std::uint8_t> last_column);

  /// Call link() first. Writes as many bytes as the last column had, the text of row `origin`. If the rows
  /// form several cycles, the cycle of the origin is repeated.
  void walk(base::VectorPath path, std::uint32_t origin, std::span<std::byte> out);

 private:
  struct Tables;
  struct Free {
    void operator()(Tables* tables) const noexcept;
  };
  std::unique_ptr<Tables, Free> tables_;
};

}  // namespace shardmill::codec
