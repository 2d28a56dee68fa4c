#include "source/texts/tree_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "source/file_name.hpp"
#include "source/texts/corpus_text.hpp"
#include "source/texts/tree_lines.hpp"

namespace shardmill::source {

namespace {

/// `names`: as TableFiles has them.
bool is_among(std::string_view names, std::string_view path) {
  const std::string_view own = path_part(path, 0);
  while (!names.empty()) {
    const std::string_view name = names.substr(0, names.find('|'));
    if (name.starts_with('.') ? own.ends_with(name) : own == name) return true;
    names.remove_prefix(std::min(name.size() + 1, names.size()));
  }
  return false;
}

}  // namespace

std::string_view path_part(std::string_view path, std::size_t from_end) {
  for (; from_end > 0; --from_end) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string_view::npos) return {};
    path = path.substr(0, slash);
  }
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string_view folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::string_view folder_above(std::string_view path, std::string_view inner) {
  const std::size_t begin = is_audio_name(path) ? path.rfind(inner) : path.npos;
  return begin == path.npos ? folder_of(path) : path.substr(0, begin);
}

std::string stem_of(std::string_view path) {
  return std::string(audio_name(path).stem);
}

std::string_view folder_among(std::string_view path, const std::vector<std::string_view>& names) {
  for (std::size_t i = 1;; ++i) {
    const std::string_view part = path_part(path, i);
    if (part.empty()) return {};
    if (std::find(names.begin(), names.end(), part) != names.end()) return part;
  }
}

std::string whole_transcript(const TreeText& text) {
  TreeLines lines(text);
  std::string transcript;
  for (std::string_view line; lines.next(line);) {
    if (!transcript.empty()) transcript += '\n';
    transcript += line;
  }
  return transcript;
}

TreeCorpus::Role TreeTable::role(std::string_view path) const {
  if (is_audio_name(path)) return Role::audio;
  return is_among(names_.transcripts, path) || is_among(names_.speakers, path) ? Role::text : Role::other;
}

TreeCorpus::Above TreeTable::above(std::string_view name) const {
  if (is_among(names_.speakers, name)) return Above::remarks;
  return names_.may_be_above && role(name) == Role::text ? Above::transcripts : Above::no;
}

void TreeTable::read(const TreeText& text) {
  if (is_among(names_.speakers, text.path)) {
    has_speakers_ = true;
    return read_speakers(text);
  }
  read_transcripts(text);
  if (names_.covers == TableFiles::Covers::corpus) covered_.emplace();
  if (names_.covers == TableFiles::Covers::folder) covered_.emplace(awaited(text.path));
}

void TreeTable::read_transcripts(const TreeText& text) {
  for_each_line(text, [&](std::string_view line, std::uint64_t number) {
    const std::string id(take_field(line));
    add(id, line, text, number);
  });
}

bool TreeTable::is_covered(std::string_view audio) const {
  if (names_.covers == TableFiles::Covers::textless) return true;
  const bool by_folder = names_.covers == TableFiles::Covers::folder;
  return covered_.contains(by_folder ? std::string(awaited(audio)) : std::string());
}

TreeTable::Row& TreeTable::add(std::string id, std::string_view text, const TreeText& file,
                               std::uint64_t line) {
  const auto [known, is_new] = by_id_.try_emplace(std::move(id), rows_.size());
  if (!is_new) {
    const Row& other = rows_[known->second];
    throw Error(fmt::format("'{}' is in line {} of {} already", printable(known->first), other.line,
                            printable(files_[other.file])));
  }
  if (files_.empty() || files_.back() != file.place) files_.push_back(file.place);
  Row& row = rows_.emplace_back();
  row.id = known->first;
  row.text = text;
  row.file = files_.size() - 1;
  row.line = line;
  return row;
}

const TreeTable::Row* TreeTable::find_row(std::string_view id) const {
  const auto found = by_id_.find(std::string(id));
  return found == by_id_.end() ? nullptr : &rows_[found->second];
}

void TreeTable::set_gender(std::string_view speaker, std::string_view gender) {
  if (!speaker.empty() && !gender.empty()) genders_.try_emplace(std::string(speaker), gender);
}

std::string_view TreeTable::gender_of(const std::string& speaker) const {
  const auto found = genders_.find(speaker);
  return found == genders_.end() ? std::string_view() : std::string_view(found->second);
}

std::optional<std::vector<TreeUtterance>> TreeTable::find(std::string_view audio) {
  const auto found = by_id_.find(id_of(audio));
  Row* row = found == by_id_.end() ? nullptr : &rows_[found->second];
  if (row == nullptr && !is_complete() && !is_covered(audio)) return std::nullopt;
  TreeUtterance utterance{.key = key_of(audio)};
  if (row != nullptr) {
    row->is_found = true;
    utterance.text = row->text;
    utterance.facts.text("speaker", row->speaker).text("gender", gender_of(row->speaker));
    utterance.facts.add(row->facts);
    utterance.subsets = row->subsets;
    utterance.recording_seconds = row->seconds;
  }
  describe(audio, row, utterance);
  if (row == nullptr && options_.needs_tables && !rows_.empty()) {
    const std::string tables = listed_in(audio);
    utterance.is_unlisted = !tables.empty();
    if (utterance.is_unlisted)
      utterance.lacks = fmt::format("no table lists it: {} may be missing or cut", tables);
  }
  return std::vector{std::move(utterance)};
}

void TreeTable::report_rest(const Lose& lose) const {
  for (const Row& row : rows_) {
    if (row.is_found || !(row.subsets.empty() || has_wanted_subset(row.subsets, options_.subsets))) continue;
    const std::string place = row.line > 0 ? fmt::format("line {}: ", row.line) : "";
    // Where keys are not unique, rows have the folder of their table in front.
    const std::string_view key = loses_by_key() ? std::string_view(row.id) : path_part(row.id, 0);
    lose({.key = key,
          .error =
              Error(fmt::format("{}'{}' has a transcript, but there is no such audio", place, printable(key)),
                    at(files_[row.file]))});
  }
}

}  // namespace shardmill::source
