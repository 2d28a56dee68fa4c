// A table that lists audio files and facts about them: CSV or TSV with a header, or JSON lines.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/io/folder.hpp"
#include "base/text/letters.hpp"
#include "source/corpora/list.hpp"
#include "source/file_name.hpp"
#include "source/labels/label_row.hpp"
#include "source/tables/table_records.hpp"
#include "source/texts/corpus_text.hpp"

namespace shardmill::source {

namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code failure;
  return fs::is_regular_file(path, failure);
}

/// The file with a name that may lack its extension. Returns nullopt if no file fits.
std::optional<fs::path> audio_at(const fs::path& path) {
  if (is_file(path)) return path;
  if (is_audio_name(path.string())) return std::nullopt;
  for (const char* const extension : {".wav", ".flac", ".mp3", ".ogg", ".opus", ".m4a"}) {
    if (fs::path with = path.string() + extension; is_file(with)) return with;
  }
  return std::nullopt;
}

/// Where the audio of a table is: as its rows say, or below one other folder. Only when no row's file is
/// where the row says, other folders are looked at, and only one may fit: else one that was moved or deleted
/// would be replaced by audio of the same name.
class AudioRoot {
 public:
  explicit AudioRoot(const std::string& table) : own_(fs::path(normal_path(table)).parent_path()) {}

  /// Call it for each row.
  void learn(const std::string& audio) {
    if (is_as_said_ || audio.empty()) return;
    is_as_said_ = is_there(own_ / audio);  // the latter alone if it is absolute
    constexpr std::size_t kRowsEnough = 100;
    if (!is_as_said_ && ++rows_ <= kRowsEnough) look_elsewhere(audio);
  }

  /// Call it after the last row. Throws Error if several folders fit. Returns a warning, or nothing.
  std::string settle() {
    if (is_as_said_) fits_.clear();
    if (fits_.size() > 1) {
      throw Error(
          fmt::format("names audio that is not where it says, and more than one folder may be meant: '{}' "
                      "fits {}, and '{}' fits {}",
                      printable(fits_[0].audio), printable(fits_[0].file), printable(fits_[1].audio),
                      printable(fits_[1].file)),
          {}, "put the right paths into the table, or the audio where it says");
    }
    if (fits_.empty()) return {};
    const Fit& fit = fits_.front();
    const std::string folder = printable(fit.root.string());
    if (!fit.moved_from.empty())
      return fmt::format("names audio below {}, which does not exist; the files below {} are read instead",
                         printable(fit.moved_from), folder);
    const bool is_inner = fit.root != own_.parent_path();
    if (!is_inner || fit.audio.find('/') == std::string::npos) return {};
    return fmt::format("names '{}', which does not exist; the files below {} are read instead",
                       printable(fit.audio), folder);
  }

  /// The file that a row names, whether it exists or not.
  fs::path file_of(const std::string& audio) const {
    const fs::path place = (fits_.empty() ? own_ : fits_.front().root) / path_here(audio);
    return audio_at(place).value_or(place).lexically_normal();
  }

  /// The path below the root, or absolute.
  std::string path_here(const std::string& audio) const {
    const bool is_moved =
        !fits_.empty() && !fits_.front().moved_from.empty() && audio.starts_with(fits_.front().moved_from);
    return is_moved ? audio.substr(fits_.front().moved_from.size()) : audio;
  }

 private:
  struct Fit {
    fs::path root;
    std::string moved_from;  // the folder that `root` replaces
    std::string audio;       // in the first row that fits
    std::string file;
  };

  /// Of very many rows without audio, those of a folder that does not exist cost one look together.
  bool is_there(const fs::path& path) {
    const fs::path folder = path.parent_path();
    if (folder == absent_folder_) return false;
    if (audio_at(path)) return true;
    if (!base::is_folder(folder.string())) absent_folder_ = folder;
    return false;
  }

