#include "parquet/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/error.hpp"

namespace shardmill::parquet {

namespace {

constexpr std::uint32_t kByteBits = 8;
constexpr std::size_t kInt96Bytes = 12;

Error too_short() {
  return Error("holds fewer values than it says");
}

std::span<const std::byte> take(std::span<const std::byte>& rest, std::uint64_t count) {
  if (count > rest.size()) throw too_short();
  const auto taken = rest.first(static_cast<std::size_t>(count));
  rest = rest.subspan(taken.size());
  return taken;
}

std::uint64_t take_varint(std::span<const std::byte>& rest) {
  constexpr unsigned kBits = 64;
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < kBits; shift += 7) {
    const auto next = std::to_integer<std::uint64_t>(take(rest, 1).front());
    value |= (next & 0x7f) << shift;
    if (next < 0x80) return value;
  }
  throw Error("holds a number that is too long");
}

/// The bytes of a value of a fixed size; 0 for the others.
std::size_t width_of(const SchemaNode& column) {
  switch (column.type) {
    case Physical::int32:
    case Physical::float32:
      return 4;
    case Physical::int64:
    case Physical::float64:
      return 8;
    case Physical::int96:
      return kInt96Bytes;
    case Physical::fixed_bytes:
      return column.fixed_bytes;
    default:
      return 0;
  }
}

Scalar fixed_value(const SchemaNode& column, std::span<const std::byte> bytes) {
  switch (column.type) {
    case Physical::int32:
      return {.integer = static_cast<std::int32_t>(little_endian(bytes))};
    case Physical::int64:
      return {.integer = static_cast<std::int64_t>(little_endian(bytes))};
    case Physical::float32:
      return {.real = static_cast<double>(
                  std::bit_cast<float>(static_cast<std::uint32_t>(little_endian(bytes))))};
    case Physical::float64:
      return {.real = std::bit_cast<double>(little_endian(bytes))};
    default:
      return {.bytes = bytes};
  }
}

class PlainDecoder final : public ValueDecoder {
 public:
  PlainDecoder(const SchemaNode& column, std::span<const std::byte> values)
      : column_(column), width_(width_of(column)), rest_(values) {}

  Scalar next() override {
    const std::uint64_t bytes = width_ != 0 ? width_ : little_endian(take(rest_, 4));
    return fixed_value(column_, take(rest_, bytes));
  }

 private:
  const SchemaNode& column_;
  std::size_t width_;
  std::span<const std::byte> rest_;
};

class PlainBooleans final : public ValueDecoder {
 public:
  explicit PlainBooleans(std::span<const std::byte> values) : values_(values) {}

  Scalar next() override {
    if (at_ / kByteBits >= values_.size()) throw too_short();
    const auto byte = std::to_integer<unsigned>(values_[at_ / kByteBits]);
    return {.integer = static_cast<std::int64_t>(byte >> at_++ % kByteBits & 1)};
  }

 private:
  std::span<const std::byte> values_;
  std::size_t at_ = 0;
};

class RunBooleans final : public ValueDecoder {
 public:
  explicit RunBooleans(std::span<const std::byte> values) {
    const std::uint64_t bytes = little_endian(take(values, 4));
    runs_ = HybridDecoder(take(values, bytes), 1);
  }

  Scalar next() override { return {.integer = runs_.next()}; }

 private:
  HybridDecoder runs_;
};

class DictionaryDecoder final : public ValueDecoder {
 public:
  DictionaryDecoder(std::span<const std::byte> values, std::shared_ptr<const Dictionary> dictionary)
      : dictionary_(std::move(dictionary)) {
    indexes_ = HybridDecoder(values.subspan(1), std::to_integer<std::uint32_t>(values.front()));
  }

  Scalar next() override { return dictionary_->at(indexes_.next()); }

