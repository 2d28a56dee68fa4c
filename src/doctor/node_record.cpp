#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/text/json_reader.hpp"
#include "base/text/json_writer.hpp"
#include "base/version.hpp"
#include "doctor/compare.hpp"

namespace shardmill::doctor {

namespace {

constexpr std::string_view kFormat = "shardmill doctor training";
constexpr std::uint64_t kFormatVersion = 1;
constexpr std::uint64_t kLargestRecordBytes = std::uint64_t{16} << 20;

template <typename Value>
void write_optional(base::JsonWriter& json, std::string_view name, const std::optional<Value>& value) {
  json.key(name);
  if (value) {
    json.value(*value);
  } else {
    json.null();
  }
}

/// Writes null for unknown values.
void write_known(base::JsonWriter& json, std::string_view name, const std::string& text) {
  write_optional(json, name, text.empty() ? std::nullopt : std::optional(text));
}

void write_machine_of(base::JsonWriter& json, const Node& node) {
  const base::Machine& machine = node.machine;
  json.key("machine").begin_object().member("host", machine.host).member("system", machine.system);
  json.member("cpu", machine.cpu).member("cores", machine.cores);
  json.member("affinity_cores", machine.affinity_cores);
  write_optional(json, "cgroup_quota_cores", machine.cpu_quota);
  json.member("usable_cores", machine.usable_cores).member("memory_bytes", machine.memory_bytes);
  json.member("available_bytes", machine.available_bytes);
  write_optional(json, "cgroup_memory_limit_bytes", machine.memory_limit_bytes);
  json.member("open_files", node.open_files).member("open_files_limit", machine.open_files);
  json.key("shared_memory");
  if (node.shared_memory) {
    json.begin_object().member("filesystem", node.shared_memory->kind);
    json.member("total_bytes", node.shared_memory->total_bytes);
    json.member("free_bytes", node.shared_memory->free_bytes).end_object();
  } else {
    json.null();
  }
  json.end_object();
}

void write_gpus_of(base::JsonWriter& json, const Node& node) {
  json.key("gpus").begin_object().member("nvidia_smi", node.gpus.is_installed);
  write_known(json, "problem", node.gpus.problem);
  write_optional(json, "cuda_visible_devices", node.visible_devices);
  json.member("visible", node.visible().size()).key("cards").begin_array();
  for (const Gpu& gpu : node.gpus.gpus) {
    json.begin_object().member("index", gpu.index).member("name", gpu.name).member("uuid", gpu.uuid);
    write_known(json, "compute_capability", gpu.compute_capability);
    write_optional(json, "memory_bytes", gpu.memory_bytes);
    write_optional(json, "taken_bytes", gpu.taken_bytes);
    write_known(json, "driver", gpu.driver);
    json.member("mig", gpu.is_split).end_object();
  }
  json.end_array().end_object();
}

void write_python_of(base::JsonWriter& json, const PythonSurvey& python) {
  json.key("python").begin_object();
  write_known(json, "executable", python.executable);
  write_known(json, "problem", python.problem);
  write_known(json, "version", python.version);
  write_known(json, "start_method", python.start_method);
  write_known(json, "torch", python.torch);
  write_known(json, "cuda", python.cuda);
  write_known(json, "hip", python.hip);
  write_known(json, "nccl", python.nccl);
  write_known(json, "sharing_strategy", python.sharing);
  json.member("sees_cuda", python.sees_cuda).member("devices", python.devices).key("kernels").begin_array();
  for (const std::string& kernel : python.kernels) json.value(kernel);
  json.end_array().end_object();
}

void write_shards_of(base::JsonWriter& json, const Node& node) {
  json.key("shards");
  if (!node.shards) {
    json.null();
    return;
  }
  const ShardsFacts& shards = *node.shards;
  json.begin_object().member("path", shards.folder).member("filesystem", shards.filesystem.mount.kind);
  json.member("mount_point", shards.filesystem.mount.point);
  json.member("mount_options", shards.filesystem.mount.options);
  json.member("dataset", shards.is_dataset).member("shards", shards.shards).member("bytes", shards.bytes);
  write_optional(json, "audio_seconds", shards.seconds > 0 ? std::optional(shards.seconds) : std::nullopt);
  json.member("read_bytes", shards.read.bytes).member("read_files", shards.read.files);
  write_optional(json, "read_bytes_per_second",
                 shards.read.tells_speed() ? std::optional(shards.read.bytes_per_second) : std::nullopt);
  json.member("read_from_memory", shards.read.is_from_memory).end_object();
}

void write_job_of(base::JsonWriter& json, const Job& job) {
  json.key("job").begin_object().member("ranks", job.ranks).member("workers", job.workers);
  json.member("prefetch", job.prefetch).member("batch_bytes", job.batch_bytes).member("cpu", job.on_cpu);
  json.member("shared_memory_needed_bytes", shared_memory_needed(job));
  write_optional(json, "needed", job.needed);
  write_optional(json, "worker_speed", job.worker_speed);
  json.member("worker_speed_measured", job.is_speed_measured);
  write_known(json, "worker_speed_basis", job.speed_basis);
  json.end_object();
}

void write_loaders_of(base::JsonWriter& json, const Node& node) {
  json.key("loaders");
  if (!node.loaders) {
    json.null();
    return;
  }
  json.begin_array();
  for (const LoaderTrial& trial : node.loaders->trials) {
    json.begin_object().member("reader", trial.reader).member("codec", trial.codec);
    json.member("samples", trial.samples).member("audio_seconds", trial.audio_seconds);
    json.member("seconds", trial.seconds);
    write_optional(json, "speed", trial.is_good() ? std::optional(trial.speed()) : std::nullopt);
    write_known(json, "problem", trial.problem);
    json.end_object();
  }
  json.end_array();
}

void write_remarks(base::JsonWriter& json, std::string_view name, const Remarks& remarks, bool findings) {
  json.key(name).begin_array();
  for (const Remark& remark : remarks) {
    if (remark.is_finding != findings) continue;
    json.begin_object().member("kind", remark.kind).member("what", remark.what);
    json.member("why", remark.why).member("do", remark.todo).end_object();
  }
  json.end_array();
}

/// Takes members of one object of the document, if they exist and are known.
class Members {
 public:
  Members(NodeRecord& record, const base::JsonValue& object) : record_(record), object_(object) {}

