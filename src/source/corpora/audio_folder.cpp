// Plain folders of audio files, each with its transcript in a .txt file of the same name; LibriTTS and MLS.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text/letters.hpp"
#include "base/text/units.hpp"
#include "source/corpora/list.hpp"
#include "source/detection.hpp"
#include "source/file_name.hpp"
#include "source/texts/corpus_text.hpp"
#include "source/tree_text.hpp"

namespace shardmill::source {

namespace {

bool is_text(std::string_view name) {
  return has_extension(name, "txt");
}

bool is_json(std::string_view name) {
  return has_extension(name, "json");
}

/// Files that publishers put beside data. The names are those of LibriTTS, VCTK and THCHS-30.
bool is_remark(std::string_view path) {
  const std::string stem = base::lower(audio_name(path).stem);
  constexpr std::array<std::string_view, 6> kNames{"books", "chapters",     "speakers",
                                                   "note",  "speaker-info", "lexicon"};
  return stem.starts_with("readme") || stem.starts_with("license") ||
         std::find(kNames.begin(), kNames.end(), stem) != kNames.end();
}

std::string read_transcript(const std::string& path, CorpusBuilder& builder) {
  CorpusText text(path, builder);
  std::string transcript;
  for (std::string_view line; text.next(line);) {
    if (!transcript.empty()) transcript += '\n';
    transcript += line;
  }
  return transcript;
}

class FolderReader {
 public:
  FolderReader(const std::string& folder, std::string_view text_field, CorpusBuilder& builder)
      : folder_(folder),
        text_field_(text_field),
        builder_(builder),
        files_(builder.search(folder, [](std::string_view name) {
          return is_audio_name(name) || is_text(name) || is_json(name);
        })) {}

  void read() {
    for (const std::string& file : files_) {
      if (is_audio_name(file)) audio_.insert(without_extension(file));
    }
    for (const std::string& file : files_) {
      if (is_text(file)) add_text(file);
      if (is_json(file)) add_json(file);
    }
    for (const std::string& file : files_) {
      if (is_audio_name(file)) add_audio(file);
    }
    report_bad_texts();
    report_lone_jsons();
    if (lone_texts_.empty() || is_elsewhere()) return;
    for (const std::string* file : lone_texts_) {
      builder_.unusable(Unusable::What::audio, key_of(*file),
                        Error("is a transcript, but no audio has that name", at(*file)));
    }
  }

 private:
  struct BesideText {
    std::string text{};
    std::optional<Error> damage{};  // none where it can be read
  };
  struct BesideJson : SampleJson {
    std::string damage{};  // empty where it is JSON
  };

  void add_json(const std::string& file) {
    const std::string_view name = without_extension(file);
    if (audio_.contains(name)) {
      jsons_.emplace(name, &file);
    } else {
      lone_jsons_.push_back(&file);
    }
  }

  /// Where each audio has a file of that form beside it, those that hold a transcript, too, have lost theirs.
  /// Others say nothing of a sample.
  void report_lone_jsons() {
    if (jsons_.empty()) return;
    for (const std::string* file : lone_jsons_) {
      const auto json = read_sample_json(text_content(*file), text_field());
      if (!json || !json->text) continue;
      builder_.description(*file);
      builder_.unusable(Unusable::What::audio, key_of(*file),
                        Error("holds a transcript, but no audio has that name", at(*file)));
    }
  }

  std::string_view text_field() const { return text_field_; }

  void add_text(const std::string& file) {
    const std::string_view name = without_extension(file);
    if (audio_.contains(name)) {
      transcripts_.insert_or_assign(name, &file);
    } else if (const auto of = without(".normalized", name)) {
      transcripts_.emplace(*of, &file);
    } else if (!without(".original", name) && !is_remark(file)) {
      lone_texts_.push_back(&file);
    }
  }

  /// LibriTTS has the spoken words in KEY.normalized.txt, and the words of the book in KEY.original.txt.
  std::optional<std::string_view> without(std::string_view suffix, std::string_view name) const {
    if (!name.ends_with(suffix)) return std::nullopt;
    name.remove_suffix(suffix.size());
    return audio_.contains(name) ? std::optional(name) : std::nullopt;
  }

