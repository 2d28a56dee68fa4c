// JsonParser: parses one JSON document after another. JsonValue: a view into the last document.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardmill::base {

/// A value in the document that a JsonParser holds; invalid after the next parse(). The accessors throw Error
/// for a value of another type. The error names the member ("'duration' is not a number"), but no file.
class JsonValue {
 public:
  std::string_view text() const;
  double number() const;
  /// A whole number from 0 to `highest`.
  std::uint64_t unsigned_integer(std::uint64_t highest = UINT64_MAX) const;
  std::int64_t integer() const;
  std::vector<JsonValue> elements() const;  // the value must be an array
  /// The value must be an object; members in the order of the text.
  std::vector<std::pair<std::string_view, JsonValue>> members() const;
  bool is_object() const;
  bool is_array() const;
  bool is_null() const;
  /// The value in one line, in the form of JsonWriter.
  std::string line() const;

  /// The first member of an object with this name. Throws Error if it is missing. `name` must live as long as
  /// the value, for messages.
  JsonValue operator[](std::string_view name) const;
  std::optional<JsonValue> find(std::string_view name) const;

 private:
  friend class JsonParser;
  JsonValue(const void* document, std::size_t index, std::string_view name)
      : document_(document), index_(index), name_(name) {}

  const void* document_;
  std::size_t index_;
  std::string_view name_;
};

/// Strict: the text must be one whole JSON value in valid UTF-8, perhaps after a byte order mark. An object
/// may not have two members of one name; objects in it may. Whole numbers of more than 64 bits keep all their
/// digits in JsonValue::line(). One thread at a time.
class JsonParser {
 public:
  JsonParser();
  JsonParser(JsonParser&&) noexcept;
  JsonParser& operator=(JsonParser&&) noexcept;
  ~JsonParser();

  /// `text` need not outlive the call. Throws Error that names no file.
  JsonValue parse(std::string_view text);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

/// The version of the library that parses.
std::string simdjson_version();

}  // namespace shardmill::base