  void look_elsewhere(const std::string& audio) {
    if (others_.empty()) others_ = other_folders();
    const fs::path path(audio);
    if (!path.is_absolute()) {
      for (const fs::path& folder : others_) add_if_there(folder, audio, audio);
      return;
    }
    // A table from another machine names the audio by the paths there. Files whose paths end alike may be
    // here; the last name alone proves nothing.
    const fs::path tail = path.relative_path();
    for (auto part = tail.begin(); std::distance(part, tail.end()) > 2;) {
      fs::path rest;
      for (auto each = ++part; each != tail.end(); ++each) rest /= *each;
      bool is_found = add_if_there(own_, rest.string(), audio);
      for (const fs::path& folder : others_)
        is_found = add_if_there(folder, rest.string(), audio) || is_found;
      if (is_found) return;
    }
  }

  /// Those in the folder of the table, and the one above it.
  std::vector<fs::path> other_folders() const {
    std::vector<fs::path> folders;
    std::vector<fs::path> inner = base::entries(own_);
    std::sort(inner.begin(), inner.end());
    for (const fs::path& entry : inner) {
      if (base::is_folder(entry.string()) && !entry.filename().string().starts_with('.'))
        folders.push_back(entry);
    }
    folders.push_back(own_.parent_path());
    return folders;
  }

  bool add_if_there(const fs::path& folder, const std::string& rest, const std::string& audio) {
    const auto file = audio_at(folder / rest);
    if (!file) return false;
    const std::string moved_from = audio.substr(0, audio.size() - rest.size());
    const bool is_known = std::any_of(fits_.begin(), fits_.end(), [&](const Fit& fit) {
      std::error_code failure;
      return fit.moved_from == moved_from && fs::equivalent(fit.root, folder, failure);
    });
    if (!is_known)
      fits_.push_back({.root = folder, .moved_from = moved_from, .audio = audio, .file = file->string()});
    return true;
  }

  fs::path own_;
  bool is_as_said_ = false;
  std::size_t rows_ = 0;
  std::optional<fs::path> absent_folder_;
  std::vector<fs::path> others_;
  std::vector<Fit> fits_;
};

/// Reads a table twice: which columns are numbers is known after the last row.
class AudioTableReader {
 public:
  AudioTableReader(const std::string& path, std::string_view text_field, CorpusBuilder& builder)
      : builder_(builder), path_(path), file_(open_table(path)), text_field_(text_field), root_(path) {
    builder.description(path);
  }

  void read() {
    std::vector<Error> no_text;
    for_each_record([this](const std::string& record) { learn(record); },
                    [&](const Error& error) { no_text.push_back(error); });
    // Where many lines are no text, the whole table is in another encoding.
    if (no_text.size() > rows_ / 10) throw Error(no_text.front());
    if (rows_ == 0) throw Error("is a table without rows", at(path_));
    check_learned();
    for_each_record(
        [this](const std::string& record) {
          for (const LabelRow& row : shape_->rows_of(record)) add(row);
        },
        [this](const Error& error) {
          builder_.unusable(Unusable::What::text, line_of(path_, line_), error);
        });
  }

 private:
  template <typename Use, typename Bad>
  void for_each_record(const Use& use, const Bad& bad) {
    TableRecords records(file_);
    kind_ = records.kind();
    std::string record;
    const auto note_line = [&](const Error& error) {
      line_ = records.line();
      bad(error);
    };
    try {
      for (bool is_first = true; records.next_good(record, note_line); is_first = false) {
        line_ = records.line();
        if (!shape_) {
          shape_.emplace(records.kind(), record, text_field_, second_row(file_), stem_of_table(path_));
          warn_of_missing_header(records.kind());
        }
        if (!is_first || !shape_->has_header()) use(record);
      }
    } catch (const Error& error) {
      if (!error.where().path.empty()) throw;
      throw records.here(error);
    }
  }

  void warn_of_missing_header(TableKind kind) const {
    if (shape_->has_header() || kind == TableKind::json_lines) return;
    builder_.warn(
        Error("has no header: its first line is taken for a row, and a second column for the transcripts",
              at(path_)));
  }

