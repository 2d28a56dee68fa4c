#include "source/sample_json.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text/json_reader.hpp"
#include "source/corpus_builder.hpp"

namespace shardmill::source {

namespace {

/// A text as it is, a number as it stands.
std::string text_of(const base::JsonValue& value) {
  std::string line = value.line();
  return line.starts_with('"') ? std::string(value.text()) : line;
}

}  // namespace

std::string why_not_json(std::string_view json) {
  if (json.empty()) return "is empty";
  try {
    base::JsonParser parser;
    const std::string copy(json);
    parser.parse(copy);
    return {};
  } catch (const Error& error) {
    return fmt::format("is no JSON: {}", error.problem());
  }
}

std::optional<SampleJson> read_sample_json(std::string_view json, std::string_view text_field,
                                           std::set<std::string, std::less<>> known) {
  try {
    base::JsonParser parser;
    const std::string copy(json);
    const base::JsonValue object = parser.parse(copy);
    if (!object.is_object()) return std::nullopt;
    SampleJson found;
    Facts facts;
    for (const auto& [name, value] : object.members()) {
      if (value.is_null()) continue;
      if (name == text_field) {
        found.text = text_of(value);
      } else if (known.emplace(name).second) {
        facts.json(name, value.line());
        // NeMo's Lhotse reader goes by this one.
        if (name == "language" && !object.find("lang") && known.emplace("lang").second)
          facts.json("lang", value.line());
      }
    }
    found.facts = facts.members();
    return found;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace shardmill::source
