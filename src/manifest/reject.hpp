// Reject: one line of rejects.jsonl: a sample that was left out, its place, and the reason.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/hash/hash.hpp"
#include "base/text/json_reader.hpp"

namespace shardmill::manifest {

/// The kind of problem, for programs; Reject::problem describes it for people. Each has its row in kReasons.
enum class RejectReason {
  no_audio,           // a sample without an audio member
  several_audio,      // more than one audio member
  no_text,            // a sample without a transcript, where one is required
  no_speaker,         // it is not known who speaks, where speakers must be kept apart
  bad_text,           // a transcript that is not UTF-8
  empty_audio,        // no bytes or no frames
  bad_audio,          // cannot be decoded, has an absurd header, or cannot be converted as wanted
  truncated_audio,    // ends before what its header promises
  too_short,          // less than --min-duration
  too_long,           // more than --max-duration
  duplicate_key,      // another sample has the key
  unsafe_member,      // not a regular file, or a name that leads out of the folder
  too_large,          // larger than the memory bound allows
  damaged_source,     // lost to damage in a compressed or tar file
  truncated_source,   // lost because a file ends too early
  unreadable_source,  // the file cannot be opened or read
  not_a_sample,       // a member whose name gives no key
  not_listed,         // in a shard of a corpus, or with a subset asked for, and the corpus does not list it
  missing_audio,      // a corpus names it, but its audio is not there
  no_segments,        // a long recording without times for its sentences
  unlisted,           // audio that no table of its corpus lists, where one should
  bad_segment,        // its begin and end are not a stretch of the recording
  not_included,       // its key matches no --include
  excluded,           // its key matches an --exclude
  other_subset,       // its own field, table or folder names a subset that was not asked for
  removed,            // taken out again by an update
  duplicate_audio,    // another sample has the same sound
  clipped,            // more clipped values than --max-clipping
  dc_offset,          // more than --max-dc-offset
  silent,             // more digital silence than --max-silence
  narrow_band,        // nothing above 4 kHz
  uneven,             // left out by --even, so that all shards hold the same number of samples
  changed             // the dataset has a sample with this key, and with other audio or another transcript
};

/// Whether a reject with this reason counts against --max-rejects.
enum class Counts : bool {
  no,  // it comes from the user's own filters and policies
  yes  // something is wrong with the sample
};

struct ReasonRow {
  RejectReason reason;
  std::string_view name;  // in rejects.jsonl
  Counts counts;
};

/// In the order of the enumerators.
inline constexpr auto kReasons = std::to_array<ReasonRow>({
    {RejectReason::no_audio, "no_audio", Counts::yes},
    {RejectReason::several_audio, "several_audio", Counts::yes},
    {RejectReason::no_text, "no_text", Counts::no},
    {RejectReason::no_speaker, "no_speaker", Counts::yes},
    {RejectReason::bad_text, "bad_text", Counts::yes},
    {RejectReason::empty_audio, "empty_audio", Counts::yes},
    {RejectReason::bad_audio, "bad_audio", Counts::yes},
    {RejectReason::truncated_audio, "truncated_audio", Counts::yes},
    {RejectReason::too_short, "too_short", Counts::no},
    {RejectReason::too_long, "too_long", Counts::no},
    {RejectReason::duplicate_key, "duplicate_key", Counts::no},
    {RejectReason::unsafe_member, "unsafe_member", Counts::yes},
    {RejectReason::too_large, "too_large", Counts::yes},
    {RejectReason::damaged_source, "damaged_source", Counts::yes},
    {RejectReason::truncated_source, "truncated_source", Counts::yes},
    {RejectReason::unreadable_source, "unreadable_source", Counts::yes},
    {RejectReason::not_a_sample, "not_a_sample", Counts::no},
    {RejectReason::not_listed, "not_listed", Counts::no},
    {RejectReason::missing_audio, "missing_audio", Counts::yes},
    {RejectReason::no_segments, "no_segments", Counts::yes},
    {RejectReason::unlisted, "unlisted", Counts::yes},
    {RejectReason::bad_segment, "bad_segment", Counts::yes},
    {RejectReason::not_included, "not_included", Counts::no},
    {RejectReason::excluded, "excluded", Counts::no},
    {RejectReason::other_subset, "other_subset", Counts::no},
    {RejectReason::removed, "removed", Counts::no},
    {RejectReason::duplicate_audio, "duplicate_audio", Counts::no},
    {RejectReason::clipped, "clipped", Counts::no},
    {RejectReason::dc_offset, "dc_offset", Counts::no},
    {RejectReason::silent, "silent", Counts::no},
    {RejectReason::narrow_band, "narrow_band", Counts::no},
    {RejectReason::uneven, "uneven", Counts::no},
    {RejectReason::changed, "changed", Counts::no},
});

constexpr bool has_row_of_each_reason() {
  for (std::size_t i = 0; i < kReasons.size(); ++i)
    if (kReasons[i].reason != static_cast<RejectReason>(i)) return false;
  return kReasons.size() == static_cast<std::size_t>(RejectReason::changed) + 1;
}
static_assert(has_row_of_each_reason());

constexpr std::string_view name(RejectReason reason) {
  return kReasons.at(static_cast<std::size_t>(reason)).name;
}
/// False for reasons that come from the user's own filters and policies.
constexpr bool is_error(RejectReason reason) {
  return kReasons.at(static_cast<std::size_t>(reason)).counts == Counts::yes;
}
/// The reason with this name; nullopt for an unknown name.
std::optional<RejectReason> reject_reason(std::string_view name);

struct Reject {
  struct ByteRange {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    auto operator<=>(const ByteRange&) const = default;
  };

  std::string dataset;
  std::string source;                    // the file
  std::optional<std::string> key;        // as found there, if known
  std::optional<std::string> speaker{};  // when all samples of a speaker were removed
  std::optional<base::Xxh128> audio{};   // of a removed sample: the audio bytes in the source
  std::optional<std::string> member;     // when the problem is with one member
  std::optional<ByteRange> file_bytes;   // where in the file on disk, if known
  std::optional<ByteRange> tar_bytes;    // where in the uncompressed tar, if known
  RejectReason reason = RejectReason::bad_audio;
  std::string problem;
  std::optional<std::uint64_t> samples;  // how many are lost, when it is not one
  bool samples_unknown = false;          // it is unknown how many are lost
};

/// One JSON object and a newline.
void append_line(std::string& out, const Reject& reject);
/// Fills every field. Throws Error, which names no file, for a missing or impossible field; ignores unknown
/// ones.
void read_record(const base::JsonValue& json, Reject& reject);
/// All lines of a file of them. Throws Error if it cannot be read, or is larger than any that shardmill
/// writes.
std::string read_reject_lines(const std::string& path);

}  // namespace shardmill::manifest
