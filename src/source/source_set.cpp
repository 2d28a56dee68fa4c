#include "source/source_set.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "base/io/entry.hpp"
#include "base/io/folder.hpp"
#include "base/io/line_reader.hpp"
#include "shard/transcript.hpp"
#include "source/archive_index.hpp"
#include "source/audio_name.hpp"
#include "source/corpora.hpp"
#include "source/finished_dataset.hpp"
#include "source/md5_list.hpp"
#include "source/normal_path.hpp"
#include "source/one_corpus.hpp"
#include "source/path_list.hpp"
#include "source/regular_file.hpp"
#include "source/shard_search.hpp"
#include "source/source_spec.hpp"

namespace shardmill::source {

namespace {

namespace fs = std::filesystem;

UsageError lists_audio(const std::string& list) {
  return UsageError("lists audio files, without their transcripts", at(list),
                    "put wav.scp and text in a folder, or list key, wav and txt as lines of JSON");
}

template <typename Value>
void append(std::vector<Value>&& more, std::vector<Value>& all) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

/// `unusable`: at least one.
[[noreturn]] void stop_at(const std::vector<Unusable>& unusable) {
  const Error& first = unusable.front().error;
  std::string problem = first.problem();
  const auto add_others = [&](Unusable::What what, std::string_view one, std::string_view several) {
    const auto others = std::count_if(unusable.begin() + 1, unusable.end(),
                                      [&](const Unusable& other) { return other.what == what; });
    if (others > 0) problem += fmt::format(", and {} more {}", others, others == 1 ? one : several);
  };
  add_others(Unusable::What::file, "file cannot be read", "files cannot be read");
  add_others(Unusable::What::audio, "utterance has no audio", "utterances have no audio");
  add_others(Unusable::What::segment, "segment cannot be cut", "segments cannot be cut");
  throw Error(problem, first.where(), "--on-error skip leaves out what cannot be read");
}

/// Adds up arguments to a SourceSet.
class Finder {
 public:
  explicit Finder(const FindOptions& options) : options_(options) {}

  void add(const std::string& argument) {
    const SourceSpec spec = parse_source(argument);
    std::error_code failure;
    const bool expand = is_pattern(spec.path) && !fs::exists(spec.path, failure);
    begin_source(spec, expand ? folder_place(normal_path(fixed_part(spec.path))) : place_of(spec));
    for (const std::string& path : expand ? matches_of(spec) : std::vector{spec.path}) {
      if (spec.is_dataset && !is_dataset(path)) throw Error("holds no finished dataset", at(path));
      spec.corpus ? add_corpus(*spec.corpus, path) : add_path(path);
    }
  }

  SourceSet take() {
    // First: where transcripts are not found, the reason tells more than a file without its partner.
    check_corpora();
    if (options_.on_unusable == OnUnusable::stop) stop_at_wanted();
    for (const SourceDataset& dataset : set_.datasets) {
      if (dataset.files.empty()) refuse_empty(dataset);
    }
    return std::move(set_);
  }

 private:
  bool is_wanted(std::string_view key) const { return !options_.wanted || options_.wanted(key); }

  /// What shards hold is not known yet: with them, a dataset is judged when they are read.
  void check_corpora() const {
    for (const auto& [number, corpora] : corpora_) {
      if (!seen_.contains(number)) check_texts(set_.datasets[number].name, corpora, options_.missing_text);
    }
  }

  CorpusTexts texts_of(const std::string& path, const CorpusFiles& corpus) const {
    CorpusTexts found{.path = path, .texts = {}};
    for (const SourceFile& file : corpus.audio) {
      for (const CorpusUtterance& utterance : file.utterances) {
        if (!is_wanted(utterance.key)) continue;
        found.texts.add(utterance.has_text && !shard::clean_transcript(utterance.text).empty());
      }
    }
    // Otherwise the first of them is an error of its own.
    if (options_.on_unusable == OnUnusable::stop) return found;
    found.unheard = static_cast<std::uint64_t>(
        std::count_if(corpus.unusable.begin(), corpus.unusable.end(), [&](const Unusable& unusable) {
          return unusable.what == Unusable::What::audio && is_wanted(unusable.key);
        }));
    return found;
  }

