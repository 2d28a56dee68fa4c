#include <fmt/format.h>

#include "base/text/units.hpp"
#include "report/sections.hpp"
#include "report/shared.hpp"

namespace shardmill::report {

namespace {

std::string conclusion(const QualityCounts& counts, std::uint64_t samples) {
  const std::string all = counts.measured == samples
                              ? std::string("All samples were measured")
                              : fmt::format("{} of {} were measured", base::format_count(counts.measured),
                                            base::format_count(samples, "sample"));
  return all + (counts.has_any() ? ": some are not as they should be. The manifests have the figures."
                                 : ": none is clipped, off balance, silent or without high frequencies.");
}

Row row_for(std::string_view what, std::uint64_t count, const QualityCounts& counts) {
  const double share = static_cast<double>(count) / static_cast<double>(counts.measured);
  return {std::string(what), base::format_count(count), format_percent(share)};
}

}  // namespace

void add_quality(page::MarkupWriter& html, const ReportFacts& facts) {
  const QualityCounts& counts = facts.quality;
  if (counts.measured == 0) return;
  html.open("section");
  add_heading(html, "quality", "Audio quality", conclusion(counts, facts.records.dataset->samples));
  add_table(html, {{"what", false}, {"samples", true}, {"share", true}},
            {row_for("0.1% of the values or more at full scale", counts.clipped, counts),
             row_for("DC offset of 1% of full scale or more", counts.dc_offset, counts),
             row_for("half of it or more digital silence, but not all zeros", counts.silent, counts),
             row_for("nothing but zeros", counts.all_zero, counts),
             row_for("16 kHz or more, and nothing above 4 kHz", counts.narrow_band, counts)});
  html.close();
}

}  // namespace shardmill::report
