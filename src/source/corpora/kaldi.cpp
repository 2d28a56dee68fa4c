// Kaldi data folders: wav.scp, text, segments, utt2spk and what lies beside them.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "base/io/folder.hpp"
#include "base/system/command.hpp"
#include "base/text/units.hpp"
#include "source/corpora/list.hpp"
#include "source/source_file.hpp"
#include "source/texts/corpus_text.hpp"
#include "source/texts/tree_table.hpp"

namespace shardmill::source {

namespace {

std::optional<double> number_of_seconds(std::string_view text) {
  double seconds = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const bool is_whole = failure == std::errc() && end == text.data() + text.size();
  // from_chars takes "nan" and "inf" for numbers.
  return is_whole && seconds - seconds == 0 ? std::optional(seconds) : std::nullopt;
}

/// "audio.ark:1234": a place in an archive, not a file.
bool is_archive_entry(std::string_view path) {
  const std::size_t colon = path.rfind(':');
  return colon != std::string_view::npos && colon + 1 < path.size() &&
         path.find_first_not_of("0123456789", colon + 1) == std::string_view::npos;
}

class KaldiReader {
 public:
  KaldiReader(const std::string& folder, const CorpusOptions& options, CorpusBuilder& builder)
      : builder_(builder),
        options_(options),
        wav_scp_(folder + "/wav.scp", builder),
        paths_(wav_scp_.path()),
        segments_(IdTable::if_there(folder + "/segments", builder)),
        text_(IdTable::if_there(folder + "/text", builder)),
        utt2spk_(IdTable::if_there(folder + "/utt2spk", builder)),
        utt2dur_(IdTable::if_there(folder + "/utt2dur", builder)),
        utt2lang_(IdTable::if_there(folder + "/utt2lang", builder)),
        spk2gender_(IdTable::if_there(folder + "/spk2gender", builder)) {}

  void read() {
    report_damaged();
    if (has_segments()) {
      for (const IdTable::Row& row : segments_.rows()) add_segment(row);
    } else {
      for (const IdTable::Row& row : wav_scp_.rows()) add_whole(row);
    }
    const IdTable& utterances = has_segments() ? segments_ : wav_scp_;
    check_keys_of_text(utterances);
    for (const IdTable::Row& row : text_.rows()) {
      if (utterances.find(row.id) != nullptr) continue;
      builder_.unusable(Unusable::What::audio, row.id,
                        text_.at_row(row, fmt::format("'{}' has a transcript, but is not in {}", row.id,
                                                      utterances.path())));
    }
    warn_of_missing_speakers(utterances);
  }

 private:
  /// A line that is no text costs its utterance. In a list of recordings or segments it is a fault of the
  /// list.
  void report_damaged() {
    for (const IdTable* table : {&wav_scp_, &segments_, &spk2gender_}) {
      for (const auto& [id, error] : table->damaged()) builder_.fault(error);
    }
  }

  const Error* damage_of(const std::string_view key) const {
    for (const IdTable* table : {&text_, &utt2spk_, &utt2dur_, &utt2lang_}) {
      const auto found = table->damaged().find(key);
      if (found != table->damaged().end()) return &found->second;
    }
    return nullptr;
  }

  /// Throws Error when none of the transcripts is of an utterance.
  void check_keys_of_text(const IdTable& utterances) const {
    const auto& texts = text_.rows();
    if (texts.empty() || utterances.rows().empty()) return;
    for (const IdTable::Row& row : texts) {
      if (utterances.find(row.id) != nullptr) return;
    }
    throw text_.at_row(
        texts.front(),
        fmt::format("none of its keys is in {}: it has keys such as '{}', and that such as '{}'",
                    printable(utterances.path()), printable(texts.front().id),
                    printable(utterances.rows().front().id)),
        "the keys of both must be the same");
  }

