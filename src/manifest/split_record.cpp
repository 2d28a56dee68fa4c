#include "manifest/split_record.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "base/text/json_reader.hpp"
#include "base/text/json_writer.hpp"
#include "manifest/fields.hpp"

namespace shardmill::manifest {

namespace {

constexpr std::uint64_t kSplitVersion = 1;

void check_name(std::string_view name) {
  if (name.empty() || name.front() == '.' || name.find('/') != name.npos)
    throw Error(fmt::format("names a split '{}', which cannot be a folder", printable(name)));
}

SplitRecord read_split_fields(const base::JsonValue& json) {
  if (json["split_format_version"].unsigned_integer() > kSplitVersion)
    throw Error("was written by a newer shardmill", {}, "use a newer shardmill");
  SplitRecord record{.by = std::string(json["by"].text()),
                     .wanted = std::string(json["wanted"].text()),
                     .sizing = std::string(json["sizing"].text()),
                     .options = {},
                     .inputs_xxh3 = xxh3_field(json, "inputs_xxh3"),
                     .parts = {}};
  for (const auto& [name, value] : json["options"].members()) record.options.emplace_back(name, value.text());
  for (const auto& part : json["splits"].elements()) {
    record.parts.push_back({.name = std::string(part["name"].text()),
                            .shards = part["shards"].unsigned_integer(),
                            .samples = part["samples"].unsigned_integer(),
                            .seconds = seconds_field(part, "seconds"),
                            .groups = part["groups"].unsigned_integer()});
    check_name(record.parts.back().name);
  }
  return record;
}

}  // namespace

std::string to_json(const SplitRecord& record) {
  std::string out;
  base::JsonWriter json(out, base::JsonWriter::Layout::indented);
  json.begin_object().member("split_format_version", kSplitVersion);
  json.member("by", record.by).member("wanted", record.wanted).member("sizing", record.sizing);
  json.key("splits").begin_array();
  for (const SplitRecord::Part& part : record.parts) {
    json.begin_object().member("name", part.name).member("shards", part.shards);
    json.member("samples", part.samples).member("seconds", part.seconds);
    json.member("groups", part.groups).end_object();
  }
  json.end_array().key("options").begin_object();
  for (const auto& [name, value] : record.options) json.member(name, value);
  json.end_object().member("inputs_xxh3", record.inputs_xxh3.hex()).end_object();
  out += '\n';
  return out;
}

SplitRecord read_split_record(const std::string& path) {
  const std::string text = base::read_text(path);
  base::JsonParser parser;
  try {
    return read_split_fields(parser.parse(text));
  } catch (const Error& error) {
    throw error.within(at(path));
  }
}

bool is_other_json(const std::string& path) {
  try {
    const std::string text = base::read_text(path);
    base::JsonParser parser;
    const base::JsonValue json = parser.parse(text);
    return !json.is_object() || !json.find("split_format_version");
  } catch (const Error&) {
    return false;
  }
}

std::vector<std::string> split_names(const std::string& folder) {
  const std::string path = folder + "/" + std::string(kSplit);
  if (!base::may_exist(path)) return {};
  std::vector<std::string> names;
  try {
    for (const SplitRecord::Part& part : read_split_record(path).parts) names.push_back(part.name);
  } catch (const Error&) {
    return {};  // somebody else's file
  }
  return names;
}

}  // namespace shardmill::manifest
