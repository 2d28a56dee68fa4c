#include "pipeline/intake/text_bound.hpp"

#include <fmt/format.h>

#include "base/io/line_reader.hpp"

namespace shardmill::pipeline {

namespace {

// Room for numbers that are not known before the sample has its place, and for a key that may still change.
constexpr std::size_t kReservedBytes = 4096;
constexpr std::size_t kMostLineBytes = base::kLongestLine - kReservedBytes;
constexpr std::size_t kMostEscapedBytes = 6;  // \u0001

}  // namespace

std::optional<std::string> find_long_transcript(std::uint64_t bytes) {
  if (bytes <= base::kLongestLine) return std::nullopt;
  return fmt::format("has a transcript of {} bytes, more than the {} a line may have", bytes,
                     base::kLongestLine);
}

std::optional<std::string> find_long_line(const manifest::SampleRecord& record, std::string_view transcript) {
  const std::size_t texts = transcript.size() + record.key.size() + record.audio_filepath.size() +
                            record.dataset.size() + record.source.size() + record.source_key.size();
  if (kMostEscapedBytes * texts + record.facts.size() + kReservedBytes <= kMostLineBytes) return std::nullopt;
  manifest::SampleRecord with_text = record;
  with_text.text = std::string(transcript);
  std::string line;
  append_line(line, with_text);
  if (line.size() <= kMostLineBytes) return std::nullopt;
  return fmt::format("would have a manifest line of {} bytes, more than the {} a line may have", line.size(),
                     kMostLineBytes);
}

}  // namespace shardmill::pipeline