  void warn_of_missing_speakers(const IdTable& utterances) {
    if (utt2spk_.path().empty()) return;
    const auto has_none = [&](const IdTable::Row& row) {
      return utt2spk_.value(row.id).value_or("").empty();
    };
    const auto& rows = utterances.rows();
    const auto first = std::find_if(rows.begin(), rows.end(), has_none);
    if (first == rows.end()) return;
    const auto others = static_cast<std::uint64_t>(std::count_if(first + 1, rows.end(), has_none));
    const std::string more =
        others == 0 ? "" : fmt::format(", and for {}", base::format_count(others, "other utterance"));
    builder_.warn(
        Error(fmt::format("names no speaker for '{}'{}", printable(first->id), more), at(utt2spk_.path())));
  }

  bool has_segments() const { return !segments_.path().empty(); }

  /// The same line for each of its segments: looked at once.
  std::size_t recording_of(const IdTable::Row& row) {
    const auto known = recordings_.find(row.line);
    if (known != recordings_.end()) return known->second;
    return recordings_[row.line] = new_recording(row);
  }

  std::size_t new_recording(const IdTable::Row& row) {
    if (row.value.empty() || row.value == "|")
      throw wav_scp_.at_row(row, fmt::format("'{}' names no audio", row.id));
    const std::string named_at = line_of(wav_scp_.path(), row.line);
    if (row.value.ends_with('|')) {
      return builder_.recording(SourceKind::command, command_of(row), named_at);
    }
    const std::string path = paths_.resolve(std::string(row.value));
    std::error_code unknown;
    if (is_archive_entry(path) && !std::filesystem::exists(path, unknown)) {
      throw wav_scp_.at_row(row, fmt::format("names an entry of a Kaldi archive, {}", row.value),
                            "archives are not read: write the audio to files first, with wav-copy");
    }
    return builder_.recording(SourceKind::recording, path, named_at);
  }

  static std::string written_command(const IdTable::Row& row) {
    return std::string(row.value.substr(0, row.value.size() - 1));
  }
  std::string command_of(const IdTable::Row& row) { return paths_.resolve_command(written_command(row)); }

  /// Why the command of a recording cannot run: a program or a file that does not exist.
  std::optional<Error> missing_part(const IdTable::Row& row) {
    if (!row.value.ends_with('|')) return std::nullopt;
    const auto [known, is_new] = missing_parts_.try_emplace(row.line);
    if (is_new) known->second = missing_in(row);
    if (known->second.empty()) return std::nullopt;
    return wav_scp_.at_row(row, known->second);
  }

  std::string missing_in(const IdTable::Row& row) {
    const std::string written = written_command(row);
    const bool is_moved = command_of(row) != written;
    for (const std::string& program : base::missing_programs(written)) {
      const bool may_be_there = is_moved && program.find('/') != std::string::npos;
      if (!may_be_there)
        return fmt::format("runs {}, and no such program is on the PATH", printable(program));
    }
    const std::string file = paths_.missing_audio(written);
    return file.empty() ? file : fmt::format("reads {}, which is not there", printable(file));
  }

  /// Commands are not run unless the user allows it. Other faults are found without them.
  void check_allowed(const IdTable::Row& row) {
    if (options_.allow_commands || has_refused_ || !row.value.ends_with('|')) return;
    has_refused_ = true;
    const Error error = wav_scp_.at_row(row, "is a command, not a file");
    builder_.fault(Error(error.problem(), error.where(), Remedy::allow_commands));
  }

  /// True for an utterance that cannot be used, which is told.
  bool is_lost(std::string_view key, const IdTable::Row& wav) {
    check_allowed(wav);
    if (auto error = missing_part(wav)) {
      builder_.unusable(Unusable::What::audio, key, std::move(*error));
      return true;
    }
    if (const Error* damage = damage_of(key)) {
      builder_.unusable(Unusable::What::text, key, *damage);
      return true;
    }
    return false;
  }

  void add_whole(const IdTable::Row& row) {
    if (!is_lost(row.id, row)) add(recording_of(row), {.key = row.id});
  }

  double seconds_of(const IdTable& table, const IdTable::Row& row, std::string_view field) const {
    const auto seconds = number_of_seconds(field);
    if (!seconds) throw table.at_row(row, fmt::format("'{}' is not a number of seconds", field));
    return *seconds;
  }

