#include "pipeline/sample_metadata.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/text/json_reader.hpp"
#include "pipeline/intake_options.hpp"
#include "shard/sample_text.hpp"
#include "source/corpus_builder.hpp"
#include "source/tree_text.hpp"

namespace shardmill::pipeline {

namespace {

std::set<std::string, std::less<>> names_in(std::string_view facts) {
  std::set<std::string, std::less<>> names;
  if (facts.empty()) return names;
  const std::string text = fmt::format("{{{}}}", facts);
  base::JsonParser parser;
  for (const auto& [name, value] : parser.parse(text).members()) names.emplace(name);
  return names;
}

}  // namespace

std::optional<SampleMetadata> read_metadata(std::string_view json, std::string_view text_field,
                                            std::string_view known) {
  auto found = source::read_sample_json(json, text_field, names_in(known));
  if (!found) return std::nullopt;  // It is carried along like any other member.
  return SampleMetadata{.text = std::move(found->text), .facts = std::move(found->facts)};
}

namespace {

void set_hash(TableFile& file, const base::Xxh128& hash) {
  if (file.hash && *file.hash != hash)
    throw Error("is not the table that the dataset or the run began with", at(file.path), "put back the file",
                Remedy::start_over);
  file.hash = hash;
}

}  // namespace

void read_tables(std::vector<TableFile>& tables, const source::TreeOptions& options) {
  Faults faults;
  for (TableFile& file : tables) {
    if (file.table) continue;
    faults.attempt([&] {
      auto table =
          std::make_shared<const source::MetadataTable>(file.path, options.text_field_of(file.dataset));
      set_hash(file, table->hash());
      file.table = std::move(table);
    });
  }
  faults.check();
}

void settle_labels(const std::vector<std::string>& sources, std::vector<TableFile>& labels) {
  if (labels.empty()) return;
  std::vector<std::string> names;
  for (const std::string& source : sources) names.push_back(source::dataset_name_of(source));
  const bool is_one =
      std::all_of(names.begin(), names.end(), [&](const auto& name) { return name == names[0]; });
  for (TableFile& file : labels) {
    if (file.dataset.empty() && is_one) file.dataset = names[0];
    if (file.dataset.empty())
      throw UsageError("may be the labels of any of several datasets", at(file.path),
                       "name the dataset: NAME=FILE");
    if (std::find(names.begin(), names.end(), file.dataset) == names.end())
      throw UsageError(
          fmt::format("is for the dataset '{}', but no source has that name", printable(file.dataset)),
          at(file.path), base::did_you_mean(file.dataset, names, "give its audio: NAME=SOURCE"));
  }
}

std::vector<source::LabelFile> read_labels(IntakeOptions& options) {
  std::vector<source::LabelFile> files;
  for (TableFile& labels : options.labels) {
    set_hash(labels, source::hash_of_content(base::File::open_read(labels.path)));
    files.push_back({.dataset = labels.dataset, .path = labels.path});
  }
  return files;
}

void read_tables(IntakeOptions& options) {
  read_tables(options.tables, options.tree);
  for (const TableFile& file : options.tables)
    options.tree.text_field_is_elsewhere = options.tree.text_field_is_elsewhere || file.table->has_text();
}

bool may_have_texts(const std::vector<TableFile>& tables, std::string_view dataset) {
  return std::ranges::any_of(tables, [&](const TableFile& file) {
    return file.is_for(dataset) && (!file.table || file.table->has_text());
  });
}

bool has_unread_table(const std::vector<TableFile>& tables, std::string_view dataset) {
  return std::any_of(tables.begin(), tables.end(),
                     [&](const TableFile& file) { return !file.table && file.is_for(dataset); });
}

std::vector<source::TextlessTable> textless_tables(const std::vector<TableFile>& tables) {
  std::vector<source::TextlessTable> textless;
  for (const TableFile& file : tables) {
    if (!file.table || file.table->has_text()) continue;
    auto table = source::look_into_table(file.path);
    if (!table) continue;
    table->dataset = file.dataset;
    textless.push_back(std::move(*table));
  }
  return textless;
}

std::optional<std::size_t> find_row(const TableFile& table, std::string_view key,
                                    std::string_view other_key) {
  auto row = table.table->find(key);
  if (!row && !other_key.empty() && other_key != key) row = table.table->find(other_key);
  return row;
}

JoinedFields fields_in(const std::vector<TableFile>& tables, std::string_view dataset, std::string_view key,
                       std::string_view other_key) {
  JoinedFields fields;
  const TableFile* with_text = nullptr;
  for (const TableFile& table : tables) {
    if (!table.table || !table.is_for(dataset)) continue;
    const auto number = find_row(table, key, other_key);
    if (!number) continue;
    const source::MetadataRow row = table.table->row(*number);
    if (std::string text = shard::clean_transcript(row.text.value_or("")); !text.empty()) {
      const bool is_rival = with_text != nullptr && with_text->dataset == table.dataset;
      if (is_rival && text != fields.text)
        fields.conflict = fmt::format("has different transcripts in {} and {}", printable(with_text->path),
                                      printable(table.path));
      if (with_text == nullptr || !table.dataset.empty() || is_rival) {
        fields.text = std::move(text);
        with_text = &table;
      }
    }
    fields.facts = merged_facts(fields.facts, row.facts);
  }
  return fields;
}

std::string merged_facts(const std::string& facts, const std::string& newer) {
  if (facts.empty() || newer.empty()) return facts + newer;
  base::JsonParser newer_parser;
  const std::string newer_text = fmt::format("{{{}}}", newer);
  std::set<std::string> replaced;
  for (const auto& [name, value] : newer_parser.parse(newer_text).members()) replaced.emplace(name);
  base::JsonParser parser;
  const std::string text = fmt::format("{{{}}}", facts);
  std::string merged;  // with the names as they are
  for (const auto& [name, value] : parser.parse(text).members()) {
    if (replaced.contains(std::string(name))) continue;
    base::append_json_string(merged, name);
    merged += fmt::format(":{},", value.line());
  }
  return merged + newer;
}

}  // namespace shardmill::pipeline