  void stop_at_wanted() const {
    std::vector<Unusable> missed;
    std::copy_if(set_.unusable.begin(), set_.unusable.end(), std::back_inserter(missed),
                 [&](const Unusable& unusable) {
                   const bool is_file = unusable.what == Unusable::What::file;
                   return is_file || is_wanted(unusable.key);
                 });
    if (!missed.empty()) stop_at(missed);
  }

  using Identity = std::pair<dev_t, ino_t>;

  /// What a source without a name is called after.
  struct Place {
    std::string path;
    std::string name;
  };

  static Place folder_place(const std::string& folder) {
    return {folder, dataset_name_from(fs::path(folder).filename().string())};
  }

  static Place list_place(const std::string& list) {
    return {list, dataset_name_from(fs::path(list).stem().string())};
  }

  static Place place_of(const SourceSpec& spec) {
    const std::string whole = normal_path(spec.path);
    if (spec.corpus && base::is_folder(whole)) return folder_place(whole);
    if (spec.corpus && !is_tree(*spec.corpus)) return list_place(whole);
    switch (kind_of(spec.path)) {
      case PathKind::folder:
        return folder_place(whole);
      case PathKind::list:
        return list_place(whole);
      case PathKind::shard:
        break;
    }
    return folder_place(fs::path(whole).parent_path().string());
  }

  /// Beside the folders of a corpus lie files that say what it is.
  static std::vector<std::string> matches_of(const SourceSpec& spec) {
    std::vector<std::string> matches = source::matches_of(spec.path);
    if (!spec.is_dataset && (!spec.corpus || !takes_folder(*spec.corpus))) return matches;
    const bool takes_archives = spec.corpus && is_tree(*spec.corpus);
    std::erase_if(matches, [&](const std::string& match) {
      return !base::is_folder(match) && !(takes_archives && has_archive_name(match));
    });
    if (matches.empty())
      throw Error(fmt::format("the pattern matches no folder{}", takes_archives ? " and no archive" : ""),
                  at(spec.path));
    return matches;
  }

  void begin_source(const SourceSpec& spec, const Place& place) {
    was_named_ = spec.dataset.has_value();
    const std::string name = spec.dataset.value_or(place.name);
    set_.given.push_back({.dataset = name, .path = spec.path});
    if (!spec.dataset && !spec.corpus && options_.corpora && is_dataset(spec.path)) {
      // Its samples have the names of their datasets: what it is called itself may come again.
      dataset_ = set_.datasets.size();
      set_.datasets.push_back({.name = name, .files = {}, .descriptions = {}});
      return;
    }
    const std::string origin = spec.dataset ? std::string() : place.path;
    const auto [known, is_new] = origins_.try_emplace(name, origin);
    if (!is_new && known->second != origin) {
      throw UsageError(fmt::format("two different sources would both be called '{}'", name), at(spec.path),
                       "give them names: NAME=SOURCE");
    }
    const auto same_name = [&](const SourceDataset& dataset) {
      return dataset.name == name && dataset.parts.empty();
    };
    const auto found = std::find_if(set_.datasets.begin(), set_.datasets.end(), same_name);
    dataset_ = static_cast<std::size_t>(found - set_.datasets.begin());
    if (found == set_.datasets.end())
      set_.datasets.push_back({.name = name, .files = {}, .descriptions = {}});
  }

  void add_path(const std::string& path) {
    switch (kind_of(path)) {
      case PathKind::shard:
        return add_file(path, {});
      case PathKind::folder:
        return add_folder(path);
      case PathKind::list:
        if (const auto corpus = corpus_kind_of_file(path)) return add_corpus(*corpus, path);
        return add_list(path);
    }
  }

  void add_folder(const std::string& folder) {
    if (is_dataset(folder)) {
      check_readable(folder);
      if (options_.corpora) return add_dataset(folder);
    }
    if (options_.corpora) check_one_corpus(folder);
    const FolderContents contents = look_into(folder);
    // What is written there later would be taken for shards next time.
    set_.folders.push_back(folder);
    if (contents.corpus && contents.shards.empty()) return add_corpus(*contents.corpus, folder);
    if (contents.shards.empty()) {
      throw Error("holds neither shards nor audio", at(folder),
                  "shards are looked for by names like x.tar, x.tar.bz2, x.tgz");
    }
    for (const std::string& shard : contents.shards) add_file(shard, {});
    if (contents.corpus && options_.corpora) {
      set_.warnings.push_back(
          Error("holds shards, and audio or lists of audio: only the shards are read", at(folder),
                fmt::format("{}:{} reads the others", name(*contents.corpus), printable(folder))));
    }
  }

