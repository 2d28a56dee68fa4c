
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/io/folder.hpp"
#include "base/text/units.hpp"
#include "source/labels/label_times.hpp"
#include "source/labels/lhotse_rows.hpp"
#include "source/tables/table_records.hpp"
#include "source/texts/corpus_text.hpp"

namespace shardmill::source {

namespace {

namespace fs = std::filesystem;

/// A file of a Shar folder: "recording", ".000000", ".tar".
struct SharName {
  std::string field;
  std::string number;
  std::string end;
};

std::optional<SharName> shar_name(const std::string& path) {
  const std::string name = fs::path(path).filename().string();
  for (const std::string_view end : {".tar", ".tar.gz", ".jsonl", ".jsonl.gz"}) {
    if (!name.ends_with(end)) continue;
    const std::string rest = name.substr(0, name.size() - end.size());
    const std::size_t dot = std::min(rest.find('.'), rest.size());
    return SharName{.field = rest.substr(0, dot), .number = rest.substr(dot), .end = std::string(end)};
  }
  return std::nullopt;
}

bool is_tar(const SharName& name) {
  return name.end.starts_with(".tar");
}

/// Calls back for each line that is an object. Errors name the file in their words: their place is that of
/// the archive.
template <typename Use>
void for_each_object(const std::string& path, const Use& use) try {
  const base::File file = open_table(path);
  TableRecords records(file);
  base::JsonParser parser;
  for (std::string record; records.next(record);) {
    try {
      const base::JsonValue value = parser.parse(record);
      use(value, records.line());
    } catch (const Error& error) {
      throw records.here(error);
    }
  }
} catch (const Error& error) {
  const Error placed = error.within(at(path));
  throw Error(fmt::format("{}: {}", to_string(placed.where()), placed.problem()), {}, placed.advice(),
              placed.remedy());
}

/// All members of `tables`, and those of `cut` with other names: as Lhotse does it, a table replaces them,
/// but not what the supervision says of its speaker.
std::string replaced(const std::string& cut, const Facts& tables) {
  constexpr std::array<std::string_view, 4> kOfSupervision{"speaker", "gender", "language", "lang"};
  const auto is_of_supervision = [&](std::string_view name) {
    return std::find(kOfSupervision.begin(), kOfSupervision.end(), name) != kOfSupervision.end();
  };
  base::JsonParser parser;
  base::JsonParser table_parser;
  const base::JsonValue own = parser.parse("{" + cut + "}");
  const base::JsonValue newer = table_parser.parse("{" + tables.members() + "}");
  Facts facts;
  for (const auto& [name, value] : own.members()) {
    if (is_of_supervision(name) || !newer.find(name)) facts.json(name, value.line());
  }
  for (const auto& [name, value] : newer.members()) {
    if (!is_of_supervision(name) || !own.find(name)) facts.json(name, value.line());
  }
  return facts.members();
}

/// The cuts of one shard, by their ids, which are the names of their audio.
class SharTree final : public TreeCorpus {
 public:
  SharTree(const SharShard& shard, const std::string& text_field, std::string subset)
      : path_(shard.cuts), subset_(std::move(subset)) {
    for_each_object(shard.cuts,
                    [&](const base::JsonValue& cut, std::uint64_t line) { add(cut, line, text_field); });
    for (const std::string& table : shard.tables) add_table(table);
  }

  Role role(std::string_view path) const override {
    path.remove_prefix(path.rfind('/') + 1);
    const std::size_t dot = path.rfind('.');
    const std::string_view end = dot == path.npos ? std::string_view() : path.substr(dot);
    const bool is_audio = end != ".json" && end != ".nodata" && end != ".nometa";
    return is_audio ? Role::audio : Role::other;
  }
  void read(const TreeText&) override {}

  std::optional<std::vector<TreeUtterance>> find(std::string_view audio) override {
    while (audio.starts_with("./")) audio.remove_prefix(2);
    const std::string id(audio.substr(0, std::max(audio.rfind('.'), audio.rfind('/') + 1)));
    std::vector<TreeUtterance> found;
    const auto cut = cuts_.find(id);
    if (cut == cuts_.end()) {
      TreeUtterance& unlisted = found.emplace_back();
      unlisted.key = id;
      unlisted.lacks = fmt::format("no cut of {} is about it", path_);
      unlisted.is_unlisted = true;
      return found;
    }
    cut->second.is_found = true;
    for (const LabelRow& row : cut->second.rows) {
      if (row.problem.empty()) found.push_back(utterance_of(row, cut->second));
    }
    return found;
  }

