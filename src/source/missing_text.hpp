// Missing text: datasets whose transcripts were not found, judged before their audio is read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace shardmill {

/// The number of samples, and of those with a transcript.
struct TextCount {
  std::uint64_t samples = 0;
  std::uint64_t with_text = 0;

  std::uint64_t without_text() const noexcept { return samples - with_text; }
  /// True if more than a tenth has no transcript. For speech recognition that is a mistake in the input.
  bool misses_too_many() const noexcept { return without_text() > samples / 10; }

  void add(bool has_text) noexcept {
    samples += 1;
    with_text += has_text ? 1 : 0;
  }
  void add(const TextCount& other) noexcept {
    samples += other.samples;
    with_text += other.with_text;
  }
};

}  // namespace shardmill

namespace shardmill::source {

/// What to do about a dataset in which many samples have no transcript.
enum class MissingText {
  allowed,
  unless_all,  // samples without one are left out, but not whole datasets
  refused      // where it is more than a tenth
};

bool is_refused(const TextCount& texts, MissingText rule);

/// "none of 6 samples has a transcript", "3 of 6 samples have no transcript".
std::string missing_text(const TextCount& texts);

/// A table that the user gave beside the sources, and that has no transcripts.
struct TextlessTable {
  std::string dataset{};  // empty: of all
  std::string path{};
  std::string columns{};      // for messages
  std::string likely_text{};  // the column that looks most like a transcript; empty: none does
};

/// Whether a file is called like a table: others are not opened as one, since a large archive would be
/// unpacked for that.
bool has_table_name(const std::string& path);

/// Tables that lie beside audio.
struct TableHint {
  std::vector<std::string> paths;
  bool cuts_audio = false;  // its rows are stretches of audio files
};
/// The tables below `folder` with a row for one of the audio files there, or the one table whose rows are
/// stretches of these; nullopt if no table fits.
std::optional<TableHint> table_for(const std::string& folder);
/// The one table below `folder`, or else beside it, whose rows name the audio files there; nullopt if none
/// does, or several do.
std::optional<std::string> audio_list_for(const std::string& folder);
/// How many of the audio files below `folder` have a transcript in one of these tables, by their names there.
/// `text_field`: what tables without a usual name for it call the transcript; empty: they have one.
TextCount texts_in_tables(const std::string& folder, const std::vector<std::string>& tables,
                          const std::string& text_field);
/// Folders of one kind that are read as sources of their own.
struct CorporaBelow {
  std::string_view kind{};             // "Kaldi folder"
  std::vector<std::string> sources{};  // as the user gives them, with a prefix where one is needed
};
/// Those below `folder`, without itself, that are Kaldi's and have texts, or else those with manifests of
/// Lhotse.
CorporaBelow corpora_below(const std::string& folder);
/// Why a file below `folder` that is called like a table cannot be read as one, such as for its encoding;
/// nullopt if every such file can be read.
std::optional<Error> unreadable_table(const std::string& folder);
/// The tables in a folder, or in that of an archive, whose rows are about audio files: see LabelShape.
std::vector<std::string> tables_beside(const std::string& archive);

/// The columns of a table; nullopt if the file is no table, or has a column with a usual name for
/// transcripts.
std::optional<TextlessTable> look_into_table(const std::string& path);

/// Says what lies in `path` instead of transcripts, which corpus that looks like, and what to do: a table
/// that fits the audio, or the field of a table. `problem`: a clause such as that of missing_text(); `found`:
/// the members of shards, in words; `tables`: those that the user gave.
Error missing_text_error(const std::string& dataset, const TextCount& texts, const std::string& problem,
                         const std::string& path, const std::string& found = {},
                         const std::vector<TextlessTable>& tables = {});

/// One corpus of a dataset, read.
struct CorpusTexts {
  std::string path;
  TextCount texts;
  std::uint64_t without_audio = 0;  // transcripts that matched no audio
  std::string first_textless{};     // the key of a sample; empty if all have transcripts
  std::string path_of_first{};      // where its audio is
  std::uint64_t textless = 0;       // such samples
};

/// `others`: samples that lack it, too.
Error textless_warning(const std::string& key, std::uint64_t others, const std::string& path);

/// Throws Error where the corpora, all of one dataset, come to a refused count, of samples without transcript
/// or of transcripts without audio.
void check_texts(const std::string& dataset, const std::vector<CorpusTexts>& corpora, MissingText rule,
                 const std::vector<TextlessTable>& tables = {});

}  // namespace shardmill::source