 private:
  std::shared_ptr<const Dictionary> dictionary_;
  HybridDecoder indexes_;
};

/// DELTA_BINARY_PACKED: differences in blocks of miniblocks, each with a width of its own.
class DeltaIntegers {
 public:
  DeltaIntegers() = default;
  explicit DeltaIntegers(std::span<const std::byte> values) : rest_(values) {
    constexpr std::uint64_t kMostInBlock = 1 << 20;
    const std::uint64_t block = take_varint(rest_);
    miniblocks_ = take_varint(rest_);
    left_ = take_varint(rest_);
    next_value_ = zigzag();
    if (miniblocks_ == 0 || block > kMostInBlock || block % miniblocks_ != 0 ||
        block / miniblocks_ % kByteBits != 0)
      throw Error("holds differences in blocks of an impossible size");
    in_miniblock_ = block / miniblocks_;
    if (in_miniblock_ == 0) throw Error("holds differences in blocks of an impossible size");
  }

  std::uint64_t count() const noexcept { return left_; }

  std::int64_t next() {
    if (left_ == 0) throw too_short();
    const std::uint64_t value = next_value_;
    if (--left_ > 0) next_value_ += next_difference();
    return static_cast<std::int64_t>(value);
  }

  /// All bytes after the numbers. Only before the first next().
  std::span<const std::byte> after() const {
    DeltaIntegers rest = *this;
    while (rest.left_ > 1) {
      rest.begin_block();
      while (rest.left_ > 1 && rest.miniblock_ < rest.miniblocks_) {
        rest.begin_miniblock(rest.left_ - 1);
        rest.left_ -= std::min(rest.in_miniblock_, rest.left_ - 1);
      }
    }
    return rest.rest_;
  }

 private:
  std::uint64_t zigzag() {
    const std::uint64_t bits = take_varint(rest_);
    return bits >> 1 ^ (~(bits & 1) + 1);
  }

  void begin_block() {
    least_ = zigzag();
    widths_ = take(rest_, miniblocks_);
    miniblock_ = 0;
  }

  /// `wanted`: how many differences are still needed, of this one and of those that follow.
  void begin_miniblock(std::uint64_t wanted) {
    constexpr std::uint32_t kMostBits = 64;
    width_ = std::to_integer<std::uint32_t>(widths_[miniblock_++]);
    if (width_ > kMostBits) throw Error("holds differences of an impossible width");
    // The last one may be cut, where the rest of its numbers is not needed.
    const std::uint64_t bytes = in_miniblock_ / kByteBits * width_;
    const std::uint64_t needed = (std::min(in_miniblock_, wanted) * width_ + kByteBits - 1) / kByteBits;
    if (needed > rest_.size()) throw too_short();
    packed_ = take(rest_, std::min<std::uint64_t>(bytes, rest_.size()));
    bit_ = 0;
    in_this_ = in_miniblock_;
  }

  std::uint64_t next_difference() {
    if (in_this_ == 0) {
      if (miniblock_ == miniblocks_ || widths_.empty()) begin_block();
      begin_miniblock(left_);
    }
    --in_this_;
    std::uint64_t value = 0;
    for (std::uint32_t got = 0; got < width_;) {
      const std::uint64_t byte =
          std::to_integer<std::uint64_t>(packed_[bit_ / kByteBits]) >> bit_ % kByteBits;
      const auto bits = static_cast<std::uint32_t>(kByteBits - bit_ % kByteBits);
      value |= byte << got;
      const std::uint32_t used = std::min(bits, width_ - got);
      got += used;
      bit_ += used;
    }
    if (width_ < 64) value &= (std::uint64_t{1} << width_) - 1;
    return value + least_;
  }

  std::span<const std::byte> rest_;
  std::uint64_t miniblocks_ = 0;
  std::uint64_t in_miniblock_ = 0;
  std::uint64_t left_ = 0;
  std::uint64_t next_value_ = 0;
  std::uint64_t least_ = 0;
  std::span<const std::byte> widths_;
  std::uint64_t miniblock_ = 0;
  std::uint64_t in_this_ = 0;
  std::uint32_t width_ = 0;
  std::span<const std::byte> packed_;
  std::uint64_t bit_ = 0;
};

class DeltaDecoder final : public ValueDecoder {
 public:
  DeltaDecoder(const SchemaNode& column, std::span<const std::byte> values)
      : is_small_(column.type == Physical::int32), integers_(values) {}

