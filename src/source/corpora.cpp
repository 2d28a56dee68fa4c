#include "source/corpora.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "source/corpora/list.hpp"

namespace shardmill::source {

namespace {

namespace fs = std::filesystem;

#define SHARDMILL_CORPUS_ADDRESS(constant, file) &constant,
constexpr std::array kCorpora{SHARDMILL_CORPORA(SHARDMILL_CORPUS_ADDRESS)};
#undef SHARDMILL_CORPUS_ADDRESS

void read(const Corpus& corpus, const std::string& path, const CorpusOptions& options,
          CorpusBuilder& builder) {
  if (corpus.read != nullptr) return corpus.read(path, options, builder);
  read_tree(*archived_tree(corpus, options.tree), path, builder);
}

void check_text_field(const Corpus& corpus, const TreeOptions& options) {
  if (options.text_field.empty() || options.text_field_is_elsewhere) return;
  std::vector<std::string_view> known;
  for (std::string_view rest = corpus.text_fields; !rest.empty();) {
    known.push_back(rest.substr(0, rest.find('|')));
    rest.remove_prefix(std::min(known.back().size() + 1, rest.size()));
  }
  if (std::find(known.begin(), known.end(), options.text_field) != known.end()) return;
  throw UsageError(
      fmt::format("this corpus has no text field '{}'", printable(options.text_field)), {},
      known.empty() ? "it has one text only" : fmt::format("it has: {}", fmt::join(known, ", ")));
}

/// Advice for a subset that the corpus does not have.
std::string subsets_in(const Corpus& corpus, const std::string& path, CorpusOptions options) {
  options.tree = {.subsets = {std::string(kAllSubsets)}, .text_field_is_elsewhere = true};
  CorpusBuilder builder;
  read(corpus, path, options, builder);
  std::set<std::string_view> subsets;
  const CorpusFiles files = builder.take();
  for (const SourceFile& file : files.audio) {
    for (const CorpusUtterance& utterance : file.utterances) {
      for (const std::string_view subset : subset_names(subset_in(utterance.facts))) subsets.insert(subset);
    }
  }
  if (subsets.empty()) return "nothing in it names the subsets";
  return fmt::format("it has {}", fmt::join(subsets, ", "));
}

}  // namespace

std::span<const Corpus* const> all_corpora() {
  return kCorpora;
}

const Corpus* corpus_with_prefix(std::string_view prefix) {
  if (prefix.empty()) return nullptr;
  const auto found = std::find_if(kCorpora.begin(), kCorpora.end(),
                                  [&](const Corpus* corpus) { return corpus->prefix == prefix; });
  return found == kCorpora.end() ? nullptr : *found;
}

FactTeller fact_teller(std::string_view prefix) {
  const Corpus* corpus = corpus_with_prefix(prefix);
  return corpus != nullptr ? corpus->speakers : FactTeller{};
}

const Corpus* textless_corpus(const SourceFile& file) {
  const std::string_view name = file.tree     ? std::string_view(file.tree->corpus)
                                : file.corpus ? std::string_view(file.corpus->name)
                                              : std::string_view();
  const Corpus* corpus = corpus_with_prefix(name);
  return corpus != nullptr && corpus->is_textless ? corpus : nullptr;
}

std::shared_ptr<const ArchivedTree> archived_tree(const Corpus& corpus, const TreeOptions& options) {
  check_text_field(corpus, options);
  TreeOptions own = options;
  // A corpus without splits is taken whole where training data is wanted.
  const bool is_train = corpus.splits == Splits::none && has_wanted_subset({"train"}, own.subsets);
  const bool is_all = has_wanted_subset({std::string(kAllSubsets)}, options.subsets);
  if (is_train || is_all) own.subsets.clear();
  if (is_all && !options.subsets.empty() && corpus.splits != Splits::in_tables) own.needs_splits = false;
  return std::make_shared<ArchivedTree>(ArchivedTree{
      .corpus = std::string(corpus.prefix),
      .begin = [make = corpus.make, own] { return std::shared_ptr(make(own)); },
      .subsets = own.subsets,
      .holds_all_splits = corpus.splits == Splits::together || corpus.splits == Splits::in_tables});
}

CorpusFiles read_corpus(const Corpus& corpus, const std::string& path, const CorpusOptions& options) {
  std::error_code failure;
  const fs::file_status status = fs::status(path, failure);
  if (!fs::exists(status)) throw Error("cannot find this source: " + failure.message(), at(path));
  if (fs::is_directory(status) != corpus.is_folder && !corpus.may_be_file) {
    throw UsageError(fmt::format("is a {}, but '{}:' takes a {}", corpus.is_folder ? "file" : "folder",
                                 corpus.prefix, corpus.is_folder ? "folder" : "file"),
                     at(path));
  }
  if (corpus.is_tree()) check_text_field(corpus, options.tree);
  CorpusBuilder builder;
  if (corpus.is_tree())
    builder.published(corpus.prefix);
  else
    builder.choose(options.tree.subsets);
  read(corpus, path, options, builder);
  CorpusFiles files = builder.take();
  if (files.audio.empty() && files.faults.empty() &&
      std::none_of(files.unusable.begin(), files.unusable.end(), is_loss)) {
    if (options.tree.subsets.empty()) throw Error("holds no audio", at(path));
    throw Error(fmt::format("holds no audio of the subset {}", printable(options.tree.subsets.front())),
                at(path),
                fmt::format("{}; one list names the subsets of all sources, such as {},SUBSET",
                            subsets_in(corpus, path, options), printable(options.tree.subsets.front())));
  }
  return files;
}

}  // namespace shardmill::source
