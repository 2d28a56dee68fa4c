// Archives beside an unpacked corpus, in a folder that is given as one source: only one of the two is read.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "source/corpora.hpp"

namespace shardmill::source {

/// Archives in `folder` and below it that are not read together with the unpacked corpus.
std::vector<std::string> archives_beside(const Corpus& corpus, const std::string& folder);

/// What is to be said of such archives, where none of them holds audio.
struct LeftBeside {
  std::vector<Error> unusable;  // they cannot be read
  std::vector<Error> warnings;  // they are left out
};

/// Throws Error where one of them holds audio, which would be lost: says how to give both as sources.
LeftBeside check_beside(const Corpus& corpus, const std::string& folder,
                        const std::vector<std::string>& archives);

}  // namespace shardmill::source
