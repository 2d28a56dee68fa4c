#include "manifest/shard_record.hpp"

#include "manifest/json_fields.hpp"

namespace shardmill::manifest {

template <base::Either<ShardRecord::Share> Record>
void describe(auto& fields, Record& share) {
  fields("samples", share.samples);
  fields.seconds("seconds", share.seconds);
}

template <base::Either<ShardRecord> Record>
void describe(auto& fields, Record& record) {
  fields("shard_id", record.shard_id);
  fields.inner_path("path", record.path);
  fields("samples", record.samples);
  fields("with_text", record.with_text);
  fields.seconds("seconds", record.seconds);
  fields.seconds("min_seconds", record.min_seconds);
  fields.seconds("max_seconds", record.max_seconds);
  fields("bytes", record.bytes);
  fields("tar_bytes", record.tar_bytes);
  fields("codec", record.codec);
  fields.sha256("sha256", record.sha256);
  fields.keyed("datasets", record.shares, &ShardRecord::Share::dataset);
}

void append_line(std::string& out, const ShardRecord& record) {
  append_json_line(out, record);
}

void read_record(const base::JsonValue& json, ShardRecord& record) {
  read_json_fields(json, record);
}

}  // namespace shardmill::manifest
