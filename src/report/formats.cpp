#include <fmt/format.h>

#include "base/text/units.hpp"
#include "report/sections.hpp"

namespace shardmill::report {

namespace {

using manifest::DatasetRecord;

constexpr std::size_t kMostFormatRows = 50;

std::string conclusion(const DatasetRecord& dataset) {
  const auto bytes_a_second =
      static_cast<std::uint64_t>(static_cast<double>(dataset.audio_bytes) / dataset.seconds);
  std::string text = manifest::is_uniform(dataset)
                         ? "All audio has one sample rate and number of channels"
                         : "Sample rates or numbers of channels differ: a loader must bring them to one";
  text += fmt::format("; a second takes {} on average.", base::format_size(bytes_a_second));
  if (const DatasetRecord::Reencoded& reencoded = dataset.reencoded; reencoded.samples != 0) {
    text += fmt::format(" {} {} encoded again", base::format_count(reencoded.samples, "sample"),
                        reencoded.samples == 1 ? "was" : "were");
    if (reencoded.clipped_samples != 0)
      text +=
          fmt::format(", {} with values beyond full scale", base::format_count(reencoded.clipped_samples));
    text += '.';
  }
  return text;
}

}  // namespace

void add_formats(page::MarkupWriter& html, const ReportFacts& facts) {
  const DatasetRecord& dataset = *facts.records.dataset;
  html.open("section");
  add_heading(html, "formats", "Audio formats", conclusion(dataset));
  std::vector<Row> rows;
  for (const DatasetRecord::AudioKind& kind : dataset.audio) {
    if (rows.size() == kMostFormatRows) break;
    rows.push_back({kind.format, fmt::format("{} Hz", base::format_count(kind.sample_rate)),
                    fmt::format("{}", kind.channels), base::format_count(kind.samples),
                    base::format_audio(kind.seconds), format_percent(kind.seconds / dataset.seconds)});
  }
  if (dataset.audio.size() > rows.size())
    rows.push_back({fmt::format("and {} more", dataset.audio.size() - rows.size()), "", "", "", "", ""});
  add_table(html,
            {{"format", false},
             {"sample rate", true},
             {"channels", true},
             {"samples", true},
             {"audio", true},
             {"share", true}},
            rows);
  html.close();
}

namespace {

std::string conclusion(const QualityCounts& counts, std::uint64_t samples) {
  const std::string all = counts.measured == samples
                              ? std::string("All samples were measured")
                              : fmt::format("{} of {} were measured", base::format_count(counts.measured),
                                            base::format_count(samples, "sample"));
  return all + (counts.has_any() ? ": some have defects. The manifests have the figures."
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
             row_for("half or more is digital silence, but not all zeros", counts.silent, counts),
             row_for("nothing but zeros", counts.all_zero, counts),
             row_for("16 kHz or more, and nothing above 4 kHz", counts.narrow_band, counts)});
  html.close();
}

}  // namespace shardmill::report
