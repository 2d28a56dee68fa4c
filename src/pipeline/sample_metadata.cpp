#include "pipeline/sample_metadata.hpp"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "base/text/json_reader.hpp"
#include "source/sample_json.hpp"

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

}  // namespace

std::optional<SampleMetadata> read_metadata(std::string_view json, std::string_view text_field,
                                            std::string_view known) {
  auto found =
      source::read_sample_json(json, text_field.empty() ? kUsualTextField : text_field, names_in(known));
  if (!found) return std::nullopt;  // It is carried along like any other member.
  return SampleMetadata{.text = std::move(found->text), .facts = std::move(found->facts)};
}

std::string metadata_damage(std::string_view json) {
  std::string why = source::why_not_json(json);
  return why.empty() ? why : "has no transcript, and its .json member " + why;
}

}  // namespace shardmill::pipeline
