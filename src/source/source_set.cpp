#include "source/source_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/io/folder.hpp"
#include "base/io/line_reader.hpp"
#include "base/io/volumes.hpp"
#include "base/remote/object.hpp"
#include "base/remote/url.hpp"
#include "base/text/units.hpp"
#include "manifest/run_record.hpp"
#include "source/archive_entries.hpp"
#include "source/corpora.hpp"
#include "source/detection.hpp"
#include "source/file_name.hpp"
#include "source/folders/downloads.hpp"
#include "source/folders/file_search.hpp"
#include "source/set/finished_dataset.hpp"
#include "source/set/given_files.hpp"
#include "source/set/labelled_sources.hpp"
#include "source/set/source_set_builder.hpp"
#include "source/source_file.hpp"
#include "source/source_spec.hpp"
#include "source/tables/table_records.hpp"

namespace shardmill::source {

namespace {

namespace fs = std::filesystem;

UsageError lists_audio(const std::string& list) {
  return UsageError("lists audio files, without their transcripts", at(list),
                    "put wav.scp and text in a folder, or list key, wav and txt as lines of JSON");
}

/// Finds out what each argument is, and adds its files.
class Finder {
 public:
  explicit Finder(const FindOptions& options)
      : tree_(options.tree), options_(options), set_(options_), files_(options_, set_) {}

  /// Of objects that are named one by one. What is wrong with an argument is found when its turn comes.
  void look_ahead(const std::vector<std::string>& arguments) const {
    std::vector<std::string> paths;
    for (const std::string& argument : arguments) {
      if (argument.find("://") == argument.npos) continue;
      try {
        const SourceSpec spec = parse_source(argument);
        if (!is_expanded(spec) && !spec.path.ends_with('/')) paths.push_back(spec.path);
      } catch (const Error&) {
        continue;
      }
    }
    look_at(std::move(paths));
  }

  /// Of datasets for which there are label files, the sources are audio and nothing else.
  void find_labelled(const std::vector<std::string>& arguments) {
    if (options_.labels.empty()) return;
    std::vector<AudioPlace> places;
    for (const std::string& argument : arguments) {
      const SourceSpec spec = parse_source(argument);
      const std::string dataset = name_of(spec);
      for (std::string& path : is_expanded(spec) ? matches_of(spec) : std::vector{spec.path})
        places.push_back({.dataset = dataset, .path = std::move(path)});
    }
    labelled_.emplace(options_.labels, places, options_.tree);
  }

  /// Archives without audio hold the texts of others that are given with the same name.
  void find_texts_of_others(const std::vector<std::string>& arguments) {
    if (!options_.corpora || arguments.size() < 2) return;
    std::vector<GivenArchive> archives;
    for (const std::string& argument : arguments) {
      SourceSpec spec;
      try {
        spec = parse_source(argument);
        if (!base::exists(spec.path) || kind_of(spec.path) != PathKind::shard) continue;
      } catch (const Error&) {
        continue;  // add() says it
      }
      const bool is_archive = !spec.is_dataset && !spec.is_parquet && !is_expanded(spec) &&
                              (spec.corpus == nullptr || spec.corpus->is_tree()) &&
                              files_.is_needed(spec.path);
      if (is_archive) archives.push_back({name_of(spec), spec.path, spec.corpus});
    }
    text_archives_ = find_text_archives(archives);
  }

  void add(const std::string& argument) {
    const SourceSpec spec = parse_source(argument);
    const bool expand = is_expanded(spec);
    set_.begin_source(spec, place_of_source(spec));
    options_.tree.text_field = tree_.text_field_of(set_.dataset_name());
    if (labelled_ && labelled_->has(set_.dataset_name())) return add_labelled(spec);
    if (const auto found = text_archives_.find(set_.dataset_name()); found != text_archives_.end()) {
      const auto& [corpus, texts] = found->second;
      files_.add_texts(*corpus, texts);
      if (std::find(texts.begin(), texts.end(), spec.path) != texts.end()) return;
    }
    const std::vector<std::string> paths = expand ? matches_of(spec) : std::vector{spec.path};
    look_at(paths);
    std::vector<std::string> archives;  // that the pattern matches, one after the other
    for (const std::string& path : paths) {
      if (spec.is_dataset && !is_dataset(path)) throw Error("holds no finished dataset", at(path));
      if (spec.is_parquet) {
        files_.add_parquet(path);
        continue;
      }
      if (expand && spec.corpus == nullptr && kind_of(path) == PathKind::shard) {
        archives.push_back(path);
        continue;
      }
      files_.add_together(std::exchange(archives, {}), spec.path);
      spec.corpus != nullptr ? add_named_corpus(*spec.corpus, path) : add_path(path);
    }
    files_.add_together(archives, spec.path);
    files_.check_subsets(spec.path);
  }

