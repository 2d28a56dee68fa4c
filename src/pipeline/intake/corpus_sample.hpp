// corpus_sample: what a corpus says of an utterance and its audio, made a sample.
#pragma once

#include <string>

#include "audio/recording_reader.hpp"
#include "pipeline/source_item.hpp"
#include "source/source_file.hpp"

namespace shardmill::pipeline {

/// A sample of a transcript, where there is one, and an audio member with that extension.
shard::GroupedSample corpus_sample(const source::CorpusUtterance& utterance, Bytes audio,
                                   const std::string& extension);

/// The utterance's part of a recording as a sample, a WAV as precise as the recording, or why there is none:
/// a LostUtterance. Reading on from where the last one began is cheap.
SourceItem cut_sample(audio::RecordingReader& recording, const source::CorpusUtterance& utterance);

}  // namespace shardmill::pipeline
