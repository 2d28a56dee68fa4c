// corpus_sample: makes a sample from an utterance of a corpus and its audio.
#pragma once

#include <string>

#include "audio/recording_reader.hpp"
#include "pipeline/source_item.hpp"
#include "source/source_file.hpp"

namespace shardmill::pipeline {

/// A sample with a transcript, if there is one, and an audio member with this extension.
shard::GroupedSample corpus_sample(const source::CorpusUtterance& utterance, Bytes audio,
                                   const std::string& extension);

/// Cuts the utterance out of a recording. The result is a sample with a WAV as precise as the recording, or a
/// Reject that says why it cannot be cut. Going forward in the recording is cheap.
SourceItem cut_sample(audio::RecordingReader& recording, const source::CorpusUtterance& utterance);

}  // namespace shardmill::pipeline
