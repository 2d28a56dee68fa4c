// The kinds of raw corpora: told by prefix or by their shape, all read into the same form.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "source/corpus_builder.hpp"
#include "source/split.hpp"
#include "source/tree_corpus.hpp"

namespace shardmill::source {

enum class CorpusKind {
  // Lists of audio, and folders of any audio.
  kaldi,
  wenet,
  nemo,
  audio_folder,
  // Corpora as their publishers pack them: trees, in a folder or in an archive.
  librispeech,
  libritts,
  mls,
  aishell,
  aishell2,
  aishell3,
  aishell4,
  alimeeting,
  aidatatang,
  magicdata,
  primewords,
  stcmds,
  thchs30,
  commonvoice,
  ljspeech,
  vctk,
  kespeech,
  voxpopuli,
  peoples_speech,
  wenetspeech,
  gigaspeech,
  tedlium,
  jsut,
  timit,
  fleurs,
  spgispeech,
  arctic,
  an4,
  zeroth
};

/// "kaldi" for what stands before the colon of a source; nullopt for no such kind.
std::optional<CorpusKind> corpus_kind_by_name(std::string_view name);
std::string_view name(CorpusKind kind);
/// A folder, or else a text file.
bool takes_folder(CorpusKind kind);
/// A tree, which may also be read from an archive.
bool is_tree(CorpusKind kind);
/// All trees.
std::vector<CorpusKind> published_corpora();

/// Of a corpus by its name.
FactTeller fact_teller(std::string_view corpus);

/// What lies in a folder and below.
struct FolderContents {
  std::vector<std::string> shards;
  std::optional<CorpusKind> corpus;  // by its shape
};
FolderContents look_into(const std::string& folder);

/// Told by the first line of a text file; nullopt when it is no raw corpus.
std::optional<CorpusKind> corpus_kind_of_file(const std::string& path);

struct CorpusOptions {
  bool allow_commands = false;  // in wav.scp
  TreeOptions tree{};
  bool warns_of_missing_texts = true;
};

/// Throws UsageError when `path` is no corpus of that kind, and Error, with file, line and column, for what
/// makes all of it unusable; what makes one utterance unusable is among the result.
CorpusFiles read_corpus(CorpusKind kind, const std::string& path, const CorpusOptions& options);

/// The corpus in an archive, told by the names of its first files; nullopt for a shard, and for what is not
/// known. Throws Error when the file cannot be read.
std::optional<CorpusKind> corpus_in_archive(const std::string& path);

/// For SourceFile::tree. Throws UsageError for options that this kind does not have.
std::shared_ptr<const ArchivedTree> archived_tree(CorpusKind kind, const TreeOptions& options);

}  // namespace shardmill::source
