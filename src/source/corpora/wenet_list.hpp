// WeNet's lists of raw audio: a JSON object a line, with key, wav, txt, and start and end of segments.
#pragma once

#include <string>

#include "source/corpus_builder.hpp"

namespace shardmill::source {

/// Members that WeNet does not know become facts. Throws Error, with file and line, for lines that make no
/// sense.
void read_wenet_list(const std::string& path, CorpusBuilder& builder);

}  // namespace shardmill::source
