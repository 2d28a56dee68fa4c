#include "pipeline/speaker.hpp"

#include "base/text/json_reader.hpp"

namespace shardmill::pipeline {

std::string speaker_in(const std::string& facts) {
  if (facts.find("\"speaker\"") == facts.npos) return {};
  base::JsonParser parser;
  const auto speaker = parser.parse("{" + facts + "}").find("speaker");
  if (!speaker) return {};
  const std::string line(speaker->line());
  if (line == "null") return {};
  // A number and the same as text are one speaker.
  return line.starts_with('"') ? std::string(speaker->text()) : line;
}

}  // namespace shardmill::pipeline
