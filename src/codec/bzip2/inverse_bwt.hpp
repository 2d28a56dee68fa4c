// The third stage of the bzip2 block decoder: undoes the Burrows-Wheeler transform.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/system/vector_path.hpp"

namespace shardmill::codec {

/// Owns its tables, about 5 MB, for blocks of any size. One thread at a time.
class InverseBwt {
 public:
  InverseBwt();

  /// The counting sort of the last column; at most kBzip2MaxBlockBytes.
  void sort(std::span<const std::uint8_t> last_column);

  /// After sort(): as many bytes as the last column had, from row `origin` on. Where the rows form several
  /// cycles, the origin's is walked again and again.
  void walk(base::VectorPath path, std::uint32_t origin, std::span<std::byte> out);

 private:
  struct Tables;
  struct Free {
    void operator()(Tables* tables) const noexcept;
  };
  std::unique_ptr<Tables, Free> tables_;
};

}  // namespace shardmill::codec
