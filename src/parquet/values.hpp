// The values of a page: decoders for each encoding, one value at a time, so that a page of a few bytes that
// claims a billion values takes no memory for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "parquet/file_metadata.hpp"
#include "parquet/page.hpp"

namespace shardmill::parquet {

/// A value; which field holds it follows from the type of its column. Booleans are 0 or 1.
struct Scalar {
  std::int64_t integer = 0;
  double real = 0;
  std::span<const std::byte> bytes{};  // also of int96 and of fixed bytes
};

/// The hybrid of run lengths and packed bits: levels, indexes into dictionaries, booleans.
class HybridDecoder {
 public:
  HybridDecoder() = default;
  /// `width`: the bits of a number, at most 32. Throws Error for more.
  HybridDecoder(std::span<const std::byte> bytes, std::uint32_t width);

  /// Throws Error when there are no more.
  std::uint32_t next();

 private:
  void begin_run();
  std::uint64_t varint();

  std::span<const std::byte> rest_;
  std::uint32_t width_ = 0;
  std::uint64_t repeats_ = 0;  // left of a run
  std::uint32_t repeated_ = 0;
  std::uint64_t packed_ = 0;  // numbers left of packed bits
  std::uint64_t bits_ = 0;
  std::uint32_t bits_left_ = 0;
};

/// One thread at a time.
class ValueDecoder {
 public:
  ValueDecoder() = default;
  ValueDecoder(const ValueDecoder&) = delete;
  ValueDecoder& operator=(const ValueDecoder&) = delete;
  virtual ~ValueDecoder() = default;

  /// The next value that is not null; its bytes are valid until the next call. Throws Error for damage, and
  /// when there are no more.
  virtual Scalar next() = 0;
};

/// The values of a dictionary page. Thread-safe.
class Dictionary {
 public:
  /// Throws Error for damage.
  Dictionary(const SchemaNode& column, const PageHeader& header, std::vector<std::byte> bytes);

  /// Throws Error for an index that is too large.
  Scalar at(std::uint32_t index) const;
  std::uint64_t memory_bytes() const noexcept {
    return bytes_.size() + offsets_.size() * sizeof(std::uint32_t);
  }

 private:
  SchemaNode column_;
  std::vector<std::byte> bytes_;
  std::vector<std::uint32_t> offsets_;  // of byte arrays
  std::uint32_t count_;
};

/// `values`: the bytes after the levels, which must outlive the decoder. `dictionary` may be null if the page
/// needs none. Throws Error for an encoding that the type of the column cannot have.
std::unique_ptr<ValueDecoder> decode_values(const SchemaNode& column, const PageHeader& header,
                                            std::span<const std::byte> values,
                                            std::shared_ptr<const Dictionary> dictionary);

}  // namespace shardmill::parquet