  void note_failure() { set_.note_failure(); }

  SourceSet take(Faults& faults) {
    for (const std::string& dataset : labelled_datasets_)
      set_.add_promise_of(dataset, labelled_->rest_of(dataset));
    SourceSet set = set_.take(faults);
    if (!options_.md5s.empty() && faults.empty()) check_md5s(set, options_.md5s);
    return set;
  }

  /// What the source is called.
  static std::string name_of(const SourceSpec& spec) {
    return spec.dataset.value_or(place_of_source(spec).name);
  }

 private:
  /// Audio, in folders and in archives of any kind; shards are such archives, too.
  void add_labelled(const SourceSpec& spec) {
    const std::string& dataset = set_.dataset_name();
    if (spec.corpus != nullptr || spec.is_dataset || spec.is_parquet) {
      throw UsageError("has label files, so its sources are folders and archives of audio, without a prefix",
                       at(spec.path), "leave out the prefix");
    }
    const bool is_first = labelled_datasets_.insert(dataset).second;
    for (const std::string& file : is_first ? labelled_->files_of(dataset) : std::vector<std::string>()) {
      auto [description, problem] = look_up(file);
      if (problem) throw Error(*problem);
      set_.add_description(std::move(description));
    }
    if (is_first) {
      const bool has_other_texts = options_.may_have_other_texts && options_.may_have_other_texts(dataset);
      const bool has_named_one = !options_.tree.text_field.empty() && !options_.tree.text_field_is_elsewhere;
      if (options_.missing_text != MissingText::allowed && (!has_other_texts || has_named_one))
        labelled_->check_texts(dataset, options_.tree);
      for (Error& warning : labelled_->warnings_about(dataset)) set_.add_warning(std::move(warning));
      labelled_->report_bad(dataset, [&](const LostAudio& lost) {
        set_.add_bad_segment(lost);
        with_bad_labels_.insert(dataset);
      });
    }
    for (const std::string& path : is_expanded(spec) ? matches_of(spec) : std::vector{spec.path}) {
      if (base::is_folder(path)) {
        CorpusBuilder builder;
        read_tree(labelled_->tree_of(dataset), path, builder);
        CorpusFiles files = builder.take();
        const bool has_none = files.audio.empty() && files.unusable.empty();
        if (has_none && !with_bad_labels_.contains(dataset)) throw Error("holds no audio", at(path));
        set_.add_corpus(path, std::move(files), Unlisted::are_no_samples);
      } else if (is_audio_name(path) && base::exists(path)) {
        throw UsageError("is a single audio file, and label files need its folder", at(path),
                         "give its folder");
      } else if (is_parquet_file(path)) {
        throw UsageError("is a Parquet file: its rows are samples, and label files need audio", at(path),
                         "a table of further fields adds to its rows");
      } else if (kind_of(path) == PathKind::shard) {
        files_.add_audio_archive(path, labelled_->tree_of(dataset));
      } else {
        throw UsageError("is neither a folder nor an archive, and its label files need audio", at(path));
      }
    }
  }

  static bool is_expanded(const SourceSpec& spec) {
    std::error_code failure;
    return is_pattern(spec.path) && !fs::exists(spec.path, failure) && !is_dataset(spec.path);
  }

  static Place place_of_source(const SourceSpec& spec) {
    return is_expanded(spec) ? folder_place(normal_path(fixed_part(spec.path))) : place_of(spec);
  }

  /// Files beside the folders of a corpus are skipped: they describe it.
  static std::vector<std::string> matches_of(const SourceSpec& spec) {
    std::vector<std::string> matches = source::matches_of(spec.path);
    if (!spec.is_dataset && (spec.corpus == nullptr || !spec.corpus->is_folder)) return matches;
    const bool takes_archives = spec.corpus != nullptr && spec.corpus->is_tree();
    std::erase_if(matches, [&](const std::string& match) {
      return !base::is_folder(match) && !(takes_archives && has_archive_name(match));
    });
    if (matches.empty())
      throw Error(fmt::format("the pattern matches no folder{}", takes_archives ? " and no archive" : ""),
                  at(spec.path));
    return matches;
  }