  void add_dataset(const std::string& folder) {
    if (!seen_folders_.insert(identity_of(folder)).second)
      throw Error("comes twice among the sources", at(folder));
    // What a later run writes into it would be read as part of it.
    set_.folders.push_back(folder);
    FoundDataset found = find_dataset(folder, was_named_ ? set_.given.back().dataset : "");
    if (!was_named_) begin_parts(std::move(found.parts));
    SourceDataset& dataset = set_.datasets[dataset_];
    for (SourceFile& file : found.shards) add_found(std::move(file));
    append(std::move(found.descriptions), dataset.descriptions);
    for (Unusable& unusable : found.unusable) unusable.dataset = dataset.name;
    append(std::move(found.unusable), set_.unusable);
  }

  /// A finished dataset is read by itself: its shards mix several datasets.
  void begin_parts(std::vector<std::string>&& parts) {
    const std::string name = set_.given.back().dataset;
    // What was begun for a source of one name is not needed, unless another source has it already.
    SourceDataset& begun = set_.datasets[dataset_];
    if (!begun.files.empty() || !begun.parts.empty()) {
      dataset_ = set_.datasets.size();
      set_.datasets.push_back({.name = name, .files = {}, .descriptions = {}});
    }
    set_.datasets[dataset_].parts = std::move(parts);
  }

  /// An archive as it was downloaded.
  void add_archive(CorpusKind kind, const std::string& path, SourceFile&& file) {
    if (!options_.corpora) {
      throw UsageError("is a corpus in an archive, and only shards will do here", at(path),
                       "shardmill repack makes shards of it");
    }
    ArchivedTree tree = *archived_tree(kind, options_.tree);
    tree.md5 = options_.md5s.empty() ? md5_beside(path) : fmt::format("{}", fmt::join(options_.md5s, " "));
    file.tree = std::make_shared<ArchivedTree>(std::move(tree));
    add_found(std::move(file));
  }

  /// What the archive holds, where it is no shard. In a folder of many shards the others are like the first.
  std::optional<CorpusKind> corpus_in(const std::string& path) {
    constexpr std::size_t kShardsEnough = 16;
    if (!options_.corpora || (plain_shards_ >= kShardsEnough && !has_archives_)) return std::nullopt;
    try {
      const auto found = corpus_in_archive(path);
      has_archives_ = has_archives_ || found;
      if (!found) ++plain_shards_;
      return found;
    } catch (const Error&) {
      return std::nullopt;  // Reported when its turn comes.
    }
  }

  void add_corpus(CorpusKind kind, const std::string& path) {
    if (is_tree(kind) && base::exists(path) && !base::is_folder(path)) {
      if (kind_of(path) != PathKind::shard) {
        throw UsageError(
            fmt::format("is neither a folder nor an archive, and '{}:' takes one of them", name(kind)),
            at(path));
      }
      auto [file, problem] = look_up(path);
      if (problem) throw Error(*problem);
      return add_archive(kind, path, std::move(file));
    }
    if (!options_.corpora) {
      throw UsageError("is a raw corpus, and only shards will do here", at(path),
                       "shardmill repack makes shards of it");
    }
    SourceDataset& dataset = set_.datasets[dataset_];
    CorpusFiles corpus =
        read_corpus(kind, path, {.allow_commands = options_.allow_commands, .tree = options_.tree});
    corpora_[dataset_].push_back(texts_of(path, corpus));
    set_.given.back().files += corpus.audio.size();
    for (SourceFile& file : corpus.audio) {
      file.given = given_number();
      set_.given.back().bytes += file.bytes;
      dataset.files.push_back(std::move(file));
    }
    append(std::move(corpus.descriptions), dataset.descriptions);
    append(std::move(corpus.folders), set_.folders);
    for (Unusable& unusable : corpus.unusable) unusable.dataset = dataset.name;
    append(std::move(corpus.unusable), set_.unusable);
    append(std::move(corpus.warnings), set_.warnings);
  }

