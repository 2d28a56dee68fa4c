#include "manifest/dataset_record.hpp"

#include <algorithm>
#include <set>

#include "manifest/json_fields.hpp"

namespace shardmill::manifest {

namespace {

constexpr std::uint64_t kDatasetVersion = 1;

}  // namespace

template <base::Either<DatasetRecord::Balance> Record>
void describe(auto& fields, Record& balance) {
  fields("min_samples", balance.min_samples);
  fields("max_samples", balance.max_samples);
  fields.seconds("min_seconds", balance.min_seconds);
  fields.seconds("mean_seconds", balance.mean_seconds);
  fields.seconds("max_seconds", balance.max_seconds);
  fields.derived("even", is_even(balance));
}

template <base::Either<DatasetRecord::AudioKind> Record>
void describe(auto& fields, Record& kind) {
  fields("format", kind.format);
  fields("sample_rate", kind.sample_rate);
  fields("channels", kind.channels);
  fields("samples", kind.samples);
  fields.seconds("seconds", kind.seconds);
}

template <base::Either<DatasetRecord::Reencoded> Record>
void describe(auto& fields, Record& reencoded) {
  fields("samples", reencoded.samples);
  fields("clipped_samples", reencoded.clipped_samples);
  fields("clipped_values", reencoded.clipped_values);
}

template <base::Either<DatasetRecord::Amount> Record>
void describe(auto& fields, Record& amount) {
  fields("samples", amount.samples);
  fields.seconds("seconds", amount.seconds);
}

template <base::Either<DatasetRecord::Part> Record>
void describe(auto& fields, Record& part) {
  fields("dataset", part.dataset);
  fields("weight", part.weight);
  fields("samples", part.samples);
  fields.seconds("seconds", part.seconds);
  fields("with_text", part.with_text);
  fields.if_any("subsets", part.subsets);
}

template <base::Either<DatasetRecord::Source> Record>
void describe(auto& fields, Record& source) {
  fields("dataset", source.dataset);
  fields("path", source.path);
  fields("files", source.files);
  fields("bytes", source.bytes);
}

template <base::Either<DatasetRecord::Evened> Record>
void describe(auto& fields, Record& evened) {
  fields("left_out", evened.left_out.samples);
  fields.seconds("left_out_seconds", evened.left_out.seconds);
  fields("repeated", evened.repeated.samples);
  fields.seconds("repeated_seconds", evened.repeated.seconds);
  fields("repeated_keys", evened.repeated_keys);
}

template <base::Either<DatasetRecord::Pending> Record>
void describe(auto& fields, Record& pending) {
  fields("samples", pending.samples);
  fields.seconds("seconds", pending.seconds);
  fields("bytes", pending.bytes);
}

template <base::Either<DatasetRecord::Doubt> Record>
void describe(auto& fields, Record& doubt) {
  fields("dataset", doubt.dataset);
  fields("source", doubt.source);
  fields.range("tar_bytes", doubt.begin, doubt.end);
  fields("samples", doubt.samples);
}

template <base::Either<DatasetRecord::Update> Record>
void describe(auto& fields, Record& update) {
  fields.xxh3("id", update.id);
  fields("samples_before", update.before);
  fields("added", update.added);
  fields.seconds("added_seconds", update.added_seconds);
  fields("removed", update.removed);
  fields.seconds("removed_seconds", update.removed_seconds);
  fields("new_shards", update.new_shards);
  fields("rewritten_shards", update.rewritten_shards);
  fields("pending", update.pending);
  fields("lost_samples", update.lost);
  fields("lost_files", update.lost_files);
  fields("sources", update.sources);
}

template <base::Either<DatasetRecord> Record>
void describe(auto& fields, Record& record) {
  fields.version("format_version", kDatasetVersion);
  fields("shards", record.shards);
  fields("shard_files", record.shard_files);
  fields("samples", record.samples);
  fields.seconds("seconds", record.seconds);
  fields("bytes", record.bytes);
  fields("tar_bytes", record.tar_bytes);
  fields("audio_bytes", record.audio_bytes);
  fields("rejects", record.rejects);
  fields("left_out", record.left_out);
  fields("with_text", record.with_text);
  fields("texts_cleaned", record.texts_cleaned);
  fields.if_any("parity", record.parity);
  fields("balance", record.balance);
  fields("audio", record.audio);
  fields("reencoded", record.reencoded);
  fields("datasets", record.datasets);
  fields("evened", record.evened);
  fields("options", record.options);
  fields("sources", record.sources);
  fields.xxh3("inputs_xxh3", record.inputs_xxh3);
  fields.if_any("doubtful", record.doubtful);
  fields("pending", record.pending);
  fields.if_any("updates", record.updates);
}

std::uint64_t doubtful_samples(const DatasetRecord& record) {
  std::uint64_t samples = 0;
  for (const DatasetRecord::Doubt& doubt : record.doubtful) samples += doubt.samples;
  return samples;
}

namespace {

/// "pcm24" of flac/pcm24; empty for lossy audio.
std::string_view values_in(std::string_view format) {
  const std::string_view encoding = format.substr(std::min(format.find('/'), format.size() - 1) + 1);
  return encoding.starts_with("pcm") || encoding.starts_with("float") ? encoding : std::string_view();
}

bool has_several_values(const std::vector<DatasetRecord::AudioKind>& kinds) {
  std::set<std::string_view> values;
  for (const auto& kind : kinds) values.insert(values_in(kind.format));
  values.erase(std::string_view());
  return values.size() > 1;
}

}  // namespace

bool is_uniform(const DatasetRecord& record) {
  return std::all_of(record.audio.begin(), record.audio.end(),
                     [&](const DatasetRecord::AudioKind& kind) {
                       return kind.sample_rate == record.audio.front().sample_rate &&
                              kind.channels == record.audio.front().channels;
                     }) &&
         !has_several_values(record.audio);
}

bool has_other_values(std::string_view format, std::string_view other) {
  const std::string_view one = values_in(format);
  const std::string_view two = values_in(other);
  return !one.empty() && !two.empty() && one != two;
}

bool is_even(const DatasetRecord::Balance& balance) {
  constexpr double kRounding = 1e-6;  // of sums of seconds: exactly 10 ms is equal
  return balance.max_samples - balance.min_samples <= 1 &&
         balance.max_seconds - balance.min_seconds <=
             std::max(0.010, 1e-5 * balance.mean_seconds) + kRounding;
}

std::string to_json(const DatasetRecord& record) {
  return json_document(record);
}

DatasetRecord read_dataset_record(const std::string& path) {
  return read_json_document<DatasetRecord>(path);
}

}  // namespace shardmill::manifest
