// Praat's TextGrid in its long form: who said what and when, in the transcripts of meetings.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "source/tree_corpus.hpp"

namespace shardmill::source {

/// An interval that holds text.
struct GridInterval {
  std::string tier;
  std::string text;
  double begin_seconds = 0;
  double end_seconds = 0;
  std::uint64_t line = 0;
  std::size_t number = 0;  // in its tier, those without text counted, from 0
};

/// Throws Error, with file and line, for what is no TextGrid and for one that is cut.
std::vector<GridInterval> read_text_grid(const TreeText& text);

/// A time as texts have it. Throws Error, without a place, for what is none.
double seconds_from(std::string_view text);

}  // namespace shardmill::source
