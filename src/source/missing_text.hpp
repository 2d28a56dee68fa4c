// Missing text: datasets whose transcripts were not found, judged before their audio is read.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "model/text_count.hpp"

namespace shardmill::source {

/// What to do about a dataset in which many samples have no transcript.
enum class MissingText {
  allowed,
  unless_all,  // samples without one are left out, but not whole datasets
  refused      // where it is more than a tenth
};

bool is_refused(const TextCount& texts, MissingText rule);

/// "none of 6 samples has a transcript", "3 of 6 samples have no transcript".
std::string missing_text(const TextCount& texts);

/// Says what lies in `path` instead of transcripts, which corpus that looks like, and what to do. `problem`:
/// a clause such as that of missing_text(); `found`: the members of shards, in words.
Error missing_text_error(const std::string& dataset, const TextCount& texts, const std::string& problem,
                         const std::string& path, const std::string& found = {});

/// One corpus of a dataset, read.
struct CorpusTexts {
  std::string path;
  TextCount texts;
  std::uint64_t without_audio = 0;  // transcripts that matched no audio
};

/// Throws Error where the corpora, all of one dataset, come to a refused count, of samples without transcript
/// or of transcripts without audio.
void check_texts(const std::string& dataset, const std::vector<CorpusTexts>& corpora, MissingText rule);

}  // namespace shardmill::source
