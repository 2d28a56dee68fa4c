#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "base/text/units.hpp"
#include "page/chart.hpp"
#include "report/sections.hpp"

namespace shardmill::report {

namespace {

constexpr std::size_t kMostColumns = 200;
constexpr std::size_t kMostTicks = 10;
constexpr std::uint64_t kSamplesForBalance = 64;  // per shard: with fewer there is too little to choose from
constexpr double kEven = 1e-3;                    // of the mean: a difference without effect
constexpr double kHighestRatio = 1e9;
constexpr double kHeadroom = 1.06;

/// Audio times, and the range of their chart.
struct Times {
  std::vector<double> seconds;
  page::Extent extent;

  explicit Times(std::vector<double> values) : seconds(std::move(values)), extent(page::extent_of(seconds)) {}
  double peak() const { return extent.highest / extent.mean; }
  std::span<const double> within(const page::Run& run) const {
    return std::span(seconds).subspan(run.begin, run.size());
  }
};

std::string words_for(const page::Extent& extent, std::size_t count) {
  const std::string lowest = exact_seconds(extent.lowest);
  const std::string highest = exact_seconds(extent.highest);
  if (count == 1 || lowest == highest) return exact_seconds(extent.mean);
  return fmt::format("{} to {}, mean {}", lowest, highest, exact_seconds(extent.mean));
}

std::string tagged(double seconds) {
  if (seconds < 60) return exact_seconds(seconds);
  return fmt::format("{} ({})", exact_seconds(seconds), base::format_audio(seconds));
}

/// Columns from 0. In all charts with the same `peak` (in means), the mean is at the same height.
page::Chart time_chart(const Times& times, double peak, std::string_view one) {
  const TimeUnit unit = time_unit(times.extent.mean);
  page::Chart chart{
      .about = fmt::format("Audio per {}: {}", one, words_for(times.extent, times.seconds.size())),
      .y_title = fmt::format("{} of audio per {}", unit.name, one),
      .x_title = fmt::format("{}, in order", one),
      .columns = {},
      .ticks = {},
      .level = page::Level{.value = times.extent.mean / unit.seconds,
                           .label = "\u2013 \u2013 mean: " + tagged(times.extent.mean)}};
  const double top = times.extent.mean * peak * kHeadroom / unit.seconds;
  chart.y = page::axis_for(0, top, 5);
  chart.y.highest = top;
  return chart;
}

page::Chart shard_chart(const Times& times, double peak) {
  page::Chart chart = time_chart(times, peak, "shard");
  const double unit = time_unit(times.extent.mean).seconds;
  for (const page::Run& run : page::runs_of(times.seconds.size(), kMostColumns)) {
    const page::Extent extent = page::extent_of(times.within(run));
    chart.columns.push_back({.title = fmt::format("{}: {}", format_range("shard", run.begin, run.end),
                                                  words_for(extent, run.size())),
                             .segments = {{0, extent.lowest / unit, "bar"},
                                          {extent.lowest / unit, extent.highest / unit, "bar soft"}}});
    if (extent.lowest == extent.highest) chart.columns.back().segments.pop_back();
  }
  chart.ticks = page::number_ticks(times.seconds.size(), chart.columns.size(), kMostTicks);
  return chart;
}

std::string signed_time(double milliseconds) {
  return std::abs(milliseconds) < 1000 ? fmt::format("{:+.3f} ms", milliseconds)
                                       : fmt::format("{:+.1f} s", milliseconds / 1e3);
}

/// Enlarges small differences, which time_chart() cannot show.
page::Chart difference_chart(const Times& times) {
  const double above = times.extent.highest - times.extent.mean;
  const double below = times.extent.lowest - times.extent.mean;
  const bool in_milliseconds = std::max(above, -below) < 1;
  const double unit = in_milliseconds ? 1e-3 : time_unit(std::max(above, -below)).seconds;
  const std::string name(in_milliseconds ? "milliseconds" : time_unit(std::max(above, -below)).name);
  page::Chart chart{.about = "How far each shard is from the mean",
                    .y_title = name + " more or less than the mean",
                    .x_title = "shard, in order",
                    .y = page::axis_for(below / unit, above / unit, 4),
                    .columns = {},
                    .ticks = {},
                    .height = 160};
  for (const page::Run& run : page::runs_of(times.seconds.size(), kMostColumns)) {
    const page::Extent extent = page::extent_of(times.within(run));
    const double low = (extent.lowest - times.extent.mean) * 1e3;
    const double high = (extent.highest - times.extent.mean) * 1e3;
    const std::string range = format_range("shard", run.begin, run.end);
    chart.columns.push_back(
        {.title = run.size() == 1 ? fmt::format("{}: {}", range, signed_time(low))
                                  : fmt::format("{}: {} to {}", range, signed_time(low), signed_time(high)),
         .segments = {{std::min(low, 0.0) / 1e3 / unit, std::max(high, 0.0) / 1e3 / unit, "bar"}}});
  }
  chart.ticks = page::number_ticks(times.seconds.size(), chart.columns.size(), kMostTicks);
  return chart;
}

page::Chart source_chart(const Times& times, double peak, const ReportFacts& facts) {
  page::Chart chart = time_chart(times, peak, "source shard");
  const double unit = time_unit(times.extent.mean).seconds;
  const std::vector<Series> all = series_of(*facts.records.dataset);
  for (const page::Run& run : page::runs_of(times.seconds.size(), kMostColumns)) {
    const page::Extent extent = page::extent_of(times.within(run));
    const SourceShare& first = facts.sources[run.begin];
    const auto series =
        std::find_if(all.begin(), all.end(), [&](const Series& one) { return one.holds(first.dataset); });
    const std::string name = page::shortened(first.path, 120) +
                             (run.size() == 1 ? "" : fmt::format(" and {} more", run.size() - 1));
    chart.columns.push_back({.title = fmt::format("{}: {}", name, words_for(extent, run.size())),
                             .segments = {{0, extent.lowest / unit, series->tone},
                                          {extent.lowest / unit, extent.highest / unit, "soft"}}});
    if (extent.lowest == extent.highest) chart.columns.back().segments.pop_back();
  }
  chart.ticks = page::number_ticks(times.seconds.size(), chart.columns.size(), kMostTicks);
  return chart;
}

std::string conclusion(const Times& times, const manifest::DatasetRecord& dataset) {
  const std::size_t shards = times.seconds.size();
  if (shards == 1) return fmt::format("There is one shard, with {} of audio.", tagged(times.extent.mean));
  const double spread = times.extent.highest - times.extent.lowest;
  const double share = spread / times.extent.mean;
  const std::string ending =
      fmt::format("spread {}, {} of the mean", format_spread(spread), format_percent(share));
  if (share < kEven) {
    return fmt::format(
        "All {} shards hold {}, {}: ranks with equally many shards get the same audio. "
        "That is not yet the same number of steps: batches by duration differ from rank to rank.",
        base::format_count(shards), tagged(times.extent.mean), ending);
  }
  std::string text =
      fmt::format("The {} shards hold {} to {}, {}.", base::format_count(shards),
                  exact_seconds(times.extent.lowest), exact_seconds(times.extent.highest), ending);
  if (dataset.samples / shards < kSamplesForBalance) {
    text += fmt::format(" Shards of {} samples or more can be made more even.", kSamplesForBalance);
  }
  return text;
}

std::string source_conclusion(const Times& times, bool has_other_sources) {
  const std::string others = has_other_sources ? " Audio from single recordings is not shown." : "";
  if (times.seconds.size() == 1) {
    return fmt::format("All came from one source shard, {}.{}", tagged(times.extent.mean), others);
  }
  if (times.extent.highest - times.extent.lowest < kEven * times.extent.mean) {
    return fmt::format("The {} source shards were even already: {} each.{}",
                       base::format_count(times.seconds.size()), tagged(times.extent.mean), others);
  }
  const double ratio = std::min(times.extent.highest / times.extent.lowest, kHighestRatio);
  const double wait = 1 - 1 / ratio;
  return fmt::format(
      "The {} source shards gave {} to {}, the fullest {} times the emptiest: a rank with the emptiest would "
      "wait {} of the time for one with the fullest. The mean is at the same height as in the picture above, "
      "so the "
      "two compare.{}",
      base::format_count(times.seconds.size()), base::format_audio(times.extent.lowest),
      base::format_audio(times.extent.highest),
      ratio < 10 ? fmt::format("{:.1f}", ratio) : base::format_count(static_cast<std::uint64_t>(ratio)),
      wait > 0.99 ? "over 99%" : fmt::format("{:.0f}%", 100 * wait), others);
}

std::vector<double> source_seconds(const ReportFacts& facts) {
  std::vector<double> seconds;
  for (const SourceShare& source : facts.sources) seconds.push_back(seconds_of(source.duration));
  return seconds;
}

std::vector<double> shard_seconds(const ReportFacts& facts) {
  std::vector<double> seconds;
  for (const manifest::ShardRecord& shard : *facts.records.shards) seconds.push_back(shard.seconds);
  return seconds;
}

}  // namespace

void add_balance(page::MarkupWriter& html, const ReportFacts& facts) {
  const Times after(shard_seconds(facts));
  html.open("section");
  add_heading(html, "balance", "Audio per shard", conclusion(after, *facts.records.dataset));
  if (facts.sources.empty()) {
    draw(html, shard_chart(after, after.peak()));
  } else {
    const Times before(source_seconds(facts));
    const double peak = std::max(after.peak(), before.peak());
    draw(html, shard_chart(after, peak));
    html.element("h3", "Before repacking");
    html.element("p", source_conclusion(before, facts.has_other_sources), {{"class", "lead"}});
    if (facts.records.dataset->datasets.size() > 1) add_legend(html, series_of(*facts.records.dataset));
    draw(html, source_chart(before, peak, facts));
  }
  if (after.extent.highest > after.extent.lowest) {
    html.element("h3", "The differences that are left, enlarged");
    draw(html, difference_chart(after));
  }
  html.close();
}

}  // namespace shardmill::report
