#include "base/text/json_reader.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/text/json_writer.hpp"

namespace shardmill::base {

namespace {

namespace dom = simdjson::dom;

/// The contents of a dom::element, in a form with which our header need not include the library's.
struct Handle {
  const void* document;
  std::size_t index;
};
static_assert(sizeof(Handle) == sizeof(dom::element) && std::is_trivially_copyable_v<dom::element>);

dom::element element_of(const void* document, std::size_t index) {
  return std::bit_cast<dom::element>(Handle{document, index});
}

/// simdjson reads no whole numbers beyond 64 bits. Where there are some, the text is parsed again with
/// strings of this mark and the digits in their place.
constexpr std::string_view kLongNumberMark = "\x01number:";

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_whole_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return is_digits(text) && (text.size() == 1 || text.front() != '0');
}

bool fits_64_bits(std::string_view number) {
  std::int64_t negative = 0;
  std::uint64_t positive = 0;
  const char* const end = number.data() + number.size();
  return number.starts_with('-') ? std::from_chars(number.data(), end, negative).ec == std::errc()
                                 : std::from_chars(number.data(), end, positive).ec == std::errc();
}

/// The digits of such a number; empty for any other element.
std::string_view long_number(dom::element element) {
  std::string_view text;
  if (element.get(text) != simdjson::SUCCESS || !text.starts_with(kLongNumberMark)) return {};
  text.remove_prefix(kLongNumberMark.size());
  return is_whole_number(text) ? text : std::string_view();
}

/// Returns the size of the string at the start of `text`, with its quotes.
std::size_t string_bytes(std::string_view text) {
  std::size_t at = 1;
  while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
  return std::min(at + 1, text.size());
}

/// The text with strings in place of its numbers beyond 64 bits; nullopt if it has none.
std::optional<std::string> with_marked_numbers(std::string_view text) {
  constexpr std::string_view kInNumbers = "+-.0123456789Ee";
  std::string marked;
  bool has_any = false;
  while (!text.empty()) {
    const bool is_string = text.front() == '"';
    const std::size_t in_number = std::min(text.find_first_not_of(kInNumbers), text.size());
    const std::size_t bytes = is_string ? string_bytes(text) : std::max<std::size_t>(in_number, 1);
    const std::string_view token = text.substr(0, bytes);
    if (!is_string && is_whole_number(token) && !fits_64_bits(token)) {
      marked += fmt::format(R"("\u0001{}{}")", kLongNumberMark.substr(1), token);
      has_any = true;
    } else {
      marked += token;
    }
    text.remove_prefix(bytes);
  }
  return has_any ? std::optional(std::move(marked)) : std::nullopt;
}

[[noreturn]] void refuse(std::string_view name, std::string_view what) {
  const std::string subject = name.empty() ? "the value" : fmt::format("'{}'", printable(name));
  throw Error(fmt::format("{} {}", subject, what));
}

void refuse_long(dom::element element, std::string_view name) {
  if (!long_number(element).empty()) refuse(name, "is beyond 64 bits");
}

void write(dom::element element, JsonWriter& json) {
  switch (element.type()) {
    case dom::element_type::ARRAY:
      json.begin_array();
      for (const dom::element inner : dom::array(element)) write(inner, json);
      json.end_array();
      return;
    case dom::element_type::OBJECT:
      json.begin_object();
      for (const auto member : dom::object(element)) write(member.value, json.key(member.key));
      json.end_object();
      return;
    case dom::element_type::INT64:
      json.value(std::int64_t{element});
      return;
    case dom::element_type::UINT64:
      json.value(std::uint64_t{element});
      return;
    case dom::element_type::DOUBLE:
      json.value(double{element});
      return;
    case dom::element_type::STRING:
      if (const std::string_view digits = long_number(element); !digits.empty()) {
        json.number(digits);
        return;
      }
      json.value(std::string_view{element});
      return;
    case dom::element_type::BOOL:
      json.value(bool{element});
      return;
    case dom::element_type::NULL_VALUE:
      json.null();
      return;
    // simdjson 4 has a type for numbers beyond 64 bits, but its parser refuses them by default.
    default:
      return;
  }
}

template <typename Wanted>
Wanted get(dom::element element, std::string_view name, std::string_view what) {
  Wanted wanted{};
  if (element.get(wanted) != simdjson::SUCCESS) refuse(name, what);
  return wanted;
}

/// Programs differ in which of two members with one name they take.
void check_unique_names(dom::element root) {
  dom::object object;
  if (root.get(object) != simdjson::SUCCESS) return;
  std::vector<std::string_view> names;
  for (const auto member : object) names.push_back(member.key);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) throw Error(fmt::format("has two members '{}'", printable(std::string(*twice))));
}

}  // namespace

