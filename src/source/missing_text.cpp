#include "source/missing_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/io/folder.hpp"
#include "base/text/units.hpp"
#include "source/corpora.hpp"
#include "source/detection.hpp"
#include "source/file_name.hpp"
#include "source/folders/file_search.hpp"
#include "source/split.hpp"

namespace shardmill::source {

namespace {

struct Advice {
  std::string words;
  Remedy remedy = Remedy::allow_audio_alone;
};

Advice advice_for(const FolderGuess& guess, bool is_shard, bool is_archive, bool has_some) {
  if (has_some && (guess.is_read || guess.corpus.empty())) return {{}, Remedy::allow_missing_text};
  if (!guess.texts.empty() && guess.is_read) {
    return {fmt::format(
        "its transcripts are not in the given source, but here: {}; give the folder that holds both, as "
        "{}:FOLDER",
        printable(guess.texts), guess.prefix)};
  }
  if (!guess.missing.empty() && guess.is_read && is_archive)
    return {fmt::format("give the archive with {} beside it, under the same name", guess.missing)};
  if (!guess.missing.empty() && guess.is_read) return {fmt::format("put {} where it belongs", guess.missing)};
  if (!guess.prefix.empty()) return {fmt::format("give it without a prefix, or as {}:FOLDER", guess.prefix)};
  if (guess.corpus.empty() && is_shard) return {"transcripts must be KEY.txt members beside the audio"};
  return {
      "a transcript beside each audio file must have its name and end in .txt; a table of them may have any "
      "name (see "
      "docs/corpora.md)"};
}

std::string look_of(const FolderGuess& guess) {
  std::string text;
  if (!guess.contents.empty()) text += fmt::format("; found: {}", guess.contents);
  if (guess.corpus.empty()) return text;
  text += fmt::format(": this looks like {}", guess.corpus);
  if (!guess.missing.empty()) text += fmt::format(", but {} is missing", guess.missing);
  if (!guess.is_read)
    text +=
        guess.missing.empty() ? ", which shardmill cannot read yet" : ", and shardmill cannot read it yet";
  return text;
}

/// The table that was expected to hold the transcripts: one that the user gave for the dataset, or the source
/// itself.
std::optional<TextlessTable> table_without_text(const std::string& dataset, const std::string& path,
                                                const std::vector<TextlessTable>& tables) {
  for (const TextlessTable& table : tables) {
    if (table.dataset.empty() || table.dataset == dataset) return table;
  }
  if (has_archive_name(path) || base::is_folder(path) || !base::exists(path)) return std::nullopt;
  return look_into_table(path);
}

Error textless_table_error(const std::string& dataset, const std::string& problem, const std::string& path,
                           const TextlessTable& table) {
  const std::string text =
      fmt::format("dataset '{}': {}; {}the columns {}, and none of them has a usual name for a transcript",
                  printable(dataset), problem,
                  table.path == path ? "it has " : printable(table.path) + " has ", table.columns);
  if (table.likely_text.empty()) return Error(text, at(path), Remedy::allow_audio_alone);
  return Error(text, at(path), fmt::format("{}={}", dataset, table.likely_text), Remedy::name_text_field);
}

/// Advice with a remedy that takes several values has each in a line of its own. Behind a tab is the field of
/// a table that may be the transcript, where none has a usual name.
std::string values_of(const std::string& dataset, const std::vector<std::string>& paths) {
  std::string values;
  for (const std::string& path : paths) {
    values += fmt::format("{}{}={}", values.empty() ? "" : "\n", dataset, path);
    const auto table = look_into_table(path);
    if (table && !table->likely_text.empty() && paths.size() == 1)
      values += fmt::format("\t{}={}", dataset, table->likely_text);
  }
  return values;
}

Error table_beside_error(const std::string& dataset, const std::string& problem, const std::string& path,
                         const std::vector<std::string>& tables, Remedy remedy) {
  const bool is_one = tables.size() == 1;
  return Error(fmt::format("dataset '{}': {}, but {} {} of them", printable(dataset), problem,
                           is_one ? printable(tables.front())
                                  : fmt::format("{} and {}", printable(tables.front()),
                                                base::format_count(tables.size() - 1, "other file")),
                           is_one ? "is a table" : "are tables"),
               at(path), values_of(dataset, tables), remedy);
}

Error corpora_below_error(const std::string& dataset, const std::string& problem, const std::string& path,
                          const CorporaBelow& below) {
  std::string sources;
  for (const std::string& each : below.sources) sources += fmt::format(" {}={}", dataset, each);
  const std::size_t others = below.sources.size() - 1;
  return Error(fmt::format("dataset '{}': {}, but {} is a {}{}", printable(dataset), problem,
                           printable(below.sources.front()), below.kind,
                           others == 0 ? "" : fmt::format(", as {} more are", others)),
               at(path),
               fmt::format("give{}{}, and whatever else is there as a source of its own",
                           others == 0 ? " it as" : " each:", sources));
}

/// Where the corpus reads these tables itself, they are not about the samples that have no transcript.
std::optional<Error> tables_of_other_subsets(const std::string& dataset, const std::string& problem,
                                             const std::string& path,
                                             const std::vector<std::string>& tables) {
  const FolderGuess guess = guess_folder(path);
  const Corpus* corpus = guess.prefix.empty() ? nullptr : corpus_with_prefix(guess.prefix);
  if (corpus == nullptr || !corpus->is_tree()) return std::nullopt;
  const bool are_its_own = std::ranges::all_of(tables, [&](const std::string& table) {
    return matches(corpus->texts, normal_path(table)) && !subset_of_table(table).empty();
  });
  if (!are_its_own) return std::nullopt;
  return Error(fmt::format("dataset '{}': {}: {} is of another subset of {}", printable(dataset), problem,
                           printable(tables.front()), corpus->name),
               at(path), fmt::format("put {} where it belongs", corpus->needed), Remedy::allow_audio_alone);
}

void check_without_audio(const std::string& dataset, const std::vector<CorpusTexts>& corpora) {
  std::uint64_t heard = 0;
  std::uint64_t without_audio = 0;
  for (const CorpusTexts& corpus : corpora) {
    heard += corpus.texts.with_text;
    without_audio += corpus.without_audio;
  }
  const TextCount transcripts{.samples = heard + without_audio, .with_text = heard};
  if (!transcripts.misses_too_many()) return;
  const auto worst = std::max_element(corpora.begin(), corpora.end(), [](const auto& a, const auto& b) {
    return a.without_audio < b.without_audio;
  });
  throw Error(fmt::format("dataset '{}': of {} the audio is not there for {}", printable(dataset),
                          base::format_count(transcripts.samples, "transcript"),
                          without_audio == transcripts.samples ? "any" : base::format_count(without_audio)),
              at(worst->path), "bring the audio back", Remedy::allow_lost_audio);
}

}  // namespace

bool is_refused(const TextCount& texts, MissingText rule) {
  switch (rule) {
    case MissingText::allowed:
      return false;
    case MissingText::unless_all:
      return texts.samples > 0 && texts.with_text == 0;
    case MissingText::refused:
      break;
  }
  return texts.misses_too_many();
}

std::string missing_text(const TextCount& texts) {
  if (texts.samples == 1) return "its only sample has no transcript";
  if (texts.with_text == 0)
    return fmt::format("none of {} has a transcript", base::format_count(texts.samples, "sample"));
  return fmt::format("{} of {} {} no transcript", base::format_count(texts.without_text()),
                     base::format_count(texts.samples, "sample"), texts.without_text() == 1 ? "has" : "have");
}

Error textless_warning(const std::string& key, std::uint64_t others, const std::string& path) {
  const std::string also = others == 0   ? ""
                           : others == 1 ? ", and neither has 1 other"
                                         : fmt::format(", and neither have {} others", others);
  return Error(fmt::format("'{}' has no transcript{}", printable(key), also), at(path), Remedy::require_text);
}

Error missing_text_error(const std::string& dataset, const TextCount& texts, const std::string& problem,
                         const std::string& path, const std::string& found,
                         const std::vector<TextlessTable>& tables) {
  if (const auto table = table_without_text(dataset, found.empty() ? path : "", tables))
    return textless_table_error(dataset, problem, path, *table);
  if (texts.with_text == 0 && found.empty()) {
    if (const CorporaBelow below = corpora_below(path); !below.sources.empty())
      return corpora_below_error(dataset, problem, path, below);
    if (const auto hint = table_for(path)) {
      if (const auto error = tables_of_other_subsets(dataset, problem, path, hint->paths)) return *error;
      return table_beside_error(dataset, problem, path, hint->paths,
                                hint->cuts_audio ? Remedy::give_audio_list : Remedy::give_table);
    }
    if (const auto unread = unreadable_table(path)) {
      return Error(
          fmt::format("dataset '{}': {}, and what may be a table of them, {}, {}", printable(dataset),
                      problem, printable(unread->where().path), unread->problem()),
          at(path),
          fmt::format("{}; then give it as metadata of {}",
                      unread->advice().empty() ? "mend it" : unread->advice(), printable(dataset)));
    }
  }
  if (texts.with_text == 0) {
    if (const auto beside = tables_beside(path); !beside.empty())
      return table_beside_error(dataset, problem, path, beside, Remedy::give_labels_beside);
  }
  FolderGuess guess;
  bool is_archive = false;
  try {
    if (has_archive_name(path) && !base::is_folder(path)) guess = guess_archive(path);
    is_archive = !guess.corpus.empty();
    if (guess.corpus.empty()) guess = guess_folder(path);
  } catch (const Error&) {
    // What cannot be looked into cannot help; that texts are missing is still to be said.
  }
  if (!found.empty()) guess.contents = found;
  Advice advice = advice_for(guess, !found.empty(), is_archive, texts.with_text > 0);
  return Error(fmt::format("dataset '{}': {}{}", printable(dataset), problem, look_of(guess)), at(path),
               std::move(advice.words), advice.remedy);
}

void check_texts(const std::string& dataset, const std::vector<CorpusTexts>& corpora, MissingText rule,
                 const std::vector<TextlessTable>& tables) {
  if (corpora.empty() || rule == MissingText::allowed) return;
  TextCount all;
  for (const CorpusTexts& corpus : corpora) all.add(corpus.texts);
  if (!is_refused(all, rule))
    return rule == MissingText::refused ? check_without_audio(dataset, corpora) : void();
  const auto worst = std::max_element(corpora.begin(), corpora.end(), [](const auto& a, const auto& b) {
    return a.texts.without_text() < b.texts.without_text();
  });
  throw missing_text_error(dataset, all, missing_text(all), worst->path, {}, tables);
}

}  // namespace shardmill::source