  void report_rest(const Lose& lose) const override {
    for (const auto& [line, id] : ids_) {
      const Cut& cut = cuts_.at(id);
      for (const LabelRow& row : cut.rows) {
        if (cut.is_found && row.problem.empty()) continue;
        const std::string problem = !row.problem.empty()
                                        ? row.problem
                                        : fmt::format("there is no audio '{}' in its shard", printable(id));
        lose({.key = row.key, .error = Error(problem, at(line_of(path_, line)))});
      }
    }
  }

 private:
  struct Cut {
    std::vector<LabelRow> rows;
    Facts facts{};  // of tables
    bool is_found = false;
  };

  /// The shard has the audio of the cut, and no more, unless its recording is said to be as long as the cut
  /// and all before it.
  static double begin_of_audio(const base::JsonValue& cut) {
    const auto number = [](const base::JsonValue& object, std::string_view name) {
      const auto value = object.find(name);
      return value && !value->is_null() ? value->number() : 0;
    };
    const double begin = number(cut, "start");
    const auto recording = cut.find("recording");
    const double seconds = recording && recording->is_object() ? number(*recording, "duration") : 0;
    constexpr double kRoundedSeconds = 1e-3;
    return seconds + kRoundedSeconds >= begin + number(cut, "duration") ? 0 : begin;
  }

  void add(const base::JsonValue& json, std::uint64_t line, const std::string& text_field) {
    if (lhotse_kind(json) != LhotseKind::cut) throw Error("is not a Lhotse cut");
    const std::string id = lhotse_id(json);
    Cut cut{.rows = lhotse_rows(json, text_field)};
    const double begin = begin_of_audio(json);
    for (LabelRow& row : cut.rows) {
      row.begin_seconds = base::decimal_sum(row.begin_seconds, -begin);
      if (row.end_seconds != CorpusUtterance::kToTheEnd)
        row.end_seconds = base::decimal_sum(row.end_seconds, -begin);
      if (cut.rows.size() == 1 && row.begin_seconds == 0) {
        row.end_seconds = CorpusUtterance::kToTheEnd;
        row.channel.reset();
        row.keeps_to_seconds = true;
      }
      if (row.problem.empty()) row.problem = why_no_stretch(row.begin_seconds, row.end_seconds);
    }
    if (!cuts_.emplace(id, std::move(cut)).second)
      throw Error(fmt::format("the cut '{}' comes twice", printable(id)));
    ids_.emplace(line, id);
  }

  /// Lines such as {"cut_id": "x", "mos": 3.5}; {} or null means a cut without a value.
  void add_table(const std::string& table) {
    std::size_t lines = 0;
    for_each_object(table, [&](const base::JsonValue& line, std::uint64_t) {
      ++lines;
      const auto id = line.is_object() ? line.find("cut_id") : std::nullopt;
      const bool is_empty = line.is_null() || (line.is_object() && line.members().empty());
      if (!id && !is_empty) throw Error("does not say which cut it is of", {}, "add its cut_id");
      if (!id) return;
      const auto cut = cuts_.find(lhotse_id(line, "cut_id"));
      if (cut == cuts_.end()) throw Error(fmt::format("names a cut that is not in {}", path_));
      for (const auto& [name, value] : line.members()) {
        if (name != "cut_id" && !value.is_null()) cut->second.facts.json(name, value.line());
      }
    });
    if (lines != cuts_.size())
      throw Error(
          fmt::format("{} has {}, and {} has {}: a table has a line for each cut", table,
                      base::format_count(lines, "line"), path_, base::format_count(cuts_.size(), "cut")),
          at(table));
  }

