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

/// Leaves out comments, styles, regions, and the names and settings of cues. Throws Error, with the file and
/// the line, for times that are damaged, and for text without times above it: otherwise the cue would be
/// lost, or its text would be added to the cue before.
std::vector<Caption> captions_in(const TreeText& text);

}  // namespace shardmill::source