  /// An MD5 that is compared with nothing is an error: the user relies on it.
  static void check_md5s(const SourceSet& set, const std::vector<std::string>& md5s) {
    const std::set<std::string> given(md5s.begin(), md5s.end());
    std::size_t archives = 0;
    for (const SourceDataset& dataset : set.datasets) {
      for (const SourceFile& file : dataset.files) {
        ++archives;
        if (file.tree && !file.tree->md5.empty()) continue;
        throw UsageError("is not an archive of a corpus; only for these an MD5 is compared", at(file.path),
                         "sha256sum, md5sum and their like check other files");
      }
    }
    if (given.size() <= archives) return;
    throw UsageError(
        fmt::format("{} MD5s are given, and there {} {}: some would be compared with nothing", given.size(),
                    archives == 1 ? "is" : "are", base::format_count(archives, "archive")),
        {}, "give one for each archive");
  }

  void add_path(const std::string& path) {
    switch (kind_of(path)) {
      case PathKind::shard:
        return files_.add_file(path, {});
      case PathKind::folder:
        return add_folder(path);
      case PathKind::list:
        if (const Corpus* corpus = corpus_of_list(path)) return add_corpus(*corpus, path);
        check_no_array(path);
        return add_list(path);
    }
  }

  void add_folder(const std::string& given) {
    const bool is_in_bucket = base::is_remote(given);
    const std::string folder = is_in_bucket ? base::without_end_slashes(given) : given;
    if (const auto splits = manifest::split_names(folder); !splits.empty()) {
      std::string places;
      for (const std::string& split : splits) places += fmt::format(" {}/{}", folder, split);
      throw UsageError("holds the datasets of a split, which are mixed only if each is named", at(folder),
                       "name one of them, or each as a source of its own:" + places);
    }
    if (is_dataset(folder)) {
      check_readable(folder);
      if (options_.corpora) return set_.add_dataset(folder);
    }
    if (is_in_bucket) {
      const auto objects = source::matches_of(folder + "/");
      look_at(objects);
      return files_.add_together(objects, folder);
    }
    if (options_.corpora) check_one_corpus(folder);
    const FolderContents contents = look_into(folder);
    set_.add_searched_folder(folder);
    const bool is_empty = contents.shards.empty() && contents.corpus == nullptr;
    if (options_.corpora) add_unfinished(folder, is_empty);
    const bool is_whole = contents.corpus != nullptr && !contents.corpus->takes_any_audio;
    if (is_whole && options_.corpora) add_beside(*contents.corpus, folder, contents.shards);
    if (contents.corpus != nullptr && (contents.shards.empty() || (is_whole && options_.corpora)))
      return add_corpus(*contents.corpus, folder);
    if (contents.shards.empty()) {
      throw Error("holds neither shards nor audio", at(folder),
                  "shards are looked for by names like x.tar, x.tar.bz2, x.tgz");
    }
    files_.add_together(contents.shards, folder);
    if (contents.corpus != nullptr && options_.corpora) {
      set_.add_warning(
          Error("holds shards, and audio or lists of audio: only the shards are read", at(folder),
                fmt::format("{}:{} reads the others", contents.corpus->prefix, printable(folder))));
    }
  }

  /// Downloads that are not done yet: what belongs to the source would be missing. `is_alone`: there is
  /// nothing else.
  void add_unfinished(const std::string& folder, bool is_alone) {
    const std::vector<UnfinishedDownload> unfinished = unfinished_downloads(folder);
    for (const UnfinishedDownload& each : unfinished) {
      const Error error("is a download that is not finished", at(each.path), "wait for it, or remove it");
      if (is_alone || each.is_of_corpus) {
        set_.add_unusable(error);
      } else {
        set_.add_warning(error);
      }
    }
    if (is_alone && !unfinished.empty())
      throw Error("holds only downloads that are not finished", at(folder), "wait for them");
  }

  /// A corpus whose prefix was given: a folder of it may hold what the prefix does not speak of.
  void add_named_corpus(const Corpus& corpus, const std::string& path) {
    if (options_.corpora && corpus.is_tree() && !base::is_remote(path) && base::is_folder(path)) {
      add_unfinished(path, false);
      if (archives_of(corpus, path).empty()) add_beside(corpus, path, archives_beside(corpus, path));
    }
    add_corpus(corpus, path);
  }

  void add_beside(const Corpus& corpus, const std::string& folder, std::vector<std::string> archives) {
    if (corpus.owns_archive != nullptr) std::erase_if(archives, corpus.owns_archive);
    LeftBeside left = check_beside(corpus, folder, archives);
    for (const Error& error : left.unusable) set_.add_unusable(error);
    for (Error& warning : left.warnings) set_.add_warning(std::move(warning));
  }