  TreeUtterance utterance_of(const LabelRow& row, const Cut& cut) const {
    TreeUtterance utterance{.key = row.key};
    utterance.text = row.text;
    utterance.facts.members(cut.facts.members().empty() ? row.facts : replaced(row.facts, cut.facts));
    if (!subset_.empty()) utterance.subsets.push_back(subset_);
    utterance.begin_seconds = row.begin_seconds;
    utterance.end_seconds = row.end_seconds;
    utterance.seconds = row.seconds;
    utterance.channel = row.channel;
    utterance.keeps_to_seconds = row.keeps_to_seconds;
    utterance.recording_channels = row.recording_channels;
    if (row.has_longer_text) utterance.text_doubt = "text_beyond_audio";
    if (!row.other_recording.empty()) utterance.text_doubt = "text_of_other_recording";
    return utterance;
  }

  std::string path_;
  std::string subset_;
  std::unordered_map<std::string, Cut> cuts_;
  std::map<std::uint64_t, std::string> ids_;  // by their lines
};

}  // namespace

namespace {

/// Writers number them from 0 and without gaps: cuts.000000.jsonl.gz, cuts.000001.jsonl.gz.
std::string gap_in(const std::map<std::string, SharShard>& shards) {
  constexpr std::size_t kDot = 1;
  std::map<std::uint64_t, std::pair<std::string, std::string>> cuts;
  for (const auto& [end, shard] : shards) {
    const auto number = base::count_in(std::string_view(end).substr(std::min(kDot, end.size())));
    if (!number) return {};
    cuts.emplace(*number, std::pair(end, shard.cuts));
  }
  std::uint64_t next = 0;
  for (const auto& [number, cut] : cuts) {
    const auto& [end, path] = cut;
    if (number == next++) continue;
    std::string missing = path;
    return missing.replace(path.rfind(end), end.size(), fmt::format(".{:0{}}", next - 1, end.size() - kDot));
  }
  return {};
}

/// A field that has a table in one shard has one in each.
void find_missing_tables(std::map<std::string, SharShard>& shards) {
  std::map<std::string, std::string> ends;  // by field
  for (const auto& [number, shard] : shards) {
    for (const std::string& table : shard.tables)
      ends.emplace(shar_name(table)->field, shar_name(table)->end);
  }
  for (auto& [number, shard] : shards) {
    std::set<std::string> there;
    for (const std::string& table : shard.tables) there.insert(shar_name(table)->field);
    for (const auto& [field, end] : ends) {
      if (!there.contains(field))
        shard.missing_tables.push_back(
            (fs::path(shard.cuts).parent_path() / (field + number + end)).string());
    }
  }
}

}  // namespace

SharFolder shar_in(const std::string& folder) {
  std::vector<std::string> files;
  for (const fs::path& entry : base::entries(folder)) {
    if (!base::is_folder(entry) && shar_name(entry.string())) files.push_back(entry.string());
  }
  std::sort(files.begin(), files.end());
  const auto is = [](const std::string& path, std::string_view field, bool tar) {
    const SharName name = *shar_name(path);
    return name.field == field && is_tar(name) == tar;
  };
  SharFolder found;
  if (std::none_of(files.begin(), files.end(), [&](const auto& file) { return is(file, "recording", true); }))
    return found;
  std::map<std::string, SharShard> shards;
  for (const std::string& file : files) {
    if (is(file, "cuts", false)) shards[shar_name(file)->number].cuts = file;
  }
  if (shards.empty()) return found;
  for (const std::string& file : files) {
    const SharName name = *shar_name(file);
    if (is(file, "cuts", false)) continue;
    const auto shard = shards.find(name.number);
    if (shard == shards.end() && name.field == "recording") {
      found.without_cuts.push_back(file);
    } else if (shard == shards.end() || (is_tar(name) && name.field != "recording")) {
      found.others.push_back(file);
    } else if (is_tar(name)) {
      shard->second.audio = file;
    } else {
      shard->second.tables.push_back(file);
    }
  }
  found.gap = gap_in(shards);
  find_missing_tables(shards);
  for (auto& [number, shard] : shards) found.shards.push_back(std::move(shard));
  return found;
}

ArchivedTree shar_tree(const SharShard& shard, const TreeOptions& options, const std::string& subset) {
  return {.corpus = "lhotse",
          .begin = [shard, field = options.text_field,
                    subset] { return std::make_shared<SharTree>(shard, field, subset); },
          .subsets = options.subsets};
}

}  // namespace shardmill::source