  void add_list(const std::string& list) {
    base::LineReader lines(list);
    if (fs::path(list).filename() == "wav.scp") {
      throw UsageError(
          "is part of a Kaldi data folder", at(list),
          fmt::format("give the folder: kaldi:{}", fs::path(normal_path(list)).parent_path().string()));
    }
    const auto paths = read_path_list(lines);
    if (paths.empty()) throw Error("lists no paths", at(list));
    if (is_audio_name(paths.front().path)) throw lists_audio(list);
    for (const ListedPath& listed : paths) {
      add_file(resolve_listed(list, listed.path), fmt::format("{}: line {}", list, listed.line));
    }
  }

  /// `named_at`: the list and line that named the file, if any.
  void add_file(const std::string& path, const std::string& named_at) {
    if (options_.needed && !options_.needed(path)) return;
    SourceDataset& dataset = set_.datasets[dataset_];
    auto [file, problem] = look_up(path, named_at);
    if (problem) {
      set_.unusable.push_back({.error = *problem, .dataset = dataset.name});
      return;
    }
    if (const auto kind = corpus_in(path)) return add_archive(*kind, path, std::move(file));
    if (is_container(path)) {
      throw Error("is no tar, and its files are no corpus that shardmill knows", at(path),
                  "docs/corpora.md lists those that it knows; librispeech:FILE names one");
    }
    add_found(std::move(file));
  }

  void add_found(SourceFile&& file) {
    SourceDataset& dataset = set_.datasets[dataset_];
    const auto [known, is_new] = seen_[dataset_].try_emplace(identity_of(file.path), file.path);
    if (!is_new) {
      throw Error(fmt::format("comes twice in dataset '{}', the other time as {}", dataset.name,
                              printable(known->second)),
                  at(file.path));
    }
    file.given = given_number();
    ++set_.given.back().files;
    set_.given.back().bytes += file.bytes;
    dataset.files.push_back(std::move(file));
  }

  std::uint32_t given_number() const { return static_cast<std::uint32_t>(set_.given.size() - 1); }

  static Identity identity_of(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) throw system_error("cannot examine", path);
    return {status.st_dev, status.st_ino};
  }

  [[noreturn]] void refuse_empty(const SourceDataset& dataset) const {
    const auto of_dataset = [&](const Unusable& unusable) { return unusable.dataset == dataset.name; };
    const auto first = std::find_if(set_.unusable.begin(), set_.unusable.end(), of_dataset);
    const std::string empty = fmt::format("dataset '{}' has no usable file", dataset.name);
    if (first == set_.unusable.end()) throw Error(empty);
    throw Error(fmt::format("{}: {}", first->error.problem(), empty), first->error.where());
  }

  const FindOptions& options_;
  SourceSet set_;
  std::map<std::string, std::string>
      origins_;  // of each dataset: where its name is from, empty: from the user
  std::map<std::size_t, std::map<Identity, std::string>> seen_;  // by dataset
  std::map<std::size_t, std::vector<CorpusTexts>> corpora_;      // by dataset
  std::size_t dataset_ = 0;                                      // that files are added to
  std::set<Identity> seen_folders_;                              // of finished datasets
  bool was_named_ = false;                                       // by the user
  std::size_t plain_shards_ = 0;                                 // that were looked into
  bool has_archives_ = false;                                    // that hold corpora
};

}  // namespace

base::Xxh128 SourceSet::digest() const {
  std::string text;
  for (const SourceDataset& dataset : datasets) {
    for (const auto* files : {&dataset.files, &dataset.descriptions}) {
      for (const SourceFile& file : *files) {
        // No name or path holds a zero byte: different inputs cannot run together into the same text.
        fmt::format_to(std::back_inserter(text), "{}{}{}{}{}\n", dataset.name, '\0', file.path, '\0',
                       file.bytes);
      }
    }
  }
  return base::xxh3_128(base::as_bytes(text));
}

SourceSet find_sources(const std::vector<std::string>& arguments, const FindOptions& options) {
  Finder finder(options);
  for (const std::string& argument : arguments) finder.add(argument);
  return finder.take();
}

}  // namespace shardmill::source
