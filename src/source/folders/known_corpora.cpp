#include "source/folders/known_corpora.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/io/folder.hpp"
#include "base/text/units.hpp"
#include "source/folders/folder_tree.hpp"
#include "source/names/audio_name.hpp"

namespace shardmill::source {

namespace {

namespace fs = std::filesystem;

/// Patterns are those of the shell, for whole paths, several with | between them.
struct KnownCorpus {
  std::string_view name;
  std::string_view texts;   // files with the transcripts
  std::string_view place;   // some file must match it before such texts tell the corpus; empty: any
  std::string_view audio;   // files that no other corpus has, which tell it without its texts; empty: none
  std::string_view needed;  // what to call the texts
  /// Files of an archive, each of which tells the corpus; names have a slash in front.
  std::string_view archived{};
  std::optional<CorpusKind> kind{};  // how it is read

  bool is_read() const { return kind.has_value(); }
};

// As their publishers describe them. The first that fits is it.
constexpr std::array<KnownCorpus, 30> kKnown{{
    {"Common Voice", "*/validated.tsv|*/train.tsv|*/dev.tsv|*/test.tsv|*/other.tsv|*/invalidated.tsv",
     "*/clips/*|*/audio/*/*_[0-9]*.tar|*/audio/*/*_[0-9]*.t*gz|*/common_voice_*_[0-9]*.mp3",
     "*/common_voice_*", "validated.tsv",
     "*/clips/common_voice_*|*/cv-corpus-*/*.tsv|*_train_[0-9]*/common_voice_*|*_dev_[0-9]*/common_voice_*|"
     "*_test_[0-9]*/common_voice_*|*_other_[0-9]*/common_voice_*|*_invalidated_[0-9]*/common_voice_*",
     CorpusKind::commonvoice},
    {"LJSpeech", "*/metadata.csv", "*/wavs/*", "*/LJ[0-9][0-9][0-9]-[0-9][0-9][0-9][0-9].*", "metadata.csv",
     "*/wavs/LJ0*", CorpusKind::ljspeech},
    {"Primewords", "*/set[0-9]_transcript.json", "", "", "set1_transcript.json",
     "*/set[0-9]_transcript.json|*/primewords_*.wav", CorpusKind::primewords},
    {"Switchboard", "*/sw*-trans.text", "", "*/sw[0-9][0-9][0-9][0-9]*.sph", "its transcriptions"},
    {"TED-LIUM", "*.stm", "", "*/sph/*.sph", "stm/*.stm", "*/sph/*.sph|*.stm|*/TEDLIUM_release*",
     CorpusKind::tedlium},
    {"THCHS-30", "*.wav.trn", "", "*/[A-D][0-9]_[0-9]*.wav|*/[A-D][0-9][0-9]_[0-9]*.wav", "*.wav.trn",
     "*/data_thchs30/*|*.wav.trn", CorpusKind::thchs30},
    {"WenetSpeech", "*/WenetSpeech.json", "", "*/[XY]00000*_*.opus", "WenetSpeech.json",
     "*/WenetSpeech.json|*/audio/*/[XY]0000*_*.opus", CorpusKind::wenetspeech},
    {"GigaSpeech", "*/GigaSpeech.json|*_chunks_[0-9]*_metadata.csv", "",
     "*/POD00000*.opus|*/YOU00000*.opus|*/AUD00000*.opus", "GigaSpeech.json",
     "*/GigaSpeech.json|*/audio/*/POD0000*.opus|*/audio/*/YOU0000*.opus|*/audio/*/AUD0000*.opus|"
     "*_chunks_[0-9]*/POD*_S[0-9]*.wav|*_chunks_[0-9]*/YOU*_S[0-9]*.wav|*_chunks_[0-9]*/AUD*_S[0-9]*.wav",
     CorpusKind::gigaspeech},
    {"VCTK", "*/txt/*.txt|*/txt", "*/wav48*/*", "*/wav48*/p[0-9]*", "txt/", "*/wav48*/[ps][0-9]*/*",
     CorpusKind::vctk},
    {"AISHELL-3", "*/content.txt", "", "*/SSB[0-9][0-9][0-9][0-9]*.wav", "content.txt",
     "*/content.txt|*/wav/SSB[0-9][0-9][0-9][0-9]/SSB*.wav", CorpusKind::aishell3},
    {"AliMeeting", "*.TextGrid", "*/*audio_dir/*", "*/*audio_dir/*", "textgrid_dir/*.TextGrid",
     "*/audio_dir/*|*/textgrid_dir/*", CorpusKind::alimeeting},
    {"AISHELL-4", "*.TextGrid", "*/*_[SML]_R[0-9]*", "*/*_[SML]_R[0-9]*S[0-9]*", "TextGrid/*.TextGrid",
     "*/TextGrid/*.TextGrid|*/wav/*_[SML]_R[0-9]*S[0-9]*", CorpusKind::aishell4},
    {"MagicData", "*/TRANS.txt", "", "*/[0-9]*_[0-9]*_201[0-9][0-9][0-9][0-9][0-9][0-9]*.wav", "TRANS.txt",
     "*/TRANS.txt|*/[0-9]*_[0-9]*/[0-9]*_[0-9]*_201[0-9]*.wav", CorpusKind::magicdata},
    {"VoxPopuli", "*/asr_*.tsv|*/asr_*.tsv.gz", "", "*/[0-9]*-PLENARY-*", "transcribed_data/*/asr_*.tsv",
     "*/asr_*.tsv|*/[0-9]*/[0-9]*-PLENARY-*", CorpusKind::voxpopuli},
    {"People's Speech",
     "*/clean.json|*/clean_sa.json|*/dirty.json|*/dirty_sa.json|*/validation/validation.json|"
     "*/test/test.json",
     "*.flac|*.tar|*.tar.gz|*.tgz", "", "train/clean.json",
     "*/train/clean*.json|*/train/dirty*.json|*/train/clean*/*.flac|*/train/dirty*/*.flac",
     CorpusKind::peoples_speech},
    {"KeSpeech", "*/Tasks/ASR/*|*/Tasks", "*/Audio/*", "*/Audio/*/[0-9][0-9][0-9][0-9][0-9][0-9][0-9]_*.wav",
     "Tasks/ASR/", "*/KeSpeech/*|*/Tasks/ASR/*|*/Audio/[0-9]*/phase*", CorpusKind::kespeech},
    {"aidatatang_200zh",
     "*/aidatatang_200_zh_transcript.txt|*/dev/*/T0055G[0-9]*S[0-9]*.txt|*/test/*/T0055G[0-9]*S[0-9]*.txt",
     "", "*/T0055G[0-9]*S[0-9]*|*/corpus/*/G[0-9][0-9][0-9][0-9].tar.gz",
     "transcript/aidatatang_200_zh_transcript.txt", "*/aidatatang_200_zh_transcript.txt|*/corpus/*/G[0-9]*",
     CorpusKind::aidatatang},
    {"AISHELL-1", "*/aishell_transcript*", "", "*/BAC009S[0-9]*|*/wav/S[0-9][0-9][0-9][0-9].tar.gz",
     "transcript/aishell_transcript_v0.8.txt",
     "*/aishell_transcript*|*/wav/S[0-9][0-9][0-9][0-9].tar.gz|*/wav/*/S[0-9][0-9][0-9][0-9]/BAC009S*",
     CorpusKind::aishell},
    {"AISHELL-2", "*/trans.txt", "*/[A-Z][A-Z][0-9][0-9][0-9][0-9]W[0-9]*.wav",
     "*/[A-Z][A-Z][0-9][0-9][0-9][0-9]W[0-9]*.wav", "trans.txt",
     "*/wav/*/[A-Z][A-Z][0-9][0-9][0-9][0-9]W[0-9]*.wav|*/trans.txt", CorpusKind::aishell2},
    {"LibriTTS", "*.normalized.txt", "", "*/[0-9]*_[0-9]*_[0-9]*_[0-9][0-9][0-9][0-9][0-9][0-9].wav",
     "a .normalized.txt beside each .wav",
     "*/[0-9]*/[0-9]*/[0-9]*_[0-9]*_[0-9]*_[0-9][0-9][0-9][0-9][0-9][0-9].*", CorpusKind::libritts},
    {"TIMIT", "*/[Dd][Rr][1-8]/*/*.[Tt][Xx][Tt]", "*/[Dd][Rr][1-8]/*/*.[Ww][Aa][Vv]",
     "*/[Dd][Rr][1-8]/*/[Ss][AaIiXx][0-9]*.[Ww][Aa][Vv]", "a .TXT beside each .WAV",
     "*/[Dd][Rr][1-8]/*/[Ss][AaIiXx][0-9]*.[Ww][Aa][Vv]", CorpusKind::timit},
    {"FLEURS", "*/train.tsv|*/dev.tsv|*/test.tsv",
     "*/audio/train.tar.gz|*/audio/dev.tar.gz|*/audio/test.tar.gz|*/audio/train/*.wav|*/audio/dev/*.wav|"
     "*/audio/test/*.wav|"
     "*/[a-z][a-z]_[a-z][a-z]/*.t*gz|*/[a-z][a-z]_[a-z][a-z]/*.tar|"
     "*/[a-z][a-z][a-z]_[a-z][a-z]/*.t*gz|*/[a-z][a-z][a-z]_[a-z][a-z]/*.tar|"
     "*/[a-z][a-z][a-z]_[a-z]*_[a-z][a-z]/*.t*gz|*/[a-z][a-z][a-z]_[a-z]*_[a-z][a-z]/*.tar",
     "", "train.tsv",
     "*/audio/train.tar.gz|*/audio/dev.tar.gz|*/audio/test.tar.gz|*/audio/train/[0-9]*.wav|"
     "*/audio/dev/[0-9]*.wav|*/audio/test/[0-9]*.wav",
     CorpusKind::fleurs},
    {"SPGISpeech", "*/train.csv|*/val.csv|*/test.csv",
     "*/[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]*/[0-9]*.wav", "", "train.csv",
     "*/train/[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]*/[0-9]*.wav|*/val/"
     "[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]*/[0-9]*.wav|*/test/"
     "[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]*/[0-9]*.wav|"
     "*/spgispeech/*.csv",
     CorpusKind::spgispeech},
    {"CMU ARCTIC", "*/etc/txt.done.data", "*/wav/arctic_[ab][0-9]*.wav", "*/wav/arctic_[ab][0-9]*.wav",
     "etc/txt.done.data", "*/cmu_us_*_arctic/*|*/wav/arctic_[ab][0-9]*.wav", CorpusKind::arctic},
    {"AN4", "*/etc/an4_*.transcription", "", "*/wav/an4*_clstk/*", "etc/an4_train.transcription",
     "*/etc/an4_*.transcription|*/wav/an4*_clstk/*", CorpusKind::an4},
    {"JSUT", "*/transcript_utf8.txt", "*/wav/*", "*/wav/BASIC5000_[0-9]*.wav", "transcript_utf8.txt",
     "*/transcript_utf8.txt|*/wav/BASIC5000_[0-9]*.wav", CorpusKind::jsut},
    {"Zeroth-Korean", "*/[0-9]*_[0-9]*.trans.txt", "*/[0-9]*_[0-9]*_[0-9][0-9][0-9][0-9].flac",
     "*/[0-9]*_[0-9]*_[0-9][0-9][0-9][0-9].flac", "*.trans.txt",
     "*/[0-9]*/[0-9]*_[0-9]*_[0-9][0-9][0-9][0-9].flac|*/[0-9]*/[0-9]*_[0-9]*.trans.txt", CorpusKind::zeroth},
    {"LibriSpeech", "*.trans.txt", "", "*/[0-9]*-[0-9]*-[0-9][0-9][0-9][0-9].flac", "*.trans.txt",
     "*/[0-9]*/[0-9]*/[0-9]*-[0-9]*-[0-9][0-9][0-9][0-9].flac|*/[0-9]*/[0-9]*/[0-9]*.trans.txt",
     CorpusKind::librispeech},
    {"Multilingual LibriSpeech (MLS)", "*/transcripts.txt", "*/audio/*",
     "*/audio/[0-9]*/[0-9]*/[0-9]*_[0-9]*_[0-9]*", "transcripts.txt",
     "*/audio/[0-9]*/[0-9]*/[0-9]*_[0-9]*_[0-9]*", CorpusKind::mls},
    {"ST-CMDS", "*/2017000*P*A*.txt", "", "*/2017000*P*A*.wav", "a .txt beside each .wav",
     "*/ST-CMDS*/2017000*", CorpusKind::stcmds},
}};

bool matches(std::string_view patterns, const std::string& path) {
  while (!patterns.empty()) {
    const std::size_t end = std::min(patterns.find('|'), patterns.size());
    if (::fnmatch(std::string(patterns.substr(0, end)).c_str(), path.c_str(), 0) == 0) return true;
    patterns.remove_prefix(std::min(end + 1, patterns.size()));
  }
  return false;
}

bool any_matches(std::string_view patterns, const std::vector<std::string>& paths) {
  return std::any_of(paths.begin(), paths.end(),
                     [&](const std::string& path) { return matches(patterns, path); });
}

/// What lies in the folders above, which may be the corpus that only a part of was given.
std::vector<std::string> beside(const fs::path& folder) {
  constexpr int kLevels = 3;
  std::vector<std::string> paths;
  fs::path above = folder;
  for (int level = 0; level < kLevels && above.has_relative_path(); ++level) {
    above = above.parent_path();
    try {
      for (const fs::path& entry : base::entries(above)) {
        paths.push_back(entry.string());
        if (entry.filename() != "transcript" && entry.filename() != "stm") continue;
        for (const fs::path& inner : base::entries(entry)) paths.push_back(inner.string());
      }
    } catch (const Error&) {
      break;  // Nobody named that folder.
    }
  }
  return paths;
}

std::string list_of(const std::vector<std::string>& items) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    text += i == 0 ? "" : i + 1 == items.size() ? " and " : ", ";
    text += items[i];
  }
  return text;
}

