#include "source/tree_corpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "source/tree_text.hpp"

namespace shardmill::source {

namespace {

namespace fs = std::filesystem;

/// Reads a folder as a tree: its texts first, then what they say of its audio.
class FolderReader {
 public:
  FolderReader(TreeCorpus& corpus, const std::string& folder, const TreeOptions& options,
               CorpusBuilder& builder)
      : corpus_(corpus), folder_(folder), options_(options), builder_(builder) {}

  void read() {
    const auto files = builder_.search(folder_, [](std::string_view) { return true; });
    for (const std::string& file : files) {
      if (corpus_.role(tree_path(file)) == TreeCorpus::Role::text) read_text(file);
    }
    read_above();
    corpus_.all_read();
    for (const std::string& file : files) {
      if (corpus_.role(tree_path(file)) == TreeCorpus::Role::audio) add_audio(file);
    }
    if (is_part_) return;
    corpus_.report_rest([&](std::string_view key, Error error) {
      builder_.unusable(Unusable::What::audio, key, std::move(error));
    });
  }

 private:
  /// Absolute, so that the names of the folders above count, too.
  static std::string tree_path(const std::string& file) {
    return fs::absolute(file).lexically_normal().string();
  }

  void read_text(const std::string& file) {
    builder_.description(file);
    const std::string content = text_content(file);
    const std::string path = tree_path(file);
    corpus_.read({.path = path, .place = file, .content = content});
  }

  /// What is told of speakers in the folders above, where a part of the corpus was given.
  void read_above() {
    constexpr int kLevels = 3;
    fs::path above = base::canonical(folder_);
    for (int level = 0; level < kLevels && above.has_relative_path(); ++level) {
      above = above.parent_path();
      std::vector<fs::path> entries;
      try {
        entries = base::entries(above);
      } catch (const Error&) {
        return;  // Nobody named that folder.
      }
      std::sort(entries.begin(), entries.end());
      for (const fs::path& entry : entries) {
        const TreeCorpus::Above what = corpus_.above(entry.filename().string());
        if (what == TreeCorpus::Above::no || base::is_folder(entry)) continue;
        read_text(entry.string());
        is_part_ = is_part_ || what == TreeCorpus::Above::transcripts;
      }
    }
  }

  void add_audio(const std::string& file) {
    const auto utterances = corpus_.find(tree_path(file));
    if (!utterances) return;
    for (const TreeUtterance& utterance : *utterances) {
      if (!has_wanted_subset(utterance.subsets, options_.subsets)) continue;
      const std::string facts = utterance.members();
      builder_.utterance(builder_.recording(SourceKind::recording, file),
                         {.key = utterance.key,
                          .text = utterance.text,
                          .facts = facts,
                          .begin_seconds = utterance.begin_seconds,
                          .end_seconds = utterance.end_seconds,
                          .seconds = utterance.seconds,
                          .named_in = utterance.named_in,
                          .line = utterance.line});
    }
  }

  TreeCorpus& corpus_;
  const std::string& folder_;
  const TreeOptions& options_;
  CorpusBuilder& builder_;
  bool is_part_ = false;  // transcripts of other parts were read, too
};

}  // namespace

std::string TreeUtterance::members() const {
  Facts all = facts;
  std::string joined;
  for (const std::string& subset : subsets) joined += (joined.empty() ? "" : " ") + subset;
  all.text("subset", joined);
  return all.members();
}

bool has_wanted_subset(const std::vector<std::string>& subsets, const std::vector<std::string>& wanted) {
  const auto is_wanted = [&](const std::string& subset) {
    return std::any_of(wanted.begin(), wanted.end(), [&](const std::string& name) {
      if (!subset.starts_with(name)) return false;
      return subset.size() == name.size() || std::string_view("-_/").find(subset[name.size()]) != std::string_view::npos;
    });
  };
  return wanted.empty() || std::any_of(subsets.begin(), subsets.end(), is_wanted);
}

void read_tree(TreeCorpus& corpus, const std::string& folder, const TreeOptions& options,
               CorpusBuilder& builder) {
  FolderReader(corpus, folder, options, builder).read();
}

}  // namespace shardmill::source
