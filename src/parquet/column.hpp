// Column: what a column of a Parquet file is, and its values until they become a page of the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace shardmill::parquet {

using Sink = std::function<void(std::string_view bytes)>;

enum class ValueKind { boolean, int64, float64, bytes, text };

/// A null, or a value of the kind of its column; bytes and texts are views.
using Value = std::variant<std::monostate, bool, std::int64_t, double, std::string_view>;

struct Column {
  std::string name;
  ValueKind kind = ValueKind::text;
  std::string group{};  // the struct that it belongs to; columns of a struct stand together. Empty: none

  /// How many of the column and its struct may be null.
  std::uint8_t highest_level() const noexcept { return group.empty() ? 1 : 2; }
};

/// Parquet and Arrow count the bytes of a page, or of a value, in 31 bits. A page also has levels and sizes.
inline constexpr std::size_t kHighestValueBytes = std::numeric_limits<std::int32_t>::max() - (1 << 20);

/// Values of one column in the encoding PLAIN. One thread at a time.
class Page {
 public:
  explicit Page(const Column& column) : kind_(column.kind), level_(column.highest_level()) {}

  /// Throws std::bad_variant_access for a value of another kind.
  void add(const Value& value);
  std::size_t rows() const noexcept { return rows_; }
  /// Those of the values; the page is a little larger.
  std::size_t bytes() const noexcept { return values_.size(); }
  /// Gives the page with its header to `sink`, piece by piece, and says how many bytes it had. Empty again
  /// afterwards. Throws Error when it is too large for the form.
  std::uint64_t write(const Sink& sink);

 private:
  void add_boolean(bool value);

  ValueKind kind_;
  std::uint8_t level_;  // of a value; that of a null is one less
  std::size_t rows_ = 0;
  std::size_t booleans_ = 0;                                    // eight in a byte, without the nulls
  std::vector<std::pair<std::uint64_t, std::uint8_t>> levels_;  // how many in a row have which
  std::string values_;
};

}  // namespace shardmill::parquet
