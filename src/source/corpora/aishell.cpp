// AISHELL-1: transcript/aishell_transcript_v0.8.txt and wav/SPLIT/SPEAKER/ID.wav, as it is downloaded with an
// archive a speaker.
#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <vector>

#include "base/io/folder.hpp"
#include "source/corpora.hpp"
#include "source/corpora/list.hpp"
#include "source/folders/file_search.hpp"
#include "source/texts/corpus_text.hpp"
#include "source/texts/tree_lines.hpp"
#include "source/texts/tree_table.hpp"
#include "source/tree_text.hpp"

namespace shardmill::source {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTranscriptPrefix = "aishell_transcript";

class Aishell final : public TreeTable {
 public:
  explicit Aishell(TreeOptions options)
      : TreeTable(std::move(options),
                  {.transcripts = "", .speakers = "speaker.info", .covers = TableFiles::Covers::corpus}) {}

  Role role(std::string_view path) const override {
    return path_part(path, 0).starts_with(kTranscriptPrefix) ? Role::text : TreeTable::role(path);
  }

  Packed packed() const override { return Packed::by_name; }
  /// speaker.info is not in its archive, but in resource_aishell.tgz.
  bool awaits_remarks() const override { return false; }

  void read_speakers(const TreeText& text) override {
    for_each_line(text, [&](std::string_view line, std::uint64_t) {
      const std::string id(take_field(line));
      set_gender(id.starts_with('S') ? id : "S" + id, line);
    });
  }

 private:
  void describe(std::string_view audio, const Row*, TreeUtterance& utterance) const override {
    const std::string speaker(path_part(audio, 1));
    utterance.facts.text("speaker", speaker).text("gender", gender_of(speaker));
    const std::string_view split = folder_among(audio, {"train", "dev", "test"});
    if (!split.empty()) utterance.subsets.emplace_back(split);
  }
};

std::vector<std::string> transcripts_in(const std::string& root) {
  if (!base::is_folder(root + "/transcript")) return {};
  return files_below(root + "/transcript",
                     [](std::string_view name) { return name.starts_with(kTranscriptPrefix); });
}

/// The folder that holds transcript/ and wav/: `folder` itself or data_aishell in it.
std::optional<std::string> root_of(const std::string& folder) {
  for (const std::string& root : {folder, folder + "/data_aishell"}) {
    if (!transcripts_in(root).empty()) return root;
  }
  return std::nullopt;
}

/// speaker.info, which comes in resource_aishell.tgz, and lies in `root` or beside it; empty where it does
/// not.
std::string speakers_of(const std::string& root) {
  const fs::path above = fs::absolute(root).lexically_normal().parent_path();
  for (const fs::path& folder :
       {fs::path(root), fs::path(root) / "resource_aishell", above / "resource_aishell"}) {
    std::string path = (folder / "speaker.info").string();
    if (base::exists(path)) return path;
  }
  return {};
}

void read_aishell(const std::string& folder, const CorpusOptions& options, CorpusBuilder& builder) {
  const auto root = root_of(folder);
  if (!root) {
    throw UsageError(fmt::format("is not AISHELL-1: it holds no transcript/{}*", kTranscriptPrefix),
                     at(folder));
  }
  const std::vector<std::string> transcripts = transcripts_in(*root);
  if (transcripts.size() > 1) {
    throw Error(fmt::format("is a second transcript beside {}", transcripts[0]), at(transcripts[1]),
                "leave one of them there");
  }
  std::vector<std::string> texts = transcripts;
  if (std::string speakers = speakers_of(*root); !speakers.empty()) texts.push_back(std::move(speakers));
  for (const std::string& text : texts) builder.description(text);
  ArchivedTree tree = *archived_tree(kAishell, options.tree);
  tree.begin = [begin = tree.begin, texts] {
    std::shared_ptr<TreeCorpus> corpus = begin();
    for (const std::string& text : texts)
      corpus->read({.path = text, .place = text, .content = text_content(text)});
    return corpus;
  };
  read_tree(tree, *root + "/wav", builder);
}

std::optional<CorpusPlace> place_by_transcript(const std::string& file,
                                               const std::function<bool(const std::string&)>&) {
  const std::string_view folder = folder_of(file);
  if (!path_part(file, 0).starts_with(kTranscriptPrefix) || path_part(file, 1) != "transcript")
    return std::nullopt;
  const std::string root(folder_of(folder));
  return CorpusPlace{.folder = root, .claimed = root.empty() ? "wav" : root + "/wav"};
}

}  // namespace

constinit const Corpus kAishell{
    .prefix = "aishell",
    .name = "AISHELL-1",
    .texts = "*/aishell_transcript*",
    .audio = "*/BAC009S[0-9]*|*/wav/S[0-9][0-9][0-9][0-9].tar.gz",
    .needed = "transcript/aishell_transcript_v0.8.txt",
    .is_in = [](const std::string& folder) { return root_of(folder).has_value(); },
    .place_by = place_by_transcript,
    .is_one_folder = true,
    .in_archive =
        "*/aishell_transcript*|*/wav/S[0-9][0-9][0-9][0-9].tar.gz|*/wav/*/S[0-9][0-9][0-9][0-9]/BAC009S*",
    .speakers = {"gender", "speaker.info"},
    .splits = Splits::together,
    .make = make_tree<Aishell>,
    .read = read_aishell};

}  // namespace shardmill::source
