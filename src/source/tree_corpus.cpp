#include "source/tree_corpus.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <set>
#include <utility>

#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "source/folders/file_search.hpp"
#include "source/split.hpp"
#include "source/tree_text.hpp"

namespace shardmill::source {

namespace {

namespace fs = std::filesystem;

/// Archives in a folder, by their packed_name().
struct Packs {
  std::vector<std::string> names;
  std::size_t last = 0;  // what held the last one often holds the next

  bool hold(const TreeCorpus& corpus, std::string_view key) {
    if (names.empty()) return false;
    if (corpus.belongs_to(key, names[last])) return true;
    const auto found = std::find_if(names.begin(), names.end(),
                                    [&](const std::string& name) { return corpus.belongs_to(key, name); });
    if (found == names.end()) return false;
    last = static_cast<std::size_t>(found - names.begin());
    return true;
  }
};

/// Those of one audio file of a tree.
class LateTreeUtterances final : public LateUtterances {
 public:
  LateTreeUtterances(std::shared_ptr<TreeCorpus> corpus, std::string path)
      : corpus_(std::move(corpus)), path_(std::move(path)) {}

  std::shared_ptr<const CorpusUtterances> read() const override {
    const std::vector<TreeUtterance> all = corpus_->find(path_).value_or(std::vector<TreeUtterance>());
    std::vector<const TreeUtterance*> usable;
    for (const TreeUtterance& utterance : all) {
      if (utterance.begin_seconds < utterance.end_seconds) usable.push_back(&utterance);
    }
    return sorted_utterances(usable);
  }

 private:
  std::shared_ptr<TreeCorpus> corpus_;
  std::string path_;
};

/// Reads a folder as a tree: first its texts, then its audio.
class FolderReader {
 public:
  FolderReader(const ArchivedTree& tree, const std::string& folder, CorpusBuilder& builder)
      : tree_(tree), begun_(tree.begin()), corpus_(*begun_), folder_(folder), builder_(builder) {}

  void read() {
    const auto files = builder_.search(folder_, [](std::string_view) { return true; });
    for (const std::string& file : files) {
      if (corpus_.role(tree_path(file)) == TreeCorpus::Role::text) read_text(file);
    }
    read_above();
    for (const std::string& file : files) {
      if (fs::is_symlink(file)) corpus_.take_link(tree_path(file));
    }
    corpus_.all_read();
    for (const std::string& file : files) {
      if (corpus_.role(tree_path(file)) == TreeCorpus::Role::audio) add_audio(file);
    }
    if (corpus_.packed() != TreeCorpus::Packed::no) add_packed(files);
    // The texts are those of other parts, too, and it is unknown what this one should hold.
    if (is_part_) return;
    bool has_promised = false;
    corpus_.report_rest([&](LostAudio lost) {
      // What its own archive lacks is known when that is read.
      if (by_name_.hold(corpus_, lost.key)) return;
      if (anyhow_.hold(corpus_, lost.key)) return void(has_promised = true);
      builder_.unusable(Unusable::What::audio, lost.key, std::move(lost.error), lost.samples);
    });
    if (has_promised)
      builder_.promise([shared = shared_](const LoseUtterance& lose) { shared->report_rest(lose); });
  }

 private:
  using Begin = std::function<std::shared_ptr<TreeCorpus>()>;

  /// Absolute, so that the names of the folders above count, too.
  static std::string tree_path(const std::string& file) {
    return fs::absolute(file).lexically_normal().string();
  }

