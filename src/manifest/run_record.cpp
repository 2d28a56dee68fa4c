#include "manifest/run_record.hpp"

#include "manifest/json_fields.hpp"
#include "manifest/seal.hpp"

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
}

std::string to_json(const RunRecord& record) {
  return sealed_document(record);
}

RunRecord read_run_record(const std::string& path) {
  return read_sealed<RunRecord>(path);
}

}  // namespace shardmill::manifest