/// Audio by its extension, then single files by name, and by extension where there are many.
std::string describe(const std::vector<std::string>& paths) {
  constexpr std::size_t kMostNamed = 3;  // of one extension
  constexpr std::size_t kMostItems = 6;
  constexpr std::size_t kLongestName = 60;
  std::map<std::pair<bool, std::string>, std::vector<std::string_view>> groups;  // not audio, extension
  for (const std::string& path : paths) {
    const std::string name = fs::path(path).filename().string();
    groups[{!is_audio_name(name), std::string(audio_name(name).extension)}].push_back(path);
  }
  std::vector<std::string> items;
  for (const auto& [group, files] : groups) {
    const auto& [is_other, extension] = group;
    if (!is_other || files.size() > kMostNamed) {
      const std::string kind =
          extension.empty() ? "file without extension" : fmt::format(".{} file", printable(extension));
      items.push_back(base::format_count(files.size(), kind));
      continue;
    }
    for (const std::string_view file : files) {
      const std::string name = fs::path(file).filename().string();
      if (name.size() <= kLongestName) items.push_back(printable(name));
    }
  }
  if (items.size() > kMostItems) {
    items.resize(kMostItems - 1);
    items.emplace_back("others");
  }
  return list_of(items);
}

}  // namespace

namespace {

/// At most so many files of one kind in each folder: what is the same a million times tells nothing more.
std::vector<std::string> some_of_each(std::vector<std::string> paths) {
  constexpr std::size_t kMost = 8;
  std::vector<std::string> some;
  std::map<std::string, std::size_t> counts;
  std::string folder;
  for (std::string& path : paths) {
    std::string of = path.substr(0, path.rfind('/') + 1);
    if (of != folder) {
      counts.clear();
      folder = std::move(of);
    }
    if (++counts[std::string(audio_name(path).extension)] <= kMost) some.push_back(std::move(path));
  }
  return some;
}

void set_corpus(const KnownCorpus& known, FolderGuess& guess) {
  guess.corpus = known.name;
  guess.is_read = known.is_read();
  if (known.kind) guess.prefix = name(*known.kind);
}

bool is_told_otherwise(CorpusKind kind) {
  return kind == CorpusKind::aishell || kind == CorpusKind::aishell2 || kind == CorpusKind::librispeech;
}

}  // namespace

