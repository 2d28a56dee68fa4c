// Plain folders of audio files, each with its transcript in a .txt file of the same name.
#pragma once

#include <string>

#include "shardmill/source/corpus_builder.hpp"

namespace shardmill::source {

/// The key of an utterance is its path below `folder` without the extension. A .txt without audio is a
/// transcript whose audio is missing, unless it is called README or LICENSE.
void read_audio_folder(const std::string& folder, CorpusBuilder& builder);

}  // namespace shardmill::source
