#include "source/source_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "base/io/entry.hpp"
#include "base/io/folder.hpp"
#include "base/io/line_reader.hpp"
#include "manifest/split_record.hpp"
#include "source/archive_index.hpp"
#include "source/corpora.hpp"
#include "source/finished_dataset.hpp"
#include "source/folders/one_corpus.hpp"
#include "source/names/audio_name.hpp"
#include "source/names/md5_list.hpp"
#include "source/names/normal_path.hpp"
#include "source/names/path_list.hpp"
#include "source/regular_file.hpp"
#include "source/shard_search.hpp"
#include "source/source_set_builder.hpp"
#include "source/source_spec.hpp"

namespace shardmill::source {

namespace {

namespace fs = std::filesystem;

UsageError lists_audio(const std::string& list) {
  return UsageError("lists audio files, without their transcripts", at(list),
                    "put wav.scp and text in a folder, or list key, wav and txt as lines of JSON");
}

/// Finds out what each argument is, and adds what it stands for.
class Finder {
 public:
  explicit Finder(const FindOptions& options) : options_(options), set_(options) {}

  void add(const std::string& argument) {
    const SourceSpec spec = parse_source(argument);
    std::error_code failure;
    const bool expand = is_pattern(spec.path) && !fs::exists(spec.path, failure);
    set_.begin_source(spec, expand ? folder_place(normal_path(fixed_part(spec.path))) : place_of(spec));
    for (const std::string& path : expand ? matches_of(spec) : std::vector{spec.path}) {
      if (spec.is_dataset && !is_dataset(path)) throw Error("holds no finished dataset", at(path));
      spec.corpus ? add_corpus(*spec.corpus, path) : add_path(path);
    }
  }

  SourceSet take() { return set_.take(); }

 private:
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
    if (const auto splits = manifest::split_names(folder); !splits.empty()) {
      std::string places;
      for (const std::string& split : splits) places += fmt::format(" {}/{}", folder, split);
      throw UsageError("holds the datasets of a split, which are not mixed unasked", at(folder),
                       "name one of them, or each as a source of its own:" + places);
    }
    if (is_dataset(folder)) {
      check_readable(folder);
      if (options_.corpora) return set_.add_dataset(folder);
    }
    if (options_.corpora) check_one_corpus(folder);
    const FolderContents contents = look_into(folder);
    set_.add_searched_folder(folder);
    if (contents.corpus && contents.shards.empty()) return add_corpus(*contents.corpus, folder);
    if (contents.shards.empty()) {
      throw Error("holds neither shards nor audio", at(folder),
                  "shards are looked for by names like x.tar, x.tar.bz2, x.tgz");
    }
    for (const std::string& shard : contents.shards) add_file(shard, {});
    if (contents.corpus && options_.corpora) {
      set_.add_warning(
          Error("holds shards, and audio or lists of audio: only the shards are read", at(folder),
                fmt::format("{}:{} reads the others", name(*contents.corpus), printable(folder))));
    }
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
    set_.add_file(std::move(file));
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
    set_.add_corpus(path, read_corpus(kind, path,
                                      {.allow_commands = options_.allow_commands,
                                       .tree = options_.tree,
                                       .warns_of_missing_texts = options_.has_other_text == nullptr}));
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
    auto [file, problem] = look_up(path, named_at);
    if (problem) return set_.add_unusable(*problem);
    if (const auto kind = corpus_in(path)) return add_archive(*kind, path, std::move(file));
    if (is_container(path)) {
      throw Error("is no tar, and its files are no corpus that shardmill knows", at(path),
                  "docs/corpora.md lists those that it knows; librispeech:FILE names one");
    }
    set_.add_file(std::move(file));
  }

  const FindOptions& options_;
  SourceSetBuilder set_;
  std::size_t plain_shards_ = 0;  // that were looked into
  bool has_archives_ = false;     // that hold corpora
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
