// Table hints, which source/missing_text.hpp declares: tables beside audio, and what their columns are.
#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <vector>

#include "base/io/folder.hpp"
#include "base/io/line_reader.hpp"
#include "base/text/letters.hpp"
#include "shard/tar_input.hpp"
#include "source/file_name.hpp"
#include "source/folders/file_search.hpp"
#include "source/labels/label_row.hpp"
#include "source/labels/lhotse_rows.hpp"
#include "source/metadata_table.hpp"
#include "source/missing_text.hpp"
#include "source/tables/table_records.hpp"
#include "source/tables/table_shape.hpp"

namespace shardmill::source {

bool has_table_name(const std::string& path) {
  std::string name = base::lower(path);
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  constexpr std::array<std::string_view, 5> kEndings{".csv", ".tsv", ".jsonl", ".json", ".ndjson"};
  return std::any_of(kEndings.begin(), kEndings.end(),
                     [&](std::string_view ending) { return name.ends_with(ending); });
}

namespace {

constexpr std::size_t kRowsEnough = 100;

using Stems = std::set<std::string, std::less<>>;

/// "b" for "a/b".
std::string_view name_in(std::string_view name) {
  return name.substr(name.rfind('/') + 1);
}

/// Calls `use` with the first rows of a table, and with its shape. Rows that `use` refuses are passed over.
template <typename Shape, typename Use>
void read_rows(const std::string& path, std::optional<Shape>& shape, const auto& make, const Use& use) {
  const base::File file = open_table(path);
  TableRecords records(file);
  std::string record;
  for (std::size_t rows = 0; rows < kRowsEnough && records.next_good(record, [](const Error&) {}); ++rows) {
    const bool is_first = !shape;
    if (is_first) make(records.kind(), record);
    if (is_first && shape->has_header()) continue;
    try {
      use(record);
    } catch (const Error&) {
      // The reader of the table reports it.
    }
  }
}

std::optional<TableHint> as_audio_list(const std::string& path, const Stems& stems) {
  std::optional<LabelShape> shape;
  TableHint hint{.paths = {path}};
  bool fits = false;
  read_rows(
      path, shape,
      [&](TableKind kind, const std::string& first) { shape.emplace(kind, first, std::string_view()); },
      [&](const std::string& record) {
        for (const LabelRow& row : shape->learn(record)) {
          const std::string_view name = name_in(row.audio);
          fits = fits || stems.contains(is_audio_name(name) ? audio_name(name).stem : name);
          hint.cuts_audio = hint.cuts_audio || !row.is_whole();
        }
      });
  return fits && hint.cuts_audio ? std::optional(hint) : std::nullopt;
}

/// Whether one of its first rows names an audio file, of those beside it if there are any, or all are about
/// the recording that is called like it.
bool names_audio(const std::string& path, const Stems& beside) {
  const std::string stem = stem_of_table(path);
  std::optional<LabelShape> shape;
  bool fits = false;
  read_rows(
      path, shape,
      [&](TableKind kind, const std::string& first) {
        shape.emplace(kind, first, std::string_view(), second_row(open_table(path)),
                      beside.contains(stem) ? stem : std::string());
      },
      [&](const std::string& record) {
        for (const LabelRow& row : shape->learn(record)) {
          const bool is_beside = beside.empty() || beside.contains(audio_name(row.audio).stem);
          fits = fits || (is_audio_name(row.audio) && is_beside) || (row.audio == stem && !row.is_whole());
        }
      });
  return fits;
}

bool is_table_of_keys(const std::string& path, const Stems& stems) {
  std::optional<TableShape> shape;
  bool fits = false;
  read_rows(
      path, shape,
      [&](TableKind kind, const std::string& first) {
        const base::File table = open_table(path);
        shape.emplace(kind, first, std::string_view(), RowsOf::samples, second_row(table), "",
                      likely_key_columns(table));
      },
      [&](const std::string& record) { fits = fits || stems.contains(name_in(shape->learn(record))); });
  return fits;
}

/// What `look` returns, or nothing if it throws an Error: a file that is no such table is no hint.
template <typename Look>
auto if_it_fits(const Look& look) -> decltype(look()) {
  try {
    return look();
  } catch (const Error&) {
    return {};
  }
}

bool names_speaker(const std::string& column) {
  const auto usual = shard::usual_speaker_names();
  return std::find(usual.begin(), usual.end(), shard::column_word(column)) != usual.end();
}

}  // namespace

namespace {

constexpr std::size_t kMostTables = 20;

/// The tables in the next folder, beside the one with the audio.
std::vector<std::string> tables_above(const std::string& folder) {
  const std::filesystem::path place(base::without_end_slashes(folder));
  if (place.filename() == "." || place.filename() == "..") return {};
  std::vector<std::string> tables;
  for (const auto& entry : base::entries(place.has_parent_path() ? place.parent_path().string() : ".")) {
    const std::string path = entry.string();
    if (tables.size() < kMostTables && has_table_name(path) && !base::is_folder(path)) tables.push_back(path);
  }
  std::sort(tables.begin(), tables.end());
  return tables;
}

TableHint fitting(const std::vector<std::string>& tables, const Stems& stems) {
  TableHint all;
  for (const std::string& table : tables) {
    if (auto hint = if_it_fits([&] { return as_audio_list(table, stems); }); hint && all.paths.empty())
      return *hint;
    if (if_it_fits([&] { return is_table_of_keys(table, stems); })) all.paths.push_back(table);
  }
  return all;
}

struct AudioAndTables {
  Stems stems{};
  std::vector<std::string> tables{};
};

AudioAndTables audio_and_tables_below(const std::string& folder) {
  AudioAndTables found;
  for (const std::string& file : files_below(folder, [](std::string_view) { return true; })) {
    if (is_audio_name(file)) found.stems.emplace(audio_name(file).stem);
    if (has_table_name(file) && found.tables.size() < kMostTables) found.tables.push_back(file);
  }
  return found;
}

}  // namespace

std::optional<TableHint> table_for(const std::string& folder) {
  if (!base::is_folder(folder)) return std::nullopt;
  const auto [stems, tables] = audio_and_tables_below(folder);
  TableHint all = fitting(tables, stems);
  if (all.paths.empty()) all = fitting(tables_above(folder), stems);
  return all.paths.empty() ? std::nullopt : std::optional(all);
}

std::optional<std::string> audio_list_for(const std::string& folder) {
  const auto below = audio_and_tables_below(folder);
  if (below.stems.empty()) return std::nullopt;
  for (std::vector<std::string> tables : {below.tables, tables_above(folder)}) {
    std::erase_if(tables, [&](const std::string& table) {
      return !if_it_fits([&] { return names_audio(table, below.stems); });
    });
    if (!tables.empty()) return tables.size() == 1 ? std::optional(tables.front()) : std::nullopt;
  }
  return std::nullopt;
}

TextCount texts_in_tables(const std::string& folder, const std::vector<std::string>& tables,
                          const std::string& text_field) {
  std::vector<std::unique_ptr<MetadataTable>> opened;
  for (const std::string& table : tables)
    opened.push_back(std::make_unique<MetadataTable>(table, text_field));
  const auto has_text = [&](const std::string& key) {
    return std::ranges::any_of(opened, [&](const auto& table) {
      const auto row = table->find(key);
      return row && !table->row(*row).text.value_or("").empty();
    });
  };
  TextCount count;
  for (const std::string& file : files_below(folder, is_audio_name)) {
    const std::string_view key = without_extension(std::string_view(file).substr(folder.size()));
    count.add(has_text(std::string(key.substr(std::min(key.find_first_not_of('/'), key.size())))));
  }
  return count;
}

namespace {

std::vector<std::string> kaldi_folders_below(const std::string& folder) {
  std::vector<std::string> folders;
  constexpr std::string_view kScript = "/wav.scp";
  for (std::string& script : files_below(folder, [](std::string_view name) { return name == "wav.scp"; })) {
    script.resize(script.size() - kScript.size());
    const bool is_below = base::canonical(script) != base::canonical(folder);
    if (is_below && base::exists(script + "/text")) folders.push_back(std::move(script));
  }
  return folders;
}

bool holds_lhotse_line(const std::string& path) {
  return if_it_fits([&] {
    base::LineReader lines(open_table(path));
    std::string_view line;
    base::JsonParser parser;
    return lines.next(line) && lhotse_kind(parser.parse(line)) != LhotseKind::none;
  });
}

std::vector<std::string> lhotse_folders_below(const std::string& folder) {
  std::set<std::string> folders;
  const auto is_manifest = [](std::string_view name) {
    return (name.ends_with(".jsonl") || name.ends_with(".jsonl.gz")) &&
           (name.find("cuts") != name.npos || name.find("supervisions") != name.npos);
  };
  for (const std::string& manifest : files_below(folder, is_manifest)) {
    std::string place = std::filesystem::path(manifest).parent_path().string();
    if (folders.contains(place) || base::canonical(place) == base::canonical(folder)) continue;
    if (holds_lhotse_line(manifest)) folders.insert(std::move(place));
  }
  std::vector<std::string> sources;
  for (const std::string& each : folders) sources.push_back("lhotse:" + each);
  return sources;
}

}  // namespace

CorporaBelow corpora_below(const std::string& folder) {
  if (!base::is_folder(folder)) return {};
  CorporaBelow kaldi{.kind = "Kaldi folder", .sources = kaldi_folders_below(folder)};
  if (!kaldi.sources.empty()) return kaldi;
  return {.kind = "folder with manifests of Lhotse", .sources = lhotse_folders_below(folder)};
}

std::optional<Error> unreadable_table(const std::string& folder) {
  if (!base::is_folder(folder)) return std::nullopt;
  for (const std::string& path : files_below(folder, [](std::string_view) { return true; })) {
    if (!has_table_name(path)) continue;
    try {
      const base::File file = open_table(path);
      TableRecords records(file);
      std::string record;
      for (std::size_t rows = 0; rows < kRowsEnough && records.next(record);) ++rows;
    } catch (const Error& error) {
      return error.within(at(path));
    }
  }
  return std::nullopt;
}

std::vector<std::string> tables_beside(const std::string& archive) {
  std::vector<std::string> tables;
  if (!base::is_folder(archive) && has_table_name(archive)) return tables;  // it is a table itself
  const std::string folder = base::is_folder(archive) ? archive : archive.substr(0, archive.rfind('/') + 1);
  const auto entries = base::entries(folder.empty() ? "." : folder);
  Stems stems;
  for (const std::filesystem::path& entry : entries) {
    const std::string name = entry.filename().string();
    if (is_audio_name(name)) stems.emplace(audio_name(name).stem);
  }
  for (const std::filesystem::path& entry : entries) {
    const std::string path = entry.string();
    if (!has_table_name(path) || base::is_folder(path)) continue;
    if (if_it_fits([&] { return names_audio(path, stems); })) tables.push_back(path);
  }
  std::sort(tables.begin(), tables.end());
  return tables;
}

namespace {

/// Calls `use` with the first rows of a table, and returns its columns.
template <typename Use>
std::optional<TableShape> look_at_rows(const std::string& path, const Use& use) {
  std::optional<TableShape> shape;
  read_rows(
      path, shape,
      [&](TableKind kind, const std::string& first) {
        const base::File table = open_table(path);
        const std::string second = second_row(table);
        try {
          shape.emplace(kind, first, std::string_view(), RowsOf::samples, second, "",
                        likely_key_columns(table));
        } catch (const Error&) {
          shape.emplace(kind, first, std::string_view(), RowsOf::labels, second, stem_of_table(path));
        }
      },
      [&](const std::string& record) {
        shape->learn(record);
        use(*shape, record);
      });
  return shape;
}

/// True for the name of an audio file, and for one word with a slash and an extension: "labels/1.json".
bool is_path(std::string_view value) {
  const std::string_view file = value.substr(value.rfind('/') + 1);
  return is_audio_name(value) ||
         (file.size() < value.size() && file.find('.') != file.npos && value.find(' ') == value.npos);
}

}  // namespace

std::optional<TextlessTable> look_into_table(const std::string& path) {
  return if_it_fits([&]() -> std::optional<TextlessTable> {
    std::map<std::string, std::size_t> bytes;  // of each column that is no number
    const auto shape = look_at_rows(path, [&](const TableShape& columns, const std::string& record) {
      for (const auto& [name, json] : columns.fields_in(record)) {
        if (json.starts_with('"') && !is_path(json.substr(0, json.size() - 1))) bytes[name] += json.size();
      }
    });
    if (!shape || !shard::usual_text_name({shape->columns().begin(), shape->columns().end()}).empty())
      return std::nullopt;
    TextlessTable table{.path = path};
    std::size_t most = 0;
    for (const std::string& name : shape->columns()) {
      if (name == shape->key_name()) continue;
      table.columns += (table.columns.empty() ? "" : ", ") + printable(name);
      if (bytes[name] <= most || names_speaker(name)) continue;
      most = bytes[name];
      table.likely_text = name;
    }
    return table;
  });
}

}  // namespace shardmill::source
