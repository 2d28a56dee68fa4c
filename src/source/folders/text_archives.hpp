// Archives without audio, which tell of the audio in others that are given with them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "source/corpora.hpp"

namespace shardmill::source {

/// True for an archive that holds files, and no audio among them. False for what cannot be read, too, which
/// is reported when its turn comes.
bool is_silent(const std::string& archive);

/// An archive that is given as a source of its own.
struct GivenArchive {
  std::string dataset;
  std::string path;
  const Corpus* corpus = nullptr;  // by its prefix
};

struct TextArchives {
  const Corpus* corpus;            // that the others hold
  std::vector<std::string> paths;  // of those without audio
};

/// By dataset; those of which all archives hold audio, or none does, are left out, and so are shards. Throws
/// Error for an archive without audio beside archives of several corpora.
std::map<std::string, TextArchives> find_text_archives(const std::vector<GivenArchive>& given);

}  // namespace shardmill::source
