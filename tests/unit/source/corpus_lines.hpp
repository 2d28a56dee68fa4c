// A raw corpus as lines of text, for tests to compare.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/error.hpp"
#include "source/corpora.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::testing {

/// "a.wav key [0 2.5] 'text' {facts}", one a utterance; paths from the folder on, the end only where there is
/// one.
inline std::vector<std::string> lines_of(const source::CorpusFiles& files, const TemporaryFolder& folder) {
  std::vector<std::string> lines;
  for (const source::SourceFile& file : files.audio) {
    const std::string root = folder.path().string() + "/";
    const std::string path = file.path.starts_with(root) ? file.path.substr(root.size()) : file.path;
    for (const source::CorpusUtterance& utterance : file.utterances) {
      std::string line = fmt::format("{} {}", path, utterance.key);
      if (!utterance.is_whole())
        line += fmt::format(" [{} {}]", utterance.begin_seconds, utterance.end_seconds);
      if (utterance.has_text) line += fmt::format(" '{}'", utterance.text);
      if (!utterance.facts.empty()) line += fmt::format(" {{{}}}", utterance.facts);
      lines.push_back(line);
    }
  }
  return lines;
}

/// "audio key: message"
inline std::vector<std::string> unusable_lines(const source::CorpusFiles& files) {
  std::vector<std::string> lines;
  for (const source::Unusable& unusable : files.unusable) {
    const char* what = unusable.what == source::Unusable::What::segment ? "segment" : "audio";
    lines.push_back(fmt::format("{} {}: {}", what, unusable.key, unusable.error.what()));
  }
  return lines;
}

inline std::vector<std::string> warnings_of(const source::CorpusFiles& files) {
  std::vector<std::string> lines;
  for (const Error& warning : files.warnings) lines.emplace_back(warning.what());
  return lines;
}

inline std::string problem_of_corpus(const source::Corpus& corpus, const std::string& path,
                                     const source::CorpusOptions& options = {}) {
  try {
    const source::CorpusFiles files = source::read_corpus(corpus, path, options);
    if (!files.faults.empty()) return files.faults.front().what();
    if (!files.unusable.empty()) return files.unusable.front().error.what();
  } catch (const Error& error) {
    return error.what();
  }
  return "no problem";
}

}  // namespace shardmill::testing
