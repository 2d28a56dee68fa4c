#include "manifest/run_record.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "manifest/json_fields.hpp"

namespace shardmill::manifest {

template <base::Either<RunRecord::Input> Record>
void describe(auto& fields, Record& input) {
  fields("dataset", input.dataset);
  fields("path", input.path);
  fields("bytes", input.bytes);
  fields("mtime_ns", input.mtime_ns);
}

template <base::Either<RunRecord::Event> Record>
void describe(auto& fields, Record& event) {
  fields.if_any("update", event.update);
  fields("command", event.command);
  fields("started", event.started);
  fields.seconds("seconds", event.seconds);
}

template <base::Either<RunRecord> Record>
void describe(auto& fields, Record& record) {
  fields("command", record.command);
  fields("started", record.started);
  fields.seconds("seconds", record.seconds);
  fields("resumed", record.resumed);
  fields("host", record.host);
  fields("system", record.system);
  fields("cpu", record.cpu);
  fields("vector_path", record.vector_path);
  fields("filesystem", record.filesystem);
  fields("cores", record.cores);
  fields("threads", record.threads);
  fields("memory_bytes", record.memory_bytes);
  fields("list_root", record.list_root);
  fields("max_rejects", record.max_rejects);
  fields("versions", record.versions);
  fields("inputs", record.inputs);
  fields.if_any("history", record.history);
  fields.if_any("indexes", record.indexes);
  fields.if_any("sent_crc64nvme", record.sent_crc64);
  fields.if_any("sent_etags", record.sent_tags);
}

std::string to_json(const RunRecord& record) {
  return sealed_document(record);
}

RunRecord read_run_record(const std::string& path) {
  return read_sealed<RunRecord>(path);
}

namespace {

constexpr std::uint64_t kSplitVersion = 1;

void check_name(std::string_view name, const std::string& path) {
  if (name.empty() || name.front() == '.' || name.find('/') != name.npos)
    throw Error(fmt::format("names a split '{}', which cannot be a folder", printable(name)), at(path));
}

}  // namespace

template <base::Either<SplitRecord::Part> Record>
void describe(auto& fields, Record& part) {
  fields("name", part.name);
  fields("shards", part.shards);
  fields("samples", part.samples);
  fields.seconds("seconds", part.seconds);
  fields("groups", part.groups);
}

template <base::Either<SplitRecord> Record>
void describe(auto& fields, Record& record) {
  fields.version("split_format_version", kSplitVersion);
  fields("by", record.by);
  fields("wanted", record.wanted);
  fields("sizing", record.sizing);
  fields("splits", record.parts);
  fields("options", record.options);
  fields.xxh3("inputs_xxh3", record.inputs_xxh3);
}

std::string to_json(const SplitRecord& record) {
  return json_document(record);
}

SplitRecord read_split_record(const std::string& path) {
  SplitRecord record = read_json_document<SplitRecord>(path);
  for (const SplitRecord::Part& part : record.parts) check_name(part.name, path);
  return record;
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
  const std::string path = base::inside(folder, kSplit);
  if (!base::may_exist(path)) return {};
  std::vector<std::string> names;
  try {
    for (const SplitRecord::Part& part : read_split_record(path).parts) names.push_back(part.name);
  } catch (const Error&) {
    return {};  // a file of somebody else
  }
  return names;
}

}  // namespace shardmill::manifest
