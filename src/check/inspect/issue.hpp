// Issues: the kinds of problems that inspect finds, how often each was met, and where first.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/finding.hpp"
#include "shard/keys.hpp"

namespace shardmill::check {

enum class Severity {
  damage,  // data is lost already
  hazard,  // a loader or trainer will fail or lose data here
  note,
};

std::string_view name(Severity severity);

/// A kind of problem. All texts are static.
struct IssueKind {
  Severity severity = Severity::note;
  std::string_view id;      // a word that never changes: "no_end"
  std::string_view loader;  // the loader that is affected; empty when it is not one in particular
  std::string_view text;    // one clause with the problem
  std::string_view effect;  // one clause with the consequence; empty if `text` has it

  auto operator<=>(const IssueKind&) const = default;
};

struct Issue {
  std::uint64_t count = 0;
  std::uint64_t shards = 0;
  std::uint64_t lost_samples = 0;  // samples that are there, but that loaders miss because of this
  std::vector<Finding> first;
};

/// All issues of a shard, a dataset or a run. The order depends only on the kinds.
class IssueList {
 public:
  /// Counts one more finding in the same shard, or `count` of them.
  void add(const IssueKind& kind, Finding finding, std::uint64_t count = 1);
  /// Counts a sample that loaders miss because of an issue that was added before.
  void lose_sample(const IssueKind& kind) { ++issues_[kind].lost_samples; }
  /// Adds the issues of a shard that comes after all those added before.
  void merge(const IssueList& later);

  const std::map<IssueKind, Issue>& all() const noexcept { return issues_; }
  bool has(Severity severity) const;

 private:
  std::map<IssueKind, Issue> issues_;
};

namespace issue {

inline constexpr auto kDamage = Severity::damage;
inline constexpr auto kHazard = Severity::hazard;
inline constexpr auto kNote = Severity::note;

inline constexpr IssueKind kUnreadableFile{kDamage, "unreadable_file", "", "file that cannot be read", ""};
inline constexpr IssueKind kDamagedCompression{kDamage, "damaged_compression", "", "damaged compressed data",
                                               "loaders fail there and lose the rest of the shard"};
inline constexpr IssueKind kCutShort{kDamage, "cut_short", "", "file that ends before its proper end",
                                     "part of it is missing"};
inline constexpr IssueKind kDamagedSample{kDamage, "damaged_sample", "", "sample that lost members to damage",
                                          ""};
inline constexpr IssueKind kEmptyAudio{kDamage, "empty_audio", "", "audio without a single frame", ""};
inline constexpr IssueKind kTruncatedAudio{kDamage, "truncated_audio", "",
                                           "audio that ends before what its header promises", ""};
inline constexpr IssueKind kBadAudio{kDamage, "bad_audio", "", "audio that cannot be read", ""};

inline constexpr IssueKind kLostUtterance{kDamage, "lost_utterance", "",
                                          "utterance that a corpus names and that cannot be read", ""};

inline constexpr IssueKind kSplitSample{kHazard, "split_sample", "WeNet and WebDataset",
                                        "read one sample as two", "its members are not next to each other"};
inline constexpr IssueKind kDuplicateMember{kHazard, "duplicate_member", "WebDataset",
                                            "stops with an error at a second member of the same name", ""};
inline constexpr IssueKind kSeveralStreams{
    kHazard, "several_streams", "WebDataset",
    "stops with an error after the first of several compressed streams",
    "Python's tarfile reads only one where it cannot seek; pbzip2, pigz and cat make files of several"};
inline constexpr IssueKind kZstd{kHazard, "codec", "Python's tarfile", "reads no zstd",
                                 "WeNet and NeMo skip it without an error; before Python 3.14 other loaders "
                                 "need a decompressor in front of it"};
inline constexpr IssueKind kLz4{kHazard, "codec", "Python's tarfile", "reads no lz4",
                                "WeNet and NeMo skip it without an error; other loaders need a decompressor "
                                "in front of it"};
inline constexpr IssueKind kDuplicateKey{kHazard, "duplicate_key", "", "key that an earlier sample has",
                                         "the same speech counts twice, or one sample hides another"};
inline constexpr IssueKind kNoTranscript{kHazard, "no_transcript", "", "sample without a transcript", ""};
inline constexpr IssueKind kEmptyTranscript{kHazard, "empty_transcript", "", "transcript without a word", ""};
inline constexpr IssueKind kBadTranscript{kHazard, "bad_transcript", "", "transcript that is not UTF-8",
                                          "WeNet skips the sample"};
inline constexpr IssueKind kBadJson{
    kHazard, "bad_json", "", ".json member that is empty or no JSON",
    "its fields, such as the speaker, are lost, and shardmill repack stops there"};
inline constexpr IssueKind kNoAudio{kHazard, "no_audio", "", "sample without audio", ""};
inline constexpr IssueKind kSeveralAudio{kHazard, "several_audio", "", "sample with several audio members",
                                         "WeNet takes the last of them"};
inline constexpr IssueKind kMixedAudio{kHazard, "mixed_audio", "",
                                       "samples of another rate or number of channels than most",
                                       "most trainers fail with that"};

inline constexpr IssueKind kMixedContainers{
    kHazard, "mixed_containers", "Hugging Face datasets",
    "stops if the first five samples are not all in one container",
    "WAV here, FLAC there; shardmill repack --audio flac makes them one"};

inline constexpr IssueKind kTextMembers{
    kNote, "text_members", "NeMo's Lhotse reader",
    "loses samples beside .txt and other members, with slice_length or max_open_streams",
    "shardmill repack --text manifest writes none"};
inline constexpr IssueKind kShardName{kNote, "shard_name", "NeMo's Lhotse reader",
                                      "takes only shards that are named like audio_0.tar",
                                      "shards that repack writes are, unless they are given another prefix"};
inline constexpr IssueKind kUnknownLength{
    kHazard, "unknown_length", "", "audio whose header does not give its length, as from a pipe",
    "some readers find none, or hours; shardmill repack writes the length into WAV, FLAC, AIFF and AU"};
inline constexpr IssueKind kUnsupportedAudio{
    kHazard, "unsupported_audio", "", "audio of a format that shardmill does not read here",
    "its length is unknown, and repack does not take it: install ffmpeg, or convert it to FLAC first"};
inline constexpr IssueKind kForeignAudio{
    kHazard, "foreign_audio", "loaders that decode with libsndfile (NeMo, Lhotse, DALI and soundfile)",
    "cannot decode MP4, AAC, WebM, WMA, AMR or video", "shardmill repack --audio flac makes them FLAC"};
inline constexpr IssueKind kWrongHeader{
    kHazard, "wrong_header", "", "audio whose header has wrong sizes",
    "some readers lose audio or refuse it; shardmill repack corrects the header"};
inline constexpr IssueKind kBytesAfterAudio{kHazard, "bytes_after_audio", "",
                                            "audio with bytes after the end that its header gives",
                                            "most readers skip them, libsndfile finds no length in an Ogg; "
                                            "audio may be lost there if the header is wrong"};
inline constexpr IssueKind kNotListed{kNote, "not_listed", "", "sample that its corpus does not list",
                                      "it is left out"};

/// nullopt when another issue reports it already.
std::optional<IssueKind> of(ShardProblem problem);
IssueKind of(const shard::LoaderHazard& hazard);

}  // namespace issue

}  // namespace shardmill::check