struct JsonParser::Parser {
  dom::parser parser;
};

std::string_view JsonValue::text() const {
  if (!long_number(element_of(document_, index_)).empty()) refuse(name_, "is not text");
  return get<std::string_view>(element_of(document_, index_), name_, "is not text");
}

double JsonValue::number() const {
  if (const std::string_view digits = long_number(element_of(document_, index_)); !digits.empty()) {
    double value = 0;
    const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (end.ec != std::errc()) refuse(name_, "is too large");
    return value;
  }
  return get<double>(element_of(document_, index_), name_, "is not a number");
}

std::uint64_t JsonValue::unsigned_integer(std::uint64_t highest) const {
  refuse_long(element_of(document_, index_), name_);
  const auto value =
      get<std::uint64_t>(element_of(document_, index_), name_, "is not a whole number from 0 on");
  if (value > highest) refuse(name_, fmt::format("is larger than {}", highest));
  return value;
}

std::int64_t JsonValue::integer() const {
  refuse_long(element_of(document_, index_), name_);
  return get<std::int64_t>(element_of(document_, index_), name_, "is not a whole number");
}

std::vector<JsonValue> JsonValue::elements() const {
  std::vector<JsonValue> values;
  for (const dom::element value : get<dom::array>(element_of(document_, index_), name_, "is not an array")) {
    const auto handle = std::bit_cast<Handle>(value);
    values.push_back({handle.document, handle.index, name_});
  }
  return values;
}

std::vector<std::pair<std::string_view, JsonValue>> JsonValue::members() const {
  std::vector<std::pair<std::string_view, JsonValue>> values;
  for (const auto member : get<dom::object>(element_of(document_, index_), name_, "is not an object")) {
    const auto handle = std::bit_cast<Handle>(member.value);
    values.emplace_back(member.key, JsonValue(handle.document, handle.index, member.key));
  }
  return values;
}

bool JsonValue::is_array() const {
  return element_of(document_, index_).is_array();
}

bool JsonValue::is_object() const {
  return element_of(document_, index_).is_object();
}

JsonValue JsonValue::operator[](std::string_view name) const {
  const auto found = find(name);
  if (!found) refuse(name, "is missing");
  return *found;
}

bool JsonValue::is_null() const {
  return element_of(document_, index_).is_null();
}

std::string JsonValue::line() const {
  std::string text;
  JsonWriter json(text);
  write(element_of(document_, index_), json);
  return text;
}

std::optional<JsonValue> JsonValue::find(std::string_view name) const {
  const auto object = get<dom::object>(element_of(document_, index_), name_, "is not an object");
  dom::element element;
  if (object.at_key(name).get(element) != simdjson::SUCCESS) return std::nullopt;
  const auto handle = std::bit_cast<Handle>(element);
  return JsonValue(handle.document, handle.index, name);
}

JsonParser::JsonParser() : parser_(std::make_unique<Parser>()) {}
JsonParser::JsonParser(JsonParser&&) noexcept = default;
JsonParser& JsonParser::operator=(JsonParser&&) noexcept = default;
JsonParser::~JsonParser() = default;

JsonValue JsonParser::parse(std::string_view text) {
  if (text.data() == nullptr) text = "";  // simdjson passes it to memcpy, which takes no null pointer
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  while (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  dom::element root;
  auto failure = parser_->parser.parse(text.data(), text.size()).get(root);
  if (failure) {
    if (const auto marked = with_marked_numbers(text)) failure = parser_->parser.parse(*marked).get(root);
  }
  if (failure) {
    throw Error(fmt::format("is not valid JSON: {}", simdjson::error_message(failure)));
  }
  check_unique_names(root);
  const auto handle = std::bit_cast<Handle>(root);
  return {handle.document, handle.index, {}};
}

std::string simdjson_version() {
  return fmt::format("{}.{}.{}", static_cast<int>(simdjson::SIMDJSON_VERSION_MAJOR),
                     static_cast<int>(simdjson::SIMDJSON_VERSION_MINOR),
                     static_cast<int>(simdjson::SIMDJSON_VERSION_REVISION));
}

}  // namespace shardmill::base
