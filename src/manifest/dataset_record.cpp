#include "manifest/dataset_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/text/json_reader.hpp"
#include "base/text/json_writer.hpp"
#include "manifest/fields.hpp"

namespace shardmill::manifest {

namespace {

using base::JsonValue;
using base::JsonWriter;

constexpr std::uint64_t kDatasetVersion = 1;

void write_balance(JsonWriter& json, const DatasetRecord::Balance& balance) {
  json.key("balance").begin_object();
  json.member("min_samples", balance.min_samples);
  json.member("max_samples", balance.max_samples);
  json.member("min_seconds", balance.min_seconds);
  json.member("mean_seconds", balance.mean_seconds);
  json.member("max_seconds", balance.max_seconds);
  json.member("even", is_even(balance));
  json.end_object();
}

void write_contents(JsonWriter& json, const DatasetRecord& record) {
  json.key("audio").begin_array();
  for (const auto& kind : record.audio) {
    json.begin_object();
    json.member("format", kind.format)
        .member("sample_rate", kind.sample_rate)
        .member("channels", kind.channels);
    json.member("samples", kind.samples).member("seconds", kind.seconds).end_object();
  }
  json.end_array().key("reencoded").begin_object().member("samples", record.reencoded.samples);
  json.member("clipped_samples", record.reencoded.clipped_samples);
  json.member("clipped_values", record.reencoded.clipped_values).end_object();
  json.key("datasets").begin_array();
  for (const auto& part : record.datasets) {
    json.begin_object().member("dataset", part.dataset).member("weight", part.weight);
    json.member("samples", part.samples).member("seconds", part.seconds);
    if (part.with_text) json.member("with_text", *part.with_text);
    if (!part.subsets.empty()) {
      json.key("subsets").begin_object();
      for (const auto& [subset, amount] : part.subsets) {
        json.key(subset).begin_object().member("samples", amount.samples);
        json.member("seconds", amount.seconds).end_object();
      }
      json.end_object();
    }
    json.end_object();
  }
  json.end_array();
}

void write_origin(JsonWriter& json, const DatasetRecord& record) {
  json.key("options").begin_object();
  for (const auto& [name, value] : record.options) json.member(name, value);
  json.end_object().key("sources").begin_array();
  for (const auto& source : record.sources) {
    json.begin_object().member("dataset", source.dataset).member("path", source.path);
    json.member("files", source.files).member("bytes", source.bytes).end_object();
  }
  json.end_array().member("inputs_xxh3", record.inputs_xxh3.hex());
}

void write_evened(JsonWriter& json, const DatasetRecord& record) {
  if (!record.evened) return;
  const DatasetRecord::Evened& evened = *record.evened;
  json.key("evened").begin_object().member("left_out", evened.left_out.samples);
  json.member("left_out_seconds", evened.left_out.seconds).member("repeated", evened.repeated.samples);
  json.member("repeated_seconds", evened.repeated.seconds).key("repeated_keys").begin_object();
  for (const auto& [dataset, keys] : evened.repeated_keys) {
    json.key(dataset).begin_array();
    for (const std::string& key : keys) json.value(key);
    json.end_array();
  }
  json.end_object().end_object();
}

DatasetRecord::Evened read_evened(const JsonValue& json) {
  DatasetRecord::Evened evened{.left_out = {.samples = json["left_out"].unsigned_integer(),
                                            .seconds = seconds_field(json, "left_out_seconds")},
                               .repeated = {.samples = json["repeated"].unsigned_integer(),
                                            .seconds = seconds_field(json, "repeated_seconds")}};
  for (const auto& [dataset, keys] : json["repeated_keys"].members()) {
    for (const auto& key : keys.elements())
      evened.repeated_keys[std::string(dataset)].emplace_back(key.text());
  }
  return evened;
}

void write_doubts(JsonWriter& json, const DatasetRecord& record) {
  if (record.doubtful.empty()) return;
  json.key("doubtful").begin_array();
  for (const auto& doubt : record.doubtful) {
    json.begin_object().member("dataset", doubt.dataset).member("source", doubt.source);
    json.key("tar_bytes").begin_array().value(doubt.begin).value(doubt.end).end_array();
    json.member("samples", doubt.samples).end_object();
  }
  json.end_array();
}

DatasetRecord::Doubt read_doubt(const JsonValue& json) {
  const auto range = json["tar_bytes"].elements();
  if (range.size() != 2) throw Error("'tar_bytes' is not a pair");
  return {.dataset = std::string(json["dataset"].text()),
          .source = std::string(json["source"].text()),
          .begin = range[0].unsigned_integer(),
          .end = range[1].unsigned_integer(),
          .samples = json["samples"].unsigned_integer()};
}

void write_updates(JsonWriter& json, const DatasetRecord& record) {
  if (record.pending) {
    json.key("pending").begin_object().member("samples", record.pending->samples);
    json.member("seconds", record.pending->seconds).member("bytes", record.pending->bytes).end_object();
  }
  if (record.updates.empty()) return;
  json.key("updates").begin_array();
  for (const auto& update : record.updates) {
    json.begin_object().member("id", update.id.hex());
    if (update.before) json.member("samples_before", *update.before);
    json.member("added", update.added).member("added_seconds", update.added_seconds);
    json.member("removed", update.removed).member("removed_seconds", update.removed_seconds);
    json.member("new_shards", update.new_shards).member("rewritten_shards", update.rewritten_shards);
    json.member("pending", update.pending);
    if (update.lost) json.member("lost_samples", *update.lost).member("lost_files", update.lost_files);
    json.key("sources").begin_array();
    for (const std::string& source : update.sources) json.value(source);
    json.end_array().end_object();
  }
  json.end_array();
}

DatasetRecord::Balance read_balance(const JsonValue& json) {
  return {.min_samples = json["min_samples"].unsigned_integer(),
          .max_samples = json["max_samples"].unsigned_integer(),
          .min_seconds = seconds_field(json, "min_seconds"),
          .mean_seconds = seconds_field(json, "mean_seconds"),
          .max_seconds = seconds_field(json, "max_seconds")};
}

DatasetRecord::AudioKind read_audio_kind(const JsonValue& json) {
  constexpr std::uint64_t kHighest32 = std::numeric_limits<std::uint32_t>::max();
  return {.format = std::string(json["format"].text()),
          .sample_rate = static_cast<std::uint32_t>(json["sample_rate"].unsigned_integer(kHighest32)),
          .channels = static_cast<std::uint32_t>(json["channels"].unsigned_integer(kHighest32)),
          .samples = json["samples"].unsigned_integer(),
          .seconds = seconds_field(json, "seconds")};
}

DatasetRecord::Reencoded read_reencoded(const JsonValue& json) {
  return {.samples = json["samples"].unsigned_integer(),
          .clipped_samples = json["clipped_samples"].unsigned_integer(),
          .clipped_values = json["clipped_values"].unsigned_integer()};
}

std::optional<std::uint64_t> number_if_there(const JsonValue& json, std::string_view name) {
  const auto value = json.find(name);
  return value ? std::optional(value->unsigned_integer()) : std::nullopt;
}

DatasetRecord::Part read_part(const JsonValue& json) {
  DatasetRecord::Part part{.dataset = std::string(json["dataset"].text()),
                           .weight = json["weight"].number(),
                           .samples = json["samples"].unsigned_integer(),
                           .seconds = seconds_field(json, "seconds"),
                           .with_text = number_if_there(json, "with_text")};
  if (const auto subsets = json.find("subsets")) {
    for (const auto& [subset, amount] : subsets->members()) {
      part.subsets[std::string(subset)] = {.samples = amount["samples"].unsigned_integer(),
                                           .seconds = seconds_field(amount, "seconds")};
    }
  }
  return part;
}

DatasetRecord::Source read_source(const JsonValue& json) {
  return {.dataset = std::string(json["dataset"].text()),
          .path = std::string(json["path"].text()),
          .files = json["files"].unsigned_integer(),
          .bytes = json["bytes"].unsigned_integer()};
}

DatasetRecord::Update read_update(const JsonValue& json) {
  DatasetRecord::Update update{.id = xxh3_field(json, "id"),
                               .added = json["added"].unsigned_integer(),
                               .added_seconds = seconds_field(json, "added_seconds"),
                               .removed = json["removed"].unsigned_integer(),
                               .removed_seconds = seconds_field(json, "removed_seconds"),
                               .new_shards = json["new_shards"].unsigned_integer(),
                               .rewritten_shards = json["rewritten_shards"].unsigned_integer(),
                               .pending = json["pending"].unsigned_integer(),
                               .sources = {}};
  if (const auto before = json.find("samples_before")) update.before = before->unsigned_integer();
  if (const auto lost = json.find("lost_samples")) {
    update.lost = lost->unsigned_integer();
    update.lost_files = json["lost_files"].unsigned_integer();
  }
  for (const auto& source : json["sources"].elements()) update.sources.emplace_back(source.text());
  return update;
}

DatasetRecord read_dataset_fields(const JsonValue& json) {
  // The first datasets have no version.
  const auto version = json.find("format_version");
  if (version && version->unsigned_integer() > kDatasetVersion) {
    throw NewerFormat(fmt::format("was written by a newer shardmill: its format has version {}, and this "
                                  "program knows versions up to {}",
                                  version->unsigned_integer(), kDatasetVersion),
                      {}, "use a newer shardmill");
  }
  DatasetRecord record;
  record.shards = json["shards"].unsigned_integer();
  record.shard_files = json["shard_files"].text();
  record.samples = json["samples"].unsigned_integer();
  record.seconds = seconds_field(json, "seconds");
  record.bytes = json["bytes"].unsigned_integer();
  record.tar_bytes = json["tar_bytes"].unsigned_integer();
  record.audio_bytes = json["audio_bytes"].unsigned_integer();
  record.rejects = json["rejects"].unsigned_integer();
  if (const auto left_out = json.find("left_out")) {
    record.left_out.emplace();
    for (const auto& [reason, count] : left_out->members())
      record.left_out->emplace(reason, count.unsigned_integer());
  }
  record.with_text = number_if_there(json, "with_text");
  record.texts_cleaned = number_if_there(json, "texts_cleaned").value_or(0);
  record.parity = static_cast<std::uint32_t>(number_if_there(json, "parity").value_or(0));
  record.balance = read_balance(json["balance"]);
  for (const auto& kind : json["audio"].elements()) record.audio.push_back(read_audio_kind(kind));
  record.reencoded = read_reencoded(json["reencoded"]);
  for (const auto& part : json["datasets"].elements()) record.datasets.push_back(read_part(part));
  for (const auto& [name, value] : json["options"].members()) record.options.emplace_back(name, value.text());
  for (const auto& source : json["sources"].elements()) record.sources.push_back(read_source(source));
  record.inputs_xxh3 = xxh3_field(json, "inputs_xxh3");
  if (const auto evened = json.find("evened")) record.evened = read_evened(*evened);
  if (const auto pending = json.find("pending")) {
    record.pending = {.samples = (*pending)["samples"].unsigned_integer(),
                      .seconds = seconds_field(*pending, "seconds"),
                      .bytes = (*pending)["bytes"].unsigned_integer()};
  }
  if (const auto doubtful = json.find("doubtful")) {
    for (const auto& doubt : doubtful->elements()) record.doubtful.push_back(read_doubt(doubt));
  }
  if (const auto updates = json.find("updates")) {
    for (const auto& update : updates->elements()) record.updates.push_back(read_update(update));
  }
  return record;
}

}  // namespace

std::uint64_t doubtful_samples(const DatasetRecord& record) {
  std::uint64_t samples = 0;
  for (const DatasetRecord::Doubt& doubt : record.doubtful) samples += doubt.samples;
  return samples;
}

bool is_uniform(const DatasetRecord& record) {
  return std::all_of(record.audio.begin(), record.audio.end(), [&](const DatasetRecord::AudioKind& kind) {
    return kind.sample_rate == record.audio.front().sample_rate &&
           kind.channels == record.audio.front().channels;
  });
}

bool is_even(const DatasetRecord::Balance& balance) {
  return balance.max_samples - balance.min_samples <= 1 &&
         balance.max_seconds - balance.min_seconds <= std::max(0.010, 1e-5 * balance.mean_seconds);
}

std::string to_json(const DatasetRecord& record) {
  std::string out;
  JsonWriter json(out, JsonWriter::Layout::indented);
  json.begin_object();
  json.member("format_version", kDatasetVersion);
  json.member("shards", record.shards);
  json.member("shard_files", record.shard_files);
  json.member("samples", record.samples);
  json.member("seconds", record.seconds);
  json.member("bytes", record.bytes);
  json.member("tar_bytes", record.tar_bytes);
  json.member("audio_bytes", record.audio_bytes);
  json.member("rejects", record.rejects);
  if (record.left_out) {
    json.key("left_out").begin_object();
    for (const auto& [reason, count] : *record.left_out) json.member(reason, count);
    json.end_object();
  }
  if (record.with_text) {
    json.member("with_text", *record.with_text).member("texts_cleaned", record.texts_cleaned);
  }
  if (record.parity != 0) json.member("parity", record.parity);
  write_balance(json, record.balance);
  write_contents(json, record);
  write_evened(json, record);
  write_origin(json, record);
  write_doubts(json, record);
  write_updates(json, record);
  json.end_object();
  out += '\n';
  return out;
}

DatasetRecord read_dataset_record(const std::string& path) {
  const std::string text = base::read_text(path);
  base::JsonParser parser;
  try {
    return read_dataset_fields(parser.parse(text));
  } catch (const NewerFormat& error) {
    throw NewerFormat(error.problem(), at(path), error.advice());
  } catch (const Error& error) {
    throw error.within(at(path));
  }
}

}  // namespace shardmill::manifest
