// Filters: which samples the user wants, by their lengths, transcripts and sounds (by their keys:
// KeyPatterns). A new filter is a member of Filters and a row of kFilters; its reason is a row of
// manifest::kReasons.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "manifest/reject.hpp"
#include "model/audio_info.hpp"

namespace shardmill::pipeline {

/// Bounds on measurements of the audio, in per cent; none: no limit.
struct QualityLimits {
  std::optional<double> most_clipped{};
  std::optional<double> most_dc_offset{};
  std::optional<double> most_silence{};
  bool no_narrow_band = false;
};

struct Filters {
  double min_seconds = 0;
  double max_seconds = std::numeric_limits<double>::infinity();
  bool require_text = false;
  QualityLimits quality{};
};

/// What is known of a sample so far.
struct KnownFacts {
  std::optional<double> seconds{};
  std::optional<bool> has_text{};
  std::optional<AudioQuality> quality{};
};

/// What a filter looks at, and with that when it can be asked: when the headers of a sample are read, its
/// transcript, or when its audio is decoded. A record of a finished dataset may hold all of these.
enum class LooksAt { seconds, text, quality };

struct Filter {
  manifest::RejectReason reason;
  LooksAt looks_at;
  bool (*is_set)(const Filters& filters);
  // `known` has what the filter looks at:
  bool (*leaves_out)(const KnownFacts& known, const Filters& filters);
  std::string (*problem)(const KnownFacts& known, const Filters& filters);
};

/// In the order in which they are asked: the first that leaves a sample out gives the reason.
inline constexpr Filter kFilters[] = {
    {manifest::RejectReason::too_short, LooksAt::seconds,
     [](const Filters& filters) { return filters.min_seconds > 0; },
     [](const KnownFacts& known, const Filters& filters) { return *known.seconds < filters.min_seconds; },
     [](const KnownFacts& known, const Filters&) { return fmt::format("lasts {} s", *known.seconds); }},
    {manifest::RejectReason::too_long, LooksAt::seconds,
     [](const Filters& filters) { return filters.max_seconds < std::numeric_limits<double>::infinity(); },
     [](const KnownFacts& known, const Filters& filters) { return *known.seconds > filters.max_seconds; },
     [](const KnownFacts& known, const Filters&) { return fmt::format("lasts {} s", *known.seconds); }},
    {manifest::RejectReason::no_text, LooksAt::text,
     [](const Filters& filters) { return filters.require_text; },
     [](const KnownFacts& known, const Filters&) { return !*known.has_text; },
     [](const KnownFacts&, const Filters&) { return std::string("has no transcript"); }},
    {manifest::RejectReason::clipped, LooksAt::quality,
     [](const Filters& filters) { return filters.quality.most_clipped.has_value(); },
     [](const KnownFacts& known, const Filters& filters) {
       return 100 * known.quality->clipped > *filters.quality.most_clipped;
     },
     [](const KnownFacts& known, const Filters&) {
       return fmt::format("{:.4f}% of its values are at full scale", 100 * known.quality->clipped);
     }},
    {manifest::RejectReason::dc_offset, LooksAt::quality,
     [](const Filters& filters) { return filters.quality.most_dc_offset.has_value(); },
     [](const KnownFacts& known, const Filters& filters) {
       return 100 * std::abs(known.quality->dc_offset) > *filters.quality.most_dc_offset;
     },
     [](const KnownFacts& known, const Filters&) {
       return fmt::format("has a DC offset of {:.4f}% of full scale", 100 * known.quality->dc_offset);
     }},
    {manifest::RejectReason::silent, LooksAt::quality,
     [](const Filters& filters) { return filters.quality.most_silence.has_value(); },
     [](const KnownFacts& known, const Filters& filters) {
       return 100 * known.quality->digital_silence > *filters.quality.most_silence;
     },
     [](const KnownFacts& known, const Filters&) {
       return known.quality->all_zero
                  ? std::string("holds nothing but zeros")
                  : fmt::format("{:.4f}% of it is digital silence", 100 * known.quality->digital_silence);
     }},
    {manifest::RejectReason::narrow_band, LooksAt::quality,
     [](const Filters& filters) { return filters.quality.no_narrow_band; },
     [](const KnownFacts& known, const Filters&) { return known.quality->narrow_band; },
     [](const KnownFacts& known, const Filters&) {
       const auto& above = known.quality->above_4khz_db;
       return above ? fmt::format("has nothing above 4 kHz: {:.1f} dB relative to the band below", *above)
                    : std::string("has nothing above 4 kHz");
     }},
};

inline bool knows(const KnownFacts& known, LooksAt what) {
  switch (what) {
    case LooksAt::seconds:
      return known.seconds.has_value();
    case LooksAt::text:
      return known.has_text.has_value();
    case LooksAt::quality:
      return known.quality.has_value();
  }
  return false;
}

/// Why the user does not want the sample, as far as the facts show; nullopt when no filter leaves it out.
inline std::optional<std::pair<manifest::RejectReason, std::string>> find_filter(const KnownFacts& known,
                                                                                 const Filters& filters) {
  for (const Filter& filter : kFilters) {
    if (filter.is_set(filters) && knows(known, filter.looks_at) && filter.leaves_out(known, filters))
      return std::pair(filter.reason, filter.problem(known, filters));
  }
  return std::nullopt;
}

/// True if any filter is set.
inline bool is_any_set(const Filters& filters) {
  return std::ranges::any_of(kFilters, [&](const Filter& filter) { return filter.is_set(filters); });
}

/// True if a filter is set for which the audio must be measured.
inline bool need_quality(const Filters& filters) {
  return std::ranges::any_of(kFilters, [&](const Filter& filter) {
    return filter.looks_at == LooksAt::quality && filter.is_set(filters);
  });
}

}  // namespace shardmill::pipeline
