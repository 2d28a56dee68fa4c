// corpus_sample: makes a sample from an utterance of a corpus and its audio. recast: converts the audio of a
// sample to the wanted form, and says what must be recorded about it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "audio/recording_reader.hpp"
#include "audio/transform.hpp"
#include "base/hash/hash.hpp"
#include "model/audio_info.hpp"
#include "pipeline/source_item.hpp"
#include "shardmill/sample.hpp"
#include "source/source_file.hpp"

namespace shardmill::pipeline {

/// A sample with a transcript, if there is one, and an audio member with this extension.
shard::GroupedSample corpus_sample(const source::CorpusUtterance& utterance, Bytes audio,
                                   const std::string& extension);

/// Cuts the utterance out of a recording. The result is a sample with a WAV as precise as the recording, or a
/// Reject that says why it cannot be cut. Going forward in the recording is cheap.
SourceItem cut_sample(audio::RecordingReader& recording, const source::CorpusUtterance& utterance);

struct Recast {
  std::optional<base::Xxh128> source_xxh3{};  // hash of the original bytes; none: the bytes are unchanged
  bool mended = false;                        // only the header was changed, because it was wrong
  std::uint64_t clipped = 0;                  // values that were clipped
  bool channels_cancel = false;               // hardly anything is left of it as one channel
  audio::Heard heard{};                       // the wanted measurements
  std::string problem{};                      // why it cannot be done; empty when it was done
};

/// Changes the member's bytes and extension and `info` if they are not as wanted, and mends a header that is
/// wrong. `decoded`: ProbeResult::decoded of the audio, or null. Thread-safe.
Recast recast(Member& audio, AudioInfo& info, const audio::WantedForm& form, const Bytes* decoded = nullptr);

}  // namespace shardmill::pipeline
