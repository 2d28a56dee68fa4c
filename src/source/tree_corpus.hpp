// TreeCorpus: a corpus that is a tree of files. It learns from the text files of the tree, in any order, and
// says what each audio file holds. The tree may be a folder or an archive.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "source/corpus_builder.hpp"

namespace shardmill::source {

/// A text file of the tree, whole.
struct TreeText {
  std::string_view path;     // in the tree, with / between folders
  std::string place;         // what errors call it
  std::string_view content;  // not unpacked
};

/// What a corpus says of one utterance.
struct TreeUtterance {
  std::string key;
  std::optional<std::string> text{};
  Facts facts{};  // without the subsets
  std::vector<std::string> subsets{};
  double begin_seconds = 0;
  double end_seconds = CorpusUtterance::kToTheEnd;
  double seconds = 0;
  std::optional<std::uint64_t> channel{};  // see CorpusUtterance
  bool keeps_to_seconds = false;           // the same
  double recording_seconds = 0;            // the same
  std::size_t recording_channels = 0;      // the same
  std::uint32_t headerless_hz = 0;         // the same
  std::string_view text_doubt{};           // the same
  std::string named_in{};                  // the text file that its times are from
  std::uint64_t line = 0;
  /// The missing table, for audio that is lost without it; empty for other audio.
  std::string lacks{};
  bool is_unlisted = false;  // it lacks its row; else, what says how to cut it
  bool lacks_text = false;   // or the file with its transcript, which its row names

  /// `facts` with its subset.
  std::string members() const;
};

/// Among the subsets that are wanted: all of them, mixed.
inline constexpr std::string_view kAllSubsets = "all";

struct TreeOptions {
  std::vector<std::string> subsets{};  // those that are wanted; none: all, but splits must not mix
  std::string text_field{};            // which of several texts is the transcript; empty: the usual one
  std::string audio_root{};  // what the paths in manifests are below; empty: they lead there themselves
  std::map<std::string, std::string, std::less<>> text_fields{};  // the same of single datasets
  bool text_field_is_elsewhere = false;  // a corpus that has no such text gives its usual one
  bool needs_splits = false;             // where no subset is wanted: what may be of any split is an error
  /// A long recording that nothing cuts is lost, and no sample; so is audio that no table lists, where one
  /// should.
  bool needs_tables = false;

  /// The text field of a dataset; empty: the usual one.
  const std::string& text_field_of(std::string_view dataset) const {
    const auto found = text_fields.find(dataset);
    return found == text_fields.end() ? text_field : found->second;
  }
};

/// One thread at a time.
class TreeCorpus {
 public:
  enum class Role { other, audio, text };
  using Lose = LoseUtterance;

  TreeCorpus() = default;
  TreeCorpus(const TreeCorpus&) = delete;
  TreeCorpus& operator=(const TreeCorpus&) = delete;
  virtual ~TreeCorpus() = default;

  virtual Role role(std::string_view path) const = 0;
  /// Throws Error, with file and line, for a text that cannot be parsed.
  virtual void read(const TreeText& text) = 0;
  /// No further text will come.
  virtual void all_read() { is_complete_ = true; }
  /// The utterances of an audio file, none if it does not belong to the corpus; nullopt if their text may
  /// still come. Each file is asked for until there is an answer.
  virtual std::optional<std::vector<TreeUtterance>> find(std::string_view audio) = 0;
  /// The same of audio in an archive inside an archive. `with_archives`: its path where the inner ones count
  /// as folders of their names; empty: it lies in none.
  virtual std::optional<std::vector<TreeUtterance>> find_packed(std::string_view audio,
                                                                std::string_view with_archives) {
    (void)with_archives;
    return find(audio);
  }
  /// True while a text that is not there yet would add to the answers of find(): a table of speakers, or the
  /// names of a split.
  virtual bool awaits_remarks() const { return false; }
  /// Takes a link of this name in an archive. False if the link leads to audio or texts that would be lost.
  virtual bool take_link(std::string_view path) { return role(path) == Role::other; }
  /// To be called when all audio was found.
  virtual void report_rest(const Lose& lose) const = 0;
  /// Whether its keys are those of the utterances, and not of the recordings that hold them.
  virtual bool loses_by_key() const { return false; }