  void add_corpus(const Corpus& corpus, const std::string& path) {
    if (base::is_remote(path) && !(corpus.is_tree() && kind_of(path) == PathKind::shard)) {
      throw Error(fmt::format("is on a server, and what {}: reads must be on this machine", corpus.prefix),
                  at(path),
                  "download it; shards, archives, lists of shards and finished datasets may stay there");
    }
    if (corpus.is_tree() && base::exists(path) && !base::is_folder(path)) {
      if (kind_of(path) != PathKind::shard) {
        throw UsageError(
            fmt::format("is neither a folder nor an archive, and '{}:' takes one of them", corpus.prefix),
            at(path));
      }
      auto [file, problem] = look_up(path);
      if (problem) throw Error(*problem);
      return files_.add_archive(corpus, path, std::move(file));
    }
    if (const auto archives = archives_of(corpus, path); !archives.empty()) {
      set_.add_searched_folder(path);
      std::vector<std::string> others = archives;
      const auto audible = std::stable_partition(
          others.begin(), others.end(), [](const std::string& archive) { return !holds_audio(archive); });
      const std::vector<std::string> with_audio(audible, others.end());
      others.erase(audible, others.end());
      return files_.add_archives(corpus, with_audio, others);
    }
    if (!options_.corpora) {
      throw UsageError("is a raw corpus, and this command reads only shards", at(path),
                       "shardmill repack makes shards of it");
    }
    set_.add_corpus(
        path, read_corpus(corpus, path, {.allow_commands = options_.allow_commands, .tree = options_.tree}));
  }

  /// The archives in a folder that holds nothing else of the corpus. Lists of a corpus without transcripts
  /// may lie beside them, if its folders are not read together with its archives anyway: it is unpacked only
  /// where its audio is.
  static std::vector<std::string> archives_of(const Corpus& corpus, const std::string& folder) {
    if (!corpus.is_tree() || !base::is_folder(folder)) return {};
    const auto reader = corpus.make({});
    const bool may_have_lists = corpus.is_textless && reader->packed() == TreeCorpus::Packed::no;
    std::vector<std::string> archives;
    for (std::string& file : files_below(folder, [](std::string_view) { return true; })) {
      const bool is_audio = is_audio_name(file) || is_headerless_name(file);
      if (is_audio ||
          (!may_have_lists && reader->role(fs::absolute(file).string()) == TreeCorpus::Role::text))
        return {};
      if (has_archive_name(file)) archives.push_back(std::move(file));
    }
    return archives;
  }

  void add_list(const std::string& list) {
    base::LineReader lines(list);
    if (fs::path(list).filename() == "wav.scp" && base::is_remote(list))
      throw UsageError("is part of a Kaldi data folder, which must be on this machine", at(list),
                       "download it");
    if (fs::path(list).filename() == "wav.scp") {
      throw UsageError(
          "is part of a Kaldi data folder", at(list),
          fmt::format("give the folder: kaldi:{}", fs::path(normal_path(list)).parent_path().string()));
    }
    const auto paths = read_path_list(lines);
    if (paths.empty()) throw Error("lists no paths", at(list));
    if (is_audio_name(paths.front().path)) throw lists_audio(list);
    std::vector<std::string> resolved;
    for (const ListedPath& listed : paths) resolved.push_back(resolve_listed(list, listed.path));
    look_at(resolved);
    for (std::size_t i = 0; i < paths.size(); ++i)
      files_.add_file(resolved[i], fmt::format("{}: line {}", list, paths[i].line));
  }

  /// Asks for all objects on servers at once, which is much faster than one after the other.
  void look_at(std::vector<std::string> paths) const {
    std::erase_if(paths,
                  [&](const std::string& path) { return !base::is_remote(path) || !files_.is_needed(path); });
    base::look_at_remote_objects(paths);
  }

  const TreeOptions tree_;  // as they are for all datasets
  FindOptions options_;     // as they are for the source at hand
  SourceSetBuilder set_;
  GivenFiles files_;
  std::optional<LabelledSources> labelled_;
  std::set<std::string> labelled_datasets_;            // of those that were added
  std::set<std::string> with_bad_labels_;              // of these
  std::map<std::string, TextArchives> text_archives_;  // that were given as sources of their own
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

SourceSet find_sources(const std::vector<std::string>& given, const FindOptions& options) {
  // A shell gives all parts of a download for a pattern.
  std::vector<std::string> arguments = given;
  base::drop_later_volumes(arguments);
  Faults own;
  Faults& faults = options.faults != nullptr ? *options.faults : own;
  Finder finder(options);
  finder.look_ahead(arguments);
  finder.find_labelled(arguments);
  finder.find_texts_of_others(arguments);
  for (const std::string& argument : arguments) {
    if (!faults.attempt([&] { finder.add(argument); })) finder.note_failure();
  }
  SourceSet set = finder.take(faults);
  own.check();
  return set;
}

std::string dataset_name_of(const std::string& argument) {
  return Finder::name_of(parse_source(argument));
}

}  // namespace shardmill::source
