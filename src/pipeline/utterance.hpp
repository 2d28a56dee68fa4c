// Utterance: a measured sample on its way into a shard; the keys that it may get; and the length that a
// corpus gives for its audio, compared with the audio itself.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/binary_fields.hpp"
#include "manifest/sample_record.hpp"
#include "model/audio_info.hpp"
#include "shard/sample_packer.hpp"
#include "shardmill/sample.hpp"
#include "source/split.hpp"

namespace shardmill::pipeline {

struct IntakeOptions;

struct Utterance {
  std::uint32_t dataset = 0;
  manifest::SampleRecord record;  // shard_id and tar_offset are set when it gets its place
  bool has_text = false;          // it has a transcript that is not empty
  bool text_cleaned = false;      // see shard::is_unclean()
  bool reencoded = false;         // converted in this run
  shard::PackedSample packed;

  // Needed only until it is admitted:
  std::uint32_t given = 0;         // number of the source, in the order in which sources were given
  std::string subset{};            // of its corpus, as publishers name it, with blanks between several
  bool is_published = false;       // that corpus is read as its publisher packs it
  bool is_text_told_late = false;  // its transcript was looked for while it was read
  source::FactTeller teller{};     // of a fact that it may lack
};

/// The key that a sample gets, before a duplicate is renamed.
std::string written_key(std::string_view dataset, std::string_view source_key, const IntakeOptions& options);

/// The key of one channel of several: KEY_left and KEY_right of two, KEY_ch1 and so on of more.
std::string channel_key(std::string_view key, std::uint32_t channel, std::uint32_t channels);

/// The keys of the samples that become of one with `channels` channels: one key, or one for each channel.
std::vector<std::string> part_keys(const std::string& key, std::uint32_t channels,
                                   const IntakeOptions& options);

/// The keys that a sample may get before its number of channels is known: all of one and two channels, the
/// first of more.
std::vector<std::string> possible_keys(std::string_view key, const IntakeOptions& options);

/// Renames the packed members after `record.key` was changed.
void rename(Utterance& utterance);

/// Rounded down to nanoseconds: exact enough for balancing, and the same on every machine.
std::chrono::nanoseconds duration_of(const AudioInfo& audio);

/// How many bytes put() appends.
std::uint64_t serialised_bytes(const Utterance& utterance);
void put(base::BinaryWriter& out, const Utterance& utterance);
/// Throws Error when the bytes are not what put() wrote.
Utterance read_utterance(base::BinaryReader& in);

enum class LengthMatch { same, audio_is_longer, audio_is_shorter };

/// The largest difference, in seconds, that does not matter: 0.1 s or 0.5 %, whichever is more. Manifests
/// round durations to one to three digits, and decoders of MP3 differ by almost 0.1 s.
double length_tolerance(double seconds);
LengthMatch match_length(double seconds, const AudioInfo& info);

/// "ends at 3 s, but its recording at 2.500 s"
std::string ends_after_recording(double seconds, double recording_seconds);
std::string has_no_channel(std::uint64_t channel, std::uint64_t channels);

/// The place of a segment in its recording, followed by `facts`: members of a manifest line, as JSON. There
/// is no end if `end_seconds` is infinite.
std::string facts_with_place(double begin_seconds, double end_seconds, const std::string& facts);

/// Cuts the audio, which `info` describes, to its first `seconds`, and makes it a WAV. Throws Error if it
/// cannot be decoded.
void cut_to_length(Member& audio, AudioInfo& info, double seconds);

}  // namespace shardmill::pipeline
