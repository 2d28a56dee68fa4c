// JsonFieldWriter and JsonFieldReader: one description of a record's fields writes it as JSON and reads it
// again, strictly.
//
//   template <base::Either<Point> Record>
//   void describe(auto& fields, Record& point) {
//     fields("x", point.x);
//     fields.if_any("name", point.name);
//   }
//
//   std::string text = json_document(point);
//   point = read_json_document<Point>(path);
//
// Members have the order of the description. A std::optional without a value is left out. Errors name the
// member, and files and lines where they are known.
//
// Seals: a hash at the end of a file, so that any later change is found. For files without a checksum in
// another file.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/hash/hash.hpp"
#include "base/io/binary_fields.hpp"
#include "base/io/file.hpp"
#include "base/text/json_reader.hpp"
#include "base/text/json_writer.hpp"

namespace shardmill::manifest {

/// A number that is 0 or more. This and the next two throw Error, which names no file.
double seconds_field(const base::JsonValue& object, std::string_view name);
/// 32 lower-case hexadecimal digits.
base::Xxh128 xxh3_field(const base::JsonValue& object, std::string_view name);
/// 64 lower-case hexadecimal digits.
std::string sha256_field(const base::JsonValue& object, std::string_view name);
bool is_sha256(std::string_view hex);

/// Names and values in their order: an object.
using JsonTexts = std::vector<std::pair<std::string, std::string>>;

class JsonFieldWriter {
 public:
  explicit JsonFieldWriter(base::JsonWriter& json) : json_(json) {}

  template <typename Value>
  void operator()(std::string_view name, const Value& value) {
    json_.key(name);
    write(value);
  }
  template <typename Value>
  void operator()(std::string_view name, const std::optional<Value>& value) {
    if (value) (*this)(name, *value);
  }
  /// Leaves out a value that is empty or 0.
  template <typename Value>
  void if_any(std::string_view name, const Value& value) {
    if (!is_nothing(value)) (*this)(name, value);
  }
  /// A number that is 0 or more.
  void seconds(std::string_view name, double value) { (*this)(name, value); }
  /// 32 hexadecimal digits.
  void xxh3(std::string_view name, const base::Xxh128& value) { (*this)(name, value.hex()); }
  /// 64 hexadecimal digits.
  void sha256(std::string_view name, const std::string& value) { (*this)(name, value); }
  /// A path inside the dataset's folder.
  void inner_path(std::string_view name, const std::string& value) { (*this)(name, value); }
  /// Two places. The second is not before the first.
  void range(std::string_view name, std::uint64_t begin, std::uint64_t end) {
    json_.key(name).begin_array().value(begin).value(end).end_array();
  }
  template <typename Range>
  void range(std::string_view name, const std::optional<Range>& places) {
    if (places) range(name, places->begin, places->end);
  }
  /// A value of an enumeration. `read` gives it for its text, or nullopt.
  template <typename Value, typename Read>
  void word(std::string_view member, const Value& value, const Read&) {
    (*this)(member, name(value));
  }
  /// Records by the names that `key` holds: an object of objects.
  template <typename Record, typename Key>
  void keyed(std::string_view name, const std::vector<Record>& records, Key Record::*key) {
    json_.key(name).begin_object();
    for (const Record& record : records) (*this)(record.*key, record);
    json_.end_object();
  }
  /// A value that follows from others: it is written, and not read.
  template <typename Value>
  void derived(std::string_view name, const Value& value) {
    (*this)(name, value);
  }
  /// The version of the format, which must not be newer than `known`.
  void version(std::string_view name, std::uint64_t known) { (*this)(name, known); }

 private:
  template <typename Value>
  static bool is_nothing(const Value& value) {
    if constexpr (std::integral<Value>) {
      return value == Value{};
    } else {
      return value.empty();
    }
  }

  template <typename Value>
  requires std::convertible_to<Value, std::string_view> || std::integral<Value> || std::same_as<Value, double>
  void write(const Value& value) { json_.value(value); }
  void write(const JsonTexts& texts) { write_object(texts); }
  template <typename Value>
  void write(const std::map<std::string, Value>& values) {
    write_object(values);
  }
  template <typename Value>
  void write(const std::vector<Value>& values) {
    json_.begin_array();
    for (const Value& value : values) write(value);
    json_.end_array();
  }
  template <typename Record>
  requires std::is_aggregate_v<Record>
  void write(const Record& record) {
    json_.begin_object();
    describe(*this, record);
    json_.end_object();
  }
  template <typename Members>
  void write_object(const Members& members) {
    json_.begin_object();
    for (const auto& [name, value] : members) (*this)(name, value);
    json_.end_object();
  }

  base::JsonWriter& json_;
};

class JsonFieldReader {
 public:
  explicit JsonFieldReader(const base::JsonValue& json) : json_(json) {}

