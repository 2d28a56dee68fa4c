#include "source/corpora.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "base/io/folder.hpp"
#include "base/io/line_reader.hpp"
#include "base/text/json_reader.hpp"
#include "source/archive_index.hpp"
#include "source/corpora/aishell.hpp"
#include "source/corpora/audio_folder.hpp"
#include "source/corpora/kaldi.hpp"
#include "source/corpora/nemo_manifest.hpp"
#include "source/corpora/wenet_list.hpp"
#include "source/folders/folder_tree.hpp"
#include "source/folders/known_corpora.hpp"
#include "source/folders/shard_search.hpp"
#include "source/names/audio_name.hpp"
#include "source/split.hpp"
#include "source/tree_text.hpp"
#include "source/trees/published_corpora.hpp"

namespace shardmill::source {

namespace {

namespace fs = std::filesystem;

/// How the publisher keeps what is for training from what is for tests.
enum class Splits {
  none,      // it is all for training, as far as anybody says
  apart,     // in archives of their own, or nobody knows
  together,  // in one archive
  in_tables  // the same, and each of them has a table, without which it would be lost
};

struct Kind {
  CorpusKind kind;
  std::string_view name;  // as a prefix of a source
  bool is_folder = true;
  TreeCorpusPtr (*make_tree)(const TreeOptions& options) = nullptr;  // null: no tree
  Splits splits = Splits::apart;
  FactTeller teller{};
  bool has_text_beside = false;  // of each audio file, as shards have
};

constexpr std::array<Kind, 33> kKinds{{
    {.kind = CorpusKind::kaldi, .name = "kaldi"},
    {.kind = CorpusKind::wenet, .name = "wenet", .is_folder = false},
    {.kind = CorpusKind::nemo, .name = "nemo", .is_folder = false},
    {.kind = CorpusKind::audio_folder, .name = "audio"},
    {.kind = CorpusKind::librispeech,
     .name = "librispeech",
     .make_tree = make_librispeech,
     .teller = {"gender", "SPEAKERS.TXT"}},
    {.kind = CorpusKind::libritts,
     .name = "libritts",
     .make_tree = make_libritts,
     .teller = {"gender", "speakers.tsv"}},
    {.kind = CorpusKind::mls,
     .name = "mls",
     .make_tree = make_mls,
     .splits = Splits::together,
     .teller = {"gender", "metainfo.txt"}},
    {.kind = CorpusKind::aishell,
     .name = "aishell",
     .make_tree = make_aishell,
     .splits = Splits::together,
     .teller = {"gender", "speaker.info"}},
    {.kind = CorpusKind::aishell2, .name = "aishell2", .make_tree = make_aishell2},
    {.kind = CorpusKind::aishell3,
     .name = "aishell3",
     .make_tree = make_aishell3,
     .splits = Splits::together,
     .teller = {"gender", "spk-info.txt"}},
    {.kind = CorpusKind::aishell4, .name = "aishell4", .make_tree = make_aishell4},
    {.kind = CorpusKind::alimeeting, .name = "alimeeting", .make_tree = make_alimeeting},
    {.kind = CorpusKind::aidatatang,
     .name = "aidatatang",
     .make_tree = make_aidatatang,
     .splits = Splits::together,
     .has_text_beside = true},
    {.kind = CorpusKind::magicdata,
     .name = "magicdata",
     .make_tree = make_magicdata,
     .teller = {"gender", "SPKINFO.txt"}},
    {.kind = CorpusKind::primewords,
     .name = "primewords",
     .make_tree = make_primewords,
     .splits = Splits::none},
    {.kind = CorpusKind::stcmds,
     .name = "stcmds",
     .make_tree = make_stcmds,
     .splits = Splits::none,
     .has_text_beside = true},
    {.kind = CorpusKind::thchs30, .name = "thchs30", .make_tree = make_thchs30, .splits = Splits::together},
    {.kind = CorpusKind::commonvoice,
     .name = "commonvoice",
     .make_tree = make_commonvoice,
     .splits = Splits::in_tables},
    {.kind = CorpusKind::ljspeech, .name = "ljspeech", .make_tree = make_ljspeech, .splits = Splits::none},
    {.kind = CorpusKind::vctk,
     .name = "vctk",
     .make_tree = make_vctk,
     .splits = Splits::none,
     .teller = {"gender", "speaker-info.txt"}},
    {.kind = CorpusKind::kespeech,
     .name = "kespeech",
     .make_tree = make_kespeech,
     .splits = Splits::together,
     .teller = {"dialect", "utt2subdialect"}},
    {.kind = CorpusKind::voxpopuli, .name = "voxpopuli", .make_tree = make_voxpopuli},
    {.kind = CorpusKind::peoples_speech, .name = "peoplesspeech", .make_tree = make_peoples_speech},
    {.kind = CorpusKind::wenetspeech, .name = "wenetspeech", .make_tree = make_wenetspeech},
    {.kind = CorpusKind::gigaspeech, .name = "gigaspeech", .make_tree = make_gigaspeech},
    {.kind = CorpusKind::tedlium, .name = "tedlium", .make_tree = make_tedlium, .splits = Splits::together},
    {.kind = CorpusKind::jsut, .name = "jsut", .make_tree = make_jsut, .splits = Splits::none},
    {.kind = CorpusKind::timit,
     .name = "timit",
     .make_tree = make_timit,
     .splits = Splits::together,
     .has_text_beside = true},
    {.kind = CorpusKind::fleurs, .name = "fleurs", .make_tree = make_fleurs},
    {.kind = CorpusKind::spgispeech, .name = "spgispeech", .make_tree = make_spgispeech},
    {.kind = CorpusKind::arctic, .name = "arctic", .make_tree = make_arctic, .splits = Splits::none},
    {.kind = CorpusKind::an4, .name = "an4", .make_tree = make_an4, .splits = Splits::together},
    {.kind = CorpusKind::zeroth,
     .name = "zeroth",
     .make_tree = make_zeroth,
     .splits = Splits::together,
     .teller = {"gender", "AUDIO_INFO"}},
}};

const Kind& entry_of(CorpusKind kind) {
  return *std::find_if(kKinds.begin(), kKinds.end(), [&](const Kind& entry) { return entry.kind == kind; });
}

void read_aishell_tree(const std::string& path, const TreeOptions& options, CorpusBuilder& builder) {
  const std::string root = aishell_root(path).value_or(path);
  ArchivedTree tree = *archived_tree(CorpusKind::aishell, options);
  const std::string speakers = aishell_speakers(root);
  if (!speakers.empty()) {
    builder.description(speakers);
    tree.begin = [begin = tree.begin, speakers] {
      std::shared_ptr<TreeCorpus> corpus = begin();
      corpus->read({.path = speakers, .place = speakers, .content = text_content(speakers)});
      return corpus;
    };
  }
  read_tree(tree, root, builder);
}

void read(CorpusKind kind, const std::string& path, const CorpusOptions& options, CorpusBuilder& builder) {
  switch (kind) {
    case CorpusKind::kaldi:
      return read_kaldi(path, options, builder);
    case CorpusKind::wenet:
      return read_wenet_list(path, builder);
    case CorpusKind::aishell:
      if (!options.tree.subsets.empty() || has_packed_speakers(path))
        return read_aishell_tree(path, options.tree, builder);
      return read_aishell(path, builder);
    case CorpusKind::aishell2:
      if (!options.tree.subsets.empty()) return read_tree(*archived_tree(kind, options.tree), path, builder);
      return read_aishell2(path, builder);
    case CorpusKind::nemo:
      return read_nemo_manifest(path, builder);
    case CorpusKind::audio_folder:
      return read_audio_folder(path, options.tree.text_field, builder);
    default:
      return read_tree(*archived_tree(kind, options.tree), path, builder);
  }
}

/// Names that were seen while a folder was searched.
struct Seen {
  bool audio = false;
  bool chapters = false;  // LibriSpeech's *.trans.txt
  bool parts = false;     // AISHELL-2's trans.txt
  bool packed = false;    // archives
};

std::optional<CorpusKind> shape(const std::string& folder, const Seen& seen) {
  if (base::exists(folder + "/wav.scp")) {
    const bool is_aishell2 = base::exists(folder + "/trans.txt") && !base::exists(folder + "/text");
    return is_aishell2 ? CorpusKind::aishell2 : CorpusKind::kaldi;
  }
  if (seen.audio || seen.packed) {
    if (const auto known = corpus_by_texts(folder)) return known;
  }
  if (seen.chapters) return CorpusKind::librispeech;
  if (seen.parts) return CorpusKind::aishell2;
  if (seen.audio) return CorpusKind::audio_folder;
  return std::nullopt;
}

}  // namespace

std::optional<CorpusKind> corpus_kind_by_name(std::string_view name) {
  for (const Kind& entry : kKinds) {
    if (entry.name == name) return entry.kind;
  }
  return std::nullopt;
}

std::string_view name(CorpusKind kind) {
  return entry_of(kind).name;
}

FactTeller fact_teller(std::string_view corpus) {
  const auto kind = corpus_kind_by_name(corpus);
  return kind ? entry_of(*kind).teller : FactTeller{};
}

std::vector<CorpusKind> published_corpora() {
  std::vector<CorpusKind> kinds;
  for (const Kind& kind : kKinds) {
    if (kind.make_tree != nullptr) kinds.push_back(kind.kind);
  }
  return kinds;
}

bool is_tree(CorpusKind kind) {
  return entry_of(kind).make_tree != nullptr;
}

bool takes_folder(CorpusKind kind) {
  return entry_of(kind).is_folder;
}

FolderContents look_into(const std::string& folder) {
  // Its speakers may still be packed: these shards are part of the corpus.
  if (aishell_root(folder)) return {.shards = {}, .corpus = CorpusKind::aishell};
  FolderContents contents;
  Seen seen;
  contents.shards = files_below(folder, [&](std::string_view name) {
    seen.audio = seen.audio || is_audio_name(name);
    seen.chapters = seen.chapters || name.ends_with(".trans.txt");
    seen.parts = seen.parts || name == "trans.txt";
    seen.packed = seen.packed || has_archive_name(name);
    return has_archive_name(name);
  });
  contents.corpus = shape(folder, seen);
  // Its speakers, or parts of it, may still be packed.
  if (contents.corpus && is_tree(*contents.corpus)) {
    const auto corpus = archived_tree(*contents.corpus, {.text_field_is_elsewhere = true})->begin();
    if (corpus->packed() != TreeCorpus::Packed::no)
      std::erase_if(contents.shards, [&](const std::string& path) { return corpus->is_pack(path); });
  }
  return contents;
}

std::optional<CorpusKind> corpus_kind_of_file(const std::string& path) {
  base::LineReader lines(path);
  std::string_view line;
  while (lines.next(line) && line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (line.starts_with(kMark)) line.remove_prefix(kMark.size());
  try {
    base::JsonParser parser;
    const base::JsonValue value = parser.parse(line);
    if (!value.is_object()) return std::nullopt;
    if (value.find("key") && value.find("wav")) return CorpusKind::wenet;
    if (value.find("audio_filepath")) return CorpusKind::nemo;
  } catch (const Error&) {
    // Not JSON: something else may be able to read it.
  }
  return std::nullopt;
}

namespace {

/// Tells a corpus from a shard by the names in an archive, one after the other. Where a transcript stands
/// beside each audio file, it is a shard, whatever its folders are called, unless the corpus comes so itself.
class NameJudge {
 public:
  /// True when the next names cannot change the answer.
  bool take(const std::string& name) {
    constexpr std::size_t kNamesAfter = 4;
    constexpr std::size_t kAudioEnough = 8;  // of no known corpus
    const std::string_view stem = without_extension(name);
    if (stem == last_stem_ && (is_audio_name(name) || is_audio_name(last_))) {
      const std::string_view other = is_audio_name(name) ? std::string_view(last_) : std::string_view(name);
      has_pairs_ = has_pairs_ || has_extension(other, "txt");
    }
    last_stem_ = stem;
    last_ = name;
    if (is_audio_name(name)) ++audio_;
    if (found_) return ++after_ >= kNamesAfter;
    found_ = corpus_by_name(name);
    return !found_ && audio_ >= kAudioEnough;
  }

  std::optional<CorpusKind> verdict() const {
    if (found_ && has_pairs_ && !entry_of(*found_).has_text_beside) return std::nullopt;
    return found_;
  }

 private:
  std::optional<CorpusKind> found_;
  std::string last_;
  std::string last_stem_;
  bool has_pairs_ = false;
  std::size_t audio_ = 0;
  std::size_t after_ = 0;
};

}  // namespace

std::optional<CorpusKind> corpus_in_archive(const std::string& path) {
  NameJudge judge;
  first_names(path, [&](const std::string& name) { return judge.take(name); });
  return judge.verdict();
}

std::shared_ptr<const ArchivedTree> archived_tree(CorpusKind kind, const TreeOptions& options) {
  const Kind& entry = entry_of(kind);
  TreeOptions own = options;
  // A corpus without splits is taken whole where training data is wanted.
  const bool is_train = entry.splits == Splits::none && has_wanted_subset({"train"}, own.subsets);
  const bool is_all = has_wanted_subset({std::string(kAllSubsets)}, options.subsets);
  if (is_train || is_all) own.subsets.clear();
  if (is_all && !options.subsets.empty() && entry.splits != Splits::in_tables) own.needs_splits = false;
  entry.make_tree(own);  // throws for what it does not know
  return std::make_shared<ArchivedTree>(ArchivedTree{
      .corpus = std::string(entry.name),
      .begin = [make = entry.make_tree, own] { return std::shared_ptr(make(own)); },
      .subsets = own.subsets,
      .holds_all_splits = entry.splits == Splits::together || entry.splits == Splits::in_tables});
}

void check_text_field(const TreeOptions& options, std::initializer_list<std::string_view> known) {
  if (options.text_field_is_elsewhere) return;
  if (options.text_field.empty() || std::find(known.begin(), known.end(), options.text_field) != known.end())
    return;
  std::string list;
  for (const std::string_view each : known) list += fmt::format("{}{}", list.empty() ? "" : ", ", each);
  throw UsageError(fmt::format("this corpus has no text field '{}'", printable(options.text_field)), {},
                   known.size() == 0 ? "it has one text only" : "it has: " + list);
}

namespace {

/// Advice for who named another one.
std::string subsets_in(CorpusKind kind, const std::string& path, CorpusOptions options) {
  options.tree = {.subsets = {std::string(kAllSubsets)}, .text_field_is_elsewhere = true};
  CorpusBuilder builder;
  read(kind, path, options, builder);
  std::set<std::string_view> subsets;
  const CorpusFiles files = builder.take();
  for (const SourceFile& file : files.audio) {
    for (const CorpusUtterance& utterance : file.utterances) {
      for (const std::string_view subset : subset_names(subset_in(utterance.facts))) subsets.insert(subset);
    }
  }
  if (subsets.empty()) return "nothing in it says what is of which subset";
  return fmt::format("it has {}", fmt::join(subsets, ", "));
}

}  // namespace

CorpusFiles read_corpus(CorpusKind kind, const std::string& path, const CorpusOptions& options) {
  const Kind& entry = entry_of(kind);
  std::error_code failure;
  const fs::file_status status = fs::status(path, failure);
  if (!fs::exists(status)) throw Error("cannot find this source: " + failure.message(), at(path));
  if (fs::is_directory(status) != entry.is_folder) {
    throw UsageError(fmt::format("is a {}, but '{}:' takes a {}", entry.is_folder ? "file" : "folder",
                                 entry.name, entry.is_folder ? "folder" : "file"),
                     at(path));
  }
  if (is_tree(kind)) archived_tree(kind, options.tree);  // throws for what it does not know
  CorpusBuilder builder;
  if (!options.warns_of_missing_texts) builder.expect_other_texts();
  if (is_tree(kind)) builder.published(entry.name);
  read(kind, path, options, builder);
  CorpusFiles files = builder.take();
  if (files.audio.empty() && std::none_of(files.unusable.begin(), files.unusable.end(), is_loss)) {
    if (options.tree.subsets.empty()) throw Error("holds no audio", at(path));
    throw Error(fmt::format("holds no audio of the subset {}", printable(options.tree.subsets.front())),
                at(path), subsets_in(kind, path, options));
  }
  return files;
}

}  // namespace shardmill::source
