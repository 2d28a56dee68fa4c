// GigaSpeech 2: LANGUAGE/TABLE.tsv of "0-1-23<tab>TEXT", and LANGUAGE/train/0/1/0-1-23.wav, as it is
// downloaded with an archive for each first number, LANGUAGE/train/0.tar.gz.
#include <fmt/format.h>

#include <algorithm>

#include "source/corpora/list.hpp"
#include "source/texts/tree_lines.hpp"
#include "source/texts/tree_table.hpp"

namespace shardmill::source {

namespace {

constexpr std::string_view kRaw = "train_raw";
constexpr std::string_view kRefined = "train_refined";

/// train_refined is a choice of train_raw, with better texts.
class GigaSpeech2 final : public TreeTable {
 public:
  explicit GigaSpeech2(TreeOptions options)
      : TreeTable(std::move(options),
                  {.transcripts = "train_raw.tsv|train_refined.tsv|dev.tsv|test.tsv", .may_be_above = true}) {
  }

  Packed packed() const override { return Packed::anyhow; }
  /// "th/train/0" of "th/train/0.tar.gz" and of "th/train/0/1", "th/dev" of "th/dev.tar.gz" and "th/dev/0/1".
  std::string packed_name(std::string_view path) const override {
    const std::string own = TreeTable::packed_name(path);
    if (own == "train" || own == "dev" || own == "test") return language_of(path) + "/" + own;
    const std::string file = fmt::format("{}/0", path);
    for (std::size_t level = 2; !path_part(file, level).empty(); ++level) {
      const std::string_view split = split_of(path_part(file, level));
      if (split.empty()) continue;
      const std::string folder = fmt::format("{}/{}", language_of(path), split);
      const std::string_view below = path_part(file, level - 1);
      return split == "train" ? fmt::format("{}/{}", folder, below.substr(0, below.find('.'))) : folder;
    }
    return own;
  }
  bool belongs_to(std::string_view key, std::string_view packed_name) const override {
    if (!key.starts_with(packed_name)) return packed_name.find('/') == packed_name.npos;
    const char next = key.size() > packed_name.size() ? key[packed_name.size()] : '/';
    return next == '-' || next == '/';
  }

  /// Of a sample that is in both tables, both must be known.
  bool awaits_remarks() const override { return !is_complete() && !(has_raw_ && has_refined_); }

  void read_transcripts(const TreeText& text) override {
    const std::string subset = stem_of(text.path);
    has_raw_ = has_raw_ || subset == kRaw;
    has_refined_ = has_refined_ || subset == kRefined;
    const std::string language = language_of(text.path);
    for_each_line(text, [&](std::string_view line, std::uint64_t number) {
      const auto fields = split_fields(line, '\t');
      if (fields.size() > 2 || fields[0].find(' ') != std::string_view::npos)
        throw Error("is not made of an id and a transcript, with a tab between them");
      std::string id = fmt::format("{}/{}/{}", language, split_of(subset), fields[0]);
      add(std::move(id), fields.size() > 1 ? fields[1] : std::string_view(), subset, text, number);
    });
  }

 private:
  void add(std::string id, std::string_view transcript, const std::string& subset, const TreeText& text,
           std::uint64_t number) {
    const auto is_in = [&](const Row& row) {
      return std::find(row.subsets.begin(), row.subsets.end(), subset) != row.subsets.end();
    };
    if (!has(id) || is_in(row_of(id))) {
      TreeTable::add(std::move(id), transcript, text, number).subsets = {subset};
      return;
    }
    Row& row = row_of(id);
    row.subsets.push_back(subset);
    std::sort(row.subsets.begin(), row.subsets.end());
    if (wants_raw() == (subset == kRaw)) row.text = transcript;
  }

  bool wants_raw() const {
    const auto& wanted = options().subsets;
    if (options().text_field.empty()) return wanted.size() == 1 && wanted.front() == kRaw;
    return options().text_field == "raw";
  }

  /// Empty for a folder without a split. Lhotse's recipe has folders with the names of the tables.
  static std::string_view split_of(std::string_view folder) {
    if (folder == kRaw || folder == kRefined) return "train";
    return folder == "train" || folder == "dev" || folder == "test" ? folder : std::string_view();
  }
  static std::string language_of(std::string_view path) {
    return std::string(folder_among(path, {"th", "id", "vi"}));
  }
  static std::string_view split_in(std::string_view audio) {
    const std::string_view folder = folder_among(audio, {"train", kRaw, kRefined, "dev", "test"});
    return folder.empty() ? "train" : split_of(folder);
  }

  /// Each language and split numbers its files from the start.
  std::string id_of(std::string_view audio) const override {
    return fmt::format("{}/{}/{}", language_of(audio), split_in(audio), stem_of(audio));
  }
  std::string listed_in(std::string_view audio) const override {
    const std::string_view split = split_in(audio);
    return split == "train" ? "train_raw.tsv" : fmt::format("{}.tsv", split);
  }
  void describe(std::string_view audio, const Row* row, TreeUtterance& utterance) const override {
    utterance.facts.language(language_of(audio));
    // What train_refined does not list is of train_raw.
    const std::string_view split = split_in(audio);
    if (row == nullptr) utterance.subsets.emplace_back(split == "train" ? kRaw : split);
  }

  bool has_raw_ = false;
  bool has_refined_ = false;
};

}  // namespace

constinit const Corpus kGigaSpeech2{
    .prefix = "gigaspeech2",
    .name = "GigaSpeech 2",
    .texts =
        "*/train_raw.tsv|*/train_refined.tsv|*/th/dev.tsv|*/th/test.tsv|*/id/dev.tsv|*/id/test.tsv|*/vi/"
        "dev.tsv|*/vi/test.tsv",
    .beside_texts = "*/[0-9]*-[0-9]*-[0-9]*.wav|*/train/[0-9]*.tar.gz|*/dev.tar.gz|*/test.tar.gz",
    .audio = "*/[0-9]*/[0-9]*/[0-9]*-[0-9]*-[0-9]*.wav",
    .needed = "train_refined.tsv",
    .in_archive =
        "*/train_raw.tsv|*/train_refined.tsv|*/train/[0-9]*/[0-9]*/[0-9]*-[0-9]*-[0-9]*.wav|*/dev/[0-9]*/"
        "[0-9]*/"
        "[0-9]*-[0-9]*-[0-9]*.wav|*/test/[0-9]*/[0-9]*/[0-9]*-[0-9]*-[0-9]*.wav|/[0-9]*/[0-9]*/"
        "[0-9]*-[0-9]*-[0-9]*.wav",
    .text_fields = "refined|raw",
    .make = make_tree<GigaSpeech2>};

}  // namespace shardmill::source
