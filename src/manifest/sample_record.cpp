#include "manifest/sample_record.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "base/error.hpp"
#include "manifest/json_fields.hpp"

namespace shardmill::manifest {

namespace {

constexpr std::array<std::string_view, 23> kFields{
    "audio_filepath", "duration",      "text",           "shard_id",   "key",          "dataset",
    "sample_rate",    "sampling_rate", "channels",       "frames",     "format",       "audio_bytes",
    "tar_offset",     "xxh3",          "source",         "source_key", "offset",       "source_xxh3",
    "source_begin",   "source_end",    "source_channel", "sound_xxh3", "audio_quality"};

}  // namespace

bool is_sample_field(std::string_view name) {
  return std::find(kFields.begin(), kFields.end(), name) != kFields.end();
}

void append_line(std::string& out, const SampleRecord& record) {
  base::JsonWriter json(out);
  json.begin_object();
  json.member("audio_filepath", record.audio_filepath);
  json.member("duration", record.duration_seconds);
  if (record.text) json.member("text", *record.text);
  json.member("shard_id", record.shard_id);
  json.member("key", record.key);
  json.member("dataset", record.dataset);
  json.member("sample_rate", record.audio.sample_rate);
  json.member("sampling_rate", record.audio.sample_rate);  // NeMo's name for it
  json.member("channels", record.audio.channels);
  json.member("frames", record.audio.frames);
  json.member("format", record.audio.format);
  json.member("audio_bytes", record.audio_bytes);
  json.member("tar_offset", record.tar_offset);
  json.member("xxh3", record.xxh3.hex());
  json.member("source", record.source);
  json.member("source_key", record.source_key);
  if (record.source_xxh3) json.member("source_xxh3", record.source_xxh3->hex());
  if (record.sound_xxh3) json.member("sound_xxh3", record.sound_xxh3->hex());
  if (record.quality) write_quality(json.key("audio_quality"), *record.quality);
  if (!record.facts.empty()) json.members(record.facts);
  json.end_object();
  out += '\n';
}

void read_record(const base::JsonValue& json, SampleRecord& record) {
  constexpr std::uint64_t kHighest32 = std::numeric_limits<std::uint32_t>::max();
  record.audio_filepath = json["audio_filepath"].text();
  record.duration_seconds = seconds_field(json, "duration");
  if (const auto text = json.find("text")) {
    record.text = text->text();
  } else {
    record.text.reset();
  }
  record.shard_id = json["shard_id"].unsigned_integer();
  record.key = json["key"].text();
  record.dataset = json["dataset"].text();
  record.audio.sample_rate = static_cast<std::uint32_t>(json["sample_rate"].unsigned_integer(kHighest32));
  if (const auto rate = json.find("sampling_rate");
      rate && rate->unsigned_integer(kHighest32) != record.audio.sample_rate)
    throw Error("sampling_rate and sample_rate differ");
  record.audio.channels = static_cast<std::uint32_t>(json["channels"].unsigned_integer(kHighest32));
  record.audio.frames = json["frames"].unsigned_integer();
  record.audio.format = json["format"].text();
  record.audio_bytes = json["audio_bytes"].unsigned_integer();
  record.tar_offset = json["tar_offset"].unsigned_integer();
  record.xxh3 = xxh3_field(json, "xxh3");
  record.source = json["source"].text();
  record.source_key = json["source_key"].text();
  record.source_xxh3.reset();
  if (json.find("source_xxh3")) record.source_xxh3 = xxh3_field(json, "source_xxh3");
  record.sound_xxh3.reset();
  if (json.find("sound_xxh3")) record.sound_xxh3 = xxh3_field(json, "sound_xxh3");
  record.quality.reset();
  if (const auto quality = json.find("audio_quality")) record.quality = read_quality(*quality);
}

void read_record(const base::JsonValue& json, WholeSampleRecord& record) {
  read_record(json, static_cast<SampleRecord&>(record));
  // These names can be facts: SampleRecord has no fields for them.
  constexpr std::array<std::string_view, 4> kFree{"offset", "source_begin", "source_end", "source_channel"};
  record.facts.clear();
  for (const auto& [name, value] : json.members()) {
    const bool is_free = std::find(kFree.begin(), kFree.end(), name) != kFree.end();
    const bool is_other_quality = name == "audio_quality" && !record.quality;
    if (is_sample_field(name) && !is_free && !is_other_quality) continue;
    if (!record.facts.empty()) record.facts += ',';
    base::append_json_string(record.facts, name);
    record.facts += ':';
    record.facts += value.line();
  }
}

std::string_view language_field(const base::JsonValue& line) {
  return line.find("lang") ? "lang" : "language";
}

void write_quality(base::JsonWriter& json, const AudioQuality& quality) {
  json.begin_object()
      .member("clipped", quality.clipped)
      .member("dc_offset", quality.dc_offset)
      .member("digital_silence", quality.digital_silence);
  if (quality.all_zero) json.member("all_zero", true);
  if (quality.above_4khz_db) json.member("above_4khz_db", *quality.above_4khz_db);
  if (quality.narrow_band) json.member("narrow_band", true);
  json.end_object();
}

std::optional<AudioQuality> read_quality(const base::JsonValue& json) {
  if (!json.is_object()) return std::nullopt;
  const auto is_true = [&](std::string_view name) {
    const auto found = json.find(name);
    return found && found->line() == "true";
  };
  try {
    AudioQuality quality{.clipped = json["clipped"].number(),
                         .dc_offset = json["dc_offset"].number(),
                         .digital_silence = json["digital_silence"].number(),
                         .all_zero = is_true("all_zero")};
    if (const auto above = json.find("above_4khz_db")) quality.above_4khz_db = above->number();
    quality.narrow_band = is_true("narrow_band");
    return quality;
  } catch (const Error&) {
    return std::nullopt;
  }
}

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
