#include "source/tree_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/text/json_reader.hpp"
#include "codec/codec.hpp"
#include "shard/tar_input.hpp"
#include "source/corpus_builder.hpp"

namespace shardmill::source {

namespace {

std::string unpacked(base::File& file) {
  std::string content;
  const auto reader = codec::open(file);
  while (const auto piece = reader->next()) {
    piece->prepare();
    for (auto bytes = piece->read(); !bytes.empty(); bytes = piece->read()) {
      content.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      if (content.size() > kTextLimitBytes)
        throw Error(fmt::format("is a text of more than {} bytes", kTextLimitBytes), at(file.path()));
    }
  }
  return content;
}

}  // namespace

std::string text_content(const std::string& path) {
  base::File file = base::File::open_read(path);
  return unpacked(file);
}

std::string text_content(base::File& file) {
  return unpacked(file);
}

std::string text_content(std::string&& bytes, const std::string& place) {
  const auto view = base::as_bytes(bytes);
  const auto codec = codec::detect(view.first(std::min(view.size(), codec::kDetectBytes)));
  if (codec == codec::Codec::none) return std::move(bytes);
  base::File file = base::memory_file(view, place);
  return unpacked(file);
}

namespace {

/// A text as it is, a number as it stands.
std::string text_of(const base::JsonValue& value) {
  std::string line = value.line();
  return line.starts_with('"') ? std::string(value.text()) : line;
}

/// Python's json writes these words for values that are not finite, and reads them. They are no JSON.
std::string with_null_for_nan(std::string_view json) {
  constexpr std::array<std::string_view, 3> kWords{"NaN", "-Infinity", "Infinity"};
  std::string plain;
  bool is_in_string = false;
  while (!json.empty()) {
    std::size_t bytes = 1;
    if (is_in_string && json.front() == '\\') {
      bytes = std::min<std::size_t>(2, json.size());
    } else if (json.front() == '"') {
      is_in_string = !is_in_string;
    } else if (const auto* word = std::ranges::find_if(
                   kWords, [json](std::string_view each) { return json.starts_with(each); });
               !is_in_string && word != kWords.end()) {
      plain += "null";
      json.remove_prefix(word->size());
      continue;
    }
    plain += json.substr(0, bytes);
    json.remove_prefix(bytes);
  }
  return plain;
}

/// Throws Error.
base::JsonValue parse(base::JsonParser& parser, std::string_view json) {
  try {
    return parser.parse(json);
  } catch (const Error&) {
    const std::string plain = with_null_for_nan(json);
    if (plain == json) throw;
    return parser.parse(plain);
  }
}

}  // namespace

std::string why_not_json(std::string_view json) {
  if (json.empty()) return "is empty";
  try {
    base::JsonParser parser;
    parse(parser, json);
    return {};
  } catch (const Error& error) {
    return fmt::format("is no JSON: {}", error.problem());
  }
}

namespace {

/// The member that is the transcript by its name: "text", or another usual name.
std::string_view text_name_in(const base::JsonValue& object) {
  if (object.find(kUsualTextField)) return kUsualTextField;
  std::vector<std::string_view> names;
  for (const auto& [name, value] : object.members()) names.push_back(name);
  return shard::usual_text_name(names);
}

}  // namespace

std::optional<SampleJson> read_sample_json(std::string_view json, std::string_view text_field,
                                           std::set<std::string, std::less<>> known) {
  try {
    base::JsonParser parser;
    const base::JsonValue object = parse(parser, json);
    if (!object.is_object()) return std::nullopt;
    if (text_field.empty()) text_field = text_name_in(object);
    SampleJson found;
    Facts facts;
    for (const auto& [name, value] : object.members()) {
      if (value.is_null()) continue;
      const bool holds_others = value.is_array() || value.is_object();
      if (name == text_field && !holds_others) {
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
