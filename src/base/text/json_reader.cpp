#include "base/text/json_reader.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <bit>
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

[[noreturn]] void refuse(std::string_view name, std::string_view what) {
  const std::string subject = name.empty() ? "the value" : fmt::format("'{}'", printable(name));
  throw Error(fmt::format("{} {}", subject, what));
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
      json.value(std::string_view{element});
      return;
    case dom::element_type::BOOL:
      json.value(bool{element});
      return;
    case dom::element_type::NULL_VALUE:
      json.null();
      return;
    // simdjson 4 knows numbers beyond 64 bits, too, but its parser refuses them by default.
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
  return get<std::string_view>(element_of(document_, index_), name_, "is not text");
}

double JsonValue::number() const {
  return get<double>(element_of(document_, index_), name_, "is not a number");
}

std::uint64_t JsonValue::unsigned_integer(std::uint64_t highest) const {
  const auto value =
      get<std::uint64_t>(element_of(document_, index_), name_, "is not a whole number from 0 on");
  if (value > highest) refuse(name_, fmt::format("is larger than {}", highest));
  return value;
}

std::int64_t JsonValue::integer() const {
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
  dom::element root;
  if (const auto failure = parser_->parser.parse(text.data(), text.size()).get(root)) {
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
