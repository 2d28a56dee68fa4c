// GzipSalvage: after damage, finds the members of a gzip file that are still whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/io/file.hpp"
#include "codec/streams.hpp"

namespace shardmill::codec {

/// One thread at a time.
class GzipSalvage {
 public:
  /// Looks for members from `offset` on. `file` must be a regular file and outlive this object.
  GzipSalvage(const base::File& file, std::uint64_t offset);

  /// The next plain bytes of a member with a right checksum; empty if there are no more. Decodes each member
  /// twice, so that it returns no byte before all are checked.
  std::span<const std::byte> read();

 private:
  bool find_member();
  std::optional<std::uint64_t> find_header(std::uint64_t offset) const;
  bool is_sound(std::uint64_t begin);
  void begin_member(std::uint64_t begin);
  Progress step();

  const base::File& file_;
  std::uint64_t offset_;  // a possible start of a member
  std::unique_ptr<StreamDecoder> decoder_;
  std::vector<std::byte> packed_;
  std::size_t packed_used_ = 0;
  std::uint64_t next_read_ = 0;
  std::vector<std::byte> plain_;
  bool inside_ = false;             // a good member
  std::uint64_t wasted_bytes_ = 0;  // decoded without finding a member
};

}  // namespace shardmill::codec