  void read_text(const std::string& file) {
    builder_.description(file);
    texts_.push_back(file);
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
        return;  // The user did not name that folder.
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

  /// Speakers or parts that are still packed, each in an archive of its own.
  void add_packed(const std::vector<std::string>& files) {
    std::set<std::string> unpacked;
    for (const std::string& file : files) {
      if (corpus_.role(tree_path(file)) == TreeCorpus::Role::audio)
        unpacked.insert(corpus_.packed_name(fs::path(tree_path(file)).parent_path().string()));
    }
    for (const std::string& file : files) {
      if (!has_archive_name(file) || !corpus_.is_pack(tree_path(file))) continue;
      const std::string speaker = corpus_.packed_name(tree_path(file));
      const bool is_anyhow = corpus_.packed_as(speaker) == TreeCorpus::Packed::anyhow;
      if (unpacked.contains(speaker)) {
        // What the folder lacks would not be missed.
        if (is_anyhow) {
          throw Error("lies beside a folder of its name with audio, which may be only a part of it", at(file),
                      "remove the folder, or when it is complete, the archive");
        }
        builder_.warn(Error("is left out: its contents lie unpacked beside it", at(file)));
        continue;
      }
      ArchivedTree packed = tree_;
      if (corpus_.packs_have_texts()) {
        by_name_.names.push_back(speaker);
        packed.begin = beginner(speaker);
        builder_.archive(file, std::make_shared<ArchivedTree>(std::move(packed)));
        continue;
      }
      packed.is_part = true;
      if (!is_anyhow) packed.speaker = speaker;
      (is_anyhow ? anyhow_ : by_name_).names.push_back(speaker);
      packed.folder = folder_of(file, tree_path(file), tree_.archives_as_folders.get());
      packed.begin = is_anyhow ? Begin([shared = shared_] { return shared; }) : beginner(speaker);
      builder_.archive(file, std::make_shared<ArchivedTree>(std::move(packed)));
    }
  }

  /// Each archive has a reader of its own, which remembers the utterances that it has found.
  Begin beginner(const std::string& packed_name) const {
    return [begin = tree_.begin, texts = texts_, packed_name] {
      std::shared_ptr<TreeCorpus> corpus = begin();
      corpus->keep_to_pack(packed_name);
      for (const std::string& text : texts) {
        const bool is_remark = corpus->above(text.substr(text.rfind('/') + 1)) == TreeCorpus::Above::remarks;
        if (corpus->packs_have_texts() && !is_remark) continue;
        const std::string content = text_content(text);
        const std::string path = tree_path(text);
        corpus->read({.path = path, .place = text, .content = content});
      }
      return corpus;
    };
  }

  void add_audio(const std::string& file) {
    const auto utterances = corpus_.find(tree_path(file));
    if (!utterances) return;
    if (tree_.is_late && !utterances->empty() && utterances->front().lacks.empty())
      return add_late(file, *utterances);
    for (const TreeUtterance& utterance : *utterances) {
      const Choice choice = choice_of(utterance, tree_.subsets);
      if (choice == Choice::taken) {
        add_utterance(file, utterance);
      } else if (choice != Choice::of_other_subset) {
        leave_out(file, utterance, choice);
      }
    }
  }

  void add_late(const std::string& file, const std::vector<TreeUtterance>& utterances) {
    auto late = std::make_shared<LateTreeUtterances>(shared_, tree_path(file));
    for (const TreeUtterance& utterance : utterances) {
      if (!(utterance.begin_seconds < utterance.end_seconds)) {
        builder_.unusable(
            Unusable::What::segment, utterance.key,
            Error(fmt::format("'{}' would begin at {} s and end at {} s (see {})", printable(utterance.key),
                              utterance.begin_seconds, utterance.end_seconds, utterance.named_in),
                  at(file)));
        continue;
      }
      ++late->samples;
      late->with_text += utterance.text && !utterance.text->empty() ? 1 : 0;
      late->seconds += utterance.seconds;
      late->is_whole = utterance.begin_seconds == 0 && utterance.end_seconds == CorpusUtterance::kToTheEnd &&
                       !utterance.channel;
    }
    if (late->samples > 0) builder_.late_recording(file, std::move(late));
  }

  void leave_out(const std::string& file, const TreeUtterance& utterance, Choice choice) {
    if (choice == Choice::no_subset) {
      const Error error(no_subset(tree_.subsets), at(file));
      builder_.warn(Error(error.problem() + ", and it is left out", at(file)));
      return builder_.unusable(Unusable::What::no_subset, utterance.key, error);
    }
    const Unusable::What what = utterance.lacks_text    ? Unusable::What::text
                                : utterance.is_unlisted ? Unusable::What::unlisted
                                                        : Unusable::What::recording;
    builder_.unusable(what, utterance.key, Error(utterance.lacks, at(file)));
  }

  void add_utterance(const std::string& file, const TreeUtterance& utterance) {
    const std::string facts = utterance.members();
    builder_.utterance(builder_.recording(SourceKind::recording, file),
                       {.key = utterance.key,
                        .text = utterance.text,
                        .facts = facts,
                        .begin_seconds = utterance.begin_seconds,
                        .end_seconds = utterance.end_seconds,
                        .seconds = utterance.seconds,
                        .channel = utterance.channel,
                        .keeps_to_seconds = utterance.keeps_to_seconds,
                        .recording_seconds = utterance.recording_seconds,
                        .recording_channels = utterance.recording_channels,
                        .headerless_hz = utterance.headerless_hz,
                        .named_in = utterance.named_in,
                        .line = utterance.line});
  }

  const ArchivedTree& tree_;
  std::shared_ptr<TreeCorpus> begun_;
  TreeCorpus& corpus_;
  std::shared_ptr<TreeCorpus> shared_ = share_tree(begun_);
  const std::string& folder_;
  std::vector<std::string> texts_;  // that were read
  Packs by_name_;
  Packs anyhow_;
  CorpusBuilder& builder_;
  bool is_part_ = tree_.is_part;  // transcripts of other parts are known, too
};

class SharedTree final : public TreeCorpus {
 public:
  explicit SharedTree(std::shared_ptr<TreeCorpus> tree) : tree_(std::move(tree)) {}

