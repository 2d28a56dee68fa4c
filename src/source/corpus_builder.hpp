// CorpusBuilder: what the readers of raw corpora fill; from utterances in any order to source files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/error.hpp"
#include "source/source_file.hpp"

namespace shardmill::source {

/// A raw corpus, read.
struct CorpusFiles {
  std::vector<SourceFile> audio;         // in the order in which they were first named
  std::vector<SourceFile> descriptions;  // the text files that say what the audio is
  std::vector<std::string> folders;      // all audio below which is part of the corpus
  std::vector<Unusable> unusable;
  std::function<void(const LoseUtterance&)>
      promised{};               // calls back for each utterance that an archive among `audio` may hold
  std::vector<Error> warnings;  // oddities that lose no samples
  std::vector<Error> faults;    // the corpus cannot be read like this, and what else is wrong is known, too
};

/// Further members of a manifest line, as JSON text without braces.
class Facts {
 public:
  /// Left out when `value` is empty. A name that manifests use themselves, or that is there
  /// already, gets "source_" in front.
  Facts& text(std::string_view name, std::string_view value);
  /// As `language`, and as `lang`, by which NeMo goes.
  Facts& language(std::string_view value) { return text("language", value).text("lang", value); }
  /// `json`: a whole JSON value in one line.
  Facts& json(std::string_view name, std::string_view json);
  /// All of `other`.
  Facts& add(const Facts& other) { return members(other.members_); }
  /// Whole members, as members() gives them.
  Facts& members(std::string_view members);

  const std::string& members() const noexcept { return members_; }
  void clear() { *this = {}; }

 private:
  bool has(std::string_view name) const;
  void begin(std::string_view name);

  std::string members_;
  std::vector<std::size_t> name_hashes_;
  bool has_unknown_names_ = false;
};

/// One thread at a time.
class CorpusBuilder {
 public:
  struct Utterance {
    std::string_view key;
    std::optional<std::string_view> text{};
    std::string_view facts{};
    double begin_seconds = 0;
    double end_seconds = CorpusUtterance::kToTheEnd;
    double seconds = 0;
    std::optional<std::uint64_t> channel{};  // see CorpusUtterance
    bool keeps_to_seconds = false;           // the same
    double recording_seconds = 0;            // the same
    std::size_t recording_channels = 0;      // the same
    std::uint32_t headerless_hz = 0;         // the same
    std::string_view named_in{};             // the file and the line that its times are from
    std::uint64_t line = 0;
  };

  /// The corpus is read as its publisher packs it: "librispeech".
  void published(std::string_view name) { corpus_->name = name; }
  /// Utterances that say themselves that they are in other subsets are passed over.
  void choose(const std::vector<std::string>& subsets) { subsets_ = subsets; }
  /// A text file that is going to be read: a later change of it is a change of the corpus. Throws Error when
  /// it is not there.
  void description(const std::string& path);
  /// files_below(), for corpora that own the whole folder: a file that is written there later changes them.
  std::vector<std::string> search(const std::string& folder,
                                  const std::function<bool(std::string_view name)>& wanted);
  /// The number of an audio file (or shard, or command), the same for the same path. `named_at`: the line
  /// that named it ("wav.scp: line 7"), empty when it was found in a folder. A file that cannot be read
  /// makes its utterances unusable.
  std::size_t recording(SourceKind kind, const std::string& path, const std::string& named_at = {},
                        bool only_listed = false);
  /// An utterance of a recording that cannot be read, or that ends before it begins, is unusable.
  void utterance(std::size_t recording, const Utterance& utterance);
  /// A recording whose utterances are read later.
  void late_recording(const std::string& path, std::shared_ptr<const LateUtterances> utterances);
  /// An archive in a folder of the corpus.
  void archive(const std::string& path, std::shared_ptr<const ArchivedTree> tree);
  void unusable(Unusable::What what, std::string_view key, Error error, std::uint64_t samples = 1);
  /// Utterances whose audio is missing, unless an archive holds it: see source::Promise.
  void promise(std::function<void(const LoseUtterance&)> rest) { files_.promised = std::move(rest); }
  /// The corpus cannot be read like this. The reader goes on, so that one list shows all that is wrong.
  void fault(Error error) { files_.faults.push_back(std::move(error)); }
  /// Warnings of the same problem become one, with their number.
  void warn(const Error& warning);

  /// Everything, recordings without utterances left out, with a warning when there are utterances without a
  /// text or with an empty one. The builder is empty afterwards.
  CorpusFiles take();

 private:
  struct Recording {
    SourceFile file;
    std::optional<Error> problem;
  };

  struct Warning {
    Error first;
    std::size_t others = 0;
  };

  std::vector<std::size_t> sort_utterances();

  CorpusFiles files_;
  std::vector<std::string> subsets_;  // those that are wanted; none: all
  std::shared_ptr<CorpusUtterances> corpus_ = std::make_shared<CorpusUtterances>();
  std::vector<Recording> recordings_;
  std::unordered_map<std::string, std::size_t> by_path_;
  std::vector<std::size_t> recording_of_;  // of each utterance
  std::vector<Warning> warnings_;
  std::vector<SourceFile> archives_;
};

}  // namespace shardmill::source