  Scalar next() override {
    const std::int64_t value = integers_.next();
    return {.integer = is_small_ ? static_cast<std::int32_t>(value) : value};
  }

 private:
  bool is_small_;
  DeltaIntegers integers_;
};

/// DELTA_LENGTH_BYTE_ARRAY: all lengths, then all bytes.
class DeltaLengths {
 public:
  DeltaLengths() = default;
  explicit DeltaLengths(std::span<const std::byte> values) : lengths_(values), rest_(lengths_.after()) {}

  std::span<const std::byte> next() {
    const std::int64_t length = lengths_.next();
    if (length < 0 || length > INT32_MAX) throw Error("holds a value of an impossible size");
    return take(rest_, static_cast<std::uint64_t>(length));
  }

 private:
  DeltaIntegers lengths_;
  std::span<const std::byte> rest_;
};

class DeltaLengthDecoder final : public ValueDecoder {
 public:
  explicit DeltaLengthDecoder(std::span<const std::byte> values) : values_(values) {}
  Scalar next() override { return {.bytes = values_.next()}; }

 private:
  DeltaLengths values_;
};

/// DELTA_BYTE_ARRAY: the length of the prefix that each value shares with the one before, then the rest.
class DeltaBytesDecoder final : public ValueDecoder {
 public:
  DeltaBytesDecoder(const SchemaNode& column, std::span<const std::byte> values)
      : column_(column), prefixes_(values), suffixes_(prefixes_.after()) {}

  Scalar next() override {
    const std::int64_t prefix = prefixes_.next();
    if (prefix < 0 || static_cast<std::uint64_t>(prefix) > value_.size())
      throw Error("holds a value whose shared prefix is longer than the value before it");
    const auto suffix = suffixes_.next();
    value_.resize(static_cast<std::size_t>(prefix));
    value_.insert(value_.end(), suffix.begin(), suffix.end());
    if (column_.type == Physical::fixed_bytes && value_.size() != column_.fixed_bytes)
      throw Error("holds a value of another size than its column");
    return {.bytes = value_};
  }

 private:
  const SchemaNode& column_;
  DeltaIntegers prefixes_;
  DeltaLengths suffixes_;
  std::vector<std::byte> value_;
};

/// BYTE_STREAM_SPLIT: the first bytes of all values, then their second bytes, and so on.
class SplitDecoder final : public ValueDecoder {
 public:
  SplitDecoder(const SchemaNode& column, std::span<const std::byte> values)
      : column_(column), values_(values), value_(width_of(column)), count_(values.size() / value_.size()) {
    if (values.size() % value_.size() != 0) throw Error("holds a part of a value");
  }

  Scalar next() override {
    if (at_ == count_) throw too_short();
    for (std::size_t i = 0; i < value_.size(); ++i) value_[i] = values_[i * count_ + at_];
    ++at_;
    return fixed_value(column_, value_);
  }

 private:
  const SchemaNode& column_;
  std::span<const std::byte> values_;
  std::vector<std::byte> value_;
  std::size_t count_;
  std::size_t at_ = 0;
};

/// Of a page of nulls, for which writers may leave everything out.
class NoValues final : public ValueDecoder {
 public:
  Scalar next() override { throw too_short(); }
};

}  // namespace

HybridDecoder::HybridDecoder(std::span<const std::byte> bytes, std::uint32_t width)
    : rest_(bytes), width_(width) {
  constexpr std::uint32_t kMostBits = 32;
  if (width > kMostBits) throw Error("holds numbers of an impossible width");
}

std::uint32_t HybridDecoder::next() {
  if (width_ == 0) return 0;
  while (repeats_ == 0 && packed_ == 0) begin_run();
  if (repeats_ > 0) {
    --repeats_;
    return repeated_;
  }
  --packed_;
  while (bits_left_ < width_) {
    if (rest_.empty()) throw too_short();
    bits_ |= std::to_integer<std::uint64_t>(rest_.front()) << bits_left_;
    rest_ = rest_.subspan(1);
    bits_left_ += kByteBits;
  }
  const auto value = static_cast<std::uint32_t>(bits_ & ((std::uint64_t{1} << width_) - 1));
  bits_ >>= width_;
  bits_left_ -= width_;
  return value;
}

