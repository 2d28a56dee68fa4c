#include "source/set/source_set_builder.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <span>

#include "base/io/folder.hpp"
#include "base/remote/url.hpp"
#include "base/system/command.hpp"
#include "manifest/layout.hpp"
#include "shard/sample_text.hpp"
#include "source/corpora.hpp"
#include "source/file_name.hpp"
#include "source/folders/file_search.hpp"

namespace shardmill::source {

namespace {

namespace fs = std::filesystem;

template <typename Value>
void append(std::vector<Value>&& more, std::vector<Value>& all) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

std::string more_of(Unusable::What what, std::uint64_t others) {
  const auto words = [&](std::string_view one, std::string_view several) {
    return fmt::format(", and {} more {}", others, others == 1 ? one : several);
  };
  switch (what) {
    case Unusable::What::audio:
      return words("utterance has no audio", "utterances have no audio");
    case Unusable::What::segment:
      return words("segment cannot be cut", "segments cannot be cut");
    case Unusable::What::recording:
      return words("recording cannot be cut", "recordings cannot be cut");
    case Unusable::What::unlisted:
      return words("audio file is in no table", "audio files are in no table");
    case Unusable::What::text:
      return words("text is damaged", "texts are damaged");
    default:
      return words("file cannot be read", "files cannot be read");
  }
}

/// Of one kind: the first, and how many others there are.
Error error_for(const std::vector<const Unusable*>& alike) {
  const Unusable& first = *alike.front();
  const auto lost_with = [](const Unusable& one) {
    return one.what == Unusable::What::file ? 1 : one.samples.value_or(1);
  };
  std::uint64_t others = 0;
  for (const Unusable* one : std::span(alike).subspan(1)) others += lost_with(*one);
  std::string problem = first.error.problem();
  if (others != 0) {
    problem += more_of(first.what, others);
    const std::string& next = alike[1]->key;
    if (!next.empty()) problem += fmt::format("{} '{}'", others == 1 ? ":" : ", such as", printable(next));
  }
  const bool has_advice = first.what == Unusable::What::text || base::is_remote(first.error.where().path);
  const std::string advice = has_advice ? first.error.advice() : "";
  return Error(problem, first.error.where(), advice, Remedy::skip_bad_samples);
}

Place list_place(const std::string& list) {
  return {list, dataset_name_from(fs::path(list).stem().string())};
}

}  // namespace

Place folder_place(const std::string& folder) {
  // The working folder is not part of the command: the same command in another folder makes the same dataset.
  const bool is_working_folder = folder == normal_path(".");
  return {folder, is_working_folder ? "data" : dataset_name_from(fs::path(folder).filename().string())};
}

Place place_of(const SourceSpec& spec) {
  const std::string whole = normal_path(spec.path);
  if (spec.corpus != nullptr && base::is_folder(whole)) return folder_place(whole);
  if (spec.corpus != nullptr && !spec.corpus->is_tree()) return list_place(whole);
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

std::string kind_of_problem(std::string_view problem) {
  constexpr std::string_view kEnd = ": ";
  if (problem.starts_with("line ") && problem.find(kEnd) != std::string_view::npos)
    problem.remove_prefix(problem.find(kEnd) + kEnd.size());
  std::string kind;
  bool is_name = false;
  for (const char c : problem.substr(0, problem.find(kEnd))) {
    if (c == '\'') is_name = !is_name;
    if (!is_name && (c < '0' || c > '9')) kind += c;
  }
  return kind;
}

std::vector<Error> unusable_by_kind(const std::vector<Unusable>& unusable, const std::string& dataset,
                                    const std::function<bool(std::string_view key)>& wanted) {
  constexpr std::size_t kMostKinds = 8;
  std::vector<std::vector<const Unusable*>> kinds;
  std::map<std::pair<Unusable::What, std::string>, std::size_t> numbers;
  for (const Unusable& one : unusable) {
    if (!is_loss(one) || one.dataset != dataset) continue;
    if (one.what != Unusable::What::file && wanted && !wanted(one.key)) continue;
    std::pair kind(one.what, kind_of_problem(one.error.problem()));
    if (!numbers.contains(kind) && kinds.size() >= kMostKinds) kind.second.clear();
    const auto [number, is_new] = numbers.try_emplace(std::move(kind), kinds.size());
    if (is_new) kinds.emplace_back();
    kinds[number->second].push_back(&one);
  }
  std::vector<Error> errors;
  for (const auto& alike : kinds) errors.push_back(error_for(alike));
  return errors;
}

void SourceSetBuilder::begin_source(const SourceSpec& spec, const Place& place) {
  was_named_ = spec.dataset.has_value();
  const std::string name = spec.dataset.value_or(place.name);
  set_.given.push_back({.dataset = name, .path = spec.path});
  if (!spec.dataset && spec.corpus == nullptr && options_.corpora && is_dataset(spec.path)) {
    // Its samples keep the names of their datasets, so that its own name may be used again.
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
  if (found == set_.datasets.end()) set_.datasets.push_back({.name = name, .files = {}, .descriptions = {}});
}

/// Throws Error for a folder of shards in a dataset whose files have not all got their names yet: the
/// others would be missing without a word.
void SourceSetBuilder::check_published(const std::string& folder) {
  if (base::is_remote(folder) || !folders_of_files_.insert(folder).second) return;
  const fs::path dataset = fs::path(base::canonical(folder.empty() ? "." : folder)).parent_path();
  const fs::path work = dataset / manifest::kWorkFolder;
  if (base::may_exist((dataset / manifest::kDataset).string()) ||
      !base::may_exist((work / manifest::kPublishList).string()))
    return;
  throw Error("is a folder of a dataset that is not finished: some of its shards do not have their names yet",
              at(folder),
              fmt::format("'shardmill repair {}' completes it", base::shell_quoted(dataset.string())));
}

void SourceSetBuilder::add_file(SourceFile&& file) {
  check_published(fs::path(file.path).parent_path().string());
  const auto [known, is_new] = seen_[dataset_].try_emplace(identity_of(file.path), file.path);
  if (!is_new) {
    throw Error(fmt::format("comes twice in dataset '{}', the other time as {}", dataset().name,
                            printable(known->second)),
                at(file.path));
  }
  file.given = given_number();
  ++set_.given.back().files;
  set_.given.back().bytes += file.bytes;
  dataset().files.push_back(std::move(file));
}

void SourceSetBuilder::add_corpus(const std::string& path, CorpusFiles&& corpus, Unlisted unlisted) {
  corpora_[dataset_].push_back(texts_of(dataset().name, path, corpus, unlisted));
  set_.given.back().files += corpus.audio.size();
  for (SourceFile& file : corpus.audio) {
    file.given = given_number();
    set_.given.back().bytes += file.bytes;
    dataset().files.push_back(std::move(file));
  }
  append(std::move(corpus.descriptions), dataset().descriptions);
  append(std::move(corpus.folders), set_.folders);
  add_all_unusable(std::move(corpus.unusable));
  add_promise(std::move(corpus.promised));
  append(std::move(corpus.warnings), set_.warnings);
  append(std::move(corpus.faults), faults_[dataset_]);
}

void SourceSetBuilder::add_dataset(const std::string& folder) {
  if (!seen_folders_.insert(identity_of(folder)).second)
    throw Error("comes twice among the sources", at(folder));
  // What a later run writes into it would be read as part of it.
  add_searched_folder(folder);
  const base::ListedFolder listed(folder);
  FoundDataset found = find_dataset(folder, was_named_ ? set_.given.back().dataset : "");
  if (!was_named_) begin_parts(std::move(found.parts));
  for (SourceFile& file : found.shards) add_file(std::move(file));
  append(std::move(found.descriptions), dataset().descriptions);
  add_all_unusable(std::move(found.unusable));
}

void SourceSetBuilder::add_unusable(const Error& error) {
  set_.unusable.push_back({.error = error, .dataset = dataset().name});
}

void SourceSetBuilder::add_bad_segment(const LostAudio& lost) {
  set_.unusable.push_back({.what = Unusable::What::segment,
                           .key = std::string(lost.key),
                           .error = lost.error,
                           .dataset = dataset().name});
}

void SourceSetBuilder::add_all_unusable(std::vector<Unusable>&& unusable) {
  for (Unusable& one : unusable) one.dataset = dataset().name;
  append(std::move(unusable), set_.unusable);
}

void SourceSetBuilder::add_promise(std::function<void(const LoseUtterance&)> rest) {
  if (rest) set_.promises.push_back({.dataset = dataset().name, .rest = std::move(rest)});
}

void SourceSetBuilder::add_promise_of(const std::string& name,
                                      const std::function<void(const LoseUtterance&)>& rest) {
  const auto dataset = std::find_if(set_.datasets.begin(), set_.datasets.end(),
                                    [&](const SourceDataset& each) { return each.name == name; });
  const auto is_archive = [](const SourceFile& file) { return file.tree != nullptr; };
  if (std::any_of(dataset->files.begin(), dataset->files.end(), is_archive))
    return set_.promises.push_back({.dataset = name, .rest = rest});
  rest([&](const LostAudio& lost) {
    set_.unusable.push_back({.what = Unusable::What::audio,
                             .key = std::string(lost.key),
                             .error = lost.error,
                             .dataset = name,
                             .samples = lost.samples});
  });
}

namespace {

/// Whether tables or lists name all files of a dataset. What is missing then is missing for no other reason.
bool is_of_lists(const SourceSet& set, const std::string& dataset) {
  return std::ranges::none_of(set.given, [&](const GivenSource& given) {
    return given.dataset == dataset && (base::is_folder(given.path) || has_archive_name(given.path));
  });
}

}  // namespace

SourceSet SourceSetBuilder::take(Faults& faults) {
  for (std::size_t number = 0; number < set_.datasets.size(); ++number) {
    if (failed_.contains(number)) continue;
    const SourceDataset& dataset = set_.datasets[number];
    faults.attempt([&] {
      // First: where transcripts are not found, the reason tells more than a file without its partner.
      const bool has_texts = faults.attempt([&] { check_corpora(number); });
      std::vector<Error> kinds;
      const bool is_listed_on =
          options_.is_trial && (is_of_lists(set_, dataset.name) || has_any_text(number));
      if (!has_texts && faults_[number].empty() && !is_listed_on) return;
      if (options_.on_unusable == OnUnusable::stop)
        kinds = unusable_by_kind(set_.unusable, dataset.name, options_.wanted);
      append(std::move(faults_[number]), kinds);
      for (const Error& error : kinds) faults.attempt([&] { throw error; });
      if (kinds.empty()) check_not_empty(dataset);
    });
  }
  return std::move(set_);
}

SourceSetBuilder::Identity SourceSetBuilder::identity_of(const std::string& path) {
  const auto identity = base::identity_of(path);
  if (!identity) throw system_error("cannot examine", path);
  return {identity->device, identity->inode};
}

/// A finished dataset is read by itself: its shards mix several datasets.
void SourceSetBuilder::begin_parts(std::vector<std::string>&& parts) {
  const std::string name = set_.given.back().dataset;
  // What was begun for a source of one name is not needed, unless another source has it already.
  if (!dataset().files.empty() || !dataset().parts.empty()) {
    dataset_ = set_.datasets.size();
    set_.datasets.push_back({.name = name, .files = {}, .descriptions = {}});
  }
  dataset().parts = std::move(parts);
}

CorpusTexts SourceSetBuilder::texts_of(const std::string& dataset_name, const std::string& path,
                                       const CorpusFiles& corpus, Unlisted unlisted) const {
  CorpusTexts found{.path = path, .texts = {}};
  for (const SourceFile& file : corpus.audio) {
    if (textless_corpus(file) != nullptr) continue;
    if (file.late) {
      const bool has_other_texts = has_other_texts_for(dataset_name);
      found.texts.add({.samples = file.late->samples,
                       .with_text = has_other_texts ? file.late->samples : file.late->with_text});
    }
    for (const CorpusUtterance& utterance : file.utterances) {
      if (!is_wanted(utterance.key)) continue;
      const bool has_text = (utterance.has_text && !shard::clean_transcript(utterance.text).empty()) ||
                            (options_.has_other_text && options_.has_other_text(dataset_name, utterance.key));
      found.texts.add(has_text);
      if (has_text || found.textless++ != 0) continue;
      found.first_textless = utterance.key;
      found.path_of_first = file.path;
    }
  }
  for (const Unusable& unusable : corpus.unusable) {
    const bool has_audio = unusable.what == Unusable::What::recording ||
                           (unusable.what == Unusable::What::unlisted && unlisted == Unlisted::lack_texts) ||
                           unusable.what == Unusable::What::text;
    if (has_audio && is_wanted(unusable.key)) found.texts.add(false);
  }
  // Otherwise the first of them is an error of its own. A dry run also tells what the next run would say.
  if (options_.on_unusable == OnUnusable::stop && !options_.is_trial) return found;
  // An archive may hold some of them, which is known later. Textless corpora list audio without transcripts.
  const auto has_no_rest = [](const SourceFile& file) {
    return file.tree != nullptr || textless_corpus(file) != nullptr;
  };
  if (std::any_of(corpus.audio.begin(), corpus.audio.end(), has_no_rest)) return found;
  for (const Unusable& unusable : corpus.unusable) {
    if (unusable.what == Unusable::What::audio && is_wanted(unusable.key))
      found.without_audio += unusable.samples.value_or(1);
  }
  return found;
}

/// What shards hold is not known yet: with them, a dataset is judged when they are read.
void SourceSetBuilder::check_corpora(std::size_t dataset) {
  const auto corpora = corpora_.find(dataset);
  if (corpora == corpora_.end()) return;
  const bool is_judged = !seen_.contains(dataset);
  TextCount texts;
  for (const CorpusTexts& corpus : corpora->second) texts.add(corpus.texts);
  const bool is_told = !has_other_texts_for(set_.datasets[dataset].name) || options_.is_trial;
  const bool is_error = is_judged && is_refused(texts, options_.missing_text);
  if (is_told && !is_error) warn_of_missing_texts(corpora->second);
  if (is_judged)
    check_texts(set_.datasets[dataset].name, corpora->second, options_.missing_text,
                options_.textless_tables);
}

bool SourceSetBuilder::has_any_text(std::size_t dataset) const {
  const auto corpora = corpora_.find(dataset);
  return corpora != corpora_.end() && std::ranges::any_of(corpora->second, [](const CorpusTexts& corpus) {
           return corpus.texts.with_text != 0;
         });
}

/// Not to be called where tables have texts and a run follows: that warns when it has read all.
void SourceSetBuilder::warn_of_missing_texts(const std::vector<CorpusTexts>& corpora) {
  std::uint64_t samples = 0;
  for (const CorpusTexts& corpus : corpora) samples += corpus.textless;
  const auto first = std::find_if(corpora.begin(), corpora.end(),
                                  [](const CorpusTexts& corpus) { return corpus.textless != 0; });
  if (first == corpora.end()) return;
  add_warning(textless_warning(first->first_textless, samples - 1, first->path_of_first));
}

void SourceSetBuilder::check_not_empty(const SourceDataset& dataset) const {
  if (!dataset.files.empty()) return;
  const auto of_dataset = [&](const Unusable& unusable) {
    return unusable.dataset == dataset.name && is_loss(unusable);
  };
  const auto first = std::find_if(set_.unusable.begin(), set_.unusable.end(), of_dataset);
  const std::string empty = fmt::format("dataset '{}' has no usable file", dataset.name);
  if (first == set_.unusable.end()) throw Error(empty);
  throw Error(fmt::format("{}: {}", first->error.problem(), empty), first->error.where(),
              first->error.advice());
}

}  // namespace shardmill::source
