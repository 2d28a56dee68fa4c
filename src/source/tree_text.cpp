#include "source/tree_text.hpp"

#include <fmt/format.h>

#include <algorithm>
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
    const std::string copy(json);
    const base::JsonValue object = parser.parse(copy);
    if (!object.is_object()) return std::nullopt;
    if (text_field.empty()) text_field = text_name_in(object);
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
