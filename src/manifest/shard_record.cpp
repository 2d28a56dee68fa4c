#include "manifest/shard_record.hpp"

#include "base/text/json_writer.hpp"
#include "manifest/fields.hpp"
#include "manifest/layout.hpp"

namespace shardmill::manifest {

void append_line(std::string& out, const ShardRecord& record) {
  base::JsonWriter json(out);
  json.begin_object();
  json.member("shard_id", record.shard_id);
  json.member("path", record.path);
  json.member("samples", record.samples);
  if (record.with_text) json.member("with_text", *record.with_text);
  json.member("seconds", record.seconds);
  json.member("min_seconds", record.min_seconds);
  json.member("max_seconds", record.max_seconds);
  json.member("bytes", record.bytes);
  json.member("tar_bytes", record.tar_bytes);
  json.member("codec", record.codec);
  json.member("sha256", record.sha256);
  json.key("datasets").begin_object();
  for (const ShardRecord::Share& share : record.shares) {
    json.key(share.dataset).begin_object();
    json.member("samples", share.samples).member("seconds", share.seconds).end_object();
  }
  json.end_object().end_object();
  out += '\n';
}

void read_record(const base::JsonValue& json, ShardRecord& record) {
  record.shard_id = json["shard_id"].unsigned_integer();
  record.path = json["path"].text();
  check_inner_path(record.path);
  record.samples = json["samples"].unsigned_integer();
  const auto with_text = json.find("with_text");
  record.with_text = with_text ? std::optional(with_text->unsigned_integer()) : std::nullopt;
  record.seconds = seconds_field(json, "seconds");
  record.min_seconds = seconds_field(json, "min_seconds");
  record.max_seconds = seconds_field(json, "max_seconds");
  record.bytes = json["bytes"].unsigned_integer();
  record.tar_bytes = json["tar_bytes"].unsigned_integer();
  record.codec = json["codec"].text();
  record.sha256 = sha256_field(json, "sha256");
  record.shares.clear();
  for (const auto& [dataset, share] : json["datasets"].members()) {
    record.shares.push_back({.dataset = std::string(dataset),
                             .samples = share["samples"].unsigned_integer(),
                             .seconds = seconds_field(share, "seconds")});
  }
}

}  // namespace shardmill::manifest
