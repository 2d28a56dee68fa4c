// An utterance as a source reader hands it on, for tests of what is done with it.
#pragma once

#include <string>

#include "pipeline/utterance.hpp"

namespace shardmill::testing {

/// One second of dataset "d", from s.tar.
inline pipeline::Utterance made_utterance(const std::string& key) {
  pipeline::Utterance utterance;
  utterance.record.key = utterance.record.source_key = key;
  utterance.record.dataset = "d";
  utterance.record.source = "s.tar";
  utterance.record.audio = {.format = "wav/pcm16", .sample_rate = 16000, .channels = 1, .frames = 16000};
  utterance.packed.audio_name = key + ".wav";
  return utterance;
}

}  // namespace shardmill::testing
