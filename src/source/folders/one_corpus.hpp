// A folder that is given as one source holds one corpus: whatever else lies in it would be lost.
#pragma once

#include <string>

namespace shardmill::source {

/// Throws Error where `folder` holds several corpora, finished datasets, or shards or audio beside a corpus
/// that is not read with them. Says what lies where, and how to give each as a source of its own. A folder
/// with wav.scp is one corpus: its list says what belongs to it.
void check_one_corpus(const std::string& folder);

}  // namespace shardmill::source