  void add_segment(const IdTable::Row& row) {
    std::string_view rest = row.value;
    const std::string_view recording = take_field(rest);
    const std::string_view begin_field = take_field(rest);
    const std::string_view end_field = take_field(rest);
    if (end_field.empty()) {
      throw segments_.at_row(row, "is not made of an utterance, a recording, its begin and its end");
    }
    if (!rest.empty()) {
      throw segments_.at_row(row, fmt::format("has a fifth field, '{}'", rest),
                             "segments of one channel are not cut: let wav.scp have a recording a channel");
    }
    const auto begin = number_of_seconds(begin_field);
    const auto end = number_of_seconds(end_field);
    if (!begin || !end) {
      const std::string problem =
          fmt::format("'{}' is not a number of seconds", begin ? end_field : begin_field);
      return builder_.unusable(Unusable::What::segment, row.id, segments_.at_row(row, problem));
    }
    const IdTable::Row* wav = wav_scp_.find(recording);
    if (wav == nullptr) {
      const std::string problem = fmt::format("the recording '{}' is not in {}", recording, wav_scp_.path());
      return builder_.unusable(Unusable::What::audio, row.id, segments_.at_row(row, problem));
    }
    if (is_lost(row.id, *wav)) return;
    const bool to_the_end = *end == -1;  // as Kaldi has it
    add(recording_of(*wav), {.key = row.id,
                             .begin_seconds = *begin,
                             .end_seconds = to_the_end ? CorpusUtterance::kToTheEnd : *end,
                             .seconds = to_the_end ? 0 : *end - *begin,
                             .named_in = segments_.path(),
                             .line = row.line});
  }

  void add(std::size_t recording, CorpusBuilder::Utterance utterance) {
    const std::string_view speaker = utt2spk_.value(utterance.key).value_or("");
    facts_.clear();
    facts_.text("speaker", speaker)
        .text("gender", spk2gender_.value(speaker).value_or(""))
        .language(utt2lang_.value(utterance.key).value_or(""));
    utterance.facts = facts_.members();
    utterance.text = text_.value(utterance.key);
    if (const IdTable::Row* row = utt2dur_.find(utterance.key); row != nullptr && utterance.seconds == 0) {
      utterance.seconds = seconds_of(utt2dur_, *row, row->value);
    }
    builder_.utterance(recording, utterance);
  }

  CorpusBuilder& builder_;
  const CorpusOptions& options_;
  IdTable wav_scp_;
  NamedPaths paths_;
  IdTable segments_;
  IdTable text_;
  IdTable utt2spk_;
  IdTable utt2dur_;
  IdTable utt2lang_;
  IdTable spk2gender_;
  std::unordered_map<std::uint64_t, std::size_t> recordings_;     // by line of wav.scp
  std::unordered_map<std::uint64_t, std::string> missing_parts_;  // of commands, the same; empty: none
  bool has_refused_ = false;
  Facts facts_;
};

/// `folder` must hold wav.scp; text, segments, utt2spk, utt2dur, utt2lang and spk2gender are read where they
/// are there. Without segments, the utterances are those of wav.scp.
void read_kaldi(const std::string& folder, const CorpusOptions& options, CorpusBuilder& builder) {
  if (!base::exists(folder + "/wav.scp")) {
    throw UsageError("is no Kaldi data folder: it holds no wav.scp", at(folder));
  }
  KaldiReader(folder, options, builder).read();
}

std::optional<CorpusPlace> place_by_wav_scp(const std::string& file,
                                            const std::function<bool(const std::string&)>& has) {
  if (path_part(file, 0) != "wav.scp") return std::nullopt;
  const std::string folder(folder_of(file));
  if (has(folder.empty() ? "trans.txt" : folder + "/trans.txt")) return std::nullopt;
  return CorpusPlace{.folder = folder, .claimed = folder};
}

}  // namespace

constinit const Corpus kKaldi{
    .prefix = "kaldi",
    .name = "a Kaldi data folder",
    .needed = "text",
    .is_in = [](const std::string& folder) { return base::exists(folder + "/wav.scp"); },
    .place_by = place_by_wav_scp,
    .is_one_folder = true,
    .read = read_kaldi};

}  // namespace shardmill::source