  void check_learned() {
    try {
      shape_->check_times();
      if (std::string moved = root_.settle(); !moved.empty())
        builder_.warn(Error(std::move(moved), at(path_)));
    } catch (const Error& error) {
      throw Error(error.problem(), at(path_), error.advice());
    }
    std::vector<std::string> doubts = shape_->doubts();
    doubts.push_back(doubt_of_end(file_, kind_));
    std::erase(doubts, "");
    for (std::string& doubt : doubts) builder_.warn(Error(std::move(doubt), at(path_)));
  }

  void learn(const std::string& record) {
    for (const LabelRow& row : shape_->learn(record)) {
      ++rows_;
      root_.learn(row.audio);
    }
  }

  void add(const LabelRow& row) {
    if (!row.problem.empty())
      return builder_.unusable(Unusable::What::segment, row.key,
                               Error(row.problem, at(line_of(path_, line_))));
    if (printable(row.audio) != row.audio) throw Error("names a file with control characters");
    const std::string file = root_.file_of(row.audio).string();
    const std::string key = row.key.empty() ? key_of(row) : row.key;
    const CorpusBuilder::Utterance utterance{
        .key = key,
        .text = row.text ? std::optional<std::string_view>(*row.text) : std::nullopt,
        .facts = row.facts,
        .begin_seconds = row.begin_seconds,
        .end_seconds = row.end_seconds,
        .seconds = row.seconds,
        .channel = row.channel,
        .keeps_to_seconds = row.keeps_to_seconds,
        .recording_seconds = row.recording_seconds,
        .named_in = path_,
        .line = line_};
    builder_.utterance(builder_.recording(SourceKind::recording, file, line_of(path_, line_)), utterance);
  }

  /// The path below the folder of the table, or as the table has it, without the extension; and the times.
  std::string key_of(const LabelRow& row) const {
    const std::string own = (fs::path(normal_path(path_)).parent_path() / "").string();
    const std::string audio = table_key(root_.path_here(row.audio));
    std::string_view key = audio;
    if (key.starts_with(own)) key.remove_prefix(own.size());
    while (key.starts_with("../")) key.remove_prefix(3);
    while (key.starts_with('/')) key.remove_prefix(1);
    return std::string(key) + key_suffix(row);
  }

  CorpusBuilder& builder_;
  std::string path_;
  base::File file_;
  std::string text_field_;
  TableKind kind_ = TableKind::tsv;
  std::optional<LabelShape> shape_;
  std::size_t rows_ = 0;
  std::uint64_t line_ = 0;
  AudioRoot root_;
};

void read_audio_table(const std::string& path, const CorpusOptions& options, CorpusBuilder& builder) {
  AudioTableReader(path, options.tree.text_field, builder).read();
}

/// True for a table by name and look. If it has no column of audio, its reader reports that.
bool has_columns(const std::string& path, TableKind kind, std::string_view first) {
  std::string name = base::lower(path);
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  const bool is_named = name.ends_with(".csv") || name.ends_with(".tsv");
  return is_named && kind != TableKind::json_lines && fields_of_record(kind, first).size() > 1;
}

/// A list of paths has no header, and its first line is the name of a file.
bool is_audio_table(const std::string& path) {
  try {
    const base::File file = open_table(path);
    TableRecords records(file);
    std::string first;
    if (!records.next(first)) return false;
    if (records.kind() != TableKind::json_lines && base::exists(resolve_listed(path, first))) return false;
    if (has_no_header(records.kind(), first)) return true;
    if (has_columns(path, records.kind(), first)) return true;
    const TableShape shape(records.kind(), first, {}, RowsOf::audio_files, second_row(file));
    if (records.kind() != TableKind::json_lines)
      return shape.columns().size() > 1 || (shape.has_usual_key() && shape.has_header());
    for (const auto& [name, json] : shape.fields_in(first)) {
      if (name == shape.key_name()) return json.starts_with('"');
    }
  } catch (const Error&) {
    // Not a table: something else may be able to read it.
  }
  return false;
}

}  // namespace

constinit const Corpus kAudioTable{.prefix = "table",
                                   .name = "a table that lists audio files",
                                   .fits_table = is_audio_table,
                                   .is_folder = false,
                                   .read = read_audio_table};

}  // namespace shardmill::source