  /// The same for an audio file and for the texts that may answer for it; empty: any text may.
  virtual std::string_view awaited(std::string_view path) const {
    (void)path;
    return {};
  }
  /// Whether a text file of this name may lie above the folder that was given, where that is a part of the
  /// corpus: remarks about speakers, or transcripts, of other parts too.
  enum class Above { no, remarks, transcripts };
  /// How the audio may lie in archives in a folder that also holds the texts.
  enum class Packed {
    no,
    by_name,  // the texts and the name of an archive say which utterances it must hold
    anyhow    // any archive may hold any utterance
  };
  virtual Packed packed() const { return Packed::no; }
  /// How the archive with this packed_name() is packed.
  virtual Packed packed_as(std::string_view packed_name) const {
    (void)packed_name;
    return packed();
  }
  /// Whether each of them holds the transcripts of its audio; only remarks lie beside them then.
  virtual bool packs_have_texts() const { return false; }
  /// Called before all else where packs_have_texts(): the corpus reads only the archive with this
  /// packed_name(), and answers only for audio of that.
  virtual void keep_to_pack(std::string_view packed_name) { (void)packed_name; }
  /// Whether an archive of this path is one of these; other archives are no part of the corpus.
  virtual bool is_pack(std::string_view path) const {
    (void)path;
    return true;
  }
  /// What an archive of this path holds, a speaker or a part of the corpus; the folder that it becomes when
  /// it is unpacked has the same.
  virtual std::string packed_name(std::string_view path) const {
    path.remove_prefix(path.rfind('/') + 1);
    return std::string(path.substr(0, path.find('.')));
  }
  /// Whether the audio of an utterance must, or at least may, be in the archive with this packed_name().
  virtual bool belongs_to(std::string_view key, std::string_view packed_name) const {
    return key.find(packed_name) != key.npos;
  }
  virtual Above above(std::string_view name) const {
    (void)name;
    return Above::no;
  }

 protected:
  bool is_complete() const noexcept { return is_complete_; }

 private:
  bool is_complete_ = false;
};

/// True when `subsets` has one of `wanted`, or nothing is wanted. "train", "dev" and "test" mean all of their
/// split, "train-clean" also for "train-clean-100".
bool has_wanted_subset(const std::vector<std::string>& subsets, const std::vector<std::string>& wanted);
/// Whether a sample is in none of the wanted by what it says itself, in these members of its manifest line.
/// One that says nothing counts as training data.
bool is_of_other_subset(std::string_view facts, const std::vector<std::string>& wanted);

/// What becomes of an utterance.
enum class Choice {
  taken,
  of_other_subset,
  lacks_table,  // see TreeUtterance::lacks
  no_subset     // no table says which subset it belongs to
};
/// `wanted`: subsets; none: all.
Choice choice_of(const TreeUtterance& utterance, const std::vector<std::string>& wanted);
/// Of one with Choice::no_subset, in words.
std::string no_subset(const std::vector<std::string>& wanted);

/// The split of this audio file is not known. `teller`: what would say it, in words.
Error unknown_split(std::string_view audio, std::string_view teller);

/// Some utterances of one recording, by their beginnings.
std::shared_ptr<const CorpusUtterances> sorted_utterances(
    const std::vector<const TreeUtterance*>& utterances);

/// Reads the tree in `folder` with the reader of `tree`. Throws Error for texts that cannot be parsed.
void read_tree(const ArchivedTree& tree, const std::string& folder, CorpusBuilder& builder);

/// `tree` has read all its texts. What is found in it counts for all who share it. The result may be used by
/// any thread; it reads no further text.
std::shared_ptr<TreeCorpus> share_tree(std::shared_ptr<TreeCorpus> tree);

}  // namespace shardmill::source
