// JsonWriter: writes JSON. The same values always give the same bytes; members keep the order of the calls.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace shardmill::base {

/// Appends to a string that the caller owns and may empty between documents. One thread at a time.
///
///   JsonWriter json(out);
///   json.begin_object().member("key", key).member("seconds", 1.5).end_object();
///
/// A text never has a line end: control characters, and the characters that some readers take as a line end
/// (U+0085, U+2028, U+2029), are escaped. Bytes that are not UTF-8 become U+FFFD. A double is written with
/// the fewest digits that read back the same, and always looks like a double (2.0); NaN and infinities become
/// null.
class JsonWriter {
 public:
  enum class Layout { line, indented };  // line: no blanks at all; indented: two blanks per level, for people

  explicit JsonWriter(std::string& out, Layout layout = Layout::line) : out_(out), layout_(layout) {}

  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }
  /// The name of the next value; inside objects only.
  JsonWriter& key(std::string_view name);

  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(double number);
  JsonWriter& value(bool truth);
  JsonWriter& null();
  /// A number that is JSON text already.
  JsonWriter& number(std::string_view text);
  template <std::unsigned_integral Number>
  requires(!std::same_as<Number, bool>) JsonWriter& value(Number number) { return unsigned_value(number); }
  template <std::signed_integral Number>
  JsonWriter& value(Number number) {
    return signed_value(number);
  }

  template <typename Value>
  JsonWriter& member(std::string_view name, const Value& content) {
    return key(name).value(content);
  }
  /// Adds members that are JSON text already, without the braces. Only for Layout::line.
  JsonWriter& members(std::string_view text);

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  JsonWriter& unsigned_value(std::uint64_t number);
  JsonWriter& signed_value(std::int64_t number);
  void begin_value();
  void new_line();

  std::string& out_;
  Layout layout_;
  std::size_t depth_ = 0;
  bool first_ = true;       // the innermost object or array is empty so far
  bool after_key_ = false;  // a key was written, its value comes next
};

/// Appends `text` as a JSON string with its quotes.
void append_json_string(std::string& out, std::string_view text);

/// `text` as a JSON string with its quotes, which YAML reads, too.
std::string json_string(std::string_view text);

}  // namespace shardmill::base
