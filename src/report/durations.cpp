#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text/units.hpp"
#include "page/chart.hpp"
#include "report/sections.hpp"

namespace shardmill::report {

namespace {

using manifest::DatasetRecord;

constexpr std::size_t kMostFormatRows = 50;

std::string conclusion(const DatasetRecord& dataset) {
  const auto bytes_a_second =
      static_cast<std::uint64_t>(static_cast<double>(dataset.audio_bytes) / dataset.seconds);
  std::string text =
      manifest::is_uniform(dataset)
          ? "All audio has one sample rate, number of channels and sample format"
          : "Sample rates, numbers of channels or sample formats differ: a loader must bring them to one";
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

namespace {

constexpr std::size_t kMostBins = 80;
constexpr double kShownWhole = 0.999;  // of the samples; the few longer ones share the last bin

/// The bins of a chart, in steps of DurationHistogram.
struct Bins {
  std::size_t width = 1;
  std::size_t count = 1;

  double seconds(std::size_t bin) const {
    return seconds_of(DurationHistogram::kStep) * static_cast<double>(bin * width);
  }
};

Bins bins_for(const DurationHistogram& durations) {
  const auto step_of = [](std::chrono::nanoseconds time) {
    return static_cast<std::size_t>(time / DurationHistogram::kStep);
  };
  const std::size_t steps = step_of(durations.quantile(kShownWhole)) + 1;
  constexpr std::array<std::size_t, 15> kWidths{1,   2,    5,    10,   20,   50,    100,  200,
                                                500, 1000, 2000, 3000, 6000, 12000, 30000};
  const auto width = std::find_if(kWidths.begin(), kWidths.end(),
                                  [&](std::size_t candidate) { return steps <= candidate * kMostBins; });
  const std::size_t chosen = width == kWidths.end() ? kWidths.back() : *width;
  return {.width = chosen, .count = (steps + chosen - 1) / chosen};
}

/// Ticks at the edges of bins; the bin for longer samples has its own tick.
std::vector<page::Tick> duration_ticks(const Bins& bins, bool has_longer) {
  const page::Axis seconds = page::axis_for(0, bins.seconds(bins.count), 10);
  const double end = static_cast<double>(bins.count);
  std::vector<page::Tick> ticks;
  for (const double mark : seconds.marks()) {
    const double place = mark / bins.seconds(1);
    if (place <= (has_longer ? end * 0.95 : end)) ticks.push_back({place, seconds.label(mark)});
  }
  if (has_longer) ticks.push_back({end + 0.5, "longer"});
  return ticks;
}

page::Chart duration_chart(const Series& series, const DurationHistogram& durations, const Bins& bins) {
  page::Chart chart{.about = "How long the samples of " + series.label + " are",
                    .y_title = "samples",
                    .x_title = "seconds",
                    .columns = {},
                    .ticks = {},
                    .height = 170,
                    .is_joined = true};
  const std::uint64_t longer = durations.count(bins.count * bins.width, SIZE_MAX);
  std::uint64_t most = 0;
  const auto add = [&](std::uint64_t count, std::string range) {
    most = std::max(most, count);
    const double share = static_cast<double>(count) / static_cast<double>(durations.samples());
    chart.columns.push_back({.title = fmt::format("{}: {} ({})", range, base::format_count(count, "sample"),
                                                  format_percent(share)),
                             .segments = {}});
    if (count != 0) chart.columns.back().segments.push_back({0, static_cast<double>(count), series.tone});
  };
  for (std::size_t bin = 0; bin < bins.count; ++bin) {
    add(durations.count(bin * bins.width, (bin + 1) * bins.width),
        fmt::format("{:.2f} s to {:.2f} s", bins.seconds(bin), bins.seconds(bin + 1)));
  }
  if (longer != 0) add(longer, fmt::format("{:.2f} s or longer", bins.seconds(bins.count)));
  chart.y = page::axis_for(0, static_cast<double>(most), 3);
  chart.ticks = duration_ticks(bins, longer != 0);
  return chart;
}

DurationHistogram merged(const ReportFacts& facts, const Series& series) {
  DurationHistogram all;
  for (const auto& [dataset, durations] : facts.durations) {
    if (series.holds(dataset)) all.add(durations);
  }
  return all;
}

std::string step_text(std::chrono::nanoseconds step) {
  const bool is_last = step / DurationHistogram::kStep == DurationHistogram::kSteps;
  return fmt::format("{:.2f} s{}", seconds_of(step), is_last ? " or more" : "");
}

Row duration_row(const Series& series, const DurationHistogram& durations) {
  return {Cell(series.label, series.tone),
          base::format_count(durations.samples()),
          fmt::format("{:.2f} s", seconds_of(durations.shortest())),
          step_text(durations.quantile(0.5)),
          fmt::format("{:.2f} s", seconds_of(durations.total()) / static_cast<double>(durations.samples())),
          step_text(durations.quantile(0.95)),
          fmt::format("{:.2f} s", seconds_of(durations.longest()))};
}

}  // namespace

void add_durations(page::MarkupWriter& html, const ReportFacts& facts) {
  DurationHistogram all;
  for (const auto& [dataset, durations] : facts.durations) all.add(durations);
  html.open("section");
  add_heading(
      html, "durations", "How long the samples are",
      fmt::format("Half of the samples are {} or shorter, 95% {} or shorter; the longest has {:.2f} s.",
                  step_text(all.quantile(0.5)), step_text(all.quantile(0.95)), seconds_of(all.longest())));
  const Bins bins = bins_for(all);
  std::vector<Row> rows;
  for (const Series& series : series_of(*facts.records.dataset)) {
    const DurationHistogram durations = merged(facts, series);
    if (durations.samples() == 0) continue;
    add_legend(html, {series});
    draw(html, duration_chart(series, durations, bins));
    rows.push_back(duration_row(series, durations));
  }
  add_table(html,
            {{"dataset", false},
             {"samples", true},
             {"shortest", true},
             {"median", true},
             {"mean", true},
             {"95th percentile", true},
             {"longest", true}},
            rows);
  html.close();
}

}  // namespace shardmill::report