  /// Corpora as VCTK have folders of .txt files that belong to audio of other names.
  bool is_elsewhere() {
    const FolderGuess guess = guess_folder(folder_);
    if (guess.corpus.empty() || guess.is_read || !guess.missing.empty() || !transcripts_.empty())
      return false;
    builder_.warn(
        Error(fmt::format("looks like {}, which shardmill cannot read yet: {} without audio of that "
                          "name {} left out",
                          guess.corpus, base::format_count(lone_texts_.size(), ".txt file"),
                          lone_texts_.size() == 1 ? "is" : "are"),
              at(folder_)));
    return true;
  }

  void add_audio(const std::string& file) {
    CorpusBuilder::Utterance utterance{.key = key_of(file)};
    const std::string_view name = without_extension(file);
    if (const auto transcript = transcripts_.find(name); transcript != transcripts_.end()) {
      // Two formats of the same audio share it.
      const auto [text, is_new] = texts_.try_emplace(name);
      if (is_new) text->second = read_text(*transcript->second);
      if (text->second.damage) {
        bad_texts_.emplace_back(utterance.key, *text->second.damage);
        return;
      }
      utterance.text = text->second.text;
    }
    const BesideJson json = json_of(name);
    if (json.text && (!utterance.text || !text_field_.empty())) utterance.text = *json.text;
    utterance.facts = json.facts;
    if (!json.damage.empty()) {
      return builder_.unusable(Unusable::What::text, utterance.key,
                               Error(json.damage, at(*jsons_.find(name)->second)));
    }
    builder_.utterance(builder_.recording(SourceKind::recording, file), utterance);
  }

  /// Where many cannot be read, all of them may be in another encoding. Throws Error then.
  void report_bad_texts() {
    if (bad_texts_.size() > transcripts_.size() / 10) {
      const Error& first = bad_texts_.front().second;
      const std::string all = bad_texts_.size() == 1
                                  ? ""
                                  : fmt::format("; {} of {} cannot be read", bad_texts_.size(),
                                                base::format_count(transcripts_.size(), "transcript"));
      throw Error(first.problem() + all, first.where(),
                  first.advice().empty() ? "bring them back, or move their audio elsewhere" : first.advice());
    }
    for (const auto& [key, error] : bad_texts_) builder_.unusable(Unusable::What::text, key, error);
  }

  BesideText read_text(const std::string& path) {
    try {
      return {.text = read_transcript(path, builder_)};
    } catch (const Interrupted&) {
      throw;
    } catch (const Error& error) {
      return {.damage = error};
    }
  }

  /// The JSON file of one audio file, as Emilia has it.
  BesideJson json_of(std::string_view name) {
    const auto found = jsons_.find(name);
    if (found == jsons_.end()) return {};
    builder_.description(*found->second);
    const std::string content = text_content(*found->second);
    if (auto json = read_sample_json(content, text_field())) return {{std::move(*json)}, {}};
    return {{}, why_not_json(content)};
  }

  std::string_view key_of(const std::string& file) const {
    const std::string_view key = without_extension(file).substr(folder_.size());
    return key.substr(key.find_first_not_of('/'));
  }

  std::string folder_;
  std::string_view text_field_;
  CorpusBuilder& builder_;
  std::vector<std::string> files_;
  std::unordered_set<std::string_view> audio_;                            // paths without extension
  std::unordered_map<std::string_view, const std::string*> transcripts_;  // by the path of their audio
  std::unordered_map<std::string_view, const std::string*> jsons_;        // the same
  std::vector<const std::string*> lone_jsons_;                            // without audio
  std::vector<const std::string*> lone_texts_;                            // transcripts without audio
  std::unordered_map<std::string_view, BesideText> texts_;
  std::vector<std::pair<std::string_view, Error>> bad_texts_;  // with the keys of their samples
};

/// The key of an utterance is its path below `folder` without the extension. A .txt without audio is a
/// transcript whose audio is missing, unless it is called README, LICENSE, BOOKS, SPEAKERS or so. The
/// transcript of KEY.wav may also be in KEY.normalized.txt. KEY.json beside KEY.mp3 gives facts, and the
/// transcript if there is no .txt or the text field is one of its members.
void read_audio_folder(const std::string& folder, const CorpusOptions& options, CorpusBuilder& builder) {
  FolderReader(folder, options.tree.text_field, builder).read();
}

}  // namespace

constinit const Corpus kAudioFolder{
    .prefix = "audio", .name = "audio", .takes_any_audio = true, .read = read_audio_folder};

}  // namespace shardmill::source