  // These go by the path alone.
  Role role(std::string_view path) const override { return tree_->role(path); }
  std::string_view awaited(std::string_view path) const override { return tree_->awaited(path); }
  Above above(std::string_view name) const override { return tree_->above(name); }
  Packed packed() const override { return tree_->packed(); }
  Packed packed_as(std::string_view packed_name) const override { return tree_->packed_as(packed_name); }
  bool is_pack(std::string_view path) const override { return tree_->is_pack(path); }
  std::string packed_name(std::string_view path) const override { return tree_->packed_name(path); }
  bool loses_by_key() const override { return tree_->loses_by_key(); }

  void read(const TreeText&) override {}
  void all_read() override {}
  std::optional<std::vector<TreeUtterance>> find(std::string_view audio) override {
    const std::lock_guard lock(mutex_);
    return tree_->find(audio);
  }
  std::optional<std::vector<TreeUtterance>> find_packed(std::string_view audio,
                                                        std::string_view with_archives) override {
    const std::lock_guard lock(mutex_);
    return tree_->find_packed(audio, with_archives);
  }
  bool take_link(std::string_view path) override {
    const std::lock_guard lock(mutex_);
    return tree_->take_link(path);
  }
  void report_rest(const Lose& lose) const override {
    const std::lock_guard lock(mutex_);
    tree_->report_rest(lose);
  }
  bool belongs_to(std::string_view key, std::string_view packed_name) const override {
    const std::lock_guard lock(mutex_);
    return tree_->belongs_to(key, packed_name);
  }

