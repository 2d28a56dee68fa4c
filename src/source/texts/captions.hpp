// captions_in: the cues of a WebVTT file.
#pragma once

#include <string>
#include <vector>

#include "source/tree_corpus.hpp"

namespace shardmill::source {

struct Caption {
  double begin = 0;
  double end = 0;
  std::string words{};  // its lines, with blanks between them
};

/// Comments, styles, regions, names and settings of cues are left out. Throws Error, with the file and the
/// line, for a line that is meant to have times and is no good one, and for text that no times stand above:
/// the cue would be lost, or be taken as text of the one before.
std::vector<Caption> captions_in(const TreeText& text);

}  // namespace shardmill::source
