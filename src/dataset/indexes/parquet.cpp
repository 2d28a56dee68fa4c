#include "dataset/indexes/parquet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>

#include "base/error.hpp"
#include "base/text/json_writer.hpp"
#include "base/text/letters.hpp"
#include "dataset/indexes/fact_columns.hpp"
#include "dataset/indexes/index_file.hpp"
#include "dataset/indexes/manifest_lines.hpp"
#include "dataset/indexes/sample_audio.hpp"
#include "manifest/form_names.hpp"
#include "parquet/table_writer.hpp"

namespace shardmill::dataset {

namespace {

using parquet::ValueKind;

std::string in_parquet(std::string_view name) {
  return fmt::format("{}/{}", manifest::kParquetFolder, name);
}

/// Which split it is, is told by the first word.
std::string table_name(std::size_t shard, std::size_t shards) {
  return in_parquet(fmt::format("train-{:05}-of-{:05}.parquet", shard, shards));
}

constexpr std::string_view kAudioColumn = "audio";

/// The columns that every dataset has; its facts follow.
std::vector<parquet::Column> columns_of(const std::vector<FactColumn>& facts) {
  const std::string audio(kAudioColumn);
  std::vector<parquet::Column> columns{{"bytes", ValueKind::bytes, audio}, {"path", ValueKind::text, audio},
                                       {"text", ValueKind::text},          {"key", ValueKind::text},
                                       {"dataset", ValueKind::text},       {"duration", ValueKind::float64},
                                       {"sample_rate", ValueKind::int64},  {"channels", ValueKind::int64}};
  const auto is_fact = [&](const std::string& name) {
    return std::any_of(facts.begin(), facts.end(), [&](const FactColumn& fact) { return fact.fact == name; });
  };
  for (const FactColumn& fact : facts) {
    std::string name = fact.fact;
    // Other names that are taken above cannot be those of facts.
    while (name == kAudioColumn || (name != fact.fact && is_fact(name))) name += '_';
    columns.push_back({std::move(name), fact.kind});
  }
  return columns;
}

std::string_view feature_type(ValueKind kind) {
  switch (kind) {
    case ValueKind::boolean:
      return "bool";
    case ValueKind::int64:
      return "int64";
    case ValueKind::float64:
      return "float64";
    case ValueKind::bytes:
      return "binary";
    case ValueKind::text:
      break;
  }
  return "string";
}

/// What load_dataset takes for the types of the columns: without it, audio is only a struct.
std::string features_json(const std::vector<parquet::Column>& columns) {
  std::string text;
  base::JsonWriter json(text);
  json.begin_object().key("info").begin_object().key("features").begin_object();
  json.key(kAudioColumn).begin_object().member("_type", "Audio").end_object();
  for (const parquet::Column& column : columns) {
    if (!column.group.empty()) continue;
    json.key(column.name).begin_object().member("dtype", feature_type(column.kind));
    json.member("_type", "Value").end_object();
  }
  json.end_object().end_object().end_object();
  return text;
}

void check_size(const manifest::SampleRecord& record, const std::string& shard) {
  if (record.audio_bytes <= parquet::kHighestValueBytes) return;
  throw Error("is larger than the 2 GiB that a value of Parquet can hold",
              Where{.path = shard, .member = record.audio_filepath}, "leave out the index parquet");
}

manifest::Checksum write_table(const ShardToIndex& shard, std::string name, const std::string& folder,
                               const std::vector<FactColumn>& facts, base::Reporter& reporter) {
  IndexFile file(folder, std::move(name));
  SampleAudio audio(shard.path);
  std::vector<parquet::Column> columns = columns_of(facts);
  std::vector<parquet::Note> notes{{"huggingface", features_json(columns)}};
  parquet::TableWriter table(std::move(columns), std::move(notes),
                             [&](std::string_view bytes) { file.write(bytes); });
  std::vector<std::string> kept(facts.size());
  for_each_sample(shard.manifest, reporter,
                  [&](const manifest::SampleRecord& record, const base::JsonValue& line) {
                    std::vector<parquet::Value> row{base::as_text(audio.read(record)),
                                                    std::string_view(record.audio_filepath),
                                                    {},
                                                    std::string_view(record.key),
                                                    std::string_view(record.dataset),
                                                    record.duration_seconds,
                                                    std::int64_t{record.audio.sample_rate},
                                                    std::int64_t{record.audio.channels}};
                    if (record.text) row[2] = std::string_view(*record.text);
                    for (std::size_t i = 0; i < facts.size(); ++i)
                      row.push_back(value_of(facts[i], line, kept[i]));
                    table.add(row);
                  });
  table.finish();
  return file.commit();
}

/// Makes a folder with files of a split a dataset that says so itself, wherever it is uploaded.
std::string parquet_card() {
  return std::string(manifest::kCardStart) +
         "configs:\n- config_name: default\n  data_files:\n  - split: train\n    path: \"train-*.parquet\"\n"
         "task_categories:\n- automatic-speech-recognition\n---\n";
}

}  // namespace

std::vector<std::string> parquet_names(std::size_t shards) {
  std::vector<std::string> names;
  for (std::size_t shard = 0; shard < shards; ++shard) names.push_back(table_name(shard, shards));
  names.push_back(in_parquet(manifest::kCard));
  return names;
}

void write_parquet(const std::vector<ShardToIndex>& shards, const std::string& folder,
                   pipeline::Workers& workers, base::Reporter& reporter, WrittenIndexes& written) {
  const std::vector<FactColumn> facts = find_fact_columns(shards, workers, reporter);
  workers.for_each(shards.size(), [&](std::size_t i) {
    for_each_sample(shards[i].manifest, reporter,
                    [&](const manifest::SampleRecord& record, const base::JsonValue&) {
                      check_size(record, shards[i].path);
                    });
  });
  std::vector<manifest::Checksum> tables(shards.size());
  workers.for_each(shards.size(), [&](std::size_t i) {
    tables[i] = write_table(shards[i], table_name(i, shards.size()), folder, facts, reporter);
  });
  written.files.insert(written.files.end(), tables.begin(), tables.end());
  written.files.push_back(write_whole(folder, in_parquet(manifest::kCard), parquet_card()));
}

}  // namespace shardmill::dataset