std::optional<CorpusKind> corpus_by_texts(const std::string& path) {
  fs::path folder = fs::absolute(path).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();
  const auto inside = some_of_each(files_below(folder.string(), [](std::string_view) { return true; }));
  for (const KnownCorpus& known : kKnown) {
    if (!known.kind || is_told_otherwise(*known.kind) || !any_matches(known.texts, inside)) continue;
    if (known.place.empty() || any_matches(known.place, inside)) return known.kind;
  }
  // Its transcripts may lie above the part that was given.
  const auto above = beside(folder);
  for (const KnownCorpus& known : kKnown) {
    if (!known.kind || is_told_otherwise(*known.kind) || known.audio.empty()) continue;
    if (any_matches(known.texts, above) && any_matches(known.audio, inside) &&
        (known.place.empty() || any_matches(known.place, inside)))
      return known.kind;
  }
  return std::nullopt;
}

FolderGuess guess_archive(const std::string& path) {
  FolderGuess guess;
  const auto kind = corpus_in_archive(path);
  for (const KnownCorpus& known : kKnown) {
    if (!kind || known.kind != kind) continue;
    set_corpus(known, guess);
    guess.missing = known.needed;
  }
  return guess;
}

std::optional<CorpusKind> corpus_by_name(const std::string& name) {
  const std::string path = "/" + name;
  for (const KnownCorpus& known : kKnown) {
    if (known.kind && matches(known.archived, path)) return known.kind;
  }
  return std::nullopt;
}

