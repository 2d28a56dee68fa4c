// speaker: who speaks in a sample.
#pragma once

#include <string>

namespace shardmill::pipeline {

/// The speaker, as the facts of a sample name it; empty when they do not.
std::string speaker_in(const std::string& facts);

}  // namespace shardmill::pipeline