  template <typename Value>
  void operator()(std::string_view name, Value& value) {
    read(json_[name], value);
  }
  template <typename Value>
  void operator()(std::string_view name, std::optional<Value>& value) {
    value.reset();
    const auto found = json_.find(name);
    if (!found) return;
    value = Value{};  // clang has no emplace() for records that are nested in their users
    read(*found, *value);
  }
  template <typename Value>
  void if_any(std::string_view name, Value& value) {
    if (const auto found = json_.find(name)) {
      read(*found, value);
    } else {
      value = Value{};
    }
  }
  void seconds(std::string_view name, double& value) { value = seconds_field(json_, name); }
  void xxh3(std::string_view name, base::Xxh128& value);
  void sha256(std::string_view name, std::string& value) { value = sha256_field(json_, name); }
  void inner_path(std::string_view name, std::string& value);
  void range(std::string_view name, std::uint64_t& begin, std::uint64_t& end);
  template <typename Range>
  void range(std::string_view name, std::optional<Range>& places) {
    places.reset();
    if (!json_.find(name)) return;
    places = Range{};
    range(name, places->begin, places->end);
  }
  template <typename Value, typename Read>
  void word(std::string_view name, Value& value, const Read& read) {
    const std::string_view text = json_[name].text();
    const auto known = read(text);
    if (!known) throw_unknown(name, text);
    value = *known;
  }
  template <typename Record, typename Key>
  void keyed(std::string_view name, std::vector<Record>& records, Key Record::*key) {
    records.clear();
    for (const auto& [each, value] : json_[name].members()) {
      Record& record = records.emplace_back();
      record.*key = each;
      read(value, record);
    }
  }
  template <typename Value>
  void derived(std::string_view, const Value&) {}
  void version(std::string_view name, std::uint64_t known);

 private:
  [[noreturn]] static void throw_unknown(std::string_view name, std::string_view text);

  template <std::unsigned_integral Number>
  static void read(const base::JsonValue& json, Number& number) {
    number = static_cast<Number>(json.unsigned_integer(std::numeric_limits<Number>::max()));
  }
  static void read(const base::JsonValue& json, bool& truth) { truth = json.line() == "true"; }
  static void read(const base::JsonValue& json, std::int64_t& number) { number = json.integer(); }
  static void read(const base::JsonValue& json, double& number) { number = json.number(); }
  static void read(const base::JsonValue& json, std::string& text) { text = json.text(); }
  static void read(const base::JsonValue& json, JsonTexts& texts) {
    texts.clear();
    for (const auto& [name, value] : json.members()) texts.emplace_back(name, value.text());
  }
  template <typename Value>
  static void read(const base::JsonValue& json, std::map<std::string, Value>& values) {
    values.clear();
    for (const auto& [name, value] : json.members()) read(value, values[std::string(name)]);
  }
  template <typename Value>
  static void read(const base::JsonValue& json, std::vector<Value>& values) {
    values.clear();
    for (const base::JsonValue& value : json.elements()) read(value, values.emplace_back());
  }
  template <typename Record>
  requires std::is_aggregate_v<Record>
  static void read(const base::JsonValue& json, Record& record) {
    JsonFieldReader fields(json);
    describe(fields, record);
  }

  const base::JsonValue& json_;
};

/// Writes the members of a record.
template <typename Record>
void write_json_fields(base::JsonWriter& json, const Record& record) {
  JsonFieldWriter fields(json);
  describe(fields, record);
}

/// Fills every field. Throws Error, which names no file, for a missing or impossible field; ignores unknown
/// ones.
template <typename Record>
void read_json_fields(const base::JsonValue& json, Record& record) {
  JsonFieldReader fields(json);
  describe(fields, record);
}

/// One JSON object and a newline.
template <typename Record>
void append_json_line(std::string& out, const Record& record) {
  base::JsonWriter json(out);
  json.begin_object();
  write_json_fields(json, record);
  json.end_object();
  out += '\n';
}

/// The text of a file that is one record: indented JSON.
template <typename Record>
std::string json_document(const Record& record) {
  std::string out;
  base::JsonWriter json(out, base::JsonWriter::Layout::indented);
  json.begin_object();
  write_json_fields(json, record);
  json.end_object();
  return out + '\n';
}

/// Throws the Error that is being handled again, with its place.
[[noreturn]] void rethrow_at(const std::string& path);

/// Throws Error, which names the file, when it cannot be read or a field is missing or impossible;
/// NewerFormat when it was made by a later version of the program.
template <typename Record>
Record read_json_document(const std::string& path) {
  const std::string text = base::read_text(path);
  base::JsonParser parser;
  try {
    Record record;
    read_json_fields(parser.parse(text), record);
    return record;
  } catch (const Error&) {
    rethrow_at(path);
  }
}

/// Ends the JSON object that is the whole file, and seals it. `json` must write to `text`.
void end_sealed(base::JsonWriter& json, std::string& text);
/// Throws Error, which names no file, when the text has changed since it was sealed.
void check_seal(const std::string& text);

/// The text of a file that is one record: indented JSON. Its last member, self_xxh3, is the hash of the text
/// with zeros in place of the digits of the hash.
template <typename Record>
std::string sealed_document(const Record& record) {
  std::string out;
  base::JsonWriter json(out, base::JsonWriter::Layout::indented);
  json.begin_object();
  write_json_fields(json, record);
  end_sealed(json, out);
  return out;
}

/// Throws Error, which names the file, when any byte was changed, or a field is missing or impossible.
template <typename Record>
Record read_sealed(const std::string& path) {
  const std::string text = base::read_text(path);
  base::JsonParser parser;
  try {
    check_seal(text);
    Record record;
    read_json_fields(parser.parse(text), record);
    return record;
  } catch (const Error&) {
    rethrow_at(path);
  }
}

/// Ends an HTML page with a comment that seals it.
void end_sealed_page(std::string& text);
/// False for a page without a seal. Throws Error, which names no file, when the page has changed since it was
/// sealed.
bool check_page_seal(const std::string& text);

}  // namespace shardmill::manifest