FolderGuess guess_folder(const std::string& path) {
  fs::path folder = fs::absolute(path).lexically_normal();
  if (!base::is_folder(folder)) folder = folder.parent_path();
  if (!folder.has_filename()) folder = folder.parent_path();
  const auto inside = files_below(folder.string(), [](std::string_view) { return true; });
  FolderGuess guess;
  guess.contents = describe(inside);
  auto all = inside;
  for (std::string& other : beside(folder)) all.push_back(std::move(other));
  // First by transcripts among what was given, then also by those above, then by audio alone.
  for (const auto* paths : {&inside, &std::as_const(all)}) {
    for (const KnownCorpus& known : kKnown) {
      if (!any_matches(known.texts, *paths) || !(known.place.empty() || any_matches(known.place, inside)))
        continue;
      set_corpus(known, guess);
      // Its texts stand beside its audio, too; the splits do not.
      if (known.kind == CorpusKind::aidatatang && !any_matches("*/aidatatang_200_zh_transcript.txt", *paths))
        guess.missing = known.needed;
      if (paths != &inside)
        guess.texts = *std::find_if(all.begin(), all.end(),
                                    [&](const std::string& each) { return matches(known.texts, each); });
      return guess;
    }
  }
  for (const KnownCorpus& known : kKnown) {
    if (known.audio.empty() || !any_matches(known.audio, inside)) continue;
    set_corpus(known, guess);
    guess.missing = known.needed;
    return guess;
  }
  if (base::exists((folder / "wav.scp").string()) && !base::exists((folder / "text").string())) {
    guess.corpus = "a Kaldi data folder";
    guess.missing = "text";
    guess.is_read = true;
  }
  return guess;
}

}  // namespace shardmill::source
