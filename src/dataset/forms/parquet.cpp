// Parquet files as Hugging Face has them: a copy of the samples in tables, the audio as it is. All files have
// the same columns.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/text/json_reader.hpp"
#include "base/text/json_writer.hpp"
#include "base/text/letters.hpp"
#include "dataset/forms/all.hpp"
#include "dataset/forms/samples.hpp"
#include "dataset/summed_file.hpp"
#include "manifest/layout.hpp"
#include "parquet/table_writer.hpp"

namespace shardmill::dataset {

namespace {

constexpr std::string_view kParquetFolder = "parquet";
constexpr std::string_view kParquetCard = "parquet/README.md";

using parquet::ValueKind;

/// Readers slow down long before. More names come from a source that has data in the place of names.
constexpr std::size_t kHighestFacts = 1000;

/// What the sources say of the samples besides audio and text is a column for each fact, of the kind that
/// fits all its values: a text holds anything, also lists and objects, as JSON.
struct FactColumn {
  std::string fact;  // its name in the manifests
  ValueKind kind = ValueKind::text;
};

/// What all values of a fact have in common, as far as they were seen.
struct Seen {
  std::optional<ValueKind> kind;  // nullopt: only nulls
  bool fits_float = true;         // for int64: a float64 holds all of them exactly
};
using Kinds = std::map<std::string, Seen, std::less<>>;

std::optional<std::int64_t> whole(const base::JsonValue& number) {
  try {
    return number.integer();
  } catch (const Error&) {
    return std::nullopt;
  }
}

Seen seen_in(const base::JsonValue& value) {
  if (value.is_null()) return {};
  const std::string text = value.line();
  const char first = text.front();
  if (first == 't' || first == 'f') return {.kind = ValueKind::boolean};
  const bool is_number = first == '-' || (first >= '0' && first <= '9');
  if (!is_number) return {.kind = ValueKind::text};
  if (text.find_first_of(".eE") != text.npos) return {.kind = ValueKind::float64};
  // A text keeps all digits of a number that is too long.
  const auto integer = whole(value);
  if (!integer) return {.kind = ValueKind::text};
  constexpr std::int64_t kExact = std::int64_t{1} << 53;
  return {.kind = ValueKind::int64, .fits_float = *integer >= -kExact && *integer <= kExact};
}

/// The kind that holds both. The order of calls does not matter.
Seen joined(const Seen& one, const Seen& other) {
  Seen both{.kind = one.kind ? one.kind : other.kind, .fits_float = one.fits_float && other.fits_float};
  if (!one.kind || !other.kind || one.kind == other.kind) return both;
  const auto is_number = [](ValueKind kind) {
    return kind == ValueKind::int64 || kind == ValueKind::float64;
  };
  both.kind = is_number(*one.kind) && is_number(*other.kind) ? ValueKind::float64 : ValueKind::text;
  return both;
}

/// The kind of the column.
ValueKind settled(const Seen& seen) {
  if (seen.kind == ValueKind::float64 && !seen.fits_float) return ValueKind::text;
  return seen.kind.value_or(ValueKind::text);
}

void join(Kinds& kinds, std::string_view name, const Seen& seen) {
  auto found = kinds.find(name);
  if (found == kinds.end()) found = kinds.emplace(name, Seen{}).first;
  found->second = joined(found->second, seen);
  if (kinds.size() > kHighestFacts)
    throw Error(fmt::format("its samples have more than {} different facts, and each would be a column",
                            kHighestFacts));
}

Kinds kinds_in(const std::string& manifest, base::Reporter& reporter) {
  Kinds kinds;
  for_each_sample(manifest, reporter, [&](const manifest::SampleRecord&, const base::JsonValue& line) {
    for (const auto& [name, value] : line.members()) {
      if (!manifest::is_sample_field(name)) join(kinds, name, seen_in(value));
    }
  });
  return kinds;
}

/// The facts of all samples, sorted by name. Reads the manifests of several shards at a time. Throws Error if
/// a table would get thousands of columns.
std::vector<FactColumn> find_fact_columns(const FormWork& work) {
  Kinds all;
  std::mutex mutex;
  work.workers.for_each(work.shards.size(), [&](std::size_t i) {
    const Kinds kinds = kinds_in(work.shards[i].manifest, work.reporter);
    const std::lock_guard lock(mutex);
    for (const auto& [name, seen] : kinds) join(all, name, seen);
  });
  std::vector<FactColumn> columns;
  for (const auto& [name, seen] : all) columns.push_back({.fact = name, .kind = settled(seen)});
  return columns;
}

/// The fact of one sample. `kept` holds the text that the value views.
parquet::Value value_of(const FactColumn& column, const base::JsonValue& line, std::string& kept) {
  const auto value = line.find(column.fact);
  if (!value || value->is_null()) return {};
  switch (column.kind) {
    case ValueKind::boolean:
      return value->line() == "true";
    case ValueKind::int64:
      return value->integer();
    case ValueKind::float64:
      return value->number();
    case ValueKind::bytes:
    case ValueKind::text:
      break;
  }
  kept = value->line();
  if (kept.starts_with('"')) kept = value->text();
  return std::string_view(kept);
}

/// The first word names the split.
std::string table_name(std::size_t shard, std::size_t shards) {
  return fmt::format("{}/train-{:05}-of-{:05}.parquet", kParquetFolder, shard, shards);
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
  SummedFile file(folder, std::move(name));
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

/// Makes the folder a dataset that names its files and its split, wherever it is uploaded.
std::string parquet_card() {
  return std::string(kCardStart) +
         "configs:\n- config_name: default\n  data_files:\n  - split: train\n    path: \"train-*.parquet\"\n"
         "task_categories:\n- automatic-speech-recognition\n---\n";
}

std::vector<std::string> parquet_names(const std::vector<std::string>& shards,
                                       const std::vector<std::string>&) {
  std::vector<std::string> names;
  for (std::size_t shard = 0; shard < shards.size(); ++shard)
    names.push_back(table_name(shard, shards.size()));
  names.emplace_back(kParquetCard);
  return names;
}

/// Throws Error for a sample that is too large before anything is written.
void write_parquet(const FormWork& work, WrittenIndexes& written) {
  const std::vector<ShardToIndex>& shards = work.shards;
  const std::vector<FactColumn> facts = find_fact_columns(work);
  work.workers.for_each(shards.size(), [&](std::size_t i) {
    for_each_sample(shards[i].manifest, work.reporter,
                    [&](const manifest::SampleRecord& record, const base::JsonValue&) {
                      check_size(record, shards[i].path);
                    });
  });
  std::vector<manifest::Checksum> tables(shards.size());
  work.workers.for_each(shards.size(), [&](std::size_t i) {
    tables[i] = write_table(shards[i], table_name(i, shards.size()), work.folder, facts, work.reporter);
  });
  written.files.insert(written.files.end(), tables.begin(), tables.end());
  written.files.push_back(write_whole(work.folder, std::string(kParquetCard), parquet_card()));
}

}  // namespace

LoaderForm parquet_form() {
  return {.name = "parquet",
          .help = "parquet/: tables with the audio as it is, its texts and facts, for Hugging Face",
          .lists_texts = true,
          .copies_audio = true,
          .folder = kParquetFolder,
          .sign = kParquetCard,
          .owns = [](std::string_view file) { return manifest::is_below(file, kParquetFolder); },
          .files = parquet_names,
          .write = write_parquet};
}

}  // namespace shardmill::dataset
