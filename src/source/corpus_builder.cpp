#include "source/corpus_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <tuple>

#include "base/text/json_reader.hpp"
#include "base/text/json_writer.hpp"
#include "base/text/units.hpp"
#include "manifest/sample_record.hpp"
#include "source/folders/file_search.hpp"
#include "source/source_file.hpp"
#include "source/texts/corpus_text.hpp"

namespace shardmill::source {

namespace {

/// The assumed output of a command. Sources are mixed by their sizes, and a command's is unknown before it
/// runs.
constexpr std::uint64_t kCommandBytes = std::uint64_t{1} << 20;

}  // namespace

bool Facts::has(std::string_view name) const {
  const std::size_t hash = std::hash<std::string_view>()(name);
  if (!has_unknown_names_ && std::find(name_hashes_.begin(), name_hashes_.end(), hash) == name_hashes_.end())
    return false;
  std::string quoted;
  base::append_json_string(quoted, name);
  // It may also be within a value.
  if (members_.find(quoted) == std::string::npos) return false;
  base::JsonParser parser;
  return parser.parse("{" + members_ + "}").find(name).has_value();
}

void Facts::begin(std::string_view name) {
  std::string free_name(name);
  while (manifest::is_sample_field(free_name) || has(free_name)) free_name.insert(0, "source_");
  if (!members_.empty()) members_ += ',';
  base::append_json_string(members_, free_name);
  members_ += ':';
  name_hashes_.push_back(std::hash<std::string_view>()(free_name));
}

Facts& Facts::text(std::string_view name, std::string_view value) {
  if (value.empty()) return *this;
  begin(name);
  base::append_json_string(members_, value);
  return *this;
}

Facts& Facts::json(std::string_view name, std::string_view json) {
  begin(name);
  members_ += json;
  return *this;
}

Facts& Facts::members(std::string_view members) {
  has_unknown_names_ = has_unknown_names_ || !members.empty();
  if (!members_.empty() && !members.empty()) members_ += ',';
  members_ += members;
  return *this;
}

void CorpusBuilder::description(const std::string& path) {
  auto [file, problem] = look_up(path, {}, Empty::allowed);
  if (problem) throw Error(*problem);
  files_.descriptions.push_back(std::move(file));
}

std::vector<std::string> CorpusBuilder::search(const std::string& folder,
                                               const std::function<bool(std::string_view name)>& wanted) {
  files_.folders.push_back(folder);
  return files_below(folder, wanted);
}

std::size_t CorpusBuilder::recording(SourceKind kind, const std::string& path, const std::string& named_at,
                                     bool only_listed) {
  const auto [known, is_new] = by_path_.try_emplace(path, recordings_.size());
  if (!is_new) return known->second;
  Recording& recording = recordings_.emplace_back();
  if (kind == SourceKind::command) {
    recording.file = {.path = path, .bytes = kCommandBytes};
  } else {
    std::tie(recording.file, recording.problem) = look_up(path, named_at);
  }
  recording.file.kind = kind;
  recording.file.only_listed = only_listed;
  return known->second;
}

void CorpusBuilder::utterance(std::size_t recording, const Utterance& utterance) {
  // Tables of the user may say the subset of the others.
  if (!subset_in(utterance.facts).empty() && is_of_other_subset(utterance.facts, subsets_)) return;
  if (const auto& problem = recordings_[recording].problem) {
    return unusable(Unusable::What::audio, utterance.key, *problem);
  }
  if (!(utterance.begin_seconds >= 0 && utterance.begin_seconds < utterance.end_seconds)) {
    const std::string text =
        fmt::format("the segment '{}' would begin at {} s and end at {} s (named in {})",
                    printable(utterance.key), utterance.begin_seconds, utterance.end_seconds,
                    printable(line_of(std::string(utterance.named_in), utterance.line)));
    return unusable(Unusable::What::segment, utterance.key,
                    Error(text, at(recordings_[recording].file.path)));
  }
  base::TextArena& texts = corpus_->texts;
  corpus_->utterances.push_back({.key = texts.keep(utterance.key),
                                 .text = texts.keep(utterance.text.value_or("")),
                                 .has_text = utterance.text.has_value(),
                                 .facts = texts.keep(utterance.facts),
                                 .begin_seconds = utterance.begin_seconds,
                                 .end_seconds = utterance.end_seconds,
                                 .seconds = utterance.seconds,
                                 .channel = utterance.channel,
                                 .keeps_to_seconds = utterance.keeps_to_seconds,
                                 .recording_seconds = utterance.recording_seconds,
                                 .recording_channels = utterance.recording_channels,
                                 .headerless_hz = utterance.headerless_hz});
  recording_of_.push_back(recording);
}

void CorpusBuilder::late_recording(const std::string& path,
                                   std::shared_ptr<const LateUtterances> utterances) {
  auto [file, problem] = look_up(path);
  if (problem) return unusable(Unusable::What::audio, path, *problem, utterances->samples);
  file.kind = SourceKind::recording;
  file.late = std::move(utterances);
  files_.audio.push_back(std::move(file));
}

void CorpusBuilder::archive(const std::string& path, std::shared_ptr<const ArchivedTree> tree) {
  auto [file, problem] = look_up(path);
  if (problem) return void(files_.unusable.push_back({.error = *problem}));
  file.tree = std::move(tree);
  archives_.push_back(std::move(file));
}

void CorpusBuilder::unusable(Unusable::What what, std::string_view key, Error error, std::uint64_t samples) {
  Unusable& one = files_.unusable.emplace_back(
      Unusable{.what = what, .key = std::string(key), .error = std::move(error)});
  if (samples != 1) one.samples = samples;
}

void CorpusBuilder::warn(const Error& warning) {
  const auto same = [&](const Warning& known) { return known.first.problem() == warning.problem(); };
  const auto known = std::find_if(warnings_.begin(), warnings_.end(), same);
  if (known == warnings_.end()) {
    warnings_.push_back({.first = warning});
  } else {
    ++known->others;
  }
}

/// Sorts by recording, then in the order that SourceFile promises; returns the former index of each.
std::vector<std::size_t> CorpusBuilder::sort_utterances() {
  std::vector<std::size_t> order(recording_of_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto& found = corpus_->utterances;
  const auto rank = [&](std::size_t index) {
    const CorpusUtterance& utterance = found[index];
    const std::size_t recording = recording_of_[index];
    const bool by_key = recordings_[recording].file.kind == SourceKind::shard;
    return std::tuple(recording, by_key ? utterance.key : std::string_view(),
                      by_key ? 0.0 : utterance.begin_seconds, index);
  };
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });

  std::vector<CorpusUtterance> sorted;
  sorted.reserve(order.size());
  for (const std::size_t index : order) sorted.push_back(found[index]);
  corpus_->utterances = std::move(sorted);
  return order;
}

CorpusFiles CorpusBuilder::take() {
  for (const Warning& warning : warnings_) {
    const std::string others =
        warning.others > 0 ? fmt::format(" ({})", base::format_count(warning.others, "more time")) : "";
    files_.warnings.emplace_back(warning.first.problem() + others, warning.first.where(),
                                 warning.first.advice(), warning.first.remedy());
  }
  const std::vector<std::size_t> order = sort_utterances();
  const std::span<const CorpusUtterance> all = corpus_->utterances;
  for (std::size_t begin = 0; begin < order.size();) {
    const std::size_t recording = recording_of_[order[begin]];
    std::size_t end = begin;
    while (end < order.size() && recording_of_[order[end]] == recording) ++end;
    SourceFile& file = files_.audio.emplace_back(std::move(recordings_[recording].file));
    file.corpus = corpus_;
    file.utterances = all.subspan(begin, end - begin);
    begin = end;
  }
  for (SourceFile& archive : archives_) files_.audio.push_back(std::move(archive));
  CorpusFiles result = std::move(files_);
  *this = CorpusBuilder();
  return result;
}

}  // namespace shardmill::source
