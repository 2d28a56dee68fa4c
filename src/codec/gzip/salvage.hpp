// GzipSalvage: after damage, finds the members of a gzip file that are still whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/io/file.hpp"
#include "codec/stream_decoder.hpp"

namespace shardmill::codec {

/// One thread at a time.
class GzipSalvage {
 public:
  /// Members are looked for from `offset` on. `file` must be a regular file and outlive this.
  GzipSalvage(const base::File& file, std::uint64_t offset);

  /// The next plain bytes of a member whose checksum is right; empty when there are no more. Each member is
  /// decoded twice, so that none of its bytes is given before all are checked.
  std::span<const std::byte> read();

 private:
  bool find_member();
  std::optional<std::uint64_t> find_header(std::uint64_t offset) const;
  bool is_sound(std::uint64_t begin);
  void begin_member(std::uint64_t begin);
  Progress step();

  const base::File& file_;
  std::uint64_t offset_;  // where a member may begin
  std::unique_ptr<StreamDecoder> decoder_;
  std::vector<std::byte> packed_;
  std::size_t packed_used_ = 0;
  std::uint64_t next_read_ = 0;
  std::vector<std::byte> plain_;
  bool inside_ = false;             // a member that is sound
  std::uint64_t wasted_bytes_ = 0;  // of what was no member
};

}  // namespace shardmill::codec
