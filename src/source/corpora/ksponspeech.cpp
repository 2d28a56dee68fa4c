// KsponSpeech: headerless PCM, and scripts/{train,dev,eval_clean,eval_other}.trn with lines "PATH.pcm ::
// TEXT".
#include <fmt/format.h>

#include <string>

#include "source/corpora/list.hpp"
#include "source/file_name.hpp"
#include "source/texts/tree_lines.hpp"
#include "source/texts/tree_table.hpp"

namespace shardmill::source {

namespace {

constexpr std::string_view kPronunciation = "pronunciation";

/// The choice between "(SPELLING)/(PRONUNCIATION)", wherever both stand. ETRI's own recipe allows blanks at
/// the slash.
std::string choose(std::string_view text, bool is_spoken) {
  std::string chosen;
  while (!text.empty()) {
    const std::size_t open = text.find('(');
    const std::size_t close = text.find(')', open);
    const std::size_t slash = text.find_first_not_of(' ', close == text.npos ? close : close + 1);
    const std::size_t other =
        slash == text.npos || text[slash] != '/' ? text.npos : text.find_first_not_of(' ', slash + 1);
    const std::size_t end = other == text.npos || text[other] != '(' ? text.npos : text.find(')', other);
    if (open == text.npos || close == text.npos) break;
    if (end == text.npos) {
      chosen += text.substr(0, open + 1);
      text.remove_prefix(open + 1);
      continue;
    }
    chosen += text.substr(0, open);
    chosen += is_spoken ? text.substr(other + 1, end - other - 1) : text.substr(open + 1, close - open - 1);
    text.remove_prefix(end + 1);
  }
  return chosen += text;
}

/// Without the marks of noises ("b/", "n/"), of fillers ("/"), of repeated ("+") and of unclear words ("*").
std::string without_marks(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c >= 'a' && c <= 'z' && i + 1 < text.size() && text[i + 1] == '/') {
      ++i;
      continue;
    }
    if (c == '*' || c == '+' || c == '/') continue;
    if (c == ' ' && (plain.empty() || plain.back() == ' ')) continue;
    plain += c;
  }
  if (plain.ends_with(' ')) plain.pop_back();
  return plain;
}

class KsponSpeech final : public TreeTable {
 public:
  explicit KsponSpeech(TreeOptions options)
      : TreeTable(std::move(options), {.transcripts = "train.trn|dev.trn|eval_clean.trn|eval_other.trn"}) {}

  Role role(std::string_view path) const override {
    if (is_headerless_name(path)) return Role::audio;
    return is_audio_name(path) ? Role::other : TreeTable::role(path);
  }
  Packed packed() const override { return Packed::anyhow; }
  /// No list says which archive an utterance is in.
  bool belongs_to(std::string_view, std::string_view) const override { return true; }

  void read_transcripts(const TreeText& text) override {
    for_each_line(text, [&](std::string_view line, std::uint64_t number) {
      constexpr std::string_view kMark = " ::";  // a blank follows where there is a text
      const std::size_t mark = line.find(kMark);
      const std::string_view said = mark == line.npos ? line : line.substr(mark + kMark.size());
      if (!said.empty() && said.front() != ' ')
        throw Error("has no \" :: \" between the audio file and its text");
      const bool is_spoken = options().text_field == kPronunciation;
      Row& row = add(stem_of(line.substr(0, mark)), without_marks(choose(said, is_spoken)), text, number);
      row.subsets.push_back(stem_of(text.path));
    });
  }

 private:
  std::string listed_in(std::string_view audio) const override {
    const std::string_view part = path_part(audio, 1);
    return part == "eval_clean" || part == "eval_other" ? fmt::format("{}.trn", part)
                                                        : "train.trn or dev.trn";
  }
  void describe(std::string_view audio, const Row*, TreeUtterance& utterance) const override {
    constexpr std::uint32_t kRate = 16000;
    utterance.headerless_hz = kRate;
    utterance.facts.language("ko");
    // The .trn files say which of the others is for training and which is dev.
    if (const std::string_view part = path_part(audio, 1); part == "eval_clean" || part == "eval_other") {
      if (utterance.subsets.empty()) utterance.subsets.emplace_back(part);
    }
  }
};

}  // namespace

constinit const Corpus kKsponSpeech{.prefix = "ksponspeech",
                                    .name = "KsponSpeech",
                                    .texts = "*/train.trn|*/dev.trn|*/eval_clean.trn|*/eval_other.trn",
                                    .beside_texts =
                                        "*/KsponSpeech_*.pcm|*/KsponSpeech_*.zip|*/KsponSpeech_*.tar|*/"
                                        "KsponSpeech_*.tar.gz|*/KsponSpeech_*.tgz",
                                    .audio = "*/KsponSpeech_*.pcm",
                                    .needed = "train.trn, dev.trn, eval_clean.trn or eval_other.trn",
                                    .in_archive = "*/KsponSpeech_*.pcm|*/eval_clean.trn|*/eval_other.trn",
                                    .text_fields = "spelling|pronunciation",
                                    .splits = Splits::together,
                                    .make = make_tree<KsponSpeech>};

}  // namespace shardmill::source
