// THCHS-30: data/ID.wav and data/ID.wav.trn, of words, pinyin and phones; train/, dev/ and test/ only point
// to them.
#include <fmt/format.h>

#include "source/corpora/list.hpp"
#include "source/file_name.hpp"
#include "source/texts/tree_lines.hpp"
#include "source/texts/tree_table.hpp"

namespace shardmill::source {

namespace {

bool is_split(std::string_view folder) {
  return folder == "train" || folder == "dev" || folder == "test";
}

/// True for "train/A11_0.wav", which is in data/ as well; names of another form are not of this corpus.
bool is_in_split(std::string_view audio) {
  if (!is_split(path_part(audio, 1))) return false;
  const std::string_view name = path_part(audio, 0);
  const std::string_view number = name.substr(0, name.find('.'));
  return number.size() > 1 && number[0] >= 'A' && number[0] <= 'D' &&
         number.find_first_not_of("0123456789_", 1) == number.npos;
}

class Thchs30 final : public TreeTable {
 public:
  explicit Thchs30(TreeOptions options) : TreeTable(std::move(options), {.transcripts = ".wav.trn"}) {}

  Role role(std::string_view path) const override {
    if (path.ends_with(".wav.trn")) return Role::text;
    return is_audio_name(path) && !is_in_split(path) ? Role::audio : Role::other;
  }

  std::string_view awaited(std::string_view path) const override {
    return path.substr(0, path.find('.', folder_of(path).size()));
  }

  bool awaits_remarks() const override { return !is_complete(); }
  /// In the folders of the splits the audio is a link.
  bool take_link(std::string_view path) override {
    if (!is_split(path_part(path, 1))) return TreeTable::take_link(path);
    const std::string_view name = path_part(path, 0);
    splits_.try_emplace(std::string(name.substr(0, name.find(".wav"))), path_part(path, 1));
    return true;
  }

  void read_transcripts(const TreeText& text) override {
    std::string_view name = path_part(text.path, 0);
    name.remove_suffix(std::string_view(".wav.trn").size());
    TreeLines lines(text);
    std::string_view line;
    if (!lines.next(line)) throw Error("is an empty transcript", at(text.place));
    if (is_split(path_part(text.path, 1))) {
      splits_.try_emplace(std::string(name), path_part(text.path, 1));
      return;
    }
    for (std::size_t skipped = 0; skipped < wanted_line(); ++skipped) {
      if (!lines.next(line))
        throw Error(fmt::format("has no line of {}", options().text_field), at(text.place));
    }
    add(std::string(name), line, text);
  }

 private:
  std::size_t wanted_line() const {
    return options().text_field == "pinyin" ? 1 : options().text_field == "phones" ? 2 : 0;
  }

  std::optional<std::vector<TreeUtterance>> find(std::string_view audio) override {
    if (!options().subsets.empty() && !is_complete() && !splits_.contains(stem_of(audio)))
      return std::nullopt;
    auto found = TreeTable::find(audio);
    if (found && options().needs_splits && is_complete() && has(stem_of(audio)) &&
        !splits_.contains(stem_of(audio)))
      throw unknown_split(audio, "the folders train, dev and test, with this utterance in one of them, are");
    return found;
  }

  void describe(std::string_view, const Row*, TreeUtterance& utterance) const override {
    utterance.facts.text("speaker", std::string_view(utterance.key).substr(0, utterance.key.find('_')));
    const auto split = splits_.find(utterance.key);
    if (split != splits_.end()) utterance.subsets.emplace_back(split->second);
  }

  std::unordered_map<std::string, std::string> splits_;
};

}  // namespace

constinit const Corpus kThchs30{.prefix = "thchs30",
                                .name = "THCHS-30",
                                .texts = "*.wav.trn",
                                .audio = "*/[A-D][0-9]_[0-9]*.wav|*/[A-D][0-9][0-9]_[0-9]*.wav",
                                .needed = "*.wav.trn",
                                .in_archive = "*/data_thchs30/*|*.wav.trn",
                                .text_fields = "words|pinyin|phones",
                                .splits = Splits::together,
                                .make = make_tree<Thchs30>};

}  // namespace shardmill::source