 private:
  std::shared_ptr<TreeCorpus> tree_;
  mutable std::mutex mutex_;
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
  if (wanted.empty()) return true;
  if (subsets.empty()) return false;
  const std::string_view split = name(split_of(fmt::format("{}", fmt::join(subsets, " "))));
  const auto is_wanted = [&](const std::string& subset) {
    return std::any_of(wanted.begin(), wanted.end(), [&](const std::string& name) {
      if (name == kAllSubsets) return true;
      // "train" is all that is for training, whatever it is called.
      if (name == "train" || name == "dev" || name == "test") return name == split;
      if (!subset.starts_with(name)) return false;
      return subset.size() == name.size() ||
             std::string_view("-_/").find(subset[name.size()]) != std::string_view::npos;
    });
  };
  return std::any_of(subsets.begin(), subsets.end(), is_wanted);
}

bool is_of_other_subset(std::string_view facts, const std::vector<std::string>& wanted) {
  if (wanted.empty()) return false;
  const std::string_view subset = subset_in(facts);
  const auto names = subset_names(subset);
  const auto is_judged = [](const std::string& name) {
    return split_of(name) == Split::dev || split_of(name) == Split::test;
  };
  // It counts as training data.
  if (names.empty()) return std::all_of(wanted.begin(), wanted.end(), is_judged);
  if (has_wanted_subset({names.begin(), names.end()}, wanted)) return false;
  return split_of(subset) != Split::other || !has_wanted_subset({"train"}, wanted);
}

Choice choice_of(const TreeUtterance& utterance, const std::vector<std::string>& wanted) {
  const bool is_wanted = has_wanted_subset(utterance.subsets, wanted);
  // Of audio that no table lists, a folder is only a subset when it is called like one.
  const bool is_folder =
      !utterance.text && split_of(fmt::format("{}", fmt::join(utterance.subsets, " "))) == Split::other;
  if (!is_wanted && !utterance.subsets.empty() && !is_folder) return Choice::of_other_subset;
  if (!utterance.lacks.empty()) return Choice::lacks_table;
  return is_wanted ? Choice::taken : Choice::no_subset;
}

std::string no_subset(const std::vector<std::string>& wanted) {
  return fmt::format("no table lists it, so it is unknown whether it is of the subset {}",
                     fmt::join(wanted, " or "));
}

Error unknown_split(std::string_view audio, std::string_view teller) {
  return Error(fmt::format("nothing says whether this is for training or for tests: {} not there", teller),
               at(std::string(audio)), "unpack it again, with its links, or read the archive itself",
               Remedy::choose_subset);
}

std::shared_ptr<const CorpusUtterances> sorted_utterances(
    const std::vector<const TreeUtterance*>& utterances) {
  std::vector<const TreeUtterance*> sorted = utterances;
  std::stable_sort(sorted.begin(), sorted.end(), [](const TreeUtterance* a, const TreeUtterance* b) {
    return a->begin_seconds < b->begin_seconds;
  });
  auto corpus = std::make_shared<CorpusUtterances>();
  for (const TreeUtterance* each : sorted) {
    corpus->utterances.push_back({.key = corpus->texts.keep(each->key),
                                  .text = corpus->texts.keep(each->text.value_or("")),
                                  .has_text = each->text.has_value(),
                                  .facts = corpus->texts.keep(each->members()),
                                  .begin_seconds = each->begin_seconds,
                                  .end_seconds = each->end_seconds,
                                  .seconds = each->seconds,
                                  .channel = each->channel,
                                  .keeps_to_seconds = each->keeps_to_seconds,
                                  .recording_seconds = each->recording_seconds,
                                  .recording_channels = each->recording_channels,
                                  .headerless_hz = each->headerless_hz,
                                  .text_doubt = each->text_doubt,
                                  .named_in = corpus->texts.keep(each->named_in)});
  }
  return corpus;
}

void read_tree(const ArchivedTree& tree, const std::string& folder, CorpusBuilder& builder) {
  FolderReader(tree, folder, builder).read();
}

std::shared_ptr<TreeCorpus> share_tree(std::shared_ptr<TreeCorpus> tree) {
  return std::make_shared<SharedTree>(std::move(tree));
}

}  // namespace shardmill::source
