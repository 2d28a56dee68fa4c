#include "manifest/run_record.hpp"

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/text/json_reader.hpp"
#include "base/text/json_writer.hpp"
#include "manifest/fields.hpp"
#include "manifest/seal.hpp"

namespace shardmill::manifest {

namespace {

RunRecord read_run_fields(const base::JsonValue& json) {
  RunRecord record;
  record.command = json["command"].text();
  record.started = json["started"].text();
  record.seconds = seconds_field(json, "seconds");
  record.resumed = json["resumed"].unsigned_integer();
  record.host = json["host"].text();
  record.system = json["system"].text();
  record.cpu = json["cpu"].text();
  record.vector_path = json["vector_path"].text();
  record.filesystem = json["filesystem"].text();
  record.cores = json["cores"].unsigned_integer();
  record.threads = json["threads"].unsigned_integer();
  record.memory_bytes = json["memory_bytes"].unsigned_integer();
  record.list_root = json["list_root"].text();
  // Records of earlier versions do not have this. The default is the strictest value.
  if (const auto most = json.find("max_rejects")) record.max_rejects = most->unsigned_integer();
  for (const auto& [name, version] : json["versions"].members()) {
    record.versions.emplace_back(name, version.text());
  }
  for (const auto& input : json["inputs"].elements()) {
    record.inputs.push_back({.dataset = std::string(input["dataset"].text()),
                             .path = std::string(input["path"].text()),
                             .bytes = input["bytes"].unsigned_integer(),
                             .mtime_ns = input["mtime_ns"].integer()});
  }
  if (const auto history = json.find("history")) {
    for (const auto& event : history->elements()) {
      const auto update = event.find("update");
      record.history.push_back({.update = update ? std::string(update->text()) : std::string(),
                                .command = std::string(event["command"].text()),
                                .started = std::string(event["started"].text()),
                                .seconds = seconds_field(event, "seconds")});
    }
  }
  if (const auto indexes = json.find("indexes"))
    record.indexes = index_kinds_by_names(indexes->text()).value_or(std::vector<IndexKind>());
  return record;
}

}  // namespace

std::string to_json(const RunRecord& record) {
  std::string out;
  base::JsonWriter json(out, base::JsonWriter::Layout::indented);
  json.begin_object();
  json.member("command", record.command);
  json.member("started", record.started);
  json.member("seconds", record.seconds);
  json.member("resumed", record.resumed);
  json.member("host", record.host);
  json.member("system", record.system);
  json.member("cpu", record.cpu);
  json.member("vector_path", record.vector_path);
  json.member("filesystem", record.filesystem);
  json.member("cores", record.cores);
  json.member("threads", record.threads);
  json.member("memory_bytes", record.memory_bytes);
  json.member("list_root", record.list_root);
  json.member("max_rejects", record.max_rejects);
  json.key("versions").begin_object();
  for (const auto& [name, version] : record.versions) json.member(name, version);
  json.end_object().key("inputs").begin_array();
  for (const RunRecord::Input& input : record.inputs) {
    json.begin_object().member("dataset", input.dataset).member("path", input.path);
    json.member("bytes", input.bytes).member("mtime_ns", input.mtime_ns).end_object();
  }
  json.end_array();
  if (!record.history.empty()) {
    json.key("history").begin_array();
    for (const RunRecord::Event& event : record.history) {
      json.begin_object();
      if (!event.update.empty()) json.member("update", event.update);
      json.member("command", event.command).member("started", event.started);
      json.member("seconds", event.seconds).end_object();
    }
    json.end_array();
  }
  if (!record.indexes.empty()) json.member("indexes", names(record.indexes));
  end_sealed(json, out);
  return out;
}

RunRecord read_run_record(const std::string& path) {
  return read_sealed(path, read_run_fields);
}

}  // namespace shardmill::manifest