void HybridDecoder::begin_run() {
  constexpr std::uint64_t kGroup = 8;
  const std::uint64_t head = take_varint(rest_);
  bits_ = 0;
  bits_left_ = 0;
  if ((head & 1) != 0) {
    // The last group may be cut.
    packed_ = std::min<std::uint64_t>(head >> 1, UINT32_MAX) * kGroup;
    return;
  }
  repeats_ = head >> 1;
  repeated_ = static_cast<std::uint32_t>(little_endian(take(rest_, (width_ + kByteBits - 1) / kByteBits)));
}

Dictionary::Dictionary(const SchemaNode& column, const PageHeader& header, std::vector<std::byte> bytes)
    : column_(column), bytes_(std::move(bytes)), count_(header.values) {
  if (header.encoding != Encoding::plain && header.encoding != Encoding::plain_dictionary)
    throw Error("holds a dictionary in an impossible encoding");
  if (column_.type == Physical::boolean) throw Error("holds a dictionary of booleans");
  if (column_.type != Physical::byte_array) {
    if (bytes_.size() / width_of(column_) < count_) throw too_short();
    return;
  }
  auto rest = std::span<const std::byte>(bytes_);
  while (offsets_.size() < count_) {
    offsets_.push_back(static_cast<std::uint32_t>(bytes_.size() - rest.size()));
    take(rest, little_endian(take(rest, 4)));
  }
}

Scalar Dictionary::at(std::uint32_t index) const {
  if (index >= count_)
    throw Error(fmt::format("names value {} of a dictionary, which has {}", index, count_));
  auto rest = std::span<const std::byte>(bytes_);
  if (column_.type == Physical::byte_array) {
    rest = rest.subspan(offsets_[index]);
    return {.bytes = take(rest, little_endian(take(rest, 4)))};
  }
  const std::size_t width = width_of(column_);
  return fixed_value(column_, rest.subspan(index * width, width));
}

std::unique_ptr<ValueDecoder> decode_values(const SchemaNode& column, const PageHeader& header,
                                            std::span<const std::byte> values,
                                            std::shared_ptr<const Dictionary> dictionary) {
  const bool is_integer = column.type == Physical::int32 || column.type == Physical::int64;
  const bool is_bytes = column.type == Physical::byte_array;
  if (values.empty()) return std::make_unique<NoValues>();
  switch (header.encoding) {
    case Encoding::plain:
      if (column.type == Physical::boolean) return std::make_unique<PlainBooleans>(values);
      return std::make_unique<PlainDecoder>(column, values);
    case Encoding::plain_dictionary:
    case Encoding::rle_dictionary:
      if (!dictionary) throw Error("needs a dictionary, and its column has none");
      return std::make_unique<DictionaryDecoder>(values, std::move(dictionary));
    case Encoding::rle:
      if (column.type == Physical::boolean) return std::make_unique<RunBooleans>(values);
      break;
    case Encoding::delta_binary_packed:
      if (is_integer) return std::make_unique<DeltaDecoder>(column, values);
      break;
    case Encoding::delta_length_byte_array:
      if (is_bytes) return std::make_unique<DeltaLengthDecoder>(values);
      break;
    case Encoding::delta_byte_array:
      if (is_bytes || column.type == Physical::fixed_bytes)
        return std::make_unique<DeltaBytesDecoder>(column, values);
      break;
    case Encoding::byte_stream_split:
      if (width_of(column) != 0) return std::make_unique<SplitDecoder>(column, values);
      break;
    case Encoding::bit_packed:
      break;
  }
  throw Error(fmt::format("holds values in an encoding ({}) that their type cannot have",
                          static_cast<int>(header.encoding)));
}

}  // namespace shardmill::parquet
