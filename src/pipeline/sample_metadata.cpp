#include "pipeline/sample_metadata.hpp"

#include <fmt/format.h>

#include <set>

#include "base/error.hpp"
#include "base/text/json_reader.hpp"
#include "source/corpus_builder.hpp"

namespace shardmill::pipeline {

namespace {

std::set<std::string, std::less<>> names_in(std::string_view facts) {
  std::set<std::string, std::less<>> names;
  if (facts.empty()) return names;
  const std::string text = fmt::format("{{{}}}", facts);
  base::JsonParser parser;
  for (const auto& [name, value] : parser.parse(text).members()) names.emplace(name);
  return names;
}

/// A text as it is, a number as it stands.
std::string text_of(const base::JsonValue& value) {
  std::string line = value.line();
  return line.starts_with('"') ? std::string(value.text()) : line;
}

}  // namespace

std::optional<SampleMetadata> read_metadata(std::string_view json, std::string_view text_field,
                                            std::string_view known) {
  const std::string_view wanted = text_field.empty() ? kUsualTextField : text_field;
  try {
    base::JsonParser parser;
    const std::string copy(json);
    const base::JsonValue object = parser.parse(copy);
    if (!object.is_object()) return std::nullopt;
    std::set<std::string, std::less<>> names = names_in(known);
    SampleMetadata found{.text = std::nullopt, .facts = {}};
    source::Facts facts;
    for (const auto& [name, value] : object.members()) {
      if (name == wanted) {
        if (!value.is_null()) found.text = text_of(value);
      } else if (!value.is_null() && names.emplace(name).second) {
        facts.json(name, value.line());
        // NeMo's Lhotse reader goes by this one.
        if (name == "language" && !object.find("lang") && names.emplace("lang").second)
          facts.json("lang", value.line());
      }
    }
    found.facts = facts.members();
    return found;
  } catch (const Error&) {
    return std::nullopt;  // It is carried along like any other member.
  }
}

}  // namespace shardmill::pipeline
