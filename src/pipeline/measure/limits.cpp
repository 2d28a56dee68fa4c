#include "pipeline/measure/limits.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/io/line_reader.hpp"

namespace shardmill::pipeline {

using manifest::RejectReason;

std::optional<std::pair<RejectReason, std::string>> beyond(const QualityLimits& limits,
                                                           const AudioQuality& quality) {
  const auto exceeds = [](const std::optional<double>& limit, double share) {
    return limit && 100 * share > *limit;
  };
  if (exceeds(limits.most_clipped, quality.clipped))
    return std::pair(RejectReason::clipped,
                     fmt::format("{:.4f}% of its values are at full scale", 100 * quality.clipped));
  if (exceeds(limits.most_dc_offset, std::abs(quality.dc_offset)))
    return std::pair(RejectReason::dc_offset,
                     fmt::format("has a DC offset of {:.4f}% of full scale", 100 * quality.dc_offset));
  if (exceeds(limits.most_silence, quality.digital_silence))
    return std::pair(RejectReason::silent, quality.all_zero ? std::string("holds nothing but zeros")
                                                            : fmt::format("{:.4f}% of it is digital silence",
                                                                          100 * quality.digital_silence));
  if (limits.no_narrow_band && quality.narrow_band)
    return std::pair(RejectReason::narrow_band,
                     quality.above_4khz_db
                         ? fmt::format("has nothing above 4 kHz: {:.1f} dB relative to the band below",
                                       *quality.above_4khz_db)
                         : std::string("has nothing above 4 kHz"));
  return std::nullopt;
}

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
