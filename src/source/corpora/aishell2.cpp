// AISHELL-2: folders of trans.txt and wav/SPEAKER/ID.wav, for training and, a device each, for dev and test.
#include <algorithm>
#include <filesystem>

#include "base/io/folder.hpp"
#include "source/corpora.hpp"
#include "source/corpora/list.hpp"
#include "source/texts/corpus_text.hpp"
#include "source/texts/tree_lines.hpp"
#include "source/texts/tree_table.hpp"

namespace shardmill::source {

namespace {

class Aishell2 final : public TreeTable {
 public:
  explicit Aishell2(TreeOptions options)
      : TreeTable(std::move(options), {.transcripts = "trans.txt", .covers = TableFiles::Covers::folder}) {}

  std::string_view awaited(std::string_view path) const override { return folder_above(path, "/wav/"); }

  void read_transcripts(const TreeText& text) override {
    for_each_line(text, [&](std::string_view line, std::uint64_t number) {
      const std::string_view id = take_field(line);
      add(row_id(folder_of(text.path), id), line, text, number);
    });
  }

 private:
  static std::string row_id(std::string_view part, std::string_view id) {
    return std::string(part) + "/" + std::string(id);
  }
  /// Parts may have the same names.
  bool loses_by_key() const override { return false; }
  std::string id_of(std::string_view audio) const override { return row_id(awaited(audio), stem_of(audio)); }
  void describe(std::string_view audio, const Row*, TreeUtterance& utterance) const override {
    utterance.facts.text("speaker", path_part(audio, 1));
    const std::string_view device = folder_among(audio, {"iOS", "Android", "Mic"});
    utterance.facts.text("device", device);
    const std::string_view split = folder_among(audio, {"dev", "test"});
    utterance.subsets.emplace_back(split.empty() ? "train" : split);
  }
};

/// Whether trans.txt lies in `folder` or a few levels below it, as in iOS/data and in AISHELL-DEV-TEST-SET.
bool has_part(const std::string& folder, int levels = 4) {
  if (base::exists(folder + "/trans.txt")) return true;
  if (levels == 0) return false;
  const auto entries = base::entries(folder);
  return std::any_of(entries.begin(), entries.end(), [&](const std::filesystem::path& entry) {
    return base::is_folder(entry) && !entry.filename().string().starts_with('.') &&
           has_part(entry.string(), levels - 1);
  });
}

void read_aishell2(const std::string& folder, const CorpusOptions& options, CorpusBuilder& builder) {
  if (!has_part(folder))
    throw UsageError("is not AISHELL-2: no trans.txt lies in it or below it", at(folder));
  read_tree(*archived_tree(kAishell2, options.tree), folder, builder);
}

/// True for a part with wav.scp, which is not a Kaldi data folder: that has `text`.
bool is_part(const std::string& folder) {
  return base::exists(folder + "/wav.scp") && base::exists(folder + "/trans.txt") &&
         !base::exists(folder + "/text");
}

std::optional<CorpusPlace> place_by_part(const std::string& file,
                                         const std::function<bool(const std::string&)>& has) {
  if (path_part(file, 0) != "trans.txt") return std::nullopt;
  const std::string folder(folder_of(file));
  const std::string inside = folder.empty() ? "" : folder + "/";
  CorpusPlace place{.folder = folder};
  constexpr auto kLevels = 4;  // that are read
  if (std::count(inside.begin(), inside.end(), '/') <= kLevels)
    place.claimed = has(inside + "wav.scp") ? folder : inside + "wav";
  return place;
}

}  // namespace

constinit const Corpus kAishell2{
    .prefix = "aishell2",
    .name = "AISHELL-2",
    .texts = "*/trans.txt",
    .beside_texts = "*/[A-Z][A-Z][0-9][0-9][0-9][0-9]W[0-9]*.wav",
    .audio = "*/[A-Z][A-Z][0-9][0-9][0-9][0-9]W[0-9]*.wav",
    .needed = "trans.txt",
    .shared_ending = "/trans.txt",
    .is_in = is_part,
    .place_by = place_by_part,
    .in_archive = "*/wav/*/[A-Z][A-Z][0-9][0-9][0-9][0-9]W[0-9]*.wav|*/trans.txt",
    .make = make_tree<Aishell2>,
    .read = read_aishell2};

}  // namespace shardmill::source
