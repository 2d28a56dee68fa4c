// LibriSpeech and what is laid out like it: SPEAKER/CHAPTER folders of audio with a *.trans.txt each.
#pragma once

#include <string>

#include "source/corpus_builder.hpp"

namespace shardmill::source {

/// `folder` may be the whole tree, a subset, a speaker or a chapter. Facts: speaker, chapter, subset, and
/// gender where SPEAKERS.TXT lies in `folder` or up to three folders above it.
void read_librispeech(const std::string& folder, CorpusBuilder& builder);

}  // namespace shardmill::source