  Members& text(std::string_view name, std::string_view as) {
    if (const auto value = known(name)) record_.texts.emplace(as, printable(value->text()));
    return *this;
  }
  Members& amount(std::string_view name, std::string_view as) {
    if (const auto value = known(name)) record_.amounts.emplace(as, value->number());
    return *this;
  }

 private:
  std::optional<base::JsonValue> known(std::string_view name) const {
    const auto value = object_.find(name);
    return value && !value->is_null() ? value : std::nullopt;
  }

  NodeRecord& record_;
  const base::JsonValue& object_;
};

/// "8 x NVIDIA H100": the number of cards of each kind, in the order of the bus.
std::string cards_text(const base::JsonValue& cards) {
  std::vector<std::pair<std::string, std::uint64_t>> kinds;
  for (const base::JsonValue& card : cards.elements()) {
    std::string kind = printable(card["name"].text());
    const auto memory = card.find("memory_bytes");
    // A card reserves some memory, and not always the same amount.
    if (memory && !memory->is_null())
      kind += fmt::format(" of {:.0f} GB", static_cast<double>(memory->unsigned_integer()) / 1e9);
    if (card["mig"].line() == "true") kind += " with MIG";
    if (kinds.empty() || kinds.back().first != kind) kinds.emplace_back(kind, 0);
    ++kinds.back().second;
  }
  std::string text;
  for (const auto& [kind, count] : kinds)
    text += fmt::format("{}{} x {}", text.empty() ? "" : ", ", count, kind);
  return text.empty() ? "none" : text;
}

/// The values of all cards, each once: "550.54" or "550.54, 470.82"; nullopt if no card has one.
std::optional<std::string> said_by_cards(const base::JsonValue& cards, std::string_view name) {
  std::vector<std::string> values;
  for (const base::JsonValue& card : cards.elements()) {
    const auto value = card.find(name);
    std::string text = value && !value->is_null() ? printable(value->text()) : "unknown";
    if (std::find(values.begin(), values.end(), text) == values.end()) values.push_back(std::move(text));
  }
  if (values.empty() || values == std::vector<std::string>{"unknown"}) return std::nullopt;
  return fmt::format("{}", fmt::join(values, ", "));
}

void read_cards(const base::JsonValue& gpus, NodeRecord& record) {
  const base::JsonValue cards = gpus["cards"];
  record.texts.emplace("GPUs", cards_text(cards));
  if (const auto drivers = said_by_cards(cards, "driver")) record.texts.emplace("driver", *drivers);
  if (const auto capabilities = said_by_cards(cards, "compute_capability"))
    record.texts.emplace("compute capability", *capabilities);
}

NodeRecord read_document(const base::JsonValue& document, const std::string& path) {
  NodeRecord record{.path = path, .host = {}, .texts = {}, .amounts = {}, .findings = {}};
  const base::JsonValue machine = document["machine"];
  record.host = printable(machine["host"].text());
  const std::string system = printable(machine["system"].text());
  const auto blank = system.rfind(' ');
  record.texts.emplace("kernel", system.substr(0, blank));
  record.texts.emplace("architecture", blank == std::string::npos ? system : system.substr(blank + 1));
  Members(record, machine)
      .text("cpu", "CPU")
      .amount("usable_cores", "cores")
      .amount("memory_bytes", "memory")
      .amount("open_files", "open files");
  const base::JsonValue shared = machine["shared_memory"];
  record.amounts.emplace("/dev/shm", shared.is_null() ? 0.0 : shared["total_bytes"].number());
  Members(record, document["job"]).amount("ranks", "ranks");
  const base::JsonValue gpus = document["gpus"];
  read_cards(gpus, record);
  Members(record, document["python"])
      .text("version", "Python")
      .text("torch", "torch")
      .text("cuda", "CUDA")
      .text("nccl", "NCCL");
  const base::JsonValue shards = document["shards"];
  if (!shards.is_null())
    Members(record, shards)
        .text("filesystem", "filesystem of the shards")
        .amount("shards", "shards")
        .amount("bytes", "bytes of the shards")
        .amount("read_bytes_per_second", "cold reading");
  for (const base::JsonValue& finding : document["findings"].elements())
    record.findings.emplace(finding["kind"].text());
  return record;
}

}  // namespace

std::string to_json(const Node& node, const Remarks& remarks) {
  std::string text;
  base::JsonWriter json(text, base::JsonWriter::Layout::indented);
  json.begin_object().member("format", kFormat).member("format_version", kFormatVersion);
  json.member("shardmill", base::version());
  write_machine_of(json, node);
  write_gpus_of(json, node);
  write_python_of(json, node.python);
  write_job_of(json, node.job);
  write_shards_of(json, node);
  write_loaders_of(json, node);
  write_remarks(json, "findings", remarks, true);
  write_remarks(json, "notes", remarks, false);
  json.end_object();
  return text;
}

namespace {

/// What `read(document)` returns, of a record.
template <typename Read>
auto read_record(const std::string& path, std::string_view json, const Read& read) {
  const std::string advice = "write it with shardmill doctor --training --json > FILE";
  try {
    base::JsonParser parser;
    const base::JsonValue document = parser.parse(json);
    const auto format = document.is_object() ? document.find("format") : std::nullopt;
    if (!format || format->text() != kFormat)
      throw Error("is not a record of a machine for training", at(path), advice);
    if (document["format_version"].unsigned_integer() != kFormatVersion)
      throw Error("was written by a newer version of shardmill", at(path), "use that version");
    return read(document);
  } catch (const Error& error) {
    throw Error(error.problem(), at(path), error.advice().empty() ? advice : error.advice());
  }
}

/// The speeds of the first reader that was measured.
ranks::RecordedSpeeds read_speeds(const base::JsonValue& document, const std::string& path) {
  const auto loaders = document.find("loaders");
  ranks::RecordedSpeeds speeds{
      .path = path, .reader = {}, .host = printable(document["machine"]["host"].text()), .by_codec = {}};
  if (loaders && !loaders->is_null()) {
    for (const base::JsonValue& trial : loaders->elements()) {
      const base::JsonValue speed = trial["speed"];
      const std::string reader = printable(trial["reader"].text());
      if (speed.is_null() || (!speeds.reader.empty() && speeds.reader != reader)) continue;
      if (!(speed.number() > 0)) throw Error("has a speed of a loader that is not above zero");
      speeds.reader = reader;
      speeds.by_codec.emplace(trial["codec"].text(), speed.number());
    }
  }
  if (speeds.reader.empty())
    throw Error("has no speed of a loader", {},
                "write it with shardmill doctor --training DIR --measure --json > FILE");
  return speeds;
}

}  // namespace

NodeRecord read_node_record_text(const std::string& path, std::string_view json) {
  return read_record(path, json,
                     [&](const base::JsonValue& document) { return read_document(document, path); });
}

NodeRecord read_node_record(const std::string& path) {
  return read_node_record_text(path, base::read_text(path, kLargestRecordBytes));
}

ranks::RecordedSpeeds read_loader_speeds(const std::string& path) {
  return read_record(path, base::read_text(path, kLargestRecordBytes),
                     [&](const base::JsonValue& document) { return read_speeds(document, path); });
}

}  // namespace shardmill::doctor
